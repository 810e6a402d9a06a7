// minimal, quaternion and point_mass against nodal: one model, one motion. Charts, spin, supports, drag, refusals.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "taut/base/error.h"
#include "taut/dynamics/dynamics.h"
#include "taut/formulation/rods/point_mass.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

double largest_difference(const Motion& a, const Motion& b) {
  EXPECT_EQ(a.rows.size(), b.rows.size());
  double largest = 0.0;
  for (std::size_t r = 0; r < std::min(a.rows.size(), b.rows.size()); ++r)
    for (std::size_t i = 0; i < a.rows[r].nodes.size(); ++i)
      largest = std::max(largest, std::abs(a.rows[r].nodes[i] - b.rows[r].nodes[i]));
  return largest;
}

Motion in_formulation(Scenario scenario, const std::string& name) {
  scenario.simulation.formulation = name;
  Motion motion = run(scenario);
  EXPECT_EQ(motion.summary.status, RunStatus::done) << name << ": " << motion.summary.reason;
  return motion;
}

// A six-bar robot, thrown and spinning, tight tolerance.
Scenario thrown_six_bar(double duration) {
  Scenario scenario = generated("six_bar");
  Random random(7);
  const Vec3 spin(1.0, -2.0, 1.5);
  for (Node& node : scenario.model.nodes) {
    node.velocity = Vec3(0.3, 0.2, 2.0) + spin.cross(node.position);
    node.velocity += Vec3(random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(-0.5, 0.5));
  }
  scenario.simulation.integrator = "dopri5";
  scenario.simulation.tolerance = 1e-12;
  scenario.simulation.duration = duration;
  scenario.simulation.output_step = 0.1;
  return scenario;
}

void make_dumbbells(Model& model) {
  for (Bar& bar : model.bars) bar.inertia = bar.mass * std::pow(start_length(model, bar), 2) / 4.0;
}

TEST(RodFormulations, FreeSixBarMovesTheSameInAll) {
  const Scenario scenario = thrown_six_bar(2.0);
  const Motion nodal = in_formulation(scenario, "nodal"), minimal = in_formulation(scenario, "minimal");
  const Motion quaternion = in_formulation(scenario, "quaternion");
  EXPECT_LT(largest_difference(nodal, minimal), 1e-10);
  EXPECT_LT(largest_difference(nodal, quaternion), 1e-10);
  EXPECT_GT(minimal.summary.chart_switches, 0);  // it tumbles: rods pass the poles
  // Not only where the nodes are: forces in bars, and the energy.
  for (std::size_t r = 0; r < nodal.rows.size(); ++r)
    for (std::size_t i = 0; i < nodal.rows[r].bar_forces.size(); ++i) {
      EXPECT_NEAR(minimal.rows[r].bar_forces[i], nodal.rows[r].bar_forces[i], 1e-6);
      EXPECT_NEAR(quaternion.rows[r].bar_forces[i], nodal.rows[r].bar_forces[i], 1e-6);
    }
  EXPECT_LT(minimal.summary.energy_drift, 1e-9);
  EXPECT_LT(quaternion.summary.energy_drift, 1e-9);
}

TEST(RodFormulations, PointMassAgreesForDumbbellsAndOnlyThen) {
  Scenario scenario = thrown_six_bar(1.0);
  EXPECT_FALSE(is_lumped(scenario.model));
  const auto says_so = [](const Motion& motion) {
    return std::any_of(motion.summary.warnings.begin(), motion.summary.warnings.end(),
                       [](const std::string& text) { return text.starts_with("point_mass lumps"); });
  };
  EXPECT_TRUE(says_so(in_formulation(scenario, "point_mass")));
  const double different =
      largest_difference(in_formulation(scenario, "nodal"), in_formulation(scenario, "point_mass"));
  EXPECT_GT(different, 1e-2);
  make_dumbbells(scenario.model);
  EXPECT_TRUE(is_lumped(scenario.model));
  const Motion point_mass = in_formulation(scenario, "point_mass");
  EXPECT_FALSE(says_so(point_mass));
  for (const char* other : {"nodal", "minimal", "quaternion"})
    EXPECT_LT(largest_difference(in_formulation(scenario, other), point_mass), 1e-10) << other;
}

