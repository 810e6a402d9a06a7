// The motion of one rod linearised in its turning coordinates q (the first nq) and velocities w: what an implicit step
// and a linear model need. R = F g + H g_s + h - W ẇ = 0 is the turning equation, with g from the forces on the ends and
// g_s from their supports; F = H = Tᵀ, except near the poles of the bounded chart. ü = T ẇ + t is the axis' second rate.
#pragma once

#include <Eigen/Core>

#include "taut/base/types.h"
#include "taut/formulation/rods/rods.h"

namespace taut {

template <int nq, int nv>
struct RodLocal {
  Eigen::Matrix<double, 3, nq> u_q, u_rate_q;  // ∂u/∂q, ∂u̇/∂q
  Eigen::Matrix<double, 3, nv> turn;           // T = ∂u̇/∂w
  Eigen::Matrix<double, 3, nq> u_second_q;     // ∂ü/∂q at fixed ẇ
  Eigen::Matrix<double, 3, nv> u_second_w;     // ∂ü/∂w
  Eigen::Matrix<double, nv, 3> force_map;      // F
  Eigen::Matrix<double, nv, 3> hold_map;       // H
  Eigen::Matrix<double, nv, nq> force_q;       // ∂R/∂q at fixed g, g_s, ẇ
  Eigen::Matrix<double, nv, nv> force_w;       // ∂R/∂w
  Eigen::Matrix<double, nv, nv> inertia;       // W
  Eigen::Matrix<double, nq, nq> rate_q;        // ∂q̇/∂q
  Eigen::Matrix<double, nq, nv> rate_w;        // ∂q̇/∂w
};

// G M⁻¹ Gᵀ over the supports of one rod, row-major, from T and W⁻¹ H. Returns the number of rows. (rod_formulation.cpp)
template <int nv>
int support_matrix(const Rods& rods, const Rod& rod, const Eigen::Matrix<double, 3, nv>& T,
                   const Eigen::Matrix<double, nv, 3>& turned_by, double* matrix);

}  // namespace taut
