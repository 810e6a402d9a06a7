// Friction of a cable that slides through the inner nodes of its path.
//
//   capstan   T₂/T₁ = exp(μ θ s),                           θ the angle by which the cable turns at the node
//   coulomb   T₂ - T₁ = μ s N,  N = (T₁ + T₂) sin(θ/2),      an eyelet with a small contact
//
// s = tanh(w/w₀) of the sliding speed w towards piece 2: friction grows over w₀, and a cable that should stick creeps.
#pragma once

namespace taut {

enum class SlidingKind { none, capstan, coulomb };

struct SlidingFriction {
  SlidingKind kind = SlidingKind::none;
  double coefficient = 0.0;  // μ
  double slip_speed = 1e-3;  // w₀, m/s

  bool operator==(const SlidingFriction&) const = default;
};

}  // namespace taut
