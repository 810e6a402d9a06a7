// What the past of a cable leaves in the state: a rest length under command, and when a member yielded first.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

// A rest length as a controller or a command sets it, from `since` on: L0 = from + rate (t - since), constant from
// `until` on.
struct Winch {
  int cable = 0;
  double from = 0.0, rate = 0.0, since = 0.0;              // m, m/s, s
  double until = std::numeric_limits<double>::infinity();  // s

  double rest_length(double t) const { return from + rate * (std::min(t, until) - since); }
  double rate_at(double t) const { return t < until ? rate : 0.0; }
};

// From t on towards a rest length, m, to be there after `period`, s, but no faster than `fastest`, m/s. Returns whether
// it is too slow for that.
inline bool wind(Winch& winch, double t, double to, double period,
                 double fastest = std::numeric_limits<double>::infinity()) {
  const double now = winch.rest_length(t), rate = (to - now) / period;
  winch = {winch.cable, now, std::clamp(rate, -fastest, fastest), t};
  return std::abs(rate) > fastest * (1.0 + 1e-12);
}

// A member's slot among the cables (forces/cables.h), and when it first kept some of its elongation.
struct FirstYield {
  double time = 0.0;  // s
  int slot = -1;      // -1: nothing has yielded so far
};

}  // namespace taut
