// Derivatives by a parameter p as differences of order 4: f'(p) ≈ Σ w_k f(p + o_k δ)/δ. Over both sides that is the
// central difference extrapolated once (Richardson 1911), (4 D(δ) - D(2δ))/3; over one side, for a number at the end of
// its range (friction 0), the five points 0 to 4.
//
// With δ = 1e-4 of the parameter the formula is off by δ⁴ p⁴ f⁽⁵⁾/30, which is below rounding, and rounding by
// 1.5 ε |f|/δ: twelve digits of what is differentiated. Only ever functions of one instant are: a right-hand side, a
// start state, a row; never a motion.
#pragma once

#include <array>
#include <vector>

namespace taut {

struct Stencil {
  std::vector<double> offset, weight;

  static Stencil both_sides() { return {{-2.0, -1.0, 1.0, 2.0}, {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}}; }
  // To one side, 1 or -1.
  static Stencil one_side(double side) {
    Stencil stencil{{0.0, 1.0, 2.0, 3.0, 4.0}, {-25.0 / 12, 4.0, -3.0, 4.0 / 3, -0.25}};
    for (double& o : stencil.offset) o *= side;
    for (double& w : stencil.weight) w *= side;
    return stencil;
  }
  std::size_t points() const { return offset.size(); }
};

}  // namespace taut
