// What counts as nothing in equilibrium, statics, form, modes and design, and why. Each is relative to what its line names.
// Numbers are rounded twice: to 1e-16 by arithmetic, and to seven digits or so where a person or a program wrote the
// coordinates of a file. Each tolerance says which of the two it is made for. How a single search steps and ends is with
// that search.
#pragma once

namespace taut {

// Forces.
inline constexpr double equilibrium_found =
    1e-9;  // net over mean member force; `taut check` allows what a file rounds, 1e-6
inline constexpr double exactly_balanced = 1e-13;  // the same where Newton steps may go on to the end
inline constexpr double rounding_allowed = 32.0;   // times StaticForces::rounding(): a few members meet at a node
inline constexpr double no_force = 1e-9;        // over the largest: solvers of programmes leave less in a slack cable
inline constexpr double cleared_force = 1e-14;  // over the largest: a linear solution leaves that in place of 0
inline constexpr double no_push = 1e-9;         // net force over the sum of its terms: forces that cancel in a file
inline constexpr double not_carried = 1e-6;     // part of a load that no member reaches: coordinates of seven digits
inline constexpr double tension_met = 1e-6;     // a tension off the wanted one, over the force scale

// Lengths and directions.
inline constexpr double no_length = 1e-6;              // length over the mean: nodes that have fallen into one
inline constexpr double dependent_direction = 1e-6;    // distance from the span of others: coordinates of seven digits
inline constexpr double dependent_constraint = 1e-12;  // its square
inline constexpr double flat_shape = 1e-6;             // thickness over size: coordinates of seven digits
inline constexpr double flat_found = 1e-4;        // of a shape that was found by lengths, which tell thickness squared
inline constexpr double cancelled_terms = 1e-12;  // sum of coefficients over the sum of their sizes: arithmetic

// Rigid motions: eigenvalues of Gram matrices over the largest, squares, so that 1e-13 is a velocity of 3e-7.
inline constexpr double no_rigid_motion = 1e-13;
inline constexpr double no_removed_motion = 1e-12;  // more where it is divided by, or rounding would be blown up

// Stiffness, over a bound of it.
inline constexpr double faint_stiffness = 1e-9;  // added to hold what nothing holds, far above the rounding of a factor
inline constexpr double no_stiffness = 1e-10;    // an eigenvalue of K below it is 0: what faint_stiffness leaves of one
inline constexpr double no_free_stiffness = 1e-12;  // the same where nothing was added
inline constexpr double no_stiffening = 1e-7;  // dᵀK_g d over the largest force density: coordinates of seven digits
inline constexpr double no_stress_stiffness = 1e-6;    // an eigenvalue of the stress matrix over the largest: likewise
inline constexpr double no_density_stiffness = 1e-11;  // the same for densities that were solved for, not read

}  // namespace taut
