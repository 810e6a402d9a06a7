#include "tests/formulation/random_structure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taut/model/check/check.h"
#include "taut/solve/dense.h"

namespace taut::testing {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

void add_random_bar(Model& model, Random& random, int a, int b) {
  Bar& bar = model.bars[add_bar(model, a, b, random.between(0.2, 2.0))];
  if (random.chance(0.5)) bar.com = random.between(0.1, 0.9);
  if (random.chance(0.5)) bar.inertia = bar.mass * bar.rest_length * bar.rest_length * random.between(0.02, 0.5);
}

bool joined(const Model& model, int a, int b) {
  return std::any_of(model.bars.begin(), model.bars.end(),
                     [&](const Bar& bar) { return (bar.a == a && bar.b == b) || (bar.a == b && bar.b == a); });
}

bool moves(const Model& model, int node) { return model.nodes[node].fixed != all_fixed; }

// A linear constraint over two or three nodes that the start positions meet.
Constraint random_constraint(const Model& model, Random& random) {
  const int n = static_cast<int>(model.nodes.size()), first = random.below(n);
  Constraint constraint;
  for (int k = 0; k < 2 + random.below(2); ++k) {
    const int node = (first + k * (1 + random.below(2))) % n;
    const bool taken =
        std::any_of(constraint.terms.begin(), constraint.terms.end(), [&](const auto& t) { return t.first == node; });
    if (!taken) constraint.terms.emplace_back(node, random.between(0.5, 1.5) * (random.chance(0.5) ? 1.0 : -1.0));
  }
  for (bool& axis : constraint.axes) axis = random.chance(0.5);
  constraint.axes[random.below(3)] = true;
  for (const auto& [node, coefficient] : constraint.terms) constraint.value += coefficient * model.nodes[node].position;
  return constraint;
}

}  // namespace

Model random_structure(unsigned seed) {
  Random random(seed + 1000);
  Model model;
  model.gravity = random.vector(5.0);
  const bool flat = seed % 4 == 1;
  const int kind = static_cast<int>(seed % 3), n = 4 + random.below(9);
  for (int i = 0; i < n; ++i) {
    Vec3 place = random.vector();
    Axes fixed = {};
    if (flat) place.z() = 0.0;
    if (random.chance(0.12))
      fixed = all_fixed;
    else if (random.chance(0.15))
      fixed[random.below(3)] = true;
    if (flat) fixed[2] = true;
    add_node(model, place, random.chance(0.3) ? random.between(0.1, 1.0) : 0.0, fixed);
  }
  // Bars: pairs, a tree, or a mesh.
  for (int i = 1; i < n; ++i) {
    if (kind == 0 && i % 2 == 1) add_random_bar(model, random, i - 1, i);
    if (kind == 1) add_random_bar(model, random, random.below(i), i);
  }
  if (kind == 2)
    for (int k = 0; k < n + n / 3; ++k) {
      const int a = random.below(n), b = random.below(n);
      if (a != b && !joined(model, a, b) && (moves(model, a) || moves(model, b))) add_random_bar(model, random, a, b);
    }
  // Some bars become elastic, some are laid twice.
  for (int i = 0, bars = static_cast<int>(model.bars.size()); i < bars; ++i) {
    if (random.chance(0.1)) {
      Bar& bar = model.bars[i];
      bar.elastic = true;
      bar.EA = 100.0;
      bar.com = 0.5;
      bar.inertia = 0.0;
      if (random.chance(0.5)) bar.mass_model = MassModel::lumped;
    } else if (random.chance(0.07)) {
      const int a = model.bars[i].a, b = model.bars[i].b;
      add_random_bar(model, random, b, a);
    }
  }
  // Cables, some heavy.
  for (int k = 0; k < 3; ++k) {
    std::vector<int> path = {random.below(n)};
    while (static_cast<int>(path.size()) < 2 + k / 2) path.push_back((path.back() + 1 + random.below(n - 1)) % n);
    Cable& cable = model.cables[add_cable(model, path, linear_law(50.0), 1.0)];
    if (random.chance(0.3)) cable.mass = random.between(0.1, 1.0);
    if (random.chance(0.5)) cable.mass_model = MassModel::lumped;
  }
  // Linear constraints, one perhaps given twice.
  for (int k = 0; seed % 5 == 2 && k < 2; ++k) model.constraints.push_back(random_constraint(model, random));
  if (!model.constraints.empty() && random.chance(0.5)) model.constraints.push_back(model.constraints.front());
  // Every node needs mass of its own or a member's.
  std::vector<char> heavy(n, 0);
  for (const Bar& bar : model.bars) heavy[bar.a] = heavy[bar.b] = 1;
  for (int i = 0; i < n; ++i)
    if (!heavy[i]) model.nodes[i].mass += 0.5;
  return model;
}

