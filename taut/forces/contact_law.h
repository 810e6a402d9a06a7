// How a contact presses back, from its depth d (m, positive inside) and the rate ḋ (m/s):
//
//   linear         N = max(0, k d + c r ḋ) while d > 0, else 0
//   smooth         N = max(0, k s(d) + c s'(d) ḋ), s = (d + √(d² + β²))/2           (Berkeley chapter, 3.31-3.32)
//   hunt_crossley  N = max(0, k dⁿ (1 + c ḋ)) while d > 0, else 0
//   exponential    N = max(0, k ℓ (exp(d/ℓ) - 1) + c r ḋ) while d > 0, else 0       (Berkeley chapter, 3.12)
//
// r(d) = 3u² - 2u³ with u = d/β, 1 from d = β on: the damping sets in over the depth β, so that the force does not jump
// at touch-down. N is never negative: nothing is pulled. The energy is U = ∫ N_elastic dd from d = 0; what damping
// and clipping take, (N - N_elastic) ḋ, is never negative either.
//
// Friction along a surface with sliding velocity v: -μ N g(|v|/v_s) v/|v|, g(s) = 2s - s² up to s = 1, then 1. It is
// Coulomb's law for |v| ≥ v_s; a load below μ N makes a contact creep slower than the slip speed v_s, and never faster.
#pragma once

#include <cmath>

#include "taut/model/environment.h"
#include "taut/model/laws/cable_law.h"

namespace taut {

struct ContactLaw {
  PressKind kind = PressKind::linear;
  double stiffness = 0.0, damping = 0.0, beta = 0.0, exponent = 1.0, length = 1.0;
};

inline ContactLaw contact_law(const Ground& g) { return {g.law, g.stiffness, g.damping, g.beta, g.exponent, 1.0}; }
inline ContactLaw contact_law(const Collision& c) { return {c.law, c.stiffness, c.damping, c.beta, 1.0, c.length}; }

// Nothing happens at depths of 0 and less, except under the smooth law, which acts at any distance.
inline bool reaches_out(const ContactLaw& law) { return law.kind == PressKind::smooth; }

// Share of the damping at this depth, and its slope: r, or s' of the smooth law.
inline double onset(const ContactLaw& law, double d) {
  if (law.kind == PressKind::smooth) return softstep(d, law.beta);
  if (d <= 0.0) return 0.0;
  const double u = d < law.beta ? d / law.beta : 1.0;
  return u * u * (3.0 - 2.0 * u);
}

inline double onset_slope(const ContactLaw& law, double d) {
  if (law.kind == PressKind::smooth) {
    const double w = d * d + law.beta * law.beta;
    return 0.5 * law.beta * law.beta / (w * std::sqrt(w));
  }
  if (d <= 0.0 || d >= law.beta) return 0.0;
  const double u = d / law.beta;
  return 6.0 * u * (1.0 - u) / law.beta;
}

// (d + √(d² + β²))/2 without cancellation far outside.
inline double soft_depth(double d, double beta) {
  const double root = std::sqrt(d * d + beta * beta);
  return d > 0.0 ? 0.5 * (d + root) : 0.5 * beta * beta / (root - d);
}

// Elastic part and its slope.
struct Elastic {
  double force = 0.0, slope = 0.0;
};

inline Elastic elastic_press(const ContactLaw& law, double d) {
  const double k = law.stiffness;
  if (law.kind == PressKind::smooth) return {k * soft_depth(d, law.beta), k * softstep(d, law.beta)};
  if (!(d > 0.0)) return {};
  if (law.kind == PressKind::hunt_crossley) {
    const double slope = k * (law.exponent == 1.5 ? std::sqrt(d) : std::pow(d, law.exponent - 1.0));
    return {slope * d, law.exponent * slope};
  }
  if (law.kind == PressKind::exponential) {
    const double grown = std::expm1(d / law.length);
    return {k * law.length * grown, k * (grown + 1.0)};
  }
  return {k * d, k};
}

inline double contact_energy(const ContactLaw& law, double d) {
  const double k = law.stiffness;
  if (law.kind == PressKind::smooth)
    return 0.5 * k * (d * soft_depth(d, law.beta) + 0.5 * law.beta * law.beta * std::asinh(d / law.beta));
  if (!(d > 0.0)) return 0.0;
  if (law.kind == PressKind::hunt_crossley) return k * std::pow(d, law.exponent + 1.0) / (law.exponent + 1.0);
  if (law.kind == PressKind::exponential) return k * law.length * (law.length * std::expm1(d / law.length) - d);
  return 0.5 * k * d * d;
}

// The whole law with its derivatives.
struct Press {
  double force = 0.0, elastic = 0.0;
  double by_depth = 0.0, by_rate = 0.0;  // 0 while it is clipped
};

inline Press press(const ContactLaw& law, double d, double d_rate) {
  const Elastic e = elastic_press(law, d);
  Press p;
  p.elastic = e.force;
  if (law.kind == PressKind::hunt_crossley) {
    const double factor = 1.0 + law.damping * d_rate;
    if (!(factor > 0.0)) return p;
    p.force = e.force * factor;
    p.by_depth = e.slope * factor;
    p.by_rate = e.force * law.damping;
    return p;
  }
  const double c = law.damping * onset(law, d), force = e.force + c * d_rate;
  if (!(force > 0.0)) return p;
  p.force = force;
  p.by_depth = e.slope + law.damping * onset_slope(law, d) * d_rate;
  p.by_rate = c;
  return p;
}

// Friction per unit of normal force and sliding velocity, μ g(s)/|v|, and its slope by |v| over |v|.
struct Slip {
  double factor = 0.0, slope_over_speed = 0.0;
};

inline Slip slip(double friction, double slip_speed, double speed) {
  if (speed < slip_speed) {
    const double per = friction / slip_speed;
    // The slope -per/slip_speed, over a speed that may be 0: where it is, nothing is multiplied by it but 0.
    return {per * (2.0 - speed / slip_speed), speed > 0.0 ? -per / (slip_speed * speed) : 0.0};
  }
  return {friction / speed, -friction / (speed * speed * speed)};
}

}  // namespace taut
