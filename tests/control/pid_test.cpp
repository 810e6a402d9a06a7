// Kinds pid and table in runs: against the same sampled loop written down for one mass and for one pendulum, against
// actuators of the same course, and against what integrals, bounds and energies must show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/control_names.h"
#include "tests/support/columns.h"
#include "tests/support/complaint.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// A mass on a rope, along z only.
Scenario hoist(const std::string& keys, const std::vector<std::string>& set = {}) {
  return test_model("hoist", "[[controllers]]\nkind = \"pid\"\ninputs = [\"rope\"]\ntargets = [\"load.z\"]\n" + keys,
                    set);
}

// A rod on a hinge, hanging down, driven by a torque.
Scenario pendulum(const std::string& keys, std::vector<std::string> set = {}) {
  set.insert(set.begin(), {"nodes.tip=[0, 0, -1]", "simulation.duration=2", "simulation.output_step=0.07"});
  return test_model("hinged_rod", "[[controllers]]\n" + keys, set);
}

using Plane = std::array<double, 2>;  // position and rate

// Fixed small steps of the classical method from t to `end`.
void advance(double& t, double end, Plane& y, const std::function<double(double, const Plane&)>& acceleration) {
  const int steps = std::max(1, static_cast<int>(std::ceil((end - t) / 2e-4)));
  const double h = (end - t) / steps;
  const auto rate = [&](double at, const Plane& p) { return Plane{p[1], acceleration(at, p)}; };
  const auto moved = [](const Plane& p, const Plane& k, double by) {
    return Plane{p[0] + by * k[0], p[1] + by * k[1]};
  };
  for (int i = 0; i < steps; ++i, t += h) {
    const Plane k1 = rate(t, y), k2 = rate(t + h / 2, moved(y, k1, h / 2)), k3 = rate(t + h / 2, moved(y, k2, h / 2)),
                k4 = rate(t + h, moved(y, k3, h));
    for (int c = 0; c < 2; ++c) y[c] += h / 6 * (k1[c] + 2 * k2[c] + 2 * k3[c] + k4[c]);
  }
  t = end;
}

// Position, rate and second rate of a cubic from 0 to 1 in the unit of time, at rest at both ends.
double smooth(double s) { return s <= 0 ? 0.0 : s >= 1 ? 1.0 : s * s * (3 - 2 * s); }
double smooth_rate(double s) { return s <= 0 || s >= 1 ? 0.0 : 6 * s * (1 - s); }

// The rest length goes in straight lines from instant to instant; the mass does the rest.
TEST(Pid, AMassOnARopeAsItsSampledLoop) {
  const double k = 800, c = 10, m = 2, g = 9.81, T = 1.0 / 40, kp = -0.6, ki = -4.0, kd = -0.02, speed = 0.9;
  const Scenario s = hoist(
      "rate = 40\npath = { t = [0, 0.5], values = [1.0, 1.3] }\nposition_gain = -0.6\nintegral_gain = -4\n"
      "velocity_gain = -0.02\nspeed = 0.9\nbounds = [0.6, 2]\n");
  const Motion motion = run(s);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;

  double t = 0, L = 0.97, rate = 0, since = 0, integral = 0;
  Plane y = {1.0, 0.0};
  std::size_t row = 0;
  const auto rest = [&](double at) { return L + rate * (at - since); };
  const auto acceleration = [&](double at, const Plane& p) {
    const double e = 2 - p[0] - rest(at);
    return -g + std::max(0.0, e > 0 ? k * e + c * (-p[1] - rate) : 0.0) / m;
  };
  for (int instant = 0; instant < 40; ++instant) {
    const double at = instant * T, error = 1 + 0.3 * smooth(at / 0.5) - y[0];
    L = rest(at), since = at;
    const double raw = 0.97 + kp * error + ki * integral + kd * (0.3 / 0.5 * smooth_rate(at / 0.5) - y[1]);
    const double least = std::max(0.6, L - speed * T), most = std::min(2.0, L + speed * T);
    if (!((raw > most && ki * error > 0) || (raw < least && ki * error < 0))) integral += T * error;
    rate = std::clamp((std::clamp(raw, 0.6, 2.0) - L) / T, -speed, speed);
    const double next = (instant + 1) * T;
    while (row < motion.rows.size() && motion.rows[row].t < next - 1e-12) {
      advance(t, motion.rows[row].t, y, acceleration);
      ASSERT_NEAR(position(motion.rows[row], 1).z(), y[0], 1e-8) << t;
      ASSERT_NEAR(motion.rows[row].rest_lengths[0], rest(t), 1e-8) << t;
      ASSERT_EQ(control_value(s, motion.rows[row], "pid.rope"), motion.rows[row].rest_lengths[0]);
      ASSERT_NEAR(control_value(s, motion.rows[row], "pid.load.z.wanted"), 1 + 0.3 * smooth(t / 0.5), 1e-14);
      ASSERT_NEAR(control_value(s, motion.rows[row], "pid.load.z.error"), 1 + 0.3 * smooth(t / 0.5) - y[0], 1e-8);
      ++row;
    }
    advance(t, next, y, acceleration);
  }
  EXPECT_GT(row, 30u);
  EXPECT_LT(motion.summary.energy_drift, 1e-8);  // the winch's work counts
}

