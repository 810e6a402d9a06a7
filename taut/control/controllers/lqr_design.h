// The feedback of kind "lqr": optimal for the motion near the start, at instants T apart.
//
//   δẋ = f + A δx + B δu + B_rate δL̇0        about the start (modes/linearise.h), f: what is not in balance there,
//                                             without loads that end: they disturb, and are not held against
//   ξ = Zᵀδx                                  Z: an orthonormal basis of what constraints allow (the range of the
//                                             derivative of Formulation::project)
//   y = y₀ + C ξ + D δu,  ẏ = ẏ₀ + C_v ξ      targets and their rates, by differences; D: of tensions by rest lengths
//
// Sampled exactly: a torque is held, a rest length goes in a straight line from where it is to what is commanded, so
// that it is one more state, L(k+1) = u(k). With z = (ξ, δL), motions that no weighted target shows left out:
//
//   minimise Σ (position_weight δy² + velocity_weight δẏ² + input_weight δu²)       solve/riccati.h
//
// The path y_d(t) is followed by u = u_s - K (z - z_s), where (ξ_s, u_s) moves by the linear model: the place of rest
// for y_d, and what its first and second rates add,
//
//   A ξ₀ + B u₀ + f = 0,  C ξ₀ + D u₀ = y_d - y₀;    A ξ₁ + B u₁ = ∂ξ₀/∂y_d ẏ_d,  C ξ₁ + D u₁ = 0;   A ξ₂ + ... = ∂ξ₁
//   ÿ_d
//
// each for what the targets show, by least squares: first the motion, then the targets, then the smallest change of the
// inputs from `bias`.
#pragma once

#include <Eigen/Core>

#include "taut/control/controller.h"

namespace taut {

struct LqrDesign {
  std::vector<int> kept;          // entries of the state that x holds
  Eigen::VectorXd start;          // the whole state, without the running integrals
  Eigen::MatrixXd Z;              // x by ξ
  Eigen::VectorXd input_start;    // u at δu = 0: rest lengths at the start, no torques
  std::vector<int> cable_inputs;  // those with a state of their own behind ξ
  Eigen::MatrixXd K;              // δu by z = (ξ, δL)
  double spectral_radius = 0.0;   // of what the targets show, under feedback
  Eigen::VectorXd target_start;   // y₀
  // (ξ, δu) at the place of rest y_d = y₀, and by y_d - y₀, ẏ_d and ÿ_d.
  Eigen::VectorXd rest;
  Eigen::MatrixXd by_value, by_rate, by_second;
  double imbalance =
      0.0;  // what no inputs hold at the start: the largest entry of the rates left, m/s², rad/s² and so on

  // The state z without L: ξ of a state.
  Eigen::VectorXd reduced(const State& state) const;
};

// Throws InputError: too many states, a linear model that is not finite, motions that cannot be stabilised.
LqrDesign design_lqr(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets, const std::string& name);

}  // namespace taut
