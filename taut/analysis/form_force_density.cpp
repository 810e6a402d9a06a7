#include "taut/analysis/form_force_density.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "taut/analysis/balance.h"
#include "taut/analysis/form_densities.h"
#include "taut/analysis/form_members.h"
#include "taut/analysis/parts.h"
#include "taut/analysis/prestress_start.h"
#include "taut/base/error.h"
#include "taut/solve/sparse_lu.h"

namespace taut {

namespace {

constexpr const char* method = "force_density";

using Members = std::vector<std::pair<int, int>>;

bool is_free(const Model& model) {
  return std::none_of(model.nodes.begin(), model.nodes.end(), [](const Node& node) {
    return node.fixed != Axes{false, false, false};
  });
}

void take_forces(const Members& members, const Eigen::VectorXd& x, const Eigen::VectorXd& q, Eigen::VectorXd& forces) {
  forces.resize(q.size());
  for (long m = 0; m < q.size(); ++m)
    forces[m] = q[m] * (x.segment<3>(3 * members[m].second) - x.segment<3>(3 * members[m].first)).norm();
}

// Densities of a supported structure: those given, and of cables and elastic bars otherwise those of the start shape.
Eigen::VectorXd all_densities(const Model& model, const ForceDensityOptions& options) {
  const Balance balance = start_balance(at_rest(model));
  Eigen::VectorXd q(member_count(model));
  std::vector<int> without;
  for (int m = 0; m < member_count(model); ++m) {
    const int bar = m - static_cast<int>(model.cables.size());
    const double length = member_length(model, m, positions(model));
    if (!options.given.empty() && options.given[m])
      q[m] = *options.given[m];
    else if (bar >= 0 && !model.bars[bar].elastic)
      without.push_back(m);
    else
      q[m] = (bar >= 0 ? balance.bar_force[bar] : balance.cable_tension[m]) / length;
  }
  if (!without.empty())
    throw InputError(fmt::format(
        "{}: the force of a rigid bar is not known beforehand, and a supported structure needs the density of every "
        "member: expected --density for {}",
        method, list_names(model, without)));
  return q;
}

// One axis of the linear system; false if it is singular.
bool solve_axis(const Model& model, const Members& members, const Eigen::VectorXd& q, const std::vector<Vec3>& external,
                int axis, Eigen::VectorXd& x) {
  const int nodes = static_cast<int>(model.nodes.size());
  std::vector<int> unknown_of(nodes, -1), node_of;
  for (int i = 0; i < nodes; ++i)
    if (!model.nodes[i].fixed[axis]) unknown_of[i] = static_cast<int>(node_of.size()), node_of.push_back(i);
  const int n = static_cast<int>(node_of.size());
  if (n == 0) return true;
  std::vector<std::pair<int, int>> places;
  std::vector<double> values, rhs(n);
  double size = 0.0;
  for (int k = 0; k < n; ++k) rhs[k] = external[node_of[k]][axis];
  for (const SparseEntry& e : stress_matrix(nodes, members, q)) {
    size = std::max(size, std::abs(e.value));
    const auto put = [&](int i, int j) {
      const int row = unknown_of[i], column = unknown_of[j];
      if (row >= 0 && column >= 0)
        places.emplace_back(row, column), values.push_back(e.value);
      else if (row >= 0)
        rhs[row] -= e.value * x[3 * j + axis];
    };
    put(e.row, e.column);
    if (e.row != e.column) put(e.column, e.row);
  }
  SparseLu lu(n, places);
  for (std::size_t k = 0; k < places.size(); ++k) lu.values()[lu.place(static_cast<int>(k))] += values[k];
  if (!lu.factorise()) return false;
  // A second solution with the residual takes the rounding of the first away, and tells a singular matrix.
  std::vector<double> y = rhs, r = rhs;
  lu.solve(y.data());
  for (std::size_t k = 0; k < places.size(); ++k) r[places[k].first] -= values[k] * y[places[k].second];
  double left = 0.0, largest = 0.0;
  for (int k = 0; k < n; ++k) left = std::max(left, std::abs(r[k])), largest = std::max(largest, std::abs(y[k]));
  if (!std::isfinite(largest) || left > 1e-6 * size * largest) return false;
  lu.solve(r.data());
  for (int k = 0; k < n; ++k) {
    if (std::abs(r[k]) > 1e-6 * largest) return false;
    x[3 * node_of[k] + axis] = y[k] + r[k];
  }
  return true;
}

// A part without a support, or an empty text.
std::string floating_part(const Model& model) {
  const Parts parts = find_parts(model);
  for (int p = 0; p < parts.count; ++p) {
    int first = -1;
    bool held = false;
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
      if (parts.of_node[i] != p) continue;
      if (first < 0) first = static_cast<int>(i);
      held |= model.nodes[i].fixed != Axes{false, false, false};
    }
    if (parts.count > 1 && (!held || is_free(model)))
      return fmt::format("the structure has {} parts that nothing joins; the one with node \"{}\" is not held",
                         parts.count, model.nodes[first].name);
  }
  return {};
}

void form_supported(const Model& model, const Members& members, const ForceDensityOptions& options,
                    ForceDensityResult& result) {
  std::string note;
  const std::vector<Vec3> external = external_forces(model, note);
  result.densities = all_densities(model, options);
  Eigen::VectorXd x = positions(model), forces;
  const bool loaded = std::any_of(external.begin(), external.end(), [](const Vec3& f) { return f != Vec3::Zero(); });
  if (loaded && options.pretension > 0.0)
    throw InputError(
        "force_density: with weight and loads the densities say what every member carries; expected no --pretension, "
        "or "
        "no weight and no loads");
  for (int axis = 0; axis < 3; ++axis)
    if (!solve_axis(model, members, result.densities, external, axis, x)) {
      result.reason = fmt::format(
          "with these densities nothing determines where the nodes are along {}: the stress matrix of the free nodes "
          "is "
          "singular; fix more nodes, or choose other densities",
          "xyz"[axis]);
      return;
    }
  take_forces(members, x, result.densities, forces);
  if (options.pretension > 0.0) {
    const double factor = pretension_factor(model, forces, options.pretension);
    forces *= factor;
    result.densities *= factor;
  }
  finish_form(model, x, forces, false, result);
}

// Null vectors nearest to the start shape; where those fall flat, the null vectors themselves, turned to it.
Eigen::VectorXd shape_from_null_vectors(const Eigen::VectorXd& start, const Eigen::MatrixXd& null, bool& own) {
  const long n = start.size() / 3;
  const Eigen::Map<const Eigen::Matrix3Xd> at(start.data(), 3, n);
  const Vec3 centre = at.rowwise().mean();
  const Eigen::MatrixXd part = (at.colwise() - centre) * null;  // 3 × d
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spread(part.transpose() * part);
  const double most = spread.eigenvalues().maxCoeff(), least = spread.eigenvalues().minCoeff();
  own = !(least > 1e-6 * most) || !(most > 1e-6 * (at.colwise() - centre).squaredNorm());
  Eigen::MatrixXd shape = part;
  if (own) {
    // A frame of the right size: unit vectors along the axes that the start shape fills most.
    shape = Eigen::MatrixXd::Zero(3, null.cols());
    const Eigen::SelfAdjointEigenSolver<Mat3> axes((at.colwise() - centre) * (at.colwise() - centre).transpose());
    for (int k = 0; k < null.cols(); ++k) shape.col(k) = axes.eigenvectors().col(2 - k);
  }
  Eigen::VectorXd x(start.size());
  Eigen::Map<Eigen::Matrix3Xd>(x.data(), 3, n) = (shape * null.transpose()).colwise() + centre;
  return x;
}

void form_free(const Model& model, const Members& members, const ForceDensityOptions& options,
               ForceDensityResult& result) {
  std::string note;
  external_forces(model, note);
  const Eigen::VectorXd start = positions(model);
  DensityProblem problem{static_cast<int>(model.nodes.size()), dimension(start), members, {}};
  if (problem.dimension < 2) {
    result.reason = fmt::format(
        "all nodes of the start shape lie {}: that tells neither a plane nor space; expected a rough guess of the "
        "shape",
        problem.dimension == 1 ? "on one line" : "in one point");
    return;
  }
  if (problem.dimension == 2)
    result.notes.push_back("the start shape is flat, and so is what is found; lift a node for a shape in space");
  result.groups = options.groups.empty() ? groups_by_connections(model) : options.groups;
  for (const auto& group : result.groups) {
    DensityGroup& g = problem.groups.emplace_back(DensityGroup{group, must_pull(model, group.front()), {}});
    if (!options.given.empty()) g.given = options.given[group.front()];
  }
  const bool all_given =
      std::all_of(problem.groups.begin(), problem.groups.end(), [](const auto& g) { return g.given; });
  const SolvedDensities solved =
      solve_densities(problem, start_densities(problem, start), all_given ? 1 : options.iterations);
  result.iterations = solved.iterations;
  result.densities = solved.q;
  result.lowest = solved.lowest.values / solved.lowest.size;
  if (!solved.found) {
    result.reason = solved.reason;
    return;
  }
  result.super_stable = result.lowest[0] > -1e-11 &&
                        (result.lowest.size() <= problem.dimension || result.lowest[problem.dimension] > 1e-9);
  bool own = false;
  Eigen::VectorXd x = shape_from_null_vectors(start, solved.lowest.vectors.leftCols(problem.dimension), own);
  if (own)
    result.notes.push_back("the start shape is far from what was found, which is turned to it but not fitted to it");
  // Size, then tension.
  const double length = options.mean_length > 0.0 ? options.mean_length : mean_member_length(model, start);
  const double now = mean_member_length(model, x);
  if (!(now > 0.0)) {
    result.reason = "the shape falls together into one point";
    return;
  }
  Vec3 centre = Vec3::Zero();
  const long n = x.size() / 3;
  for (long i = 0; i < n; ++i) centre += x.segment<3>(3 * i) / static_cast<double>(n);
  for (long i = 0; i < n; ++i) x.segment<3>(3 * i) = centre + length / now * (x.segment<3>(3 * i) - centre);
  Eigen::VectorXd forces;
  take_forces(members, x, result.densities, forces);
  const bool given = std::any_of(problem.groups.begin(), problem.groups.end(), [](const auto& g) { return g.given; });
  if (options.pretension > 0.0 || !given) {
    const double factor = pretension_factor(model, forces, wanted_pretension(model, options.pretension));
    forces *= factor;
    result.densities *= factor;
  }
  if (!note.empty()) result.notes.push_back(note);
  finish_form(model, x, forces, true, result);
}

}  // namespace

ForceDensityResult find_by_densities(const Model& model, const ForceDensityOptions& options) {
  require_nodes_and_members(model, method);
  const Members members = straight_members(model, method);
  if (members.empty()) throw InputError("force_density: there are no members");
  ForceDensityResult result;
  result.model = model;
  result.reason = floating_part(model);
  if (!result.reason.empty()) return result;
  is_free(model) ? form_free(model, members, options, result) : form_supported(model, members, options, result);
  return result;
}

}  // namespace taut
