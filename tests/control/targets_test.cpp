// What controllers look at: values as the results have them, rates as differences of values, paths in time.
#include "taut/control/targets/targets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/model/control_names.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::VectorXd;

TEST(Targets, PathsRestOutsideAndOneRowIsAPoint) {
  VectorXd x;
  const TimedPath path({{1.0, 3.0}, {0, 10, 2, 20}, {1, 0, 0, 0}}, 2);
  path.evaluate(0.0, 0, x);
  EXPECT_EQ(x, Eigen::Vector2d(0, 10));
  path.evaluate(9.0, 0, x);
  EXPECT_EQ(x, Eigen::Vector2d(2, 20));
  path.evaluate(9.0, 1, x);
  EXPECT_EQ(x, Eigen::Vector2d(0, 0));
  path.evaluate(2.0, 0, x);  // the middle of a cubic: half way, and h/8 of the difference of slopes
  EXPECT_NEAR(x[0], 1.0 + 2.0 / 8.0, 1e-15);
  EXPECT_NEAR(x[1], 15.0, 1e-14);
  const TimedPath point({{5.0}, {3, 4}, {9, 9}}, 2);
  for (const double t : {0.0, 5.0, 7.0}) {
    point.evaluate(t, 0, x);
    EXPECT_EQ(x, Eigen::Vector2d(3, 4));
    point.evaluate(t, 2, x);
    EXPECT_EQ(x, Eigen::Vector2d(0, 0));
  }
  EXPECT_FALSE(TimedPath().given());
}

// Nodes that move in straight lines: values a little before and after give the rate.
TEST(Targets, RatesOfNodesAndFramesAreThoseOfTheValues) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    Model model;
    for (int i = 0; i < 6; ++i) add_node(model, random.vector());
    model.frames = {{"F", {0, 1, 2}, -1}, {"G", {3, 4, 5}, 0}};
    ControllerSpec spec;
    for (int column = 0; column < 3; ++column) spec.steer.targets.push_back({ControlTarget::Kind::node, 4, column});
    for (int frame = 0; frame < 2; ++frame)
      for (int column = 0; column < 6; ++column)
        spec.steer.targets.push_back({ControlTarget::Kind::frame, frame, column});
    spec.kind = ControllerKind::pid;
    Targets targets(model, spec);
    std::vector<double> x(24), v(24), moved(24);
    for (int i = 0; i < 24; ++i) {
      x[i] = i % 4 < 3 ? model.nodes[i / 4].position[i % 4] : 0.0;
      v[i] = random.between(-1, 1);
    }
    const auto at = [&](double h) {
      for (int i = 0; i < 24; ++i) moved[i] = x[i] + h * v[i];
      VectorXd value, rate;
      targets.measure({.x = moved.data(), .v = v.data()}, nullptr, value, rate);
      return std::pair(value, rate);
    };
    const double h = 1e-5;
    const VectorXd before = at(-h).first, after = at(h).first, rate = at(0.0).second;
    for (long k = 0; k < rate.size(); ++k) {
      const double step = after[k] - before[k];
      if (std::abs(step) > 1.0) continue;  // across ±π
      EXPECT_NEAR(rate[k], step / (2 * h), 1e-6 * (1 + std::abs(rate[k]) * std::abs(rate[k]) * std::abs(rate[k])))
          << trial << " " << k;
    }
    // Values are those of the results.
    FramePoses poses(model);
    std::vector<double> nodes, columns;
    for (int i = 0; i < 24; ++i)
      if (i % 4 < 3) nodes.push_back(x[i]);
    poses.place(nodes, columns);
    const VectorXd value = at(0.0).first;
    for (int k = 0; k < 12; ++k) EXPECT_NEAR(value[3 + k], columns[k], 1e-12);
  }
}

// In a machine: every target has the value of its column, and a rate that is the difference of values along a motion.
TEST(Targets, ValuesOfAMachineAreThoseOfItsColumns) {
  Scenario s = generated("single_strut", {{"torque_1", 0.3}});
  s.simulation.duration = 0.2;
  s.simulation.output_step = 1e-4;
  const Model& model = s.model;
  ControllerSpec spec;
  spec.kind = ControllerKind::pid;
  const std::vector<std::string> columns = joint_columns(model);
  std::vector<std::size_t> column_of;
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (const ControlTarget& target : targets_called(model, columns[i])) {
      spec.steer.targets.push_back(target);
      column_of.push_back(i);
    }
  Targets targets(model, spec);
  const Motion motion = run(s);
  ASSERT_EQ(motion.summary.status, RunStatus::done);
  std::vector<VectorXd> values, rates;
  for (const Sample& row : {motion.rows[1000], motion.rows[1001], motion.rows[1002]}) {
    VectorXd value, rate;
    targets.measure({.joints = row.joints.data()}, nullptr, value, rate);
    for (std::size_t k = 0; k < column_of.size(); ++k) EXPECT_EQ(value[static_cast<long>(k)], row.joints[column_of[k]]);
    values.push_back(value), rates.push_back(rate);
  }
  for (std::size_t k = 0; k < column_of.size(); ++k) {
    const long i = static_cast<long>(k);
    if (!has_rate(model, spec.steer.targets[k])) {
      EXPECT_EQ(rates[1][i], 0.0);
      continue;
    }
    EXPECT_NEAR(rates[1][i], (values[2][i] - values[0][i]) / 2e-4, 1e-4 * (1 + std::abs(rates[1][i])))
        << columns[column_of[k]];
  }
}

}  // namespace
}  // namespace taut::testing
