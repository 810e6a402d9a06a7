#include "taut/equilibrium/stiffness/rigid_motions.h"

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/parts.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Velocity of coordinate `axis` at r under three translations, and three rotations (N = 6) or a linear map (N = 12).
template <int N>
Eigen::Matrix<double, N, 1> row_at(const Vec3& r, int axis) {
  Eigen::Matrix<double, N, 1> row = Eigen::Matrix<double, N, 1>::Zero();
  row[axis] = 1.0;
  if constexpr (N == 6) {
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    row[3 + j] = r[k];  // (ω × r)_axis = ω_j r_k - ω_k r_j
    row[3 + k] = -r[j];
  } else {
    row.template segment<3>(3 + 3 * axis) = r;
  }
  return row;
}

// All motions of every part about positions x, and what holds them.
template <int N>
struct PartMotions {
  using Row = Eigen::Matrix<double, N, 1>;
  using Gram = Eigen::Matrix<double, N, N>;

  const std::vector<int>& part_of;
  std::vector<Vec3> local;     // per node: from the centre of its part, over the size of the part
  std::vector<Gram> supports;  // S of each part

  template <typename PositionOf>
  PartMotions(const Model& model, const std::vector<int>& part_of_node, int parts, const PositionOf& position)
      : part_of(part_of_node), supports(parts, Gram::Zero()) {
    const int nodes = static_cast<int>(model.nodes.size());
    std::vector<Vec3> centre(parts, Vec3::Zero());
    std::vector<double> count(parts, 0.0), size(parts, 0.0);
    for (int i = 0; i < nodes; ++i) centre[part_of[i]] += position(i), count[part_of[i]] += 1.0;
    for (int p = 0; p < parts; ++p) centre[p] /= count[p];
    for (int i = 0; i < nodes; ++i)
      size[part_of[i]] = std::max(size[part_of[i]], (position(i) - centre[part_of[i]]).norm());
    for (int i = 0; i < nodes; ++i) {
      const int p = part_of[i];
      local.push_back((position(i) - centre[p]) / (size[p] > 0.0 ? size[p] : 1.0));
    }
    for (int i = 0; i < 3 * nodes; ++i)
      if (model.nodes[i / 3].fixed[i % 3]) supports[part_of[i / 3]] += row(i) * row(i).transpose();
    for (const Constraint& constraint : model.constraints)
      for (int axis = 0; axis < 3; ++axis)
        if (constraint.axes[axis]) add_constraint(constraint, axis);
  }

  Row row(int coordinate) const { return row_at<N>(local[coordinate / 3], coordinate % 3); }

  // Motions of a part that nothing holds, columns.
  MatrixXd free(int part, double zero) const {
    const SymmetricEigen kernel = symmetric_eigen(supports[part]);
    const double scale = std::max(kernel.values.maxCoeff(), 1e-300);
    long size = 0;
    while (size < N && kernel.values[size] <= zero * scale) ++size;
    return kernel.vectors.leftCols(size);
  }

 private:
  // c cᵀ, c = Σ coefficient × row over Σ |coefficient| |row|: of unit size, and left out where the terms cancel. A
  // constraint that every motion keeps, b - b₂ = 0, would otherwise count by its rounding.
  void add_constraint(const Constraint& constraint, int axis) {
    Row sum = Row::Zero();
    double size = 0.0;
    for (const auto& [node, coefficient] : constraint.terms) {
      const Row own = row(3 * node + axis);
      sum += coefficient * own;
      size += std::abs(coefficient) * own.norm();
    }
    if (sum.norm() > cancelled_terms * size)
      supports[part_of[constraint.terms.front().first]] += sum * sum.transpose() / (size * size);
  }
};

template <int N>
WholeMotions orthonormal_motions(const Model& model, const Parts& parts) {
  const int nodes = static_cast<int>(model.nodes.size());
  const PartMotions<N> motions(model, parts.of_node, parts.count, [&](int i) { return model.nodes[i].position; });
  WholeMotions result;
  result.parts.resize(parts.count);
  std::vector<std::vector<int>> coordinates(parts.count);
  for (int i = 0, unknown = 0; i < 3 * nodes; ++i) {
    if (model.nodes[i / 3].fixed[i % 3]) continue;
    result.parts[parts.of_node[i / 3]].unknowns.push_back(unknown++);
    coordinates[parts.of_node[i / 3]].push_back(i);
  }
  for (int p = 0; p < parts.count; ++p) {
    MatrixXd fields(static_cast<long>(coordinates[p].size()), N);
    for (long k = 0; k < fields.rows(); ++k) fields.row(k) = motions.row(coordinates[p][k]);
    const MatrixXd kernel = motions.free(p, no_rigid_motion);
    const MatrixXd allowed = fields * kernel;
    MatrixXd& own = result.parts[p].fields;
    own.resize(fields.rows(), 0);
    if (allowed.size() == 0) continue;
    const SymmetricEigen inner = symmetric_eigen(allowed.transpose() * allowed);
    // Against what motions make at all: of those that only rounding makes, none is left.
    const double most = std::max(fields.colwise().squaredNorm().maxCoeff(), 1e-300);
    const long kept = (inner.values.array() > no_rigid_motion * most).count();
    own = allowed * inner.vectors.rightCols(kept) * inner.values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
    result.count += static_cast<int>(kept);
  }
  return result;
}

}  // namespace

