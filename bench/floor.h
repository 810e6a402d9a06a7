// The floor under one right-hand side of the standard six-bar: the same arithmetic as a hand-written plain-double loop
// over C arrays with sizes known to the compiler. 24 linear tension-only cables with damping, 6 rigid rods by the
// closed-form multiplier:
//
//   T = max(0, k e + c ė) while e > 0;   b·(ẍ_b − ẍ_a) = −|ḃ|²  with the rod's mass matrix m/6·[2 1; 1 2]
#pragma once

#include "taut/model/model.h"

namespace taut::bench {

struct SixBarFloor {
  static constexpr int nodes = 12, cables = 24, bars = 6;

  int cable_a[cables], cable_b[cables], bar_a[bars], bar_b[bars];
  double stiffness[cables], damping[cables], rest_length[cables];
  double inverse_same[bars], inverse_other[bars];  // the 2×2 inverse of the mass matrix, 4/m and −2/m

  // Throws std::runtime_error unless the model is a six-bar of uniform rods and damped linear cables.
  explicit SixBarFloor(const Model& model);

  // Accelerations of the nodes from positions and velocities, three numbers per node.
  void rhs(const double* x, const double* v, double* acceleration) const;
};

}  // namespace taut::bench
