// The equations of a prestressed prism from its data alone.
#include "tests/form/prestress_equations.h"

#include <random>

#include "tests/support/support.h"

namespace taut::testing {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd prism_unknowns(const PrestressResult& result) {
  const int cables = static_cast<int>(result.tensions.size());
  VectorXd y(18 + cables + 3);
  for (int i = 0; i < 6; ++i) y.segment<3>(3 * i) = result.model.nodes[i].position;
  for (int i = 0; i < cables; ++i) y[18 + i] = result.tensions[i];
  for (int i = 0; i < 3; ++i) y[18 + cables + i] = result.bar_forces[i];
  return y;
}

VectorXd prism_equations(const Model& model, const VectorXd& y) {
  const int cables = static_cast<int>(model.cables.size());
  VectorXd r = VectorXd::Zero(22);
  const auto pull = [&](int a, int b, double force) {
    const Vec3 u = (y.segment<3>(3 * b) - y.segment<3>(3 * a)).normalized();
    r.segment<3>(3 * a) += force * u;
    r.segment<3>(3 * b) -= force * u;
  };
  for (int i = 0; i < cables; ++i) pull(model.cables[i].path[0], model.cables[i].path[1], y[18 + i]);
  for (int i = 0; i < 3; ++i) {
    const Bar& bar = model.bars[i];
    pull(bar.a, bar.b, y[18 + cables + i]);
    r[18 + i] = (y.segment<3>(3 * bar.b) - y.segment<3>(3 * bar.a)).norm() - start_length(model, bar);
  }
  r[21] = (y[24] + y[25] + y[26]) / 3.0 - 50.0;
  return r;
}

MatrixXd prism_jacobian(const Model& model, const VectorXd& y) {
  MatrixXd J(22, y.size());
  for (long k = 0; k < y.size(); ++k) {
    const double h = k < 18 ? 1e-6 : 1e-3;
    VectorXd ahead = y, behind = y;
    ahead[k] += h;
    behind[k] -= h;
    J.col(k) = (prism_equations(model, ahead) - prism_equations(model, behind)) / (2.0 * h);
  }
  return J;
}

Model shaken_prism(double by, unsigned seed) {
  Model model = generated("prism", {{"pretension", 50}}).model;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (Node& node : model.nodes)
    for (int axis = 0; axis < 3; ++axis) node.position[axis] += by * normal(random);
  for (Bar& bar : model.bars) {
    bar.rest_length = start_length(model, bar);
    bar.inertia = bar.mass * bar.rest_length * bar.rest_length / 12.0;
  }
  return model;
}

}  // namespace taut::testing
