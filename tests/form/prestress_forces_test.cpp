// Prestress where forces can be chosen at no cost: a shape that some forces within bounds balance stays as it is; and
// how the cables at their bound are found.
#include <gtest/gtest.h>

#include <algorithm>

#include "taut/form/prestress/prestress.h"
#include "taut/form/prestress/prestress_held.h"
#include "taut/solve/dense.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using namespace testing;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Points in the plane on cables, in equilibrium by construction: tensions at random above `least`, and one more cable
// each, which takes what is left. `carried` are those tensions; the rest lengths of the model say nothing of them.
Model balanced_net(Random& random, int points, double least, std::vector<double>& carried) {
  Model model;
  model.gravity.setZero();
  for (int i = 0; i < points; ++i)
    add_node(model, {random.between(-0.3, 0.3) + i, random.between(-0.3, 0.3), 0.0}, 1.0, planar);
  carried.clear();
  std::vector<Vec3> pull(points, Vec3::Zero());
  const auto tie = [&](int a, int b, double tension) {
    const Vec3 d = model.nodes[b].position - model.nodes[a].position;
    add_cable(model, {a, b}, linear_law(1e3), 0.99 * d.norm());
    carried.push_back(tension);
    if (a < points) pull[a] += tension * d.normalized();
    if (b < points) pull[b] -= tension * d.normalized();
  };
  for (int i = 0; i + 1 < points; ++i) tie(i, i + 1, least + random.between(0.5, 20.0));
  for (int i = 0; i < points; ++i) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 corner = model.nodes[i].position + Vec3(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0);
      tie(i, add_node(model, corner, 0.0, all_fixed), least + random.between(0.5, 20.0));
    }
    // Too little is left to be above the least tension: twice the last cable's.
    if (pull[i].norm() < least + 0.5) {
      const int last = model.cables.back().path[1];
      const Vec3 u = (model.nodes[last].position - model.nodes[i].position).normalized();
      carried.back() += 2.0 * least + 2.0;
      pull[i] += (2.0 * least + 2.0) * u;
    }
    const Vec3 beyond = model.nodes[i].position - random.between(0.5, 1.0) * pull[i].normalized();
    tie(i, add_node(model, beyond, 0.0, all_fixed), pull[i].norm());
  }
  return model;
}

// Least tensions far above what the forces nearest to the file would be, one mean or two tensions given.
TEST(PrestressForces, AShapeThatSomeForcesWithinBoundsBalanceStays) {
  Random random(3);
  int chosen = 0;
  for (int net = 0; net < 300; ++net) {
    const double least = 3.0 * random.below(3);
    std::vector<double> carried;
    Model model = balanced_net(random, 1 + random.below(3), least, carried);
    const int some = random.below(static_cast<int>(carried.size())),
              other = (some + 1) % static_cast<int>(carried.size());
    const bool mean = random.below(2) == 0;
    if (mean)
      model.wanted_tensions = {{{some, other}, 0.5 * (carried[some] + carried[other]), true}};
    else
      model.wanted_tensions = {{{some}, carried[some], false}, {{other}, carried[other], false}};
    PrestressOptions options;
    options.least_tension = least;
    const PrestressResult result = find_prestress(model, options);
    ASSERT_TRUE(result.converged) << net << ": " << result.reason;
    EXPECT_LT(result.largest_move, 1e-12) << net;
    EXPECT_LT(result.start_residual, 1e-10) << net;
    EXPECT_TRUE(result.at_least.empty()) << net;
    // The balance, written here once more.
    std::vector<Vec3> pull(model.nodes.size(), Vec3::Zero());
    for (std::size_t i = 0; i < carried.size(); ++i) {
      const auto& path = model.cables[i].path;
      const Vec3 u = (model.nodes[path[1]].position - model.nodes[path[0]].position).normalized();
      pull[path[0]] += result.tensions[i] * u;
      pull[path[1]] -= result.tensions[i] * u;
      const bool given = !mean && (static_cast<int>(i) == some || static_cast<int>(i) == other);
      EXPECT_GE(result.tensions[i], (given ? 0.0 : least) - 1e-8) << net << " " << i;
    }
    const double largest = *std::max_element(result.tensions.begin(), result.tensions.end());
    for (std::size_t i = 0; i < model.nodes.size(); ++i)
      if (model.nodes[i].fixed != all_fixed) {
        EXPECT_LT(pull[i].norm(), 1e-11 * largest) << net;
      }
    const double off = mean ? result.tensions[some] + result.tensions[other] - carried[some] - carried[other]
                            : result.tensions[some] - carried[some];
    EXPECT_LT(std::abs(off), 1e-8 * largest) << net;
    chosen += largest > 0.0;
  }
  EXPECT_EQ(chosen, 300);
}

