// Shapes from force densities, against the closed forms of N1 and N2 and against dense oracles.
#include <gtest/gtest.h>

#include <algorithm>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/members.h"
#include "taut/form/force_density.h"
#include "taut/form/stress_matrix.h"
#include "taut/solve/dense.h"
#include "tests/form/form_structures.h"

namespace taut::testing {
namespace {

using std::numbers::pi;

constexpr double rounding = 1e-12;  // relative: what the figures ask for

TEST(FormDensity, StressMatrixHasTheEigenvaluesOfThePrism) {
  // N1, n = 4, q_v = 1: 0 (four times, once for 1), 0.828427, 2.828427 twice, 4.828427; densely and by iteration.
  const Model model = twisted_prism(4, 0.3);
  const auto members = member_pieces(model).ends;
  Eigen::VectorXd q(16);
  q << Eigen::VectorXd::Constant(8, std::sqrt(0.5)), Eigen::VectorXd::Ones(4), -Eigen::VectorXd::Ones(4);
  const double expected[] = {
      0, 0, 0, 2 * std::sqrt(2.0) - 2, 2 * std::sqrt(2.0), 2 * std::sqrt(2.0), 2 * std::sqrt(2.0) + 2};
  for (const EigenMethod method : {EigenMethod::dense, EigenMethod::sparse}) {
    const LowestEigenvectors found = lowest_eigenvectors(8, members, q, 7, {}, method);
    ASSERT_TRUE(found.converged);
    for (int i = 0; i < 7; ++i) EXPECT_NEAR(found.values[i], expected[i], 1e-12);
    EXPECT_NEAR((found.vectors.transpose() * found.vectors - Eigen::MatrixXd::Identity(7, 7)).norm(), 0.0, 1e-12);
    EXPECT_NEAR(found.vectors.colwise().sum().norm(), 0.0, 1e-12);
  }
}

TEST(FormDensity, IterationFindsWhatTheDenseSolverFinds) {
  // An indefinite matrix: densities of mixed sign at random.
  const Model model = strut_sphere(raised_faces());
  const auto members = member_pieces(model).ends;
  Random random(7);
  Eigen::VectorXd q(static_cast<long>(members.size()));
  for (double& value : q) value = random.between(-0.5, 1.0);
  const LowestEigenvectors dense = lowest_eigenvectors(180, members, q, 4, {}, EigenMethod::dense);
  const LowestEigenvectors sparse = lowest_eigenvectors(180, members, q, 4, {}, EigenMethod::sparse);
  ASSERT_TRUE(sparse.converged);
  EXPECT_LT(dense.values[0], 0.0);
  // The vectors are good to 1e-10 and the values to its square, or to rounding.
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(sparse.values[i], dense.values[i], 1e-10 * dense.size);
}

TEST(FormDensity, GroupsAreTheOrbitsOfTheStructure) {
  for (int n : {3, 4, 5, 8}) {
    const MemberGroups groups = groups_by_connections(twisted_prism(n, 0.7));
    ASSERT_EQ(groups.size(), 3u) << n;  // rings, verticals, bars
    EXPECT_EQ(groups[0].size(), 2u * n);
    EXPECT_EQ(groups[1].size(), 1u * n);
    EXPECT_EQ(groups[2].size(), 1u * n);
  }
  const MemberGroups six = groups_by_connections(icosahedron(1.0));
  ASSERT_EQ(six.size(), 2u);
  EXPECT_EQ(six[0].size(), 24u);
  // Lengths tell the rings of a cone apart, connections do not.
  Model cone = twisted_prism(3, 0.5);
  for (int i = 3; i < 6; ++i) cone.nodes[i].position.head<2>() *= 0.5;
  EXPECT_EQ(groups_by_length(cone).size(), 4u);
  EXPECT_EQ(groups_by_connections(cone).size(), 3u);
  // A support makes a difference.
  cone.nodes[0].fixed = all_fixed;
  EXPECT_GT(groups_by_connections(cone).size(), 3u);
}

TEST(FormDensity, SixBarFromTheIcosahedron) {
  ForceDensityOptions options;
  options.pretension = 35.0;
  const ForceDensityResult result = find_by_densities(icosahedron(1.0), options);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_TRUE(result.super_stable);
  EXPECT_TRUE(result.stable);
  EXPECT_LT(result.residual, rounding);
  EXPECT_LT(dense_residual(result.model), rounding);
  const double strut = start_length(result.model, result.model.bars[0]);
  for (const Cable& cable : result.model.cables)
    EXPECT_NEAR(start_length(result.model, cable) / strut, std::sqrt(0.375), 1e-12);  // N2
  EXPECT_NEAR(result.densities[24] / result.densities[0], -1.5, 1e-12);
  for (double tension : result.tensions) EXPECT_NEAR(tension, 35.0, 1e-9);
  // As large as it was, and where it was.
  EXPECT_NEAR(mean_member_length(result.model, positions(result.model)),
              mean_member_length(icosahedron(1.0), positions(icosahedron(1.0))), 1e-12);
}

TEST(FormDensity, PrismsFromAnyTwist) {
  Random random(3);
  for (int n : {3, 4, 5, 6, 9})
    for (int round = 0; round < 3; ++round) {
      const double twist = random.between(-0.5 * pi, 0.5 * pi) + 0.3 * round;
      ForceDensityOptions options;
      options.pretension = 10.0;
      const ForceDensityResult result = find_by_densities(twisted_prism(n, twist, 0.6, 1.1), options);
      ASSERT_TRUE(result.converged) << n << " " << twist << ": " << result.reason;
      EXPECT_LT(dense_residual(result.model), rounding) << n << " " << twist;
      const double vertical = result.densities[2 * n];
      EXPECT_NEAR(result.densities[0] / vertical, 0.5 / std::sin(pi / n), 1e-11);  // N1
      EXPECT_NEAR(result.densities[3 * n] / vertical, -1.0, 1e-11);
      // l_bar² = l_v² + 4 R² sin(π/n), R from the ring: 2 R sin(π/n).
      const double ring = start_length(result.model, result.model.cables[0]), R = 0.5 * ring / std::sin(pi / n);
      const double l_v = start_length(result.model, result.model.cables[2 * n]);
      EXPECT_NEAR(std::pow(start_length(result.model, result.model.bars[0]), 2),
                  l_v * l_v + 4 * R * R * std::sin(pi / n), 1e-10);
    }
}

TEST(FormDensity, GivenDensityStaysAndTheOthersFollow) {
  ForceDensityOptions options;
  options.given.assign(12, std::nullopt);
  for (int m = 6; m < 9; ++m) options.given[m] = 20.0;
  const ForceDensityResult result = find_by_densities(twisted_prism(3, 0.2), options);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(result.densities[6], 20.0, 1e-9);
  EXPECT_NEAR(result.densities[0], 20.0 / std::sqrt(3.0), 1e-9);
  EXPECT_NEAR(result.densities[9], -20.0, 1e-9);
}

TEST(FormDensity, HeldNetIsTheLinearSolution) {
  // A square net on four corners of different heights, with weight: coordinates by a dense solution of D x = p.
  Model model = empty_scenario().model;
  model.gravity = {0, 0, -9.81};
  const int n = 5;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const bool corner = (i % (n - 1) == 0) && (j % (n - 1) == 0);
      add_node(model, {1.0 * i, 1.0 * j, corner ? 0.5 * (i + 2 * j) : 0.1}, 0.2, corner ? all_fixed : Axes{});
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i + 1 < n) add_cable(model, {n * i + j, n * (i + 1) + j}, linear_law(1e4), 0.9);
      if (j + 1 < n) add_cable(model, {n * i + j, n * i + j + 1}, linear_law(1e4), 0.9);
    }
  ForceDensityOptions options;
  for (std::size_t m = 0; m < model.cables.size(); ++m) options.given.emplace_back(10.0 + static_cast<double>(m % 3));
  const ForceDensityResult result = find_by_densities(model, options);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_LT(dense_residual(result.model), rounding);
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(25, 25), right = Eigen::MatrixXd::Zero(25, 3);
  for (std::size_t m = 0; m < model.cables.size(); ++m) {
    const int a = model.cables[m].path[0], b = model.cables[m].path[1];
    const double q = *options.given[m];
    d(a, a) += q, d(b, b) += q, d(a, b) -= q, d(b, a) -= q;
  }
  for (int i = 0; i < 25; ++i) {
    right.row(i) = 0.2 * model.gravity.transpose();
    if (model.nodes[i].fixed[0]) d.row(i).setZero(), d(i, i) = 1.0, right.row(i) = model.nodes[i].position.transpose();
  }
  const Eigen::MatrixXd expected = PivotedQr(d).solve(right);
  for (int i = 0; i < 25; ++i)
    EXPECT_NEAR((result.model.nodes[i].position - expected.row(i).transpose()).norm(), 0.0, 1e-11);
  for (std::size_t m = 0; m < model.cables.size(); ++m)
    EXPECT_NEAR(result.tensions[m] / start_length(result.model, result.model.cables[m]), *options.given[m], 1e-9);
}

