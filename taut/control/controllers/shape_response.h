// Where the centre of mass goes when rest lengths change slowly, to first order.
//
// The nodes of the base are held, the others move in balance. With g_j = ∂l_j/∂x of each cable, k_j its stiffness, T_j
// its tension, and the lengths of rigid bars kept by G δx = 0:
//
//   [K Gᵀ; G 0] (δx, δλ) = (Σ_j k_j g_j δL_j, 0),     K = Σ_j (k_j g_j g_jᵀ + T_j ∂g_j/∂x)
//
// so that one solution of [K Gᵀ; G 0] (a, ·) = (c, 0) gives how far c·δx goes with every rest length: k_j g_j·a.
// Cables count as taut, with a least tension of a hundredth of k_j l_j: a slack one can be wound in too. What the
// forces in the bars add to K is left out; it can turn K indefinite, and a direction is all that is asked for.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "taut/model/model.h"

namespace taut {

class ShapeResponse {
 public:
  explicit ShapeResponse(const Model& model);  // the model must outlive this

  // ∂(Σ_i weight_i direction·x_i)/∂L_j for every cable, at nodes x (stride 4) with rest lengths `rest` (per cable).
  // All 0 where the matrix is singular: a shape that falls apart has no response.
  const std::vector<double>& along(const Vec3& direction, const std::vector<double>& weight, std::span<const int> base,
                                   const double* x, const double* rest);

 private:
  const Model& model_;
  int bars_ = 0;  // rigid
  Eigen::MatrixXd matrix_;
  Eigen::MatrixXd gradient_;  // a column for each cable
  Eigen::VectorXd right_;
  std::vector<double> stiffness_, response_;
};

}  // namespace taut
