// The motion of a model near a state, as a linear system (Berkeley chapter, §3.5):
//
//   ẋ = A x + B u,   x = (δq, δv),   u = changes of the cables' rest lengths, of torques on joints that an actuator or
//   a controller drives (and of the bars' lengths: in formulations that keep bars by constraints all of them, which act
//   through the gains k_s, k_d of the drift correction; in the others those that an actuator drives).
//
// With the lengths as states, x = (δq, δv, δL0, δL) and u = their rates (and torques): the form of 102 states that the
// chapter has for six bars. Cables with dampers feel the rates of their rest lengths, too. Derivatives are analytic
// (Tangent).
#pragma once

#include <Eigen/Core>
#include <complex>
#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"

namespace taut {

struct LinearModel {
  Eigen::MatrixXd A, B;
  Eigen::MatrixXd B_rate;      // by rates of the rest lengths, a column for each cable; empty where lengths are states
  Eigen::MatrixXd B_bar_rate;  // the same by rates of the bars' lengths that are inputs; 0 where nothing drives them
  std::vector<std::string> states, inputs;
  Eigen::VectorXcd eigenvalues;  // of A, by imaginary part, then real
};

struct LinearOptions {
  bool bar_lengths = false;  // as inputs too, last
  bool lengths_as_states = false;
};

// About a state of the dynamics (its start, or any other). Throws InputError when the formulation has no bar lengths to
// change.
LinearModel linearise(const Dynamics& dynamics, const State& state, const LinearOptions& options = {});

// What the first columns of B stand for: every cable, then every velocity of a joint of the tree that a torque drives.
std::vector<ControlInput> linear_inputs(const Dynamics& dynamics);

// Oscillation frequencies in Hz, ascending: the positive imaginary parts over 2π, without those that are zero to
// rounding.
std::vector<double> frequencies(const Eigen::VectorXcd& eigenvalues);

enum class Discretisation { euler, trapezoid, exact };

// x(k+1) = Ad x(k) + Bd u(k) over a step h with u held (euler: I + hA; trapezoid: (I - hA/2)⁻¹(I + hA/2); exact: the
// matrix exponential of (A B; 0 0) h).
struct DiscreteModel {
  Eigen::MatrixXd Ad, Bd;
};
DiscreteModel discretise(const LinearModel& model, Discretisation method, double h);

}  // namespace taut
