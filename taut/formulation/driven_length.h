// The length of a rigid bar over time: L0 as drawn, or L(t) where an actuator drives it (Model::bar_drives). Such a bar
// telescopes, and all of it stretches alike: the point at the fraction ξ stays there, x(ξ) = x_a + ξ b, so that
//
//   the centre of mass stays at its fraction σ, the transverse inertia is J (L/L0)²,
//   the mass matrix of its ends is constant (nodal.h), with the kinetic energy ½ (J/L0²) L̇² of the stretching,
//   g = ½ (b·b - L²),   b·ḃ = L L̇,   b·b̈ = L̇² + L L̈ - ḃ·ḃ.
//
// Its drive has the power λ b·ḃ, which is minus its axial force times L̇.
#pragma once

#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct BarLength {
  double length = 0.0, rate = 0.0, second = 0.0;                          // L, L̇, L̈: m, m/s, m/s²
  double momentum() const { return length * rate; }                       // d/dt ½ L²
  double momentum_rate() const { return rate * rate + length * second; }  // d²/dt² ½ L²
};

// Per bar of the model, the number of its drive; -1: none. Empty where no rigid bar is driven.
std::vector<int> drives_of_rigid_bars(const Model& model);

// At t. Throws RunError when the length is not above 0.
BarLength driven_length(const Model& model, const BarDrive& drive, double t);

}  // namespace taut
