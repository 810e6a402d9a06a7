#include "taut/analysis/lowest_modes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/analysis/tangent_stiffness.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A symmetric matrix from its upper triangle.
SparseMatrix symmetric(int size, const std::vector<SparseEntry>& upper) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const SparseEntry& e : upper) {
    entries.emplace_back(e.row, e.column, e.value);
    if (e.row != e.column) entries.emplace_back(e.column, e.row, e.value);
  }
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// The mass matrix on the unknowns, upper triangle.
std::vector<SparseEntry> mass_entries(const StaticForces& statics, const Model& model, const VectorXd& x) {
  std::vector<int> unknown_of(x.size(), -1);
  for (int i = 0; i < static_cast<int>(statics.unknowns().size()); ++i) unknown_of[statics.unknowns()[i]] = i;
  Model still = model;
  for (Bar& bar : still.bars) bar.spin = 0.0;
  const SparseMatrix mass = make_formulation("nodal", still)->mass_matrix(x.data());
  std::vector<SparseEntry> entries;
  for (int k = 0; k < mass.outerSize(); ++k)
    for (SparseMatrix::InnerIterator it(mass, k); it; ++it) {
      const int i = unknown_of[it.row()], j = unknown_of[it.col()];
      if (i >= 0 && j >= 0 && i <= j) entries.push_back({i, j, it.value()});
    }
  sum_repeated(entries);
  return entries;
}

// (K + σM)⁻¹ along the constraints, with the least σ of a rising row that makes it positive definite.
std::optional<TangentStiffness::Factor> shifted_factor(const TangentStiffness& stiffness,
                                                       const std::vector<SparseEntry>& mass, double& shift) {
  double trace = 0.0, mass_trace = 0.0;
  for (double bound : stiffness.bound()) trace += bound;
  for (const SparseEntry& e : mass) mass_trace += e.row == e.column ? e.value : 0.0;
  if (!(mass_trace > 0.0)) return std::nullopt;
  for (shift = 1e-7 * trace / mass_trace; shift < 1e3 * trace / mass_trace; shift *= 10.0) {
    std::vector<SparseEntry> more = mass;
    for (SparseEntry& e : more) e.value *= shift;
    if (auto factor = stiffness.factorise(more)) return factor;
  }
  return std::nullopt;
}

// Makes the columns orthonormal in the metric M, one after the other and twice, since the lowest modes outgrow the
// others.
void orthonormalise(const SparseMatrix& M, MatrixXd& V) {
  for (int j = 0; j < V.cols(); ++j)
    for (int sweep = 0; sweep < 2; ++sweep) {
      VectorXd Mv = M * V.col(j);
      for (int i = 0; i < j; ++i) V.col(j) -= V.col(i).dot(Mv) * V.col(i);
      Mv = M * V.col(j);
      V.col(j) /= std::max(std::sqrt(std::max(V.col(j).dot(Mv), 0.0)), 1e-300);
    }
}

}  // namespace

Modes lowest_modes(const Model& model, int count) {
  StaticForces statics(model);
  const VectorXd x = statics.start();
  const NetForce net = statics.net_force(x);
  const TangentStiffness stiffness(statics, net);
  const int n = stiffness.unknowns();
  const std::vector<SparseEntry> mass_upper = mass_entries(statics, model, x);
  Modes modes;
  double shift = 0.0;
  const auto factor = shifted_factor(stiffness, mass_upper, shift);
  if (!factor) return modes;
  const int freedoms = n - stiffness.constraints() + factor->numbers.left_out;
  count = std::min(count, freedoms);
  if (count <= 0) return modes;
  const int width = std::min(freedoms, std::max(2 * count, count + 8));
  const SparseMatrix K = symmetric(n, stiffness.entries()), M = symmetric(n, mass_upper);

  // Start vectors with parts along every mode.
  MatrixXd V(n, width);
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < n; ++i) V(i, j) = std::sin(1.0 + 7.3 * i + 2.1 * j * (i + 1));
  std::vector<double> rhs(n + stiffness.constraints()), scratch(rhs.size());
  VectorXd before = VectorXd::Constant(count, INFINITY);
  for (int pass = 0; pass < 300 && !modes.converged; ++pass) {
    const MatrixXd MV = M * V;
    for (int j = 0; j < width; ++j) {
      std::fill(rhs.begin(), rhs.end(), 0.0);
      for (int i = 0; i < n; ++i) rhs[i] = MV(i, j);
      factor->saddle.solve(factor->numbers, rhs.data(), scratch.data());
      for (int i = 0; i < n; ++i) V(i, j) = rhs[i];
    }
    // Rayleigh and Ritz.
    orthonormalise(M, V);
    if (!V.allFinite()) return modes;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> ritz(V.transpose() * (K * V));
    V = V * ritz.eigenvectors();
    modes.square = ritz.eigenvalues().head(count);
    // Ritz values are off by the square of what their vectors are off by: small changes tell of smaller errors.
    const double scale = std::max(modes.square.cwiseAbs().maxCoeff(), shift);
    modes.converged =
        ((modes.square - before).array().abs() <= 1e-10 * modes.square.array().abs() + 1e-11 * scale).all();
    before = modes.square;
  }
  modes.shapes = MatrixXd::Zero(x.size(), count);
  for (int i = 0; i < n; ++i) modes.shapes.row(statics.unknowns()[i]) = V.row(i).head(count);
  return modes;
}

double frequency(double square) {
  return std::copysign(std::sqrt(std::abs(square)), square) / (2.0 * std::numbers::pi);
}

}  // namespace taut
