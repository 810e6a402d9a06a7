#include "taut/form/path/path_judge.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/form/path/path_find.h"

namespace taut {

namespace {

constexpr double corner_step = 1e-5;  // short enough to say that a switch of a cable turns the path at once
constexpr double pushed = 0.01;       // cosine between φ and what p moves: above it p pushes along φ, a limit point
constexpr double not_pushed = 1e-5;   // below it p does not, where the path crosses another

bool turns_little(const PathSystem& system, const PathPoint& a, const PathPoint& b) {
  if (a.tangent.size() != b.tangent.size()) return false;
  const double cosine = system.product(a.tangent, a.slope, b.tangent, b.slope), reach = system.reach();
  if (!(cosine > 0.9 * std::sqrt(system.product(b.tangent, b.slope, b.tangent, b.slope)))) return false;
  // The motion alone, unless there is next to none: p may hide how it turns.
  const double x = a.tangent.norm(), y = b.tangent.norm();
  return std::min(x, y) < 0.1 * reach || a.tangent.dot(b.tangent) > 0.9 * x * y;
}

// How far b is from where the tangent at a pointed: all of it, and the motion alone.
std::pair<double, double> corrected(const PathSystem& system, const PathPoint& a, const PathPoint& b, double step) {
  const Eigen::VectorXd off = system.pick(b.x - a.x) - step * a.tangent;
  const double p = b.p - a.p - step * a.slope;
  return {std::sqrt(system.product(off, p, off, p)), off.norm()};
}

// p grows at both points and has fallen between them, or the other way round.
bool runs_against(const PathSystem& system, const PathPoint& a, const PathPoint& b) {
  const double grown = a.slope > 0.0 ? b.p - a.p : a.p - b.p;
  return !p_turns(a, b) && grown < -1e-9 * system.scale();
}

// p turns at a point on the way, where the stiffness is lost and regained at once: on a path that crosses another the
// motion is free there, but p does not push along it. At a limit point it does.
bool is_crossing(const PathPoint& a, const PathPoint& b, const PathPoint& turn) {
  return a.unstable == b.unstable && turn.push < not_pushed &&
         std::abs(turn.stiffness) < 1e-3 * std::max(std::abs(a.stiffness), std::abs(b.stiffness));
}

}  // namespace

double ahead(const PathSystem& system, const PathPoint& a, const PathPoint& b) {
  return system.product(a.tangent, a.slope, system.pick(b.x - a.x), b.p - a.p);
}

bool is_smooth(const PathSystem& system, const PathPoint& a, const PathPoint& b, double step) {
  const auto [all, motion] = corrected(system, a, b, step);
  return all <= 0.4 * step && motion <= step * (0.5 * a.tangent.norm() + 0.1 * system.reach()) &&
         turns_little(system, a, b);
}

bool is_corner(const PathSystem& system, const PathPoint& a, const PathPoint& b, double step) {
  return step < corner_step && a.slack != b.slack && corrected(system, a, b, step).first <= 10.0 * step;
}

bool turns_round(PathSystem& system, const PathPoint& a, const PathPoint& b, double step) {
  return step < corner_step && a.slack != b.slack && switches_back(system, a, b);
}

bool runs_through(const PathSystem& system, const PathPoint& a, const PathPoint& b, const PathPoint& origin) {
  if (!turns_little(system, a, origin)) return false;
  const Eigen::VectorXd off = system.pick(origin.x - a.x);
  const double p = origin.p - a.p, step = ahead(system, a, b), back = ahead(system, a, origin);
  const double aside = system.product(off, p, off, p) - back * back;
  return back >= 0.0 && back <= step && aside <= 0.01 * step * step;
}

bool p_turns(const PathPoint& a, const PathPoint& b) { return (a.slope > 0.0) != (b.slope > 0.0); }

bool several_events(PathSystem& system, const PathPoint& a, const PathPoint& b, double step) {
  const int change = std::abs(a.unstable - b.unstable);
  if (change > 1 || runs_against(system, a, b)) return true;
  std::vector<int> cables;
  if (change == 1) {
    if (p_turns(a, b)) return false;
    const PathPoint point = find_change(system, a, b, step, cables);
    // Stiffness is lost along what p pushes, and p does not turn, or it is lost where no path leads from one to the
    // other: a gap to a path nearby was stepped over.
    return (point.push > pushed && cables.empty()) || runs_against(system, a, point) || runs_against(system, point, b);
  }
  if (!p_turns(a, b)) return false;
  return !is_crossing(a, b, find_turn(system, a, b, step, cables)) && cables.empty();
}

PathEvent event_between(PathSystem& system, const PathPoint& a, const PathPoint& b, double step, bool turns) {
  PathEvent event;
  event.motions = std::max(1, std::abs(a.unstable - b.unstable));
  event.lost = b.unstable > a.unstable;
  event.at = (turns ? find_turn : find_change)(system, a, b, step, event.cables);
  event.crosses = turns && event.cables.empty() && is_crossing(a, b, event.at);
  const bool along = event.at.push > pushed && event.motions == 1;
  event.kind = event.crosses           ? PathEventKind::bifurcation
               : turns                 ? PathEventKind::limit
               : !event.cables.empty() ? PathEventKind::slack
               : along                 ? PathEventKind::limit
                                       : PathEventKind::bifurcation;
  return event;
}

}  // namespace taut
