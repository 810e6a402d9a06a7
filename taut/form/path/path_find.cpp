#include "taut/form/path/path_find.h"

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

constexpr double edge = 1e-4;  // of the largest tension or of its length: a cable about to switch

// The last digits of the point where the stiffness is 0, by secants; counting stops short of them.
PathPoint to_zero(PathSystem& system, const PathPoint& a, PathPoint best, double s, double step) {
  double last_s = s - 1e-2 * step;
  PathPoint last;
  if (!system.advance(a, last_s, last)) return best;
  for (int pass = 0; pass < 6; ++pass) {
    const double slope = (best.stiffness - last.stiffness) / (s - last_s);
    const double next_s = s - best.stiffness / slope;
    PathPoint next;
    if (!std::isfinite(next_s) || std::abs(next_s - s) > 1e-2 * step || !system.advance(a, next_s, next)) break;
    if (!(std::abs(next.stiffness) < std::abs(best.stiffness))) break;
    last = best, last_s = s;
    best = next, s = next_s;
  }
  return best;
}

// Directions in which the path may go on at a corner, each in both senses: its tangent with all of these cables
// switched, with one of them, and a turn in p or in the motion alone. A cable is not where the tangent supposes it in
// the sense that leads back.
std::vector<PathPoint> ways_beyond(PathSystem& system, const PathPoint& at, const std::vector<int>& switching) {
  std::vector<std::vector<int>> sets = {switching};
  for (std::size_t k = 0; switching.size() > 1 && k < switching.size(); ++k) sets.push_back({switching[k]});
  std::vector<PathPoint> ways;
  PathPoint way;
  for (const std::vector<int>& switched : sets)
    if (system.tangent_beyond(at, switched, way)) ways.push_back(way);
  way = at;
  way.slope *= -1.0;
  ways.push_back(way);
  for (std::size_t k = ways.size(); k-- > 0;) {
    way = ways[k];
    way.tangent *= -1.0;
    way.slope *= -1.0;
    ways.insert(ways.begin() + static_cast<long>(k) + 1, way);
  }
  return ways;
}

}  // namespace

PathPoint find_end(PathSystem& system, const PathPoint& a, const PathPoint& b, double step, double to) {
  double low = 0.0, high = step;
  PathPoint best = b;
  for (int pass = 0; pass < 60 && high - low > 1e-15 * step; ++pass) {
    PathPoint middle;
    if (!system.advance(a, 0.5 * (low + high), middle)) break;
    if (std::abs(middle.p - to) <= std::abs(best.p - to)) best = middle;
    ((middle.p < to) == (a.p < to) ? low : high) = 0.5 * (low + high);
  }
  return best;
}

PathPoint find_turn(PathSystem& system, const PathPoint& a, const PathPoint& b, double step,
                    std::vector<int>& switched) {
  double low = 0.0, high = step, at_low = a.slope, at_high = b.slope;
  PathPoint best = a, left = a, right = b;
  for (int pass = 0; pass < 100 && high - low > 1e-13 * step; ++pass) {
    const double s = pass % 2 == 1 ? 0.5 * (low + high) : (low * at_high - high * at_low) / (at_high - at_low);
    PathPoint middle;
    if (!system.advance(a, s, middle)) break;
    if (pass == 0 || std::abs(middle.slope) < std::abs(best.slope)) best = middle;
    if (std::abs(middle.slope) < 1e-13 * system.scale()) break;
    if ((middle.slope > 0.0) == (a.slope > 0.0))
      low = s, at_low = middle.slope, at_high *= 0.5, left = middle;
    else
      high = s, at_high = middle.slope, at_low *= 0.5, right = middle;
  }
  if (std::abs(best.slope) < 1e-6 * (std::abs(a.slope) + std::abs(b.slope))) return best;
  for (std::size_t i = 0; i < left.slack.size(); ++i)
    if (left.slack[i] != right.slack[i]) switched.push_back(static_cast<int>(i));
  return switched.empty() ? best : left;
}

