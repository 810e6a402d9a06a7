// Damping of the whole motion of a cable's ends (Savin et al. 2020, eq. 3): the force by its definition, closed forms in
// every formulation and integrator, the derivative, and what the reader says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "taut/dynamics/dynamics.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/modes/linearise.h"
#include "taut/modes/modes.h"
#include "tests/formulation/random_structure.h"
#include "tests/support/complaint.h"
#include "tests/support/differences.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::VectorXd;

CableLaw vector_law(LawKind kind, double stiffness, double damping) {
  CableLaw law;
  law.kind = kind;
  law.damping_model = DampingModel::vector;
  law.clip = kind != LawKind::linear;
  law.stiffness = stiffness;
  law.damping = damping;
  law.beta = 0.1;
  if (kind == LawKind::table) law.strain = {0.0, 0.1, 3.0}, law.force = {0.0, 30.0, 40.0};
  return law;
}

// f on b = -T_e u - c w (ẋ_b - ẋ_a - L̇0 u), w = 1 while the elastic part pulls, s'(e) of a softplus cable; what it
// dissipates is c w |.|², with nothing clipped.
TEST(VectorDamping, ForceAndPowerByTheDefinition) {
  constexpr double c = 7.0, rest = 1.0;
  int slack = 0, pushing = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Model model;
    const Vec3 from = random.vector(0.9), to = random.vector(0.9);
    add_node(model, from, 1.0, {}, random.vector(5.0));
    add_node(model, to, 1.0, {}, random.vector(5.0));
    const LawKind kind = std::array{LawKind::linear, LawKind::softplus, LawKind::spring, LawKind::table}[seed % 4];
    const CableLaw law = vector_law(kind, 50.0, c);
    add_cable(model, {0, 1}, law, rest);
    model.actuators.push_back({0, ramp_signal(rest - 0.3, rest + 0.3, -1.0, 1.0)});
    const Cables cables(model);
    CableTerms terms = cables.make_terms();
    cables.set_time(0.0, terms);
    AlignedDoubles x(8, 0.0), v(8, 0.0), nothing(8, 0.0), f(8, 0.0);
    for (int i = 0; i < 2; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        x[4 * i + axis] = model.nodes[i].position[axis];
        v[4 * i + axis] = model.nodes[i].velocity[axis];
      }
    cables.apply(x.data(), v.data(), nothing.data(), f.data(), terms);
    const Vec3 d = to - from, u = d.normalized(), apart = model.nodes[1].velocity - model.nodes[0].velocity;
    const double winding = terms.rest_rate[cables.slot_of_cable(0)];
    EXPECT_GT(winding, 0.3);
    const double e = d.norm() - rest, elastic = elastic_tension(law, e, rest);
    const double weight = kind == LawKind::softplus ? 0.5 * (1.0 + e / std::hypot(e, law.beta))
                          : kind == LawKind::spring ? 1.0
                          : elastic > 0.0           ? 1.0
                                                    : 0.0;
    const Vec3 moving = apart - winding * u, expected = -elastic * u - c * weight * moving;
    const double size = elastic + c * moving.norm();
    EXPECT_LT((Vec3(f.data() + 4) - expected).norm(), 1e-14 * size) << seed;
    EXPECT_LT((Vec3(f.data()) + expected).norm(), 1e-14 * size) << seed;
    EXPECT_NEAR(terms.tension[cables.slot_of_cable(0)], -expected.dot(u), 1e-14 * size);
    EXPECT_NEAR(terms.dissipated_power, c * weight * moving.squaredNorm(), 1e-13 * size * moving.norm());
    slack += weight == 0.0;
    pushing += expected.dot(u) > 0.0 && kind != LawKind::spring;
  }
  EXPECT_GT(slack, 10);
  EXPECT_GT(pushing, 10);
}

// A spring without a free length: m/2 d̈ = -k d - c ḋ, every component for itself.
TEST(VectorDamping, ALinearOscillatorInSpace) {
  Scenario scenario = empty_scenario(2.0, 0.25);
  const double m = 2.0, k = 9.0, c = 1.5;
  add_node(scenario.model, Vec3::Zero(), m, {}, {0.1, 0.2, -0.3});
  add_node(scenario.model, Vec3(1.0, 0.0, 0.2), m, {}, {0.1, -1.0, 0.5});
  add_cable(scenario.model, {0, 1}, vector_law(LawKind::spring, k, c), 0.0);
  for (const auto& [integrator, accuracy, bound] :
       {std::tuple{"dopri5", 1e-11, 1e-10}, {"cvode", 1e-10, 1e-7}, {"rk4", 1e-3, 1e-11}, {"symplectic", 1e-3, 1e-5}}) {
    const Motion motion = run(scenario, integrator, accuracy);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    for (const Sample& row : motion.rows) {
      const double rate = c / m, w = std::sqrt(2.0 * k / m - rate * rate);
      const Vec3 d0(1.0, 0.0, 0.2), v0(0.0, -1.2, 0.8);
      const Vec3 d =
          std::exp(-rate * row.t) * (std::cos(w * row.t) * d0 + std::sin(w * row.t) / w * Vec3(v0 + rate * d0));
      EXPECT_LT((position(row, 1) - position(row, 0) - d).norm(), bound) << integrator << " " << row.t;
    }
    EXPECT_LT(motion.summary.energy_drift, 30.0 * bound) << integrator;
  }
}

