// The equilibrium nearest to a measured shape: that it is one, that it is the nearest, and what is said when there is
// none. Frequencies and buckling loads against closed forms and against `linearise`.
#include "taut/form/prestress/prestress.h"

#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/file/read/read_toml.h"
#include "taut/modes/linearise.h"
#include "taut/modes/lowest_modes.h"
#include "taut/solve/dense.h"
#include "taut/solve/qp/equality_qp.h"
#include "taut/statics/buckling.h"
#include "tests/form/prestress_equations.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using namespace testing;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const std::string models = std::string(TAUT_SOURCE_DIR) + "/models/";

// The program's optimum against the dense solution of its stationarity conditions.
TEST(EqualityQp, IsTheDenseSolutionAlsoWithRedundantRows) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const int n = 12, m = 5;
  EqualityQp qp;
  MatrixXd J(m + 1, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) J(i, j) = normal(random);
  J.row(m) = J.row(0) - 2.0 * J.row(3);  // depends on two others
  qp.weight = qp.linear = VectorXd::Zero(n);
  for (int j = 0; j < n; ++j) qp.weight[j] = 0.5 + std::abs(normal(random)), qp.linear[j] = normal(random);
  const VectorXd point = VectorXd::Random(n);
  qp.right = J * point;
  for (int i = 0; i <= m; ++i)
    for (int j = 0; j < n; ++j) qp.jacobian.push_back({i, j, J(i, j)});
  const EqualityQpSolution sparse = solve_equality_qp(qp);
  MatrixXd K = MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = qp.weight.asDiagonal();
  K.topRightCorner(n, m) = J.topRows(m).transpose();
  K.bottomLeftCorner(m, n) = J.topRows(m);
  VectorXd right(n + m);
  right << qp.linear, qp.right.head(m);
  const VectorXd dense = solve_full_pivot(K, right);
  ASSERT_TRUE(sparse.solved);
  EXPECT_LT((sparse.z - dense.head(n)).norm(), 1e-10);
  EXPECT_LT(sparse.violation, 1e-12);
}

// A generated prism, its free nodes moved at random, with a wanted on its three side cables.
Model prism_with_wanted_tension(double by, unsigned seed = 7) {
  Model model = shaken_prism(by, seed);
  model.wanted_tensions = {{{6, 7, 8}, 50.0, true}};
  return model;
}

TEST(Prestress, LeavesAnExactEquilibriumWhereItIs) {
  Model model = prism_with_wanted_tension(0.0);
  const PrestressResult result = find_prestress(model);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_LT(result.largest_move, 1e-10);
  for (std::size_t i = 0; i < model.cables.size(); ++i)
    EXPECT_NEAR(result.model.cables[i].rest_length, model.cables[i].rest_length, 1e-9);
}

// Nearest: the way there is perpendicular to the equilibria around it. Their directions come from differences of the
// equations of balance, written once more (prestress_equations.h), on positions, tensions and bar force densities.
TEST(Prestress, EndsAtTheNearestEquilibrium) {
  const Model model = prism_with_wanted_tension(0.02);
  const PrestressResult result = find_prestress(model);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_LT(result.residual, 1e-10);
  EXPECT_GT(result.largest_move, 1e-3);
  for (std::size_t i = 0; i < model.bars.size(); ++i)
    EXPECT_NEAR(start_length(result.model, result.model.bars[i]), start_length(model, model.bars[i]), 1e-13);

  const VectorXd y = prism_unknowns(result);
  const int nodes = 6, size = static_cast<int>(y.size());
  EXPECT_LT(prism_equations(model, y).cwiseAbs().maxCoeff(), 1e-8);
  VectorXd way = VectorXd::Zero(size);
  for (int i = 0; i < nodes; ++i) way.segment<3>(3 * i) = result.model.nodes[i].position - model.nodes[i].position;
  // Free motions of positions and forces that keep all equations: the null space of J.
  const Svd svd = full_svd(prism_jacobian(model, y));
  double along = 0.0;
  for (int k = 0; k < size; ++k)
    if (k >= 22 || svd.values[k] < 1e-7 * svd.values[0]) along = std::max(along, std::abs(svd.V.col(k).dot(way)));
  EXPECT_LT(along, 1e-6 * way.norm());
}

