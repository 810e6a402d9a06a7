#include "taut/statics/stability.h"

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/solve/dense.h"
#include "taut/statics/stiffness.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_cutting_passes = 40, most_states_to_cut = 60, most_mechanisms_to_cut = 400;

// Ω over the nodes that are free along an axis; all nodes for axis -1.
MatrixXd stress_matrix(const Model& model, const StaticRows& rows, const VectorXd& forces, int axis) {
  std::vector<int> place(model.nodes.size(), -1);
  int size = 0;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (axis < 0 || !model.nodes[i].fixed[axis]) place[i] = size++;
  MatrixXd stress = MatrixXd::Zero(size, size);
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    each_piece(rows.rows[k].path, rows.start, [&](int a, int b, const Vec3&, double l) {
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
    const VectorXd values = symmetric_eigenvalues(stress);
    const double scale = std::max(values.cwiseAbs().maxCoeff(), 1e-300);
    if (values[0] < -no_stress_stiffness * scale) return -1;
    nullity += repeated * static_cast<int>((values.array() <= no_stress_stiffness * scale).count());
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
    each_piece(rows.rows[k].path, rows.start, [&](int a, int b, const Vec3& u, double l) {
      const Vec3 d = at(b) - at(a);
      result[static_cast<long>(k)] += (d - u.dot(d) * u).squaredNorm() / l;
    });
  return result;
}

double stiffening_zero(const StaticRows& rows, const VectorXd& forces) {
  double largest = 0.0;
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    each_piece(rows.rows[k].path, rows.start, [&](int, int, const Vec3&, double l) {
      largest = std::max(largest, std::abs(forces[static_cast<long>(k)]) / l);
    });
  return no_stiffening * largest;
}

Stiffening stiffening(const StaticRows& rows, const VectorXd& forces, const MatrixXd& basis) {
  const SparseMatrix geometric = symmetric_matrix(rows.unknowns(), geometric_stiffness(rows, forces));
  const MatrixXd product = geometric * basis;
  const SymmetricEigen solver = symmetric_eigen(basis.transpose() * product);
  return {basis * solver.vectors, solver.values};
}

VectorXd stress_eigenvalues(const Model& model, const StaticRows& rows, const VectorXd& forces) {
  if (model.nodes.empty() || static_cast<int>(model.nodes.size()) > most_nodes_of_stress_matrix) return {};
  return symmetric_eigenvalues(stress_matrix(model, rows, forces, -1));
}

bool is_super_stable(const Model& model, const StaticRows& rows, const StaticSpaces& spaces, const Parts& parts,
                     const VectorXd& forces) {
  if (rows.inner() > 0 || rows.unknowns() == 0) return false;
  if (static_cast<int>(model.nodes.size()) > most_nodes_of_stress_matrix) return false;
  const double largest = forces.cwiseAbs().maxCoeff();
  // A cable that runs on through nodes trades length between its pieces: the argument does not hold for it.
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    if (rows.rows[k].path.size() > 2 && std::abs(forces[static_cast<long>(k)]) > no_force * largest) return false;
  const WholeMotions affine = whole_motions(model, parts, WholeKind::affine);
  if (stress_nullity(model, rows, forces) != affine.count) return false;
  // Affine motions that keep the lengths of all bars and of all stressed members.
  if (affine.count == 0) return true;
  MatrixXd stretch = MatrixXd::Zero(static_cast<long>(rows.rows.size()), affine.count);
  const MatrixXd fields = affine.dense(rows.unknowns());
  for (const SparseEntry& e : free_gradients(rows, rows.start))
    if (rows.members[e.row].bar >= 0 || std::abs(forces[e.row]) > no_force * largest)
      stretch.row(e.row) += e.value * fields.row(e.column);
  const VectorXd values = symmetric_eigenvalues(stretch.transpose() * stretch);
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
