#include "taut/modes/matrices.h"

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/formulation/formulation.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// M on the unknowns, upper triangle; and the force of unit accelerations, with what fixed nodes pass on.
void take_mass(const SparseMatrix& all, const std::vector<int>& unknown_of, MotionMatrices& to) {
  to.weight = MatrixXd::Zero(to.unknowns(), 3);
  for (int column = 0; column < all.outerSize(); ++column)
    for (SparseMatrix::InnerIterator it(all, column); it; ++it) {
      const int i = unknown_of[it.row()], j = unknown_of[column];
      if (i >= 0) to.weight(i, column % 3) += it.value();
      if (i >= 0 && j >= 0 && i <= j) to.mass.push_back({i, j, it.value()});
    }
  sum_repeated(to.mass);
}

// Multipliers with which the accelerations M a = f - Gᵀμ keep the constraints, in the order of G.
VectorXd multipliers_of_motion(const MotionMatrices& m, const VectorXd& force) {
  const Saddle saddle(m.unknowns(), m.constraints, m.mass, m.pattern);
  SaddleFactor factor = saddle.make_factor();
  saddle.factorise(m.jacobian.data(), factor);
  std::vector<double> rhs(m.unknowns() + m.constraints, 0.0), scratch(rhs.size());
  for (int i = 0; i < m.unknowns(); ++i) rhs[i] = force[m.coordinates[i]];
  saddle.solve(factor, rhs.data(), scratch.data());
  return Eigen::Map<const VectorXd>(rhs.data() + m.unknowns(), m.constraints);
}

// C on the unknowns, and by how much ∂f/∂x is not symmetric.
void take_damping(const Model& still, const std::vector<int>& unknown_of, MotionMatrices& to) {
  const Dynamics dynamics(still, "nodal", ConstraintMethod::projection);
  Terms terms = dynamics.make_terms();
  const State state = dynamics.start();
  dynamics.forces(0.0, state.q(), state.v(), terms);
  ForceTangent tangent(still, dynamics.cables());
  tangent.evaluate(terms);
  std::vector<Eigen::Triplet<double>> damping, stiffness;
  std::size_t first = 0;
  for (const auto& [a, b] : tangent.blocks()) {
    for (int k = 0; k < 9; ++k) {
      const int i = unknown_of[3 * a + k / 3], j = unknown_of[3 * b + k % 3];
      if (i < 0 || j < 0) continue;
      if (tangent.by_velocity()[first + k] != 0.0) damping.emplace_back(i, j, -tangent.by_velocity()[first + k]);
      if (!tangent.symmetric()) stiffness.emplace_back(i, j, -tangent.by_position()[first + k]);
    }
    first += 9;
  }
  to.C.resize(to.unknowns(), to.unknowns());
  to.C.setFromTriplets(damping.begin(), damping.end());
  if (stiffness.empty()) return;
  SparseMatrix K(to.unknowns(), to.unknowns());
  K.setFromTriplets(stiffness.begin(), stiffness.end());
  const SparseMatrix turned = K.transpose(), difference = K - turned;
  if (const double size = K.norm(); size > 0.0) to.asymmetry = difference.norm() / size;
}

}  // namespace

MotionMatrices motion_matrices(const Model& model) {
  StaticForces statics(model);
  MotionMatrices m;
  m.coordinates = statics.unknowns();
  const VectorXd x = statics.start();
  std::vector<int> unknown_of(x.size(), -1);
  for (int i = 0; i < m.unknowns(); ++i) unknown_of[m.coordinates[i]] = i;
  NetForce net = statics.net_force(x);
  m.constraints = statics.constraints();
  m.pattern = statics.jacobian_pattern();
  m.jacobian = statics.jacobian_values();
  take_mass(make_formulation("nodal", statics.model())->matrices(x.data(), nullptr, {.M = true}).M, unknown_of, m);
  VectorXd force;
  statics.forces(x, force);
  net.multiplier = multipliers_of_motion(m, force);
  const TangentStiffness stiffness(statics, net);
  m.stiffness = stiffness.entries();
  m.bound = Eigen::Map<const VectorXd>(stiffness.bound().data(), m.unknowns());
  m.K = symmetric_matrix(m.unknowns(), m.stiffness);
  m.M = symmetric_matrix(m.unknowns(), m.mass);
  take_damping(statics.model(), unknown_of, m);
  return m;
}

