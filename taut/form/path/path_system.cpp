#include "taut/form/path/path_system.h"

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/lu_entries.h"
#include "taut/equilibrium/stiffness/rigid_motions.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/forces/cable_tangent.h"
#include "taut/model/shape/move_nodes.h"

namespace taut {

namespace {

// Parts of the stiffness that keep a matrix regular where the structure is free.
constexpr double faint = faint_stiffness;

// The harmonic mean of the members that can move: what lies between supports says nothing about the motion, and where
// short bars stand between long stays it is the bars that turn.
double mean_free_length(const Model& model, const StaticForces& statics) {
  std::vector<char> free(model.nodes.size(), 0);
  for (int i : statics.unknowns()) free[i / 3] = 1;
  const Eigen::VectorXd x = positions(model);
  std::vector<double> lengths;
  double sum = 0.0, inverse = 0.0;
  for (int m = 0; m < member_count(model); ++m) {
    const std::vector<int> nodes = member_path(model, m);
    if (std::none_of(nodes.begin(), nodes.end(), [&](int i) { return free[i] != 0; })) continue;
    lengths.push_back(member_length(model, m, x));
    sum += lengths.back();
  }
  const double count = static_cast<double>(lengths.size());
  for (const double length : lengths) inverse += 1.0 / std::max(length, 1e-3 * sum / count);
  return sum > 0.0 ? count / inverse : 0.0;
}

}  // namespace

PathSystem::PathSystem(const Model& model, PathKind kind, std::vector<std::pair<int, double>> rest_lengths, double end)
    : kind_(kind),
      rest_lengths_(std::move(rest_lengths)),
      statics_(model),
      parts_(find_parts(model)),
      end_(end),
      scale_(end) {
  if (const double mean = mean_free_length(model, statics_); mean > 0.0) length_ = reach_ = mean;
  constant_ = growing_ = statics_.external();
  Model light = model;
  light.loads.clear();
  const std::vector<Vec3> weight = StaticForces(light).external();
  for (std::size_t i = 0; i < constant_.size(); ++i) {
    const Vec3 load = constant_[i] - weight[i];
    growing_[i] = kind == PathKind::loads ? load : kind == PathKind::weight ? weight[i] : Vec3(Vec3::Zero());
    constant_[i] -= growing_[i];
  }
  for (const auto& [cable, rest] : rest_lengths_) first_rest_.push_back(at_rest(model).cables[cable].rest_length);
  set(0.0);
}

void PathSystem::set(double p) {
  p_ = p;
  std::vector<Vec3> external = constant_;
  for (std::size_t i = 0; i < external.size(); ++i) external[i] += p * growing_[i];
  statics_.set_external(external);
  for (std::size_t k = 0; k < rest_lengths_.size(); ++k) {
    const double rest = first_rest_[k] + p * (rest_lengths_[k].second - first_rest_[k]);
    statics_.set_rest_length(rest_lengths_[k].first, std::max(rest, 1e-3 * first_rest_[k]));
  }
}

void PathSystem::measure_by(double reach, double scale, PathPoint& point) {
  reach_ = reach;
  scale_ = scale;
  const double size = std::sqrt(product(point.tangent, point.slope, point.tangent, point.slope));
  if (!(size > 0.0)) return;
  point.tangent /= size;
  point.slope /= size;
}

double PathSystem::product(const Eigen::VectorXd& x, double p, const Eigen::VectorXd& y, double q) const {
  return x.dot(y) / (reach_ * reach_) + p * q / (scale_ * scale_);
}

double PathSystem::chord(const PathPoint& a, const PathPoint& b) const {
  return std::hypot((b.x - a.x).norm() / length_, (b.p - a.p) / end_);
}

Eigen::VectorXd PathSystem::pick(const Eigen::VectorXd& all) const {
  Eigen::VectorXd some(static_cast<long>(statics_.unknowns().size()));
  for (long i = 0; i < some.size(); ++i) some[i] = all[statics_.unknowns()[i]];
  return some;
}

// f_p on the unknowns, with the terms of the last net_force().
Eigen::VectorXd PathSystem::by_parameter() const {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(3 * static_cast<long>(growing_.size()));
  for (std::size_t i = 0; i < growing_.size(); ++i) all.segment<3>(3 * static_cast<long>(i)) = growing_[i];
  const Cables& cables = statics_.cables();
  const CableTerms& terms = statics_.cable_terms();
  for (std::size_t k = 0; k < rest_lengths_.size(); ++k) {
    const int slot = cables.slot_of_cable(rest_lengths_[k].first);
    const double more = tension_by_rest_length(cables, terms, slot) * (rest_lengths_[k].second - first_rest_[k]);
    for (int piece = cables.piece_begin(slot); piece < cables.piece_end(slot); ++piece) {
      const Vec3 d(terms.direction[4 * piece], terms.direction[4 * piece + 1], terms.direction[4 * piece + 2]);
      if (!(d.norm() > 0.0)) continue;
      all.segment<3>(3 * cables.piece_a(piece)) += more * terms.share[piece] * d.normalized();
      all.segment<3>(3 * cables.piece_b(piece)) -= more * terms.share[piece] * d.normalized();
    }
  }
  return pick(all);
}

Eigen::VectorXd PathSystem::spread(const Eigen::VectorXd& on_unknowns) const {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(3 * static_cast<long>(growing_.size()));
  for (long i = 0; i < on_unknowns.size(); ++i) all[statics_.unknowns()[i]] = on_unknowns[i];
  return all;
}

void PathSystem::remove_rigid(const Eigen::VectorXd& x, Eigen::VectorXd& on_unknowns) const {
  if (statics_.model().ground) return;
  Eigen::VectorXd all = spread(on_unknowns);
  remove_rigid_motions(statics_.model(), parts_, statics_.external(), x, all);
  on_unknowns = pick(all);
}

// One step across the direction at `from`; without it at a fixed p. The stiffness and G of the last net_force(). The
// faint terms are those of count_unstable(), so that p turns where a pivot changes its sign.
bool PathSystem::solve(const PathPoint* from, double most, const Eigen::VectorXd& net, double along,
                       Eigen::VectorXd& step, double& step_p) {
  const int n = static_cast<int>(statics_.unknowns().size()), rows = statics_.constraints(), size = n + rows + 1;
  LuEntries matrix;
  matrix.put_symmetric(stiffness_);
  for (int i = 0; i < n; ++i) matrix.put(i, i, faint * most);
  matrix.put_constraints(n, statics_.jacobian_pattern(), statics_.jacobian_values());
  for (int k = 0; k < rows; ++k) matrix.put(n + k, n + k, -1e-10 * length_ * length_ / most);
  const Eigen::VectorXd f = by_parameter();
  for (int i = 0; i < n; ++i) {
    matrix.put(i, size - 1, -f[i]);
    matrix.put(size - 1, i, from != nullptr ? from->tangent[i] / (reach_ * reach_) : 0.0);
  }
  matrix.put(size - 1, size - 1, from != nullptr ? from->slope / (scale_ * scale_) : 1.0 / scale_);
  SparseLu lu = matrix.matrix(size);
  if (!lu.factorise()) return false;
  std::vector<double> rhs(size, 0.0);
  for (int i = 0; i < n; ++i) rhs[i] = net[i];
  rhs[size - 1] = along;
  std::vector<double> found = rhs;
  lu.solve(found.data());
  // Once more for what the faint terms took away: they are not faint where the stiffness is almost lost.
  std::vector<double> rest = rhs;
  matrix.subtract_product(found, rest);
  for (int i = 0; i < n; ++i) rest[i] += faint * most * found[i];
  lu.solve(rest.data());
  for (int i = 0; i < size; ++i) found[i] += rest[i];
  step = Eigen::Map<const Eigen::VectorXd>(found.data(), n);
  step_p = found[size - 1];
  return step.allFinite() && std::isfinite(step_p);
}

bool PathSystem::correct(const PathPoint* from, double s, PathPoint& to) {
  double before = INFINITY;
  for (int pass = 0; pass < 15; ++pass) {
    set(to.p);
    if (!statics_.project(to.x)) return false;
    const NetForce net = statics_.net_force(to.x);
    to.residual = net.residual;
    if (!std::isfinite(net.residual)) return false;
    const double enough = std::max(exactly_balanced, 8.0 * statics_.rounding(net));
    double along = 0.0;
    if (from != nullptr) along = s - product(from->tangent, from->slope, pick(to.x - from->x), to.p - from->p);
    const double off = net.residual + std::abs(along);
    if (pass > 0 && (off <= enough || (off <= 1e3 * enough && off > 0.5 * before))) {
      describe(from, to);
      return true;
    }
    if (pass > 4 && !(off < 4.0 * before)) return false;
    before = std::min(before, off);
    statics_.stiffness(net, stiffness_);
    Eigen::VectorXd step;
    double step_p = 0.0;
    if (!solve(from, stiffness_bound(statics_, net), pick(net.net), along, step, step_p)) return false;
    remove_rigid(to.x, step);
    ++steps_;
    if (!(step.lpNorm<Eigen::Infinity>() < 0.5 * length_)) return false;
    to.x += spread(step);
    if (from != nullptr) to.p += step_p;
  }
  return false;
}

bool PathSystem::advance(const PathPoint& from, double s, PathPoint& to) {
  to = from;
  to.x += s * spread(from.tangent);
  to.p += s * from.slope;
  if (!correct(&from, s, to)) return false;
  to.arc = from.arc + chord(from, to);
  return true;
}

bool PathSystem::at_parameter(double p, const Eigen::VectorXd& guess, const PathPoint* direction, PathPoint& to) {
  to.x = guess;
  to.p = p;
  if (!correct(nullptr, 0.0, to)) return false;
  if (direction != nullptr) {
    describe(direction, to);
    to.arc = direction->arc + chord(*direction, to);
  }
  return true;
}

// Tangent, stiffness and slack cables at an equilibrium.
void PathSystem::describe(const PathPoint* from, PathPoint& to) {
  const NetForce net = statics_.net_force(to.x);
  to.residual = net.residual;
  statics_.stiffness(net, stiffness_);
  Eigen::VectorXd tangent;
  double slope = 0.0;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(static_cast<long>(statics_.unknowns().size()));
  const double most = stiffness_bound(statics_, net);
  if (solve(from, most, none, 1.0, tangent, slope)) {
    remove_rigid(to.x, tangent);
    const double size = std::sqrt(product(tangent, slope, tangent, slope));
    to.tangent = tangent / size;
    to.slope = slope / size;
  }
  to.slack.assign(statics_.model().cables.size(), 0);
  to.tension = 0.0;
  for (std::size_t i = 0; i < to.slack.size(); ++i) {
    const int slot = statics_.cables().slot_of_cable(static_cast<int>(i));
    const double tension = statics_.cable_terms().tension[slot];
    // A spring may push.
    to.slack[i] = !(tension > 0.0) && !(tension_slopes(statics_.cables(), statics_.cable_terms(), slot).first > 0.0);
    to.tension = std::max(to.tension, tension);
  }
  to.unstable = count_unstable(most);
  const SoftMotion soft =
      softest_motion(statics_, net, stiffness_, length_, [&](Eigen::VectorXd& v) { remove_rigid(to.x, v); });
  to.stiffness = soft.stiffness;
  to.motion = soft.motion;
  const Eigen::VectorXd pushed = by_parameter(), motion = pick(soft.motion);
  to.push = std::abs(pushed.dot(motion)) / std::max(pushed.norm() * motion.norm(), 1e-300);
  // A motion without any stiffness counts where none is worse.
  if (to.unstable == 0 && to.motion.size() > 0 && to.motion.norm() > 0.0 && to.stiffness < no_stiffness * most)
    to.unstable = 1;
}

bool PathSystem::tangent_beyond(const PathPoint& at, const std::vector<int>& switched, PathPoint& to) {
  set(at.p);
  statics_.net_force(at.x);
  // A slightly different rest length holds the cable there: the stiffness jumps, the forces do not.
  std::vector<double> rest;
  for (const int i : switched) {
    const int slot = statics_.cables().slot_of_cable(i);
    rest.push_back(statics_.cable_terms().rest[slot]);
    statics_.set_rest_length(i, statics_.cable_terms().length[slot] * (at.slack[i] ? 1.0 - 1e-10 : 1.0 + 1e-10));
  }
  const NetForce net = statics_.net_force(at.x);
  statics_.stiffness(net, stiffness_);
  to = at;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(static_cast<long>(statics_.unknowns().size()));
  const bool solved = solve(&at, stiffness_bound(statics_, net), none, 1.0, to.tangent, to.slope);
  for (std::size_t k = 0; k < switched.size(); ++k) statics_.set_rest_length(switched[k], rest[k]);
  if (!solved) return false;
  remove_rigid(at.x, to.tangent);
  const double size = std::sqrt(product(to.tangent, to.slope, to.tangent, to.slope));
  to.tangent /= size;
  to.slope /= size;
  return to.tangent.allFinite() && std::isfinite(to.slope);
}

std::vector<double> PathSystem::stretching(const PathPoint& at) {
  constexpr double h = 1e-5;
  std::vector<double> grows(at.slack.size(), 0.0);
  for (const double side : {-1.0, 1.0}) {
    set(at.p + side * h * at.slope);
    statics_.net_force(at.x + side * h * spread(at.tangent));
    const CableTerms& terms = statics_.cable_terms();
    for (std::size_t i = 0; i < grows.size(); ++i) {
      const int slot = statics_.cables().slot_of_cable(static_cast<int>(i));
      grows[i] += side * (terms.length[slot] - terms.rest[slot]) / (2.0 * h);
    }
  }
  return grows;
}

// Negative pivots of K with the constraints as stiff springs.
int PathSystem::count_unstable(double most) {
  const int n = static_cast<int>(statics_.unknowns().size());
  std::vector<SparseEntry> matrix = stiffness_;
  for (int i = 0; i < n; ++i) matrix.push_back({i, i, faint * most});
  std::vector<std::vector<std::pair<int, double>>> rows(statics_.constraints());
  const auto& pattern = statics_.jacobian_pattern();
  for (std::size_t k = 0; k < pattern.size(); ++k)
    rows[pattern[k].row].emplace_back(pattern[k].column, statics_.jacobian_values()[k]);
  for (const auto& row : rows) {
    double square = 0.0;
    for (const auto& [i, g] : row) square += g * g;
    for (const auto& [i, g] : row)
      for (const auto& [j, h] : row)
        if (i <= j && square > 0.0) matrix.push_back({i, j, 1e6 * most / square * g * h});
  }
  sum_repeated(matrix);
  const Saddle saddle(n, 0, matrix, {});
  SaddleFactor factor = saddle.make_factor();
  saddle.factorise(nullptr, factor);
  return static_cast<int>(
      std::count_if(factor.inverse.begin(), factor.inverse.begin() + n, [](double d) { return d < 0.0; }));
}

Model PathSystem::model_at(const Model& model, const PathPoint& point) const {
  Model there = model;
  move_nodes(there, point.x);
  for (Load& load : there.loads)
    if (kind_ == PathKind::loads && load.from <= 0.0 && load.to > 0.0) load.force *= point.p;
  if (kind_ == PathKind::weight) there.gravity *= point.p;
  for (std::size_t k = 0; k < rest_lengths_.size(); ++k) {
    const auto& [cable, last] = rest_lengths_[k];
    const double rest = first_rest_[k] + point.p * (last - first_rest_[k]);
    there.cables[cable].rest_length = rest;
    for (Actuator& actuator : there.actuators)
      if (actuator.cable == cable) actuator.rest_length = shifted(actuator.rest_length, rest);
  }
  return there;
}

}  // namespace taut
