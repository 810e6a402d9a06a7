#include "taut/form/path/path_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "taut/base/error.h"
#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/machine/machine_equilibrium.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/form/path/path_text.h"
#include "taut/formulation/matrices.h"
#include "taut/formulation/multibody/move_model.h"
#include "taut/solve/dense.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double least_machine_stride = 1e-7;
constexpr double parameter_step = 1e-4;  // of P, for r_p, which is all but linear in p
constexpr int most_corrections = 15, most_halvings = 36;
constexpr double least_turn = 0.5;  // cosine between tangents that follow each other

struct Stand {
  PathPoint point;  // its tangent: ways per velocity
  VectorXd q;
};

class MachinePath {
 public:
  MachinePath(const Model& model, const PathOptions& options)
      : model_(model), options_(options), end_(options.to != 0.0 ? std::abs(options.to) : 1.0) {
    const Model still = at_rest(model);
    for (const auto& [cable, last] : options.rest_lengths) first_rest_.push_back(still.cables[cable].rest_length);
  }

  PathResult run() {
    result_.model = model_;
    Stand at;
    if (begin(at)) {
      if (options_.to == 0.0)
        result_.complete = true;
      else
        follow(at);
    }
    return std::move(result_);
  }

 private:
  double direction() const { return options_.to < 0.0 ? -1.0 : 1.0; }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }

  Model level(double p) const {
    Model there = model_;
    for (Load& load : there.loads)
      if (options_.kind == PathKind::loads && load.from <= 0.0 && load.to > 0.0) load.force *= p;
    if (options_.kind == PathKind::weight) there.gravity *= p;
    for (std::size_t k = 0; k < first_rest_.size(); ++k) {
      const auto& [cable, last] = options_.rest_lengths[k];
      const double rest = first_rest_[k] + p * (last - first_rest_[k]);
      there.cables[cable].rest_length = rest;
      for (Actuator& actuator : there.actuators)
        if (actuator.cable == cable) actuator.rest_length = shifted(actuator.rest_length, rest);
    }
    return there;
  }

  // Everything at (q, p), q on the loops.
  struct Look {
    std::unique_ptr<MachineForces> forces;
    MachineNet net;
    MatrixXd S;
    VectorXd r, by_p;
    bool good = false;
  };

  Look look(VectorXd& q, double p) {
    Look found;
    found.forces = std::make_unique<MachineForces>(level(p));
    if (!q.allFinite() || !found.forces->project(q)) return found;
    const double h = parameter_step * end_;
    MachineForces further(level(p + h));
    const VectorXd Q = (further.net_force(q), further.force());
    found.net = found.forces->net_force(q);
    const MatrixXd& B = found.forces->allowed();
    found.r = B.transpose() * found.forces->force();
    found.by_p = (B.transpose() * Q - found.r) / h;
    found.S = found.forces->stiffness();
    // Something holds what nothing holds: turns that move nothing, and rigid motions. Where all is driven, S is empty.
    const double size = found.S.size() > 0 ? found.S.cwiseAbs().maxCoeff() : 0.0;
    const double faint = faint_stiffness * std::max(size, 1e-300);
    found.S.diagonal().array() += faint;
    found.good = found.r.allFinite() && found.S.allFinite();
    return found;
  }

  // (y, δp) with these right sides, and the tangent of `from` as the last row.
  bool solve(const Look& at, const PathPoint& from, const VectorXd& r, double along, VectorXd& y, double& p) const {
    const long n = at.S.rows();
    const MatrixXd Z = at.forces->way().asDiagonal() * at.forces->allowed();
    MatrixXd A(n + 1, n + 1);
    A.topLeftCorner(n, n) = at.S;
    A.topRightCorner(n, 1) = -at.by_p;
    A.bottomLeftCorner(1, n) = (Z.transpose() * from.tangent).transpose() / (reach_ * reach_);
    A(n, n) = from.slope / (end_ * end_);
    VectorXd right(n + 1);
    right << r, along;
    const VectorXd found = Lu(A).solve(right);
    if (!found.allFinite()) return false;
    y = found.head(n);
    p = found[n];
    return true;
  }

  static void go(const Look& at, const VectorXd& y, VectorXd& q) {
    const VectorXd step = at.forces->allowed() * y;
    multibody::retract(at.forces->system().tree, q.data(), step.data());
  }

  // From a stand by s along its tangent to an equilibrium in the plane across it.
  bool advance(const Stand& from, double s, Stand& to) {
    to.q = from.q;
    to.point = {};
    to.point.p = from.point.p + s * from.point.slope;
    const VectorXd step = s * from.point.tangent.cwiseQuotient(way_);
    multibody::retract(MachineForces(level(from.point.p)).system().tree, to.q.data(), step.data());
    double best = INFINITY;
    for (int k = 0; k < most_corrections; ++k) {
      const Look at = look(to.q, to.point.p);
      ++result_.newton_steps;
      if (!at.good) return false;
      if (at.net.residual <= exactly_balanced * 10.0 ||
          (at.net.residual <= equilibrium_found && at.net.residual >= 0.5 * best))
        return describe(from.point, at, to) && smooth(from, to, s);
      best = std::min(best, at.net.residual);
      VectorXd y;
      double dp = 0.0;
      if (!solve(at, from.point, at.r, 0.0, y, dp)) return false;
      if (y.norm() / reach_ > 2.0 * s + 1e-12) return false;
      go(at, y, to.q);
      to.point.p += dp;
    }
    return false;
  }

  // Tangents that follow each other differ little, but where a cable switches.
  bool smooth(const Stand& from, const Stand& to, double s) const {
    const double cosine = from.point.tangent.dot(to.point.tangent) / (reach_ * reach_) +
                          from.point.slope * to.point.slope / (end_ * end_);
    return cosine > least_turn || (from.point.slack != to.point.slack && s < 1e-4);
  }

  bool describe(const PathPoint& from, const Look& at, Stand& to) {
    PathPoint& point = to.point;
    VectorXd y;
    double dp = 0.0;
    if (!solve(at, from, VectorXd::Zero(at.r.size()), 1.0, y, dp)) return false;
    const double size = std::hypot(y.norm() / reach_, dp / end_);
    way_ = at.forces->way();
    point.tangent = way_.cwiseProduct(at.forces->allowed() * y) / size;
    point.slope = dp / size;
    point.residual = at.net.residual;
    const MachineStability stability = machine_stability(*at.forces);
    for (const double k : stability.stiffness) point.unstable += k < -no_stiffness * stability.scale;
    const long nodes = 3 * static_cast<long>(model_.nodes.size());
    point.x.resize(nodes);
    for (long i = 0; i < nodes; ++i) point.x[i] = at.forces->terms().x[4 * (i / 3) + i % 3];
    point.motion = VectorXd::Zero(nodes);
    if (stability.stiffness.size() > 0) {
      point.stiffness = stability.stiffness[0];
      point.motion = at.forces->formulation().matrices(to.q.data(), nullptr, {.X = true}).X * stability.motion;
      if (const double largest = point.motion.cwiseAbs().maxCoeff(); largest > 0.0) point.motion /= largest;
    }
    for (const double T : at.forces->tensions().cables) {
      point.slack.push_back(!(T > 0.0));
      point.tension = std::max(point.tension, T);
    }
    return true;
  }

  // At a given p, near q.
  bool at_parameter(double p, const VectorXd& q, const PathPoint& from, Stand& to) {
    MachineForces forces(level(p), MachinePlace{q, 0.0});
    const MachineEquilibrium found = find_equilibrium(forces, {.falls = false});
    result_.newton_steps += static_cast<int>(found.iterations);
    if (!found.found) return false;
    to.q = found.q;
    to.point = {};
    to.point.p = p;
    const Look at = look(to.q, p);
    return at.good && describe(from, at, to);
  }

  bool begin(Stand& at) {
    MachineForces forces(level(0.0));
    MachineEquilibrium found = find_equilibrium(forces, {.falls = false});
    if (!found.found) {
      found = find_equilibrium(forces);
      result_.notes.push_back("the start was not in balance: it was relaxed first");
    }
    if (!found.found) {
      result_.reason = "there is no equilibrium to begin with: " + found.reason;
      return false;
    }
    reach_ = forces.system().length;
    PathPoint towards;
    towards.tangent = VectorXd::Zero(forces.system().tree.nv);
    towards.slope = direction();
    for (int pass = 0; pass < 2; ++pass) {
      if (!at_parameter(0.0, found.q, towards, at)) {
        result_.reason = "the equilibrium at the beginning has no definite stiffness: a path cannot leave it";
        return false;
      }
      // So that motion and p weigh alike.
      const double moves = at.point.tangent.norm() * end_ / std::max(std::abs(at.point.slope), 1e-300);
      if (pass == 0) reach_ = std::clamp(moves, 1e-6 * reach_, reach_);
    }
    draw(at);
    result_.points.push_back(at.point);
    return true;
  }

  void draw(const Stand& at) {
    const Model there = level(at.point.p);
    MachineForces forces(there);
    result_.model = drawn_at(there, forces.system(), at.q.data());
  }

  void keep(const Stand& before, Stand& next) {
    next.point.arc = before.point.arc + std::hypot((next.point.x - before.point.x).norm() / reach_,
                                                   (next.point.p - before.point.p) / end_);
    draw(next);
    result_.points.push_back(next.point);
    if (options_.progress) options_.progress(static_cast<long>(result_.points.size()), next.point.p);
  }

  void follow(Stand at) {
    double step = 0.5 * options_.longest_step;
    while (static_cast<int>(result_.points.size()) < options_.points && !stopped()) {
      Stand next;
      const VectorXd way = way_;
      const int before = result_.newton_steps;
      if (!advance(at, step, next)) {
        way_ = way;
        step *= 0.5;
        if (step >= least_machine_stride) continue;
        end_with("cannot be followed beyond {:.6g} of {}: Newton's method finds no equilibrium further on", at.point.p,
                 whole(options_.kind));
        return;
      }
      const bool last = direction() * (next.point.p - options_.to) >= 0.0;
      Stand end;
      if (last && at_parameter(options_.to, next.q, at.point, end)) next = end;
      const VectorXd beyond = way_;
      if (!look_between(at, next, step, way)) return;
      way_ = beyond;
      keep(at, next);
      if (last) {
        result_.complete = true;
        return;
      }
      at = next;
      const int needed = result_.newton_steps - before;
      if (needed <= 4) step = std::min(1.5 * step, options_.longest_step);
      if (needed > 8) step *= 0.5;
    }
    if (stopped())
      result_.reason = "interrupted";
    else
      end_with("did not reach its end within {} points: it is at {:.6g} of {}", result_.points.size(),
               result_.points.back().p, whole(options_.kind));
  }

  // What happens between two stands; false if the path ends there.
  bool look_between(const Stand& a, const Stand& b, double step, const VectorXd& way) {
    const bool turns = a.point.slope * b.point.slope < 0.0;
    if (!turns && a.point.unstable == b.point.unstable) return true;
    Stand low = a, high = b;
    double from = 0.0, to = step;
    for (int k = 0; k < most_halvings && to - from > 1e-11 * step; ++k) {
      Stand middle;
      way_ = way;
      if (!advance(a, 0.5 * (from + to), middle)) break;
      const bool before = turns ? middle.point.slope * a.point.slope > 0.0 : middle.point.unstable == a.point.unstable;
      (before ? low : high) = middle;
      (before ? from : to) = 0.5 * (from + to);
    }
    PathEvent event;
    event.kind = turns ? PathEventKind::limit : PathEventKind::bifurcation;
    event.at = low.point;
    event.at.arc = a.point.arc + from;
    event.lost = b.point.unstable > a.point.unstable;
    event.motions = std::max(1, std::abs(b.point.unstable - a.point.unstable));
    for (std::size_t i = 0; i < low.point.slack.size(); ++i)
      if (low.point.slack[i] != high.point.slack[i]) event.cables.push_back(static_cast<int>(i));
    if (!turns && !event.cables.empty()) event.kind = PathEventKind::slack;
    const FurthestMove move = furthest_move(low.point.motion);
    event.node = move.node;
    event.along = move.along;
    result_.events.push_back(event);
    if (options_.through || !(event.lost || turns)) return true;
    keep(a, low);
    end_with("ends at {}", event_text(model_, event, options_.kind));
    return false;
  }

  template <typename... Args>
  void end_with(fmt::format_string<Args...> text, Args&&... args) {
    result_.reason = fmt::format("the {} {}", path_name(options_.kind), fmt::format(text, std::forward<Args>(args)...));
  }

  const Model& model_;
  const PathOptions& options_;
  const double end_;    // P
  double reach_ = 1.0;  // ℓ
  std::vector<double> first_rest_;
  VectorXd way_;  // of the stand that was described last
  PathResult result_;
};

}  // namespace

PathResult follow_machine_path(const Model& model, const PathOptions& options) {
  if (options.branch != 0)
    throw InputError({Problem{{},
                              "--branch",
                              "is for structures: a machine is followed on its own path, through bifurcations with "
                              "--arc-length. Draw it a little off that path, and it takes a branch by itself"}});
  return MachinePath(model, options).run();
}

}  // namespace taut
