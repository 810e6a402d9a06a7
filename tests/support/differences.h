// Derivatives by differences.
#pragma once

#include <type_traits>

namespace taut::testing {

// df/ds at s = 0 by central differences of fourth order: h⁴ f⁽⁵⁾/30 off, and rounding over h.
template <class F>
auto derivative(F f, double h = 1e-3) {
  using Value = std::decay_t<decltype(f(0.0))>;
  return Value((8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h));
}

}  // namespace taut::testing
