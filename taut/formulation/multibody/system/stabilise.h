// Back onto the constraints along the mass-weighted inverse (Arsenault and Gosselin 2005, 4.1, eqs 29 to 37):
//
//   K† = H⁻¹Kᵀ (K H⁻¹ Kᵀ)⁻¹           K† r = δ of  H δ - Kᵀλ = 0,  K δ = r,  which exists where bodies have no mass too
//   configuration correction   q ⊕ -K†g          any number of times                                       (33), (37)
//   velocity filtering         v - K† K v                                                                    (31), (35)
//
// Imposed joints are put where they belong first and then stay, so that K† is the one of the other joints (36), and
// K v holds the imposed velocities (35).
#pragma once

#include "taut/formulation/multibody/system/system.h"

namespace taut::multibody {

// Positions and velocities of imposed joints as terms say (drive()). Returns the largest change, angles times
// system.length.
double impose(const System& system, const SystemTerms& terms, double* q, double* v);

// Largest |g| of the closed loops, m: angles times system.length.
double loop_error(const System& system, const SystemTerms& terms);

// As many corrections as asked for. Returns the error that was there first.
double correct_configuration(const System& system, int times, double* q, const double* v, SystemTerms& terms);
// Places the links, then filters.
void filter_velocities(const System& system, const double* q, double* v, SystemTerms& terms);

// As many corrections as asked for, 0: until rounding ends them; then filtering; quaternions to unit length. Returns
// the largest move relative to system.length, negative when it does not converge. Nothing moves that is closed to
// rounding.
double project(const System& system, double* q, double* v, SystemTerms& terms, int corrections = 0);

}  // namespace taut::multibody
