#include "taut/analysis/form_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/find_equilibrium.h"
#include "taut/analysis/form_members.h"
#include "taut/analysis/form_path_find.h"
#include "taut/analysis/form_path_text.h"
#include "taut/analysis/relax.h"
#include "taut/analysis/softest_motion.h"
#include "taut/base/error.h"

namespace taut {

namespace {

constexpr double least_step = 1e-7;
constexpr double least_reach = 1e-6;  // of a member length: what moves less does not move
constexpr double corner_step = 1e-5;  // short enough to say that a switch of a cable turns the path at once
constexpr double first_branch_step = 0.01;
constexpr int most_drifting = 50;  // points at p = 0

class Path {
 public:
  Path(const Model& model, const PathOptions& options)
      : model_(model),
        options_(options),
        system_(model, options.kind, options.rest_lengths, options.to != 0.0 ? std::abs(options.to) : 1.0) {}

  PathResult run() {
    PathPlace at;
    if (begin(at)) {
      if (options_.to == 0.0)
        result_.complete = true;
      else
        follow(at);
    }
    if (options_.branch != 0 && result_.reason != "interrupted" && !has_left())
      result_.notes.push_back("no bifurcation was met: there was no branch to take");
    result_.newton_steps += system_.newton_steps();
    if (!result_.points.empty()) result_.model = system_.model_at(model_, result_.points.back());
    return std::move(result_);
  }

 private:
  double direction() const { return options_.to < 0.0 ? -1.0 : 1.0; }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }

  bool is_none(const PathPlace& at) const { return std::abs(at.p) < 1e-9 * system_.scale(); }  // p = 0

  bool has_left() const {
    return std::any_of(result_.events.begin(), result_.events.end(), [](const auto& e) { return e.followed; });
  }

  // The equilibrium at p = 0.
  bool begin(PathPlace& at) {
    result_.model = model_;
    StaticForces& statics = system_.statics();
    Equilibrium found = find_equilibrium(statics, statics.start());
    result_.newton_steps += found.iterations;
    if (!found.found) {
      PathPlace start;
      start.x = statics.start();
      RelaxResult relaxed = relax(system_.model_at(model_, start));
      if (!relaxed.converged) {
        result_.reason = "there is no equilibrium to begin with: " + relaxed.reason;
        return false;
      }
      result_.notes.push_back("the start was not in balance: it was let go first");
      system_.set(0.0);
      found.x = positions(relaxed.model);
    }
    if (!system_.at_parameter(0.0, found.x, nullptr, at)) {
      result_.reason = "the equilibrium at the beginning has no definite stiffness: a path cannot leave it";
      return false;
    }
    if (direction() < 0.0) at.tangent *= -1.0, at.slope *= -1.0;
    result_.points.push_back(at);
    if (at.unstable == 0) fit(at);
    return true;
  }

  // Measures motion and p by what they are at first over the whole path, so that they weigh alike; motion by a member
  // length at most. A shallow arch moves by its rise until it snaps, and an end far beyond what bends a structure is no
  // measure of p.
  void fit(PathPlace& at) {
    const double length = system_.length(), end = system_.end(), moves = at.tangent.norm() * end;
    if (!(moves > least_reach * length * std::abs(at.slope))) return;
    const double ratio = std::abs(at.slope) * length / moves;
    system_.measure_by(length * std::min(1.0, 1.0 / std::max(ratio, 1e-300)), end * std::clamp(ratio, 1e-6, 1.0), at);
  }

  // What has moved further, or grown more, since is measured by that.
  void fit_again(PathPlace& at) {
    const double moved = (at.x - result_.points.front().x).norm();
    const double reach = std::max(system_.reach(), std::min(moved, system_.length()));
    const double scale = std::max(system_.scale(), std::min(std::abs(at.p), system_.end()));
    system_.measure_by(reach, scale, at);
  }

