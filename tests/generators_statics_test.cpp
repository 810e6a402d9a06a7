// g++ 12 takes the undefined lanes of AVX-512 intrinsics inside Eigen's decompositions for uninitialised variables.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

// The statics that judge the generators (generators_statics.h), and their own proof on cases worked out by hand.
#include "tests/generators_statics.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <cmath>

namespace taut::testing {

namespace {

bool is_free(const Model& model, int row) { return !model.nodes[row / 3].fixed[row % 3]; }

// Free coordinates (3 node + axis).
std::vector<int> free_axes(const Model& model) {
  std::vector<int> rows;
  for (int row = 0; row < 3 * static_cast<int>(model.nodes.size()); ++row) {
    if (is_free(model, row)) rows.push_back(row);
  }
  return rows;
}

Eigen::MatrixXd stress_matrix(const Model& model, const std::vector<double>& q) {
  const int n = static_cast<int>(model.nodes.size());
  Eigen::MatrixXd omega = Eigen::MatrixXd::Zero(n, n);
  const auto ends = member_ends(model);
  for (size_t i = 0; i < ends.size(); ++i) {
    const auto [a, b] = ends[i];
    omega(a, a) += q[i];
    omega(b, b) += q[i];
    omega(a, b) -= q[i];
    omega(b, a) -= q[i];
  }
  return omega;
}

// Rate of length of each member per rate of each free coordinate; rows in the order cables, bars.
Eigen::MatrixXd length_rates(const Model& model) {
  const auto ends = member_ends(model);
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(ends.size(), 3 * model.nodes.size());
  for (size_t i = 0; i < ends.size(); ++i) {
    const Vec3 direction = span_of(model, ends[i].first, ends[i].second).normalized();
    all.block<1, 3>(i, 3 * ends[i].first) -= direction.transpose();
    all.block<1, 3>(i, 3 * ends[i].second) += direction.transpose();
  }
  return all(Eigen::all, free_axes(model));
}

int rank_of(const Eigen::VectorXd& singular_values) {
  return static_cast<int>((singular_values.array() > 1e-9 * singular_values[0]).count());
}

std::vector<double> eigenvalues(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric, Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

double stiffness_of(const Model& model, const Cable& cable) {
  const double k = cable.law.by_EA ? cable.law.stiffness / cable.rest_length : cable.law.stiffness;
  if (cable.law.kind != LawKind::softplus) return k;
  const double e = span_of(model, cable.path.front(), cable.path.back()).norm() - cable.rest_length;
  return k * 0.5 * (1.0 + e / std::sqrt(e * e + cable.law.beta * cable.law.beta));
}

// One column per bar: the force on the nodes per unit of tension, along free axes.
Eigen::SparseMatrix<double> bar_pulls(const Model& model) {
  std::vector<Eigen::Triplet<double>> entries;
  for (size_t i = 0; i < model.bars.size(); ++i) {
    const Bar& bar = model.bars[i];
    const Vec3 direction = span_of(model, bar.a, bar.b).normalized();
    for (int axis = 0; axis < 3; ++axis) {
      const int column = static_cast<int>(i), a = 3 * bar.a + axis, b = 3 * bar.b + axis;
      if (is_free(model, a)) entries.emplace_back(a, column, direction[axis]);
      if (is_free(model, b)) entries.emplace_back(b, column, -direction[axis]);
    }
  }
  Eigen::SparseMatrix<double> pulls(3 * model.nodes.size(), model.bars.size());
  pulls.setFromTriplets(entries.begin(), entries.end());
  return pulls;
}

}  // namespace

Vec3 span_of(const Model& model, int a, int b) { return model.nodes[b].position - model.nodes[a].position; }

double cable_force(const Model& model, const Cable& cable) {
  const double e = span_of(model, cable.path.front(), cable.path.back()).norm() - cable.rest_length;
  const double k = cable.law.by_EA ? cable.law.stiffness / cable.rest_length : cable.law.stiffness;
  if (cable.law.kind == LawKind::softplus) return k * 0.5 * (e + std::sqrt(e * e + cable.law.beta * cable.law.beta));
  return e > 0.0 ? k * e : 0.0;
}

Forces forces_of(const Model& model) {
  Forces forces;
  Eigen::VectorXd net = Eigen::VectorXd::Zero(3 * model.nodes.size());
  for (const Cable& cable : model.cables) {
    const int a = cable.path.front(), b = cable.path.back();
    const double tension = cable_force(model, cable);
    const Vec3 pull = tension * span_of(model, a, b).normalized();
    net.segment<3>(3 * a) += pull;
    net.segment<3>(3 * b) -= pull;
    forces.cables.push_back(tension);
    forces.largest = std::max(forces.largest, tension);
  }
  for (int row = 0; row < net.size(); ++row) {
    if (!is_free(model, row)) net[row] = 0.0;
  }
  if (!model.bars.empty()) {
    const Eigen::SparseMatrix<double> pulls = bar_pulls(model);
    const Eigen::SparseMatrix<double> normal = pulls.transpose() * pulls;
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(normal);
    // Twice: the second solve removes what rounding left of the first.
    Eigen::VectorXd bars = Eigen::VectorXd::Zero(normal.rows());
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd step = factor.solve(pulls.transpose() * net);
      bars -= step;
      net -= pulls * step;
    }
    forces.bars.assign(bars.begin(), bars.end());
    forces.largest = std::max(forces.largest, bars.cwiseAbs().maxCoeff());
  }
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    forces.imbalance = std::max(forces.imbalance, net.segment<3>(3 * i).norm());
  }
  return forces;
}

