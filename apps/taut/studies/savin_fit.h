// What Savin et al. (2020) do not print, from what they do: the turning points ψ* ≃ 45° and ψ** ≃ 57° of the side cables.
//
// ψ** is where the side strain neither rises nor falls at once. At rest the second derivative of a strain is
// A/m + B/J, A and B of the shape alone: ψ** fixes J/m, and nothing else does. ψ* depends on how far the prism has come
// when the run ends: where drag dominates, on duration/drag alone. So three numbers with two targets leave one free: for
// every duration there is a drag.
#pragma once

#include "apps/taut/studies/savin_prism.h"

namespace taut::reproduce {

// Inertia for the mass of the prism, kg m²; none: no positive one.
std::optional<double> inertia_for(const Prism& prism, double psi_degrees);

// The two readings of ψ*: above it the side strain is larger at the end than at the start, or the upper one has turned
// and falls at the end.
enum class Reading { side_above_start, upper_falls };

// Drag on centre and rotation (N s/m and N m s, the same number) with which ψ* is `psi_degrees` after `duration`; none:
// none between 2 and 50 times as many units as the duration has seconds, where drag dominates.
std::optional<double> drag_for(const Prism& prism, double psi_degrees, double duration, Reading reading);

}  // namespace taut::reproduce
