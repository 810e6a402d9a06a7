// A path of equilibria of a machine (path.h), in joint coordinates: along the ways B that loops and imposed joints leave free
// (equilibrium/machine_forces.h),
//
//   r(q, p) = Bᵀ Q = 0,     | S      -r_p | | y  |   | r |      then q ⊕ B y back onto the loops,
//                           | t_yᵀ    t_p | | δp | = | 0 |      (t_y, t_p) the tangent of the path
//
// with ds² = |y|²/ℓ² + dp²/P², ℓ the typical length or, if that is less, the way that the first tangent makes to the end of
// the path, P the end. Where p turns back or the number of unstable directions changes, the point is found by bisection and
// reported: a limit point, or a bifurcation. Branches are not followed.
#pragma once

#include "taut/form/path/path.h"

namespace taut {

// Throws InputError for a branch, and when the formulation refuses the model.
PathResult follow_machine_path(const Model& model, const PathOptions& options);

}  // namespace taut
