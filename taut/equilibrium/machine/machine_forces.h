// The forces of a machine at rest at t = 0, as functions of its joint coordinates q. On the velocities v (motions δ with
// q ⊕ δ) act
//
//   Q(q) = Xᵀf + torques of joints + weight,    and the loops, K δ = 0, by Kᵀλ;    imposed joints stand where t = 0 has
//   them.
//
// Torques (N m), forces (N) and strains become comparable as ways: δ_c makes the way w_c δ_c, w the speed of the body
// beyond joint c at unit velocity, angles times the typical length of the machine. Along orthonormal ways Z that the loops
// allow, K W⁻¹ Z = 0, B = W⁻¹ Z,
//
//   r = Bᵀ Q        the net force, N: what no force of a joint, a loop or a drive can balance; in equilibrium r = 0
//   S = Bᵀ K_s B    the tangent stiffness, N/m, its derivative along the loops (slopes.h) with λ of least |W⁻¹(Q + Kᵀλ)|
//
// Friction and dampers need motion and do not act; controllers do not act either.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/formulation/multibody/slopes.h"

namespace taut {

struct MachineNet {
  Eigen::VectorXd net;         // Z r, N, per velocity
  Eigen::VectorXd multiplier;  // λ, per row of the loops
  double largest = 0.0;        // N
  int worst = -1;              // velocity
  double mean = 0.0;           // N, mean absolute force of bars, cables and cables of pulleys
  double residual = 0.0;  // largest over the mean, or over a thousandth of the heaviest body's weight if that is more
};

// What members carry.
struct MachineTensions {
  std::vector<double> bars, cables, pulleys;  // N, tension positive
};

// Motions that nothing can resist, as columns of v.
struct MachineMotions {
  Eigen::MatrixXd idle;   // turns of thin bars and of point masses, which move nothing
  Eigen::MatrixXd whole;  // rigid motions of everything that the ground leaves free
};

// Where a machine is looked at instead of at its start: coordinates in its formulation, and the time at which imposed joints
// stand there. Torques, loads and rest lengths are those of t = 0 all the same.
struct MachinePlace {
  Eigen::VectorXd q;
  double time = 0.0;  // s
};

class MachineForces {
 public:
  // Throws InputError when the formulation refuses the model, or the place is not one of it.
  explicit MachineForces(const Model& model, std::optional<MachinePlace> at = {});

  const Model& model() const { return at_rest_; }  // without motion, rest lengths at t = 0
  const Formulation& formulation() const { return dynamics_->formulation(); }
  const multibody::System& system() const { return formulation().joints()->system(); }
  Eigen::VectorXd start() const;

  // q back onto the loops, imposed joints where they belong; false if that cannot be.
  bool project(Eigen::VectorXd& q);
  MachineNet net_force(const Eigen::VectorXd& q);

  // At the last net_force().
  const Eigen::VectorXd& force() const { return force_; }      // Q, per velocity
  const Eigen::VectorXd& way() const { return way_; }          // w, m per unit of each velocity
  const Eigen::MatrixXd& allowed() const { return allowed_; }  // B, nv × degrees of freedom with idle turns
  Eigen::MatrixXd stiffness();                                 // S
  MachineTensions tensions();
  // Axial forces of the bars with other forces on the nodes and other multipliers.
  std::vector<double> bar_forces(const std::vector<Vec3>& on_nodes, const Eigen::VectorXd& multipliers);
  MachineMotions free_motions() const;
  std::string ended_cable() const;  // why the cable of a pulley has ended, as in `pulley "p": ...`; empty: none has
  const Eigen::VectorXd& coordinates() const { return q_; }
  const multibody::SystemTerms& machine() const { return *machine_; }
  Terms& terms() { return terms_; }
  const Dynamics& dynamics() const { return *dynamics_; }

 private:
  Eigen::MatrixXd constraint_rows() const;  // K W⁻¹ on the velocities that are not imposed, rows of length 1 or 0
  double weight_scale() const;

  Model at_rest_;
  std::optional<MachinePlace> place_;
  double time_ = 0.0;  // s, of imposed joints
  std::unique_ptr<Dynamics> dynamics_;
  Terms terms_;
  std::unique_ptr<SlopeFinder> slopes_;
  Eigen::VectorXd q_, rest_;  // the last place; no velocity
  Eigen::VectorXd force_, way_, lambda_;
  Eigen::MatrixXd allowed_;
  std::vector<int> unknowns_;                        // velocities that are not imposed
  const multibody::SystemTerms* machine_ = nullptr;  // in terms_, at the last net_force()
};

// The step from a to b, per velocity.
Eigen::VectorXd step_between(const multibody::System& system, const Eigen::VectorXd& a, const Eigen::VectorXd& b);

// What of the machine a velocity moves, as in `joint "knee"`.
std::string velocity_title(const multibody::System& system, int velocity);

}  // namespace taut
