// Kind lqr: the gain in closed form, the nonlinear run beside the linear prediction, paths, several formulations, and
// what cannot be stabilised.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/control/controllers/lqr_design.h"
#include "taut/control/targets/targets.h"
#include "taut/file/read/read_toml.h"
#include "taut/solve/riccati.h"
#include "tests/support/columns.h"
#include "tests/support/complaint.h"
#include "tests/support/dense.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A slide without weight: a mass under a force.
const std::string slide = R"(environment.gravity = [0, 0, 0]
bodies = [{ name = "cart", shape = "box", size = [0.2, 0.2, 0.2], centre = [0, 0, 0], mass = 2.0 }]
joints = [
  { name = "rail", kind = "prismatic", bodies = ["ground", "cart"], at = [0, 0, 0], axis = [1, 0, 0], start = 0.3 },
]
[simulation]
duration = 2.0
output_step = 0.05
tolerance = 1e-11
integrator = "dopri5"
[[controllers]]
kind = "lqr"
inputs = ["rail"]
targets = ["rail.position"]
path = { t = [0], values = [0] }
)";

LqrDesign design(const Scenario& s, std::string_view formulation) {
  const Dynamics dynamics(s.model, formulation, s.simulation.constraints);
  Targets targets(s.model, s.model.controllers[0]);
  return design_lqr(dynamics, s.model.controllers[0], targets, "lqr");
}

// x(k+1) = [1 T; 0 1] x + [T²/2m; T/m] u: its gain from the scalar form of the Riccati equation, which the run follows
// exactly, since the mass is linear.
TEST(Lqr, ACartIsTheSampledDoubleIntegrator) {
  const Scenario s = read_scenario_text(
      slide + "rate = 20\nposition_weight = 4\nvelocity_weight = 0.5\ninput_weight = 0.3\n", "m.toml");
  const double T = 0.05, m = 2.0;
  MatrixXd A(2, 2), B(2, 1);
  A << 1, T, 0, 1;
  B << T * T / (2 * m), T / m;
  // By iterating the cost of ever longer horizons.
  MatrixXd Q = MatrixXd::Zero(2, 2), X;
  Q(0, 0) = 4, Q(1, 1) = 0.5;
  X = Q;
  VectorXd K(2);
  for (int i = 0; i < 5000; ++i) {
    K = ((B.transpose() * X * A) / (0.3 + (B.transpose() * X * B)(0, 0))).transpose();
    X = (Q + A.transpose() * X * (A - B * K.transpose())).eval();
  }
  const LqrDesign found = design(s, "multibody");
  const MatrixXd whole = found.K * found.Z.transpose();  // in position and velocity
  EXPECT_NEAR(whole(0, 0), K[0], 1e-7 * K.norm());
  EXPECT_NEAR(whole(0, 1), K[1], 1e-7 * K.norm());

  const Motion motion = run(s);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  VectorXd x(2);
  x << 0.3, 0.0;
  for (const Sample& row : motion.rows) {  // a row at each instant
    ASSERT_NEAR(joint_value(s, row, "rail.position"), x[0], 1e-8) << row.t;
    const double u = -K.dot(x);
    if (row.t < 1.99) {
      ASSERT_NEAR(joint_value(s, row, "rail.torque"), u, 1e-6) << row.t;
    }
    x = A * x + B * u;
  }
  EXPECT_LT(motion.summary.energy_drift, 1e-8);
}

// With per-time weights and short periods: the continuous gains √(q/r) and √(2 m √(q/r)).
TEST(Lqr, ShortPeriodsComeToTheContinuousGain) {
  const double q = 9.0, r = 0.25, T = 1e-4;
  const Scenario s = read_scenario_text(
      slide + fmt::format("rate = {}\nposition_weight = {}\ninput_weight = {}\n", 1 / T, q * T, r * T), "m.toml");
  const LqrDesign found = design(s, "multibody");
  const MatrixXd whole = found.K * found.Z.transpose();
  EXPECT_NEAR(whole(0, 0), std::sqrt(q / r), 1e-3 * std::sqrt(q / r));
  EXPECT_NEAR(whole(0, 1), std::sqrt(2 * 2.0 * std::sqrt(q / r)), 1e-3 * std::sqrt(2 * 2.0 * std::sqrt(q / r)));
}

