// Natural motions against published numbers, closed forms, the linear models of the formulations, and a ring-down.
#include "taut/modes/modes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "taut/modes/linearise.h"
#include "taut/modes/lowest_modes.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> hertz(const ModalAnalysis& modes) {
  std::vector<double> list;
  for (const double square : modes.square) list.push_back(frequency(square));
  return list;
}

// An elastic member of density ρ and section A with the force t: its rest length, and the mass ρ A l₀ of that.
double rest_length(double length, double EA, double t) { return length / (1.0 + t / EA); }

void add_elastic_bar(Model& model, int a, int b, double E, double A, double density, double force) {
  Bar& bar = model.bars[add_bar(model, a, b, 0.0)];
  bar.elastic = true;
  bar.EA = E * A;
  bar.rest_length = rest_length(start_length(model, bar), bar.EA, force);
  bar.mass = density * A * bar.rest_length;
}

void make_heavy(Model& model, Cable& cable, double E, double A, double density, double force) {
  cable.law = linear_law(E * A);
  cable.law.by_EA = true;
  cable.rest_length = rest_length(start_length(model, cable), E * A, force);
  cable.mass = density * A * cable.rest_length;
}

// N6, the half T-bar: all printed digits.
TEST(Modes, HalfTBarOfElasticMembers) {
  Model model = empty_scenario().model;
  const double E = 206043956044, density = 7870;
  const int foot = add_node(model, {0, 0, 0}, 0.0, all_fixed),
            top = add_node(model, {0, 0, 1}, 0.0, {false, true, false});
  add_elastic_bar(model, foot, top, E, 5.55853214607e-5, density, -50.0);
  for (const double x : {-1.0, 1.0}) {
    const int end = add_node(model, {x, 0, 0}, 0.0, all_fixed);
    make_heavy(model, model.cables[add_cable(model, {end, top}, {}, 1.0)], E, 1.17851130198e-6, density, 35.35534);
  }
  const ModalAnalysis modes = find_modes(model);
  ASSERT_EQ(modes.count(), 2);
  EXPECT_NEAR(hertz(modes)[0], 167.7479388, 0.5e-7);
  EXPECT_NEAR(hertz(modes)[1], 1380.254523, 0.5e-6);
}

// N6, the six-bar with elastic struts.
Model elastic_six_bar() {
  Model model = generated("six_bar").model;
  // Printed as 40824.829: what balances the struts, by N2.
  const double tension = 1e5 * std::sqrt(0.375) / 1.5;
  const std::vector<Bar> bars = model.bars;
  model.bars.clear();
  model.gravity.setZero();
  for (const Bar& bar : bars) add_elastic_bar(model, bar.a, bar.b, 206043956044, 2.48585114675e-3, 393500, -1e5);
  for (Cable& cable : model.cables) make_heavy(model, cable, 75998509224.2, 3.33672489141e-4, 7870, tension);
  return model;
}

TEST(Modes, SixBarOfElasticStruts) {
  const std::vector<std::pair<double, int>> printed = {
      {3.707715035, 1}, {31.42523551, 3}, {42.31210846, 3}, {45.43445748, 2}, {58.32821256, 3},
      {70.68424328, 3}, {79.74721066, 2}, {90.99372895, 3}, {123.3539574, 3}, {138.0521968, 1},
      {404.3754055, 2}, {409.663628, 3},  {419.6748936, 1}};
  const ModalAnalysis modes = find_modes(elastic_six_bar());
  const std::vector<double> found = hertz(modes);
  ASSERT_EQ(found.size(), 36u);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(found[k], 0.0);
  int k = 6;
  for (const auto& [value, times] : printed)
    for (int i = 0; i < times; ++i, ++k)
      EXPECT_NEAR(found[k], value, 0.6 * std::pow(10.0, std::ceil(std::log10(value)) - 10));
  EXPECT_EQ(k, 36);
  // The forces are printed with eight digits, and so far out of balance: six zeros all the same.
  EXPECT_NEAR(modes.moved_mass[1], modes.mass, 1e-9 * modes.mass);
}