TEST(FormDensity, SpheresOfManyStruts) {
  // 180 nodes and 540: eigenvectors by iteration.
  for (const auto& [sphere, struts] : {std::pair{raised_faces(), 90u}, {subdivided(3), 270u}}) {
    const Model model = strut_sphere(sphere);
    ASSERT_EQ(model.bars.size(), struts);
    ASSERT_EQ(model.nodes.size(), 2 * struts);
    ForceDensityOptions options;
    options.pretension = 10.0;
    const ForceDensityResult result = find_by_densities(model, options);
    ASSERT_TRUE(result.converged) << struts << ": " << result.reason;
    EXPECT_TRUE(result.super_stable);
    EXPECT_LT(result.groups.size(), struts / 10) << struts;  // icosahedral
    EXPECT_LT(result.residual, rounding) << struts;
    for (double tension : result.tensions) EXPECT_GT(tension, 0.0);
    // Bars push, but for a group near the corners of the larger sphere.
    const long push =
        std::count_if(result.bar_forces.begin(), result.bar_forces.end(), [](double f) { return f < 0.0; });
    EXPECT_GE(push, struts == 90u ? 90 : 210) << struts;
  }
}

TEST(FormDensity, SaysWhatIsImpossible) {
  // Densities that no shape in space has.
  ForceDensityOptions options;
  options.given.assign(12, 1.0);
  for (int m = 9; m < 12; ++m) options.given[m] = -0.2;
  const ForceDensityResult none = find_by_densities(twisted_prism(3, 0.2), options);
  EXPECT_FALSE(none.converged);
  EXPECT_NE(none.reason.find("no force densities were found"), std::string::npos) << none.reason;
  // Two structures in one file.
  Model two = twisted_prism(3, 0.2);
  add_node(two, {5, 0, 0}, 1.0), add_node(two, {6, 0, 0}, 1.0);
  add_cable(two, {6, 7}, linear_law(10), 0.5);
  EXPECT_NE(find_by_densities(two).reason.find("2 parts that nothing joins"), std::string::npos);
  // All nodes on a line.
  Model line = twisted_prism(3, 0.2);
  for (Node& node : line.nodes) node.position.head<2>().setZero();
  for (std::size_t i = 0; i < 6; ++i) line.nodes[i].position[2] = static_cast<double>(i);
  EXPECT_NE(find_by_densities(line).reason.find("lie on one line"), std::string::npos);
  // What keeps a shape of its own, and a ground.
  Model held = twisted_prism(3, 0.2);
  held.constraints.push_back({"", {{0, 1.0}, {1, -1.0}}, Vec3::Zero(), {true, false, false}});
  EXPECT_THROW(find_by_densities(held), InputError);
  Model standing = twisted_prism(3, 0.2);
  standing.ground.emplace();
  EXPECT_THROW(find_by_densities(standing), InputError);
}