// A rod of mass m turns, and a taut cable between its ends brakes it: J ω̇ = -c L² ω. Damping along the cable does
// nothing.
TEST(VectorDamping, BrakesARigidRotationInEveryFormulation) {
  const double m = 3.0, L = 2.0, c = 0.5, w0 = 0.8, T = 2.0;
  for (const char* formulation : {"nodal", "point_mass", "minimal", "quaternion", "multibody"})
    for (const char* integrator : {"dopri5", "cvode", "symplectic"})
      for (const bool vector : {false, true}) {
        if (std::string(integrator) == "symplectic" && std::string(formulation) == "multibody") continue;
        SCOPED_TRACE(fmt::format("{} {} {}", formulation, integrator, vector));
        Scenario scenario = empty_scenario(T, T);
        Model& model = scenario.model;
        const Vec3 u = Vec3(1.0, 0.4, 0.3).normalized(),
                   turn = 0.5 * L * w0 * u.cross(Vec3(0.2, 1.0, 0.5)).normalized();
        add_node(model, -0.5 * L * u, 0.0, {}, -turn);
        add_node(model, 0.5 * L * u, 0.0, {}, turn);
        add_bar(model, 0, 1, m);
        if (std::string(formulation) == "point_mass") model.bars[0].inertia = m * L * L / 4.0;
        CableLaw law = vector_law(LawKind::linear, 100.0, c);
        if (!vector) law.damping_model = DampingModel::axial, law.clip = true;
        add_cable(model, {0, 1}, law, 0.5 * L);
        scenario.simulation.formulation = formulation;
        const bool fixed = std::string(integrator) == "symplectic";
        const Motion motion = run(scenario, integrator, fixed ? 1e-3 : 1e-10);
        ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
        const double w = w0 * (vector ? std::exp(-c * L * L / model.bars[0].inertia * T) : 1.0);
        EXPECT_NEAR(velocity(motion.last(), 1).norm(), 0.5 * L * w, fixed ? 1e-5 : 1e-7);
        EXPECT_LT(motion.summary.energy_drift, fixed ? 1e-5 : 1e-7);
      }
}

// The six-bar thrown and spun, cables that go slack and taut: one motion in all formulations, by both methods that find
// the switches, energy and momentum accounted for, angular momentum lost.
TEST(VectorDamping, OneMotionInAllFormulations) {
  for (const LawKind kind : {LawKind::linear, LawKind::softplus}) {
    Scenario scenario = generated("six_bar", {{"velocity_x", 1.0}, {"spin_x", 6.0}, {"spin_z", 2.0}});
    scenario.model.gravity.setZero();
    for (Cable& cable : scenario.model.cables) {
      const double k = cable.law.stiffness;
      cable.law = vector_law(kind, k, 4.0);
      cable.rest_length *= 1.05;
    }
    for (Node& node : scenario.model.nodes) node.velocity += 2.0 * node.position;  // pulls along the cables
    for (const Bar& bar : scenario.model.bars) {                                   // but not along the bars
      Node &a = scenario.model.nodes[bar.a], &b = scenario.model.nodes[bar.b];
      const Vec3 u = (b.position - a.position).normalized(), along = 0.5 * u.dot(b.velocity - a.velocity) * u;
      a.velocity += along, b.velocity -= along;
    }
    scenario.simulation.duration = scenario.simulation.output_step = 0.5;
    std::vector<Motion> motions;
    for (const char* formulation : {"nodal", "minimal", "quaternion", "multibody"}) {
      scenario.simulation.formulation = formulation;
      motions.push_back(run(scenario, "dopri5", 1e-10));
      motions.push_back(run(scenario, "cvode", 1e-9));
    }
    const Motion& first = motions.front();
    for (const Motion& motion : motions) {
      ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
      EXPECT_LT(distance(motion.last(), first.last()), 1e-6) << name(kind);
      EXPECT_LT(motion.summary.energy_drift, 1e-6) << name(kind);
      if (kind == LawKind::linear) {
        EXPECT_GT(motion.summary.slack_events.size(), 10u);
        EXPECT_EQ(motion.summary.slack_events.size(), first.summary.slack_events.size());
      }
    }
    const Momentum before = momentum(scenario.model, first.rows.front()),
                   after = momentum(scenario.model, first.last());
    EXPECT_LT((after.linear - before.linear).norm(), 1e-9);
    EXPECT_LT(after.angular.norm(), 0.9 * before.angular.norm());
  }
}

