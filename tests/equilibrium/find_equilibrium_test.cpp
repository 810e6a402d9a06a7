// Where relaxation ends: what has no equilibrium and says so, structures at random, the stiffness behind the Newton
// steps.
#include "taut/equilibrium/find_equilibrium.h"

#include <gtest/gtest.h>

#include <atomic>

#include "taut/equilibrium/balance.h"
#include "taut/form/relax.h"
#include "taut/solve/dense.h"
#include "tests/equilibrium/dense_balance.h"
#include "tests/formulation/random_structure.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

TEST(Relax, WhatNothingHoldsIsRefused) {
  Model model = generated("six_bar").model;
  model.gravity = {0, 0, -9.81};
  RelaxResult r = relax(model);
  EXPECT_FALSE(r.converged);
  EXPECT_EQ(r.reason,
            "nothing holds the structure against gravity: it falls freely and has no equilibrium; fix a node, or "
            "set environment.gravity = [0, 0, 0]");
  EXPECT_EQ(r.largest_move, 0.0);
  // Held along x and y only.
  model.nodes[0].fixed = {true, true, false};
  EXPECT_FALSE(relax(model).converged);
  model.nodes[0].fixed = all_fixed;
  EXPECT_TRUE(relax(model).converged);
  // A part of two.
  model = generated("six_bar").model;
  add_node(model, {5, 0, 0}, 1.0);
  add_load(model, 12, {0, 3, 0});
  r = relax(model);
  EXPECT_FALSE(r.converged);
  EXPECT_NE(r.reason.find("the part with node \"n13\" add up to (0, 3, 0) N"), std::string::npos) << r.reason;
  // Balanced loads on a free structure are no obstacle.
  model = generated("six_bar").model;
  add_load(model, 0, {5, 0, 0});
  add_load(model, 1, {-5, 0, 0});
  r = relax(model);
  EXPECT_TRUE(r.converged) << r.reason;
  EXPECT_LT(dense_residual(r.model), 1e-11);
}

TEST(Relax, CollapseIsReported) {
  Model model = generated("prism").model;
  for (Cable& cable : model.cables) cable.rest_length *= 1.1;
  model.cables[0].rest_length *= 0.8;  // one pulls at first
  const RelaxResult r = relax(model);
  EXPECT_FALSE(r.converged);
  EXPECT_NE(r.reason.find("collapses: every cable is slack"), std::string::npos) << r.reason;
  EXPECT_EQ(r.slack.size(), model.cables.size());
}

// A cable that runs through nodes can draw two of them together: there the least energy has a corner and no balance.
TEST(Relax, NodesThatRunIntoEachOtherAreNamed) {
  Model model;
  model.gravity = {0, 0, -9.81};
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {0.5, 0, -0.1}, 0.5);
  add_node(model, {1.4, 0, -0.1}, 1.0);
  add_node(model, {2, 0, 0.5}, 0.0, all_fixed);
  add_cable(model, {0, 1, 2, 3}, linear_law(2000.0), 1.8);
  add_cable(model, {0, 2}, linear_law(500.0), 1.2);
  add_cable(model, {1, 3}, linear_law(500.0), 1.5);
  RelaxOptions options;
  options.steps = 20'000;
  const RelaxResult r = relax(model, options);
  EXPECT_FALSE(r.converged);
  EXPECT_NE(r.reason.find("nodes \"n2\" and \"n3\" of cable \"c1\" run into each other"), std::string::npos)
      << r.reason;
}

TEST(Relax, EndsWhenAskedAndAtItsLimit) {
  const Model model = icosahedron(1.0);
  std::atomic<bool> stop{true};
  RelaxOptions options;
  options.stop = &stop;
  EXPECT_EQ(relax(model, options).reason, "interrupted");
  options.stop = nullptr;
  options.tolerance = 1e-30;  // out of reach for shapes that do not cancel exactly
  options.steps = 300;
  Model turned = generated("prism", {{"bars", 7}}).model;
  turned.cables[3].rest_length *= 0.5;
  turned.cables[10].law.kind = LawKind::softplus;
  const RelaxResult r = relax(turned, options);
  EXPECT_LE(r.steps, 301);
}

// Structures of every kind, at random: in balance by the independent sum, or a reason; bars and supports keep.
TEST(Relax, RandomStructures) {
  int found = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Model model = random_structure(seed);
    if (seed % 3 != 0) model.gravity.setZero();
    RelaxOptions options;
    options.steps = 20'000;
    const RelaxResult r = relax(model, options);
    EXPECT_TRUE(r.converged || !r.reason.empty()) << seed;
    EXPECT_TRUE(std::isfinite(r.residual)) << seed;
    EXPECT_LT(largest_length_error(model, r.model), 1e-11) << seed;
    for (std::size_t i = 0; i < model.nodes.size(); ++i)
      for (int axis = 0; axis < 3; ++axis) {
        ASSERT_TRUE(std::isfinite(r.model.nodes[i].position[axis])) << seed;
        if (model.nodes[i].fixed[axis]) {
          EXPECT_EQ(r.model.nodes[i].position[axis], model.nodes[i].position[axis]) << seed;
        }
      }
    if (!r.converged) continue;
    ++found;
    EXPECT_LT(dense_residual(r.model), 1e-7) << seed;
  }
  EXPECT_GT(found, 20);
}

