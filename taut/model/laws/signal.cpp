#include "taut/model/laws/signal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/base/text/enum_name.h"

namespace taut {

namespace {

// s(x) = 6x⁵ - 15x⁴ + 10x³ between 0 and 1, constant outside, and its derivative.
double smooth_step(double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  return x * x * x * (10.0 + x * (6.0 * x - 15.0));
}

double smooth_step_rate(double x) {
  if (x <= 0.0 || x >= 1.0) return 0.0;
  const double y = x * (1.0 - x);
  return 30.0 * y * y;
}

double smooth_step_second(double x) {
  if (x <= 0.0 || x >= 1.0) return 0.0;
  return 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x);
}

// The row i with times[i] <= t < times[i + 1]; the caller has seen that t lies inside.
size_t row_of(const Signal& s, double t) {
  return static_cast<size_t>(std::upper_bound(s.times.begin(), s.times.end(), t) - s.times.begin()) - 1;
}

double row_slope(const Signal& s, size_t i) { return (s.values[i + 1] - s.values[i]) / (s.times[i + 1] - s.times[i]); }

// Cubic with values p, q and slopes u, w (per s) at the ends of [t0, t0 + h]; x in [0, 1].
double hermite_value(const Signal& s, size_t i, double t) {
  const double h = s.times[i + 1] - s.times[i], x = (t - s.times[i]) / h;
  const double rise = s.values[i + 1] - s.values[i], u = h * s.slopes[i], w = h * s.slopes[i + 1];
  return s.values[i] + x * (u + x * ((3.0 * rise - 2.0 * u - w) + x * (u + w - 2.0 * rise)));
}

double hermite_rate(const Signal& s, size_t i, double t) {
  const double h = s.times[i + 1] - s.times[i], x = (t - s.times[i]) / h;
  const double rise = s.values[i + 1] - s.values[i], u = h * s.slopes[i], w = h * s.slopes[i + 1];
  return (u + x * (2.0 * (3.0 * rise - 2.0 * u - w) + 3.0 * x * (u + w - 2.0 * rise))) / h;
}

double hermite_second(const Signal& s, size_t i, double t) {
  const double h = s.times[i + 1] - s.times[i], x = (t - s.times[i]) / h;
  const double rise = s.values[i + 1] - s.values[i], u = h * s.slopes[i], w = h * s.slopes[i + 1];
  return (2.0 * (3.0 * rise - 2.0 * u - w) + 6.0 * x * (u + w - 2.0 * rise)) / (h * h);
}

}  // namespace

double value(const Signal& s, double t) {
  switch (s.kind) {
    case SignalKind::constant:
      return s.value;
    case SignalKind::step:
      return t < s.at ? s.before : s.after;
    case SignalKind::ramp:
      return s.from + (s.to - s.from) * smooth_step((t - s.start) / (s.end - s.start));
    case SignalKind::cosine: {
      const double x = std::clamp((t - s.start) / (s.end - s.start), 0.0, 1.0);
      return s.from + 0.5 * (s.to - s.from) * (1.0 - std::cos(std::numbers::pi * x));
    }
    case SignalKind::sine: {
      const double rise = s.ramp > 0.0 ? smooth_step(t / s.ramp) : 1.0;
      return s.mean + s.amplitude * rise * std::sin(2.0 * std::numbers::pi * t / s.period + s.phase);
    }
    case SignalKind::table:
    case SignalKind::hermite: {
      if (t <= s.times.front()) return s.values.front();
      if (t >= s.times.back()) return s.values.back();
      const size_t i = row_of(s, t);
      return s.kind == SignalKind::table ? s.values[i] + row_slope(s, i) * (t - s.times[i]) : hermite_value(s, i, t);
    }
  }
  return std::nan("");
}