PathPoint find_change(PathSystem& system, const PathPoint& a, const PathPoint& b, double step,
                      std::vector<int>& switched) {
  double low = 0.0, high = step;
  PathPoint left = a, right = b;
  for (int pass = 0; pass < 60 && high - low > 1e-11 * step; ++pass) {
    // The stiffness falls through 0 in between, unless a cable switches.
    const double x = left.stiffness, y = right.stiffness;
    const bool secant = x * y < 0.0 && pass % 3 != 2;
    const double s =
        secant ? std::clamp((low * y - high * x) / (y - x), low + 1e-3 * (high - low), high - 1e-3 * (high - low))
               : 0.5 * (low + high);
    PathPoint middle;
    if (!system.advance(a, s, middle)) break;
    if (middle.unstable == a.unstable)
      low = s, left = middle;
    else
      high = s, right = middle;
  }
  // Where nothing is left to hold the nodes the stiffness is 0 from there on; the last taut moment is before it.
  const bool fades = b.unstable > a.unstable && b.stiffness >= -1e-9 * std::abs(a.stiffness);
  const std::vector<char>& slack = fades ? b.slack : right.slack;
  for (std::size_t i = 0; i < left.slack.size(); ++i)
    if (left.slack[i] != slack[i]) switched.push_back(static_cast<int>(i));
  const double least = std::min(std::abs(a.stiffness), std::abs(b.stiffness));
  const bool jumps = std::abs(left.stiffness - right.stiffness) > 1e-3 * least;
  if (!switched.empty() && (fades || jumps)) return left;
  switched.clear();
  const bool nearer = std::abs(left.stiffness) < std::abs(right.stiffness);
  return to_zero(system, a, nearer ? left : right, nearer ? low : high, step);
}

std::vector<int> about_to_switch(PathSystem& system, const PathPoint& at, double largest) {
  system.set(at.p);
  system.statics().net_force(at.x);
  const Cables& cables = system.statics().cables();
  const CableTerms& terms = system.statics().cable_terms();
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(at.slack.size()); ++i) {
    const int slot = cables.slot_of_cable(i);
    const double tension = terms.tension[slot], length = terms.length[slot], rest = terms.rest[slot];
    if (!at.slack[i] ? tension < edge * largest : length > (1.0 - edge) * rest) found.push_back(i);
  }
  return found;
}

bool switches_back(PathSystem& system, const PathPoint& a, const PathPoint& b) {
  const std::vector<double> grows = system.stretching(b);
  for (std::size_t i = 0; i < grows.size(); ++i)
    if (a.slack[i] != b.slack[i] && (b.slack[i] ? grows[i] : -grows[i]) > 1e-6 * system.reach()) return true;
  return false;
}

bool find_beyond_corner(PathSystem& system, const PathPoint& at, const std::vector<int>& switching, PathPoint& next) {
  for (const PathPoint& from : ways_beyond(system, at, switching))
    for (const double s : {1e-5, 1e-4, 1e-3}) {
      if (!system.advance(from, s, next) || next.slack == at.slack) continue;
      // A part that nothing holds there drifts: that is no path.
      if (!(std::abs(next.stiffness) > 1e-9 * std::abs(at.stiffness))) continue;
      bool known = true;
      for (int i = 0; i < static_cast<int>(at.slack.size()); ++i)
        known &= at.slack[i] == next.slack[i] || std::find(switching.begin(), switching.end(), i) != switching.end();
      const Eigen::VectorXd moved = system.pick(next.x - at.x);
      const double grown = next.p - at.p;
      if (!known || system.product(moved, grown, moved, grown) > 100.0 * s * s) continue;
      // Away from the corner.
      if (system.product(moved, grown, next.tangent, next.slope) < 0.0) next.tangent *= -1.0, next.slope *= -1.0;
      return true;
    }
  return false;
}

}  // namespace taut
