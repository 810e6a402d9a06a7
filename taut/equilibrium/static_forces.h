// The forces of a structure at rest at t = 0, as functions of the node positions x (3 per node):
//
//   f(x) = cables + elastic bars + contact + s (weight + loads),   rest lengths L(s) = l_start + s (L0 - l_start),
//
// with the level s = 1 for the model as it is (actuated cables at their rest length at t = 0) and s = 0 for a structure
// without tension and load. Along a constraint g(x) = 0 (bar lengths, linear
// constraints) the net force is
//
//   r = f - Gᵀμ with G r = 0 on the free coordinates: what no bar force and no support can balance;   in equilibrium r
//   = 0.
//
// Its derivative along the constraints is -K, K = -∂f/∂x + Σ μ_k ∂²g_k/∂x².
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/equilibrium/node_balance.h"
#include "taut/equilibrium/parts.h"
#include "taut/formulation/force_tangent.h"

namespace taut {

struct NetForce {
  Eigen::VectorXd net;         // r, N, 3 per node; 0 along fixed axes
  Eigen::VectorXd multiplier;  // μ per constraint
  double largest = 0.0;        // N, of all nodes
  int worst_node = -1;
  double mean = 0.0;      // N, mean absolute member force
  double residual = 0.0;  // largest / mean; where there is hardly any force, over a billionth of stiffness × length
};

// Whether all forces are rounding and nothing else: every cable and elastic bar is strained by less than 1e-10, or
// stretched by less than 1e-13 of the coordinates, and the mean member force and the largest net force (N) are no more
// than that makes. Rounded positions, 1e-16 of the coordinates, are about a millionth of it: less tells neither balance
// nor slackness. `size` is the largest coordinate, m.
bool only_rounding(const Cables& cables, const CableTerms& terms, double size, double mean, double largest);

// Throws InputError for a model with joints or pulleys: equilibria are sought in node coordinates.
void require_structure(const Model& model);

class StaticForces {
 public:
  // Throws InputError when the nodal formulation refuses the model.
  explicit StaticForces(const Model& model);
  ~StaticForces();
  StaticForces(const StaticForces&) = delete;
  StaticForces& operator=(const StaticForces&) = delete;

  const Model& model() const { return at_rest_; }  // without motion and actuators, rest lengths at t = 0
  Eigen::VectorXd start() const;
  void set_level(double s);

  // Other weight and loads per node, N; another rest length of a cable. From now on, at level 1.
  void set_external(const std::vector<Vec3>& external) { external_ = external; }
  void set_rest_length(int cable, double rest_length);

  // f(x), stride 3, with 0 along fixed axes.
  void forces(const Eigen::VectorXd& x, Eigen::VectorXd& f);
  // f on nodes that lie with stride 4, as the formulations want it.
  void forces(const AlignedDoubles& x, AlignedDoubles& f);

  NetForce net_force(const Eigen::VectorXd& x);
  // x back onto the constraints, to the nearest place; false if that cannot be.
  bool project(Eigen::VectorXd& x);
  double constraint_error(const Eigen::VectorXd& x) const;  // m

  // K on the unknowns, on and above the diagonal, entries repeated; x and μ of the last net_force().
  void stiffness(const NetForce& at, std::vector<SparseEntry>& entries);
  // Per node, N/m: no eigenvalue of -∂f/∂x exceeds the largest of these, whatever cables are taut.
  std::vector<double> stiffness_bounds(const NetForce& at) const;
  // A rounding of the positions changes net forces by about this part of the mean member force.
  double rounding(const NetForce& at) const;

  // Free coordinates, and G on them with the positions of the last net_force().
  const std::vector<int>& unknowns() const { return balance_->coordinate_of(); }
  const std::vector<int>& unknown_of() const { return balance_->unknown_of(); }  // of each coordinate; -1: fixed
  const std::vector<SparseEntry>& jacobian_pattern() const { return balance_->pattern(); }
  const std::vector<double>& jacobian_values() const { return balance_->values(); }
  int constraints() const { return balance_->constraints(); }
  // The ends of the distance that a row of G keeps; (-1, -1) for a linear row.
  std::pair<int, int> ends_of_row(int row) const { return balance_->ends_of_row(row); }

  const std::vector<Vec3>& external() const { return external_; }  // weight and loads per node, N
  const Cables& cables() const { return dynamics_->cables(); }
  const CableTerms& cable_terms() const { return terms_.cables; }  // of the last evaluation

 private:
  void place(const Eigen::VectorXd& x);

  Model at_rest_, unit_;  // the model to evaluate; the same with unit node masses and nothing else
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Formulation> unit_formulation_;
  Terms terms_, unit_terms_;
  double level_ = 1.0;
  std::vector<Vec3> external_;
  AlignedDoubles start_length_, full_rest_;  // per slot
  double stiffness_force_ = 0.0;             // mean stiffness × length, N
  double contact_slope_ = 0.0;               // N/m, of what a node can touch
  std::vector<double> rider_share_;          // per node: points beside nodes that touch the ground, as so many nodes

  std::unique_ptr<NodeBalance> balance_;
  std::unique_ptr<ForceTangent> tangent_;
};

}  // namespace taut
