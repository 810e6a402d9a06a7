// The motion of one rod linearised in its turning coordinates q (the first nq) and velocities w: what an implicit step
// and a linear model need. R = Tᵀg + h - W ẇ is the turning equation, ü = T ẇ + t the axis' second rate.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>

#include "taut/base/types.h"
#include "taut/formulation/rods.h"

namespace taut {

template <int nq, int nv>
struct RodLocal {
  Eigen::Matrix<double, 3, nq> u_q, u_rate_q;  // ∂u/∂q, ∂u̇/∂q
  Eigen::Matrix<double, 3, nv> turn;           // T = ∂u̇/∂w
  Eigen::Matrix<double, 3, nq> u_second_q;     // ∂ü/∂q at fixed ẇ
  Eigen::Matrix<double, 3, nv> u_second_w;     // ∂ü/∂w
  Eigen::Matrix<double, nv, nq> force_q;       // ∂R/∂q at fixed g, ẇ
  Eigen::Matrix<double, nv, nv> force_w;       // ∂R/∂w
  Eigen::Matrix<double, nv, nv> inertia;       // W
  Eigen::Matrix<double, nq, nq> rate_q;        // ∂q̇/∂q
  Eigen::Matrix<double, nq, nv> rate_w;        // ∂q̇/∂w
};

// G M⁻¹ Gᵀ over the supports of one rod, row-major, from W and T; W⁻¹ Tᵀ comes along, for applying what is solved with
// it. Returns the number of rows.
template <int nv>
int support_matrix(const Rods& rods, const Rod& rod, const Eigen::Matrix<double, nv, nv>& W,
                   const Eigen::Matrix<double, 3, nv>& T, double* matrix, Eigen::Matrix<double, nv, 3>& turn_inverse) {
  turn_inverse = W.inverse() * T.transpose();
  const Eigen::Matrix3d by_turning = T * turn_inverse;
  const Support* const s = rods.supports.data() + rod.first_support;
  for (int i = 0; i < rod.supports; ++i)
    for (int j = 0; j < rod.supports; ++j)
      matrix[i * rod.supports + j] =
          (s[i].axis == s[j].axis ? 1.0 / rod.mass : 0.0) + s[i].side * s[j].side * by_turning(s[i].axis, s[j].axis);
  return rod.supports;
}

}  // namespace taut