// Torque held from instant to instant, cut off at bounds, with the integral standing still there.
TEST(Pid, APendulumAsItsSampledLoop) {
  const double m = 1.5, g = 9.81, I = m / 3, T = 1.0 / 50, kp = 12, ki = 20, kd = 3;
  const Scenario s = pendulum(
      "kind = \"pid\"\nname = \"arm\"\nrate = 50\nstart = 0.1\ninputs = [\"hinge\"]\ntargets = [\"hinge.angle\"]\n"
      "path = { t = [0], values = [0.6] }\nposition_gain = 12\nintegral_gain = 20\nvelocity_gain = 3\nbounds = [-5, "
      "5]\n");
  const Motion motion = run(s);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  double t = 0, u = 0, integral = 0;
  Plane y = {0, 0};
  std::size_t row = 0;
  long began = 0, ended = 0;
  bool saturated = false;
  double saturated_s = 0;
  const auto acceleration = [&](double, const Plane& p) { return (u - m * g * 0.5 * std::sin(p[0])) / I; };
  for (int instant = -5; instant < 95; ++instant) {
    if (instant >= 0) {
      const double error = 0.6 - y[0], raw = kp * error + ki * integral - kd * y[1];
      if (!((raw > 5 && error > 0) || (raw < -5 && error < 0))) integral += T * error;
      u = std::clamp(raw, -5.0, 5.0);
      const bool now = std::abs(raw) >= 5;
      began += now && !saturated, ended += !now && saturated;
      saturated = now;
      saturated_s += now ? T : 0;
    }
    const double next = 0.1 + (instant + 1) * T;
    while (row < motion.rows.size() && motion.rows[row].t < next - 1e-12) {
      advance(t, motion.rows[row].t, y, acceleration);
      ASSERT_NEAR(joint_value(s, motion.rows[row], "hinge.angle"), y[0], 1e-8) << t;
      ASSERT_NEAR(joint_value(s, motion.rows[row], "hinge.torque"), u, 1e-7) << t;
      ASSERT_EQ(control_value(s, motion.rows[row], "arm.hinge"), joint_value(s, motion.rows[row], "hinge.torque"));
      ++row;
    }
    advance(t, next, y, acceleration);
  }
  EXPECT_GE(row, 28u);
  EXPECT_LT(motion.summary.energy_drift, 1e-8);

  // It was at its bound at first, and says so.
  EXPECT_GT(saturated_s, 0.0);
  ASSERT_EQ(motion.summary.controllers.size(), 1u);
  const ControllerSummary& arm = motion.summary.controllers[0];
  EXPECT_EQ(arm.name, "arm");
  EXPECT_EQ(arm.inputs[0].saturations, began);
  EXPECT_NEAR(arm.inputs[0].saturated_s, saturated_s, 1e-12);
  ASSERT_EQ(motion.summary.control_events.size(), static_cast<std::size_t>(began + ended));
  EXPECT_EQ(motion.summary.control_events[0].what, "input hinge at its bound 5 N m");
  EXPECT_NEAR(motion.summary.control_events[0].time, 0.1, 1e-12);
  EXPECT_EQ(motion.summary.control_events[1].what, "input hinge free again");
  // Errors count from the start of the controller on.
  double largest = 0, squares = 0;
  int rows = 0;
  for (const Sample& r : motion.rows)
    if (r.t >= 0.1) {
      const double e = control_value(s, r, "arm.hinge.angle.error");
      largest = std::max(largest, std::abs(e)), squares += e * e, ++rows;
    }
  EXPECT_EQ(arm.targets[0].max_error, largest);
  EXPECT_NEAR(arm.targets[0].rms_error, std::sqrt(squares / rows), 1e-15);
}