// A rod upright: small errors go as the linear closed loop says, and twice as small an error leaves a fourth of the
// difference or less.
TEST(Lqr, AnUprightRodAsTheLinearClosedLoop) {
  const auto rod = [](double speed) {
    return test_model(
        "hinged_rod", R"([[controllers]]
kind = "lqr"
rate = 50
inputs = ["hinge"]
targets = ["hinge.angle"]
path = { t = [0], values = [0] }
position_weight = 100
velocity_weight = 1
input_weight = 0.1
)",
        {"nodes.tip=[0, 0, 1]", fmt::format("joints.hinge.velocity={}", speed), "simulation.output_step=0.02"});
  };
  const double I = 0.5, w2 = 1.5 * 9.81 * 0.5 / I, T = 0.02;
  MatrixXd all = MatrixXd::Zero(3, 3);
  all(0, 1) = T, all(1, 0) = w2 * T, all(1, 2) = T / I;
  const MatrixXd power = matrix_exponential(all), A = power.topLeftCorner(2, 2), B = power.topRightCorner(2, 1);
  MatrixXd Q = MatrixXd::Zero(2, 2);
  Q(0, 0) = 100, Q(1, 1) = 1;
  const Feedback f = optimal_feedback(A, B, Q, MatrixXd::Constant(1, 1, 0.1));
  const auto difference = [&](double speed) {
    const Scenario s = rod(speed);
    const Motion motion = run(s);
    EXPECT_EQ(motion.summary.status, RunStatus::done);
    VectorXd x(2);
    x << 0.0, speed;
    double most = 0.0;
    for (const Sample& row : motion.rows) {
      most = std::max(most, std::abs(joint_value(s, row, "hinge.angle") - x[0]));
      x = (A - B * f.K) * x;
    }
    EXPECT_LT(std::abs(joint_value(s, motion.last(), "hinge.angle")), 1e-3 * speed);
    return most / speed;
  };
  // Ten seconds between instants: e^54 times as far, no matter what the torque was.
  Scenario slow = rod(0.1);
  slow.model.controllers[0].rate = 0.1;
  EXPECT_THROW(run(slow), InputError);
  const double large = difference(0.2), small = difference(0.1);
  EXPECT_LT(small, 1e-4);
  EXPECT_NEAR(large / small, 4.0, 0.5);  // sin φ - φ is of third order
}

const char* const hold_the_mass = R"([[controllers]]
kind = "lqr"
rate = 25
inputs = ["left"]
targets = ["c.x"]
path = { t = [0], values = [1.0] }
position_weight = 1
input_weight = 0.02
)";

// Ropes as inputs: the rest length is a state, the damper feels its rate. The sampled model beside the run.
TEST(Lqr, AMassOnTwoRopes) {
  const Scenario s = test_model("mass_between_ropes", hold_the_mass,
                                {"nodes.c.velocity=[0.01, 0, 0]", "cables.*.damping=3", "simulation.output_step=0.04"});
  // (x, v, L, L̇): m ẍ = -200 x + 100 δL - 6 v + 3 L̇.
  const double T = 0.04;
  MatrixXd all = MatrixXd::Zero(4, 4);
  all(0, 1) = 1, all(1, 0) = -100, all(1, 1) = -3, all(1, 2) = 50, all(1, 3) = 1.5, all(2, 3) = 1;
  const MatrixXd power = matrix_exponential(all * T);
  MatrixXd A = power.topLeftCorner(3, 3), B = power.col(3).head(3) / T;
  A.col(2) -= B;  // L̇ = (u - L)/T
  MatrixXd Q = MatrixXd::Zero(3, 3);
  Q(0, 0) = 1;
  const Feedback f = optimal_feedback(A, B, Q, MatrixXd::Constant(1, 1, 0.02));
  const Motion motion = run(s);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  VectorXd x(3);
  x << 0.0, 0.01, 0.0;
  double moved = 0.0;
  for (const Sample& row : motion.rows) {
    ASSERT_NEAR(position(row, 2).x() - 1.0, x[0], 1e-8) << row.t;  // all is linear here
    ASSERT_NEAR(row.rest_lengths[0] - 0.8, x[2], 1e-7) << row.t;
    moved = std::max(moved, std::abs(x[2]));
    x = (A - B * f.K) * x;
  }
  EXPECT_GT(moved, 1e-4);
}

