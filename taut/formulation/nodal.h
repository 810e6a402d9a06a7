// `nodal`: coordinates are the node positions, bars keep their length by multipliers (seed 003, Cheong–Skelton form).
//
//   M ẍ = f + Gᵀλ,  per bar: b·(ẍ_b - ẍ_a) = -|ḃ|²,  linear constraints: Σ c ẍ = 0.
//
// A rigid bar of mass m, centre fraction σ and transverse inertia J has the constant mass matrix
//   m_aa = m(1-σ)² + J/L²,  m_ab = mσ(1-σ) - J/L²,  m_bb = mσ² + J/L²     (uniform: m/3, m/6, m/3).
// A rigid body has M_ij = ∫ β_i β_j dm on its nodes (model/body_mass.h) and keeps their distances (rigid_groups.h).
// Nodes fall into three kinds: free of any bar (inverse mass), ends of a lone bar (closed form, lone_bar.h) and
// the coupled rest (shared nodes, linear constraints, consistent masses), solved by one sparse factorisation.
#pragma once

#include "taut/formulation/formulation.h"
#include "taut/formulation/lone_bar.h"
#include "taut/formulation/rigid_groups.h"

namespace taut {

class Nodal : public Formulation {
 public:
  explicit Nodal(const Model& model);  // throws InputError

  std::string_view name() const override { return "nodal"; }
  int constraints() const override;
  int redundant_constraints() const override;
  int degrees_of_freedom() const override;
  std::vector<std::string> state_names() const override;
  State start() const override;
  Terms make_terms() const override;
  void place_nodes(const double* q, const double* v, Terms& terms) const override;
  void coordinate_rates(const double* q, const double* v, double* q_rate) const override;
  void accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                  double* v_rate) const override;
  double project(double* q, double* v, Terms& terms) const override;
  bool can_leap() const override { return true; }
  void leap(double h, Terms& terms) const override;
  void kick(double h, Terms& terms) const override;
  void take_nodes(const Terms& terms, double* q, double* v) const override;
  double kinetic_energy(const double* q, const double* v) const override;
  double constraint_error(const double* q) const override;
  double bar_length_error(const double* q) const override;
  void bar_forces(const Terms& terms, double* forces) const override;
  std::vector<char> linear_rows() const;  // of constraint_jacobian(): which of them are constant
  // Multipliers λ of the rows of constraint_jacobian(), from wherever, for bar_forces(): Gᵀλ acts on the nodes.
  void take_multipliers(const double* rows, Terms& terms) const;
  void support_forces(const Terms& terms, const double* v_rate, double* forces) const override;
  std::unique_ptr<Tangent> make_tangent(const Cables& cables) const override;
  SparseMatrix mass_matrix(const double* q) const override;
  SparseMatrix constraint_jacobian(const double* q) const override;
  Eigen::VectorXd constraint_values(const double* q) const override;
  Eigen::VectorXd constraint_bias(const double* q, const double* v) const override;
  SparseMatrix node_map(const double* q) const override;

 private:
  friend class NodalTangent;

  // A node that no bar holds: inverse mass per axis.
  struct LoneNode {
    int node;
    Vec4 inverse;
  };
  // One scalar row of a linear constraint.
  struct LinearRow {
    std::vector<std::pair<int, double>> terms;  // coordinate index (3 node + axis), coefficient
    double value;
    int rigid_group = -1;  // where it belongs to one
  };
  // A distance that is kept: a bar of the model, or one inside a rigid group (then `bar` counts on after the model's).
  struct RigidBar {
    int a, b, bar;
    double length;
  };
  struct MassPair {
    int a, b;
    double mass;
  };

  void assemble_mass();
  void add_body(const Body& body);
  void carry_attached(const Bar& bar, double* v) const;
  void collect_constraints();
  void split_into_kinds();
  void add_lone_bar(const RigidBar& bar, double pair_mass);
  void build_group(const std::vector<char>& node_in_group, const std::vector<RigidBar>& bars);
  [[noreturn]] void refuse_singular(int bar) const;

  // The coupled part: right sides and corrections. Positions come with stride 3 (coordinates) or 4 (node arrays).
  static int place(int coordinate, int stride) { return stride == 3 ? coordinate : coordinate + coordinate / 3; }
  void group_jacobian(const double* x, int stride, Terms& terms) const;
  void group_residual(const double* x, int stride, double* rows) const;
  double group_error(const double* rows, const Terms& terms) const;
  double coordinate_rounding(const double* x, int stride) const;
  double project_group(double* q, double* v, Terms& terms) const;
  void leap_group(double h, Terms& terms) const;
  void rigid_group_forces(const RigidGroup& group, const Terms& terms, double* forces) const;
  double lever_force(const Bar& bar, const RigidGroup& group, const Eigen::VectorXd& total, const Terms& terms) const;

  const Model* model_;
  std::vector<double> node_mass_;         // diagonal of M
  std::vector<MassPair> mass_pairs_;      // off the diagonal
  std::vector<RigidBar> model_bars_;      // every rigid bar of the model
  std::vector<RigidBar> rigid_;           // the distances that constrain
  std::vector<RigidBar> body_distances_;  // of them, those inside bodies
  std::vector<LinearRow> linear_;
  std::vector<RigidGroup> rigid_groups_;
  int distances_ = 0;  // of the model's bars and inside rigid groups

  std::vector<int> still_;  // fixed coordinates
  std::vector<LoneNode, AlignedAllocator<LoneNode>> lone_nodes_;
  std::vector<LoneBar<double>> free_bars_;
  std::vector<LoneBar<Vec4>, AlignedAllocator<LoneBar<Vec4>>> guided_bars_;

  // The coupled group: coordinate of every unknown, its bars and linear rows (in this order as constraints).
  std::vector<int> unknowns_;
  std::vector<RigidBar> group_bars_;
  std::vector<LinearRow> group_rows_;
  std::vector<int> row_in_group_;                  // of every linear row; -1: it binds nothing that moves
  std::vector<SparseEntry> group_entries_;         // pattern of G: constraint, unknown, coefficient sign or value
  std::vector<std::pair<int, int>> entry_source_;  // bars: (bar in group, axis); linear rows: (-1, 0)
  Saddle saddle_;
  int left_out_ = 0;  // constraints that the elimination finds dependent at the start
};

}  // namespace taut