// The tangent against differences, on rods that move; with the multibody formulation too.
TEST(VectorDamping, TangentIsTheDerivative) {
  for (unsigned seed = 0; seed < 24; ++seed)
    for (const char* formulation : {"nodal", "minimal", "quaternion", "multibody"}) {
      SCOPED_TRACE(fmt::format("{} {}", formulation, seed));
      Random random(seed);
      Model model = generated("six_bar", {{"spin_x", 2.0}, {"spin_y", -1.0}, {"velocity_z", 0.5}}).model;
      for (std::size_t j = 0; j < model.cables.size(); ++j) {
        Cable& cable = model.cables[j];
        const LawKind kind =
            std::array{LawKind::linear, LawKind::softplus, LawKind::spring, LawKind::table}[(j + seed) % 4];
        cable.law = vector_law(kind, random.between(20.0, 200.0), random.between(0.1, 2.0));
        cable.rest_length = start_length(model, cable) * random.between(0.4, 0.8);
      }
      model.actuators.push_back({3, ramp_signal(model.cables[3].rest_length, 0.4, -1.0, 1.0)});
      const Dynamics dynamics(model, formulation, ConstraintMethod::projection);
      const State state = dynamics.start();
      Terms terms = dynamics.make_terms();
      const int nq = state.nq, nv = state.nv;
      // A motion that keeps the constraints: along it the derivative does not depend on what is off them.
      State other = state;
      for (int i = 0; i < nv; ++i) other.v()[i] = random.between(-1.0, 1.0);
      ASSERT_GE(dynamics.formulation().project(other.q(), other.v(), terms), 0.0);
      VectorXd along_q(nq), along_v(nv);
      dynamics.formulation().coordinate_rates(state.q(), other.v(), along_q.data());
      for (int i = 0; i < nv; ++i) along_v[i] = random.between(-1.0, 1.0);
      const auto rates = [&](double s, double w) {
        State moved = state;
        VectorXd::Map(moved.q(), nq) += s * along_q;
        VectorXd::Map(moved.v(), nv) += w * along_v;
        VectorXd rate = VectorXd::Zero(dynamics.size());
        dynamics.rhs(0.0, moved.y.data(), rate.data(), terms);
        return VectorXd(rate.segment(nq, nv));
      };
      const VectorXd by_q = derivative([&](double s) { return rates(s, 0.0); }),
                     by_v = derivative([&](double s) { return rates(0.0, s); });
      VectorXd rate = VectorXd::Zero(dynamics.size());
      dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
      const auto tangent = dynamics.formulation().make_tangent(dynamics.cables());
      tangent->evaluate(state.q(), state.v(), rate.data() + nq, terms);
      VectorXd unused(nq), found(nv);
      tangent->multiply({.q = along_q.data()}, unused.data(), found.data());
      EXPECT_LT((found - by_q).norm(), 1e-7 * (1.0 + by_q.norm()));
      tangent->multiply({.v = along_v.data()}, unused.data(), found.data());
      EXPECT_LT((found - by_v).norm(), 1e-7 * (1.0 + by_v.norm()));
    }
}

// By the rest length of a softplus cable that moves: the damping across it fades with the elongation as well.
TEST(VectorDamping, LinearInputsAreDerivatives) {
  Scenario scenario = empty_scenario();
  Model& model = scenario.model;
  add_node(model, Vec3::Zero(), 1.0, {}, {0.3, -0.4, 0.5});
  add_node(model, Vec3(1.0, 0.2, 0.0), 2.0, {}, {-0.1, 0.7, 0.2});
  add_cable(model, {0, 1}, vector_law(LawKind::softplus, 40.0, 3.0), 0.97);
  const auto rates = [&](double change) {
    Model changed = model;
    changed.cables[0].rest_length += change;
    const Dynamics dynamics(changed, "nodal", ConstraintMethod::projection);
    const State state = dynamics.start();
    Terms terms = dynamics.make_terms();
    VectorXd rate = VectorXd::Zero(dynamics.size());
    dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
    return VectorXd(rate.head(12));
  };
  const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
  const LinearModel linear = linearise(dynamics, dynamics.start());
  EXPECT_LT((linear.B.col(0) - derivative(rates, 1e-4)).norm(), 1e-8 * linear.B.col(0).norm());
}

