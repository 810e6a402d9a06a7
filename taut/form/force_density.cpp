#include "taut/form/force_density.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/parts.h"
#include "taut/equilibrium/stiffness/lu_entries.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/form/densities.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

constexpr const char* method = "force_density";

using Members = std::vector<std::pair<int, int>>;

// Of a cable that runs over nodes every piece has the tension T = q L, and so the density q L/l: its share is L/l, of
// the shape at hand. Shares and shape are found in turn.
constexpr int most_turns = 2000;

// Whether shares have settled, by their change in the last turn and in the one before: near rounding they stop falling.
bool settled(double off, double before) { return off <= 1e-13 || (off <= 1e-10 && off >= before); }

bool runs_on(const Model& model) {
  return std::any_of(model.cables.begin(), model.cables.end(), [](const Cable& c) { return c.path.size() > 2; });
}

std::vector<double> shares(const Model& model, const MemberPieces& pieces, const Eigen::VectorXd& x) {
  std::vector<double> share(pieces.ends.size(), 1.0);
  for (std::size_t k = 0; k < share.size(); ++k) {
    if (member_path(model, pieces.member[k]).size() == 2) continue;
    const auto [a, b] = pieces.ends[k];
    share[k] = member_length(model, pieces.member[k], x) / (x.segment<3>(3 * b) - x.segment<3>(3 * a)).norm();
  }
  return share;
}

// The largest change from one to the other; not finite, or huge, where the ends of a piece have run into each other.
double change(const std::vector<double>& from, const std::vector<double>& to) {
  double largest = 0.0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!(to[k] < 1e9)) return INFINITY;
    largest = std::max(largest, std::abs(to[k] / from[k] - 1.0));
  }
  return largest;
}

// A reason, or empty: shares that do not settle.
std::string unsettled(const Model& model, const MemberPieces& pieces, const std::vector<double>& share, double off) {
  if (off <= equilibrium_found) return {};
  for (std::size_t k = 0; k < share.size(); ++k)
    if (!(share[k] < 1e6))
      return fmt::format("nodes \"{}\" and \"{}\" of cable \"{}\" run into each other",
                         model.nodes[pieces.ends[k].first].name, model.nodes[pieces.ends[k].second].name,
                         member_name(model, pieces.member[k]));
  return fmt::format("the nodes do not settle along the cables that run over them within {} turns", most_turns);
}

bool is_free(const Model& model) {
  return std::none_of(model.nodes.begin(), model.nodes.end(), [](const Node& node) {
    return node.fixed != Axes{false, false, false};
  });
}

void take_forces(const Model& model, const Eigen::VectorXd& x, const Eigen::VectorXd& q, Eigen::VectorXd& forces) {
  forces.resize(q.size());
  for (int m = 0; m < static_cast<int>(q.size()); ++m) forces[m] = q[m] * member_length(model, m, x);
}

