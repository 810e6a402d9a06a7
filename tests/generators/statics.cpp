// Statics of a generated structure from its data alone, dense and sparse, and the judgement of its stability.
#include "tests/generators/statics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <cmath>

#include "taut/solve/dense.h"
#include "tests/support/dense.h"

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

std::vector<double> eigenvalues(const Eigen::MatrixXd& symmetric) {
  const Eigen::VectorXd values = symmetric_eigenvalues(symmetric);
  return {values.begin(), values.end()};
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
  const Eigen::VectorXd values = singular_values(rates);
  const int rank = static_cast<int>((values.array() > 1e-9 * values[0]).count());
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
  LeastSquares bars(1e-9);
  bars.compute(rates.bottomRows(rates.rows() - cables));
  const Eigen::MatrixXd motions = bars.free();
  return eigenvalues(motions.transpose() * stiffness * motions);
}

std::string described(const std::string& kind, const Parameters& parameters) {
  std::string all = kind;
  for (const auto& [key, value] : parameters) all += fmt::format(" {}={}", key, value);
  return all;
}

void expect_stable(const Model& model, int zeros, double gap, const std::string& what) {
  const Forces forces = forces_of(model);
  EXPECT_LE(forces.imbalance, 1e-12 * forces.largest) << what;
  for (double f : forces.cables) EXPECT_GT(f, 0.0) << what;
  for (double f : forces.bars) EXPECT_LT(f, 0.0) << what;
  const std::vector<double> omega = stress_eigenvalues(model, densities(model, forces));
  EXPECT_GE(omega[0], -1e-10 * omega.back()) << what;
  EXPECT_LE(omega[zeros - 1], 1e-10 * omega.back()) << what;
  EXPECT_GE(omega[zeros], gap * omega.back()) << what;
  const std::vector<double> k = stiffness_eigenvalues(model);
  EXPECT_GE(k[0], -1e-10 * k.back()) << what;
  EXPECT_LE(k[5], 1e-10 * k.back()) << what;
  EXPECT_GE(k[6], 1e-8 * k.back()) << what;
}

}  // namespace taut::testing
