// Linear models against differences of the motion, against closed forms, and formulation against formulation.
#include "taut/modes/linearise.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numbers>
#include <tuple>

#include "taut/base/error.h"
#include "tests/apps/program.h"
#include "tests/support/differences.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double pi = std::numbers::pi;

Scenario six_bar_at_rest() {
  Scenario scenario = generated("six_bar");
  scenario.model.gravity.setZero();
  return scenario;
}

LinearModel linear_in(const Model& model, const std::string& formulation, const LinearOptions& options = {},
                      ConstraintMethod method = ConstraintMethod::projection) {
  const Dynamics dynamics(model, formulation, method);
  return linearise(dynamics, dynamics.start(), options);
}

// A rod near a pole of its chart, pulled by two cables, free or held at its lower end. The Berkeley chapter bounds φ and
// θ̇ in the accelerations (§3.3.4), so inside the buffer of 0.08 rad they depend on φ only through the forces: A is the
// derivative of the motion as it is computed, at both poles, beyond them, and with θ̇ at its bound.
TEST(Linearise, BoundedAnglesAreDerivedAsTheyAreBounded) {
  for (const bool held : {false, true})
    for (const double degrees : {20.0, 3.0, 1.0, 0.2, -1.0, -20.0, 179.0, 160.0})
      for (const double theta_rate : {0.4, 1.7}) {
        SCOPED_TRACE(::testing::Message() << degrees << " deg, rate " << theta_rate << (held ? ", held" : ", free"));
        Scenario scenario = empty_scenario(1.0, 0.1);
        Model& model = scenario.model;
        model.gravity = Vec3(0.0, 0.0, -9.81);
        const Vec3 u(std::sin(1.0) * std::cos(0.7), std::sin(1.0) * std::sin(0.7), std::cos(1.0));
        const int a = add_node(model, -0.5 * u, 0.0, held ? all_fixed : Axes{}), b = add_node(model, 0.5 * u);
        add_bar(model, a, b, 2.0);
        const int left = add_node(model, Vec3(2.0, 0.3, 0.2), 0.0, all_fixed),
                  right = add_node(model, Vec3(-0.5, 1.5, 1.9), 0.0, all_fixed);
        add_cable(model, {b, left}, linear_law(40.0, 0.3), 0.5);
        add_cable(model, {a, right}, linear_law(30.0, 0.2), 0.5);
        add_cable(model, {b, right}, linear_law(20.0, 0.1), 0.5);
        const Dynamics dynamics(model, "minimal_bounded", ConstraintMethod::projection);
        State state = dynamics.start();
        const double phi = degrees * pi / 180.0;
        state.q()[4] = phi;
        state.v()[3] = theta_rate;
        state.v()[4] = -0.3;
        // The held end stays where it is while the rod is turned.
        if (held) {
          Terms terms = dynamics.make_terms();
          state.q()[0] += -0.5 * u[0] + 0.5 * std::sin(phi) * std::cos(0.7);
          state.q()[1] += -0.5 * u[1] + 0.5 * std::sin(phi) * std::sin(0.7);
          state.q()[2] += -0.5 * u[2] + 0.5 * std::cos(phi);
          ASSERT_LT(dynamics.formulation().constraint_errors(state.q()).length, 1e-15);
          ASSERT_GE(dynamics.formulation().project(state.q(), state.v(), terms), 0.0);
          ASSERT_NEAR(state.q()[4], phi, 1e-15);
        }
        const LinearModel linear = linearise(dynamics, state);
        const auto& names = dynamics.formulation().facts().state_names;
        Terms terms = dynamics.make_terms();
        const auto rates = [&](int changed, double change) {
          State moved = state;
          moved.y[changed] += change;
          VectorXd all = VectorXd::Zero(dynamics.size());
          dynamics.rhs(0.0, moved.y.data(), all.data(), terms);
          VectorXd kept(linear.A.rows());
          for (long i = 0, k = 0; i < static_cast<long>(names.size()); ++i)
            if (!names[static_cast<std::size_t>(i)].empty()) kept[k++] = all[i];
          return kept;
        };
        // A held rod has accelerations of 1/sin φ: differences leave (h/φ)⁴/30 of them, 1e-7 at 0.2 degrees.
        for (long i = 0, k = 0; i < static_cast<long>(names.size()); ++i)
          if (!names[static_cast<std::size_t>(i)].empty()) {
            const VectorXd column = derivative([&](double change) { return rates(static_cast<int>(i), change); }, 1e-4);
            EXPECT_LT((linear.A.col(k) - column).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + column.cwiseAbs().maxCoeff()))
                << names[static_cast<std::size_t>(i)];
            ++k;
          }
      }
}