// Weight bends a proportional loop, which is a warning; the integral puts it right, whatever it is.
TEST(Pid, AnIntegralLeavesNoSteadyError) {
  const std::string keys =
      "kind = \"pid\"\nrate = 200\ninputs = [\"hinge\"]\ntargets = [\"hinge.angle\"]\npath = { t = [0], values = [0.6] "
      "}\n"
      "position_gain = 30\nvelocity_gain = 6\n";
  const auto error_after = [&](const std::string& more) {
    const Scenario s = pendulum(keys + more, {"simulation.duration=8", "simulation.tolerance=1e-8"});
    const Motion motion = run(s);
    EXPECT_EQ(motion.summary.status, RunStatus::done);
    const double error = control_value(s, motion.last(), "pid.hinge.angle.error");
    std::vector<std::string> warnings;
    if (more.empty())
      warnings.push_back(
          fmt::format("controller pid missed its targets: at t = 8 s hinge.angle was "
                      "{:.4g} rad, wanted 0.6",
                      0.6 - error));
    EXPECT_EQ(motion.summary.warnings, warnings);
    return error;
  };
  // 30 e = m g l/2 sin(0.6 - e) has its root at:
  double e = 0.1;
  for (int i = 0; i < 100; ++i) e = 1.5 * 9.81 * 0.5 * std::sin(0.6 - e) / 30;
  EXPECT_NEAR(error_after(""), e, 1e-6);
  EXPECT_NEAR(error_after("integral_gain = 40\n"), 0.0, 1e-6);
  // With the torque that the weight needs as bias there is nothing to put right.
  EXPECT_NEAR(error_after(fmt::format("bias = {}\n", 1.5 * 9.81 * 0.5 * std::sin(0.6))), 0.0, 1e-6);
}

// A winch that is far too slow: an integral that went on would send the mass far beyond.
TEST(Pid, TheIntegralStandsStillWhileTheWinchIsTooSlow) {
  const Scenario s = hoist(
      "rate = 100\npath = { t = [0], values = [1.3] }\nposition_gain = -0.5\nintegral_gain = -3\nspeed = 0.1\n"
      "bounds = [0.6, 2]\n",
      {"simulation.duration=6", "simulation.tolerance=1e-8", "cables.rope.damping=60"});
  const Motion motion = run(s);
  ASSERT_EQ(motion.summary.status, RunStatus::done);
  double highest = 0.0;
  for (const Sample& row : motion.rows) highest = std::max(highest, position(row, 1).z());
  EXPECT_LT(highest, 1.33);
  EXPECT_NEAR(position(motion.last(), 1).z(), 1.3, 1e-3);
  ASSERT_FALSE(motion.summary.control_events.empty());
  EXPECT_EQ(motion.summary.control_events[0].what, "input rope at the speed of its winch, 0.1 m/s");
}

TEST(Pid, WithoutAPathTargetsStayWhereTheyAre) {
  const Scenario s = hoist("rate = 100\nstart = 0.2\nposition_gain = -0.5\nintegral_gain = -5\n",
                           {"simulation.duration=4", "cables.rope.damping=60"});
  const Motion motion = run(s);
  EXPECT_EQ(control_value(s, motion.rows.front(), "pid.load.z.wanted"), 1.0);
  EXPECT_EQ(motion.rows[5].rest_lengths[0], 0.97);  // at 0.15 s
  EXPECT_NEAR(position(motion.last(), 1).z(), 1.0, 1e-5);
}

// Straight lines between samples miss a cubic by h²/8 of its second rate; held torques by h/2 of the rate.
TEST(Table, FollowsAnActuatorOfTheSameCourse) {
  const std::string course = "t = [0, 0.4, 1], values = [0.97, 0.8, 0.9], slopes = [0, 0.1, -0.2]";
  const auto rope = [&](double rate) {
    return run(test_model("hoist", fmt::format("[[controllers]]\nkind = \"table\"\ninputs = [\"rope\"]\nrate = {}\n"
                                               "path = {{ {} }}\n",
                                               rate, course)));
  };
  Scenario driven = hoist("");
  driven.model.controllers.clear();
  driven.model.actuators.push_back({0, {}});
  Signal& signal = driven.model.actuators[0].rest_length;
  signal.kind = SignalKind::hermite;
  signal.times = {0, 0.4, 1}, signal.values = {0.97, 0.8, 0.9}, signal.slopes = {0, 0.1, -0.2};
  const Motion exact = run(driven);
  const auto difference = [&](const Motion& other) {
    double most = 0.0;
    for (std::size_t i = 0; i < exact.rows.size(); ++i)
      most = std::max(most, (position(exact.rows[i], 1) - position(other.rows.at(i), 1)).norm());
    return most;
  };
  const double coarse = difference(rope(50)), fine = difference(rope(200));
  EXPECT_LT(fine, 2e-5);
  EXPECT_NEAR(coarse / fine, 16.0, 3.0);

  const std::string torque = "inputs = [\"hinge\"]\npath = { t = [0, 1], values = [0, 4] }\n";
  Scenario turned = pendulum("kind = \"table\"\n" + torque);
  turned.model.controllers.clear();
  turned.model.drives.push_back({0, 0, false, signal});
  turned.model.drives[0].signal.times = {0, 1}, turned.model.drives[0].signal.values = {0, 4};
  turned.model.drives[0].signal.slopes = {0, 0};
  const Motion free = run(turned);
  const auto missed = [&](double rate) {
    const Scenario s = pendulum("kind = \"table\"\n" + torque + "rate = " + std::to_string(rate));
    const Motion held = run(s);
    return std::abs(joint_value(s, held.last(), "hinge.angle") - joint_value(turned, free.last(), "hinge.angle"));
  };
  EXPECT_NEAR(missed(50) / missed(200), 4.0, 0.3);
}

