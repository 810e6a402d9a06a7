// Prestress where the nearest equilibrium of all would need a cable to push: the nearest one in which none does.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "taut/form/prestress/prestress.h"
#include "taut/solve/dense.h"
#include "tests/form/prestress_equations.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using namespace testing;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A point in the plane on cables to fixed corners, mean tension 10 N.
Model point_among(const std::vector<Vec3>& corners, const Vec3& at) {
  Model model;
  model.gravity.setZero();
  const int point = add_node(model, at, 1.0, planar);
  WantedTension wanted{{}, 10.0, true};
  for (const Vec3& corner : corners) {
    const int fixed = add_node(model, corner, 0.0, all_fixed);
    wanted.cables.push_back(add_cable(model, {fixed, point}, linear_law(1e4), 0.5 * (corner - at).norm()));
  }
  model.wanted_tensions = {wanted};
  return model;
}

// Cables that pull balance a point only inside the hull of their corners: from outside, the nearest equilibrium is the
// nearest point of the hull, on an edge, with the two cables of that edge alone. For every pair of corners of random
// polygons with corners inside as well.
TEST(PrestressBounds, APointOutsideGoesToTheNearestPointOfTheHull) {
  Random random(5);
  int tried = 0;
  for (int sides : {3, 4, 6}) {
    for (int side = 0; side < sides; ++side) {
      std::vector<Vec3> corners;
      for (int i = 0; i < sides; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / sides;
        corners.push_back({2.0 * std::cos(angle), 2.0 * std::sin(angle), 0.0});
      }
      // Two that lie well inside.
      corners.push_back({random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0.0});
      corners.push_back({random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0.0});
      const Vec3 a = corners[side], b = corners[(side + 1) % sides], along = b - a;
      const Vec3 outward = Vec3(along.y(), -along.x(), 0.0).normalized();
      const Vec3 foot = a + random.between(0.3, 0.7) * along, start = foot + random.between(0.02, 0.2) * outward;
      const Model model = point_among(corners, start);
      const PrestressResult result = find_prestress(model);
      ASSERT_TRUE(result.converged) << result.reason;
      EXPECT_LT((result.model.nodes[0].position - foot).norm(), 1e-7) << sides << " " << side;
      // The mean of all is 10 N, and two carry it.
      EXPECT_NEAR(result.tensions[side] + result.tensions[(side + 1) % sides], 10.0 * (sides + 2), 1e-4);
      for (double tension : result.tensions) EXPECT_GE(tension, 0.0);
      EXPECT_EQ(result.at_least.size(), static_cast<std::size_t>(sides));
      EXPECT_LT(result.residual, 1e-9);
      ++tried;
    }
  }
  EXPECT_EQ(tried, 13);
}

// The same for clouds of corners: any two with all others on one side of their line make an edge of the hull. Here
// cables are held that have to be let go again.
TEST(PrestressBounds, AndSoOutsideAnyCloudOfCorners) {
  Random random(8);
  int tried = 0;
  for (int cloud = 0; cloud < 40; ++cloud) {
    std::vector<Vec3> corners;
    for (int i = 0; i < 7; ++i) corners.push_back({random.between(-2.0, 2.0), random.between(-2.0, 2.0), 0.0});
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) {
        const Vec3 along = corners[j] - corners[i], outward = Vec3(along.y(), -along.x(), 0.0).normalized();
        const bool edge = i != j && std::all_of(corners.begin(), corners.end(),
                                                [&](const Vec3& c) { return outward.dot(c - corners[i]) < 1e-9; });
        if (!edge || along.norm() < 0.5) continue;
        const Vec3 foot = corners[i] + random.between(0.3, 0.7) * along, start = foot + 0.05 * outward;
        const PrestressResult result = find_prestress(point_among(corners, start));
        ASSERT_TRUE(result.converged) << cloud << " " << i << " " << j << ": " << result.reason;
        EXPECT_LT((result.model.nodes[0].position - foot).norm(), 1e-6) << cloud << " " << i << " " << j;
        EXPECT_NEAR(result.tensions[i] + result.tensions[j], 70.0, 1e-3);
        ++tried;
      }
  }
  EXPECT_GT(tried, 100);
}

// Inside nothing is held, and the point stays where it is.
TEST(PrestressBounds, APointInsideStays) {
  const PrestressResult result =
      find_prestress(point_among({{2, 0, 0}, {-1, 1.5, 0}, {-1, -1.5, 0}, {0.5, 2, 0}}, {0.2, 0.3, 0}));
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_LT(result.largest_move, 1e-9);
  for (double tension : result.tensions) EXPECT_GE(tension, 0.0);
}

