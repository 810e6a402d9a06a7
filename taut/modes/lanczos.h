// The lowest modes of a large structure, by block Lanczos (solve/spectrum.h) on (K + σM)⁻¹M along the constraints. σ > 0
// makes K + σM positive; it is chosen small beside the highest ω² wanted. In the end K itself is taken on the space that
// was found, and the modes below the last are counted by inertia, so that none is missing.
#pragma once

#include "taut/modes/matrices.h"

namespace taut {

struct LowestModes {
  int freedoms = 0;
  Eigen::VectorXd square;  // ω², ascending
  Eigen::MatrixXd shapes;  // on the unknowns, ΦᵀMΦ = 1; all of the space, the first `count` converged
  bool complete = false;   // converged, and none is missing below the last of them
  ShiftedFactor factor;    // of K + σM
  double shift = 0.0;      // σ
};

// Throws RunError when K + σM is positive for no σ (numbers that are not finite).
LowestModes lanczos_modes(const MotionMatrices& matrices, int count);

}  // namespace taut
