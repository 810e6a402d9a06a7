// Generated structures against the published closed forms and tables (NUMBERS N1 to N5) and the Berkeley chapter.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "taut/generators/generators.h"
#include "tests/generators/statics.h"

namespace taut {
namespace {

using std::numbers::pi;
using testing::densities;
using testing::forces_of;
using testing::span_of;

Model make(const std::string& kind, const Parameters& parameters = {}) {
  return generate(*find_generator(kind), parameters).model;
}

double length_of(const Model& model, const std::string& name) {
  for (const auto& [a, b] : testing::member_ends(model)) {
    if (model.nodes[a].name + "-" + model.nodes[b].name == name) return span_of(model, a, b).norm();
  }
  ADD_FAILURE() << "no member " << name;
  return 0.0;
}

double density_of(const Model& model, const std::string& name) {
  const auto q = densities(model, forces_of(model));
  const auto ends = testing::member_ends(model);
  for (size_t i = 0; i < q.size(); ++i) {
    if (model.nodes[ends[i].first].name + "-" + model.nodes[ends[i].second].name == name) return q[i];
  }
  ADD_FAILURE() << "no member " << name;
  return 0.0;
}

// Angle about z from node a to node b, in (-π, π].
double turn(const Model& model, int a, int b) {
  const Vec3 &from = model.nodes[a].position, &to = model.nodes[b].position;
  return std::atan2(from.x() * to.y() - from.y() * to.x(), from.x() * to.x() + from.y() * to.y());
}

void expect_all_near(const std::vector<double>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

// Stress matrix with the density of one member scaled to 1.
std::vector<double> scaled_stress_eigenvalues(const Model& model, const std::string& unit_member) {
  auto q = densities(model, forces_of(model));
  const double unit = density_of(model, unit_member);
  for (double& value : q) value /= unit;
  return testing::stress_eigenvalues(model, q);
}

TEST(GeneratorNumbers, N1PrismShapeAndForceDensities) {
  for (int n : {3, 4, 5, 6, 9, 20}) {
    const double radius = 0.37, height = 0.91;
    const Model model = make("prism", {{"bars", n}, {"radius", radius}, {"height", height}});
    const double vertical = length_of(model, "a1-b2"), bar = length_of(model, "a1-b1");
    EXPECT_NEAR(std::abs(turn(model, 0, n + 1)), pi / 2 - pi / n, 1e-14) << n;
    EXPECT_NEAR(bar * bar, vertical * vertical + 4 * radius * radius * std::sin(pi / n), 1e-14) << n;
    const double q_v = density_of(model, "a1-b2");
    EXPECT_NEAR(density_of(model, "a1-a2") / q_v, 1.0 / (2.0 * std::sin(pi / n)), 1e-12) << n;
    EXPECT_NEAR(density_of(model, "b1-b2") / q_v, 1.0 / (2.0 * std::sin(pi / n)), 1e-12) << n;
    EXPECT_NEAR(density_of(model, "a1-b1") / q_v, -1.0, 1e-12) << n;
    EXPECT_NEAR(q_v * vertical, 50.0, 1e-11) << n;
  }
  EXPECT_NEAR(density_of(make("prism"), "a1-a2") / density_of(make("prism"), "a1-b2"), 0.57735, 5e-6);
}

TEST(GeneratorNumbers, N1PrismCountsOfStatesAndMechanisms) {
  for (int n : {3, 4, 5, 6, 8}) {
    const auto count = testing::count_states(make("prism", {{"bars", n}}));
    EXPECT_EQ(count.self_stress, 1) << n;
    EXPECT_EQ(count.motions - 6, 2 * n - 5) << n;
  }
}

// All cables equal: ring side √3 R = l, so h² = l² - 2 R² (1 - sin 60°).
TEST(GeneratorNumbers, N1PrismWithEqualCables) {
  const double radius = 1.0 / std::sqrt(3.0);
  const double height = std::sqrt(1.0 - 2.0 * radius * radius * (1.0 - std::sin(pi / 3)));
  const Model model = make("prism", {{"radius", radius}, {"height", height}});
  EXPECT_NEAR(length_of(model, "a1-a2"), 1.0, 1e-15);
  EXPECT_NEAR(length_of(model, "a1-b2"), 1.0, 1e-15);
  // √(1 + 2/√3) = 1.46788983; the table prints 1.467891, whose last digit is off by one.
  EXPECT_NEAR(length_of(model, "a1-b1"), std::sqrt(1.0 + 2.0 / std::sqrt(3.0)), 1e-15);
  // The same prism asked for by its bar.
  const Model by_bar = make("prism", {{"bar_length", length_of(model, "a1-b1")}, {"height", height}});
  EXPECT_NEAR(length_of(by_bar, "a1-a2"), 1.0, 1e-15);
}

TEST(GeneratorNumbers, N1PrismStressEigenvalues) {
  const double s = 2.0 * std::sqrt(3.0);
  expect_all_near(scaled_stress_eigenvalues(make("prism"), "a1-b2"), {0, 0, 0, 0, s, s}, 1e-12);
  expect_all_near(scaled_stress_eigenvalues(make("prism", {{"bars", 4}}), "a1-b2"),
                  {0, 0, 0, 0, 0.828427, 2.828427, 2.828427, 4.828427}, 5e-7);
}

TEST(GeneratorNumbers, N2SixBar) {
  const Model model = make("six_bar");
  ASSERT_EQ(model.cables.size(), 24u);
  ASSERT_EQ(model.bars.size(), 6u);
  for (const Cable& cable : model.cables) {
    EXPECT_NEAR(span_of(model, cable.path[0], cable.path[1]).norm(), std::sqrt(3.0 / 8.0), 1e-15);
    EXPECT_NEAR(testing::cable_force(model, cable), 20.0, 1e-12);
    EXPECT_EQ(cable.law.stiffness, 500.0);
  }
  for (double f : forces_of(model).bars) EXPECT_NEAR(f, -20.0 * std::sqrt(6.0), 1e-11);
  EXPECT_NEAR(density_of(model, "n1-n2") / density_of(model, "n1-n5"), -1.5, 1e-12);
  expect_all_near(scaled_stress_eigenvalues(model, "n1-n5"), {0, 0, 0, 0, 1, 1, 1, 5, 5, 5, 6, 6}, 1e-12);
  const auto count = testing::count_states(model);
  EXPECT_EQ(count.self_stress, 1);
  EXPECT_EQ(count.motions - 6, 1);
}

// Rods and cables in the order of the Berkeley chapter, read off its connectivity matrix (3.3), row 1 corrected to (+1,
// -1).
TEST(GeneratorNumbers, SixBarNumberingOfTheBerkeleyChapter) {
  const Model model = make("six_bar");
  const std::vector<std::string> rods = {"n1-n2", "n4-n3", "n5-n6", "n8-n7", "n9-n12", "n10-n11"};
  for (size_t i = 0; i < rods.size(); ++i) EXPECT_EQ(model.bars[i].name, rods[i]);
  const std::array<std::array<int, 12>, 24> connectivity = {
      {{1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0},
       {1, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0},
       {0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0},
       {0, 1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0},
       {0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0},
       {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, -1, 0}, {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, -1},
       {0, 0, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 0, 0},
       {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1, 0}, {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, -1},
       {0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1},
       {0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0}, {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0},
       {0, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0},
       {0, 0, 0, 0, 0, 0, 0, 1, -1, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, -1}}};
  ASSERT_EQ(model.cables.size(), connectivity.size());
  for (size_t row = 0; row < connectivity.size(); ++row) {
    EXPECT_EQ(connectivity[row][model.cables[row].path[0]], 1) << row;
    EXPECT_EQ(connectivity[row][model.cables[row].path[1]], -1) << row;
  }
}

// The thrown robot moves as one rigid body: no rod and no cable changes its length.
TEST(GeneratorNumbers, SixBarThrowIsARigidMotion) {
  const Model model = make("six_bar", {{"velocity_x", 1.5}, {"velocity_z", 4}, {"spin_y", 3}, {"spin_z", -2}});
  for (const auto& [a, b] : testing::member_ends(model)) {
    const Vec3 relative = model.nodes[b].velocity - model.nodes[a].velocity;
    EXPECT_NEAR(relative.dot(span_of(model, a, b)), 0.0, 1e-15);
    EXPECT_GT(relative.norm(), 0.1);
  }
  Vec3 mean = Vec3::Zero(), moment = Vec3::Zero();
  for (const Node& node : model.nodes) {
    mean += node.velocity / 12.0;
    moment += node.position.cross(node.velocity) / 12.0;
  }
  EXPECT_NEAR((mean - Vec3(1.5, 0, 4)).norm(), 0.0, 1e-15);
  // Cubic symmetry: Σ r × (ω × r) = (2/3) Σ r² ω, r² = 5/16.
  EXPECT_NEAR((moment - 2.0 / 3.0 * 5.0 / 16.0 * Vec3(0, 3, -2)).norm(), 0.0, 1e-15);
}

TEST(GeneratorNumbers, N3PlanarX) {
  const Model model = make("x_module", {{"pretension", 1.0}});
  for (const char* cable : {"a1-a2", "b1-b2", "a1-b1", "a2-b2"}) EXPECT_NEAR(density_of(model, cable), 1.0, 1e-12);
  for (const char* bar : {"a1-b2", "a2-b1"}) EXPECT_NEAR(density_of(model, bar), -1.0, 1e-12);
  const Model supported = make("x_module", {{"supported", 1}});
  EXPECT_EQ(supported.nodes[0].fixed, (Axes{true, true, true}));
  EXPECT_EQ(supported.nodes[1].fixed, (Axes{false, true, true}));
  EXPECT_EQ(supported.nodes[3].fixed, (Axes{false, false, true}));
}

// The asked tension in the end stages' vertical cables, twice that in between; the asked ratio for the saddles; and a
// stress matrix that makes the tower super-stable.
TEST(GeneratorNumbers, TowerCarriesWhatWasAskedFor) {
  for (int stages : {2, 3, 5}) {
    const Model model = make("tower", {{"stages", stages}, {"pretension", 40}, {"saddle", 0.7}, {"overlap", 0.2}});
    const double end = density_of(model, "a1_1-b1_2"), saddle = density_of(model, "b1_1-a2_1");
    EXPECT_NEAR(end * length_of(model, "a1_1-b1_2"), 40.0, 1e-11) << stages;
    EXPECT_NEAR(saddle / end, 0.7, 1e-12) << stages;
    EXPECT_NEAR(density_of(model, "b1_1-a2_3"), saddle, 1e-11) << stages;
    // The saddles push the stages apart over 0.2 m, the diagonals hold them over 0.8 m.
    EXPECT_NEAR(density_of(model, "a1_3-a2_1") / saddle, 0.25, 1e-12) << stages;
    EXPECT_NEAR(density_of(model, "b1_1-b2_2") / saddle, 0.25, 1e-12) << stages;
    if (stages > 2) {
      EXPECT_NEAR(density_of(model, "a2_1-b2_3") / end, 2.0, 1e-12) << stages;
    }
    const auto eigenvalues = scaled_stress_eigenvalues(model, "a1_1-b1_2");
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(eigenvalues[i], 0.0, 1e-12) << stages;
    EXPECT_GT(eigenvalues[4], 1e-3) << stages;
  }
  // One stage is the prism, whatever its other numbers say.
  const Model tower = make("tower", {{"stages", 1}}), prism = make("prism");
  for (size_t i = 0; i < prism.nodes.size(); ++i) EXPECT_EQ(tower.nodes[i].position, prism.nodes[i].position);
  for (size_t i = 0; i < prism.cables.size(); ++i) {
    EXPECT_NEAR(tower.cables[i].rest_length, prism.cables[i].rest_length, 1e-15);
  }
}

TEST(GeneratorNumbers, ClassTwoTowerSharesItsNodes) {
  const Model model = make("class2_tower", {{"stages", 4}, {"bars", 5}});
  ASSERT_EQ(model.nodes.size(), 25u);
  ASSERT_EQ(model.bars.size(), 20u);
  std::vector<int> bars_at(model.nodes.size());
  for (const Bar& bar : model.bars) ++bars_at[bar.a], ++bars_at[bar.b];
  for (size_t i = 0; i < bars_at.size(); ++i) EXPECT_EQ(bars_at[i], i < 5 || i >= 20 ? 1 : 2);
  EXPECT_NEAR(density_of(model, "r2_1-r2_2") / density_of(model, "r0_1-r0_2"), 2.0, 1e-12);
  EXPECT_NEAR(density_of(model, "r0_1-r1_2") * length_of(model, "r0_1-r1_2"), 50.0, 1e-11);
}

// Every cable of the net carries the asked tension; only the nodes at the ends of rows and columns are held.
TEST(GeneratorNumbers, NetIsEvenlyTensioned) {
  const Model model = make("net", {{"nx", 4}, {"ny", 3}, {"pretension", 12}, {"mass", 0.3}});
  ASSERT_EQ(model.nodes.size(), 4u * 3u + 2u * (4u + 3u));
  ASSERT_EQ(model.cables.size(), 5u * 3u + 4u * 4u);
  for (const Cable& cable : model.cables) EXPECT_NEAR(testing::cable_force(model, cable), 12.0, 1e-11);
  int inner = 0;
  for (const Node& node : model.nodes) {
    const Vec3 place = node.position / 0.5;
    const bool inside = place.x() > 0.5 && place.x() < 4.5 && place.y() > 0.5 && place.y() < 3.5;
    inner += inside;
    EXPECT_EQ(node.fixed, (inside ? Axes{false, false, false} : Axes{true, true, true})) << node.name;
    EXPECT_EQ(node.mass, inside ? 0.3 : 0.0) << node.name;
  }
  EXPECT_EQ(inner, 12);
}

// D-bar and T-bar against statics by hand: cut at the left end and at the top.
TEST(GeneratorNumbers, DBarAndTBarForces) {
  const double angle = 40.0 * pi / 180.0, tension = 7.0;
  const Model d = make("d_bar", {{"angle", 40}, {"pretension", tension}});
  EXPECT_NEAR(length_of(d, "n1-n2"), 1.0, 1e-15);
  EXPECT_NEAR(density_of(d, "n1-n2") * length_of(d, "n1-n2"), tension, 1e-11);
  EXPECT_NEAR(density_of(d, "n4-n3") * length_of(d, "n4-n3"), tension * std::tan(angle), 1e-11);
  EXPECT_NEAR(density_of(d, "n1-n3") * length_of(d, "n1-n3"), -tension / (2 * std::cos(angle)), 1e-11);
  EXPECT_EQ(make("d_bar", {{"order", 3}}).bars.size(), 64u);

  const Model t = make("t_bar", {{"angle", 40}, {"pretension", tension}});
  EXPECT_NEAR(density_of(t, "n1-n5") * length_of(t, "n1-n5"), -2 * tension * std::cos(angle), 1e-11);
  EXPECT_NEAR(density_of(t, "n5-n3") * length_of(t, "n5-n3"), -2 * tension * std::sin(angle), 1e-11);
  EXPECT_EQ(make("t_bar", {{"order", 3}}).bars.size(), 22u);
}

}  // namespace
}  // namespace taut
