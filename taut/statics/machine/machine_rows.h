// A machine as forces on its joint coordinates. With forces t that are chosen, multipliers λ of its loops, weight and
// loads, what acts on the velocities is
//
//   P(q, t, λ) = A(q) t + Kᵀ(q) λ + Q_e(q),         in balance P = 0.
//
// t holds, one after the other,
//
//   cables, elastic bars        tension T: P = -T ∂l/∂v
//   rigid bars without mass     the same; their lengths are loops
//   cables on pulleys           tension T: P = -T ∂u/∂v, u = l - l₀ the extension; with energy-consistent torques
//                               -T (∂u/∂v - ½ ε ∂l₀/∂v), at the strain of the start
//   springs of joints           torque, over the typical length of the machine, so that it is a force too
//   drives                      of joints with an actuator, a torque or an imposed position: likewise
//
// Springs of joints, and cables between pulleys, that close loops count as given. Cables on pulleys that are rigid carry
// what their drives hold.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/equilibrium/machine/machine_forces.h"

namespace taut {

enum class MachineMemberKind { cable, bar, pulley, spring, drive };

struct MachineMember {
  std::string name;
  MachineMemberKind kind = MachineMemberKind::cable;
  int index = 0;            // of the model's cable, bar or pulley; of the velocity
  double length = 0.0;      // m, at the start; of springs and drives the typical length: torque over force
  bool pulls_only = false;  // a cable that goes slack
  bool keeps = false;       // its length, or its place: rigid bars and drives
  double present = 0.0;     // N, as the laws give it at the start
};

class MachineRows {
 public:
  // At the last net_force() of the forces, which must outlive this.
  explicit MachineRows(MachineForces& forces);

  const std::vector<MachineMember>& members() const { return members_; }
  int inner() const { return static_cast<int>(inner_.size()); }  // loops that are no members
  long columns() const { return static_cast<long>(members_.size() + inner_.size()); }
  const Eigen::VectorXd& present() const { return present_; }  // t and λ at the start

  // P at q, for t and λ one after the other.
  Eigen::VectorXd acting(const Eigen::VectorXd& q, const Eigen::VectorXd& forces, bool external) const;
  // A and Kᵀ at the start, a column each.
  Eigen::MatrixXd columns_at_start() const;
  // Σ k a aᵀ over members with a stiffness, and -∂P/∂v with the forces held: the tangent stiffness is their sum. Without
  // weight and loads: the stiffness by the forces alone.
  Eigen::MatrixXd material_stiffness(const Eigen::MatrixXd& columns, const Eigen::VectorXd& forces) const;
  Eigen::MatrixXd geometric_stiffness(const Eigen::VectorXd& forces, bool external) const;
  // k of a member that carries this force, N/m.
  double slope(const MachineMember& member, double force) const;
  // Axial forces of all bars, N.
  std::vector<double> bar_forces(const Eigen::VectorXd& forces) const;

 private:
  void add_node_members();
  void add_joint_members();
  void add_tensions(const Eigen::VectorXd& forces, const std::vector<Vec3>& at, std::vector<Vec3>& on_nodes) const;
  Eigen::VectorXd multipliers(const Eigen::VectorXd& forces) const;
  std::vector<Vec3> start_positions() const;
  double length_of(const std::vector<int>& path) const;
  Eigen::VectorXd pull(const MachineMember& pulley, const double* q) const;  // ∂u/∂v of its joint, nv long

  MachineForces& forces_;
  const Model& model_;
  const multibody::System& s_;
  Eigen::VectorXd q_;
  std::vector<MachineMember> members_;
  std::vector<int> row_of_;  // of a rigid bar without mass: its row of the loops
  std::vector<int> inner_;   // rows of the loops
  std::vector<int> link_of_pulley_;
  std::vector<double> strain_;  // of the pulleys' cables at the start
  std::vector<multibody::JointTorque> loop_torque_;
  Eigen::VectorXd present_;
};

}  // namespace taut
