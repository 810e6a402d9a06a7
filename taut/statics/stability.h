// Is a structure stable with its self-stress?
//
//   prestress-stable   a self-stress that keeps every cable in tension stiffens every mechanism: dᵀK_g d > 0 for all
//                      mechanisms d, K_g = Σ t_j H_j (statics/stiffness.h); also without mechanisms.
//   super-stable       and the stress matrix Ω = Σ q (e_a - e_b)(e_a - e_b)ᵀ, q = t/l, on the free coordinates has no
//                      negative eigenvalue and no zero but those of affine motions, none of which keeps all lengths but
//                      the rigid ones (no conic at infinity): no other shape has cables as short and bars as long.
//
// Where the given self-stress does not stabilise and there are others, combinations are sought by cutting planes: a
// motion that is not stiffened is a linear condition on the combination.
#pragma once

#include "taut/statics/forces.h"
#include "taut/statics/spaces.h"

namespace taut {

// dᵀH d of every row: what a unit of its force adds to the stiffness against d.
Eigen::VectorXd curvatures(const StaticRows& rows, const Eigen::VectorXd& motion);

struct Stiffening {
  Eigen::MatrixXd shapes;  // mechanisms, orthonormal, by rising stiffness
  Eigen::VectorXd values;  // dᵀK_g d, N/m
};
// Of the motions in the columns of `basis`.
Stiffening stiffening(const StaticRows& rows, const Eigen::VectorXd& forces, const Eigen::MatrixXd& basis);
// Values below this are zero to what positions in a file are good for, N/m.
double stiffening_zero(const StaticRows& rows, const Eigen::VectorXd& forces);

// Ω of all nodes, eigenvalues ascending, N/m. Empty for more than `most_nodes_of_stress_matrix` nodes.
inline constexpr int most_nodes_of_stress_matrix = 2000;
Eigen::VectorXd stress_eigenvalues(const Model& model, const StaticRows& rows, const Eigen::VectorXd& forces);

bool is_super_stable(const Model& model, const StaticRows& rows, const StaticSpaces& spaces, const Parts& parts,
                     const Eigen::VectorXd& forces);

struct Stabilised {
  bool found = false;
  Eigen::VectorXd forces;  // over all rows
  Stiffening stiffening;   // with these; of the given forces where none were found
};
// `forces` keep the bounds of `problem` and are tried first.
Stabilised stabilise(const StaticRows& rows, const StaticSpaces& spaces, ForceProblem problem,
                     const Eigen::VectorXd& forces);

}  // namespace taut
