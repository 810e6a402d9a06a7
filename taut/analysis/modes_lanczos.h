// The lowest modes of a large structure: block Lanczos on (K + σM)⁻¹M along the constraints, with every vector kept and
// made orthogonal to all before it, so that equal frequencies (a free body's six zeros, those of symmetric shapes) come
// with their number. σ > 0 makes K + σM positive; it is chosen small beside the highest ω² wanted. In the end K itself
// is taken on the space that was found, and how many modes there are below the last is counted by inertia.
#pragma once

#include "taut/analysis/modes_matrices.h"

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
