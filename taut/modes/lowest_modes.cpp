#include "taut/modes/lowest_modes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/base/error.h"
#include "taut/modes/lanczos.h"

namespace taut {

Modes lowest_modes(const Model& model, int count) {
  Modes modes;
  const MotionMatrices matrices = motion_matrices(model);
  if (matrices.unknowns() == 0) return modes;
  LowestModes lowest;
  try {
    lowest = lanczos_modes(matrices, count);
  } catch (const RunError&) {
    return modes;
  }
  const long found = std::min<long>(count, lowest.square.size());
  modes.square = lowest.square.head(found);
  modes.shapes = Eigen::MatrixXd::Zero(3 * static_cast<long>(model.nodes.size()), found);
  for (int i = 0; i < matrices.unknowns(); ++i)
    modes.shapes.row(matrices.coordinates[i]) = lowest.shapes.row(i).head(found);
  modes.converged = lowest.complete;
  return modes;
}

double frequency(double square) {
  return std::copysign(std::sqrt(std::abs(square)), square) / (2.0 * std::numbers::pi);
}

}  // namespace taut