// On the pole itself the bounded accelerations of a rod are finite, and so is A.
TEST(Linearise, ABoundedRodOnThePoleHasALinearModel) {
  Scenario scenario = empty_scenario(1.0, 0.1);
  Model& model = scenario.model;
  const int a = add_node(model, Vec3(0.0, 0.0, -0.5)), b = add_node(model, Vec3(0.0, 0.0, 0.5));
  add_bar(model, a, b, 2.0);
  add_cable(model, {b, add_node(model, Vec3(2.0, 0.3, 0.2), 0.0, all_fixed)}, linear_law(40.0), 0.5);
  EXPECT_TRUE(linear_in(model, "minimal_bounded").A.allFinite());
}

// 1 kg, 1 m rods, 500 N/m, 20 N: the lowest is √(8T/(m s))/2π, and every formulation has the same 24.
TEST(Linearise, SixBarHasItsFrequenciesInEveryFormulation) {
  const Model model = six_bar_at_rest().model;
  const double tension = 500.0 * (start_length(model, model.cables[0]) - model.cables[0].rest_length);
  const double lowest =
      std::sqrt(8.0 * tension / (model.bars[0].mass * start_length(model, model.cables[0]))) / (2.0 * pi);
  const std::vector<double> reference = frequencies(linear_in(model, "nodal").eigenvalues);
  ASSERT_EQ(reference.size(), 24u);
  EXPECT_NEAR(reference[0] / lowest, 1.0, 1e-10);
  EXPECT_NEAR(lowest, 2.5726, 5e-5);
  for (const char* name : {"minimal", "quaternion"}) {
    const std::vector<double> found = frequencies(linear_in(model, name).eigenvalues);
    ASSERT_EQ(found.size(), 24u) << name;
    for (int i = 0; i < 24; ++i) EXPECT_NEAR(found[i] / reference[i], 1.0, 1e-8) << name << " " << i;
  }
  // Lumped rods: another robot, but the same in nodal and point_mass.
  Model dumbbells = model;
  for (Bar& bar : dumbbells.bars) bar.inertia = bar.mass * std::pow(start_length(model, bar), 2) / 4.0;
  const std::vector<double> lumped = frequencies(linear_in(dumbbells, "point_mass").eigenvalues);
  const std::vector<double> full = frequencies(linear_in(dumbbells, "minimal").eigenvalues);
  ASSERT_EQ(lumped.size(), 24u);
  for (int i = 0; i < 24; ++i) EXPECT_NEAR(lumped[i] / full[i], 1.0, 1e-8);
}

// Everything that depends on state or rest length: laws, stiffness by EA, damping, drag, motion.
Scenario rich() {
  Scenario scenario = generated("prism");
  Random random(3);
  for (std::size_t i = 0; i < scenario.model.cables.size(); ++i) {
    CableLaw& law = scenario.model.cables[i].law;
    law.damping = 0.4;
    law.beta = 0.02;
    if (i % 4 == 1) law.kind = LawKind::softplus;
    if (i % 4 == 2) law.kind = LawKind::spring;
    if (i % 4 == 3) law.kind = LawKind::table, law.strain = {0.0, 1.0}, law.force = {0.0, 80.0};
    if (i % 3 == 0) law.by_EA = true;
  }
  for (Node& node : scenario.model.nodes) node.velocity = random.vector(0.1);
  scenario.model.bars[0].drag = 0.7;
  scenario.model.bars[1].turning_drag = 0.3;
  return scenario;
}