TEST(FormDensity, BalanceWithoutSuperStability) {
  // A square of bars with cables along its diagonals: sides -1, diagonals +1; D has an eigenvalue of -4 besides.
  Model square = empty_scenario().model;
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}}) add_node(square, {x, y, 0}, 0.1);
  for (int i = 0; i < 4; ++i) add_bar(square, i, (i + 1) % 4, 0.1);
  for (int i = 0; i < 2; ++i) add_cable(square, {i, i + 2}, linear_law(1e3), 1.0);
  ForceDensityOptions options;
  options.pretension = 7.0;
  const ForceDensityResult found = find_by_densities(square, options);
  ASSERT_TRUE(found.converged) << found.reason;
  EXPECT_FALSE(found.super_stable);
  EXPECT_FALSE(found.stable);
  EXPECT_LT(found.residual, rounding);
  for (int c = 0; c < 2; ++c) EXPECT_NEAR(found.tensions[c], 7.0, 1e-9);
  for (int b = 0; b < 4; ++b) EXPECT_NEAR(found.densities[2 + b], -found.densities[0], 1e-9);
  EXPECT_NEAR(found.lowest[0] / found.densities[0], -4.0 / (found.densities[0] * 6.0), 1e-9);  // over the row sums
}

TEST(FormDensity, CableThatRunsOnHasOneTension) {
  // From two supports over a node that a straight cable pulls down: T = q L along both pieces, T(u + v) + p (b - x) =
  // 0.
  Model model = empty_scenario().model;
  const Vec3 l(-1, 0.3, 0), r(1.2, 0, 0), b(0.1, -2, 0.4);
  for (const Vec3& at : {l, r, b}) add_node(model, at, 0.0, all_fixed);
  const int x = add_node(model, {0.3, -0.5, 0}, 0.1);
  add_cable(model, {0, x, 1}, linear_law(1e4), 1.0);
  add_cable(model, {2, x}, linear_law(1e4), 1.0);
  ForceDensityOptions options;
  options.given = {30.0, 20.0};
  const ForceDensityResult found = find_by_densities(model, options);
  ASSERT_TRUE(found.converged) << found.reason;
  const Vec3 at = found.model.nodes[x].position;
  const double length = (l - at).norm() + (r - at).norm();
  const Vec3 net = 30.0 * length * ((l - at).normalized() + (r - at).normalized()) + 20.0 * (b - at);
  EXPECT_LT(net.norm(), 1e-9);
  EXPECT_NEAR(found.tensions[0], 30.0 * length, 1e-8);
  EXPECT_LT(dense_residual(found.model), rounding);

  // A free square with crossed bars, two of whose sides are one cable: found, with the same tension in both.
  Model square = empty_scenario().model;
  for (const auto& [u, v] : {std::pair{0.0, 0.0}, {1.0, 0.1}, {1.1, 1.0}, {0.0, 0.9}}) add_node(square, {u, v, 0}, 0.1);
  add_bar(square, 0, 2, 1.0);
  add_bar(square, 1, 3, 1.0);
  add_cable(square, {0, 1, 2}, linear_law(1e3), 1.0);
  add_cable(square, {2, 3}, linear_law(1e3), 1.0);
  add_cable(square, {3, 0}, linear_law(1e3), 1.0);
  ForceDensityOptions any;
  any.groups = groups_of_one(square);
  any.pretension = 10.0;
  const ForceDensityResult free = find_by_densities(square, any);
  ASSERT_TRUE(free.converged) << free.reason;
  EXPECT_FALSE(free.super_stable);  // not claimed
  EXPECT_LT(free.residual, rounding);
  EXPECT_LT(dense_residual(free.model), rounding);
  EXPECT_NEAR(free.tensions[0], free.densities[0] * start_length(free.model, free.model.cables[0]), 1e-8);
}

