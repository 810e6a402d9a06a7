// Tensions along a cable that slides with friction through the inner nodes of its path. Pieces i = 1..n of length l_i,
// l = Σ l_i, w_i = l_i/l, W_k = Σ_{i≤k} w_i. T is what the cable's law says of e = l - L0, as without friction: the
// mean of the tensions T_i = ρ_i T along the cable.
//
//   sliding speed at inner node k, from piece k to piece k+1, when all of the cable is stretched alike and wound off or
//   on at the first node of the path (m/s):
//     l̇_i = w_i (l̇ - φ_0) + φ_{i-1} - φ_i,   φ_0 = l L̇0/L0,   φ_n = 0
//     φ_k = W_k l̇ - Σ_{i≤k} l̇_i + (1 - W_k) φ_0
//   ratio of the tensions beside it, with s_k = tanh(φ_k/w₀) and θ_k the angle by which the cable turns there:
//     capstan   T_{k+1}/T_k = exp(μ θ_k s_k)
//     coulomb   T_{k+1} - T_k = μ s_k N_k, N_k = (T_k + T_{k+1}) sin(θ_k/2), that is a ratio of exp(2 artanh(μ s sin
//     θ/2))
//   mean:  Σ w_i ρ_i = 1.  Pieces that strain by T_i/EA keep the elongation of the whole.
//
// Power: Σ T_i l̇_i = T l̇ + T (ρ_1 - 1) φ_0 + T Σ φ_k (ρ_{k+1} - ρ_k). The second part is what the winch does more than
// at the tension T; the last is lost in friction and never negative. Where the path closes, the cable is tied to the
// node.
#pragma once

#include <Eigen/Core>

#include "taut/model/laws/sliding_friction.h"

namespace taut {

// A cable at an instant.
struct SlidingCable {
  SlidingFriction friction;
  int pieces = 0;
  const double* direction = nullptr;        // per piece, stride 4: x_b - x_a
  const int *a = nullptr, *b = nullptr;     // nodes of each piece
  const double* node_velocities = nullptr;  // stride 4
  double reel = 0.0;                        // L̇0/L0, 1/s
};

// ρ_i per piece, and φ at the end of each piece (0 at the last). Returns Σ φ_k (ρ_{k+1} - ρ_k) ≥ 0, m/s. When nothing
// slides all ρ are 1 exactly.
double slide(const SlidingCable& cable, double* share, double* speed);

// ∂ln ρ_i / ∂(x_b - x_a)_j and / ∂(v_b - v_a)_j: pieces × 3 pieces. Where the cable runs straight over a node or turns
// back on itself its angle has no derivative, and none is taken.
struct SlidingTangent {
  Eigen::MatrixXd by_position, by_velocity;
};

SlidingTangent slide_tangent(const SlidingCable& cable, const double* share, const double* speed);

}  // namespace taut