  void follow(PathPlace at) {
    origin_ = at;
    double step = 0.5 * options_.longest_step, wide = step;
    std::size_t seen = result_.events.size();
    int drifting = 0;
    while (static_cast<int>(result_.points.size()) < options_.points && !stopped()) {
      PathPlace next;
      const int before = system_.newton_steps();
      const bool met = system_.advance(at, step, next) && !turns_round(at, next, step);
      const bool smooth = met && is_smooth(at, next, step);
      const bool corner = met && !smooth && is_corner(at, next, step);
      if (!(smooth || corner) || (step > 1e-3 * options_.longest_step && several(at, next, step))) {
        step *= 0.5;
        if (step >= least_step) continue;
        if (!options_.through || !turn_back(at, next)) return stop_at(at);
        at = next;
        step = 0.5 * wide;
        seen = result_.events.size();
        continue;
      }
      const int needed = system_.newton_steps() - before;
      bool last = false;
      // Over the end: back to it.
      if (direction() * (next.p - options_.to) >= 0.0 && direction() * (at.p - options_.to) < 0.0) {
        const double part = (options_.to - at.p) / (next.p - at.p);
        PathPlace end;
        last = system_.at_parameter(options_.to, at.x + part * (next.x - at.x), &at, end) &&
               is_smooth(at, end, ahead(at, end));
        next = last ? end : find_end(system_, at, next, step, options_.to);
        last = true;
      }
      if (!look_between(at, next, last ? std::min(step, ahead(at, next)) : step)) return;
      if (result_.events.size() > seen && result_.events.back().followed) {
        if (!leave(next)) return;
        last = false;
        step = wide = first_branch_step;
        origin_ = next;
      }
      seen = result_.events.size();
      result_.points.push_back(next);
      if (options_.progress) options_.progress(static_cast<long>(result_.points.size()), next.p);
      if (last) {
        result_.complete = true;
        return;
      }
      if (closes(at, next)) {
        result_.reason =
            fmt::format("the {} is closed: it comes back to where it was, at {:.6g} of {}, without reaching {:.6g}",
                        path_name(options_.kind), next.p, whole(options_.kind), options_.to);
        return;
      }
      // What nothing holds drifts away under nothing, as far as one likes.
      drifting = is_none(next) ? drifting + 1 : 0;
      if (drifting > most_drifting) return stop_at(next);
      at = next;
      fit_again(at);
      // Beyond a corner the path is as smooth as before it.
      if (corner) step = 0.5 * wide;
      wide = std::max(step, 0.7 * wide);
      if (needed <= 3) step = std::min(1.5 * step, options_.longest_step);
      if (needed > 6) step *= 0.5;
    }
    result_.reason = stopped() ? "interrupted"
                               : fmt::format("the {} did not reach its end within {} points: it is at {:.6g} of {}",
                                             path_name(options_.kind), result_.points.size(), result_.points.back().p,
                                             whole(options_.kind));
  }

  // From a to b, along the path at a.
  double ahead(const PathPlace& a, const PathPlace& b) const {
    return system_.product(a.tangent, a.slope, system_.pick(b.x - a.x), b.p - a.p);
  }

  bool turns_little(const PathPlace& a, const PathPlace& b) const {
    if (a.tangent.size() != b.tangent.size()) return false;
    const double cosine = system_.product(a.tangent, a.slope, b.tangent, b.slope), reach = system_.reach();
    if (!(cosine > 0.9 * std::sqrt(system_.product(b.tangent, b.slope, b.tangent, b.slope)))) return false;
    // The motion alone, unless there is next to none: p may hide how it turns.
    const double x = a.tangent.norm(), y = b.tangent.norm();
    return std::min(x, y) < 0.1 * reach || a.tangent.dot(b.tangent) > 0.9 * x * y;
  }

  // How far b is from where the tangent at a pointed: all of it, and the motion alone.
  std::pair<double, double> corrected(const PathPlace& a, const PathPlace& b, double step) const {
    const Eigen::VectorXd off = system_.pick(b.x - a.x) - step * a.tangent;
    const double p = b.p - a.p - step * a.slope;
    return {std::sqrt(system_.product(off, p, off, p)), off.norm()};
  }

  // Newton's method may go over to another part of the path, or to another path: where it ended far from where it began
  // a shorter step tells.
  bool is_smooth(const PathPlace& a, const PathPlace& b, double step) const {
    const auto [all, motion] = corrected(a, b, step);
    return all <= 0.4 * step && motion <= step * (0.5 * a.tangent.norm() + 0.1 * system_.reach()) && turns_little(a, b);
  }

  // A cable switches, and the path turns at once.
  bool is_corner(const PathPlace& a, const PathPlace& b, double step) const {
    return step < corner_step && a.slack != b.slack && corrected(a, b, step).first <= 10.0 * step;
  }

  // A cable switches, and the path comes back on the other side of the switch, all but where it was.
  bool turns_round(const PathPlace& a, const PathPlace& b, double step) {
    return step < corner_step && a.slack != b.slack && switches_back(system_, a, b);
  }

