// The dense balance of a model, from its data alone.
#include "tests/equilibrium/dense_balance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "taut/solve/dense.h"
#include "tests/support/support.h"

namespace taut::testing {

double length_between(const Model& model, int a, int b) {
  return (model.nodes[a].position - model.nodes[b].position).norm();
}

double dense_residual(const Model& model) {
  const long n = 3 * static_cast<long>(model.nodes.size());
  Eigen::VectorXd force = Eigen::VectorXd::Zero(n);
  const auto at = [&](int node) { return model.nodes[node].position; };
  double sum = 0.0;
  const auto pull = [&](int a, int b, double tension) {
    const Vec3 u = (at(b) - at(a)).normalized();
    force.segment<3>(3 * a) += tension * u;
    force.segment<3>(3 * b) -= tension * u;
  };
  const auto weigh = [&](int node, double mass) { force.segment<3>(3 * node) += mass * model.gravity; };
  for (int i = 0; i < n / 3; ++i) weigh(i, model.nodes[i].mass);
  std::vector<Eigen::VectorXd> directions;
  std::vector<char> is_bar;
  for (const Bar& bar : model.bars) {
    const double share = bar.elastic ? 0.5 : bar.com;
    weigh(bar.a, (1.0 - share) * bar.mass);
    weigh(bar.b, share * bar.mass);
    const Vec3 u = (at(bar.b) - at(bar.a)).normalized();
    if (bar.elastic) {
      const double tension = bar.EA / bar.rest_length * (start_length(model, bar) - bar.rest_length);
      pull(bar.a, bar.b, tension);
      sum += std::abs(tension);
      continue;
    }
    directions.push_back(Eigen::VectorXd::Zero(n));
    directions.back().segment<3>(3 * bar.a) = u;
    directions.back().segment<3>(3 * bar.b) = -u;
    is_bar.push_back(1);
  }
  for (const Cable& cable : model.cables) {
    const double length = start_length(model, cable);
    const double tension = elastic_tension(cable.law, length - cable.rest_length, cable.rest_length);
    sum += std::abs(tension);
    for (std::size_t k = 0; k + 1 < cable.path.size(); ++k) {
      const int a = cable.path[k], b = cable.path[k + 1];
      pull(a, b, tension);
      for (int node : {a, b}) weigh(node, 0.5 * cable.mass * length_between(model, a, b) / length);
    }
  }
  for (const Constraint& constraint : model.constraints)
    for (int axis = 0; axis < 3; ++axis) {
      if (!constraint.axes[axis]) continue;
      directions.push_back(Eigen::VectorXd::Zero(n));
      for (const auto& [node, coefficient] : constraint.terms) directions.back()[3 * node + axis] = coefficient;
      is_bar.push_back(0);
    }
  for (const Load& load : model.loads)
    if (load.from <= 0.0 && load.to > 0.0) force.segment<3>(3 * load.node) += load.force;
  // Supports take what acts along their axes.
  Eigen::MatrixXd A(n, static_cast<long>(directions.size()));
  for (std::size_t k = 0; k < directions.size(); ++k) A.col(static_cast<long>(k)) = directions[k];
  for (long i = 0; i < n; ++i)
    if (model.nodes[i / 3].fixed[i % 3]) A.row(i).setZero(), force[i] = 0.0;
  LeastSquares solver(1e-10);
  if (!directions.empty()) solver.compute(A);
  const Eigen::VectorXd carried = directions.empty() ? Eigen::VectorXd() : Eigen::VectorXd(solver.solve(-force));
  for (std::size_t k = 0; k < directions.size(); ++k)
    if (is_bar[k]) sum += std::abs(carried[static_cast<long>(k)]);
  const Eigen::VectorXd net = directions.empty() ? force : Eigen::VectorXd(force + A * carried);
  const double mean = sum / static_cast<double>(model.bars.size() + model.cables.size());
  return net.cwiseAbs().maxCoeff() / (mean > 0.0 ? mean : 1.0);
}

double largest_length_error(const Model& before, const Model& after) {
  double error = 0.0;
  for (const Bar& bar : before.bars)
    if (!bar.elastic) error = std::max(error, std::abs(start_length(after, bar) / start_length(before, bar) - 1.0));
  return error;
}

Model icosahedron(double length) {
  Model model = generated("six_bar", {{"length", length}}).model;
  const double wide = 0.5 * length / std::numbers::phi;
  for (Node& node : model.nodes)
    for (double& x : node.position)
      if (std::abs(std::abs(x) - 0.25 * length) < 1e-9) x = std::copysign(wide, x);
  const double edge = start_length(model, model.cables[0]);
  for (Cable& cable : model.cables) cable.rest_length = edge - 20.0 / cable.law.stiffness;
  return model;
}

}  // namespace taut::testing
