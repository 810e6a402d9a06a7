// Riccati equations: closed forms, the cost that they stand for, and what cannot be stabilised.
#include "taut/solve/riccati.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Random& random, long rows, long columns) {
  MatrixXd m(rows, columns);
  for (long i = 0; i < m.size(); ++i) m.data()[i] = random.between(-1, 1);
  return m;
}

// x(k+1) = a x + b u: X is the positive root of b² X² + (r - a² r - q b²) X - q r = 0.
TEST(Riccati, OneStateInClosedForm) {
  for (const auto& [a, b, q, r] : {std::array{0.9, 0.5, 1.0, 2.0}, {1.0, 0.1, 3.0, 0.5}, {1.7, -2.0, 0.4, 7.0}}) {
    const MatrixXd one = MatrixXd::Ones(1, 1);
    const Feedback f = optimal_feedback(a * one, b * one, q * one, r * one);
    const double p = r - a * a * r - q * b * b, X = (-p + std::sqrt(p * p + 4 * b * b * q * r)) / (2 * b * b);
    EXPECT_TRUE(f.converged);
    EXPECT_NEAR(f.X(0, 0), X, 1e-12 * X);
    EXPECT_NEAR(f.K(0, 0), a * b * X / (r + b * b * X), 1e-12);
    EXPECT_NEAR(f.spectral_radius, std::abs(a - b * f.K(0, 0)), 1e-14);
  }
}

// A mass under a held force, position weighted: as the period goes to 0, K → [√(q/r), √(2 m √(q/r))], the gains of the
// continuous double integrator with q and r per unit of time.
TEST(Riccati, TheDoubleIntegrator) {
  const double m = 2.0, q = 9.0, r = 0.25;
  const VectorXd exact = Eigen::Vector2d(std::sqrt(q / r), std::sqrt(2 * m * std::sqrt(q / r)));
  double before = 0.0;
  for (const double T : {0.02, 0.01, 0.005}) {
    MatrixXd A(2, 2), B(2, 1), Q = MatrixXd::Zero(2, 2);
    A << 1, T, 0, 1;
    B << T * T / (2 * m), T / m;
    Q(0, 0) = q * T;
    const Feedback f = optimal_feedback(A, B, Q, MatrixXd::Constant(1, 1, r * T));
    ASSERT_TRUE(f.converged);
    EXPECT_LT(f.spectral_radius, 1.0);
    const double error = (f.K.transpose() - exact).norm();
    if (before > 0.0) {
      EXPECT_NEAR(before / error, 2.0, 0.1);
    }
    before = error;
  }
  EXPECT_LT(before, 0.05 * exact.norm());
}

// X solves its equation, and no other feedback costs less from any start: xᵀX x is the sum of a long run.
TEST(Riccati, RandomSystemsMeetTheirEquation) {
  Random random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const long n = 1 + random.below(12), m = 1 + random.below(3);
    const MatrixXd A = random_matrix(random, n, n) * random.between(0.2, 1.5), B = random_matrix(random, n, m),
                   C = random_matrix(random, 1 + random.below(3), n), Q = C.transpose() * C,
                   half = random_matrix(random, m, m), R = half * half.transpose() + MatrixXd::Identity(m, m);
    const Feedback f = optimal_feedback(A, B, Q, R);
    ASSERT_TRUE(f.converged);
    ASSERT_LT(f.spectral_radius, 1.0);
    const MatrixXd residual = Q + A.transpose() * f.X * A - A.transpose() * f.X * B * f.K - f.X;
    EXPECT_LT(residual.norm(), 1e-9 * (1 + f.X.norm()));
    VectorXd x = random_matrix(random, n, 1);
    const double expected = x.dot(f.X * x);
    double cost = 0.0;
    for (int k = 0; k < 20000 && x.norm() > 1e-9; ++k) {
      const VectorXd u = -f.K * x;
      cost += x.dot(Q * x) + u.dot(R * u);
      x = A * x + B * u;
    }
    EXPECT_NEAR(cost, expected, 1e-6 * expected + 1e-9);
  }
}

// Three oscillators of which the output shows two: the third is left out, and the quotient shows the same.
TEST(Riccati, WhatDoesNotShowIsLeftOut) {
  Random random(8);
  MatrixXd A = MatrixXd::Zero(6, 6), C = MatrixXd::Zero(1, 6);
  for (int i = 0; i < 3; ++i) A(2 * i, 2 * i + 1) = 1.0, A(2 * i + 1, 2 * i) = -(1.0 + i) * (1.0 + i);
  C(0, 0) = 1.0, C(0, 4) = 0.5;
  const MatrixXd T = Eigen::HouseholderQR<MatrixXd>(random_matrix(random, 6, 6)).householderQ();
  const MatrixXd At = T * A * T.transpose(), Ct = C * T.transpose();
  const MatrixXd V = observable_basis(At, Ct);
  ASSERT_EQ(V.cols(), 4);
  EXPECT_LT((V.transpose() * V - MatrixXd::Identity(4, 4)).norm(), 1e-12);
  MatrixXd power = MatrixXd::Identity(6, 6), small = MatrixXd::Identity(4, 4);
  const VectorXd x = random_matrix(random, 6, 1);
  for (int k = 0; k < 8; ++k) {
    EXPECT_NEAR((Ct * power * x)[0], (Ct * V * small * V.transpose() * x)[0], 1e-9);
    power = At * power, small = V.transpose() * At * V * small;
  }
  EXPECT_EQ(observable_basis(At, MatrixXd::Zero(1, 6)).cols(), 0);
}

// Grows and cannot be reached.
TEST(Riccati, WhatCannotBeStabilisedShows) {
  MatrixXd A = MatrixXd::Zero(2, 2), B(2, 1);
  A(0, 0) = 1.1, A(1, 1) = 0.5;
  B << 0, 1;
  const Feedback f = optimal_feedback(A, B, MatrixXd::Identity(2, 2), MatrixXd::Identity(1, 1));
  EXPECT_TRUE(!f.converged || f.spectral_radius > 1.0);
}

}  // namespace
}  // namespace taut::testing
