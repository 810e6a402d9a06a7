// `multibody`: coordinates of a tree of joints, loops closed by multipliers (seeds 000 and 002). The formulation's form
// of what system.h does:
//
//   q, v      coordinates and velocities of the tree's joints, in the order of the tree;   q̇ = N(q) v
//   M         H;    h: torques of springs, dampers, cables and drives, weight of the bodies, velocity forces
//   G, γ      the rows K, k of the loops, then a row for every imposed velocity: its v̇ is γ, its torque the multiplier
//   nodes     the points of the mechanism, one for each node of the model
//
// Weight: Dynamics puts what node_masses() gives each node on the nodes as forces. Bodies whose mass is in there have
// `weighs` = false, all others `weighs` = true and weigh by themselves; gravity is the mechanism's.
// Time, for imposed motions and torques, is terms.time. accelerate() adds the power of the joints' dampers, drives and
// cables to terms.dissipated_power and terms.work_power.
#pragma once

#include "taut/formulation/formulation.h"
#include "taut/formulation/multibody/stabilise.h"

namespace taut {

// The body that stands for a rigid bar of the model, and where the bar's ends are in its frame; or the distance that
// stands for one without mass.
struct BarOnBody {
  int body = multibody::ground;
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();
  int distance = -1;
};

// Which joints of the mechanism are the joints and pulleys of the model, and which hold a fixed node (joint, node) to
// the ground, for results.
struct ModelJoints {
  std::vector<int> joints, pulleys;
  std::vector<std::pair<int, int>> supports{};
};

class Multibody : public Formulation {
 public:
  // The nodes of the model are the mechanism's points in the same order. bars: one for each bar of the model (those of
  // elastic bars are not looked at). Throws InputError: what System does, numbers that do not fit, a cable joint that
  // would close a loop.
  Multibody(multibody::Mechanism mechanism, const Model& model, std::vector<BarOnBody> bars = {},
            ModelJoints joints = {});

  const multibody::System& system() const { return system_; }
  // The loop that is furthest open at t, as joint "knee", or nothing where all are closed.
  std::string open_loop(const double* q, double t) const;

  // The first velocity of the tree that a joint or a pulley's cable of the model has; -1: it closes a loop.
  int velocity_of_joint(int joint) const { return first_velocity(joints_.joints[joint]); }
  int velocity_of_pulley(int pulley) const { return first_velocity(joints_.pulleys[pulley]); }

  // The first part of accelerate(): drives at terms.time, weight and terms.force on the placed links.
  void load(Terms& terms) const;

  std::string_view name() const override { return "multibody"; }
  int constraints() const override { return system_.loops.rows + static_cast<int>(imposed_.size()); }
  int redundant_constraints() const override { return system_.redundant; }
  int degrees_of_freedom() const override { return system_.degrees_of_freedom; }
  std::vector<std::string> state_names() const override;
  State start() const override;
  Terms make_terms() const override;
  void place_nodes(const double* q, const double* v, Terms& terms) const override;
  void coordinate_rates(const double* q, const double* v, double* q_rate) const override;
  void accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                  double* v_rate) const override;
  double project(double* q, double* v, Terms& terms) const override;
  double kinetic_energy(const double* q, const double* v) const override;
  bool weighs_itself() const override { return is_mechanism(*model_); }
  OwnEnergy own_energy(const Terms& terms) const override;
  void joint_values(const double* q, const double* v, const Terms& terms, double* values) const override;
  void joint_cables(const double* q, const double* v, JointCable* cables) const override;
  double constraint_error(const double* q) const override;
  double bar_length_error(const double* q) const override;
  // By the law of the lever: tension is what pulls on the bar's end a, where all that acts on its body counts by its
  // place along the bar.
  void bar_forces(const Terms& terms, double* forces) const override;
  // Of nodes on the ground, with what the joints there carry, and of nodes held along an axis by a sum of their own.
  void support_forces(const Terms& terms, const double* v_rate, double* forces) const override;
  std::unique_ptr<Tangent> make_tangent(const Cables& cables) const override;
  SparseMatrix mass_matrix(const double* q) const override;
  Eigen::VectorXd velocity_forces(const double* q, const double* v) const override;  // at t = 0
  SparseMatrix constraint_jacobian(const double* q) const override;
  Eigen::VectorXd constraint_values(const double* q) const override;                 // at t = 0
  Eigen::VectorXd constraint_bias(const double* q, const double* v) const override;  // at t = 0
  SparseMatrix node_map(const double* q) const override;

 private:
  friend class MultibodyTangent;

  int first_velocity(int joint) const {
    return link_of_joint_[joint] < 0 ? -1 : system_.tree.links[link_of_joint_[joint]].v;
  }
  Vec3 carried_from_ground(int joint, const multibody::SystemTerms& last, const multibody::TreeTerms& terms) const;
  void add_loop_forces(const multibody::SystemTerms& last, multibody::TreeTerms& terms) const;
  // Terms of their own at a position, for what is asked now and then.
  multibody::SystemTerms placed(const double* q, const double* v) const;

  const Model* model_;
  multibody::System system_;
  std::vector<BarOnBody> bars_;  // ends in the frames of links
  std::vector<int> imposed_;     // velocities
  ModelJoints joints_;
  std::vector<int> link_of_joint_, loop_of_joint_;  // of the mechanism's joints; -1: it is the other one
};

}  // namespace taut
