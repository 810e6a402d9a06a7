// A formulation of rods that share no node (rods.h), in the turning coordinates of a Chart (polar_chart.h,
// quaternion_chart.h). Per rod q = (c, turning coordinates), v = (ċ, turning velocities w); M is block-diagonal, so
// every rod is solved by itself:
//
//   m c̈ = F + Σ λ e_k,   W ẇ = Tᵀ(g + Σ s λ e_k) + h,   supports:  c̈_k + s (T ẇ + t)_k = 0.
#pragma once

#include "taut/formulation/formulation.h"
#include "taut/formulation/rods/rods.h"

namespace taut {

template <class Chart>
class RodFormulation final : public Formulation, private Leapfrog {
 public:
  static constexpr int rod_nq = 3 + Chart::nq, rod_nv = 3 + Chart::nv;

  explicit RodFormulation(const Model& model);  // throws InputError

  State start() const override;
  Terms make_terms() const override;
  void place_nodes(const double* q, const double* v, Terms& terms) const override;
  void coordinate_rates(const double* q, const double* v, double* q_rate) const override;
  void accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                  double* v_rate) const override;
  void node_accelerations(const double* q, const double* v, const double* v_rate, Terms& terms,
                          double* a) const override;
  double project(double* q, double* v, Terms& terms) const override;
  bool rechart(double* q, double* v, Terms& terms) const override;
  double kinetic_energy(const double* q, const double* v, double t = 0.0) const override;
  ConstraintErrors constraint_errors(const double* q, double t = 0.0) const override;
  void bar_forces(const Terms& terms, double* forces) const override;
  void support_forces(const Terms& terms, const double* v_rate, double* forces) const override;
  std::unique_ptr<Tangent> make_tangent(const Cables& cables) const override;
  SeamMatrices matrices(const double* q, const double* v, const MatrixChoice& wanted, double t = 0.0) const override;
  const Leapfrog* leapfrog() const override { return can_leap_ ? this : nullptr; }

  const Rods& rods() const { return rods_; }    // at the start
  const Rods& rods(const Terms& terms) const {  // at the time of the terms' last evaluation
    return rods_.driven.empty() ? rods_ : std::any_cast<const Scratch&>(terms.own).now;
  }

 private:
  using Velocity = Eigen::Matrix<double, Chart::nv, 1>;

  void leap(double h, Terms& terms) const override;
  void kick(double h, Terms& terms) const override;
  void press(const RigidGround& ground, double h, bool moves, Terms& terms) const override;
  void take_nodes(const Terms& terms, double* q, double* v) const override;
  double drive_power(Terms& terms) const override;

  // Scratch in Terms: per bar of the model, N/m, the bar pushes its ends apart by push · b; the rods at a time, where
  // some are driven.
  struct Scratch {
    AlignedDoubles push;
    Rods now;
    double at = 0.0;  // s
  };

  // Adds what the supports of a rod need to the accelerations: solves for their multipliers.
  void hold(const Rods& rods, const Rod& rod, const double* q, const double* v, const DriftGains& gains, double* v_rate,
            double* multiplier) const;
  static double support_value(const Support& support, const double* q);
  static Vec3 axis_rate(const Rod& rod, const double* q, const double* v);
  static Vec3 axis_bias(const Rod& rod, const double* q, const double* v);
  static double axial_push(const Rod& rod, const Vec3& fa, const Vec3& centre, const Terms& terms);
  double project_position(const Rods& rods, const Rod& rod, double* q, int corrections) const;
  void project_velocity(const Rods& rods, const Rod& rod, const double* q, double* v) const;
  void fill_facts(int rank);
  static AlignedDoubles& push(Terms& terms) { return std::any_cast<Scratch&>(terms.own).push; }
  // The rods at terms.time, and at any time, where need be in the room given.
  const Rods& now(Terms& terms) const;
  const Rods& rods_at(double t, Rods& room) const;

  const Model* model_;
  Rods rods_;
  std::vector<int> rod_of_node_;  // -1 for none
  bool can_leap_ = true;          // nothing is held and nothing spins
};

}  // namespace taut