// Two ropes move one mass: of all pairs of rest lengths that hold it elsewhere the nearest to those at the start,
// (k₁, -k₂) (k₁ + k₂) d/(k₁² + k₂²).
TEST(Lqr, InputsToSpareChangeLeast) {
  const Scenario s = test_model("mass_between_ropes", R"([[controllers]]
kind = "lqr"
rate = 25
inputs = ["left", "right"]
targets = ["c.x"]
)",
                                {"cables.right.stiffness=300"});
  const LqrDesign found = design(s, "nodal");
  ASSERT_EQ(found.by_value.rows(), 4);
  const double part = 400.0 / (100.0 * 100.0 + 300.0 * 300.0);
  EXPECT_NEAR(found.by_value(2, 0), 100.0 * part, 1e-7);
  EXPECT_NEAR(found.by_value(3, 0), -300.0 * part, 1e-7);
}

// The same structure in other coordinates is steered alike: a prism's top follows a small path. To first order it is
// the same; what differs falls with the square of the path or faster.
TEST(Lqr, FormulationsAgreeAndThePathIsFollowed) {
  Scenario s = generated("prism", {{"fixed", 1}});
  s.simulation.duration = 1.5;
  s.simulation.output_step = 0.05;
  s.simulation.tolerance = 1e-10;
  for (Cable& cable : s.model.cables) cable.law.damping = 5.0;
  const double top = s.model.nodes[3].position.z();
  const auto lifted = [&](const char* formulation, double by) {
    ControllerSpec spec;
    spec.kind = ControllerKind::lqr;
    spec.rate = 100;
    for (std::size_t i = 0; i < s.model.cables.size(); ++i)
      spec.steer.inputs.push_back({static_cast<int>(i), -1, 0, {}});
    for (int node = 3; node < 6; ++node) spec.steer.targets.push_back({ControlTarget::Kind::node, node, 2});
    spec.steer.path = {{0.0, 1.0}, {top, top, top, top + by, top + by, top + by}, {0, 0, 0, 0, 0, 0}};
    spec.steer.position_weight = {1e3, 1e3, 1e3};
    s.model.controllers = {spec};
    s.simulation.formulation = formulation;
    const Motion motion = run(s);
    EXPECT_EQ(motion.summary.status, RunStatus::done) << formulation << " " << motion.summary.reason;
    return motion;
  };
  const auto difference = [&](double by) {
    const Motion nodal = lifted("nodal", by), quaternion = lifted("quaternion", by),
                 multibody = lifted("multibody", by);
    double most = 0.0;
    for (std::size_t i = 0; i < nodal.rows.size(); ++i)
      for (int node = 3; node < 6; ++node)
        for (const Motion* other : {&quaternion, &multibody})
          most = std::max(most, (position(nodal.rows[i], node) - position(other->rows[i], node)).norm());
    // Followed, on the way as well: the path's rates are part of the law.
    for (int node = 3; node < 6; ++node) EXPECT_NEAR(position(nodal.last(), node).z(), top + by, 0.02 * by);
    for (const ControllerSummary::Target& target : nodal.summary.controllers[0].targets)
      EXPECT_LT(target.max_error, 0.1 * by);
    return most;
  };
  const double large = difference(1e-3), small = difference(2.5e-4);
  EXPECT_LT(large, 0.1 * 1e-3);
  EXPECT_GT(large / small, 15.0);
}