  // The step from a to b runs through the place where the path began, the same way.
  bool closes(const PathPlace& a, const PathPlace& b) {
    if (a.arc - origin_.arc < 5.0 * options_.longest_step || !turns_little(a, origin_)) return false;
    const Eigen::VectorXd off = system_.pick(origin_.x - a.x);
    const double p = origin_.p - a.p, step = ahead(a, b), back = ahead(a, origin_);
    const double aside = system_.product(off, p, off, p) - back * back;
    return back >= 0.0 && back <= step && aside <= 0.01 * step * step;
  }

  bool turned(const PathPlace& a, const PathPlace& b) const { return (a.slope > 0.0) != (b.slope > 0.0); }

  // p grows at both places and has fallen between them, or the other way round.
  bool runs_against(const PathPlace& a, const PathPlace& b) const {
    const double grown = a.slope > 0.0 ? b.p - a.p : a.p - b.p;
    return !turned(a, b) && grown < -1e-9 * system_.scale();
  }

  // More than one thing happens between two places.
  bool several(const PathPlace& a, const PathPlace& b, double step) {
    const int change = std::abs(a.unstable - b.unstable);
    if (change > 1 || runs_against(a, b)) return true;
    std::vector<int> cables;
    if (change == 1) {
      if (turned(a, b)) return false;
      const PathPlace place = find_change(system_, a, b, step, cables);
      // Stiffness is lost along what p pushes, and p does not turn, or it is lost where no path leads from one to the
      // other: a gap to a path nearby was stepped over.
      return (place.push > 0.01 && cables.empty()) || runs_against(a, place) || runs_against(place, b);
    }
    if (!turned(a, b)) return false;
    return !is_crossing(a, b, find_turn(system_, a, b, step, cables)) && cables.empty();
  }

  // p turns at a place on the way, where the stiffness is lost and regained at once: on a path that crosses another the
  // motion is free there, but p does not push along it. At a limit point it does.
  bool is_crossing(const PathPlace& a, const PathPlace& b, const PathPlace& turn) const {
    return a.unstable == b.unstable && turn.push < 1e-5 &&
           std::abs(turn.stiffness) < 1e-3 * std::max(std::abs(a.stiffness), std::abs(b.stiffness));
  }

  void tell(PathEvent& event, const PathPlace& at) {
    event.at = at;
    const FurthestMove move = furthest_move(at.motion);
    event.node = move.node;
    event.along = move.along;
    result_.events.push_back(event);
  }

  // What happens between two places; false if the path ends there.
  bool look_between(const PathPlace& a, const PathPlace& b, double step) {
    // What has lost its hold as p came to 0 drifts, and how p grows there is rounding.
    const bool lost = b.unstable > a.unstable, adrift = lost && is_none(b) && !is_none(a);
    const bool turns = turned(a, b) && !adrift;
    if (!turns && a.unstable == b.unstable) return true;
    PathEvent event;
    event.kind = turns ? PathEventKind::limit : PathEventKind::bifurcation;
    event.motions = std::max(1, std::abs(a.unstable - b.unstable));
    event.lost = lost;
    if (event.kind == PathEventKind::limit) {
      event.at = find_turn(system_, a, b, step, event.cables);
      event.crosses = event.cables.empty() && is_crossing(a, b, event.at);
      if (event.crosses) event.kind = PathEventKind::bifurcation;
    } else {
      event.at = find_change(system_, a, b, step, event.cables);
      if (!event.cables.empty())
        event.kind = PathEventKind::slack;
      else if (event.at.push > 0.01 && event.motions == 1)
        event.kind = PathEventKind::limit;
    }
    // Rounding parts the two signs of a limit point by a step where there is hardly any stiffness: it is told once.
    const bool half = event.kind == PathEventKind::limit && event.cables.empty() && turns == (a.unstable == b.unstable);
    if (half && half_ >= 0.0 && event.at.arc - half_ <= 2.0 * (b.arc - a.arc)) return half_ = -1.0, true;
    half_ = half ? event.at.arc : -1.0;
    // What changes with the first step is how it began, not an event on the way.
    const bool none = is_none(event.at), drifts = none && adrift;
    if (none && !lost) return true;
    if (none && is_none(a)) return stop_at(a), false;
    if (drifts) event.at.p = 0.0;
    event.followed =
        !drifts && options_.branch != 0 && event.kind == PathEventKind::bifurcation && event.lost && !has_left();
    tell(event, PathPlace(event.at));
    if (event.followed) return true;
    if (!drifts && (options_.through || !(event.lost || turns || event.kind == PathEventKind::limit))) return true;
    result_.points.push_back(event.at);
    result_.reason =
        fmt::format("the {} ends at {}", path_name(options_.kind), event_text(model_, event, options_.kind));
    return false;
  }

