// `nodal`: coordinates are the node positions, bars keep their length by multipliers (Fadeyev et al. 2019,
// Cheong–Skelton form).
//
//   M ẍ = f + Gᵀλ,  per bar: b·(ẍ_b - ẍ_a) = -|ḃ|²,  linear constraints: Σ c ẍ = 0.
//
// A rigid bar of mass m, centre fraction σ and transverse inertia J has the constant mass matrix
//   m_aa = m(1-σ)² + J/L²,  m_ab = mσ(1-σ) - J/L²,  m_bb = mσ² + J/L²     (uniform: m/3, m/6, m/3).
// A rigid body has M_ij = ∫ β_i β_j dm on its nodes (model/body_mass.h) and keeps their distances (rigid_groups.h).
// A bar whose length is driven (driven_length.h) has the same M and the rows b·ẋ = L L̇, b·b̈ = L̇² + L L̈ - |ḃ|²; it is
// among the coupled ones.
// Nodes fall into three kinds: free of any bar (inverse mass), ends of a lone bar (closed form, lone_bar.h) and
// the coupled rest (shared nodes, linear constraints, consistent masses), solved by one sparse factorisation.
#pragma once

#include "taut/formulation/driven_length.h"
#include "taut/formulation/formulation.h"
#include "taut/formulation/nodal/lone_bar.h"
#include "taut/formulation/nodal/rigid_groups.h"
#include "taut/solve/sparse/saddle.h"

namespace taut {

struct NodalParts;
struct HardMove;

class Nodal : public Formulation, private Leapfrog {
 public:
  explicit Nodal(const Model& model);  // throws InputError

  State start() const override;
  Terms make_terms() const override;
  void place_nodes(const double* q, const double* v, Terms& terms) const override;
  void coordinate_rates(const double* q, const double* v, double* q_rate) const override;
  void accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                  double* v_rate) const override;
  void node_accelerations(const double* q, const double* v, const double* v_rate, Terms& terms,
                          double* a) const override;
  double project(double* q, double* v, Terms& terms) const override;
  double kinetic_energy(const double* q, const double* v, double t = 0.0) const override;
  ConstraintErrors constraint_errors(const double* q, double t = 0.0) const override;
  // terms.lambda may come from wherever: statics set it.
  void bar_forces(const Terms& terms, double* forces) const override;
  void support_forces(const Terms& terms, const double* v_rate, double* forces) const override;
  std::unique_ptr<Tangent> make_tangent(const Cables& cables) const override;
  SeamMatrices matrices(const double* q, const double* v, const MatrixChoice& wanted, double t = 0.0) const override;
  const Leapfrog* leapfrog() const override { return this; }
  void fill_parts(NodalParts& parts) const;  // nodal_parts.h

 private:
  friend class NodalTangent;

  void leap(double h, Terms& terms) const override;
  void kick(double h, Terms& terms) const override;
  void press(const RigidGround& ground, double h, bool moves, Terms& terms) const override;
  void take_nodes(const Terms& terms, double* q, double* v) const override;
  double drive_power(Terms& terms) const override;

