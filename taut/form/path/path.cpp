#include "taut/form/path/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/base/error.h"
#include "taut/equilibrium/find_equilibrium.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/form/path/path_find.h"
#include "taut/form/path/path_judge.h"
#include "taut/form/path/path_machine.h"
#include "taut/form/path/path_text.h"
#include "taut/form/relax.h"

namespace taut {

namespace {

constexpr double least_stride = 1e-7;
constexpr double least_reach = 1e-6;  // of a member length: what moves less does not move
constexpr double first_branch_step = 0.01;
constexpr int most_drifting = 50;  // points at p = 0

class Path {
 public:
  Path(const Model& model, const PathOptions& options)
      : model_(model),
        options_(options),
        system_(model, options.kind, options.rest_lengths, options.to != 0.0 ? std::abs(options.to) : 1.0) {}

  PathResult run() {
    PathPoint at;
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

  bool is_none(const PathPoint& at) const { return std::abs(at.p) < 1e-9 * system_.scale(); }  // p = 0

  bool has_left() const {
    return std::any_of(result_.events.begin(), result_.events.end(), [](const auto& e) { return e.followed; });
  }

  // The equilibrium at p = 0.
  bool begin(PathPoint& at) {
    result_.model = model_;
    StaticForces& statics = system_.statics();
    Equilibrium found = find_equilibrium(statics, statics.start());
    result_.newton_steps += found.iterations;
    if (!found.found) {
      PathPoint start;
      start.x = statics.start();
      RelaxResult relaxed = relax(system_.model_at(model_, start));
      if (!relaxed.converged) {
        result_.reason = "there is no equilibrium to begin with: " + relaxed.reason;
        return false;
      }
      result_.notes.push_back("the start was not in balance: it was relaxed first");
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
  void fit(PathPoint& at) {
    const double length = system_.length(), end = system_.end(), moves = at.tangent.norm() * end;
    if (!(moves > least_reach * length * std::abs(at.slope))) return;
    const double ratio = std::abs(at.slope) * length / moves;
    system_.measure_by(length * std::min(1.0, 1.0 / std::max(ratio, 1e-300)), end * std::clamp(ratio, 1e-6, 1.0), at);
  }

  // Motion and p that have outgrown their measures since become the new ones.
  void fit_again(PathPoint& at) {
    const double moved = (at.x - result_.points.front().x).norm();
    const double reach = std::max(system_.reach(), std::min(moved, system_.length()));
    const double scale = std::max(system_.scale(), std::min(std::abs(at.p), system_.end()));
    system_.measure_by(reach, scale, at);
  }

  // How far to go in one step.
  struct Stride {
    double step, wide;

    // After a step that needed so many Newton steps. Beyond a corner the path is as smooth as before it.
    void adapt(bool corner, int needed, double longest) {
      if (corner) step = 0.5 * wide;
      wide = std::max(step, 0.7 * wide);
      if (needed <= 3) step = std::min(1.5 * step, longest);
      if (needed > 6) step *= 0.5;
    }
  };

  // One step; false if it must be shorter.
  bool try_step(const PathPoint& at, double step, PathPoint& next, bool& corner) {
    const bool met = system_.advance(at, step, next) && !turns_round(system_, at, next, step);
    const bool smooth = met && is_smooth(system_, at, next, step);
    corner = met && !smooth && is_corner(system_, at, next, step);
    return (smooth || corner) && !(step > 1e-3 * options_.longest_step && several_events(system_, at, next, step));
  }

  // Whether the path ends with the step to `next`, and why.
  bool ends(const PathPoint& at, const PathPoint& next, bool last, int& drifting) {
    if (last) return result_.complete = true;
    if (at.arc - origin_.arc >= 5.0 * options_.longest_step && runs_through(system_, at, next, origin_)) {
      end_with("is closed: it comes back to where it was, at {:.6g} of {}, without reaching {:.6g}", next.p,
               whole(options_.kind), options_.to);
      return true;
    }
    // A part that nothing holds drifts without end while p stays 0.
    drifting = is_none(next) ? drifting + 1 : 0;
    if (drifting <= most_drifting) return false;
    stop_at(next);
    return true;
  }

  void follow(PathPoint at) {
    origin_ = at;
    Stride stride{0.5 * options_.longest_step, 0.5 * options_.longest_step};
    std::size_t seen = result_.events.size();
    int drifting = 0;
    while (static_cast<int>(result_.points.size()) < options_.points && !stopped()) {
      PathPoint next;
      const int before = system_.newton_steps();
      bool corner = false;
      if (!try_step(at, stride.step, next, corner)) {
        stride.step *= 0.5;
        if (stride.step >= least_stride) continue;
        if (!options_.through || !turn_back(at, next)) return stop_at(at);
        at = next;
        stride.step = 0.5 * stride.wide;
        seen = result_.events.size();
        continue;
      }
      const int needed = system_.newton_steps() - before;
      bool last = end_between(at, next, stride.step);
      if (!look_between(at, next, last ? std::min(stride.step, ahead(system_, at, next)) : stride.step)) return;
      if (result_.events.size() > seen && result_.events.back().followed) {
        if (!leave(next)) return;
        last = false;
        stride = {first_branch_step, first_branch_step};
        origin_ = next;
      }
      seen = result_.events.size();
      result_.points.push_back(next);
      if (options_.progress) options_.progress(static_cast<long>(result_.points.size()), next.p);
      if (ends(at, next, last, drifting)) return;
      at = next;
      fit_again(at);
      stride.adapt(corner, needed, options_.longest_step);
    }
    if (stopped())
      result_.reason = "interrupted";
    else
      end_with("did not reach its end within {} points: it is at {:.6g} of {}", result_.points.size(),
               result_.points.back().p, whole(options_.kind));
  }

  // Why the path ends: "the load path ...".
  template <typename... Args>
  void end_with(fmt::format_string<Args...> text, Args&&... args) {
    result_.reason = fmt::format("the {} {}", path_name(options_.kind), fmt::format(text, std::forward<Args>(args)...));
  }

  // Where the step leads over the end of the path, `next` goes back to it.
  bool end_between(const PathPoint& at, PathPoint& next, double step) {
    if (direction() * (next.p - options_.to) < 0.0 || direction() * (at.p - options_.to) >= 0.0) return false;
    const double part = (options_.to - at.p) / (next.p - at.p);
    PathPoint end;
    const bool met = system_.at_parameter(options_.to, at.x + part * (next.x - at.x), &at, end) &&
                     is_smooth(system_, at, end, ahead(system_, at, end));
    next = met ? end : find_end(system_, at, next, step, options_.to);
    return true;
  }

  void tell(PathEvent& event, const PathPoint& at) {
    event.at = at;
    const FurthestMove move = furthest_move(at.motion);
    event.node = move.node;
    event.along = move.along;
    result_.events.push_back(event);
  }

  // What happens between two points; false if the path ends there.
  bool look_between(const PathPoint& a, const PathPoint& b, double step) {
    // A part that lost its hold as p came to 0 drifts, and the growth of p there is rounding.
    const bool lost = b.unstable > a.unstable, adrift = lost && is_none(b) && !is_none(a);
    const bool turns = p_turns(a, b) && !adrift;
    if (!turns && a.unstable == b.unstable) return true;
    PathEvent event = event_between(system_, a, b, step, turns);
    // Where stiffness is low, rounding puts a step between the two signs of a limit point: report it once.
    const bool half = event.kind == PathEventKind::limit && event.cables.empty() && turns == (a.unstable == b.unstable);
    if (half && half_ >= 0.0 && event.at.arc - half_ <= 2.0 * (b.arc - a.arc)) return half_ = -1.0, true;
    half_ = half ? event.at.arc : -1.0;
    // A change in the first step belongs to the start: no event on the way.
    const bool none = is_none(event.at), drifts = none && adrift;
    if (none && !lost) return true;
    if (none && is_none(a)) return stop_at(a), false;
    if (drifts) event.at.p = 0.0;
    event.followed =
        !drifts && options_.branch != 0 && event.kind == PathEventKind::bifurcation && event.lost && !has_left();
    tell(event, PathPoint(event.at));
    if (event.followed) return true;
    if (!drifts && (options_.through || !(event.lost || turns || event.kind == PathEventKind::limit))) return true;
    result_.points.push_back(event.at);
    end_with("ends at {}", event_text(model_, event, options_.kind));
    return false;
  }

  // From the bifurcation that was found last to a point on the path that branches off; false if none is met.
  bool leave(PathPoint& next) {
    PathPoint from = result_.events.back().at;
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

  void stop_at(const PathPoint& last) {
    // A mechanism that drifts at p = 0 has not left the start.
    const bool drifts = is_none(last);
    const PathPoint at = drifts ? result_.points.front() : last;
    PathEvent event;
    event.kind = PathEventKind::slack;
    event.at = at;
    event.cables = switching(at);
    if (!event.cables.empty() && !drifts) {
      result_.events.push_back(event);
      return end_with("ends at {}, and no equilibrium is near beyond it", event_text(model_, event, options_.kind));
    }
    end_with("cannot be followed beyond {:.6g} of {}: {}", at.p, whole(options_.kind), obstacle(at));
  }

  std::vector<int> switching(const PathPoint& at) {
    double largest = 0.0;
    for (const PathPoint& before : result_.points) largest = std::max(largest, before.tension);
    return about_to_switch(system_, at, largest);
  }

  // Where a cable switches the path may turn back at once.
  bool turn_back(const PathPoint& at, PathPoint& next) {
    PathEvent event;
    event.cables = switching(at);
    if (event.cables.empty() || !find_beyond_corner(system_, at, event.cables, next)) return false;
    std::erase_if(event.cables, [&](int i) { return at.slack[i] == next.slack[i]; });
    event.kind = p_turns(at, next) ? PathEventKind::limit : PathEventKind::slack;
    event.lost = next.unstable > at.unstable;
    event.motions = std::max(1, std::abs(next.unstable - at.unstable));
    tell(event, at);
    result_.points.push_back(next);
    return true;
  }

  // Why Newton's method gets no further from here.
  std::string obstacle(const PathPoint& at) {
    system_.set(at.p);
    const double most = stiffness_bound(system_.statics(), system_.statics().net_force(at.x));
    const FurthestMove move = furthest_move(at.motion);
    if (move.node >= 0 && !(std::abs(at.stiffness) > 1e-9 * most))
      return fmt::format("there nothing resists a motion, node \"{}\" along {}, and {} pushes along it",
                         model_.nodes[move.node].name, direction_text(move.along),
                         options_.kind == PathKind::rest_lengths ? "the change of rest lengths" : whole(options_.kind));
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
  double half_ = -1.0;  // arc of a limit point of which one sign was seen, and the other is due
  PathPoint origin_;    // of the path, or of the branch that it took
};

}  // namespace

PathResult follow_path(const Model& model, const PathOptions& options) {
  if (options.kind == PathKind::loads && std::none_of(model.loads.begin(), model.loads.end(), [](const Load& load) {
        return load.from <= 0.0 && load.to > 0.0 && load.force != Vec3::Zero();
      }))
    throw InputError("path: no load acts at t = 0: expected [[loads]], or a path of weight or of rest lengths");
  if (options.kind == PathKind::weight && model.gravity == Vec3::Zero())
    throw InputError("path: there is no gravity: expected environment.gravity, or a path of loads or of rest lengths");
  if (options.kind == PathKind::rest_lengths && options.rest_lengths.empty())
    throw InputError("path: no rest length is to change: expected --rest-length CABLES=L");
  if (has_joints(model)) return follow_machine_path(model, options);
  return Path(model, options).run();
}

}  // namespace taut
