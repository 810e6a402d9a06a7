// Ticks of an axis at round numbers, and what is written beside them.
#pragma once

#include <string>
#include <vector>

namespace taut {

struct Axis {
  double low = 0.0, high = 1.0;     // of the axis
  std::vector<double> ticks;        // ascending, within
  std::vector<std::string> labels;  // of the ticks, in units of 10^exponent
  int exponent = 0;                 // a multiple of 3
};

// An axis about the numbers from `low` to `high` with about `count` ticks. `padded`: it reaches to 0 where that is
// near, else a little beyond the numbers; otherwise it ends where they end.
Axis make_axis(double low, double high, int count, bool padded);

// "10⁻³"
std::string power_of_ten(int exponent);

}  // namespace taut
