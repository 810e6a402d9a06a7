// A scalar as a function of time: what an actuator imposes.
//
//   constant  value
//   step      before, then after from t = at on
//   ramp      from -> to between start and end by the quintic s(x) = 6x⁵ - 15x⁴ + 10x³
//   cosine    from -> to between start and end by ½ (1 - cos πx): its second rate jumps at both ends
//   sine      mean + amplitude s(t/ramp) sin(2π t/period + phase); ramp = 0: s = 1
//   table     linear between rows (t, value), constant outside
//   hermite   cubic between (t, value, slope), constant outside
#pragma once

#include <vector>

namespace taut {

enum class SignalKind { constant, step, ramp, cosine, sine, table, hermite };

struct Signal {
  SignalKind kind = SignalKind::constant;
  double value = 0.0;                                                         // constant
  double before = 0.0, after = 0.0, at = 0.0;                                 // step
  double from = 0.0, to = 0.0, start = 0.0, end = 0.0;                        // ramp, cosine
  double mean = 0.0, amplitude = 0.0, period = 1.0, phase = 0.0, ramp = 0.0;  // sine
  std::vector<double> times{}, values{}, slopes{};                            // table, hermite

  bool operator==(const Signal&) const = default;
};

double value(const Signal& signal, double t);
double rate(const Signal& signal, double t);  // from the right where it jumps
double second_rate(const Signal& signal, double t);

// Times > 0 where the value or its rate jumps (an integrator restarts there); with `second`, its second rate too.
std::vector<double> breakpoints(const Signal& signal, bool second = false);

// The same course with another value at t = 0.
Signal shifted(const Signal& signal, double value_at_start);

const char* name(SignalKind kind);

}  // namespace taut
