// The equilibrium of a machine nearest to its drawn shape, with wanted tensions, and what belongs to it: rest lengths of
// cables, strains of cables on pulleys, torques of drives.
//
//   min ½ Σ |x - x₀|²   over the joint coordinates q and the forces t (statics/machine_rows.h),
//   Bᵀ(A(q) t + Q_e(q)) = 0          B the ways that loops and imposed joints leave free (machine_forces.h), Q_e weight and
//                                    loads; what loops and imposed joints carry follows
//   t_s = -k_s (q_s - rest)          springs of joints carry what their law says
//   wanted tensions as for structures (prestress.h); T >= T_least for cables without one of their own.
//
// Without [[targets]] tensions stay near those of the drawn shape, their mean before each of them. Torques of joints with a
// torque actuator are chosen like tensions; joints that only a controller drives carry nothing. A shape that some forces
// within bounds balance stays as it is. Else a sequence of quadratic programmes with the geometric stiffness,
//
//   Bᵀ A t - Bᵀ K_g B y = -Bᵀ Q_e,   then q ⊕ B y back onto the loops and drawn anew (move_model.h),
//
// with steps that are shortened until an ℓ₁ merit function falls, and with an imbalance at a price where the linearised
// balance and the bounds contradict each other.
#pragma once

#include "taut/form/prestress/prestress.h"

namespace taut {

// tensions and at_least count pulleys on from the cables. Throws InputError when the formulation refuses the model.
PrestressResult prestress_machine(const Model& model, const PrestressOptions& options);

}  // namespace taut