ShiftedFactor factorise(const MotionMatrices& m, double shift) {
  std::vector<SparseEntry> matrix = m.stiffness;
  matrix.reserve(matrix.size() + m.mass.size());
  for (const SparseEntry& e : m.mass) matrix.push_back({e.row, e.column, shift * e.value});
  ShiftedFactor factor{Saddle(m.unknowns(), m.constraints, matrix, m.pattern), {}};
  factor.numbers = factor.saddle.make_factor();
  factor.saddle.factorise(m.jacobian.data(), factor.numbers);
  return factor;
}

int count_below(const MotionMatrices& m, const ShiftedFactor& positive, double square) {
  const int n = m.unknowns();
  std::vector<int> row_of(m.constraints, -1);
  int rows = 0;
  for (int c = 0; c < m.constraints; ++c)
    if (!positive.saddle.left_out(positive.numbers, c)) row_of[c] = rows++;
  std::vector<SparseEntry> matrix = m.stiffness;
  for (const SparseEntry& e : m.mass) matrix.push_back({e.row, e.column, -square * e.value});
  sum_repeated(matrix);
  // The same order of elimination as ever: every constraint after its unknowns.
  std::vector<std::pair<int, int>> pairs;
  for (const SparseEntry& e : matrix) pairs.emplace_back(e.row, e.column);
  std::vector<std::vector<int>> bound(rows);
  for (const SparseEntry& e : m.pattern)
    if (row_of[e.row] >= 0) bound[row_of[e.row]].push_back(e.column);
  const std::vector<int> place = elimination_places(n, pairs, bound);
  for (std::size_t k = 0; k < m.pattern.size(); ++k)
    if (const int row = row_of[m.pattern[k].row]; row >= 0)
      matrix.push_back({n + row, m.pattern[k].column, m.jacobian[k]});
  std::vector<std::vector<std::pair<int, double>>> columns(n + rows);
  std::vector<std::vector<int>> pattern(n + rows);
  for (const SparseEntry& e : matrix) {
    const int p = std::min(place[e.row], place[e.column]), q = std::max(place[e.row], place[e.column]);
    columns[q].emplace_back(p, e.value);
    pattern[q].push_back(p);
  }
  const SparseLdl ldl(pattern);
  LdlFactor factor;
  ldl.make_factor(factor);
  int negative = 0;
  bool vanished = false;
  const auto scatter = [&](int k, double* y) {
    double diagonal = 0.0;
    for (const auto& [row, value] : columns[k]) (row == k ? diagonal : y[row]) += value;
    return diagonal;
  };
  const auto invert = [&](int, double, double pivot) {
    negative += pivot < 0.0;
    vanished |= pivot == 0.0 || !std::isfinite(pivot);
    return pivot == 0.0 ? 0.0 : 1.0 / pivot;
  };
  ldl.factorise(scatter, invert, factor);
  return vanished ? -1 : negative - rows;
}

void ShiftedFactor::solve(MatrixXd& columns) const {
  const long n = columns.rows();
  std::vector<double> rhs(n + saddle.constraints()), scratch(rhs.size());
  for (long j = 0; j < columns.cols(); ++j) {
    std::fill(rhs.begin(), rhs.end(), 0.0);
    std::copy_n(columns.col(j).data(), n, rhs.data());
    saddle.solve(numbers, rhs.data(), scratch.data());
    std::copy_n(rhs.data(), n, columns.col(j).data());
  }
}

}  // namespace taut