// With a least tension the point goes on inside until the third cable has it. Two corners at (∓1, 0), one at (0, 1),
// the middle of the first two given: by symmetry x = 0, and at depth y the balance 2 T y/√(1 + y²) = T_least with T + T
// + T_least = 30 has one solution.
TEST(PrestressBounds, ALeastTensionIsKept) {
  const Model model = point_among({{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, -0.01, 0});
  PrestressOptions options;
  options.least_tension = 2.0;
  const PrestressResult result = find_prestress(model, options);
  ASSERT_TRUE(result.converged) << result.reason;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double y = 0.5 * (low + high);
    (28.0 * y / std::hypot(1.0, y) < 2.0 ? low : high) = y;
  }
  EXPECT_LT((result.model.nodes[0].position - Vec3(0, low, 0)).norm(), 1e-9);
  EXPECT_NEAR(result.tensions[2], 2.0, 1e-9);
  ASSERT_EQ(result.at_least, std::vector<int>{2});
}

// A prism with its three other diagonals as well, shaken: two self-stress states and more, and cables that would push.
// Optimal: the way there is Jᵀν + Σ μ_i ∂T_i with μ_i >= 0 over the held cables. J by differences of the equations of
// balance, written here once more.
TEST(PrestressBounds, MultipliersOfTheHeldCablesHaveTheRightSign) {
  int held_somewhere = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Model model = shaken_prism(0.03, seed);
    // The third connection between the ends: neither bar nor cable yet.
    for (int i = 0; i < 3; ++i)
      for (int j = 3; j < 6; ++j) {
        const auto joins = [&](int a, int b) { return (a == i && b == j) || (a == j && b == i); };
        bool taken = false;
        for (const Bar& bar : model.bars) taken |= joins(bar.a, bar.b);
        for (const Cable& cable : model.cables) taken |= joins(cable.path[0], cable.path[1]);
        if (!taken)
          add_cable(model, {i, j}, linear_law(1000.0),
                    0.99 * (model.nodes[i].position - model.nodes[j].position).norm());
      }
    const int nodes = 6, cables = 12, bars = 3, size = 3 * nodes + cables + bars, rows = 3 * nodes + bars + 1;
    ASSERT_EQ(model.cables.size(), static_cast<std::size_t>(cables));
    model.wanted_tensions = {{{6, 7, 8}, 50.0, true}};
    const PrestressResult result = find_prestress(model);
    ASSERT_TRUE(result.converged) << seed << ": " << result.reason;
    for (double tension : result.tensions) EXPECT_GE(tension, 0.0);
    held_somewhere += !result.at_least.empty();

    const VectorXd y = prism_unknowns(result);
    EXPECT_LT(prism_equations(model, y).cwiseAbs().maxCoeff(), 1e-7);
    const int held = static_cast<int>(result.at_least.size());
    MatrixXd gradients = MatrixXd::Zero(size, rows + held);
    gradients.leftCols(rows) = prism_jacobian(model, y).transpose();
    for (int k = 0; k < held; ++k) {
      EXPECT_NEAR(result.tensions[result.at_least[k]], 0.0, 1e-9);
      gradients(18 + result.at_least[k], rows + k) = 1.0;
    }
    VectorXd way = VectorXd::Zero(size);
    for (int i = 0; i < nodes; ++i) way.segment<3>(3 * i) = result.model.nodes[i].position - model.nodes[i].position;
    LeastSquares solver(1e-7);
    solver.compute(gradients);
    const VectorXd multipliers = solver.solve(way);
    EXPECT_LT((gradients * multipliers - way).norm(), 1e-5 * way.norm() + 1e-9) << seed;
    for (int k = 0; k < held; ++k)
      EXPECT_GT(multipliers[rows + k], -1e-6 * multipliers.tail(held).cwiseAbs().maxCoeff() - 1e-9) << seed << " " << k;
  }
  EXPECT_GE(held_somewhere, 3);
}

// Too far outside for the reach: reported as before, with the cable.
TEST(PrestressBounds, NothingWithinReachNamesTheCables) {
  const Model model = point_among({{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, -0.2, 0});
  PrestressOptions options;
  options.reach = 0.1;
  const PrestressResult result = find_prestress(model, options);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.reason.find("needs a cable to push: \"c3\""), std::string::npos) << result.reason;
  EXPECT_TRUE(result.at_least.empty());
  options.reach = 0.3;
  EXPECT_TRUE(find_prestress(model, options).converged);
}

}  // namespace
}  // namespace taut
