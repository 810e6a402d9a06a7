#include "taut/analysis/form_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/find_equilibrium.h"
#include "taut/analysis/form_members.h"
#include "taut/analysis/form_path_find.h"
#include "taut/analysis/relax.h"
#include "taut/analysis/softest_motion.h"
#include "taut/base/error.h"

namespace taut {

namespace {

constexpr double least_step = 1e-7;
constexpr double most_scale = 1e3;    // of the p that moves nodes by a member length, as far as it can be told at first
constexpr double corner_step = 1e-5;  // short enough to say that a switch of a cable turns the path at once
constexpr double edge = 1e-4;         // of the largest tension or of its length: a cable about to switch

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
    // An end far beyond what bends the structure is no measure of p.
    const double own = most_scale * system_.length() * std::abs(at.slope) / std::max(at.tangent.norm(), 1e-300);
    if (at.unstable == 0 && own < system_.scale() && own > 0.0) {
      system_.set_scale(own);
      if (!system_.at_parameter(0.0, Eigen::VectorXd(at.x), nullptr, at)) return false;
    }
    if (direction() < 0.0) at.tangent *= -1.0, at.slope *= -1.0;
    result_.points.push_back(at);
    return true;
  }

  void follow(PathPlace at) {
    origin_ = at;
    double step = 0.5 * options_.longest_step;
    std::size_t seen = result_.events.size();
    while (static_cast<int>(result_.points.size()) < options_.points && !stopped()) {
      PathPlace next;
      const int before = system_.newton_steps();
      const bool good =
          system_.advance(at, step, next) && (turns_little(at, next) || (step < corner_step && at.slack != next.slack));
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
        last = system_.at_parameter(options_.to, at.x + part * (next.x - at.x), &at, end) && turns_little(at, end);
        next = last ? end : find_end(system_, at, next, step, options_.to);
        last = true;
      }
      if (!look_between(at, next, last ? std::min(step, next.arc - at.arc) : step)) return;
      if (result_.events.size() > seen && result_.events.back().followed) {
        if (!leave(next)) return;
        last = false;
        step = 0.5 * options_.longest_step;
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
      at = next;
      if (needed <= 3) step = std::min(1.5 * step, options_.longest_step);
      if (needed > 6) step *= 0.5;
    }
    result_.reason = stopped() ? "interrupted"
                               : fmt::format("the {} did not reach its end within {} points: it is at {:.6g} of {}",
                                             path_name(options_.kind), result_.points.size(), result_.points.back().p,
                                             whole(options_.kind));
  }

  // Of two directions of the path, (dx, dp) on the unknowns.
  double product(const Eigen::VectorXd& x, double p, const Eigen::VectorXd& y, double q) const {
    const double scale = system_.scale(), length = system_.length();
    return x.dot(y) / (length * length) + p * q / (scale * scale);
  }

  bool turns_little(const PathPlace& a, const PathPlace& b) const {
    return a.tangent.size() == b.tangent.size() && product(a.tangent, a.slope, b.tangent, b.slope) > 0.9;
  }

  // The step from a to b runs through the place where the path began, the same way.
  bool closes(const PathPlace& a, const PathPlace& b) {
    const double step = b.arc - a.arc;
    if (a.arc - origin_.arc < 5.0 * options_.longest_step || !turns_little(a, origin_)) return false;
    const std::vector<int>& unknowns = system_.statics().unknowns();
    Eigen::VectorXd off(static_cast<long>(unknowns.size()));
    for (long i = 0; i < off.size(); ++i) off[i] = origin_.x[unknowns[i]] - a.x[unknowns[i]];
    const double p = origin_.p - a.p, ahead = product(off, p, a.tangent, a.slope);
    const double aside = product(off, p, off, p) - ahead * ahead;
    return ahead >= 0.0 && ahead <= step && aside <= 0.01 * step * step;
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
    if (event.kind == PathEventKind::limit) {
      event.at = find_turn(system_, a, b, step, event.cables);
    } else {
      event.at = find_change(system_, a, b, step, event.cables);
      if (!event.cables.empty()) event.kind = PathEventKind::slack;
    }
    // What changes with the first step is how it began, not an event on the way.
    if (std::abs(event.at.p) < 1e-9 * system_.scale()) {
      if (event.lost) stop_at(a);
      return !event.lost;
    }
    const FurthestMove move = furthest_move(event.at.motion);
    event.node = move.node;
    event.along = move.along;
    event.followed = options_.branch != 0 && event.kind == PathEventKind::bifurcation && event.lost && !has_left();
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
    const bool drifts = std::abs(last.p) < 1e-9 * system_.scale();
    const PathPlace at = drifts ? result_.points.front() : last;
    PathEvent event;
    event.kind = PathEventKind::slack;
    event.at = at;
    event.cables = about_to_switch(at);
    if (!event.cables.empty() && !drifts) {
      result_.events.push_back(event);
      result_.reason = fmt::format("the {} ends at {}, and no equilibrium is near beyond it", path_name(options_.kind),
                                   event_text(model_, event, options_.kind));
      return;
    }
    result_.reason = fmt::format("the {} cannot be followed beyond {:.6g} of {}: {}", path_name(options_.kind), at.p,
                                 whole(options_.kind), obstacle(at));
  }

  // Cables that are all but slack, or all but taut.
  std::vector<int> about_to_switch(const PathPlace& at) {
    system_.set(at.p);
    system_.statics().net_force(at.x);
    const Cables& cables = system_.statics().cables();
    const CableTerms& terms = system_.statics().cable_terms();
    double largest = 0.0;
    for (int s = 0; s < cables.slots(); ++s) largest = std::max(largest, terms.tension[s]);
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(model_.cables.size()); ++i) {
      const int slot = cables.slot_of_cable(i);
      const double tension = terms.tension[slot], length = terms.length[slot], rest = terms.rest[slot];
      if (!at.slack[i] ? tension < edge * largest : length > (1.0 - edge) * rest) found.push_back(i);
    }
    return found;
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
  PathPlace origin_;  // of the path, or of the branch that it took
};

}  // namespace

const char* name(PathEventKind kind) {
  return kind == PathEventKind::limit ? "limit point" : kind == PathEventKind::bifurcation ? "bifurcation" : "slack";
}

std::string event_text(const Model& model, const PathEvent& event, PathKind kind) {
  const std::string node = event.node >= 0 ? model.nodes[event.node].name : "?";
  const std::string where = fmt::format("at {:.6g} of {}", event.at.p, whole(kind));
  if (event.kind == PathEventKind::limit)
    return fmt::format("a limit point {}: there {}the structure snaps, node \"{}\" foremost", where,
                       event.cables.empty() ? "" : list_names(model, event.cables) + " switches and ", node);
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