double rate(const Signal& s, double t) {
  switch (s.kind) {
    case SignalKind::constant:
    case SignalKind::step:
      return 0.0;
    case SignalKind::ramp: {
      const double span = s.end - s.start;
      return (s.to - s.from) * smooth_step_rate((t - s.start) / span) / span;
    }
    case SignalKind::cosine: {
      const double x = (t - s.start) / (s.end - s.start), omega = std::numbers::pi / (s.end - s.start);
      return x < 0.0 || x >= 1.0 ? 0.0 : 0.5 * (s.to - s.from) * omega * std::sin(std::numbers::pi * x);
    }
    case SignalKind::sine: {
      const double omega = 2.0 * std::numbers::pi / s.period, angle = omega * t + s.phase;
      const double rise = s.ramp > 0.0 ? smooth_step(t / s.ramp) : 1.0;
      const double rise_rate = s.ramp > 0.0 ? smooth_step_rate(t / s.ramp) / s.ramp : 0.0;
      return s.amplitude * (rise * omega * std::cos(angle) + rise_rate * std::sin(angle));
    }
    case SignalKind::table:
    case SignalKind::hermite: {
      if (t < s.times.front() || t >= s.times.back()) return 0.0;
      const size_t i = row_of(s, t);
      return s.kind == SignalKind::table ? row_slope(s, i) : hermite_rate(s, i, t);
    }
  }
  return std::nan("");
}

double second_rate(const Signal& s, double t) {
  switch (s.kind) {
    case SignalKind::constant:
    case SignalKind::step:
    case SignalKind::table:
      return 0.0;
    case SignalKind::ramp: {
      const double span = s.end - s.start;
      return (s.to - s.from) * smooth_step_second((t - s.start) / span) / (span * span);
    }
    case SignalKind::cosine: {
      const double x = (t - s.start) / (s.end - s.start), omega = std::numbers::pi / (s.end - s.start);
      return x < 0.0 || x >= 1.0 ? 0.0 : 0.5 * (s.to - s.from) * omega * omega * std::cos(std::numbers::pi * x);
    }
    case SignalKind::sine: {
      const double omega = 2.0 * std::numbers::pi / s.period, angle = omega * t + s.phase;
      const double x = s.ramp > 0.0 ? t / s.ramp : 1.0, per = s.ramp > 0.0 ? 1.0 / s.ramp : 0.0;
      return s.amplitude * ((smooth_step_second(x) * per * per - smooth_step(x) * omega * omega) * std::sin(angle) +
                            2.0 * smooth_step_rate(x) * per * omega * std::cos(angle));
    }
    case SignalKind::hermite: {
      if (t < s.times.front() || t >= s.times.back()) return 0.0;
      return hermite_second(s, row_of(s, t), t);
    }
  }
  return std::nan("");
}

std::vector<double> breakpoints(const Signal& s, bool second) {
  std::vector<double> times;
  const auto add = [&times](double t) {
    if (t > 0.0) times.push_back(t);
  };
  switch (s.kind) {
    case SignalKind::constant:
    case SignalKind::ramp:
    case SignalKind::sine:
      break;
    case SignalKind::cosine:
      if (second && s.from != s.to) {
        add(s.start);
        add(s.end);
      }
      break;
    case SignalKind::step:
      if (s.before != s.after) add(s.at);
      break;
    case SignalKind::table: {
      // Every row where the slope changes; outside the table it is 0.
      double before = 0.0;
      for (size_t i = 0; i < s.times.size(); ++i) {
        const double after = i + 1 < s.times.size() ? row_slope(s, i) : 0.0;
        if (after != before) add(s.times[i]);
        before = after;
      }
      break;
    }
    case SignalKind::hermite:
      // The rate is continuous inside and falls to 0 outside; the second rate jumps from piece to piece.
      if (s.times.size() < 2) break;
      if (second) {
        for (double t : s.times) add(t);
        break;
      }
      if (s.slopes.front() != 0.0) add(s.times.front());
      if (s.slopes.back() != 0.0) add(s.times.back());
      break;
  }
  return times;
}

Signal shifted(const Signal& signal, double value_at_start) {
  Signal moved = signal;
  const double by = value_at_start - value(signal, 0.0);
  const auto move = [&](auto&... levels) { ((levels += by), ...); };
  switch (signal.kind) {
    case SignalKind::constant:
      move(moved.value);
      break;
    case SignalKind::step:
      move(moved.before, moved.after);
      break;
    case SignalKind::ramp:
    case SignalKind::cosine:
      move(moved.from, moved.to);
      break;
    case SignalKind::sine:
      move(moved.mean);
      break;
    case SignalKind::table:
    case SignalKind::hermite:
      break;
  }
  for (double& level : moved.values) level += by;
  return moved;
}

const char* name(SignalKind kind) {
  return enum_name<SignalKind::hermite>(kind, {"constant", "step", "ramp", "cosine", "sine", "table", "hermite"});
}

}  // namespace taut