TEST(Prestress, SaysWhatCannotBe) {
  // A node pulled one way only: no tension balances it.
  Model model;
  model.gravity.setZero();
  const int a = add_node(model, {0, 0, 0}, 0.0, all_fixed), b = add_node(model, {1, 0, 0}, 1.0);
  add_cable(model, {a, b}, linear_law(100.0), 0.9);
  model.wanted_tensions = {{{0}, 10.0, false}};
  PrestressResult result = find_prestress(model);
  EXPECT_FALSE(result.converged);
  ASSERT_EQ(result.unbalanced.size(), 1u);
  EXPECT_EQ(result.unbalanced[0].node, b);
  EXPECT_NEAR(result.unbalanced[0].force, 10.0, 1e-4);
  EXPECT_NE(result.reason.find("\"n2\" by 10 N"), std::string::npos) << result.reason;

  // A hanging mass: the cable under it would have to push for the upper one to carry less than the weight.
  model = {};
  const int top = add_node(model, {0, 0, 1}, 0.0, all_fixed), mass = add_node(model, {0, 0, 0}, 2.0),
            foot = add_node(model, {0, 0, -1}, 0.0, all_fixed);
  add_cable(model, {top, mass}, linear_law(100.0), 0.9);
  add_cable(model, {mass, foot}, linear_law(100.0), 0.9);
  model.wanted_tensions = {{{0}, 5.0, false}};
  result = find_prestress(model);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.reason.find("push: \"c2\" (-14.62 N)"), std::string::npos) << result.reason;
  model.wanted_tensions = {{{0}, 30.0, false}};
  result = find_prestress(model);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(result.tensions[1], 30.0 - 2.0 * 9.81, 1e-9);

  // Targets that contradict each other, and none at all.
  model.wanted_tensions = {{{0}, 30.0, false}, {{1}, 30.0, false}};
  EXPECT_FALSE(find_prestress(model).converged);
  model.wanted_tensions = {{{0}, 0.0, false}};
  EXPECT_THROW(find_prestress(model), InputError);
  model.wanted_tensions.clear();
  for (Cable& cable : model.cables) cable.rest_length = 2.0;
  EXPECT_THROW(find_prestress(model), InputError);

  // Further away than allowed.
  PrestressOptions near;
  near.reach = 0.001;
  result = find_prestress(prism_with_wanted_tension(0.02), near);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.reason.find("far from any equilibrium"), std::string::npos) << result.reason;
  EXPECT_GT(result.largest_move, 0.001);
}

// Cables between fixed nodes bear on nothing: they keep their tension, and the mean is that of the others.
TEST(Prestress, CablesBetweenFixedNodesKeepTheirTension) {
  Model model = generated("prism", {{"pretension", 50}, {"fixed", 1}}).model;
  model.gravity = {0.0, 0.0, -9.81};
  const Balance before = start_balance(model);
  const PrestressResult result = find_prestress(model);
  ASSERT_TRUE(result.converged) << result.reason;
  double mean = 0.0, start = 0.0;
  for (std::size_t i = 0; i < model.cables.size(); ++i) {
    const auto& path = model.cables[i].path;
    const bool held = model.nodes[path[0]].fixed == all_fixed && model.nodes[path[1]].fixed == all_fixed;
    if (held) {
      EXPECT_NEAR(result.tensions[i], before.cable_tension[i], 1e-9);
    } else {
      mean += result.tensions[i];
      start += before.cable_tension[i];
    }
  }
  EXPECT_NEAR(mean, start, 1e-8);
  EXPECT_GT(lowest_modes(result.model, 1).square[0], 1.0);
}

// At rest damping does not act, however fast a winch begins to turn at t = 0.
TEST(Prestress, DampingAndWinchesDoNotCount) {
  Model model = prism_with_wanted_tension(0.005);
  for (Cable& cable : model.cables) cable.law.damping = 100.0;
  Signal wound;
  wound.kind = SignalKind::sine;
  wound.mean = model.cables[7].rest_length;
  wound.amplitude = 0.01;
  model.actuators.push_back({7, wound});
  const PrestressResult result = find_prestress(model);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(value(result.model.actuators[0].rest_length, 0.0), result.model.cables[7].rest_length, 1e-15);
  EXPECT_EQ(result.model.actuators[0].rest_length.amplitude, 0.01);
}

