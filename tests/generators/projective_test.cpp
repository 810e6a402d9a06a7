// Prisms with diagonal cables and unequal rings, tapered towers and the torus.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <tuple>

#include "taut/generators/generators.h"
#include "tests/generators/statics.h"

namespace taut {
namespace {

using std::numbers::pi;
using testing::forces_of;

Model make(const std::string& kind, const Parameters& parameters = {}) {
  return generate(*find_generator(kind), parameters).model;
}

void expect_stable(const std::string& kind, const Parameters& parameters, int zeros) {
  testing::expect_stable(make(kind, parameters), zeros, 1e-7, testing::described(kind, parameters));
}

void expect_count(const std::string& kind, const Parameters& parameters, int self_stress, int mechanisms) {
  const testing::Count count = testing::count_states(make(kind, parameters));
  EXPECT_EQ(count.self_stress, self_stress) << testing::described(kind, parameters);
  EXPECT_EQ(count.motions - 6, mechanisms) << testing::described(kind, parameters);
}

// Without diagonals 1 and 2n - 5; diagonals add n members, of which two make states and the rest hold mechanisms.
TEST(GeneratorPrism, Counts) {
  for (int n : {3, 4, 5, 7}) {
    expect_count("prism", {{"bars", n}, {"top_radius", 0.31}}, 1, 2 * n - 5);
    expect_count("prism", {{"bars", n}, {"top_radius", 0.31}, {"diagonal", 0.4}}, 3, n - 3);
  }
}

TEST(GeneratorPrism, RandomPrismsAreSuperStable) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(0.0, 1.0);
  for (int n : {3, 4, 5, 6, 9})
    for (int i = 0; i < 3; ++i) {
      const double diagonal = n == 3 ? 0.95 * part(random) : std::pow(10.0, 2.0 * part(random) - 1.0);
      expect_stable("prism",
                    {{"bars", n},
                     {"diagonal", i == 0 ? 0.0 : diagonal},
                     {"radius", 0.2 + part(random)},
                     {"top_radius", 0.2 + part(random)},
                     {"height", 0.3 + part(random)},
                     {"EA", 700}},
                    4);
    }
}

// The twist does not depend on the radii, and diagonals turn it from π/2 + π/n towards π.
TEST(GeneratorPrism, Twist) {
  const auto twist = [](const Parameters& parameters) {
    const Model model = make("prism", parameters);
    const Vec3 &a = model.nodes[model.bars[0].a].position, &b = model.nodes[model.bars[0].b].position;
    return std::atan2(a.y() * b.x() - a.x() * b.y(), a.x() * b.x() + a.y() * b.y());
  };
  for (int n : {3, 4, 6}) {
    const Parameters plain = {{"bars", n}}, uneven = {{"bars", n}, {"top_radius", 0.2}};
    EXPECT_NEAR(twist(plain), pi / 2 + pi / n, 1e-14);
    EXPECT_NEAR(twist(uneven), pi / 2 + pi / n, 1e-14);
  }
  // Three bars, q_d = q_v/2: tan β = -(√3/4) / (9/4), by hand.
  EXPECT_NEAR(twist({{"diagonal", 0.5}}), pi - std::atan(std::sqrt(3.0) / 9.0), 1e-14);
  // Four bars, any d: tan β = -1 / (1 + 2d).
  EXPECT_NEAR(twist({{"bars", 4}, {"diagonal", 2}}), pi - std::atan(0.2), 1e-14);
}

TEST(GeneratorPrism, BarLengthWithATopRadius) {
  const Model model = make("prism", {{"bars", 5}, {"bar_length", 1.4}, {"top_radius", 0.3}, {"diagonal", 0.7}});
  for (const Bar& bar : model.bars) EXPECT_NEAR(bar.rest_length, 1.4, 1e-14);
  EXPECT_NEAR(std::hypot(model.nodes[5].position.x(), model.nodes[5].position.y()), 0.3, 1e-15);
  EXPECT_NEAR(testing::cable_force(model, model.cables[10]), 50.0, 1e-10);
}

// s - m = 2 n S - 4 n + 6; two stages or more have no mechanism left.
TEST(GeneratorTower, TaperedTowers) {
  for (int n : {3, 4, 5})
    for (int stages : {1, 2, 4})
      for (double taper : {0.35, 1.0, 2.5}) {
        const Parameters parameters = {
            {"bars", n}, {"stages", stages}, {"taper", taper}, {"pretension", 5}, {"overlap", 0.3}};
        expect_stable("tower", parameters, 4);
        if (stages == 1) {
          expect_count("tower", parameters, 1, 2 * n - 5);
        } else {
          expect_count("tower", parameters, 2 * n * stages - 4 * n + 6, 0);
        }
      }
}

// The height stays, radii shrink to the asked part, and one tapered stage is the prism with unequal rings.
TEST(GeneratorTower, TaperKeepsHeight) {
  const Model straight = make("tower"), tapered = make("tower", {{"taper", 0.4}});
  const Vec3 &low = tapered.nodes.front().position, &high = tapered.nodes.back().position;
  EXPECT_NEAR(high.z(), straight.nodes.back().position.z(), 1e-14);
  EXPECT_NEAR(std::hypot(high.x(), high.y()) / std::hypot(low.x(), low.y()), 0.4, 1e-14);
  // After three pairs of rings come the vertical cables of the first stage.
  EXPECT_NEAR(testing::cable_force(tapered, tapered.cables[18]), 50.0, 1e-10);

  const Model stage = make("tower", {{"stages", 1}, {"bars", 4}, {"taper", 0.6}});
  const Model prism = make("prism", {{"bars", 4}, {"top_radius", 0.3}});
  for (std::size_t i = 0; i < prism.nodes.size(); ++i)
    EXPECT_LT((stage.nodes[i].position - prism.nodes[i].position).norm(), 1e-14);
  ASSERT_EQ(stage.cables.size(), prism.cables.size());
  for (std::size_t i = 0; i < prism.cables.size(); ++i)
    EXPECT_NEAR(testing::cable_force(stage, stage.cables[i]), testing::cable_force(prism, prism.cables[i]), 1e-10);
}

// One state per stage. The stress matrix has one zero more for every inner ring, which the bars hold; straight
// (taper 1) or not.
TEST(GeneratorTower, ClassTwoTowers) {
  for (int n : {3, 4, 6})
    for (int stages : {1, 3, 4})
      for (double taper : {0.35, 1.0, 2.5}) {
        const Parameters parameters = {{"bars", n}, {"stages", stages}, {"taper", taper}, {"pretension", 5}};
        expect_stable("class2_tower", parameters, 3 + stages);
        expect_count("class2_tower", parameters, stages, stages + 2 * n - 6);
      }
}

// Nodes lie on a torus, and the mean tension is what was asked.
TEST(GeneratorTorus, NodesLieOnATorus) {
  const Model model = make("torus", {{"stages", 10}, {"bars", 5}, {"radius", 1.7}, {"tube", 0.4}});
  for (const Node& node : model.nodes) {
    const double out = std::hypot(node.position.x(), node.position.y()) - 1.7;
    EXPECT_NEAR(std::hypot(out, node.position.z()), 0.4, 1e-14);
  }
  double mean = 0.0;
  const testing::Forces forces = forces_of(model);
  for (double f : forces.cables) mean += f / static_cast<double>(forces.cables.size());
  EXPECT_NEAR(mean, 50.0, 1e-10);
}

TEST(GeneratorTorus, CountsAndStability) {
  for (const auto& [n, stages, extra] : {std::tuple{3, 4, 0}, std::tuple{3, 6, 0}, std::tuple{4, 6, 0},
                                         std::tuple{3, 12, 0}, std::tuple{5, 10, 0}, std::tuple{4, 8, 1}}) {
    const Parameters parameters = {{"bars", n}, {"stages", stages}, {"tube", 0.3}};
    expect_count("torus", parameters, stages + 2 + extra, stages - 4 + extra);
  }
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(0.05, 0.8);
  for (int n : {3, 4, 6})
    for (int stages : {4, 6, 10})
      expect_stable("torus", {{"bars", n}, {"stages", stages}, {"tube", part(random)}, {"EA", 500}}, stages + 2);
}

}  // namespace
}  // namespace taut
