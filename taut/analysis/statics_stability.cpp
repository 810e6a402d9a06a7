#include "taut/analysis/statics_stability.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "taut/analysis/statics_stiffness.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

// Rounded coordinates of a file leave this much of an eigenvalue that is zero.
constexpr double zero = 1e-7, stress_zero = 1e-6;
constexpr int most_cutting_passes = 40, most_states_to_cut = 60, most_mechanisms_to_cut = 400;

Sparse symmetric(int size, const std::vector<SparseEntry>& upper) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const SparseEntry& e : upper) {
    entries.emplace_back(e.row, e.column, e.value);
    if (e.row != e.column) entries.emplace_back(e.column, e.row, e.value);
  }
  Sparse matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Ω over the nodes that are free along an axis; all nodes for axis -1.
MatrixXd stress_matrix(const Model& model, const StaticRows& rows, const VectorXd& forces, int axis) {
  std::vector<int> place(model.nodes.size(), -1);
  int size = 0;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (axis < 0 || !model.nodes[i].fixed[axis]) place[i] = size++;
  MatrixXd stress = MatrixXd::Zero(size, size);
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    each_piece(rows.rows[k], rows.start, [&](int a, int b, const Vec3&, double l) {
      const double q = forces[static_cast<long>(k)] / l;
      const int i = place[a], j = place[b];
      if (i >= 0) stress(i, i) += q;
      if (j >= 0) stress(j, j) += q;
      if (i >= 0 && j >= 0) stress(i, j) -= q, stress(j, i) -= q;
    });
  return stress;
}

// Zero eigenvalues on the free coordinates; -1 where one is negative.
int stress_nullity(const Model& model, const StaticRows& rows, const VectorXd& forces) {
  int nullity = 0;
  for (int axis = 0; axis < 3; ++axis) {
    // Axes with the same free nodes share their eigenvalues.
    int repeated = 0;
    bool seen = false;
    for (int other = 0; other < 3; ++other) {
      const bool same = std::all_of(model.nodes.begin(), model.nodes.end(),
                                    [&](const Node& node) { return node.fixed[axis] == node.fixed[other]; });
      seen |= same && other < axis;
      repeated += same;
    }
    const MatrixXd stress = seen ? MatrixXd() : stress_matrix(model, rows, forces, axis);
    if (stress.size() == 0) continue;
    const VectorXd values = Eigen::SelfAdjointEigenSolver<MatrixXd>(stress, Eigen::EigenvaluesOnly).eigenvalues();
    const double scale = std::max(values.cwiseAbs().maxCoeff(), 1e-300);
    if (values[0] < -stress_zero * scale) return -1;
    nullity += repeated * static_cast<int>((values.array() <= stress_zero * scale).count());
  }
  return nullity;
}

}  // namespace

VectorXd curvatures(const StaticRows& rows, const VectorXd& motion) {
  const auto at = [&](int node) {
    Vec3 d = Vec3::Zero();
    for (int axis = 0; axis < 3; ++axis)
      if (const int i = rows.unknown_of[3 * node + axis]; i >= 0) d[axis] = motion[i];
    return d;
  };
  VectorXd result = VectorXd::Zero(static_cast<long>(rows.rows.size()));
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    each_piece(rows.rows[k], rows.start, [&](int a, int b, const Vec3& u, double l) {
      const Vec3 d = at(b) - at(a);
      result[static_cast<long>(k)] += (d - u.dot(d) * u).squaredNorm() / l;
    });
  return result;
}

double stiffening_zero(const StaticRows& rows, const VectorXd& forces) {
  double largest = 0.0;
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    each_piece(rows.rows[k], rows.start, [&](int, int, const Vec3&, double l) {
      largest = std::max(largest, std::abs(forces[static_cast<long>(k)]) / l);
    });
  return zero * largest;
}

Stiffening stiffening(const StaticRows& rows, const VectorXd& forces, const MatrixXd& basis) {
  const Sparse geometric = symmetric(rows.unknowns(), geometric_stiffness(rows, forces));
  const MatrixXd product = geometric * basis;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(basis.transpose() * product);
  return {basis * solver.eigenvectors(), solver.eigenvalues()};
}