// Every cable law, actuators, loads, drag, off-centre bars, node masses, with every integrator.
Scenario rich(const std::string& law) {
  Scenario scenario = generated("prism");
  Model& model = scenario.model;
  model.gravity = Vec3(0.0, 0.0, -1.0);
  for (Cable& cable : model.cables) {
    cable.law.damping = 0.3;
    cable.law.kind = law == "softplus" ? LawKind::softplus : law == "spring" ? LawKind::spring : LawKind::linear;
  }
  model.bars[0].com = 0.4;
  model.bars[0].drag = 0.5;
  model.bars[1].turning_drag = 0.2;
  model.bars[1].inertia *= 1.7;
  model.nodes[0].mass = 0.2;
  model.nodes[3].velocity = Vec3(0.1, -0.3, 0.2);
  Actuator actuator;
  actuator.cable = 2;
  actuator.rest_length = ramp_signal(model.cables[2].rest_length, 0.9 * model.cables[2].rest_length, 0.0, 0.3);
  model.actuators.push_back(actuator);
  add_load(model, 4, Vec3(1.0, 2.0, -1.0), 0.1, 0.2);
  scenario.simulation.duration = 0.5;
  scenario.simulation.output_step = 0.1;
  return scenario;
}

struct MethodAccuracy {
  std::string integrator;
  double accuracy, agreement;  // m
};

class RodFormulationIntegrators : public ::testing::TestWithParam<MethodAccuracy> {};

TEST_P(RodFormulationIntegrators, AgreeWithNodal) {
  for (const char* law : {"linear", "softplus", "spring"}) {
    SCOPED_TRACE(law);
    Scenario scenario = rich(law);
    const Motion reference = run(scenario, "dopri5", 1e-12);
    for (const char* name : {"minimal", "quaternion"}) {
      SCOPED_TRACE(name);
      scenario.simulation.formulation = name;
      const Motion motion = run(scenario, GetParam().integrator, GetParam().accuracy);
      ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
      EXPECT_LT(largest_difference(reference, motion), GetParam().agreement);
      EXPECT_LT(motion.summary.max_bar_length_error, 1e-14);
    }
  }
}

// Agreement: what the method's own error is at this step or tolerance, found with nodal and rounded up.
INSTANTIATE_TEST_SUITE_P(Methods, RodFormulationIntegrators,
                         ::testing::Values(MethodAccuracy{"rk4", 1e-3, 1e-7}, MethodAccuracy{"dopri5", 1e-12, 1e-10},
                                           MethodAccuracy{"symplectic", 1e-4, 1e-5},
                                           MethodAccuracy{"cvode", 1e-10, 1e-6}, MethodAccuracy{"euler", 1e-5, 1e-3}),
                         [](const auto& one) { return one.param.integrator; });

// A bar that turns about an axis a little off the horizontal: it passes both poles of the first chart at 0.02 rad,
// where the azimuth jumps by nearly π.
TEST(Minimal, ARunThroughThePolesStaysRight) {
  Scenario scenario = empty_scenario(4.0, 0.05);
  const Vec3 axis = Vec3(0.02, 1.0, 0.01).normalized(),
             start = axis.cross(Vec3::UnitY().cross(Vec3::UnitX())).normalized();
  const int a = add_node(scenario.model, 0.5 * start, 0.0, {}, 1.5 * axis.cross(start));
  const int b = add_node(scenario.model, -0.5 * start, 0.0, {}, -1.5 * axis.cross(start));
  add_bar(scenario.model, a, b, 1.0);
  scenario.simulation.formulation = "minimal";
  const Motion motion = run(scenario, "dopri5", 1e-12);
  EXPECT_GE(motion.summary.chart_switches, 4);
  // Turns at 3 rad/s; the closed form.
  for (const Sample& row : motion.rows) {
    const Vec3 expected = Eigen::AngleAxisd(3.0 * row.t, axis) * (0.5 * start);
    EXPECT_LT((Vec3(row.nodes[0], row.nodes[1], row.nodes[2]) - expected).norm(), 1e-10) << row.t;
  }
  // With cvode a switch restarts the method; with fixed steps it costs nothing.
  for (const auto& [method, accuracy, agreement] : {std::tuple{"cvode", 1e-10, 1e-6}, std::tuple{"rk4", 1e-3, 1e-9}}) {
    const Motion other = run(scenario, method, accuracy);
    EXPECT_GE(other.summary.chart_switches, 4);
    EXPECT_LT(largest_difference(motion, other), agreement) << method;
  }
  // The bounded variant of the literature does not follow, and its energy grows: that is why there are charts.
  scenario.simulation.formulation = "minimal_bounded";
  const Motion bounded = run(scenario, "rk4", 1e-3);
  EXPECT_EQ(bounded.summary.status, RunStatus::failed);
  EXPECT_NE(bounded.summary.reason.find("the balance of energy is off by"), std::string::npos)
      << bounded.summary.reason;
}

TEST(Minimal, ARodOnThePoleAtTheStart) {
  Scenario scenario = empty_scenario(1.0, 0.1);
  const int a = add_node(scenario.model, Vec3(0.0, 0.0, 0.0), 0.0, {}, Vec3(-1.0, 0.5, 0.0));
  const int b = add_node(scenario.model, Vec3(0.0, 0.0, 1.0), 0.0, {}, Vec3(1.0, 0.5, 0.0));
  add_bar(scenario.model, a, b, 1.0);
  const Motion nodal = run(scenario, "dopri5", 1e-12);
  scenario.simulation.formulation = "minimal";
  EXPECT_LT(largest_difference(nodal, run(scenario, "dopri5", 1e-12)), 1e-11);
}

