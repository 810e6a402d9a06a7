// Balance of a structure whose tensions are free to choose, as equations for quadratic programs: positions x, tensions
// T of cables and elastic bars, multipliers μ of bars and linear constraints,
//
//   r = w + A(x) T - G(x)ᵀμ,      w weight and loads, A the directions of the members,
//
// and wanted tensions, linear in T: those given, and cables that are held at a tension. Scaled by a mean member length
// and a mean wanted force.
#pragma once

#include "taut/equilibrium/static_forces.h"
#include "taut/solve/qp/equality_qp.h"

namespace taut {

// Weight of forces, and of nodes that follow others, against that of distances.
inline constexpr double faint_weight = 1e-8;

struct Candidate {
  Eigen::VectorXd x;           // m, 3 per node
  Eigen::VectorXd tension;     // N, per member of ForceBalance::slots()
  Eigen::VectorXd multiplier;  // N/m, per constraint
};

class ForceBalance {
 public:
  // Nodes that are `derived` from others do not count in distances.
  ForceBalance(const Model& model, const std::vector<WantedTension>& wanted, const std::vector<char>& derived);

  StaticForces& statics() { return statics_; }
  const Cables& cables() const { return statics_.cables(); }
  const std::vector<int>& slots() const { return slots_; }  // of Cables: the members that carry a tension
  int column_of_cable(int cable) const { return column_of_slot_[cables().slot_of_cable(cable)]; }
  int unknowns() const { return static_cast<int>(statics_.unknowns().size()); }
  double length() const { return length_; }  // scales, m and N
  double force() const { return force_; }

  // Cables whose tension is held at a value, N, like a wanted tension, from now on; none: an empty list.
  void hold(const std::vector<int>& cables_to_hold, double tension);
  // ν of those cables in a step: where it is positive, more tension would bring the shape nearer.
  Eigen::VectorXd held_multipliers(const EqualityQpSolution& step) const { return step.multiplier.tail(held_.size()); }

  // r over the force scale, on the free coordinates.
  Eigen::VectorXd imbalance(const Candidate& at);

  // The forces that balance a shape best: min |r|², wanted tensions kept.
  Candidate best_forces(const Eigen::VectorXd& x);

  // One step towards the nearest equilibrium to `start`: the program of prestress.h.
  EqualityQpSolution nearer(const Candidate& at, const Eigen::VectorXd& start);
  double tension_after(const EqualityQpSolution& step, int cable) const {
    return force_ * step.z[unknowns() + column_of_cable(cable)];
  }
  // A part of that step, put back on the constraints; false if that cannot be.
  bool take(const Candidate& at, const EqualityQpSolution& step, double part, Candidate& there);

  double distance_square(const Eigen::VectorXd& x, const Eigen::VectorXd& start) const;  // over the length scale

  // Parts of programs. G is that of the shape of the last refresh(); columns of T begin at `first`, those of μ follow.
  void refresh(const Eigen::VectorXd& x);
  // Of forces, in the rows of balance.
  void add_forces(const Eigen::VectorXd& x, int first, EqualityQp& qp) const;
  // Of moves δx, which begin at `first`: in the rows of balance, and in rows of constraints from `row` on.
  void add_geometric_stiffness(const Candidate& at, int first, EqualityQp& qp) const;
  void add_constraints(int first, int row, EqualityQp& qp) const;
  // Rows of wanted tensions, and of held cables after them: held_multipliers() counts on it.
  void add_wanted_tensions(int first, EqualityQp& qp, std::vector<double>& right) const;
  void add_held(int first, EqualityQp& qp, std::vector<double>& right) const;
  double weight_of(int unknown) const { return derived_[statics_.unknowns()[unknown] / 3] ? faint_weight : 1.0; }
  double load_on(int unknown) const {  // over the force scale
    const int c = statics_.unknowns()[unknown];
    return statics_.external()[c / 3][c % 3] / force_;
  }

 private:
  int forces() const { return static_cast<int>(slots_.size()); }
  int rows() const { return statics_.constraints(); }
  void measure_scales();
  template <typename Add>
  void each_direction(const Eigen::VectorXd& x, const Add& add) const;
  void set_wanted(int first, EqualityQp& qp) const;

  const Model& model_;
  std::vector<WantedTension> wanted_tensions_;
  StaticForces statics_;
  std::vector<char> derived_;
  std::vector<int> slots_, column_of_slot_, unknown_of_;
  std::vector<int> held_;  // cables
  double held_tension_ = 0.0;
  double length_ = 1.0, force_ = 1.0;
  std::vector<double> jacobian_;  // G where it was last asked for
  Candidate wanted_;              // forces that were best for the first shape
};

}  // namespace taut
