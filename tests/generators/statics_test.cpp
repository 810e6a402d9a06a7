// The statics that judge the generators (statics.h), proved on cases worked out by hand.
#include "tests/generators/statics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taut::testing {
namespace {

Model three_nodes_in_line() {
  Model model;
  for (int i = 0; i < 3; ++i) {
    Node node;
    node.position = {static_cast<double>(i), 0.0, 0.0};
    if (i != 1) node.fixed = {true, true, true};
    model.nodes.push_back(node);
  }
  for (int i = 0; i < 2; ++i) {
    Cable cable;
    cable.path = {i, i + 1};
    cable.law.stiffness = 100.0;
    cable.rest_length = 0.8;
    model.cables.push_back(cable);
  }
  return model;
}

// Node on two taut cables: 2 k along them, 2 T / l across.
TEST(GeneratorStatics, NodeBetweenTwoCables) {
  const Model model = three_nodes_in_line();
  const Forces forces = forces_of(model);
  EXPECT_NEAR(forces.cables[0], 20.0, 1e-12);
  EXPECT_NEAR(forces.imbalance, 0.0, 1e-12);
  const std::vector<double> k = stiffness_eigenvalues(model);
  ASSERT_EQ(k.size(), 3u);
  EXPECT_NEAR(k[0], 2.0 * 20.0 / 1.0, 1e-10);
  EXPECT_NEAR(k[1], 2.0 * 20.0 / 1.0, 1e-10);
  EXPECT_NEAR(k[2], 2.0 * 100.0, 1e-10);
  EXPECT_EQ(count_states(model).self_stress, 1);
  EXPECT_EQ(count_states(model).motions, 2);
}

// What is out of balance is seen, and a bar takes only what lies along it.
TEST(GeneratorStatics, ImbalanceIsSeen) {
  Model model = three_nodes_in_line();
  model.cables[1].rest_length = 0.7;
  EXPECT_NEAR(forces_of(model).imbalance, 10.0, 1e-12);
  model.cables.pop_back();
  Bar bar;
  bar.a = 1;
  bar.b = 2;
  model.bars.push_back(bar);
  EXPECT_NEAR(forces_of(model).bars[0], 20.0, 1e-12);
  EXPECT_NEAR(forces_of(model).imbalance, 0.0, 1e-12);
  model.nodes[2].position = {1.0, 1.0, 0.0};
  EXPECT_NEAR(forces_of(model).imbalance, 20.0, 1e-12);
}

}  // namespace
}  // namespace taut::testing
