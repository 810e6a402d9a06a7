// The forces that Statics is about: a self-stress, and the forces under loads.
#pragma once

#include "taut/statics/statics.h"

namespace taut {

// Every cable at 1 N or more, those that no self-stress reaches at 0: this fixes the signs of a self-stress, not its size.
ForceProblem unit_problem(const Statics& statics, const StaticsOptions& options);

// Fills self_stress, sign_feasible, pushing and idle.
void find_self_stress(const StaticsOptions& options, Statics& statics);

// Fills forces, forces_feasible, offending, conflict, unheld and below_pretension, after gather_loads(). Throws InputError
// where a force exceeds 1e100 N: its square must be a number.
void find_forces(const StaticsOptions& options, Statics& statics);

// For an unloaded structure that the smallest self-stress does not hold: `stabilising` instead, as large as the bounds of
// its members ask for. False: none is within them.
bool take_stabilising(const StaticsOptions& options, Statics& statics);

}  // namespace taut