// Eigenvalues of the linear model that oscillate: with those of the modes, one for one.
void expect_linear(const Model& model, const char* formulation, int swinging, double tolerance = 1e-8) {
  const Dynamics dynamics(model, formulation, ConstraintMethod::projection);
  const Eigen::VectorXcd values = linearise(dynamics, dynamics.start()).eigenvalues;
  const ModalAnalysis modes = find_modes(model, {.formulation = formulation});
  const double largest = values.cwiseAbs().maxCoeff();
  std::vector<std::complex<double>> left;
  for (const auto& value : values)
    if (value.imag() > 1e-5 * largest) left.push_back(value);
  EXPECT_EQ(static_cast<int>(left.size()), swinging);
  for (const auto& value : modes.eigenvalues) {
    if (!(value.imag() > 1e-5 * largest)) continue;
    const auto nearest = std::min_element(left.begin(), left.end(), [&](const auto& a, const auto& b) {
      return std::abs(a - value) < std::abs(b - value);
    });
    ASSERT_NE(nearest, left.end());
    EXPECT_LT(std::abs(*nearest - value), tolerance * std::abs(value));
    left.erase(nearest);
  }
  EXPECT_TRUE(left.empty());
}

TEST(Modes, EqualTheLinearModels) {
  Model robot = generated("six_bar", {{"damping", 2.0}}).model;
  robot.bars[1].drag = 0.4;
  robot.bars[2].turning_drag = 0.2;
  for (const char* formulation : {"nodal", "minimal", "quaternion", "point_mass"}) {
    SCOPED_TRACE(formulation);
    expect_linear(robot, formulation, 24);
  }
  const Model class_2 = generated("class2_tower").model;
  expect_linear(class_2, "nodal", 21);
  // Composite cables over plates that are bodies; some modes are overdamped.
  Model plates = generated("stacked", {{"plates", 1.0}, {"stages", 1.0}}).model;
  const ModalAnalysis modes = find_modes(plates);
  int swinging = 0;
  for (long k = 0; k < modes.count(); ++k) swinging += !modes.overdamped[k];
  expect_linear(plates, "nodal", swinging, 1e-7);
  expect_linear(elastic_six_bar(), "nodal", 30);
}

// A mass on the ground and between springs: c/(2√(km)) up and down; along the ground only friction, which drags.
TEST(Modes, GroundUnderAMass) {
  Model model = empty_scenario().model;
  model.gravity = {0, 0, -10};
  model.ground = Ground{};
  model.ground->stiffness = 1000.0;
  model.ground->damping = 20.0;
  model.ground->friction = 0.5;
  model.ground->beta = 1e-6;
  model.ground->radius = 0.0;
  add_node(model, {0, 0, -0.04}, 4.0);
  const ModalAnalysis modes = find_modes(model);
  ASSERT_EQ(modes.count(), 3);
  EXPECT_EQ(modes.square[0], 0.0);
  EXPECT_EQ(modes.square[1], 0.0);
  EXPECT_TRUE(std::isnan(modes.damping[0]));
  EXPECT_NEAR(modes.square[2], 250.0, 1e-9);
  EXPECT_NEAR(modes.damping[2], 20.0 / (2.0 * std::sqrt(4000.0)), 1e-12);
}

// Two masses on three springs in a line, damped between one pair only: λ from the quartic, expanded by hand.
TEST(Modes, DampingThatCouples) {
  Model model = empty_scenario().model;
  const int wall = add_node(model, {0, 0, 0}, 0.0, all_fixed), end = add_node(model, {3, 0, 0}, 0.0, all_fixed);
  const int a = add_node(model, {1, 0, 0}, 1.0, {false, true, true}),
            b = add_node(model, {2, 0, 0}, 2.0, {false, true, true});
  for (const double c : {0.6, 8.0, 40.0}) {
    model.cables.clear();
    add_cable(model, {wall, a}, spring_law(100.0, c), 1.0);
    add_cable(model, {a, b}, spring_law(50.0), 1.0);
    add_cable(model, {b, end}, spring_law(80.0), 1.0);
    const ModalAnalysis modes = find_modes(model);
    ASSERT_EQ(modes.count(), 2);
    for (long k = 0; k < 2; ++k) {
      const std::complex<double> l = modes.eigenvalues[k];
      if (modes.overdamped[k]) continue;
      const auto left = (l * l + c * l + 150.0) * (2.0 * l * l + 130.0) - 2500.0;
      EXPECT_LT(std::abs(left), 1e-9 * 150.0 * 130.0) << c;
      EXPECT_NEAR(modes.damping[k], -l.real() / std::abs(l), 1e-14);
    }
    EXPECT_EQ(std::count(modes.overdamped.begin(), modes.overdamped.end(), 1), c > 20.0 ? 1 : 0);
  }
  // Alone and overdamped: ζ = c/(2√(km)) > 1, and the slower of two real roots.
  model.cables.clear();
  model.nodes[b].fixed = all_fixed;
  add_cable(model, {wall, a}, spring_law(100.0, 50.0), 1.0);
  const ModalAnalysis slow = find_modes(model);
  EXPECT_TRUE(slow.overdamped[0]);
  EXPECT_NEAR(slow.damping[0], 2.5, 1e-12);
  EXPECT_NEAR(slow.eigenvalues[0].real(), -25.0 + std::sqrt(525.0), 1e-12);
}

