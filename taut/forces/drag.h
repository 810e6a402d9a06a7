// Viscous drag on bars (Savin et al. 2020): -d ċ on the centre of mass and -d_r ω on the rotation across the axis, as
// forces on the ends. With b = x_b - x_a and the centre at the fraction σ,
//
//   f_a = -(1-σ) d ċ + d_r ḃ/L²,   f_b = -σ d ċ - d_r ḃ/L²,   ċ = (1-σ) ẋ_a + σ ẋ_b,
//
// whose power is -d |ċ|² - d_r |ω|², since |ḃ| = L |ω|.
#pragma once

#include <vector>

#include "taut/model/model.h"

namespace taut {

class Drag {
 public:
  explicit Drag(const Model& model);

  bool any() const { return !bars_.empty(); }
  // Adds the forces to f (stride 4, as the velocities); returns the dissipated power.
  double apply(const double* v, double* f) const;

  // ∂f/∂ẋ: multiples of the unit matrix between the ends, (a,a), (a,b), (b,b).
  struct DraggedBar {
    int a, b;
    double aa, ab, bb;
  };
  const std::vector<DraggedBar>& bars() const { return bars_; }

 private:
  std::vector<DraggedBar> bars_;
};

}  // namespace taut
