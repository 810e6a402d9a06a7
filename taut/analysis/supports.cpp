#include "taut/analysis/supports.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "taut/analysis/rigid_row.h"

namespace taut {

namespace {

using Motion = Eigen::Matrix<double, 6, 1>;
using Gram = Eigen::Matrix<double, 6, 6>;

// The pseudo-inverse of `fields` restricted to the kernel of `supports`.
Gram free_inverse(const Gram& supports, const Gram& fields) {
  const Eigen::SelfAdjointEigenSolver<Gram> kernel(supports);
  const double scale = kernel.eigenvalues().maxCoeff();
  int size = 0;
  while (size < 6 && kernel.eigenvalues()[size] <= 1e-12 * scale) ++size;
  if (size == 0) return Gram::Zero();
  const Eigen::MatrixXd free = kernel.eigenvectors().leftCols(size);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> inner(free.transpose() * fields * free);
  Eigen::VectorXd inverse = inner.eigenvalues();
  for (double& value : inverse) value = value > 1e-12 * fields.trace() ? 1.0 / value : 0.0;
  const Eigen::MatrixXd basis = free * inner.eigenvectors();
  return basis * inverse.asDiagonal() * basis.transpose();
}

}  // namespace

Unsupported find_unsupported(const Model& model, const Parts& parts, const std::vector<Vec3>& external) {
  Unsupported result;
  if (model.ground) return result;
  std::vector<Axes> held(parts.count, Axes{});
  std::vector<Vec3> sum(parts.count, Vec3::Zero()), size = sum;
  std::vector<int> first(parts.count, -1);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const int part = parts.of_node[i];
    if (first[part] < 0) first[part] = static_cast<int>(i);
    sum[part] += external[i];
    size[part] += external[i].cwiseAbs();
    for (int axis = 0; axis < 3; ++axis) held[part][axis] |= model.nodes[i].fixed[axis];
  }
  for (const Constraint& constraint : model.constraints) {
    double total = 0.0, largest = 0.0;
    for (const auto& [node, coefficient] : constraint.terms)
      total += coefficient, largest = std::max(largest, std::abs(coefficient));
    if (std::abs(total) <= 1e-12 * largest) continue;
    for (int axis = 0; axis < 3; ++axis)
      held[parts.of_node[constraint.terms.front().first]][axis] |= constraint.axes[axis];
  }
  for (int part = 0; part < parts.count && result.part < 0; ++part)
    for (int axis = 0; axis < 3; ++axis) {
      if (held[part][axis] || !(std::abs(sum[part][axis]) > 1e-9 * size[part].sum())) continue;
      result.part = part;
      result.force[axis] = sum[part][axis];
      result.node = first[part];
    }
  return result;
}

void remove_rigid_motions(const Model& model, const Parts& parts, const std::vector<Vec3>& external,
                          const Eigen::VectorXd& x, Eigen::VectorXd& displacement) {
  const int nodes = static_cast<int>(model.nodes.size());
  std::vector<Vec3> centre(parts.count, Vec3::Zero());
  std::vector<double> count(parts.count, 0.0), size(parts.count, 0.0);
  std::vector<char> loaded(parts.count, 0);
  for (int i = 0; i < nodes; ++i) {
    centre[parts.of_node[i]] += x.segment<3>(3 * i);
    count[parts.of_node[i]] += 1.0;
    if (external[i] != Vec3::Zero()) loaded[parts.of_node[i]] = 1;
  }
  for (int p = 0; p < parts.count; ++p) centre[p] /= count[p];
  for (int i = 0; i < nodes; ++i)
    size[parts.of_node[i]] = std::max(size[parts.of_node[i]], (x.segment<3>(3 * i) - centre[parts.of_node[i]]).norm());
  const auto local = [&](int i) -> Vec3 {
    const int p = parts.of_node[i];
    return (x.segment<3>(3 * i) - centre[p]) / (size[p] > 0.0 ? size[p] : 1.0);
  };
  // Least squares of the displacement by the free motions of each part.
  std::vector<Gram> supports(parts.count, Gram::Zero()), fields = supports;
  std::vector<Motion> along(parts.count, Motion::Zero());
  for (int i = 0; i < nodes; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const Motion row = rigid_row(local(i), axis);
      fields[parts.of_node[i]] += row * row.transpose();
      along[parts.of_node[i]] += row * displacement[3 * i + axis];
      if (model.nodes[i].fixed[axis]) supports[parts.of_node[i]] += row * row.transpose();
    }
  for (const Constraint& constraint : model.constraints)
    for (int axis = 0; axis < 3; ++axis) {
      if (!constraint.axes[axis]) continue;
      add_constraint_row(
          constraint.terms, [&](int node) { return rigid_row(local(node), axis); },
          supports[parts.of_node[constraint.terms.front().first]]);
    }
  for (int p = 0; p < parts.count; ++p) {
    if (loaded[p]) supports[p].diagonal().tail<3>().array() += 1.0;
    along[p] = free_inverse(supports[p], fields[p]) * along[p];
  }
  for (int i = 0; i < nodes; ++i)
    for (int axis = 0; axis < 3; ++axis)
      displacement[3 * i + axis] -= rigid_row(local(i), axis).dot(along[parts.of_node[i]]);
}

}  // namespace taut