  // From the bifurcation that was found last to a place on the path that branches off; false if none is met.
  bool leave(PathPlace& next) {
    PathPlace from = result_.events.back().at;
    result_.points.push_back(from);
    from.tangent = options_.branch * system_.pick(from.motion);
    from.slope = 0.0;
    // It moves further than the path that it leaves. The first step is short: what is stable at first may not stay so.
    system_.measure_by(std::max(system_.reach(), 0.1 * system_.length()), system_.scale(), from);
    for (double s = first_branch_step; s > 1e-3 * first_branch_step; s *= 0.5) {
      if (!system_.advance(from, s, next)) continue;
      if (next.unstable == 0 || options_.through) return true;
      result_.points.push_back(next);
      result_.reason = fmt::format("the path that branches off at {:.6g} of {} is unstable; --arc-length follows it",
                                   from.p, whole(options_.kind));
      return false;
    }
    result_.reason = fmt::format("no path was met that branches off at {:.6g} of {}", from.p, whole(options_.kind));
    return false;
  }

  void stop_at(const PathPlace& last) {
    // What drifts along a mechanism under nothing has not left the beginning.
    const bool drifts = is_none(last);
    const PathPlace at = drifts ? result_.points.front() : last;
    PathEvent event;
    event.kind = PathEventKind::slack;
    event.at = at;
    event.cables = switching(at);
    if (!event.cables.empty() && !drifts) {
      result_.events.push_back(event);
      result_.reason = fmt::format("the {} ends at {}, and no equilibrium is near beyond it", path_name(options_.kind),
                                   event_text(model_, event, options_.kind));
      return;
    }
    result_.reason = fmt::format("the {} cannot be followed beyond {:.6g} of {}: {}", path_name(options_.kind), at.p,
                                 whole(options_.kind), obstacle(at));
  }

  std::vector<int> switching(const PathPlace& at) {
    double largest = 0.0;
    for (const PathPlace& before : result_.points) largest = std::max(largest, before.tension);
    return about_to_switch(system_, at, largest);
  }

  // Where a cable switches the path may turn back at once.
  bool turn_back(const PathPlace& at, PathPlace& next) {
    PathEvent event;
    event.cables = switching(at);
    if (event.cables.empty() || !find_beyond_corner(system_, at, event.cables, next)) return false;
    std::erase_if(event.cables, [&](int i) { return at.slack[i] == next.slack[i]; });
    event.kind = turned(at, next) ? PathEventKind::limit : PathEventKind::slack;
    event.lost = next.unstable > at.unstable;
    event.motions = std::max(1, std::abs(next.unstable - at.unstable));
    tell(event, at);
    result_.points.push_back(next);
    return true;
  }

  // Why Newton's method gets no further from here.
  std::string obstacle(const PathPlace& at) {
    system_.set(at.p);
    const double most = stiffness_bound(system_.statics(), system_.statics().net_force(at.x));
    const FurthestMove move = furthest_move(at.motion);
    if (move.node >= 0 && !(std::abs(at.stiffness) > 1e-9 * most))
      return fmt::format("there nothing resists a motion, node \"{}\" along {}, and what grows pushes along it",
                         model_.nodes[move.node].name, direction_text(move.along));
    for (std::size_t i = 0; i < at.slack.size(); ++i)
      if (at.slack[i])
        return fmt::format("Newton's method finds no equilibrium further on; cable \"{}\" is slack there",
                           model_.cables[i].name);
    return "Newton's method finds no equilibrium further on";
  }

  const Model& model_;
  const PathOptions& options_;
  PathSystem system_;
  PathResult result_;
  double half_ = -1.0;  // the arc where a limit point was told by one of its signs, and the other is due
  PathPlace origin_;    // of the path, or of the branch that it took
};

}  // namespace

PathResult follow_path(const Model& model, const PathOptions& options) {
  require_structure(model);
  if (options.kind == PathKind::loads && std::none_of(model.loads.begin(), model.loads.end(), [](const Load& load) {
        return load.from <= 0.0 && load.to > 0.0 && load.force != Vec3::Zero();
      }))
    throw InputError("path: no load acts at t = 0: expected [[loads]], or a path of weight or of rest lengths");
  if (options.kind == PathKind::weight && model.gravity == Vec3::Zero())
    throw InputError("path: there is no gravity: expected environment.gravity, or a path of loads or of rest lengths");
  if (options.kind == PathKind::rest_lengths && options.rest_lengths.empty())
    throw InputError("path: no rest length is to change: expected --rest-length CABLES=L");
  return Path(model, options).run();
}

}  // namespace taut