Model random_rods(unsigned seed) {
  Random random(seed + 2000);
  Model model;
  model.gravity = random.vector(5.0);
  const int bars = 2 + random.below(5);
  for (int i = 0; i < 2 * bars; ++i) {
    Axes fixed = {};
    if (random.chance(0.1))
      fixed = all_fixed;
    else if (random.chance(0.2))
      fixed[random.below(3)] = true;
    add_node(model, random.vector(), random.chance(0.3) ? random.between(0.1, 1.0) : 0.0, fixed);
    if (i % 2 == 1) add_random_bar(model, random, i - 1, i);
  }
  for (Bar& bar : model.bars) {
    if (random.chance(0.3)) bar.drag = random.between(0.1, 1.0);
    if (random.chance(0.3)) bar.turning_drag = random.between(0.1, 1.0);
  }
  if (random.chance(0.5)) add_node(model, random.vector(), 0.0, all_fixed);
  const int n = static_cast<int>(model.nodes.size());
  for (int k = 0; k < 3; ++k) {
    std::vector<int> path = {random.below(n)};
    while (static_cast<int>(path.size()) < 2 + k / 2) path.push_back((path.back() + 1 + random.below(n - 1)) % n);
    Cable& cable = model.cables[add_cable(model, path, linear_law(50.0), 1.0)];
    cable.mass_model = MassModel::lumped;
    if (random.chance(0.3)) cable.mass = random.between(0.1, 1.0);
  }
  return model;
}

double kinetic_energy_of(const Model& model, const VectorXd& x, const VectorXd& v) {
  const auto at = [](const VectorXd& y, int node) -> Vec3 { return y.segment<3>(3 * node); };
  // ∫ ½ ρ |v|² along a straight piece with v linear on it (Simpson is exact), or half the mass at each end.
  const auto line = [&](int a, int b, double mass, MassModel kind) {
    const Vec3 va = at(v, a), vb = at(v, b), middle = 0.5 * (va + vb);
    if (kind == MassModel::lumped) return 0.25 * mass * (va.squaredNorm() + vb.squaredNorm());
    return mass / 12.0 * (va.squaredNorm() + 4.0 * middle.squaredNorm() + vb.squaredNorm());
  };
  double sum = 0.0;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    sum += 0.5 * model.nodes[i].mass * at(v, static_cast<int>(i)).squaredNorm();
  for (const Bar& bar : model.bars) {
    if (bar.elastic) {
      sum += line(bar.a, bar.b, bar.mass, bar.mass_model);
      continue;
    }
    const Vec3 centre = (1.0 - bar.com) * at(v, bar.a) + bar.com * at(v, bar.b);
    const Vec3 turn = (at(v, bar.b) - at(v, bar.a)) / (at(x, bar.b) - at(x, bar.a)).norm();
    sum += 0.5 * bar.mass * centre.squaredNorm() + 0.5 * bar.inertia * turn.squaredNorm();
  }
  for (const Cable& cable : model.cables)
    for (std::size_t k = 0; k + 1 < cable.path.size(); ++k) {
      const int a = cable.path[k], b = cable.path[k + 1];
      const double share = (model.nodes[b].position - model.nodes[a].position).norm() / start_length(model, cable);
      sum += line(a, b, cable.mass * share, cable.mass_model);
    }
  return sum;
}

DenseMotion dense_motion(const Model& model, const VectorXd& x, const VectorXd& v) {
  DenseMotion d;
  for (int i = 0; i < static_cast<int>(x.size()); ++i)
    if (!model.nodes[i / 3].fixed[i % 3]) d.free.push_back(i);
  const int n = static_cast<int>(d.free.size());
  // M from the energy of pairs of unit velocities.
  const auto energy = [&](int i, int j) {
    VectorXd unit = VectorXd::Zero(x.size());
    unit[d.free[i]] += 1.0;
    if (j >= 0) unit[d.free[j]] += 1.0;
    return kinetic_energy_of(model, x, unit);
  };
  VectorXd own(n);
  for (int i = 0; i < n; ++i) own[i] = energy(i, -1);
  d.M.resize(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) d.M(i, j) = d.M(j, i) = i == j ? 2.0 * own[i] : energy(i, j) - own[i] - own[j];
  // Rows over all coordinates first.
  std::vector<VectorXd> rows;
  std::vector<double> values, right;
  for (const Bar& bar : model.bars) {
    if (bar.elastic) continue;
    const Vec3 b = x.segment<3>(3 * bar.b) - x.segment<3>(3 * bar.a),
               b_rate = v.segment<3>(3 * bar.b) - v.segment<3>(3 * bar.a);
    VectorXd row = VectorXd::Zero(x.size());
    row.segment<3>(3 * bar.b) = b;
    row.segment<3>(3 * bar.a) = -b;
    rows.push_back(row);
    values.push_back(0.5 * (b.squaredNorm() - std::pow(start_length(model, bar), 2)));
    right.push_back(-b_rate.squaredNorm());
  }
  for (const Constraint& constraint : model.constraints)
    for (int axis = 0; axis < 3; ++axis) {
      if (!constraint.axes[axis]) continue;
      VectorXd row = VectorXd::Zero(x.size());
      for (const auto& [node, coefficient] : constraint.terms) row[3 * node + axis] += coefficient;
      rows.push_back(row);
      values.push_back(row.dot(x) - constraint.value[axis]);
      right.push_back(0.0);
    }
  d.G.resize(static_cast<long>(rows.size()), n);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (int i = 0; i < n; ++i) d.G(static_cast<long>(k), i) = rows[k][d.free[i]];
  d.g = VectorXd::Map(values.data(), static_cast<long>(values.size()));
  d.gamma = VectorXd::Map(right.data(), static_cast<long>(right.size()));
  return d;
}