// A rod that hangs from its end: 3g/(2L) and 3/4 of its mass; upside down the same, growing.
TEST(Modes, RodOnAHinge) {
  for (const double up : {-1.0, 1.0}) {
    Model model = empty_scenario().model;
    model.gravity = {0, 0, -9.81};
    const int foot = add_node(model, {0, 0, 0}, 0.0, all_fixed), tip = add_node(model, {0, 0, 2 * up});
    add_bar(model, foot, tip, 3.0);
    const ModalAnalysis modes = find_modes(model);
    ASSERT_EQ(modes.count(), 2);
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(modes.square[k], -up * 1.5 * 9.81 / 2.0, 1e-12);
    EXPECT_EQ(std::isnan(modes.damping[0]), up > 0);
    EXPECT_NEAR(modes.moved_mass[0], 2.25, 1e-12);
    EXPECT_NEAR(modes.effective_mass(0, 0) + modes.effective_mass(1, 0), 2.25, 1e-12);
    EXPECT_NEAR(modes.moved_mass[2], 0.0, 1e-12);
    EXPECT_LT(frequency(modes.square[0]) * up, 0.0);
  }
}

// N7: the motion that no cable's stretch resists goes as the root of the prestress, whatever the law; in the same
// shape.
TEST(Modes, MechanismsGoAsTheRootOfThePrestress) {
  for (const char* parameter : {"stiffness", "EA"}) {
    const Model robot = generated("six_bar", {{parameter, 600.0}}).model;
    const double at_one = find_modes(robot).square[6];
    for (const double factor : {0.25, 3.0}) {
      const ModalAnalysis modes = find_modes(with_prestress(robot, factor));
      EXPECT_NEAR(modes.square[6] / at_one, factor, 1e-9 * factor) << parameter;
    }
  }
  // A prism's mechanism stretches its cables a little; the less prestress the less that counts.
  const Model prism = generated("prism").model;
  const auto lowest = [&](double factor) { return find_modes(with_prestress(prism, factor)).square[6]; };
  EXPECT_NEAR(lowest(2e-6) / lowest(1e-6), 2.0, 1e-5);
  EXPECT_EQ(with_prestress(prism, 1.0), prism);
}

// Lanczos with the dense answer beside it, where both can be had; zeros of every part, and equal frequencies.
TEST(Modes, SparseEqualDense) {
  Model model = generated("tower", {{"stages", 10.0}, {"damping", 3.0}}).model;
  const ModalAnalysis sparse = find_modes(model, {.count = 20, .dense_up_to = 0}), dense = find_modes(model);
  ASSERT_EQ(sparse.count(), 20);
  ASSERT_EQ(dense.count(), 150);
  EXPECT_TRUE(sparse.complete);
  EXPECT_EQ(sparse.freedoms, dense.freedoms);
  const double scale = dense.square[19];
  for (int k = 0; k < 20; ++k) {
    EXPECT_NEAR(sparse.square[k], dense.square[k], 1e-9 * scale) << k;
    EXPECT_NEAR(sparse.damping[k], dense.damping[k], 1e-7 + 1e-5 * dense.damping[k]) << k;
  }
  for (int k = 0; k < 6; ++k) EXPECT_EQ(sparse.square[k], 0.0);
  EXPECT_GT(sparse.square[6], 0.0);
  EXPECT_GT(sparse.damping[19], 1e-3);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(sparse.moved_mass[axis], sparse.mass, 1e-9 * sparse.mass);
    EXPECT_NEAR(dense.moved_mass[axis], sparse.moved_mass[axis], 1e-9 * sparse.mass);
  }
}

