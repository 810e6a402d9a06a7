#include "taut/control/controllers/shape_response.h"

#include <algorithm>

#include "taut/solve/dense.h"

namespace taut {

ShapeResponse::ShapeResponse(const Model& model)
    : model_(model), stiffness_(model.cables.size()), response_(model.cables.size()) {
  bars_ =
      static_cast<int>(std::count_if(model.bars.begin(), model.bars.end(), [](const Bar& b) { return !b.elastic; }));
  const auto size = static_cast<Eigen::Index>(3 * model.nodes.size()) + bars_;
  matrix_.resize(size, size);
  right_.resize(size);
  gradient_.resize(static_cast<Eigen::Index>(3 * model.nodes.size()), static_cast<Eigen::Index>(model.cables.size()));
}

const std::vector<double>& ShapeResponse::along(const Vec3& direction, const std::vector<double>& weight,
                                                std::span<const int> base, const double* x, const double* rest) {
  const int nodes = static_cast<int>(model_.nodes.size());
  const auto at = [&](int i) { return Vec3(x[4 * i], x[4 * i + 1], x[4 * i + 2]); };
  matrix_.setZero();
  gradient_.setZero();
  // One straight piece of a cable, or an elastic bar: tension along it turns with it.
  const auto add_turning = [&](int a, int b, double tension) {
    const Vec3 d = at(b) - at(a);
    const double l = std::max(d.norm(), 1e-12);
    const Eigen::Matrix3d block = tension / l * (Eigen::Matrix3d::Identity() - d * d.transpose() / (l * l));
    matrix_.block<3, 3>(3 * a, 3 * a) += block;
    matrix_.block<3, 3>(3 * b, 3 * b) += block;
    matrix_.block<3, 3>(3 * a, 3 * b) -= block;
    matrix_.block<3, 3>(3 * b, 3 * a) -= block;
  };
  for (std::size_t j = 0; j < model_.cables.size(); ++j) {
    const Cable& cable = model_.cables[j];
    const auto column = static_cast<Eigen::Index>(j);
    double length = 0.0;
    for (std::size_t p = 0; p + 1 < cable.path.size(); ++p) {
      const Vec3 d = at(cable.path[p + 1]) - at(cable.path[p]);
      const double l = std::max(d.norm(), 1e-12);
      length += l;
      gradient_.block<3, 1>(3 * cable.path[p], column) -= d / l;
      gradient_.block<3, 1>(3 * cable.path[p + 1], column) += d / l;
    }
    const double k = stiffness_at(cable.law, rest[j]);
    stiffness_[j] = k;
    const double tension = std::max(elastic_tension(cable.law, length - rest[j], rest[j]), 0.01 * k * length);
    const auto g = gradient_.col(column);
    matrix_.topLeftCorner(3 * nodes, 3 * nodes).noalias() += k * g * g.transpose();
    for (std::size_t p = 0; p + 1 < cable.path.size(); ++p) add_turning(cable.path[p], cable.path[p + 1], tension);
  }
  // Bars: rigid ones as rows, elastic ones as springs.
  int row = 3 * nodes;
  for (const Bar& bar : model_.bars) {
    const Vec3 u = (at(bar.b) - at(bar.a)).normalized();
    if (bar.elastic) {
      const Eigen::Matrix3d block = bar.EA / bar.rest_length * u * u.transpose();
      matrix_.block<3, 3>(3 * bar.a, 3 * bar.a) += block;
      matrix_.block<3, 3>(3 * bar.b, 3 * bar.b) += block;
      matrix_.block<3, 3>(3 * bar.a, 3 * bar.b) -= block;
      matrix_.block<3, 3>(3 * bar.b, 3 * bar.a) -= block;
      continue;
    }
    matrix_.block<1, 3>(row, 3 * bar.a) = -u.transpose();
    matrix_.block<1, 3>(row, 3 * bar.b) = u.transpose();
    matrix_.col(row).head(3 * nodes) = matrix_.row(row).head(3 * nodes);
    ++row;
  }
  // Asked for: the weighted sum of the free nodes. Those of the base are held.
  right_.setZero();
  const double total = std::max(1e-300, Eigen::Map<const Eigen::VectorXd>(weight.data(), nodes).sum());
  for (int i = 0; i < nodes; ++i) right_.segment<3>(3 * i) = weight[i] / total * direction;
  for (const int node : base)
    for (int axis = 0; axis < 3; ++axis) {
      const int i = 3 * node + axis;
      matrix_.row(i).setZero();
      matrix_.col(i).setZero();
      matrix_(i, i) = 1.0;
      right_[i] = 0.0;
    }
  const Eigen::VectorXd a = Lu(matrix_).solve(right_);
  if (!a.allFinite()) {
    std::fill(response_.begin(), response_.end(), 0.0);
    return response_;
  }
  for (std::size_t j = 0; j < response_.size(); ++j)
    response_[j] = stiffness_[j] * gradient_.col(static_cast<Eigen::Index>(j)).dot(a.head(3 * nodes));
  return response_;
}

}  // namespace taut