// Torque-free symmetric top: the axis precesses about the angular momentum h at |h|/J.
TEST(Quaternion, ASpinningBarPrecesses) {
  Scenario scenario = empty_scenario(2.0, 0.1);
  const int a = add_node(scenario.model, Vec3(0.0, 0.0, 0.0), 0.0, {}, Vec3(-0.2, 0.0, 0.0));
  const int b = add_node(scenario.model, Vec3(0.0, 0.0, 1.0), 0.0, {}, Vec3(0.2, 0.0, 0.0));
  Bar& bar = scenario.model.bars[add_bar(scenario.model, a, b, 12.0)];  // J = 1
  bar.axial_inertia = 0.05;
  bar.spin = 40.0;
  scenario.simulation.formulation = "quaternion";
  const Motion motion = run(scenario, "dopri5", 1e-12);
  const double omega = 0.4;
  const Vec3 h(0.0, omega, bar.axial_inertia * bar.spin);
  for (const Sample& row : motion.rows) {
    const Vec3 u = Eigen::AngleAxisd(h.norm() * row.t, h.normalized()) * Vec3::UnitZ();
    const Vec3 found(row.nodes[3] - row.nodes[0], row.nodes[4] - row.nodes[1], row.nodes[5] - row.nodes[2]);
    EXPECT_LT((found - u).norm(), 1e-10) << row.t;
  }
  // Nobody else has that motion.
  for (const char* other : {"nodal", "minimal", "point_mass"}) {
    scenario.simulation.formulation = other;
    EXPECT_THROW(run(scenario), InputError) << other;
  }
}

TEST(Quaternion, NormStaysWhateverTheConstraintMethod) {
  for (ConstraintMethod method : {ConstraintMethod::projection, ConstraintMethod::none, ConstraintMethod::baumgarte}) {
    Scenario scenario = thrown_six_bar(1.0);
    scenario.simulation.constraints = method;
    const Motion nodal = in_formulation(thrown_six_bar(1.0), "nodal");
    EXPECT_LT(largest_difference(nodal, in_formulation(scenario, "quaternion")), 1e-10);
    EXPECT_LT(largest_difference(nodal, in_formulation(scenario, "minimal")), 1e-10);
  }
}

// Ends that are held: a pendulum, a bar on two guides, a bar held at both ends (one row too many).
TEST(RodFormulations, HeldEndsAreConstraintsOfTheirRod) {
  Scenario scenario = empty_scenario(2.0, 0.1);
  Model& model = scenario.model;
  model.gravity = Vec3(0.0, 0.0, -9.806);
  const int pin = add_node(model, Vec3(0.0, 0.0, 0.0), 0.0, all_fixed);
  const int bob = add_node(model, Vec3(1.0, 0.2, -1.0), 0.3, {}, Vec3(0.0, 1.0, 0.0));
  add_bar(model, pin, bob, 1.0);
  const int left = add_node(model, Vec3(2.0, 0.0, 1.0), 0.0, {true, true, false});
  const int right = add_node(model, Vec3(3.0, 0.0, 0.0), 0.0, {false, true, true});
  add_bar(model, left, right, 2.0);
  const int first = add_node(model, Vec3(5.0, 0.0, 0.0), 0.0, all_fixed);
  const int second = add_node(model, Vec3(6.0, 0.0, 0.0), 0.0, all_fixed);
  add_bar(model, first, second, 1.0);
  const int anchor = add_node(model, Vec3(0.0, 2.0, 0.0), 0.0, all_fixed);
  add_cable(model, {bob, anchor}, linear_law(5.0), 0.5);
  add_cable(model, {bob, left}, linear_law(3.0, 0.1), 0.5);
  const Motion nodal = run(scenario, "dopri5", 1e-12);
  for (const char* name : {"minimal", "quaternion"}) {
    SCOPED_TRACE(name);
    scenario.simulation.formulation = name;
    const Motion motion = run(scenario, "dopri5", 1e-12);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    EXPECT_LT(largest_difference(nodal, motion), 1e-10);
    EXPECT_LT(motion.last().constraint_error, 1e-14);
    // What the supports give, from two routes: multipliers of held ends against M v̇ - f - Gᵀλ.
    ASSERT_EQ(motion.last().support_forces.size(), nodal.last().support_forces.size());
    for (std::size_t r = 0; r < nodal.rows.size(); ++r)
      for (std::size_t i = 0; i < nodal.last().support_forces.size(); ++i) {
        if (i / 3 == 3 || i / 3 == 4) continue;  // a bar held at both ends: along it the supports share as they like
        EXPECT_NEAR(motion.rows[r].support_forces[i], nodal.rows[r].support_forces[i], 1e-7) << r << " " << i;
      }
    const Motion implicit = run(scenario, "cvode", 1e-10);
    EXPECT_LT(largest_difference(nodal, implicit), 1e-6);
    EXPECT_THROW(run(scenario, "symplectic", 1e-3), InputError);
  }
}

