#include "taut/analysis/softest_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/form_members.h"
#include "taut/analysis/supports.h"
#include "taut/solve/sparse_lu.h"

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
  std::vector<std::pair<int, int>> places;
  std::vector<double> values;
  const auto put = [&](int i, int j, double v) { places.emplace_back(i, j), values.push_back(v); };
  for (const SparseEntry& e : stiffness) {
    put(e.row, e.column, e.value);
    if (e.row != e.column) put(e.column, e.row, e.value);
  }
  // Faint terms keep free motions and constraints that depend on others from making it singular.
  for (int i = 0; i < n; ++i) put(i, i, 1e-13 * most);
  const auto& pattern = statics.jacobian_pattern();
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    put(n + pattern[k].row, pattern[k].column, statics.jacobian_values()[k]);
    put(pattern[k].column, n + pattern[k].row, statics.jacobian_values()[k]);
  }
  for (int k = 0; k < rows; ++k) put(n + k, n + k, -1e-12 * length * length / most);
  SparseLu lu(n + rows, places);
  for (std::size_t k = 0; k < places.size(); ++k) lu.values()[lu.place(static_cast<int>(k))] += values[k];
  SoftMotion result;
  result.motion = Eigen::VectorXd::Zero(3 * static_cast<long>(statics.external().size()));
  if (n == 0 || !lu.factorise()) return result;
  Eigen::VectorXd v(n), product(n);
  for (int i = 0; i < n; ++i) v[i] = std::sin(1.0 + 7.3 * i);
  std::vector<double> rhs(n + rows);
  for (int pass = 0; pass < 60; ++pass) {
    remove_rigid(v);
    if (!(v.norm() > 0.0)) return result;
    v.normalize();
    std::fill(rhs.begin(), rhs.end(), 0.0);
    std::copy_n(v.data(), n, rhs.begin());
    lu.solve(rhs.data());
    v = Eigen::Map<const Eigen::VectorXd>(rhs.data(), n);
    if (!v.allFinite()) return result;
    remove_rigid(v);
    v.normalize();
    product.setZero();
    for (const SparseEntry& e : stiffness) {
      product[e.row] += e.value * v[e.column];
      if (e.row != e.column) product[e.column] += e.value * v[e.row];
    }
    const double now = v.dot(product);
    const bool settled = pass > 3 && std::abs(now - result.stiffness) <= 1e-12 * (std::abs(now) + 1e-6 * most);
    result.stiffness = now;
    if (settled) break;
  }
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
  if (move.node < 0 || std::abs(soft.stiffness) >= 1e-12 * stiffness_bound(statics, net)) return {};
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
