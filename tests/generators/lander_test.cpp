// The lander: hull, suspension and payload in balance, as a rigid body and as a framework; and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/generators/generators.h"
#include "taut/modes/lowest_modes.h"
#include "tests/generators/statics.h"

namespace taut {
namespace {

Model make(const Parameters& parameters) { return generate(*find_generator("lander"), parameters).model; }

// The payload as an octahedron of bars, which is rigid and statically determinate.
Model with_framework(Model model) {
  const Body body = model.bodies.front();
  model.bodies.clear();
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = i + 1 + (i % 2 == 0); j < 6; ++j) {
      Bar bar;
      bar.a = body.nodes[i];
      bar.b = body.nodes[j];
      bar.mass = 0.1;
      bar.rest_length = testing::span_of(model, bar.a, bar.b).norm();
      model.bars.push_back(bar);
    }
  return model;
}

TEST(GeneratorLander, StandsInBalance) {
  for (double bars : {6.0, 12.0})
    for (double suspension : {0.05, 0.5, 8.0})
      for (double radius : {0.004, 0.1, 0.25}) {
        const Model model = make(
            {{"bars", bars}, {"suspension", suspension}, {"payload_radius", radius}, {"EA", 500}, {"length", 1.3}});
        const Balance balance = start_balance(model);
        EXPECT_LE(balance.imbalance, 1e-12) << bars << " " << suspension << " " << radius;
        for (double f : balance.cable_tension) EXPECT_GT(f, 0.0);
        for (double f : balance.bar_force) EXPECT_LT(f, 0.0);
        for (const Bar& bar : model.bars) EXPECT_NEAR(bar.rest_length, 1.3, 1e-11);
        EXPECT_NEAR(balance.cable_tension.front(), 20.0, 1e-9);
        // The slowest motion that is not rigid swings.
        const Modes modes = lowest_modes(model, 7);
        EXPECT_GT(modes.square[6], 1.0) << bars << " " << suspension << " " << radius;
        EXPECT_LT(std::abs(modes.square[0]), 1e-6);
      }
}

// The dense oracle, with the payload as a framework: stable, and the counts of the page.
TEST(GeneratorLander, CountsAndStiffness) {
  for (const auto& [bars, self_stress, mechanisms] : {std::tuple{6, 6, 0}, std::tuple{12, 12, 0}}) {
    const Model model = with_framework(make({{"bars", bars}}));
    const testing::Count count = testing::count_states(model);
    EXPECT_EQ(count.self_stress, self_stress) << bars;
    EXPECT_EQ(count.motions - 6, mechanisms) << bars;
    const std::vector<double> k = testing::stiffness_eigenvalues(model);
    EXPECT_GE(k[0], -1e-10 * k.back()) << bars;
    EXPECT_LE(k[5], 1e-10 * k.back()) << bars;
    EXPECT_GE(k[6], 1e-6 * k.back()) << bars;
  }
}

// Six rods along the axes, by hand: the rods' distance 2d from their length 2l is d/l = 2/(4 + κ), and the rods'
// density d/l - 2 - (κ/2) (1 - r/l).
TEST(GeneratorLander, SixRodsInClosedForm) {
  const double kappa = 0.8, r = 0.12;
  const Model model = make({{"suspension", kappa}, {"payload_radius", r}});
  for (std::size_t i = 0; i < 12; ++i) {
    Vec3 at = model.nodes[i].position.cwiseAbs();
    std::sort(at.begin(), at.end());
    EXPECT_NEAR(at[0], 0.0, 1e-14);
    EXPECT_NEAR(at[1], 0.5 * 2.0 / (4.0 + kappa), 1e-13);
    EXPECT_NEAR(at[2], 0.5, 1e-13);
  }
  const Balance balance = start_balance(model);
  const double density = balance.cable_tension[0] / start_length(model, model.cables[0]);
  EXPECT_NEAR(balance.bar_force[0] / density, 2.0 / (4.0 + kappa) - 2.0 - 0.5 * kappa * (1.0 - r / 0.5), 1e-11);
}

TEST(GeneratorLander, ThrownAsARigidBody) {
  const Model model = make({{"velocity_x", 1}, {"velocity_z", -3}, {"spin_y", 2}});
  for (const Node& node : model.nodes) {
    const Vec3& r = node.position;
    EXPECT_LT((node.velocity - Vec3(1 + 2 * r.z(), 0, -3 - 2 * r.x())).norm(), 1e-14);
  }
}

void expect_refused(const std::string& kind, const Parameters& parameters, const std::string& key,
                    const std::string& part_of_message) {
  try {
    generate(*find_generator(kind), parameters);
    ADD_FAILURE() << kind << " " << key << " was taken";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 1u) << kind;
    EXPECT_EQ(error.problems()[0].key, key) << kind;
    EXPECT_NE(error.problems()[0].message.find(part_of_message), std::string::npos) << error.problems()[0].message;
  }
}

