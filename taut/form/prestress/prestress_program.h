// One quadratic programme of the prestress of a machine (prestress_machine.h): forces, and small moves where they are
// allowed, from a drawn machine.
#pragma once

#include <optional>
#include <vector>

#include "taut/statics/machine/machine_rows.h"

namespace taut {

// A drawn machine with all that a programme asks of it.
struct MachinePose {
  explicit MachinePose(Model drawn);
  MachinePose(const MachinePose&) = delete;
  MachinePose& operator=(const MachinePose&) = delete;

  Model model;
  MachineForces forces;
  MachineNet net;
  MachineRows rows;
  Eigen::VectorXd x;  // of the nodes, 3 each

  const std::vector<MachineMember>& members() const { return rows.members(); }
  double mean_length() const;  // m, of bars and cables
};

// What to carry. Lists per member of machine_rows.h.
struct ForceWishes {
  double force = 1.0;                 // N, what forces are measured by
  Eigen::VectorXd near;               // N, of the drawn shape
  std::vector<char> given;            // the force is as the laws have it: reactions, springs, undriven drives
  Eigen::VectorXd least;              // N; -infinity: none
  std::vector<int> cable;             // number of the cable, pulleys counted on; -1: none
  std::vector<WantedTension> wanted;  // by member
  std::vector<int> mean;              // members whose mean stays near, without wanted tensions
  Eigen::VectorXd start;              // x₀
};

// Throws InputError when all wanted tensions are 0, or no cable carries anything and none are wanted.
ForceWishes wishes_of(const MachinePose& pose, double least_tension);

// The drive of the model that turns this member's joint by a torque; none: null.
JointDrive* torque_drive(const MachinePose& pose, const MachineMember& member, Model& model);

struct ForceProgramme {
  bool moves = false, slack = false;
  bool keeps_mean = false;  // without wanted tensions: their mean is that of the drawn shape
  double reach = 0.1;       // of the typical length: the largest step along any way
};

struct ForceStep {
  Eigen::VectorXd y;         // along the allowed ways, m
  Eigen::VectorXd t;         // per member, N
  std::vector<int> binding;  // cables at the least tension, ascending
  double left = 0.0;         // with slack: the largest net force that stays, over `force`
  double price = 0.0;        // the largest multiplier of the balance
};

// Nothing where what is wanted contradicts itself.
std::optional<ForceStep> solve_forces(MachinePose& pose, const ForceWishes& wishes, const ForceProgramme& how);

}  // namespace taut