TEST(Linearise, MatricesAreTheDifferencesOfTheMotion) {
  for (const char* name : {"nodal", "minimal", "quaternion", "point_mass"}) {
    SCOPED_TRACE(name);
    const Model model = rich().model;
    const Dynamics dynamics(model, name, ConstraintMethod::baumgarte);
    const bool has_lengths = std::string(name) == "nodal" || std::string(name) == "point_mass";
    const State state = dynamics.start();
    const LinearModel linear = linearise(dynamics, state, {.bar_lengths = has_lengths});
    const std::vector<std::string> names = dynamics.formulation().facts().state_names;
    std::vector<int> kept;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty()) kept.push_back(static_cast<int>(i));
    ASSERT_EQ(linear.A.rows(), static_cast<long>(kept.size()));
    const auto rates = [&](const Dynamics& d, const VectorXd& y) {
      Terms terms = d.make_terms();
      VectorXd rate = VectorXd::Zero(d.size()), part(kept.size());
      d.rhs(0.0, y.data(), rate.data(), terms);
      for (std::size_t i = 0; i < kept.size(); ++i) part[static_cast<long>(i)] = rate[kept[i]];
      return part;
    };
    constexpr double epsilon = 1e-6;
    const double scale = linear.A.cwiseAbs().maxCoeff();
    for (std::size_t j = 0; j < kept.size(); ++j) {
      VectorXd above = state.y, below = state.y;
      above[kept[j]] += epsilon;
      below[kept[j]] -= epsilon;
      const VectorXd column = (rates(dynamics, above) - rates(dynamics, below)) / (2.0 * epsilon);
      EXPECT_LT((column - linear.A.col(static_cast<long>(j))).cwiseAbs().maxCoeff(), 1e-8 * scale) << linear.states[j];
    }
    const double input_scale = linear.B.cwiseAbs().maxCoeff();
    for (std::size_t j = 0; j < model.cables.size(); ++j) {
      Model longer = model, shorter = model;
      longer.cables[j].rest_length += epsilon;
      shorter.cables[j].rest_length -= epsilon;
      const Dynamics a(longer, name, ConstraintMethod::baumgarte), b(shorter, name, ConstraintMethod::baumgarte);
      const VectorXd column = (rates(a, state.y) - rates(b, state.y)) / (2.0 * epsilon);
      EXPECT_LT((column - linear.B.col(static_cast<long>(j))).cwiseAbs().maxCoeff(), 1e-7 * input_scale)
          << linear.inputs[j];
      EXPECT_EQ(linear.inputs[j], model.cables[j].name);
    }
    // A bar of another length, at the same place: the correction pulls.
    for (std::size_t j = 0; has_lengths && j < model.bars.size(); ++j) {
      const auto stretched = [&](double by) {
        Model other = model;
        const Bar& bar = model.bars[j];
        const Vec3 u = (model.nodes[bar.b].position - model.nodes[bar.a].position).normalized();
        const double length = start_length(model, bar);
        other.nodes[bar.b].position += by * u;
        other.bars[j].rest_length += by;
        other.bars[j].inertia *= std::pow((length + by) / length, 2);       // the same mass matrix
        other.bars[j].turning_drag *= std::pow((length + by) / length, 2);  // and the same drag matrix
        return other;
      };
      const Model longer = stretched(epsilon), shorter = stretched(-epsilon);
      const Dynamics a(longer, name, ConstraintMethod::baumgarte), b(shorter, name, ConstraintMethod::baumgarte);
      const VectorXd column = (rates(a, state.y) - rates(b, state.y)) / (2.0 * epsilon);
      EXPECT_LT((column - linear.B.col(static_cast<long>(model.cables.size() + j))).cwiseAbs().maxCoeff(),
                1e-6 * (1.0 + column.norm()));
    }
  }
}

