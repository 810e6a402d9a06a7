// Every generated structure starts in equilibrium to rounding, all cables pull, all bars push, and the shape is stable.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "taut/generators/generators.h"
#include "tests/generators/statics.h"

namespace taut {
namespace {

using testing::Forces;
using testing::forces_of;

struct Case {
  std::string kind;
  Parameters parameters;
  int rigid_motions;  // that the supports leave
};

Scenario make(const Case& c) { return generate(*find_generator(c.kind), c.parameters); }

std::string text(const Case& c) { return testing::described(c.kind, c.parameters); }

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {"prism", {}, 6},
      {"prism", {{"bars", 4}}, 6},
      {"prism", {{"bars", 5}, {"radius", 0.3}, {"height", 0.7}, {"EA", 900}, {"pretension", 33}}, 6},
      {"prism", {{"bars", 6}, {"bar_length", 1.3}, {"height", 1.1}, {"mass", 2}}, 6},
      {"prism", {{"bars", 12}, {"radius", 2}, {"pretension", 5}, {"fixed", 1}}, 0},
      {"six_bar", {}, 6},
      {"six_bar", {{"length", 1.7}, {"pretension", 31}, {"EA", 450}}, 6},
      {"six_bar", {{"beta", 1e-3}}, 6},
      {"six_bar", {{"beta", 0.02}, {"EA", 300}}, 6},
      {"tower", {{"stages", 1}}, 6},
      {"tower", {{"stages", 2}}, 6},
      {"tower", {}, 6},
      {"tower", {{"stages", 4}, {"bars", 4}, {"overlap", 0.3}, {"saddle", 1.7}}, 6},
      {"tower", {{"stages", 5}, {"bars", 5}, {"overlap", 0.5}, {"saddle", 0.4}, {"EA", 700}}, 6},
      {"tower", {{"stages", 7}, {"bars", 3}, {"overlap", 0.15}, {"saddle", 0.9}, {"bar_length", 1.4}}, 6},
      {"tower", {{"stages", 3}, {"bars", 8}, {"overlap", 0.6}, {"saddle", 2}, {"radius", 1.1}, {"fixed", 1}}, 0},
      {"tower", {{"stages", 6}, {"height", 0.37}, {"radius", 0.21}, {"pretension", 8}}, 6},
      {"class2_tower", {{"stages", 1}}, 6},
      {"class2_tower", {}, 6},
      {"class2_tower", {{"stages", 6}, {"bars", 4}, {"bar_length", 1.25}, {"EA", 800}}, 6},
      {"class2_tower", {{"stages", 5}, {"bars", 7}, {"height", 0.6}, {"fixed", 1}}, 0},
      {"x_module", {}, 3},
      {"x_module", {{"width", 1.4}, {"height", 0.3}, {"pretension", 3}}, 3},
      {"x_module", {{"supported", 1}}, 0},
      {"d_bar", {}, 3},
      {"d_bar", {{"angle", 61}, {"span", 0.4}, {"EA", 3000}}, 3},
      {"d_bar", {{"order", 3}}, 3},
      {"t_bar", {}, 3},
      {"t_bar", {{"angle", 12}, {"span", 3.3}, {"EA", 5000}}, 3},
      {"t_bar", {{"order", 5}}, 3},
      {"net", {}, 0},
      {"net", {{"nx", 1}, {"ny", 3}, {"spacing", 0.3}}, 0},
      {"net", {{"nx", 7}, {"ny", 2}, {"EA", 777}}, 0},
  };
  return list;
}

TEST(GeneratorBalance, EveryNodeIsInBalanceToRounding) {
  for (const Case& c : cases()) {
    const Forces forces = forces_of(make(c).model);
    // A tension k (l - L0) rounds by about k l ε, which is 1e-15 to 1e-14 of the member forces here.
    EXPECT_LE(forces.imbalance, 1e-12 * forces.largest) << text(c);
    EXPECT_GT(forces.largest, 0.0) << text(c);
  }
}

TEST(GeneratorBalance, CablesPullAndBarsPush) {
  for (const Case& c : cases()) {
    const Forces forces = forces_of(make(c).model);
    for (double f : forces.cables) EXPECT_GT(f, 1e-3 * forces.largest) << text(c);
    for (double f : forces.bars) EXPECT_LT(f, -1e-3 * forces.largest) << text(c);
  }
}

// The softest motion is stiff, and exactly the rigid motions cost nothing.
TEST(GeneratorBalance, EveryShapeIsStable) {
  for (const Case& c : cases()) {
    const std::vector<double> k = testing::stiffness_eigenvalues(make(c).model);
    const double zero = 1e-11 * k.back();
    EXPECT_GE(k[0], -zero) << text(c);
    const auto first_stiff = std::find_if(k.begin(), k.end(), [zero](double value) { return value > zero; });
    EXPECT_EQ(first_stiff - k.begin(), c.rigid_motions) << text(c);
  }
}

TEST(GeneratorBalance, StartsAtRestUnlessAsked) {
  for (const Case& c : cases()) {
    const Model model = make(c).model;
    EXPECT_EQ(model.gravity, Vec3::Zero()) << text(c);
    for (const Node& node : model.nodes) EXPECT_EQ(node.velocity, Vec3::Zero()) << text(c);
  }
}

// Lengths, inertias and names are those that a plain file would have.
TEST(GeneratorBalance, MembersCarryDefaultNumbersAndNames) {
  for (const Case& c : cases()) {
    const Model model = make(c).model;
    for (const Bar& bar : model.bars) {
      EXPECT_EQ(bar.name, model.nodes[bar.a].name + "-" + model.nodes[bar.b].name);
      const double length = testing::span_of(model, bar.a, bar.b).norm();
      EXPECT_DOUBLE_EQ(bar.rest_length, length);
      EXPECT_DOUBLE_EQ(bar.inertia, bar.mass * length * length / 12.0);
    }
    for (const Cable& cable : model.cables) {
      EXPECT_EQ(cable.name, model.nodes[cable.path[0]].name + "-" + model.nodes[cable.path[1]].name);
    }
  }
}

// Ten thousand bars, one node class per stage: the same balance.
void expect_large_tower(const std::string& kind, size_t nodes) {
  const Model model = generate(*find_generator(kind), {{"stages", 3334}}).model;
  EXPECT_EQ(model.bars.size(), 10002u);
  EXPECT_EQ(model.nodes.size(), nodes);
  const Forces forces = forces_of(model);
  EXPECT_LE(forces.imbalance, 1e-12 * forces.largest);
}

TEST(GeneratorBalance, TowerOfTenThousandBars) { expect_large_tower("tower", 20004); }
TEST(GeneratorBalance, ClassTwoTowerOfTenThousandBars) { expect_large_tower("class2_tower", 10005); }

// Heights that are no binary fractions round at z = 2500 m to 5e-13 m, which is k 5e-13 m of force.
TEST(GeneratorBalance, TallTowerRoundsOnlyWithItsHeight) {
  const Model model = generate(*find_generator("tower"), {{"stages", 3334}, {"overlap", 0.3}, {"height", 1.1}}).model;
  const Forces forces = forces_of(model);
  const double top = model.nodes.back().position.z();
  EXPECT_LE(forces.imbalance, 16 * std::numeric_limits<double>::epsilon() * top * 1000.0);
}

}  // namespace
}  // namespace taut
