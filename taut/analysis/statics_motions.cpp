#include "taut/analysis/statics_motions.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "taut/analysis/rigid_row.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double zero = 1e-13;  // of a Gram matrix: a velocity of 3e-7 of the largest

// Velocity of coordinate `axis` at r under each motion: translations, then rotations or the nine of a linear map.
VectorXd row_of(const Vec3& r, int axis, WholeKind kind) {
  if (kind == WholeKind::rigid) return rigid_row(r, axis);
  VectorXd row = VectorXd::Zero(12);
  row[axis] = 1.0;
  row.segment<3>(3 + 3 * axis) = r;
  return row;
}

// Orthonormal combinations of the fields (columns, over the unknowns) that the supports do not feel.
MatrixXd free_fields(const MatrixXd& fields, const MatrixXd& supports) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> kernel(supports);
  const double scale = std::max(kernel.eigenvalues().maxCoeff(), 1e-300);
  long size = 0;
  while (size < supports.rows() && kernel.eigenvalues()[size] <= zero * scale) ++size;
  if (size == 0 || fields.rows() == 0) return MatrixXd::Zero(fields.rows(), 0);
  const MatrixXd allowed = fields * kernel.eigenvectors().leftCols(size);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> inner(allowed.transpose() * allowed);
  // Against what motions make at all: of those that only rounding makes, none is left.
  const double most = std::max(fields.colwise().squaredNorm().maxCoeff(), 1e-300);
  long first = 0;
  while (first < size && inner.eigenvalues()[first] <= zero * most) ++first;
  return allowed * inner.eigenvectors().rightCols(size - first) *
         inner.eigenvalues().tail(size - first).cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

WholeMotions whole_motions(const Model& model, const StaticRows& rows, const Parts& parts, WholeKind kind) {
  const int nodes = static_cast<int>(model.nodes.size()), size = kind == WholeKind::rigid ? 6 : 12;
  // Centre and size keep rotations well scaled.
  std::vector<Vec3> centre(parts.count, Vec3::Zero());
  std::vector<double> count(parts.count, 0.0), radius(parts.count, 0.0);
  for (int i = 0; i < nodes; ++i) centre[parts.of_node[i]] += model.nodes[i].position, count[parts.of_node[i]] += 1.0;
  for (int p = 0; p < parts.count; ++p) centre[p] /= count[p];
  for (int i = 0; i < nodes; ++i)
    radius[parts.of_node[i]] =
        std::max(radius[parts.of_node[i]], (model.nodes[i].position - centre[parts.of_node[i]]).norm());
  const auto row = [&](int coordinate) {
    const int p = parts.of_node[coordinate / 3];
    const Vec3 r = (model.nodes[coordinate / 3].position - centre[p]) / (radius[p] > 0.0 ? radius[p] : 1.0);
    return row_of(r, coordinate % 3, kind);
  };
  WholeMotions result;
  result.parts.resize(parts.count);
  std::vector<MatrixXd> supports(parts.count, MatrixXd::Zero(size, size));
  for (int i = 0; i < 3 * nodes; ++i) {
    const int p = parts.of_node[i / 3];
    if (rows.unknown_of[i] >= 0)
      result.parts[p].unknowns.push_back(rows.unknown_of[i]);
    else
      supports[p] += row(i) * row(i).transpose();
  }
  for (const StaticRow& constraint : rows.rows) {
    if (constraint.constraint < 0) continue;
    add_constraint_row(constraint.terms, row, supports[parts.of_node[constraint.terms.front().first / 3]]);
  }
  for (int p = 0; p < parts.count; ++p) {
    WholeMotions::Part& part = result.parts[p];
    MatrixXd fields(static_cast<long>(part.unknowns.size()), size);
    for (std::size_t k = 0; k < part.unknowns.size(); ++k)
      fields.row(static_cast<long>(k)) = row(rows.coordinate_of[part.unknowns[k]]);
    part.fields = free_fields(fields, supports[p]);
    result.count += static_cast<int>(part.fields.cols());
  }
  return result;
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
