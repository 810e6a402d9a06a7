// Near-rigid control of mechanisms whose cables stretch (seed 000, 3.2 and 5.4). At an instant the strains ε of the
// cables are taken as not accelerating, and the torques that their expected changes Δε would make fill the equations of
// motion; the changes are bounded, so that every cable stays taut. With v̇ = G ÿ + g (independent.h), targets J v̇ + j =
// a and P = ∂(internal torques)/∂ε:
//
//   ÿ = ÿ₀ + Z z           all ÿ with  J (G ÿ + g) + j = a  and  ε̈ = 0;  z: the free accelerations, in a basis Z that
//   is
//                          orthonormal, so that none of them has to be chosen
//   minimise ½ |u|²        subject to   Gᵀ B u + Gᵀ P Δε - M̃ Z z = Gᵀ (H (G ÿ₀ + g) - (τ - C)),   M̃ = Gᵀ H G
//                          ε_min ≤ ε + Δε ≤ ε_max,   u_min ≤ u ≤ u_max                       (3.2.5-8), (5.4.2-4)
//
// P has the sign of torques on the joints, -A_s of the print. Dense; n degrees of freedom, O(n³) once per instant.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "taut/control/qp.h"
#include "taut/formulation/multibody/independent.h"

namespace taut {

struct NearRigidTask {
  // A velocity of the tree, or a coordinate of a point.
  struct Target {
    int velocity = -1;
    int point = -1, axis = 0;
  };
  std::vector<Target> targets;                        // whose accelerations are given
  std::vector<int> inputs;                            // velocities that torques act on
  std::vector<int> strains;                           // velocities of the cables' strains
  Eigen::VectorXd least_strain, most_strain;          // per cable
  Eigen::VectorXd least_input, most_input;            // N m, per input
  std::vector<std::string> input_names, cable_names;  // for messages
};

struct NearRigidCommand {
  Eigen::VectorXd input;   // u, N m
  Eigen::VectorXd change;  // Δε
  std::string problem;     // what is in the way; empty: nothing
};

class NearRigid {
 public:
  NearRigid(const multibody::System& system, NearRigidTask task);

  const NearRigidTask& task() const { return task_; }

  // Positions and velocities of the targets at the placed links.
  Eigen::VectorXd position(const double* q, const multibody::SystemTerms& terms) const;
  Eigen::VectorXd velocity(const double* v, const multibody::SystemTerms& terms) const;

  // At the placed links, with the weight and the forces on points, for these accelerations of the targets.
  const NearRigidCommand& command(const double* q, const double* v, multibody::SystemTerms& terms,
                                  const Eigen::VectorXd& accelerations);

 private:
  void fill_targets(multibody::SystemTerms& terms);
  void fill_stiffness(const double* q);

  const multibody::System* system_;
  NearRigidTask task_;
  multibody::Independent independent_;
  std::vector<int> strain_coordinate_;  // of q
  Eigen::VectorXd unit_;                // Δε that changes a tension by 1 N
  Eigen::MatrixXd J_, P_;
  Eigen::VectorXd j_;
  Qp qp_;
  QpWorkspace workspace_;
  QpSolution solution_;
  QpNames names_;
  NearRigidCommand command_;
};

}  // namespace taut