std::vector<int> count_rigid_motions(const Model& model, const std::vector<int>& part_of_node, int parts) {
  const PartMotions<6> motions(model, part_of_node, parts, [&](int i) { return model.nodes[i].position; });
  std::vector<PartMotions<6>::Gram> fields(parts, PartMotions<6>::Gram::Zero());
  for (int i = 0; i < 3 * static_cast<int>(model.nodes.size()); ++i)
    fields[part_of_node[i / 3]] += motions.row(i) * motions.row(i).transpose();
  std::vector<int> counts;
  for (int p = 0; p < parts; ++p) {
    const MatrixXd free = motions.free(p, no_rigid_motion);
    const VectorXd squares = free.cols() > 0 ? symmetric_eigenvalues(free.transpose() * fields[p] * free) : VectorXd();
    counts.push_back(static_cast<int>((squares.array() > no_rigid_motion * fields[p].trace()).count()));
  }
  return counts;
}

void remove_rigid_motions(const Model& model, const Parts& parts, const std::vector<Vec3>& external, const VectorXd& x,
                          VectorXd& displacement) {
  const int coordinates = 3 * static_cast<int>(model.nodes.size());
  PartMotions<6> motions(model, parts.of_node, parts.count, [&](int i) -> Vec3 { return x.segment<3>(3 * i); });
  std::vector<PartMotions<6>::Gram> fields(parts.count, PartMotions<6>::Gram::Zero());
  std::vector<PartMotions<6>::Row> along(parts.count, PartMotions<6>::Row::Zero());
  std::vector<char> loaded(parts.count, 0);
  for (int i = 0; i < coordinates; ++i) {
    const int p = parts.of_node[i / 3];
    const PartMotions<6>::Row row = motions.row(i);
    fields[p] += row * row.transpose();
    along[p] += row * displacement[i];
    if (external[i / 3] != Vec3::Zero()) loaded[p] = 1;
  }
  for (int p = 0; p < parts.count; ++p) {
    if (loaded[p]) motions.supports[p].diagonal().tail<3>().array() += 1.0;
    const MatrixXd free = motions.free(p, no_removed_motion);
    PartMotions<6>::Row part = PartMotions<6>::Row::Zero();
    if (free.cols() > 0) {
      const SymmetricEigen inner = symmetric_eigen(free.transpose() * fields[p] * free);
      VectorXd inverse = inner.values;
      for (double& value : inverse) value = value > no_removed_motion * fields[p].trace() ? 1.0 / value : 0.0;
      const MatrixXd basis = free * inner.vectors;
      const PartMotions<6>::Gram solved = basis * inverse.asDiagonal() * basis.transpose();
      part = solved * along[p];
    }
    along[p] = part;
  }
  for (int i = 0; i < coordinates; ++i) displacement[i] -= motions.row(i).dot(along[parts.of_node[i / 3]]);
}

WholeMotions whole_motions(const Model& model, const Parts& parts, WholeKind kind) {
  return kind == WholeKind::rigid ? orthonormal_motions<6>(model, parts) : orthonormal_motions<12>(model, parts);
}

VectorXd WholeMotions::part_along(int part, const VectorXd& f) const {
  const Part& p = parts[part];
  VectorXd sum = VectorXd::Zero(p.fields.cols());
  for (std::size_t k = 0; k < p.unknowns.size(); ++k) sum += f[p.unknowns[k]] * p.fields.row(static_cast<long>(k));
  return sum;
}

void WholeMotions::remove(VectorXd& motion) const {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const VectorXd part = parts[p].fields * part_along(static_cast<int>(p), motion);
    for (std::size_t k = 0; k < parts[p].unknowns.size(); ++k)
      motion[parts[p].unknowns[k]] -= part[static_cast<long>(k)];
  }
}

MatrixXd WholeMotions::along(const MatrixXd& Y) const {
  MatrixXd result = MatrixXd::Zero(count, Y.cols());
  long first = 0;
  for (const Part& p : parts) {
    for (std::size_t k = 0; k < p.unknowns.size(); ++k)
      result.middleRows(first, p.fields.cols()) +=
          p.fields.row(static_cast<long>(k)).transpose() * Y.row(p.unknowns[k]);
    first += p.fields.cols();
  }
  return result;
}

MatrixXd WholeMotions::dense(int unknowns) const {
  MatrixXd result = MatrixXd::Zero(unknowns, count);
  long first = 0;
  for (const Part& p : parts) {
    for (std::size_t k = 0; k < p.unknowns.size(); ++k)
      result.block(p.unknowns[k], first, 1, p.fields.cols()) = p.fields.row(static_cast<long>(k));
    first += p.fields.cols();
  }
  return result;
}

}  // namespace taut
