// Forward dynamics in independent coordinates (seed 000, 1.2.4), dense: for analyses, control and as a second route.
//
//   v̇ = G ÿ + g,    K G = 0,    K g = k                                                                     (1.2.32-34)
//   M̃ ÿ = Gᵀ (τ - C - H g),    M̃ = Gᵀ H G                                                                   (1.2.35-36)
//
// y are some of the tree's velocities. With K = (K_d, K_i), G = (-K_d⁻¹ K_i, 1) and g = (K_d⁻¹ k, 0); which are
// dependent is chosen by QR with column pivoting of K, scaled so that every velocity and every row counts by the
// inertia that it moves. The choice stays until an entry of the scaled G grows beyond `worst`, and then is made anew.
// Rows that depend on the others drop out in the QR.
#pragma once

#include <Eigen/Core>

#include "taut/formulation/multibody/system.h"

namespace taut::multibody {

class Independent {
 public:
  static constexpr double worst = 10.0;

  explicit Independent(const System& system);

  // G for the placed links. True: the choice was made anew.
  bool choose(const SystemTerms& terms);

  const std::vector<int>& independent() const { return independent_; }  // velocities, y
  const std::vector<int>& dependent() const { return dependent_; }
  int redundant() const { return system_->loops.rows - static_cast<int>(dependent_.size()); }
  const Eigen::MatrixXd& G() const { return G_; }  // nv × y; rows of imposed joints are zero
  double largest_entry() const { return largest_; }

  // After choose(): g for rows k. `misfit`: what rows that depend on others ask for in contradiction to them.
  Eigen::VectorXd g(const double* k, double* misfit = nullptr) const;

  // As accelerate() of the system, by G and g; fills terms.lambda with the smallest multipliers.
  void accelerate(const double* q, const double* v, const DriftGains& gains, SystemTerms& terms, double* v_rate);

  Eigen::MatrixXd mass(const SystemTerms& terms) const;  // H, nv × nv

 private:
  bool decompose(const Eigen::MatrixXd& K);
  Eigen::MatrixXd scaled_jacobian(const SystemTerms& terms);

  const System* system_;
  Kkt::Pattern mass_pattern_;
  std::vector<int> free_;         // velocities that are not imposed
  Eigen::VectorXd column_scale_;  // per free velocity
  Eigen::VectorXd row_scale_;     // per row, of the last choose()
  std::vector<int> independent_, dependent_;
  std::vector<int> dependent_column_, independent_column_;  // places in free_
  Eigen::MatrixXd G_, K_d_;                                 // K_d scaled
  double largest_ = 0.0;
};

}  // namespace taut::multibody