std::vector<std::pair<int, int>> member_ends(const Model& model) {
  std::vector<std::pair<int, int>> ends;
  for (const Cable& cable : model.cables) ends.emplace_back(cable.path.front(), cable.path.back());
  for (const Bar& bar : model.bars) ends.emplace_back(bar.a, bar.b);
  return ends;
}

std::vector<double> densities(const Model& model, const Forces& forces) {
  std::vector<double> q = forces.cables;
  q.insert(q.end(), forces.bars.begin(), forces.bars.end());
  const auto ends = member_ends(model);
  for (size_t i = 0; i < ends.size(); ++i) q[i] /= span_of(model, ends[i].first, ends[i].second).norm();
  return q;
}

std::vector<double> stress_eigenvalues(const Model& model, const std::vector<double>& q) {
  return eigenvalues(stress_matrix(model, q));
}

Count count_states(const Model& model) {
  const Eigen::MatrixXd rates = length_rates(model);
  const int rank = rank_of(Eigen::BDCSVD<Eigen::MatrixXd>(rates).singularValues());
  return {static_cast<int>(rates.rows()) - rank, static_cast<int>(rates.cols()) - rank};
}

std::vector<double> stiffness_eigenvalues(const Model& model) {
  const std::vector<double> q = densities(model, forces_of(model));
  const Eigen::MatrixXd omega = stress_matrix(model, q), rates = length_rates(model);
  const auto rows = free_axes(model);
  const int size = static_cast<int>(rows.size()), cables = static_cast<int>(model.cables.size());
  Eigen::MatrixXd stiffness(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      stiffness(i, j) = rows[i] % 3 == rows[j] % 3 ? omega(rows[i] / 3, rows[j] / 3) : 0.0;
    }
  }
  for (int i = 0; i < cables; ++i) {
    stiffness += (stiffness_of(model, model.cables[i]) - q[i]) * rates.row(i).transpose() * rates.row(i);
  }
  if (model.bars.empty()) return eigenvalues(stiffness);
  // Motions that keep every bar's length.
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(rates.bottomRows(rates.rows() - cables), Eigen::ComputeFullV);
  const Eigen::MatrixXd motions = svd.matrixV().rightCols(size - rank_of(svd.singularValues()));
  return eigenvalues(motions.transpose() * stiffness * motions);
}

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