  // Of hard contact of the coupled part: its touches, by index in the list; free velocities of the unknowns and, behind
  // them, those with contact; their answers to unit impulses and the blocks A_kl; impulses and velocities of the touches
  // in their frames; the largest speed, m/s.
  struct GroupPress {
    std::vector<int> touches;
    std::vector<double> free, columns, blocks;
    std::vector<RigidPoint<double>> points;
    std::vector<Triple<double>> at, p, last, room, p0, v0;
    double speed = 0.0;
    bool bounces = false;
  };
  // Scratch in Terms, of the coupled part: right side and solution, scratch, values of G, factors; the lengths of its
  // bars at a time.
  struct Coupled {
    AlignedDoubles rhs, scratch, jacobian;
    SaddleFactor factor;
    std::vector<BarLength> lengths;
    double lengths_at = 0.0;  // s
    GroupPress press;
  };
  static Coupled& coupled(Terms& terms) { return std::any_cast<Coupled&>(terms.own); }
  static const Coupled& coupled(const Terms& terms) { return std::any_cast<const Coupled&>(terms.own); }

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
    int row = -1;          // of G
  };
  // A distance that is kept: a bar of the model, or one inside a rigid group (then `bar` is -1).
  struct RigidBar {
    int a, b, bar;
    double length;  // at the start
    int row = -1;   // of G
    int drive = -1;
  };
  struct MassPair {
    int a, b;
    double mass;
  };

  void fill_facts();
  int count_redundant(int free) const;  // with so many free coordinates
  void assemble_mass();
  void add_body(const Body& body);
  void carry_attached(const Bar& bar, double* v) const;
  void stretch_driven(State& state) const;
  void refuse_driven(const RigidGroup& group) const;
  void collect_constraints();
  void constrain_base(const RigidGroup& group);
  void constrain_followers(const RigidGroup& group);
  struct Coupling;
  Coupling find_coupling() const;
  std::vector<char> find_lone(Coupling& coupling);
  void split_into_kinds();
  void add_lone_node(int node);
  void add_lone_bar(const RigidBar& bar, double pair_mass);
  std::vector<int> number_unknowns(const std::vector<char>& node_in_group);
  int collect_group_rows(const std::vector<int>& unknown_of);
  void build_group(const std::vector<char>& node_in_group, const std::vector<RigidBar>& bars);
  [[noreturn]] void refuse_singular(int bar) const;

  // The coupled part: right sides and corrections. Positions come with stride 3 (coordinates) or 4 (node arrays).
  BarLength length_of(const RigidBar& bar, double t) const {
    return bar.drive < 0 ? BarLength{bar.length} : driven_length(*model_, model_->bar_drives[bar.drive], t);
  }
  void set_lengths(double t, Coupled& coupled) const;
  Coupled& factorise_group(Terms& terms) const;
  void solve_group(const DriftGains& gains, Terms& terms) const;
  double group_drive_power(const Terms& terms) const;
  static int place(int coordinate, int stride) { return stride == 3 ? coordinate : coordinate + coordinate / 3; }
  void group_jacobian(const double* x, int stride, Coupled& coupled) const;
  void group_residual(const double* x, int stride, const Coupled& coupled, double* rows) const;
  double group_error(const double* rows, const Coupled& coupled) const;
  double coordinate_rounding(const double* x, int stride) const;
  double correct_group(double* q, int corrections, Coupled& coupled) const;
  double converge_group(double* q, Coupled& coupled) const;
  void move_group(double* q, Coupled& coupled) const;
  double project_group(double* q, double* v, Terms& terms) const;
  void leap_group(double h, Terms& terms) const;
  void keep_group(double h, Terms& terms) const;
  // Hard contact (nodal_press.cpp).
  struct Home {
    enum Kind { none, node, free_bar, guided_bar, group } kind = none;
    int index = 0;
    bool operator==(const Home&) const = default;
  };
  void find_homes();
  Home home_of(const RigidTouch& touch) const;
  void answer_columns(const RigidTouch& touch, Coupled& own, double* columns) const;
  Triple<double> touch_velocity(const RigidTouch& touch, const double* of_unknowns) const;
  void press_group(const HardMove& move, std::size_t first, std::size_t last, Terms& terms) const;
  double group_work(const HardMove& move, const double* free) const;
  void set_up_group(const HardMove& move, Coupled& own) const;
  void settle_group(const HardMove& move, Coupled& own, Terms& terms) const;
  void fill_mass(SeamMatrices& matrices) const;
  void fill_jacobian(const double* q, SeamMatrices& matrices) const;
  void rigid_group_forces(const RigidGroup& group, const Terms& terms, double* forces) const;
  double lever_force(const Bar& bar, const RigidGroup& group, const Eigen::VectorXd& total, const Terms& terms) const;

  const Model* model_;
  std::vector<double> node_mass_;         // diagonal of M
  std::vector<MassPair> mass_pairs_;      // off the diagonal
  std::vector<RigidBar> model_bars_;      // every rigid bar of the model
  std::vector<RigidBar> rigid_;           // the distances that constrain: the first rows of G
  std::vector<RigidBar> body_distances_;  // of them, those inside bodies
  std::vector<LinearRow> linear_;         // the other rows
  std::vector<RigidGroup> rigid_groups_;

  std::vector<int> still_;  // fixed coordinates
  std::vector<LoneNode, AlignedAllocator<LoneNode>> lone_nodes_;
  std::vector<LoneBar<double>> free_bars_;
  std::vector<LoneBar<Vec4>, AlignedAllocator<LoneBar<Vec4>>> guided_bars_;

  // The coupled group: coordinate of every unknown, its bars and linear rows (in this order as constraints).
  std::vector<int> unknowns_;
  std::vector<RigidBar> group_bars_;
  std::vector<LinearRow> group_rows_;
  std::vector<SparseEntry> group_entries_;         // pattern of G: constraint, unknown, coefficient sign or value
  std::vector<std::pair<int, int>> entry_source_;  // bars: (bar in group, axis); linear rows: (-1, 0)
  Saddle saddle_;
  std::vector<int> driven_;      // of group_bars_
  int left_out_ = 0;             // constraints that the elimination finds dependent at the start
  std::vector<int> unknown_of_;  // per coordinate, -1 for none
  std::vector<Home> homes_;      // per node
};

}  // namespace taut
