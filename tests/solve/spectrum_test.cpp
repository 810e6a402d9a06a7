// Eigenpairs by operators against closed forms: a ring of masses, whose eigenvalues are double, as in every symmetric
// structure.
#include "taut/solve/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taut/solve/dense.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// K = 2 - neighbours on a ring of n: λ_k = 2 - 2 cos(2πk/n), 0 once, the others twice.
MatrixXd ring(int n) {
  MatrixXd K = 2.0 * MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) K(i, (i + 1) % n) -= 1.0, K((i + 1) % n, i) -= 1.0;
  return K;
}
double exact(int n, int k) { return 2.0 - 2.0 * std::cos(2.0 * std::numbers::pi * ((k + 1) / 2) / n); }

MatrixXd inverse_of(const MatrixXd& K, double shift) {
  const MatrixXd one = MatrixXd::Identity(K.rows(), K.rows());
  return Lu(K + shift * one).solve(one);
}

EigenOperators operators(const MatrixXd& K, double shift) {
  const long n = K.rows();
  EigenOperators of{n, static_cast<int>(n), shift, {}, {}, {}};
  const MatrixXd inverse = inverse_of(K, shift);
  of.solve = [inverse](MatrixXd& X) { X = (inverse * X).eval(); };
  of.stiffness = [K](const MatrixXd& X) -> MatrixXd { return K * X; };
  return of;
}

TEST(Spectrum, FindsEveryCopyOfDoubleEigenvaluesAndZero) {
  const MatrixXd K = ring(60);
  for (const int count : {1, 4, 9, 60}) {
    const Eigenpairs found = lowest_eigenpairs(operators(K, 1e-9), count);
    ASSERT_TRUE(found.converged) << count;
    ASSERT_EQ(found.values.size(), count);
    // Rounding of K, whose largest eigenvalue is 4.
    for (int k = 0; k < count; ++k) EXPECT_NEAR(found.values[k], exact(60, k), 1e-13) << count << " " << k;
    EXPECT_LT((K * found.vectors - found.vectors * found.values.asDiagonal()).norm(), 1e-8);
    EXPECT_LT((found.vectors.transpose() * found.vectors - MatrixXd::Identity(count, count)).norm(), 1e-12);
  }
}

TEST(Spectrum, TakesAMassAndMotionsThatTheCallerTakesOut) {
  // Masses of 2, and the uniform motion, λ = 0, taken out: the lowest is then double, and half as high.
  const MatrixXd K = ring(30);
  EigenOperators of = operators(K, 1e-6);
  const MatrixXd inverse = inverse_of(K, 2e-6);
  of.freedoms = 29;
  of.mass = [](const MatrixXd& X) -> MatrixXd { return 2.0 * X; };
  of.solve = [inverse](MatrixXd& X) {
    X = (inverse * X).eval();
    X.rowwise() -= X.colwise().mean().eval();
  };
  const Eigenpairs found = lowest_eigenpairs(of, 2);
  ASSERT_TRUE(found.converged);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(found.values[k], 0.5 * exact(30, 1), 1e-13);
  EXPECT_LT(found.vectors.colwise().sum().norm(), 1e-10);
  EXPECT_NEAR(found.vectors.col(0).squaredNorm(), 0.5, 1e-12);
}

TEST(Spectrum, NearestIsNearestOnBothSidesAndLiesInTheStart) {
  // K - 0.1 is indefinite; the nearest to 0 is the pair k = 3, 4 (λ - 0.1 = 0.074) or k = 1, 2 (-0.056): the latter.
  const MatrixXd K = ring(30) - 0.1 * MatrixXd::Identity(30, 30);
  VectorXd wave(30);
  for (int i = 0; i < 30; ++i) wave[i] = std::cos(2.0 * std::numbers::pi * i / 30.0);
  const Eigenpairs found = nearest_eigenpair(operators(K, 0.0), wave + 0.3 * VectorXd::Unit(30, 0));
  ASSERT_TRUE(found.converged);
  EXPECT_NEAR(found.values[0], exact(30, 1) - 0.1, 1e-12);
  EXPECT_NEAR(std::abs(found.vectors.col(0).dot(wave.normalized())), 1.0, 1e-8);
}

}  // namespace
}  // namespace taut::testing
