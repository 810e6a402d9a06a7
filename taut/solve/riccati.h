// Optimal feedback for discrete-time linear systems x(k+1) = A x + B u, dense and small.
//
//   minimise Σ xᵀQ x + uᵀR u      u = -K x,   K = (R + BᵀX B)⁻¹ BᵀX A,   X = Q + AᵀX A - AᵀX B K
//
// X by structured doubling (Chu, Fan, Lin, Wang): with A₀ = A, G₀ = B R⁻¹Bᵀ, H₀ = Q and W = 1 + G H,
//   A ← A W⁻¹A,   G ← G + A W⁻¹G Aᵀ,   H ← H + AᵀH W⁻¹A,        H → X quadratically.
#pragma once

#include <Eigen/Core>

namespace taut {

struct Feedback {
  Eigen::MatrixXd K, X;
  double spectral_radius = 0.0;  // of A - B K: below 1 where it stabilises
  bool converged = false;
};

// R is positive definite, Q positive semi-definite. Every motion that Q sees must be stable or reachable by B, and
// every unstable one seen by Q; otherwise it does not converge, or its spectral radius says so.
Feedback optimal_feedback(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::MatrixXd& Q,
                          const Eigen::MatrixXd& R);

// What shows in y(k) = C x(k), x(k+1) = A x(k): an orthonormal basis V such that y depends on Vᵀx alone, whose motion
// is VᵀA V. From C Aᵏ, k at three paces; directions that show there by less than `tolerance` of the others are left
// out.
Eigen::MatrixXd observable_basis(const Eigen::MatrixXd& A, const Eigen::MatrixXd& C, double tolerance = 1e-9);

}  // namespace taut