TEST(Linearise, LengthsAsStatesGiveTheFormOf102States) {
  const Model model = six_bar_at_rest().model;
  const LinearModel inputs = linear_in(model, "nodal", {.bar_lengths = true}, ConstraintMethod::baumgarte);
  const LinearModel states = linear_in(model, "nodal", {true, true}, ConstraintMethod::baumgarte);
  EXPECT_EQ(states.A.rows(), 102);
  EXPECT_EQ(states.B.cols(), 30);
  EXPECT_EQ(states.A.topLeftCorner(72, 72), inputs.A);
  EXPECT_EQ(states.A.topRightCorner(72, 30), inputs.B);
  EXPECT_EQ(states.A.bottomRows(30).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_THROW(linear_in(model, "minimal", {.bar_lengths = true}, ConstraintMethod::baumgarte), InputError);
  EXPECT_THROW(linear_in(model, "nodal", {.bar_lengths = true}), InputError);
}

// A mass on a spring with damping: every discretisation in closed form, and their orders.
TEST(Discretise, HasTheRightOrderAndTheExactOneIsExact) {
  Scenario scenario = empty_scenario();
  add_node(scenario.model, Vec3::Zero(), 0.0, all_fixed);
  add_node(scenario.model, Vec3(1.0, 0.0, 0.0), 2.0, {false, true, true});
  add_cable(scenario.model, {0, 1}, spring_law(50.0, 0.6), 1.0);
  const LinearModel linear = linear_in(scenario.model, "nodal");
  ASSERT_EQ(linear.A.rows(), 2);
  EXPECT_EQ(linear.states, (std::vector<std::string>{"n2.x", "n2.vx"}));
  MatrixXd A(2, 2);
  A << 0.0, 1.0, -25.0, -0.3;
  EXPECT_LT((linear.A - A).norm(), 1e-12);
  EXPECT_LT((linear.B - Eigen::Vector2d(0.0, 25.0)).norm(), 1e-12);  // a longer rest length pushes out
  // e^{-ζωt}(cos + ...): the exact propagator.
  const double decay = 0.15, omega = std::sqrt(25.0 - decay * decay);
  const auto exact = [&](double h) {
    MatrixXd P(2, 2);
    const double c = std::cos(omega * h), s = std::sin(omega * h) / omega, e = std::exp(-decay * h);
    P << e * (c + decay * s), e * s, -25.0 * e * s, e * (c - decay * s);
    return P;
  };
  const DiscreteModel found = discretise(linear, Discretisation::exact, 0.1);
  EXPECT_LT((found.Ad - exact(0.1)).norm(), 1e-13);
  // A held input moves the rest position: x∞ = u, so Bd = (I - Ad) (1, 0).
  EXPECT_LT((found.Bd - (MatrixXd::Identity(2, 2) - exact(0.1)) * Eigen::Vector2d(1.0, 0.0)).norm(), 1e-13);
  const auto error = [&](Discretisation method, double h) {
    return (discretise(linear, method, h).Ad - exact(h)).norm();
  };
  EXPECT_NEAR(std::log2(error(Discretisation::euler, 1e-2) / error(Discretisation::euler, 5e-3)), 2.0, 0.05);
  EXPECT_NEAR(std::log2(error(Discretisation::trapezoid, 1e-2) / error(Discretisation::trapezoid, 5e-3)), 3.0, 0.05);
  // The held input likewise: h B + O(h²) and, by the trapezoid rule, O(h³) off.
  const auto input_error = [&](Discretisation method, double h) {
    return (discretise(linear, method, h).Bd - discretise(linear, Discretisation::exact, h).Bd).norm();
  };
  EXPECT_NEAR(std::log2(input_error(Discretisation::euler, 1e-2) / input_error(Discretisation::euler, 5e-3)), 2.0,
              0.05);
  EXPECT_NEAR(std::log2(input_error(Discretisation::trapezoid, 1e-2) / input_error(Discretisation::trapezoid, 5e-3)),
              3.0, 0.05);
  EXPECT_EQ((frequencies(linear.eigenvalues).size()), 1u);
  EXPECT_NEAR(frequencies(linear.eigenvalues)[0], omega / (2.0 * pi), 1e-12);
}

// A mass between two cables of 50 N/m, drawn with 25 N along x: cos 10 h. Steps that leave no digit, and motions that
// grow beyond the largest number, are failures; nothing that is not a number is printed.
TEST(LineariseCommand, LargeStepsAreExactOrRefused) {
  const ScratchFolder folder;
  const auto model = [&](double at, double rest_length) {
    return fmt::format(
        "[environment]\ngravity = [0, 0, 0]\n[nodes]\na = {{ at = [0, 0, 0], fixed = true }}\nb = {{ at = [1, {}, 0], "
        "mass = 1.0 }}\nc = {{ at = [2, 0, 0], fixed = true }}\n[[cables]]\nnodes = [\"a\", \"b\"]\nlaw = \"spring\"\n"
        "stiffness = 50.0\nrest_length = {}\n[[cables]]\nnodes = [\"b\", \"c\"]\nlaw = \"spring\"\nstiffness = 50.0\n"
        "rest_length = {}\n",
        at, rest_length, rest_length);
  };
  write_text(folder / "pulled.toml", model(0.0, 0.5));
  write_text(folder / "pushed.toml", model(0.0, 1.5));  // and so unstable to the sides
  const auto discrete = [&](const std::string& file, const std::string& step) {
    return run_program({"linearise", file, "--discretise", "exact", "--step", step, "--json"}, folder.path());
  };
  for (const double step : {1.0, 1e3, 1e6, 1e9}) {
    const Outcome outcome = discrete("pulled.toml", fmt::format("{:g}", step));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
    EXPECT_EQ(outcome.out.find("null"), std::string::npos) << outcome.out;
    const auto object = nlohmann::json::parse(outcome.out);
    EXPECT_NEAR(object["Ad"][0][0].get<double>(), std::cos(10.0 * step), 1e-13 + 1e-15 * 10.0 * step) << step;
  }
  for (const auto& [file, step, words] :
       {std::tuple("pulled.toml", "1e15", "no digit of Ad"), std::tuple("pushed.toml", "1000", "grows by e in")}) {
    const Outcome outcome = discrete(file, step);
    EXPECT_EQ(outcome.exit_code, 1) << file;
    EXPECT_EQ(outcome.out, "") << file;
    EXPECT_NE(outcome.error.find(words), std::string::npos) << outcome.error;
  }
}

TEST(LineariseCommand, PrintsWhatTheDesignSays) {
  const ScratchFolder folder;
  const std::string model = (folder.path() / "six.toml").string();
  const auto program = [&](std::vector<std::string> words) { return run_program(std::move(words), folder.path()); };
  ASSERT_EQ(program({"examples", "six_bar", "-o", model}).exit_code, 0);
  const Outcome json =
      program({"linearise", model, "--formulation", "minimal", "--discretise", "exact", "--step", "0.01", "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.error;
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object["A"].size(), 60u);
  EXPECT_EQ(object["B"][0].size(), 24u);
  EXPECT_EQ(object["states"].size(), 60u);
  EXPECT_EQ(object["inputs"].size(), 24u);
  EXPECT_EQ(object["eigenvalues"].size(), 60u);
  EXPECT_EQ(object["eigenvalues"][0].size(), 2u);
  EXPECT_EQ(object["Ad"].size(), 60u);
  EXPECT_EQ(object["Bd"][0].size(), 24u);
  EXPECT_EQ(program({"linearise", model, "-o", (folder.path() / "out.h5").string()}).exit_code, 0);
  EXPECT_EQ(program({"linearise", model, "-o", (folder.path() / "csv").string()}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "csv" / "A.csv"));
  EXPECT_GT(std::filesystem::file_size(folder.path() / "out.h5"), 72u * 72u * 8u);
  EXPECT_EQ(program({"linearise", model, "--formulation", "minimal", "--inputs", "all"}).exit_code, 2);
  EXPECT_EQ(program({"linearise", model, "--discretise", "sometimes"}).exit_code, 2);
}

// Redundant coordinates have zeros that rounding splits: after long times doublings have made numbers of it that look
// like others. Coordinates without redundance have the cosine.
TEST(Linearise, AStepThatLeavesNoDigitIsRefused) {
  const Model model = generated("pendulum").model;
  const auto at = [&](const char* formulation, double h) {
    const Dynamics dynamics(model, formulation, ConstraintMethod::projection, {});
    return discretise(linearise(dynamics, dynamics.start(), {}), Discretisation::exact, h).Ad;
  };
  EXPECT_TRUE(at("quaternion", 1.0).allFinite());
  EXPECT_THROW(at("quaternion", 1e4), RunError);
  EXPECT_THROW(at("quaternion", 1e5), RunError);
  EXPECT_TRUE(at("nodal", 1e6).allFinite());
}

}  // namespace
}  // namespace taut::testing
