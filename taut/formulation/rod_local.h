// The motion of one rod linearised in its turning coordinates q (the first nq) and velocities w: what an implicit step and a
// linear model need. R = Tᵀg + h - W ẇ is the turning equation, ü = T ẇ + t the axis' second rate.
#pragma once

#include <Eigen/Core>

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

}  // namespace taut
