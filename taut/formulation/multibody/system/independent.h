// The motions that the loops leave, v = G y with K G = 0 (Lieskovský 2022, 1.2.32-33), dense: for analyses.
//
// y are some of the tree's velocities. With K = (K_d, K_i), G = (-K_d⁻¹ K_i, 1); which are dependent is chosen by QR
// with column pivoting of K, scaled so that every velocity and every row counts by the inertia that it moves. The
// choice stays until an entry of the scaled G grows beyond `worst`, and then is made anew. Rows that depend on the
// others drop out in the QR.
#pragma once

#include <Eigen/Core>

#include "taut/formulation/multibody/system/system.h"

namespace taut::multibody {

class Independent {
 public:
  static constexpr double worst = 10.0;

  explicit Independent(const System& system);

  // G for the placed links. True: the choice was made anew.
  bool choose(const SystemTerms& terms);

  const std::vector<int>& independent() const { return independent_; }  // velocities, y
  const std::vector<int>& dependent() const { return dependent_; }
  const Eigen::MatrixXd& G() const { return G_; }  // nv × y; rows of imposed joints are zero
  double largest_entry() const { return largest_; }

 private:
  bool decompose(const Eigen::MatrixXd& K);
  Eigen::MatrixXd scaled_jacobian(const SystemTerms& terms) const;

  const System* system_;
  std::vector<int> free_;         // velocities that are not imposed
  Eigen::VectorXd column_scale_;  // per free velocity
  std::vector<int> independent_, dependent_;
  std::vector<int> dependent_column_, independent_column_;  // places in free_
  Eigen::MatrixXd G_;
  double largest_ = 0.0;
};

}  // namespace taut::multibody