// Weight out of balance: the torque that holds the start is found.
TEST(Lqr, TheStartIsHeldAgainstWeight) {
  const Scenario s = test_model("hinged_rod", R"([[controllers]]
kind = "lqr"
inputs = ["hinge"]
targets = ["tip.z"]
)",
                                {"simulation.duration=0.5"});
  const LqrDesign found = design(s, "multibody");
  EXPECT_LT(found.imbalance, 1e-7);
  EXPECT_NEAR(found.rest[2], -1.5 * 9.81 * 0.5, 1e-6);  // about +y, x falls towards -z by +; held by -
  const Motion motion = run(s);
  EXPECT_LT(motion.summary.controllers[0].targets[0].max_error, 1e-9);
}

// A push that lasts a while is a disturbance, whenever it begins: the mass comes back to where it was to be, with the
// rest lengths of the start, and one that begins at t = 0 is answered like one that comes later. A load that stays is
// held against.
TEST(Lqr, ALoadThatEndsIsNotHeldAgainst) {
  for (const char* formulation : {"nodal", "multibody"}) {
    SCOPED_TRACE(formulation);
    const auto pushed = [&](double from, double to) {
      Scenario s = test_model("mass_between_ropes", hold_the_mass,
                              {"cables.*.damping=30", "simulation.output_step=0.04", "simulation.duration=4"});
      s.simulation.formulation = formulation;
      s.model.loads.push_back({2, Vec3(5.0, 0.0, 0.0), from, to});
      return s;
    };
    const Scenario begins = pushed(0.0, 0.4), later = pushed(0.8, 1.2), stays = pushed(0.0, INFINITY);
    EXPECT_LT(design(begins, formulation).rest.norm(), 1e-9);
    // 5 N by the rest length of a cable of 100 N/m.
    EXPECT_NEAR(design(stays, formulation).rest.tail(1)[0], -0.05, 1e-9);
    const Motion first = run(begins), second = run(later), third = run(stays);
    EXPECT_NEAR(position(first.last(), 2).x(), 1.0, 1e-8);
    EXPECT_NEAR(position(third.last(), 2).x(), 1.0, 1e-8);
    for (std::size_t i = 0; i + 20 < first.rows.size(); ++i)
      ASSERT_NEAR(position(first.rows[i], 2).x(), position(second.rows[i + 20], 2).x(), 1e-8) << first.rows[i].t;
  }
}

TEST(Lqr, WhatCannotBeStabilisedIsNamed) {
  // A second mass beside the first that no input reaches, and that drifts.
  const Scenario s = read_scenario_text(R"(environment.gravity = [0, 0, 0]
cables = [{ name = "rope", nodes = ["a", "b"], stiffness = 100, rest_length = 0.9 }]
controllers = [{ kind = "lqr", inputs = ["rope"], targets = ["b.x", "c.y"] }]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], mass = 1, fixed = ["y", "z"] }
c = { at = [0, 1, 0], mass = 1 }
)",
                                        "m.toml");
  const auto refusal = [](const Scenario& refused) { return complaint([&] { run(refused); }); };
  const char* drifts =
      "m.toml:3:16: controllers[0]: controller lqr: its inputs cannot stabilise a motion that \"c.y\" shows: one that "
      "does not die down";
  EXPECT_NE(refusal(s).find(drifts), std::string::npos) << refusal(s);
  Scenario moving = s;
  moving.model.nodes[2].velocity = {0.1, 0.3, -0.2};
  EXPECT_NE(refusal(moving).find(drifts), std::string::npos) << refusal(moving);
  // What rounding does not allow differs from what the inputs do not reach.
  Scenario heavy = s;
  heavy.model.controllers[0].steer.targets.pop_back();
  heavy.model.controllers[0].steer.position_weight = {1e300};
  EXPECT_NE(refusal(heavy).find("no feedback can be computed for its weights"), std::string::npos) << refusal(heavy);
  // Where no target shows it, it may drift.
  Scenario blind = s;
  blind.model.controllers[0].steer.targets.pop_back();
  blind.simulation.duration = 0.1;
  EXPECT_EQ(run(blind).summary.status, RunStatus::done);
}

}  // namespace
}  // namespace taut::testing
