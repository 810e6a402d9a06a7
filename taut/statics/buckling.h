// How much load a structure in equilibrium bears before it buckles. Weight and loads F grow to p F; forces follow
// linearly at the present shape, as the structure without its load answers,
//
//   K(0) δx + Gᵀδμ = F,  G δx = 0,   δT = ∂T/∂e δl:     K(p) = K + (p - 1) K_g(δT, δμ),
//
// with K the stiffness of static_forces.h and K_g the geometric stiffness of the growing forces: p times those under F
// where there is no self-stress. It buckles at the p
// where K(p), coming from p = 0, stops being positive definite along the constraints: beyond 1 where it bears its load,
// below 1 where it has buckled already. The p for which K(p) is positive definite form an interval, so that bisection
// with sparse factorisations finds its end.
#pragma once

#include "taut/model/model.h"

namespace taut {

struct Buckling {
  bool loaded = false;    // there is a weight or a load
  bool stable = false;    // at p = 1
  bool found = false;     // it buckles below `most` times the load; not where it stands under no part of it at all
  double factor = 1.0;    // p where it buckles, or the largest that was tried
  double load = 0.0;      // N, |sum of weight and loads| there
  int softest_node = -1;  // that moves furthest in the motion that becomes free
};

// The model must be in equilibrium at the start. The factor is found to 1e-9 of itself. Throws InputError when the
// nodal formulation refuses the model.
Buckling find_buckling(const Model& model, double most = 1e4);

}  // namespace taut
