// H y = x for the mass matrix of a tree in O(links), without H: articulated-body inertias (Featherstone, chapter 7).
//
//   I^A = I + Σ_children Xᵀ I^a X,    U = I^A S,    D = SᵀU,    I^a = I^A - U D⁻¹ Uᵀ                        inwards
//   p = f + Σ_children Xᵀ (p + U D⁻¹ u),    u = x - Sᵀp;          y = D⁻¹ (u - Uᵀ X a_λ),    a = X a_λ + S y
//
// With f_i = I a_i + v_i ×* I v_i - f_i^x at v̇ = 0 and x the torques, y is the forward dynamics. Imposed joints pass
// I^A and p on as they are, and their y is zero: their acceleration is part of f.
#pragma once

#include "taut/formulation/multibody/system/tree.h"

namespace taut::multibody {

struct ArticulatedTerms {
  std::vector<Mat6> inertia;      // I^A
  std::vector<Vec6> U;            // per velocity
  std::vector<Vec6> p, a;         // per link
  std::vector<int> block;         // where D⁻¹ of a link begins
  AlignedDoubles inverse, u;      // D⁻¹, row by row; D⁻¹ u
  std::vector<int> undetermined;  // velocities that move no inertia; they were held in place
};

ArticulatedTerms make_articulated(const Tree& tree);

// At the placed links. A pivot of D counts as none below `least` of what a body of mass `mass` with the inertia
// `turning` about every axis would give.
struct LeastInertia {
  double mass = 0.0, turning = 0.0;  // kg, kg m²
};
void articulate(const Tree& tree, const TreeTerms& terms, const LeastInertia& least, ArticulatedTerms& out);

// y from x; `forces`: with f_i of the last body_forces(), else without.
void solve(const Tree& tree, const TreeTerms& terms, ArticulatedTerms& articulated, const double* x, bool forces,
           double* y);

}  // namespace taut::multibody