// A mass on a taut string: across it m ẍ + c ẋ + T/l x = 0, along it m ẍ + c ẋ + k x = 0.
TEST(VectorDamping, DampingRatiosOfAString) {
  const double m = 2.0, k = 300.0, T = 50.0, l = 1.5, c = 2.4;
  for (const bool vector : {false, true}) {
    Scenario scenario = empty_scenario();
    Model& model = scenario.model;
    add_node(model, Vec3::Zero(), 0.0, all_fixed);
    add_node(model, Vec3(l, 0.0, 0.0), m);
    add_node(model, Vec3(2.0 * l, 0.0, 0.0), 0.0, all_fixed);
    CableLaw law = vector_law(LawKind::linear, k, c);
    if (!vector) law.damping_model = DampingModel::axial, law.clip = true;
    add_cable(model, {0, 1}, law, l - T / k);
    add_cable(model, {1, 2}, law, l - T / k);
    const ModalAnalysis modes = find_modes(model);
    ASSERT_EQ(modes.damping.size(), 3);
    const double across = std::sqrt(2.0 * T / l / m), along = std::sqrt(2.0 * k / m);
    for (const int i : {0, 1}) EXPECT_NEAR(modes.damping[i], vector ? c / m / across : 0.0, 1e-12);
    EXPECT_NEAR(modes.damping[2], c / m / along, 1e-12);
    const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
    const LinearModel linear = linearise(dynamics, dynamics.start());
    double fastest = 0.0;
    for (const auto& value : linear.eigenvalues) fastest = std::max(fastest, std::abs(value.imag()));
    EXPECT_NEAR(fastest, std::sqrt(along * along - c * c / m / m), 1e-10);
  }
}

std::string file(const std::string& keys, const std::string& nodes = R"(nodes = ["a", "b"])") {
  return fmt::format(R"([environment]
gravity = [0, 0, 0]
[nodes]
a = {{ at = [0, 0, 0], mass = 1 }}
b = {{ at = [1, 0, 0], mass = 1, velocity = [0.2, 0.3, 0] }}
c = {{ at = [1, 1, 0], mass = 1 }}
[[cables]]
{}
stiffness = 100
damping = 3
damping_model = "vector"
pretension = 10
{}
)",
                     nodes, keys);
}

TEST(VectorDamping, InTheModelFile) {
  const Scenario scenario = read_scenario_text(file(""), "m.toml");
  EXPECT_EQ(scenario.model.cables[0].law.damping_model, DampingModel::vector);
  EXPECT_FALSE(scenario.model.cables[0].law.clip);
  for (const char* keys : {"", "clip = false", "law = \"spring\"", "law = \"softplus\""}) {
    const Scenario read = read_scenario_text(file(keys), "m.toml");
    EXPECT_EQ(read_scenario_text(to_toml(read), "again.toml"), read) << keys;
  }
  EXPECT_EQ(read_scenario_text(file("", "paths = [[\"a\", \"b\"], [\"b\", \"c\"]]"), "m.toml").model.cables.size(), 2u);
  const auto complaint_about = [](const std::string& text) {
    return complaint([&] { read_scenario_text(text, "m.toml"); });
  };
  EXPECT_NE(complaint_about(file("clip = true")).find("vector damping is not along the cable and not clipped"),
            std::string::npos);
  EXPECT_NE(complaint_about(file("yield = 20")).find("a cable that yields only pulls"), std::string::npos);
  EXPECT_NE(complaint_about(file("", R"(nodes = ["a", "b", "c"])")).find("slides through nodes has 3; expected axial"),
            std::string::npos);
  // A generator's cables, by an override.
  const Scenario six =
      read_scenario(std::string(TAUT_SOURCE_DIR) + "/models/six_bar_drop.toml", {"cables.*.damping_model=\"vector\""});
  for (const Cable& cable : six.model.cables) EXPECT_EQ(cable.law.damping_model, DampingModel::vector);
}

// Pieces brake a rigid rotation as the whole does, and stretching too.
TEST(VectorDamping, PiecesTogetherAreTheWhole) {
  std::vector<double> powers;
  for (const char* keys : {"mass = 1", "mass = 1\npieces = 5"}) {
    const Scenario scenario = read_scenario_text(file(keys), "m.toml");
    const Dynamics dynamics(scenario.model, "nodal", ConstraintMethod::projection);
    const State state = dynamics.start();
    Terms terms = dynamics.make_terms();
    dynamics.forces(0.0, state.q(), state.v(), terms);
    powers.push_back(terms.dissipated_power);
  }
  EXPECT_NEAR(powers[0], 3.0 * (0.2 * 0.2 + 0.3 * 0.3), 1e-14);
  EXPECT_NEAR(powers[1], powers[0], 1e-14);
}

}  // namespace
}  // namespace taut::testing