// What is called an equilibrium is one to rounding, also after a search along the bounds: a net shaken by a tenth.
TEST(PrestressForces, AnEquilibriumIsBalancedToRounding) {
  Random random(11);
  int found = 0;
  for (int net = 0; net < 40; ++net) {
    std::vector<double> carried;
    Model model = balanced_net(random, 3, 0.0, carried);
    model.wanted_tensions = {{{0, 1}, 10.0, true}};
    for (int i = 0; i < 3; ++i)
      model.nodes[i].position += Vec3(random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0.0);
    PrestressOptions options;
    options.reach = 2.0;
    const PrestressResult result = find_prestress(model, options);
    if (!result.converged) continue;
    EXPECT_LT(result.residual, 1e-12) << net;
    ++found;
  }
  EXPECT_GT(found, 30);
}

// min ½ zᵀH z - p·z with z_i >= least for some: against all sets of held variables, of which one fits. H from well to
// badly conditioned, so that the blocks of changes go round in circles now and then.
TEST(PrestressForces, TheHeldSetIsTheOneThatFits) {
  Random random(9);
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 7;
    MatrixXd root(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) root(i, j) = random.between(-1.0, 1.0) * (j == 0 ? 30.0 : 1.0);
    const MatrixXd H = root * root.transpose() + 1e-4 * MatrixXd::Identity(n, n);
    VectorXd p(n);
    for (int i = 0; i < n; ++i) p[i] = random.between(-3.0, 3.0);
    LeastTension least{std::vector<char>(n, 1), 0.5, 1e-9};
    least.bounded[trial % n] = 0;
    const HeldProgram program = [&](const std::vector<int>& held) {
      const int m = static_cast<int>(held.size());
      MatrixXd K = MatrixXd::Zero(n + m, n + m);
      VectorXd right = VectorXd::Constant(n + m, least.tension);
      K.topLeftCorner(n, n) = H;
      right.head(n) = p;
      for (int k = 0; k < m; ++k) K(held[k], n + k) = K(n + k, held[k]) = 1.0;
      const VectorXd z = solve_full_pivot(K, right);
      return HeldSolution{true, z.head(n), z.tail(m)};
    };
    std::vector<int> fits;
    for (int set = 0; set < 1 << n; ++set) {
      if (set >> (trial % n) & 1) continue;
      std::vector<int> held;
      for (int i = 0; i < n; ++i)
        if (set >> i & 1) held.push_back(i);
      const HeldSolution solution = program(held);
      bool right = held.empty() || solution.multiplier.maxCoeff() <= 0.0;
      for (int i = 0; i < n; ++i) right &= !least.bounded[i] || solution.tension[i] >= least.tension - least.slip;
      if (right) fits = held;
    }
    std::vector<int> found;
    if (trial % 3 == 0) found = {(trial + 1) % n, (trial + 3) % n};  // a guess
    ASSERT_TRUE(find_held(program, least, 500, found)) << trial;
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, fits) << trial;
  }
}

}  // namespace
}  // namespace taut