DenseSolution solve_dense(const MatrixXd& M, const MatrixXd& G, const VectorXd& f, const VectorXd& gamma) {
  DenseSolution solution;
  if (G.rows() == 0) {
    solution.a = Cholesky(M).solve(f);
    return solution;
  }
  const Svd svd = full_svd(G);
  const VectorXd& sigma = svd.values;
  while (solution.rank < sigma.size() && sigma[solution.rank] > 1e-9 * sigma[0]) ++solution.rank;
  const int rank = solution.rank;
  if (rank > 0) solution.condition = sigma[0] / sigma[rank - 1];
  const MatrixXd Z = svd.V.rightCols(G.cols() - rank);
  solution.a = svd.V.leftCols(rank) *
               (sigma.head(rank).cwiseInverse().asDiagonal() * (svd.U.leftCols(rank).transpose() * gamma));
  if (Z.cols() > 0) {
    const MatrixXd inner = Z.transpose() * M * Z;
    solution.a += Z * Cholesky(inner).solve(Z.transpose() * (f - M * solution.a));
  }
  return solution;
}

VectorXd positions_of(const Model& model) {
  VectorXd x(3 * static_cast<long>(model.nodes.size()));
  for (std::size_t i = 0; i < model.nodes.size(); ++i) x.segment<3>(3 * static_cast<long>(i)) = model.nodes[i].position;
  return x;
}

VectorXd fitting_velocities(const Model& model, const VectorXd& x, Random& random) {
  const DenseMotion d = dense_motion(model, x, VectorXd::Zero(x.size()));
  VectorXd wanted(d.M.rows());
  for (double& w : wanted) w = random.between(-1.0, 1.0);
  const VectorXd kept = solve_dense(d.M, d.G, d.M * wanted, VectorXd::Zero(d.G.rows())).a;
  VectorXd v = VectorXd::Zero(x.size());
  for (std::size_t i = 0; i < d.free.size(); ++i) v[d.free[i]] = kept[static_cast<long>(i)];
  return v;
}

namespace {

// The reference itself against a case by hand: a uniform rod of mass m and length L, pinned at one end, horizontal, at
// rest under its own weight: the free end falls with 3g/2.
TEST(RandomStructure, DenseReferenceOfAFallingRod) {
  Model model;
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {2, 0, 0});
  add_bar(model, 0, 1, 3.0);
  const VectorXd x = positions_of(model), rest = VectorXd::Zero(6);
  const DenseMotion d = dense_motion(model, x, rest);
  const double g = 9.81;
  const VectorXd a = solve_dense(d.M, d.G, Vec3(0.0, 0.0, -0.5 * 3.0 * g), d.gamma).a;
  EXPECT_NEAR(a[2], -1.5 * g, 1e-13);
  EXPECT_NEAR(a.head(2).norm(), 0.0, 1e-13);
}

// The seeds do cover what the header promises.
TEST(RandomStructure, CoversEveryKind) {
  int shared = 0, guided = 0, pinned = 0, flat = 0, linear = 0, twice = 0, elastic = 0, heavy = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Model model = random_structure(seed);
    EXPECT_NO_THROW(validate(model)) << seed;
    std::vector<int> degree(model.nodes.size(), 0);
    for (const Bar& bar : model.bars) ++degree[bar.a], ++degree[bar.b], elastic += bar.elastic;
    shared += *std::max_element(degree.begin(), degree.end()) > 1;
    for (const Node& node : model.nodes) {
      const int axes = node.fixed[0] + node.fixed[1] + node.fixed[2];
      pinned += axes == 3;
      guided += axes == 1;
    }
    flat += seed % 4 == 1;
    linear += !model.constraints.empty();
    for (std::size_t i = 0; i < model.bars.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        twice += model.bars[i].a == model.bars[j].b && model.bars[i].b == model.bars[j].a;
    for (const Cable& cable : model.cables) heavy += cable.mass > 0.0;
  }
  for (int count : {shared, guided, pinned, flat, linear, twice, elastic, heavy}) EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace taut::testing
