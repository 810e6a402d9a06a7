// Near-rigid control of machines whose cables stretch (Lieskovský 2022, 3.2 and 5.4). At an instant the strains ε of
// the cables are taken as not accelerating, and the torques that their expected changes Δε would make fill the
// equations of motion; the changes are bounded, so that every cable stays taut. With the accelerations that torques u
// and changes ΔT = EA Δε of the tensions make, all from one factorisation of the machine's equations (system.h),
//
//   v̇ = v̇₀ + W u + Y ΔT,    W, Y: responses to unit torques B on the inputs and to unit tensions P
//
//   minimise ½ Σ ρ u²  subject to   J v̇ + j = a       targets: accelerations as asked for
//                                   ε̈ = 0             superfluous: one per cable                   (3.2.5-8), (5.4.2-4)
//                                   ε_min ≤ ε + Δε ≤ ε_max,   u_min ≤ u ≤ u_max
//
// What neither targets nor strains say is free. With gains d or p > 0 the free accelerations are not left to Σ ρ u²
// alone, but led towards -d v - p δ, δ = q - q(0) in joints without quaternions, near and far measured by the mass
// matrix H, which needs no choice of free coordinates: with l = d v + p δ, ½ |v̇ + l|²_H joins the objective. Its
// Hessian and gradient are products of responses and unit forces, since H W - Kᵀλ_W = B and K W = 0:
//
//   (W Y)ᵀ H (W Y) = (W Y)ᵀ (B P),    (W Y)ᵀ H (v̇₀ + l) = (B P)ᵀ (v̇₀ + l) + λᵀ K (v̇₀ + l)
//
// With a strain gain ω > 0 the torques make the strains follow what the programme expects of them, instead of holding
// their rates: ε̈ = ω² Δε - 2 ω ε̇, from which u follows. Then a is what the targets do, after the lag 1/ω, and gains
// on positions and velocities may be part of it; without, cables are springs that nothing damps.
//
// The programme's v̇₀ counts every force on the machine. Whether the damping μA ε̇ of the cables is one of them is a
// choice, `compensate_damping`: p of (3.2.3) and (5.4.5) can be read with and without d. With it the torques undo what
// damps the cables, and their oscillations stay; without, the machine has its damping as a force that nobody expects.
//
// P is what a unit of tension does at the strain that there is, with the sign of torques on the joints: -A_s of the print. One instant costs about three evaluations of the
// dynamics.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/formulation/multibody/system/system.h"
#include "taut/solve/dense.h"
#include "taut/solve/qp/qp.h"

namespace taut {

struct NearRigidTask {
  // A velocity of the tree, or a coordinate of a point.
  struct Target {
    int velocity = -1;
    int point = -1, axis = 0;
  };
  std::vector<Target> targets;                                      // whose accelerations are given
  std::vector<int> inputs;                                          // velocities that torques act on
  std::vector<int> strains;                                         // velocities of the cables' strains
  Eigen::VectorXd least_strain, most_strain;                        // per cable
  Eigen::VectorXd least_input, most_input;                          // N m, per input
  Eigen::VectorXd input_weight;                                     // ρ, per input; empty: 1
  double free_velocity_gain = 0.0;                                  // d, 1/s
  double free_position_gain = 0.0;                                  // p, 1/s²
  double strain_gain = 0.0;                                         // ω, 1/s
  bool compensate_damping = true;                                   // of the cables
  std::vector<std::string> target_names, input_names, cable_names;  // for messages
};

struct NearRigidCommand {
  Eigen::VectorXd input;      // u, N m, within its bounds
  Eigen::VectorXd commanded;  // ε + Δε
  std::string problem;        // what is in the way; empty: nothing, and the rest holds
};

class NearRigid {
 public:
  // Throws InputError: a strain that is no coordinate of a cable of variant epsilon, an input that is imposed.
  NearRigid(const multibody::System& system, NearRigidTask task);

  const NearRigidTask& task() const { return task_; }

  // Positions and velocities of the targets at the placed links.
  void position(const double* q, const multibody::SystemTerms& terms, Eigen::VectorXd& x) const;
  void velocity(const double* v, const multibody::SystemTerms& terms, Eigen::VectorXd& x) const;

  // The inputs and strains at their bounds in the last command: where the search for the next one begins.
  QpActiveSet& active() { return solution_.active; }

  // At the placed links, with the weight and the forces on points, for these accelerations of the targets.
  const NearRigidCommand& command(const double* q, const double* v, multibody::SystemTerms& terms,
                                  const Eigen::VectorXd& accelerations);

 private:
  void fill_targets(multibody::SystemTerms& terms);
  void fill_forces(const double* q);
  void leave_out_damping(const double* q, const double* v, multibody::SystemTerms& terms) const;
  void find_responses(multibody::SystemTerms& terms);
  void lead_free(const double* q, const double* v, const multibody::SystemTerms& terms);
  void follow_strains(const double* q, const double* v);
  void describe();

  const multibody::System* system_;
  NearRigidTask task_;
  std::vector<int> strain_coordinate_;      // of q
  std::vector<multibody::Joint> undamped_;  // the cables without their damping; empty where it is compensated
  Eigen::VectorXd EA_;                      // per cable, N
  Eigen::MatrixXd J_, F_;                   // rows of targets and strains; unit forces (B P)
  Eigen::VectorXd j_;
  Eigen::MatrixXd response_, multiplier_;   // (W Y), λ
  Eigen::VectorXd rest_, rest_multiplier_;  // v̇₀ and its λ
  Eigen::VectorXd led_, led_rows_;          // v̇₀ + l, K times it
  std::vector<multibody::Vec6> external_;
  Eigen::MatrixXd strain_response_;
  LeastSquares strain_solver_;
  Qp qp_;
  QpWorkspace workspace_;
  QpSolution solution_;
  NearRigidCommand command_;
};

}  // namespace taut
