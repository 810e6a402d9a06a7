// The machines of Lieskovský (2022), 5.3 and 5.4, with a near-rigid controller, and what a run of them records.
#pragma once

#include <array>

#include "apps/taut/studies/motion.h"
#include "apps/taut/studies/study.h"

namespace taut::reproduce {

// How the controller works; as in the thesis, unless said otherwise.
struct Steering {
  double rate = 0.0;                                // 1/s; 0: at every stage of the integrator
  double position_gain = 0.0, velocity_gain = 0.0;  // 1/s², 1/s
  double strain_gain = 0.0;                         // 1/s
  double free_gain = 0.0;                           // 1/s
  double input_weight = 1.0;
  bool compensate_damping = false;  // of the cables
};

// Rows (t, values), at rest at every knot.
using Knots = std::vector<std::vector<double>>;

// Table 5.6, φ and ψ, rad.
Knots strut_path();
// Tables 5.8 and 5.9: y and z of the end-effector, m, from its height h₀ on.
Knots vertical_path(double height);
Knots horizontal_path(double height);

Scenario strut(const Settings& settings, double modulus, const Steering& steering);
// Where the manipulator starts: twist, degrees, and the strain of each cable; none: that of the bound.
struct Posture {
  double twist = 120.0;
  std::vector<double> strains{};
};
Scenario manipulator(const Settings& settings, const Posture& start, const Knots& path, const Steering& steering);

// The symmetric equilibrium near a posture in which the less strained of the top and the bottom cables are at their
// bound, with torques that hold the pulleys: by Gauss and Newton on the accelerations of the machine with pulleys that
// do not turn. `acceleration`: the largest that is left, rad/s² or m/s².
struct Balance {
  Posture posture;
  double acceleration = 0.0;
};
Balance in_balance(const Settings& settings, const Posture& near, double height);

// A run that may fail: what it did until then.
Run steered(const Scenario& scenario);

// A column of joints.csv or controls.csv over the rows.
std::vector<double> joint_column(const Run& motion, const std::string& name);
std::vector<double> control_column(const Run& motion, const std::string& name);

// t, phi, psi, phi_d, psi_d, eps1 ..., eps1_commanded ..., u1 ...
Series strut_series(const Run& motion, const std::string& file);
// t, x, y, z, x_d, y_d, z_d, eps1 ... eps6
Series manipulator_series(const Run& motion, const std::string& file);

// Mean turn of the tips against the feet, degrees.
std::vector<double> twists(const Run& motion);

// The motion that turns no pulley and stretches no cable to first order, so that no torque moves or resists it, at the
// start of a manipulator: the smallest singular value of the pulleys' turns over the motions with rigid cables, divided
// by the largest, and where the end-effector goes.
struct Mechanism {
  double ratio = 0.0;
  std::vector<double> direction;  // of the end-effector, unit
};
Mechanism infinitesimal_mechanism(const Scenario& scenario);

}  // namespace taut::reproduce
