// A formulation of rods that share no node (rods.h), in the turning coordinates of a Chart (polar_chart.h,
// quaternion_chart.h). Per rod q = (c, turning coordinates), v = (ċ, turning velocities w); M is block-diagonal, so
// every rod is solved by itself:
//
//   m c̈ = F + Σ λ e_k,   W ẇ = Tᵀ(g + Σ s λ e_k) + h,   supports:  c̈_k + s (T ẇ + t)_k = 0.
#pragma once

#include "taut/formulation/formulation.h"
#include "taut/formulation/rods.h"

namespace taut {

template <class Chart>
class RodFormulation final : public Formulation {
 public:
  static constexpr int rod_nq = 3 + Chart::nq, rod_nv = 3 + Chart::nv;

  explicit RodFormulation(const Model& model);  // throws InputError

  std::string_view name() const override { return Chart::name; }
  int constraints() const override { return static_cast<int>(rods_.supports.size()); }
  int redundant_constraints() const override { return constraints() - rank_; }
  int degrees_of_freedom() const override;
  std::vector<std::string> state_names() const override;
  State start() const override;
  Terms make_terms() const override;
  void place_nodes(const double* q, const double* v, Terms& terms) const override;
  void coordinate_rates(const double* q, const double* v, double* q_rate) const override;
  void accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                  double* v_rate) const override;
  double project(double* q, double* v, Terms& terms) const override;
  bool rechart(double* q, double* v, Terms& terms) const override;
  bool can_leap() const override { return can_leap_; }
  void leap(double h, Terms& terms) const override;
  void kick(double h, Terms& terms) const override;
  void take_nodes(const Terms& terms, double* q, double* v) const override;
  double kinetic_energy(const double* q, const double* v) const override;
  double constraint_error(const double* q) const override;
  double bar_length_error(const double* q) const override;
  void bar_forces(const Terms& terms, double* forces) const override;
  void support_forces(const Terms& terms, const double* v_rate, double* forces) const override;
  std::unique_ptr<Tangent> make_tangent(const Cables& cables) const override;
  SparseMatrix mass_matrix(const double* q) const override;
  Eigen::VectorXd velocity_forces(const double* q, const double* v) const override;
  SparseMatrix constraint_jacobian(const double* q) const override;
  Eigen::VectorXd constraint_values(const double* q) const override;
  Eigen::VectorXd constraint_bias(const double* q, const double* v) const override;
  SparseMatrix node_map(const double* q) const override;

  const Rods& rods() const { return rods_; }

 private:
  // Adds what the supports of a rod need to the accelerations: solves for their multipliers.
  void hold(const Rod& rod, const double* q, const double* v, const DriftGains& gains, double* v_rate,
            double* multiplier) const;
  double support_value(const Support& support, const double* q) const;

  const Model* model_;
  Rods rods_;
  int rank_ = 0;  // of the supports at the start
  bool can_leap_ = true;
};

}  // namespace taut