// The six-bar dropped on the ground: it comes to rest on a face, the ground carries its weight below its centre, and
// the shape is in balance as read. Forces from depths by hand: N = k d.
TEST(Relax, OnTheGround) {
  Model model = generated("six_bar").model;
  model.gravity = {0, 0, -9.81};
  model.ground.emplace();
  const Eigen::Matrix3d turn(Eigen::AngleAxisd(0.7, Vec3(1, 0.8, 0.3).normalized()));
  for (Node& node : model.nodes) node.position = turn * node.position + Vec3(0.2, -0.1, 0.9);
  const RelaxResult r = relax(model);
  ASSERT_TRUE(r.converged) << r.reason;
  EXPECT_TRUE(r.stable);
  double lift = 0.0;
  int touching = 0;
  Vec3 moment = Vec3::Zero(), centre = Vec3::Zero();
  for (const Node& node : r.model.nodes) {
    const double normal = model.ground->stiffness * std::max(0.0, -node.position[2]);
    lift += normal;
    touching += normal > 0.0;
    moment += normal * node.position;
    centre += node.position / static_cast<double>(r.model.nodes.size());
  }
  EXPECT_GE(touching, 3);
  EXPECT_NEAR(lift, 6 * 9.81, 1e-8);
  EXPECT_NEAR(moment[0], lift * centre[0], 1e-8);
  EXPECT_NEAR(moment[1], lift * centre[1], 1e-8);
  const Balance balance = start_balance(r.model);
  EXPECT_FALSE(balance.weight_left_out);
  EXPECT_LT(balance.imbalance, 1e-9);
  // In the air it would fall.
  for (Node& node : model.nodes) node.position[2] += 1.0;
  EXPECT_TRUE(start_balance(model).weight_left_out);
}

// K against differences of the net force, along directions that keep the constraints.
TEST(Relax, StiffnessIsTheDerivativeOfTheNetForce) {
  Model model = generated("class2_tower", {{"stages", 2}, {"fixed", 1}}).model;
  model.gravity = {0, 0, -9.81};
  add_cable(model, {0, 4, 8}, linear_law(700.0), 0.9);
  StaticForces statics(model);
  Random random(2);
  Eigen::VectorXd x = statics.start();
  for (int i : statics.unknowns()) x[i] += random.between(-0.02, 0.02);
  ASSERT_TRUE(statics.project(x));
  const NetForce at = statics.net_force(x);
  std::vector<SparseEntry> entries;
  statics.stiffness(at, entries);
  const long n = static_cast<long>(statics.unknowns().size());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n), G = Eigen::MatrixXd::Zero(statics.constraints(), n);
  for (const SparseEntry& e : entries) K(e.row, e.column) += e.value;
  K = K.selfadjointView<Eigen::Upper>();
  for (std::size_t k = 0; k < statics.jacobian_pattern().size(); ++k)
    G(statics.jacobian_pattern()[k].row, statics.jacobian_pattern()[k].column) = statics.jacobian_values()[k];
  LeastSquares solver;
  solver.compute(G);
  for (int trial = 0; trial < 10; ++trial) {
    Eigen::VectorXd d(n), full = Eigen::VectorXd::Zero(x.size());
    for (double& value : d) value = random.between(-1.0, 1.0);
    d -= solver.solve(G * d);
    for (long k = 0; k < n; ++k) full[statics.unknowns()[k]] = d[k];
    const double h = 1e-6,
                 by_difference =
                     -full.dot(statics.net_force(x + h * full).net - statics.net_force(x - h * full).net) / (2.0 * h);
    EXPECT_NEAR(by_difference / d.dot(K * d), 1.0, 1e-7);
  }
}

// A tower under its weight, below and above the load at which it tips over: the verdict is the sign of the smallest
// eigenvalue of K along the constraints, here by dense matrices.
TEST(Relax, StabilityIsTheSignOfTheSmallestEigenvalue) {
  for (const double g : {0.3, 1.0}) {
    Model model = generated("tower", {{"stages", 15}, {"fixed", 1}}).model;
    model.gravity = {0, 0, -g};
    const RelaxResult r = relax(model);
    ASSERT_TRUE(r.converged) << r.reason;
    StaticForces statics(r.model);
    const NetForce at = statics.net_force(statics.start());
    std::vector<SparseEntry> entries;
    statics.stiffness(at, entries);
    const long n = static_cast<long>(statics.unknowns().size()), rows = statics.constraints();
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n), Gt = Eigen::MatrixXd::Zero(n, rows);
    for (const SparseEntry& e : entries) K(e.row, e.column) += e.value;
    for (std::size_t k = 0; k < statics.jacobian_pattern().size(); ++k)
      Gt(statics.jacobian_pattern()[k].column, statics.jacobian_pattern()[k].row) = statics.jacobian_values()[k];
    const Eigen::MatrixXd Q = householder_q(Gt);
    const Eigen::MatrixXd Z = Q.rightCols(n - rows), reduced = Z.transpose() * K.selfadjointView<Eigen::Upper>() * Z;
    const double least = symmetric_eigenvalues(reduced)[0];
    EXPECT_EQ(least > 0.0, g < 0.5) << least;
    EXPECT_EQ(r.stable, least > 0.0);
  }
}

}  // namespace
}  // namespace taut::testing
