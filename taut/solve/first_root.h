// The first root of several functions of x on a bracket, and everything that is found on a bracket by its side.
//
//   low    none of the functions has crossed zero: all are above it
//   high   one at least has: it is below zero
//
// Each pass evaluates all functions between the ends and keeps the half with the first root, so that the bracket is
// right at every time, whatever the functions do inside. The next x is where the chord of the function that comes
// first falls to zero; next to an end that has just moved, twice as far, so that the other end follows. Three passes
// that have left more than an eighth of the bracket are followed by a bisection. The search ends where the bracket is
// no longer than the resolution of x, or where the least of the functions is as near to zero as it can be told from it
// (`stop`, in the function's own unit).
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace taut {

struct FirstRoot {
  double low = 0.0, high = 0.0, resolution = 0.0;
  std::vector<int> which;                         // the functions that take part; others are not looked at
  std::vector<double> at_low, at_high, at, stop;  // per function, of all

  void resize(std::size_t functions) {
    for (std::vector<double>* values : {&at_low, &at_high, &at, &stop}) values->assign(functions, 0.0);
    which.reserve(functions);
  }
};

namespace first_root_steps {

enum class Side { before, on, past };

inline Side side(const FirstRoot& s) {
  Side found = Side::before;
  for (int i : s.which) {
    if (s.at[i] < -s.stop[i]) return Side::past;
    if (s.at[i] <= s.stop[i]) found = Side::on;
  }
  return found;
}

// Where the first chord falls to zero, as a fraction of the bracket.
inline double first_chord(const FirstRoot& s) {
  double first = 1.0;
  for (int i : s.which)
    if (s.at_high[i] < 0.0)
      first = std::min(first, std::max(0.0, s.at_low[i]) / (std::max(0.0, s.at_low[i]) - s.at_high[i]));
  return first;
}

}  // namespace first_root_steps

// The root, tried at `guess` first. evaluate(x, values) fills the values of all functions at x and is called last with
// the x that is returned; s.at holds the values there. The functions that cross there are those with
// s.at[i] <= s.stop[i].
template <class Evaluate>
double first_root(FirstRoot& s, double guess, const Evaluate& evaluate) {
  using namespace first_root_steps;
  double x = guess, last = std::numeric_limits<double>::quiet_NaN(), length = s.high - s.low;
  for (int pass = 1; s.high - s.low > s.resolution; ++pass) {
    x = std::min(std::max(x, s.low + 0.5 * s.resolution), s.high - 0.5 * s.resolution);
    if (!(x > s.low && x < s.high)) break;  // no number lies between
    evaluate(x, s.at.data());
    last = x;
    const Side found = side(s);
    if (found == Side::on) return x;
    if (found == Side::past) {
      s.high = x;
      s.at_high.swap(s.at);
    } else {
      s.low = x;
      s.at_low.swap(s.at);
    }
    const double chord = first_chord(s), span = s.high - s.low;
    x = s.low + chord * span;
    if (found == Side::before && chord < 0.1) x = s.low + 2.0 * chord * span;
    if (found == Side::past && chord > 0.9) x = s.high - 2.0 * (1.0 - chord) * span;
    if (pass % 3 == 0) {
      if (span > 0.125 * length) x = s.low + 0.5 * span;
      length = span;
    }
  }
  if (last != s.high)
    evaluate(s.high, s.at.data());
  else
    s.at.swap(s.at_high);
  return s.high;
}

// Where `holds`, which holds at `high` and not at `low`, begins to, to the resolution: the side where it does, at
// which it was asked last.
template <class Holds>
double first_holding(double low, double high, double resolution, const Holds& holds) {
  double last = std::numeric_limits<double>::quiet_NaN();
  while (high - low > resolution) {
    last = 0.5 * (low + high);
    if (!(last > low && last < high)) break;
    (holds(last) ? high : low) = last;
  }
  if (last != high) holds(high);
  return high;
}

}  // namespace taut
