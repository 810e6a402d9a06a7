// `multibody`: coordinates of a tree of joints, loops closed by multipliers (Lieskovský 2022; Arsenault and Gosselin
// 2005). The formulation's form of what system.h does:
//
//   q, v      coordinates and velocities of the tree's joints, in the order of the tree;   q̇ = N(q) v
//   M         H;    h: torques of springs, dampers, cables and drives, weight of the bodies, velocity forces
//   G, γ      the rows K, k of the loops, then a row for every imposed velocity: its v̇ is γ, its torque the multiplier
//   nodes     the points of the machine, one for each node of the model
//
// Weight: Dynamics puts what node_masses() gives each node on the nodes as forces. Bodies whose mass is in there have
// `weighs` = false, all others `weighs` = true and weigh by themselves; gravity is the machine's.
// Time, for imposed motions and torques, is terms.time. accelerate() adds the power of the joints' dampers, drives and
// cables to terms.dissipated_power and terms.work_power.
#pragma once

#include "taut/formulation/formulation.h"
#include "taut/formulation/multibody/system/system.h"

namespace taut {

// The body that stands for a rigid bar of the model, and where the bar's ends are in its frame; or the distance that
// stands for one without mass.
struct BarOnBody {
  int body = multibody::ground;
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();
  int distance = -1;
};

// Which joints of the machine are the joints and pulleys of the model, which hold a fixed node (joint, node) to the
// ground, and which of its bodies the posed carriers are, for results.
struct ModelJoints {
  std::vector<int> joints, pulleys;
  std::vector<std::pair<int, int>> supports{};
  std::vector<int> posed{};
};

class Multibody final : public Formulation, public JointSide {
 public:
  // The nodes of the model are the machine's points in the same order. bars: one for each bar of the model (those of
  // elastic bars are not looked at). Throws InputError: what System does, numbers that do not fit, a cable joint that
  // would close a loop.
  Multibody(multibody::Machine machine, const Model& model, std::vector<BarOnBody> bars = {}, ModelJoints joints = {});

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
  // By the law of the lever: tension is what pulls on the bar's end a, where all that acts on its body counts by its
  // place along the bar.
  void bar_forces(const Terms& terms, double* forces) const override;
  // Of nodes on the ground, with what the joints there carry, and of nodes held along an axis by a sum of their own.
  void support_forces(const Terms& terms, const double* v_rate, double* forces) const override;
  std::unique_ptr<Tangent> make_tangent(const Cables& cables) const override;
  SeamMatrices matrices(const double* q, const double* v, const MatrixChoice& wanted, double t = 0.0) const override;
  const JointSide* joints() const override { return this; }

  JointIndices joint_indices(int joint) const override { return indices_of(joints_.joints[joint]); }
  JointIndices pulley_indices(int pulley) const override { return indices_of(joints_.pulleys[pulley]); }
  void joint_values(const double* q, const double* v, const Terms& terms, double* values) const override;
  void body_poses(const Terms& terms, double* poses) const override;
  JointEnergy joint_energy(const Terms& terms) const override;
  void joint_cables(const double* q, const double* v, JointCable* cables) const override;
  JointCableLength cable_length(int pulley, const double* q, const double* v) const override;
  std::string open_loop(const double* q, double t) const override;
  const multibody::System& system() const override { return system_; }
  multibody::SystemTerms& load(Terms& terms) const override;

 private:
  friend class MultibodyTangent;

  // The scratch in Terms.
  static multibody::SystemTerms& own(Terms& terms) { return std::any_cast<multibody::SystemTerms&>(terms.own); }
  static const multibody::SystemTerms& own(const Terms& terms) {
    return std::any_cast<const multibody::SystemTerms&>(terms.own);
  }
  JointIndices indices_of(int joint) const;
  void fill_facts();
  void fill_mass(const multibody::SystemTerms& terms, SeamMatrices& matrices) const;
  void fill_jacobian(const multibody::SystemTerms& terms, SeamMatrices& matrices) const;
  void fill_node_map(const multibody::SystemTerms& terms, SeamMatrices& matrices) const;
  Vec3 carried_from_ground(int joint, const multibody::SystemTerms& last, const multibody::TreeTerms& terms) const;
  void add_loop_forces(const multibody::SystemTerms& last, multibody::TreeTerms& terms) const;
  // Terms of their own at a position, for what is asked now and then.
  multibody::SystemTerms placed(const double* q, const double* v) const;

  const Model* model_;
  multibody::System system_;
  std::vector<BarOnBody> bars_;  // ends in the frames of links
  std::vector<int> imposed_;     // velocities
  ModelJoints joints_;
  std::vector<int> link_of_joint_, loop_of_joint_;  // of the machine's joints; -1: it is the other one
};

}  // namespace taut