TEST(GeneratorShapes, ImpossibleNumbersAreRefusedByName) {
  expect_refused("lander", {{"bars", 7}}, "bars", "6 or 12, got 7");
  expect_refused("lander", {{"payload_radius", 0.6}, {"suspension", 50}}, "payload_radius", "would have to pull");
  expect_refused("lander", {{"payload_radius", 1e-4}}, "payload_radius", "at least 0.001 of the rods' length");
  expect_refused("lander", {{"suspension", 0}}, "suspension", "between 0.01 and 100");
  expect_refused("torus", {{"stages", 7}}, "stages", "even");
  expect_refused("torus", {{"stages", 2}}, "stages", "at least 4");
  expect_refused("torus", {{"tube", 1}}, "tube", "between 0 and the radius 1 m");
  expect_refused("geodesic_sphere", {{"faces", 12}}, "faces", "20 (an icosahedron's) or 8");
  expect_refused("geodesic_sphere", {{"frequency", 11}}, "frequency", "at most 10");
  expect_refused("geodesic_sphere", {{"skew", 11}}, "skew", "at most 10");
  expect_refused("truncated_cube", {{"ratio", 0.01}}, "ratio", "between 0.01 and 100");
  expect_refused("twelve_bar", {{"ratio", 1000}}, "ratio", "between 0.01 and 100");
  expect_refused("prism", {{"diagonal", 1}}, "diagonal", "below 1 with three bars");
  expect_refused("prism", {{"top_radius", 0.5}, {"bar_length", 1.1}}, "bar_length", "longer than 1.11803 m");
  expect_refused("prism", {{"top_radius", 0.5}, {"bar_length", 1.5}, {"radius", 1}}, "bar_length", "not both");
  expect_refused("tower", {{"taper", 0}}, "taper", "between 0.001 and 1000");
}

// Limits of stiffness, and numbers out of all range: refused, never a crash or a file that is not a number.
TEST(GeneratorShapes, ExtremesAreRefused) {
  for (const char* kind : {"truncated_tetrahedron", "truncated_icosahedron", "geodesic_sphere", "twelve_bar", "torus",
                           "lander", "expanded_octahedron"}) {
    expect_refused(kind, {{"pretension", 1e7}}, "pretension", "rest length above 0");
    expect_refused(kind, {{"stiffness", 1e4}, {"EA", 1e4}}, "EA", "not both");
    for (const Parameter& parameter : find_generator(kind)->parameters) {
      if (parameter.integer || parameter.key.starts_with("velocity") || parameter.key.starts_with("spin")) continue;
      for (double value : {1e-300, 1e300}) {
        try {
          const Model model = generate(*find_generator(kind), {{parameter.key, value}}).model;
          for (const Node& node : model.nodes) EXPECT_TRUE(node.position.allFinite()) << kind << " " << parameter.key;
          for (const Cable& cable : model.cables) EXPECT_GT(cable.rest_length, 0.0) << kind << " " << parameter.key;
        } catch (const InputError& error) {
          EXPECT_FALSE(error.problems().empty());
        }
      }
    }
  }
}

}  // namespace
}  // namespace taut