// A prism whose rings are one closed cable each, T = q 3 l: N1's densities, a third of them on a ring, are balanced at
// once where all are given, though the start has three digits.
TEST(FormDensity, GivenDensitiesOfClosedRings) {
  Model model = empty_scenario().model;
  for (const Vec3& p : {Vec3(0.5, 0, 0), Vec3(-0.25, 0.433, 0), Vec3(-0.25, -0.433, 0), Vec3(-0.433, 0.25, 1),
                        Vec3(0, -0.5, 1), Vec3(0.433, 0.25, 1)})
    add_node(model, p);
  for (int i = 0; i < 3; ++i) add_bar(model, i, i + 3, 1.0);
  for (const std::vector<int>& path : {std::vector<int>{0, 1, 2, 0}, {3, 4, 5, 3}, {0, 5}, {1, 3}, {2, 4}})
    add_cable(model, path, linear_law(1e3), 0.8);
  const double ring = 1.0 / std::sqrt(3.0) / 3.0;
  ForceDensityOptions options;
  options.given = {ring, ring, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0};
  const ForceDensityResult found = find_by_densities(model, options);
  ASSERT_TRUE(found.converged) << found.reason;
  EXPECT_LT(found.residual, rounding);
  EXPECT_NEAR(found.tensions[0], ring * start_length(found.model, found.model.cables[0]), 1e-9);
  options.given[0] = options.given[1] = 1.3 * ring;
  EXPECT_FALSE(find_by_densities(model, options).converged);
}

}  // namespace
}  // namespace taut::testing