// Total force on a structure at rest: supports carry the weight.
TEST(SupportForces, CarryTheWeight) {
  Scenario scenario = generated("pendulum");
  Model& model = scenario.model;
  model.nodes[1].position = model.nodes[0].position - Vec3(0.0, 0.0, start_length(model, model.bars[0]));
  const Motion motion = run(scenario, "dopri5", 1e-10);
  EXPECT_NEAR(motion.last().support_forces[2], -model.bars[0].mass * model.gravity[2], 1e-9);
}

TEST(Drag, SlowsABarAsTheExponentialSays) {
  Scenario scenario = empty_scenario(2.0, 0.5);
  const int a = add_node(scenario.model, Vec3(0.0, 0.0, 0.0), 0.0, {}, Vec3(1.0, -0.5, 0.0));
  const int b = add_node(scenario.model, Vec3(1.0, 0.0, 0.0), 0.0, {}, Vec3(1.0, 0.5, 0.0));
  Bar& bar = scenario.model.bars[add_bar(scenario.model, a, b, 2.0)];
  bar.drag = 3.0;
  bar.turning_drag = 0.1;
  const double J = bar.inertia;
  for (const char* name : {"nodal", "minimal", "quaternion"}) {
    scenario.simulation.formulation = name;
    for (const auto& [method, accuracy, tolerance] :
         {std::tuple{"dopri5", 1e-12, 1e-10}, std::tuple{"symplectic", 1e-4, 1e-6}, std::tuple{"cvode", 1e-10, 1e-7}}) {
      const Motion motion = run(scenario, method, accuracy);
      for (const Sample& row : motion.rows) {
        const double vx = 0.5 * (row.velocities[0] + row.velocities[3]);
        const Vec3 relative(row.velocities[3] - row.velocities[0], row.velocities[4] - row.velocities[1], 0.0);
        EXPECT_NEAR(vx, std::exp(-3.0 / 2.0 * row.t), tolerance) << name << " " << method;
        EXPECT_NEAR(relative.norm(), std::exp(-0.1 / J * row.t), tolerance) << name << " " << method;
      }
      EXPECT_LT(motion.summary.energy_drift, 10.0 * tolerance) << name << " " << method;
    }
  }
}

// The correction of drift with its two gains: an error at the start decays as x'' + k_d x' + k_s x = 0 says.
TEST(PointMass, DriftIsPulledBackByTheGains) {
  Scenario scenario = thrown_six_bar(20.0);
  make_dumbbells(scenario.model);
  scenario.simulation.formulation = "point_mass";
  scenario.simulation.constraints = ConstraintMethod::none;
  const double drift = run(scenario, "rk4", 5e-3).summary.max_bar_length_error;
  scenario.simulation.constraints = ConstraintMethod::baumgarte;
  scenario.simulation.k_s = 2500.0;
  scenario.simulation.k_d = 100.0;
  const double held = run(scenario, "rk4", 5e-3).summary.max_bar_length_error;
  scenario.simulation.constraints = ConstraintMethod::projection;
  const double projected = run(scenario, "rk4", 5e-3).summary.max_bar_length_error;
  EXPECT_LT(held, 0.2 * drift);
  EXPECT_LT(projected, 1e-14);
}

void expect_refusal(const Model& model, const std::string& formulation, const std::string& part) {
  try {
    make_formulation(formulation, model);
    ADD_FAILURE() << formulation << " took it";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(RodFormulations, SayWhyTheyCannotRepresentAModel) {
  for (const char* name : {"minimal", "quaternion"}) {
    expect_refusal(generated("double_pendulum").model, name, "share node");
    Model free_node = generated("prism").model;
    add_node(free_node, Vec3(0.0, 0.0, 3.0), 1.0);
    expect_refusal(free_node, name, "is free and belongs to no bar");
    Model elastic = generated("prism").model;
    elastic.bars[0].elastic = true;
    elastic.bars[0].EA = 1e5;
    expect_refusal(elastic, name, "is elastic");
    Model heavy = generated("prism").model;
    heavy.cables[0].mass = 0.1;
    expect_refusal(heavy, name, "has mass along its length");
    heavy.cables[0].mass_model = MassModel::lumped;
    EXPECT_NO_THROW(make_formulation(name, heavy));
  }
  expect_refusal(generated("prism").model, "quaternoin", "expected one of nodal, minimal, quaternion, point_mass");
}

}  // namespace
}  // namespace taut::testing
