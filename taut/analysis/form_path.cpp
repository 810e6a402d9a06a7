#include "taut/analysis/form_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/find_equilibrium.h"
#include "taut/analysis/form_members.h"
#include "taut/analysis/relax.h"
#include "taut/analysis/softest_motion.h"
#include "taut/base/error.h"

namespace taut {

namespace {

constexpr double least_step = 1e-7;

const char* whole(PathKind kind) {
  return kind == PathKind::loads ? "the load" : kind == PathKind::weight ? "the weight" : "the way";
}
const char* path_name(PathKind kind) {
  return kind == PathKind::loads ? "load path" : kind == PathKind::weight ? "weight path" : "rest-length path";
}

class Path {
 public:
  Path(const Model& model, const PathOptions& options)
      : model_(model),
        options_(options),
        system_(model, options.kind, options.rest_lengths, options.to != 0.0 ? std::abs(options.to) : 1.0) {}

  PathResult run() {
    PathPlace at;
    if (begin(at)) follow(at);
    result_.newton_steps += system_.newton_steps();
    if (!result_.points.empty()) result_.model = system_.model_at(model_, result_.points.back());
    return std::move(result_);
  }

 private:
  double direction() const { return options_.to < 0.0 ? -1.0 : 1.0; }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }

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
      result_.note = "the start was not in balance: it was let go first";
      system_.set(0.0);
      found.x = positions(relaxed.model);
    }
    if (!system_.at_parameter(0.0, found.x, nullptr, at)) {
      result_.reason = "the equilibrium at the beginning has no definite stiffness: a path cannot leave it";
      return false;
    }
    if (direction() < 0.0) at.tangent *= -1.0, at.slope *= -1.0;
    result_.points.push_back(at);
    return true;
  }

  void follow(PathPlace at) {
    double step = 0.5 * options_.longest_step;
    std::size_t seen = result_.events.size();
    while (static_cast<int>(result_.points.size()) < options_.points && !stopped()) {
      PathPlace next;
      const int before = system_.newton_steps();
      const bool good = system_.advance(at, step, next) && turns_little(at, next);
      if (!good || (several(at, next) && step > 1e-3 * options_.longest_step)) {
        step *= 0.5;
        if (step < least_step) {
          stop_at(at);
          return;
        }
        continue;
      }
      const int needed = system_.newton_steps() - before;
      bool last = false;
      // Over the end: back to it.
      if (direction() * (next.p - options_.to) >= 0.0 && direction() * (at.p - options_.to) < 0.0) {
        const double part = (options_.to - at.p) / (next.p - at.p);
        PathPlace end;
        if (system_.at_parameter(options_.to, at.x + part * (next.x - at.x), &at, end) && turns_little(at, end))
          next = end, last = true;
      }
      if (!look_between(at, next, last ? std::min(step, next.arc - at.arc) : step)) return;
      if (result_.events.size() > seen && result_.events.back().followed) {
        if (!leave(next)) return;
        last = false;
        step = 0.5 * options_.longest_step;
      }
      seen = result_.events.size();
      result_.points.push_back(next);
      if (options_.progress) options_.progress(static_cast<long>(result_.points.size()), next.p);
      if (last) {
        result_.complete = true;
        return;
      }
      at = next;
      if (needed <= 3) step = std::min(1.5 * step, options_.longest_step);
      if (needed > 6) step *= 0.5;
    }
    result_.reason = stopped() ? "interrupted"
                               : fmt::format("the {} did not reach its end within {} points: it is at {:.6g} of {}",
                                             path_name(options_.kind), result_.points.size(), result_.points.back().p,
                                             whole(options_.kind));
  }

  bool turns_little(const PathPlace& a, const PathPlace& b) const {
    if (a.tangent.size() != b.tangent.size()) return false;
    const double scale = options_.to != 0.0 ? std::abs(options_.to) : 1.0, length = system_.length();
    return a.tangent.dot(b.tangent) / (length * length) + a.slope * b.slope / (scale * scale) > 0.9;
  }

  bool turned(const PathPlace& a, const PathPlace& b) const { return (a.slope > 0.0) != (b.slope > 0.0); }

  // More than one thing happens between two places.
  bool several(const PathPlace& a, const PathPlace& b) const {
    const int change = std::abs(a.unstable - b.unstable);
    return change > 1 || (turned(a, b) && change != 1);
  }

  // What happens between two places; false if the path ends there.
  bool look_between(const PathPlace& a, const PathPlace& b, double step) {
    if (!turned(a, b) && a.unstable == b.unstable) return true;
    PathEvent event;
    event.kind = turned(a, b) ? PathEventKind::limit : PathEventKind::bifurcation;
    event.motions = std::max(1, std::abs(a.unstable - b.unstable));
    event.lost = b.unstable > a.unstable;
    event.at = event.kind == PathEventKind::limit ? find_turn(a, b, step) : find_change(a, b, step, event);
    // What changes with the first step is how it began, not an event on the way.
    if (std::abs(event.at.p) < 1e-9 * std::abs(options_.to)) {
      if (event.lost) stop_at(a);
      return !event.lost;
    }
    const FurthestMove move = furthest_move(event.at.motion);
    event.node = move.node;
    event.along = move.along;
    const bool left =
        std::any_of(result_.events.begin(), result_.events.end(), [](const auto& e) { return e.followed; });
    event.followed = options_.branch != 0 && event.kind == PathEventKind::bifurcation && event.lost && !left;
    result_.events.push_back(event);
    if (event.followed) return true;
    if (options_.through || !(event.lost || event.kind == PathEventKind::limit)) return true;
    result_.points.push_back(event.at);
    result_.reason =
        fmt::format("the {} ends at {}", path_name(options_.kind), event_text(model_, event, options_.kind));
    return false;
  }

  // From the bifurcation that was found last to a place on the path that branches off; false if none is met.
  bool leave(PathPlace& next) {
    PathPlace from = result_.events.back().at;
    result_.points.push_back(from);
    Eigen::VectorXd motion(static_cast<long>(system_.statics().unknowns().size()));
    for (long i = 0; i < motion.size(); ++i) motion[i] = from.motion[system_.statics().unknowns()[i]];
    from.tangent = options_.branch * system_.length() / motion.norm() * motion;
    from.slope = 0.0;
    for (double s = options_.longest_step; s > 1e-4 * options_.longest_step; s *= 0.5) {
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
    const bool drifts = std::abs(last.p) < 1e-9 * std::abs(options_.to);
    const PathPlace at = drifts ? result_.points.front() : last;
    result_.reason = fmt::format("the {} cannot be followed beyond {:.6g} of {}: {}", path_name(options_.kind), at.p,
                                 whole(options_.kind), obstacle(at));
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

  // dp/ds = 0 between two places, by false position (Illinois).
  PathPlace find_turn(const PathPlace& a, const PathPlace& b, double step) {
    double low = 0.0, high = step, at_low = a.slope, at_high = b.slope;
    PathPlace best = a;
    for (int pass = 0; pass < 60 && high - low > 1e-13 * step; ++pass) {
      const double s = pass % 8 == 7 ? 0.5 * (low + high) : (low * at_high - high * at_low) / (at_high - at_low);
      PathPlace middle;
      if (!system_.advance(a, s, middle)) break;
      if (pass == 0 || std::abs(middle.slope) < std::abs(best.slope)) best = middle;
      if (std::abs(middle.slope) < 1e-13 * std::abs(options_.to)) break;
      if ((middle.slope > 0.0) == (a.slope > 0.0))
        low = s, at_low = middle.slope, at_high *= 0.5;
      else
        high = s, at_high = middle.slope, at_low *= 0.5;
    }
    return best;
  }

  // Where the number of unstable directions changes.
  PathPlace find_change(const PathPlace& a, const PathPlace& b, double step, PathEvent& event) {
    double low = 0.0, high = step;
    PathPlace left = a, right = b;
    for (int pass = 0; pass < 60 && high - low > 1e-11 * step; ++pass) {
      // The stiffness falls through 0 in between, unless a cable switches.
      const double x = left.stiffness, y = right.stiffness;
      const bool secant = x * y < 0.0 && pass % 3 != 2;
      const double s =
          secant ? std::clamp((low * y - high * x) / (y - x), low + 1e-3 * (high - low), high - 1e-3 * (high - low))
                 : 0.5 * (low + high);
      PathPlace middle;
      if (!system_.advance(a, s, middle)) break;
      if (middle.unstable == a.unstable)
        low = s, left = middle;
      else
        high = s, right = middle;
    }
    // Where nothing is left to hold the nodes the stiffness is 0 from there on; the last taut moment is before it.
    const bool fades = event.lost && b.stiffness >= -1e-9 * std::abs(a.stiffness);
    const std::vector<char>& slack = fades ? b.slack : right.slack;
    for (std::size_t i = 0; i < left.slack.size(); ++i)
      if (left.slack[i] != slack[i]) event.cables.push_back(static_cast<int>(i));
    const double least = std::min(std::abs(a.stiffness), std::abs(b.stiffness));
    const bool jumps = std::abs(left.stiffness - right.stiffness) > 1e-3 * least;
    if (!event.cables.empty() && (fades || jumps)) {
      event.kind = PathEventKind::slack;
      return left;
    }
    event.cables.clear();
    return to_zero(a, std::abs(left.stiffness) < std::abs(right.stiffness) ? left : right, step);
  }

  // The last digits of the place where the stiffness is 0, by secants; counting stops short of them.
  PathPlace to_zero(const PathPlace& a, PathPlace best, double step) {
    double s = best.arc - a.arc, last_s = s - 1e-2 * step;
    PathPlace last;
    if (!system_.advance(a, last_s, last)) return best;
    for (int pass = 0; pass < 6; ++pass) {
      const double slope = (best.stiffness - last.stiffness) / (s - last_s);
      const double next_s = s - best.stiffness / slope;
      PathPlace next;
      if (!std::isfinite(next_s) || std::abs(next_s - s) > 1e-2 * step || !system_.advance(a, next_s, next)) break;
      if (!(std::abs(next.stiffness) < std::abs(best.stiffness))) break;
      last = best, last_s = s;
      best = next, s = next_s;
    }
    return best;
  }

  const Model& model_;
  const PathOptions& options_;
  PathSystem system_;
  PathResult result_;
};

}  // namespace

const char* name(PathEventKind kind) {
  return kind == PathEventKind::limit ? "limit point" : kind == PathEventKind::bifurcation ? "bifurcation" : "slack";
}

std::string event_text(const Model& model, const PathEvent& event, PathKind kind) {
  const std::string node = event.node >= 0 ? model.nodes[event.node].name : "?";
  const std::string where = fmt::format("at {:.6g} of {}", event.at.p, whole(kind));
  if (event.kind == PathEventKind::limit)
    return fmt::format("a limit point {}: there the structure snaps, node \"{}\" foremost", where, node);
  if (event.kind == PathEventKind::bifurcation)
    return fmt::format(
        "a bifurcation {}: {}{}, node \"{}\" along {}", where, event.lost ? "it buckles" : "it becomes stable again",
        event.motions > 1 ? fmt::format(" in {} ways at once", event.motions) : "", node, direction_text(event.along));
  return fmt::format("a switch of {} {}: stiffness is {} at once", list_names(model, event.cables), where,
                     event.lost ? "lost" : "gained");
}

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
