// The statics of a machine at its start, or where a run has it, in joint coordinates (machine_rows.h):
//
//   self-stress   A t + Kᵀλ = 0, counted by the members' part t
//   mechanisms    motions that change no length and turn no driven joint: Aᵀv = 0, K v = 0, without idle turns and rigid
//                 motions of the whole
//   stiffness     S = Bᵀ(Σ k a aᵀ - ∂P/∂v) B along the ways B that the loops leave free (machine_forces.h): once with all
//                 drives held, once with imposed joints held and torques that stay what they are
//
// The forces at hand are those of the start if it is in balance and no bounds are asked for, else the choice of
// statics/forces.h among all that balance weight and loads, without which they are a self-stress. The ground, friction
// and controllers are left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/statics/machine/machine_rows.h"
#include "taut/statics/statics.h"

namespace taut {

struct MachineSoftness {
  double eigenvalue = 0.0;  // of S, the lowest real part, N/m
  double scale = 0.0;       // of S, N/m
  Eigen::VectorXd motion;   // v, its largest way 1 m
};

struct MachineMechanism {
  MechanismKind kind = MechanismKind::undecided;
  Eigen::VectorXd motion;   // v, its largest way 1 m
  double stiffening = 0.0;  // by the self-stress, N/m
};

struct MachineStatics {
  std::vector<MachineMember> members;
  std::vector<std::string> velocities;  // names of the rows of everything below
  Eigen::MatrixXd equilibrium;          // A, then Kᵀ of the inner rows
  Eigen::MatrixXd node_map;             // X
  int rank = 0, states = 0, inner = 0, idle_turns = 0, rigid_motions = 0;
  Eigen::MatrixXd self_stress;  // columns; the members' parts are orthonormal
  std::vector<MachineMechanism> mechanisms;

  Eigen::VectorXd unit_stress;  // the self-stress of least norm, largest force of a cable 1 N; 0 where there is none
  bool sign_feasible = false;   // it keeps cables in tension
  std::vector<int> unreached;   // cables that no self-stress reaches

  double imbalance = 0.0;  // of the start
  bool at_start = false;   // `forces` are those of the start
  LoadState load_state = LoadState::none;
  Eigen::VectorXd forces;          // members, then inner rows
  std::vector<double> bar_forces;  // of all bars, N
  bool forces_feasible = false;
  std::vector<int> offending;

  Eigen::MatrixXd stiffness;                        // K, nv × nv, with `forces`
  std::optional<MachineSoftness> held, given;       // drives held; torques given. Nothing: nothing can move
  Stability stability = Stability::no_self_stress;  // with the drives held
  std::vector<Compliance> compliances;              // likewise
};

// At the start, or at a place of the machine. Throws InputError when the formulation refuses the model.
MachineStatics analyse_machine(const Model& model, const StaticsOptions& options = {},
                               const std::optional<MachinePlace>& at = {});

}  // namespace taut