TEST(Control, FormulationsAgreeUnderTheSamePid) {
  Scenario s = generated("prism", {{"fixed", 1}});
  s.simulation.duration = 0.5;
  s.simulation.output_step = 0.05;
  s.simulation.tolerance = 1e-10;
  s.simulation.formulation = "all";
  ControllerSpec spec;
  spec.kind = ControllerKind::pid;
  spec.rate = 100;
  for (int cable = 6; cable < 9; ++cable) {
    spec.steer.inputs.push_back({cable, -1, 0, {}});
    spec.steer.targets.push_back({ControlTarget::Kind::cable, cable, 1});
  }
  spec.steer.path = {{0.0, 0.3}, {1, 1, 1, 0.97, 0.98, 0.99}, {0, 0, 0, 0, 0, 0}};
  for (int i = 0; i < 3; ++i)
    for (double* v : {&spec.steer.path.values[i], &spec.steer.path.values[3 + i]})
      *v *= start_length(s.model, s.model.cables[6 + i]);
  spec.steer.position_gain = {0.5, 0.5, 0.5};
  s.model.controllers.push_back(spec);
  const Motion motion = run(s);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_GE(motion.summary.formulations.size(), 3u);
  EXPECT_LT(motion.summary.largest_difference, 1e-7);
  EXPECT_GT((position(motion.last(), 4) - position(motion.rows.front(), 4)).norm(), 1e-3);
}

TEST(Control, WhatGoesWrongIsSaidWithTimeAndName) {
  // Driven to nothing: the run fails there and keeps its rows.
  const Motion torn = run(hoist("path = { t = [0], values = [5] }\nposition_gain = -1\n"));
  EXPECT_EQ(torn.summary.status, RunStatus::failed);
  EXPECT_NE(torn.summary.reason.find("the rest length of cable \"rope\""), std::string::npos) << torn.summary.reason;
  EXPECT_FALSE(torn.rows.empty());
  // A path between whose knots no instant falls.
  const Motion fast =
      run(hoist("rate = 20\npath = { t = [0, 0.2, 0.21], values = [1, 1.1, 1] }\nposition_gain = -0.1\n"));
  ASSERT_FALSE(fast.summary.warnings.empty());
  EXPECT_EQ(fast.summary.warnings.back(),
            "controller pid: its path has knots at t = 0.2 s and 0.21 s, but its instants are 0.05 s apart: it cannot "
            "follow; rate = 100 could");
  // An input that goes to and fro for ever: so many events and no more.
  const Motion chatter = run(
      pendulum("kind = \"pid\"\nrate = 5000\ninputs = [\"hinge\"]\ntargets = [\"hinge.angle\"]\nvelocity_gain = 1e5\n"
               "position_gain = 1e7\npath = { t = [0], values = [0.1] }\nbounds = [-3, 3]\n",
               {"simulation.tolerance=1e-6", "simulation.duration=1"}));
  EXPECT_EQ(chatter.summary.status, RunStatus::done) << chatter.summary.reason;
  EXPECT_LE(chatter.summary.control_events.size(), 1000u);
}

// A torque on a joint that closes a loop has no place in the tree.
TEST(Control, AJointThatClosesALoopIsRefused) {
  const auto steered = [&](const char* input) {
    return test_model("four_bar",
                      fmt::format("[[controllers]]\nkind = \"table\"\ninputs = [\"{}\"]\n"
                                  "path = {{ t = [0], values = [1] }}\n",
                                  input),
                      {"joints.C.role=\"loop\"", "simulation.duration=0.1"});
  };
  EXPECT_EQ(run(steered("drive")).summary.status, RunStatus::done);
  expect_says(complaint([&] { run(steered("C")); }),
              "joint \"C\": closes a loop, and a controller drives joints of the tree only");
}

}  // namespace
}  // namespace taut::testing