VectorXd stress_eigenvalues(const Model& model, const StaticRows& rows, const VectorXd& forces) {
  if (model.nodes.empty() || static_cast<int>(model.nodes.size()) > most_nodes_of_stress_matrix) return {};
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(stress_matrix(model, rows, forces, -1), Eigen::EigenvaluesOnly)
      .eigenvalues();
}

bool is_super_stable(const Model& model, const StaticRows& rows, const StaticSpaces& spaces, const Parts& parts,
                     const VectorXd& forces) {
  if (rows.inner() > 0 || rows.unknowns() == 0) return false;
  if (static_cast<int>(model.nodes.size()) > most_nodes_of_stress_matrix) return false;
  const double largest = forces.cwiseAbs().maxCoeff();
  // A cable that runs on through nodes trades length between its pieces: the argument does not hold for it.
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    if (rows.rows[k].path.size() > 2 && std::abs(forces[static_cast<long>(k)]) > 1e-9 * largest) return false;
  const WholeMotions affine = whole_motions(model, rows, parts, WholeKind::affine);
  if (stress_nullity(model, rows, forces) != affine.count) return false;
  // Affine motions that keep the lengths of all bars and of all stressed members.
  if (affine.count == 0) return true;
  MatrixXd stretch = MatrixXd::Zero(static_cast<long>(rows.rows.size()), affine.count);
  const MatrixXd fields = affine.dense(rows.unknowns());
  for (const SparseEntry& e : free_gradients(rows, rows.start))
    if (rows.members[e.row].bar >= 0 || std::abs(forces[e.row]) > 1e-9 * largest)
      stretch.row(e.row) += e.value * fields.row(e.column);
  const VectorXd values =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(stretch.transpose() * stretch, Eigen::EigenvaluesOnly).eigenvalues();
  return (values.array() <= 1e-11 * std::max(values.maxCoeff(), 1e-300)).count() <= spaces.rigid.count;
}

Stabilised stabilise(const StaticRows& rows, const StaticSpaces& spaces, ForceProblem problem, const VectorXd& forces) {
  Stabilised result;
  result.forces = forces;
  if (spaces.mechanism.cols() == 0) {
    result.found = true;
    return result;
  }
  result.stiffening = stiffening(rows, forces, spaces.mechanism);
  result.found = result.stiffening.values[0] > stiffening_zero(rows, forces);
  // Where no cable says which way round a state is, the other way is as good.
  bool either_way = true;
  for (std::size_t k = 0; k < rows.members.size(); ++k)
    either_way = either_way && !(rows.members[k].pulls_only && forces[static_cast<long>(k)] != 0.0);
  if (!result.found && either_way && forces != VectorXd::Zero(forces.size())) {
    const Stiffening turned = stiffening(rows, -forces, spaces.mechanism);
    if (turned.values[0] > stiffening_zero(rows, forces)) return {true, -forces, turned};
  }
  if (spaces.states > most_states_to_cut || spaces.mechanisms > most_mechanisms_to_cut) return result;
  Stiffening now = result.stiffening;
  VectorXd tried = forces;
  for (int pass = 0; pass < most_cutting_passes && !result.found && spaces.states > 1; ++pass) {
    // Conditions from the motions that are not stiffened, worst first.
    const double none = stiffening_zero(rows, tried);
    for (int j = 0; j < std::min<long>(now.values.size(), 5) && now.values[j] <= none; ++j) {
      const VectorXd curvature = curvatures(rows, now.shapes.col(j));
      problem.cuts.conservativeResize(problem.cuts.rows() + 1, spaces.self_stress.cols());
      problem.cut_least.conservativeResize(problem.cut_least.size() + 1);
      problem.cuts.row(problem.cuts.rows() - 1) = curvature.transpose() * spaces.self_stress;
      problem.cut_least[problem.cut_least.size() - 1] = 1e-3 * curvature.sum();
    }
    const ForceAnswer answer = choose_forces(problem);
    if (!answer.feasible) break;
    tried = answer.forces;
    now = stiffening(rows, tried, spaces.mechanism);
    if (!(now.values[0] > stiffening_zero(rows, tried))) continue;
    result = {true, tried, now};
  }
  return result;
}

}  // namespace taut
