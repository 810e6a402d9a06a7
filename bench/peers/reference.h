// An integrator of its own for the common reference: it shares no code with taut's dynamics or with any peer.
//
// Each rod by its centre r and direction z (|z| = 1), J the transverse inertia, F = above·f_b − below·f_a:
//   m r̈ = f_a + f_b + m g,      z̈ = (F − z (z·F)/|z|²) / J − z |ż|²/|z|²
// (dividing by the present |z|², not by 1, keeps its rounding from growing under compression), with classical
// Runge–Kutta steps, halved until two runs agree.
#pragma once

#include <vector>

#include "taut/model/model.h"

namespace taut::bench {

struct Reference {
  std::vector<Vec3> nodes;     // at the end
  double uncertainty = 0.0;    // m, largest node distance between the last two runs: what is left is below it
  double least_tension = 0.0;  // N, over all cables and steps; positive when no cable ever slackens
  long steps = 0;
};

// Halves the step until the uncertainty is below `wanted` (m). Throws std::runtime_error if it never is.
Reference reference_motion(const Model& model, double duration, double wanted);

double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b);

}  // namespace taut::bench