// Densities of a supported structure: those given, and of cables and elastic bars otherwise those of the start shape.
Eigen::VectorXd all_densities(const Model& model, const ForceDensityOptions& options) {
  const Balance balance = start_balance(model);
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
  LuEntries matrix;
  std::vector<double> rhs(n);
  double size = 0.0;
  for (int k = 0; k < n; ++k) rhs[k] = external[node_of[k]][axis];
  for (const SparseEntry& e : stress_matrix(nodes, members, q)) {
    size = std::max(size, std::abs(e.value));
    const auto put = [&](int i, int j) {
      const int row = unknown_of[i], column = unknown_of[j];
      if (row >= 0 && column >= 0)
        matrix.put(row, column, e.value);
      else if (row >= 0)
        rhs[row] -= e.value * x[3 * j + axis];
    };
    put(e.row, e.column);
    if (e.row != e.column) put(e.column, e.row);
  }
  SparseLu lu = matrix.matrix(n);
  if (!lu.factorise()) return false;
  // A second solution with the residual takes the rounding of the first away, and tells a singular matrix.
  std::vector<double> y = rhs, r = rhs;
  lu.solve(y.data());
  matrix.subtract_product(y, r);
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

void form_supported(const Model& model, const MemberPieces& pieces, const ForceDensityOptions& options,
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
  std::vector<double> share = shares(model, pieces, x);
  double off = INFINITY, before = INFINITY;
  for (; !settled(off, before) && result.iterations < most_turns; ++result.iterations) {
    Eigen::VectorXd q(static_cast<long>(share.size()));
    for (std::size_t k = 0; k < share.size(); ++k)
      q[static_cast<long>(k)] = share[k] * result.densities[pieces.member[k]];
    for (int axis = 0; axis < 3; ++axis)
      if (!solve_axis(model, pieces.ends, q, external, axis, x)) {
        result.reason = fmt::format(
            "with these densities nothing determines where the nodes are along {}: the stress matrix of the free nodes "
            "is "
            "singular; fix more nodes, or choose other densities",
            "xyz"[axis]);
        return;
      }
    const std::vector<double> next = shares(model, pieces, x);
    before = off;
    off = change(share, next);
    share = next;
    if (!std::isfinite(off)) break;
  }
  result.reason = unsettled(model, pieces, share, off);
  if (!result.reason.empty()) return;
  take_forces(model, x, result.densities, forces);
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
  const Eigen::VectorXd spread = symmetric_eigenvalues(part.transpose() * part);
  const double most = spread.maxCoeff(), least = spread.minCoeff();
  own = !(least > 1e-6 * most) || !(most > 1e-6 * (at.colwise() - centre).squaredNorm());
  Eigen::MatrixXd shape = part;
  if (own) {
    // A frame of the right size: unit vectors along the axes that the start shape fills most.
    shape = Eigen::MatrixXd::Zero(3, null.cols());
    const PrincipalAxes filled = principal_axes((at.colwise() - centre) * (at.colwise() - centre).transpose());
    for (int k = 0; k < null.cols(); ++k) shape.col(k) = filled.axes.col(2 - k);
  }
  Eigen::VectorXd x(start.size());
  Eigen::Map<Eigen::Matrix3Xd>(x.data(), 3, n) = (shape * null.transpose()).colwise() + centre;
  return x;
}

void form_free(const Model& model, const MemberPieces& pieces, const ForceDensityOptions& options,
               ForceDensityResult& result) {
  std::string note;
  external_forces(model, note);
  const Eigen::VectorXd start = positions(model);
  DensityProblem problem{static_cast<int>(model.nodes.size()), dimension(start), pieces.ends, {}, {}};
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
  std::vector<std::vector<int>> pieces_of(member_count(model));
  for (std::size_t k = 0; k < pieces.member.size(); ++k) pieces_of[pieces.member[k]].push_back(static_cast<int>(k));
  for (const auto& group : result.groups) {
    DensityGroup& g = problem.groups.emplace_back(DensityGroup{{}, must_pull(model, group.front()), {}});
    for (int m : group) g.members.insert(g.members.end(), pieces_of[m].begin(), pieces_of[m].end());
    if (!options.given.empty()) g.given = options.given[group.front()];
  }
  const bool all_given =
      std::all_of(problem.groups.begin(), problem.groups.end(), [](const auto& g) { return g.given; });
  SolvedDensities solved;
  Eigen::VectorXd x = start;
  bool own = false;
  problem.share = shares(model, pieces, x);
  Eigen::VectorXd of_group = start_densities(problem, x);
  double off = INFINITY, before = INFINITY;
  for (int turn = 0; !settled(off, before) && turn < most_turns; ++turn) {
    solved = solve_densities(problem, of_group, x, all_given ? 1 : options.iterations);
    result.iterations += solved.iterations;
    // Given densities balance as soon as the pieces of cables have found their shares.
    if (!solved.found && !(all_given && runs_on(model))) break;
    // The next turn goes on from here: where a family of shapes is in balance, none of it drifts away.
    for (std::size_t g = 0; g < problem.groups.size(); ++g) {
      const int first = problem.groups[g].members.front();
      of_group[static_cast<long>(g)] = solved.q[first] / problem.share[first];
    }
    x = shape_from_null_vectors(start, solved.lowest.vectors.leftCols(problem.dimension), own);
    const std::vector<double> next = shares(model, pieces, x);
    before = off;
    off = change(problem.share, next);
    if (!std::isfinite(off)) break;
    if (!settled(off, before)) problem.share = next;
  }
  result.densities.resize(member_count(model));
  for (std::size_t k = 0; k < pieces.member.size(); ++k)
    result.densities[pieces.member[k]] = solved.q[static_cast<long>(k)] / problem.share[k];
  result.lowest = solved.lowest.values.head(std::min<long>(solved.lowest.values.size(), problem.dimension + 1)) /
                  solved.lowest.size;
  std::sort(result.lowest.begin(), result.lowest.end());
  result.reason = solved.found ? unsettled(model, pieces, shares(model, pieces, x), off) : solved.reason;
  if (!result.reason.empty()) return;
  // A cable that runs on trades length between its pieces: the stress matrix does not speak for it.
  result.super_stable = !runs_on(model) && result.lowest[0] > -no_density_stiffness &&
                        (result.lowest.size() <= problem.dimension || result.lowest[problem.dimension] > 1e-9);
  if (own)
    result.notes.push_back("the start shape is far from what was found, which is turned to it but not fitted to it");
  // Size, then tension.
  const double length = options.mean_length > 0.0 ? options.mean_length : mean_member_length(model, start);
  const double now = mean_member_length(model, x);
  if (!(now > 0.0)) {
    result.reason = "the shape collapses into one point";
    return;
  }
  Vec3 centre = Vec3::Zero();
  const long n = x.size() / 3;
  for (long i = 0; i < n; ++i) centre += x.segment<3>(3 * i) / static_cast<double>(n);
  for (long i = 0; i < n; ++i) x.segment<3>(3 * i) = centre + length / now * (x.segment<3>(3 * i) - centre);
  Eigen::VectorXd forces;
  take_forces(model, x, result.densities, forces);
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
  const MemberPieces pieces = member_pieces(model);
  if (pieces.ends.empty()) throw InputError("force_density: there are no members");
  ForceDensityResult result;
  result.model = model;
  result.reason = floating_part(model);
  if (!result.reason.empty()) return result;
  is_free(model) ? form_free(model, pieces, options, result) : form_supported(model, pieces, options, result);
  return result;
}

}  // namespace taut
