#include "taut/equilibrium/stiffness/softest_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/lu_entries.h"
#include "taut/equilibrium/stiffness/rigid_motions.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/solve/spectrum.h"

namespace taut {

double stiffness_bound(const StaticForces& statics, const NetForce& net) {
  const std::vector<double> bounds = statics.stiffness_bounds(net);
  const double most = bounds.empty() ? 0.0 : *std::max_element(bounds.begin(), bounds.end());
  return most > 0.0 ? most : 1.0;
}

SoftMotion softest_motion(const StaticForces& statics, const NetForce& net, const std::vector<SparseEntry>& stiffness,
                          double length, const std::function<void(Eigen::VectorXd&)>& remove_rigid) {
  const int n = static_cast<int>(statics.unknowns().size()), rows = statics.constraints();
  const double most = stiffness_bound(statics, net);
  LuEntries entries;
  entries.put_symmetric(stiffness);
  // Faint terms keep free motions and constraints that depend on others from making it singular.
  for (int i = 0; i < n; ++i) entries.put(i, i, 1e-13 * most);
  entries.put_constraints(n, statics.jacobian_pattern(), statics.jacobian_values());
  for (int k = 0; k < rows; ++k) entries.put(n + k, n + k, -1e-12 * length * length / most);
  SparseLu lu = entries.matrix(n + rows);
  SoftMotion result;
  result.motion = Eigen::VectorXd::Zero(3 * static_cast<long>(statics.external().size()));
  if (n == 0 || !lu.factorise()) return result;
  EigenOperators of{n, n, 0.0, {}, {}, {}};
  std::vector<double> rhs(n + rows);
  of.solve = [&](Eigen::MatrixXd& X) {
    for (long j = 0; j < X.cols(); ++j) {
      Eigen::VectorXd v = X.col(j);
      remove_rigid(v);
      std::fill(rhs.begin(), rhs.end(), 0.0);
      std::copy_n(v.data(), n, rhs.begin());
      lu.solve(rhs.data());
      v = Eigen::Map<const Eigen::VectorXd>(rhs.data(), n);
      remove_rigid(v);
      X.col(j) = v;
    }
  };
  of.stiffness = [&](const Eigen::MatrixXd& X) {
    Eigen::MatrixXd product = Eigen::MatrixXd::Zero(n, X.cols());
    for (const SparseEntry& e : stiffness) {
      product.row(e.row) += e.value * X.row(e.column);
      if (e.row != e.column) product.row(e.column) += e.value * X.row(e.row);
    }
    return product;
  };
  const Eigenpairs nearest = nearest_eigenpair(of, many_directions(n));
  if (nearest.vectors.size() == 0) return result;
  result.stiffness = nearest.values[0];
  const Eigen::VectorXd v = nearest.vectors.col(0);
  for (int i = 0; i < n; ++i) result.motion[statics.unknowns()[i]] = v[i];
  long largest = 0;
  result.motion.cwiseAbs().maxCoeff(&largest);
  result.motion /= result.motion[largest];
  return result;
}

std::string free_motion(StaticForces& statics, const Eigen::VectorXd& x) {
  const Model& model = statics.model();
  if (model.ground || statics.unknowns().empty()) return {};
  const NetForce net = statics.net_force(x);
  std::vector<SparseEntry> stiffness;
  statics.stiffness(net, stiffness);
  // All rigid motions, turns too: a structure that hangs may turn about the vertical.
  const Parts parts = find_parts(model);
  const std::vector<Vec3> nothing(model.nodes.size(), Vec3::Zero());
  const auto remove_rigid = [&](Eigen::VectorXd& v) {
    Eigen::VectorXd all = Eigen::VectorXd::Zero(x.size());
    for (long i = 0; i < v.size(); ++i) all[statics.unknowns()[i]] = v[i];
    const double before = all.norm();
    remove_rigid_motions(model, parts, nothing, x, all);
    // Where nothing else can move, only rounding is left.
    if (!(all.norm() > 1e-9 * before)) all.setZero();
    for (long i = 0; i < v.size(); ++i) v[i] = all[statics.unknowns()[i]];
  };
  const double length = mean_member_length(model, x);
  const SoftMotion soft = softest_motion(statics, net, stiffness, length > 0.0 ? length : 1.0, remove_rigid);
  const FurthestMove move = furthest_move(soft.motion);
  if (move.node < 0 || std::abs(soft.stiffness) >= no_free_stiffness * stiffness_bound(statics, net)) return {};
  return fmt::format("node {} along {}", model.nodes[move.node].name, direction_text(move.along));
}

FurthestMove furthest_move(const Eigen::VectorXd& motion) {
  FurthestMove result;
  for (long i = 0; i < motion.size() / 3; ++i)
    if (const Vec3 move = motion.segment<3>(3 * i); move.norm() > result.along.norm() * (1.0 + 1e-9))
      result = {static_cast<int>(i), move};
  return result;
}

std::string direction_text(const Vec3& along) {
  const double size = along.cwiseAbs().maxCoeff();
  const auto shown = [&](double value) { return std::abs(value) < 5e-4 * size ? 0.0 : value; };
  return fmt::format("({:.3g}, {:.3g}, {:.3g})", shown(along[0]), shown(along[1]), shown(along[2]));
}

}  // namespace taut
