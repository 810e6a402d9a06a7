// validate(): the last check of a model that was made by hand or by a generator.
#include "taut/model/check/check.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "taut/model/model.h"
#include "tests/file/model_support.h"
#include "tests/support/complaint.h"

namespace taut {
namespace {

std::string complaint(const Model& model) {
  return testing::complaint([&] { validate(model); });
}

// What validate says after a change to the small model.
std::string after(const std::function<void(Model&)>& change) {
  Model model = read_scenario_text(testing::small_model, "m.toml").model;
  change(model);
  return complaint(model);
}

TEST(Validate, TheSmallModelIsSound) {
  EXPECT_EQ(after([](Model&) {}), "");
}

TEST(Validate, Numbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(after([&](Model& m) { m.gravity.x() = nan; }), "environment.gravity: is not finite ([nan, 0, -9.81])");
  EXPECT_EQ(after([&](Model& m) { m.nodes[2].velocity.y() = infinity; }),
            "nodes[2].velocity: is not finite ([0, inf, 0])");
  EXPECT_EQ(after([&](Model& m) { m.cables[1].law.damping = nan; }), "cables[1].damping: is not a finite number (nan)");
  EXPECT_EQ(after([&](Model& m) { m.cables[1].rest_length = 0.0; }),
            "cables[1].rest_length: is 0: expected a number above 0");
  EXPECT_EQ(after([&](Model& m) {
              m.loads.push_back({0, {0, 0, 0}, 0.0, nan});
            }),
            "loads[0].to: is not a finite number (nan)");
  EXPECT_EQ(after([&](Model& m) { m.bars[0].inertia = -1.0; }),
            "bars[0].inertia: is negative (-1): expected 0 or more");
  EXPECT_EQ(after([&](Model& m) { m.bars[0].rest_length = 1.5; }),
            "bars[0].rest_length: is 1.5, but the rigid bar's nodes are 1 m apart");
}

TEST(Validate, Indices) {
  EXPECT_EQ(after([](Model& m) { m.bars[0].b = 3; }), "bars[0].nodes: refers to number 3 of 3");
  EXPECT_EQ(after([](Model& m) { m.cables[0].path[1] = -1; }), "cables[0].nodes: refers to number -1 of 3");
  EXPECT_EQ(after([](Model& m) { m.loads.push_back({7}); }), "loads[0].node: refers to number 7 of 3");
  EXPECT_EQ(after([](Model& m) { m.actuators.push_back({3, {}}); }), "actuators[0].cable: refers to number 3 of 3");
  EXPECT_EQ(after([](Model& m) {
              m.constraints.push_back({"", {{5, 1.0}}});
            }),
            "constraints[0].sum: refers to number 5 of 3");
}

TEST(Validate, Names) {
  EXPECT_EQ(after([](Model& m) { m.nodes[1].name = "a"; }), "nodes[1].name: a second node is called \"a\"");
  EXPECT_EQ(after([](Model& m) { m.cables[2].name = m.cables[0].name; }),
            "cables[2].name: a second cable is called \"b-c\"");
  EXPECT_EQ(after([](Model& m) { m.bars[0].name = ""; }), "bars[0].name: is empty: expected a name");
}

TEST(Validate, SeveralAtOnce) {
  EXPECT_EQ(after([](Model& m) {
              m.bars[0].mass = -1.0;
              m.cables[0].law.stiffness = -1.0;
            }),
            "bars[0].mass: is negative (-1): expected 0 or more\ncables[0].stiffness: is negative (-1): expected 0 "
            "or more");
  EXPECT_EQ(complaint(Model{}), "nodes: the model has no nodes");
}

// The rule against the eigenvalues that it stands for: M is singular exactly when a node is called massless.
TEST(Validate, MassRuleAgainstTheMassMatrix) {
  for (int variant = 0; variant < 64; ++variant) {
    Model model;
    for (int i = 0; i < 4; ++i) {
      Node node;
      node.name = std::string(1, static_cast<char>('a' + i));
      node.position = {1.0 * i, 0.0, 0.5 * i * i};
      model.nodes.push_back(node);
    }
    // A chain of three bars: with or without inertia, with their mass in the middle or at an end; a node mass or none.
    for (int i = 0; i < 3; ++i) {
      Bar bar;
      bar.name = std::to_string(i);
      bar.a = i;
      bar.b = i + 1;
      bar.mass = 1.0;
      bar.com = variant & (8 << (i % 2)) ? 0.5 : 1.0;
      bar.inertia = variant & (1 << i) ? 0.1 : 0.0;
      bar.rest_length = start_length(model, bar);
      model.bars.push_back(bar);
    }
    if (variant & 32) model.nodes[0].mass = 0.3;

    Eigen::Matrix4d mass = Eigen::Matrix4d::Zero();
    for (int i = 0; i < 4; ++i) mass(i, i) += model.nodes[i].mass;
    for (const Bar& bar : model.bars) {
      const double c = bar.com, j = bar.inertia / (bar.rest_length * bar.rest_length);
      mass(bar.a, bar.a) += bar.mass * (1 - c) * (1 - c) + j;
      mass(bar.b, bar.b) += bar.mass * c * c + j;
      mass(bar.a, bar.b) += bar.mass * c * (1 - c) - j;
      mass(bar.b, bar.a) += bar.mass * c * (1 - c) - j;
    }
    // Leading minors by elimination: the smallest pivot is far from 0 or is 0.
    double smallest = 1.0;
    Eigen::Matrix4d work = mass;
    for (int k = 0; k < 4; ++k) {
      smallest = std::min(smallest, work(k, k));
      if (work(k, k) <= 1e-12) break;
      for (int i = k + 1; i < 4; ++i) work.row(i) -= work(i, k) / work(k, k) * work.row(k);
    }
    EXPECT_EQ(complaint(model).empty(), smallest > 1e-12) << variant << '\n' << complaint(model) << '\n' << mass;
  }
}

}  // namespace
}  // namespace taut