// A flat net: ω² = (4/m)(T/a sin² + T/a sin²) across, (4/m)(k sin² + T/a sin²) along; equal ones come in pairs.
TEST(Modes, NetByItsClosedForm) {
  const int n = 16;
  const Model net = generated("net", {{"nx", double(n)}, {"ny", double(n)}}).model;
  std::vector<double> exact;
  const auto part = [&](double k, int i) { return 40.0 * k * std::pow(std::sin(0.5 * pi * i / (n + 1)), 2); };
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j) {
      exact.push_back(part(40.0, i) + part(40.0, j));
      for (int twice = 0; twice < 2; ++twice) exact.push_back(part(1000.0, i) + part(40.0, j));
    }
  std::sort(exact.begin(), exact.end());
  const ModalAnalysis modes = find_modes(net);
  ASSERT_EQ(modes.count(), default_modes);
  EXPECT_TRUE(modes.complete);
  for (int k = 0; k < default_modes; ++k) EXPECT_NEAR(modes.square[k] / exact[k], 1.0, 1e-10) << k;
}

// The period of a swing along a mode, from the zero crossings of a simulation.
TEST(Modes, RingDownHasTheFrequency) {
  struct Case {
    Model model;
    int mode;
  };
  for (const Case& c :
       {Case{generated("six_bar").model, 6}, Case{generated("class2_tower").model, 8}, Case{elastic_six_bar(), 7}}) {
    const ModalAnalysis modes = find_modes(c.model);
    const double omega = std::sqrt(modes.square[c.mode]), period = 2.0 * pi / omega;
    Scenario scenario = empty_scenario(10.2 * period, period / 40.0);
    scenario.model = c.model;
    scenario.model.gravity.setZero();
    const Eigen::VectorXd shape = modes.shapes.col(c.mode);
    const double amplitude = 2e-5 / shape.cwiseAbs().maxCoeff();
    for (std::size_t i = 0; i < c.model.nodes.size(); ++i)
      scenario.model.nodes[i].velocity = amplitude * omega * shape.segment<3>(3 * static_cast<long>(i));
    const Motion motion = run(scenario, "dopri5", 1e-13);
    // Crossings of the displacement along the shape, by Hermite's cubic between rows.
    const auto along = [&](const std::vector<double>& values, bool places) {
      double sum = 0.0;
      for (long i = 0; i < shape.size(); ++i)
        sum += shape[i] * (values[i] - (places ? c.model.nodes[i / 3].position[i % 3] : 0.0));
      return sum;
    };
    std::vector<double> crossings;
    for (std::size_t r = 0; r + 1 < motion.rows.size(); ++r) {
      const Sample &now = motion.rows[r], &next = motion.rows[r + 1];
      const double h = next.t - now.t, x0 = along(now.nodes, true), x1 = along(next.nodes, true);
      if (!(x0 < 0.0 && x1 >= 0.0)) continue;
      const double v0 = h * along(now.velocities, false), v1 = h * along(next.velocities, false);
      double low = 0.0, high = 1.0;
      for (int i = 0; i < 60; ++i) {
        const double s = 0.5 * (low + high), q = 1.0 - s;
        const double x = x0 * q * q * (1 + 2 * s) + v0 * s * q * q + x1 * s * s * (3 - 2 * s) - v1 * s * s * q;
        (x < 0.0 ? low : high) = s;
      }
      crossings.push_back(now.t + h * low);
    }
    ASSERT_GE(crossings.size(), 8u);
    const double measured = (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
    EXPECT_NEAR(measured / period, 1.0, 1e-6);
  }
}

// Parts that nothing connects have their rigid motions each.
TEST(Modes, TwoRobotsHaveTwelveZeros) {
  Model model = generated("six_bar").model;
  const Model other = model;
  const int shift = static_cast<int>(model.nodes.size());
  for (Node node : other.nodes) {
    node.name += "b";
    node.position[0] += 5.0;
    model.nodes.push_back(node);
  }
  for (Bar bar : other.bars) bar.a += shift, bar.b += shift, bar.name += "b", model.bars.push_back(bar);
  for (Cable cable : other.cables) {
    for (int& node : cable.path) node += shift;
    cable.name += "b";
    model.cables.push_back(cable);
  }
  const ModalAnalysis modes = find_modes(model);
  EXPECT_EQ((modes.square.array() == 0.0).count(), 12);
  EXPECT_EQ(modes.count(), 60);
  EXPECT_NEAR(modes.square[12], modes.square[13], 1e-9 * modes.square[12]);
}

}  // namespace
}  // namespace taut::testing