// Residual, tensions, frequencies and moves of the reconstruction of Fadeyev et al. (2019); the shipped
// file is its result.
TEST(Prestress, StandsTheStackedManipulatorUp) {
  const Scenario measured = read_scenario(models + "stacked_measured.toml");
  const PrestressResult result = find_prestress(measured.model);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_LT(result.net_force, 1e-9);
  EXPECT_NEAR((result.tensions[3] + result.tensions[4] + result.tensions[5]) / 3.0, 240.0, 1e-9);
  EXPECT_NEAR((result.tensions[10] + result.tensions[11] + result.tensions[12]) / 3.0, 120.0, 1e-9);
  EXPECT_NEAR(result.largest_move, 0.066, 5e-4);
  const Modes modes = lowest_modes(result.model, 36);
  ASSERT_TRUE(modes.converged);
  EXPECT_NEAR(frequency(modes.square[0]), 0.532, 5e-4);
  EXPECT_NEAR(frequency(modes.square[1]), 0.657, 5e-4);

  const Scenario shipped = read_scenario(models + "stacked.toml");
  for (std::size_t i = 0; i < shipped.model.nodes.size(); ++i)
    EXPECT_LT((shipped.model.nodes[i].position - result.model.nodes[i].position).norm(), 1e-8);
  for (std::size_t i = 0; i < shipped.model.cables.size(); ++i)
    EXPECT_NEAR(shipped.model.cables[i].rest_length, result.model.cables[i].rest_length, 1e-9);

  // All 36 frequencies again, from the eigenvalues of the linearised undamped motion.
  Model undamped = result.model;
  for (Cable& cable : undamped.cables) cable.law.damping = 0.0;
  const Dynamics dynamics(undamped, "nodal", ConstraintMethod::projection);
  const std::vector<double> other = frequencies(linearise(dynamics, dynamics.start()).eigenvalues);
  ASSERT_EQ(other.size(), 36u);
  for (int i = 0; i < 36; ++i) EXPECT_NEAR(frequency(modes.square[i]), other[i], 1e-6 * other[i]);

  // Below about 100 N it does not bear its weight.
  Model weak = measured.model;
  weak.wanted_tensions[0].tension = 60.0;
  weak.wanted_tensions[1].tension = 30.0;
  const PrestressResult unstable = find_prestress(weak);
  if (unstable.converged) {
    EXPECT_LT(lowest_modes(unstable.model, 2).square[0], 0.0);
  }
  EXPECT_GT(find_buckling(result.model).factor, 1.2);
}

TEST(LowestModes, OfTheSixBarAreTheClosedForm) {
  // √(8T/(m s))/2π with s the cable, after six rigid motions without frequency.
  const Model model = generated("six_bar", {{"mass", 1}, {"stiffness", 500}, {"pretension", 20}}).model;
  const Modes modes = lowest_modes(model, 8);
  ASSERT_TRUE(modes.converged);
  for (int i = 0; i < 6; ++i) EXPECT_LT(std::abs(modes.square[i]), 1e-6 * modes.square[6]);
  const double s = start_length(model, model.cables[0]);
  EXPECT_NEAR(frequency(modes.square[6]), std::sqrt(8.0 * 20.0 / s) / (2.0 * M_PI), 1e-9);
}

// A mast: a bar on a ball joint, its head held by four level cables, length l, pretension T, stiffness k. The head
// moves sideways against 2k + 2T/l, so that a load P on it makes the mast fall over at P = (2k + 2T/l) L - m g/2.
TEST(Buckling, OfAMastIsTheClosedForm) {
  Model model;
  const double L = 2.0, l = 1.5, T = 20.0, k = 300.0, m = 3.0, P = 40.0;
  const int foot = add_node(model, {0, 0, 0}, 0.0, all_fixed), head = add_node(model, {0, 0, L});
  add_bar(model, foot, head, m);
  for (const Vec3& out : {Vec3(l, 0, L), Vec3(-l, 0, L), Vec3(0, l, L), Vec3(0, -l, L)}) {
    const int anchor = add_node(model, out, 0.0, all_fixed);
    add_cable(model, {anchor, head}, linear_law(k), l - T / k);
  }
  model.loads.push_back({head, {0, 0, -P}});
  const double critical = (2.0 * k + 2.0 * T / l) * L;
  const Buckling buckling = find_buckling(model);
  EXPECT_TRUE(buckling.loaded);
  EXPECT_TRUE(buckling.stable);
  ASSERT_TRUE(buckling.found);
  EXPECT_NEAR(buckling.factor * (P + 0.5 * m * 9.81), critical, 1e-4 * critical);
  EXPECT_EQ(buckling.softest_node, head);
  // Too much load from the beginning.
  model.loads[0].force.z() = -1.1 * critical;
  EXPECT_FALSE(find_buckling(model).stable);
  EXPECT_LT(lowest_modes(model, 1).square[0], 0.0);
}

}  // namespace
}  // namespace taut
