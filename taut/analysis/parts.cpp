#include "taut/analysis/parts.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numeric>

#include "taut/analysis/rigid_row.h"

namespace taut {

namespace {

using Motion = Eigen::Matrix<double, 6, 1>;
using Gram = Eigen::Matrix<double, 6, 6>;

int find_root(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Rigid motions in the kernel of `supports`, counted by the rank of the velocity fields they make.
int count_motions(const Gram& supports, const Gram& fields) {
  const Eigen::SelfAdjointEigenSolver<Gram> kernel(supports);
  const double scale = std::max(kernel.eigenvalues().maxCoeff(), 1e-300);
  int size = 0;
  while (size < 6 && kernel.eigenvalues()[size] <= 1e-13 * scale) ++size;
  if (size == 0) return 0;
  const Eigen::MatrixXd free = kernel.eigenvectors().leftCols(size);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> rank(free.transpose() * fields * free);
  int motions = 0;
  for (int i = 0; i < size; ++i) motions += rank.eigenvalues()[i] > 1e-13 * fields.trace();
  return motions;
}

}  // namespace

int Parts::total_rigid_motions() const { return std::accumulate(rigid_motions.begin(), rigid_motions.end(), 0); }

Parts find_parts(const Model& model) {
  const int n = static_cast<int>(model.nodes.size());
  std::vector<int> parent(n);
  std::iota(parent.begin(), parent.end(), 0);
  const auto unite = [&](int a, int b) { parent[find_root(parent, a)] = find_root(parent, b); };
  for (const Bar& bar : model.bars) {
    unite(bar.a, bar.b);
    for (int node : bar.attached) unite(bar.a, node);
  }
  for (const Body& body : model.bodies)
    for (int node : body.nodes) unite(body.nodes.front(), node);
  for (const Cable& cable : model.cables)
    for (int node : cable.path) unite(cable.path.front(), node);
  for (const Constraint& constraint : model.constraints)
    for (const auto& [node, unused] : constraint.terms) unite(constraint.terms.front().first, node);

  Parts parts;
  std::vector<int> number(n, -1);
  for (int i = 0; i < n; ++i) {
    int& part = number[find_root(parent, i)];
    if (part < 0) part = parts.count++;
    parts.of_node.push_back(part);
  }

  // Centre and size of each part keep the rotations well scaled.
  std::vector<Vec3> centre(parts.count, Vec3::Zero());
  std::vector<double> size(parts.count, 0.0), nodes(parts.count, 0.0);
  for (int i = 0; i < n; ++i) centre[parts.of_node[i]] += model.nodes[i].position, nodes[parts.of_node[i]] += 1.0;
  for (int p = 0; p < parts.count; ++p) centre[p] /= nodes[p];
  for (int i = 0; i < n; ++i) {
    double& s = size[parts.of_node[i]];
    s = std::max(s, (model.nodes[i].position - centre[parts.of_node[i]]).norm());
  }
  const auto local = [&](int i) -> Vec3 {
    const int p = parts.of_node[i];
    return (model.nodes[i].position - centre[p]) / (size[p] > 0.0 ? size[p] : 1.0);
  };
  std::vector<Gram> supports(parts.count, Gram::Zero()), fields(parts.count, Gram::Zero());
  for (int i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const Motion row = rigid_row(local(i), axis);
      fields[parts.of_node[i]] += row * row.transpose();
      if (model.nodes[i].fixed[axis]) supports[parts.of_node[i]] += row * row.transpose();
    }
  for (const Constraint& constraint : model.constraints)
    for (int axis = 0; axis < 3; ++axis) {
      if (!constraint.axes[axis]) continue;
      add_constraint_row(
          constraint.terms, [&](int node) { return rigid_row(local(node), axis); },
          supports[parts.of_node[constraint.terms.front().first]]);
    }
  for (int p = 0; p < parts.count; ++p) parts.rigid_motions.push_back(count_motions(supports[p], fields[p]));
  return parts;
}

}  // namespace taut
