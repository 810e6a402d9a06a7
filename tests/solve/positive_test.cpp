// Dense positive definite systems: solutions leave no residual, and matrices that are not positive definite are recognised.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>

#include "taut/solve/positive_definite.h"

namespace taut {
namespace {

Eigen::MatrixXd random_matrix(int n, std::mt19937& random) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  return Eigen::MatrixXd::NullaryExpr(n, n, [&] { return entry(random); });
}

TEST(PositiveDefinite, SolvesWhatItFactorises) {
  std::mt19937 random(1);
  for (int n : {1, 2, 3, 10, 40}) {
    const Eigen::MatrixXd part = random_matrix(n, random);
    const Eigen::MatrixXd A = part * part.transpose() + Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd b = random_matrix(n, random).col(0);
    Eigen::MatrixXd factor = A;
    ASSERT_TRUE(factorise_positive(n, factor.data()));
    Eigen::VectorXd x = b;
    solve_positive(n, factor.data(), x.data());
    // Backward stable: the residual is rounding of A x.
    EXPECT_LE((A * x - b).norm(), 1e-13 * A.norm() * x.norm()) << n;
  }
}

// A matrix with one eigenvalue at -δ is refused, at +δ taken.
TEST(PositiveDefinite, TellsIndefiniteOnes) {
  std::mt19937 random(2);
  const int n = 12;
  for (double delta : {1e-3, 1e-8}) {
    Eigen::VectorXd u = random_matrix(n, random).col(0);
    u.normalize();
    const Eigen::MatrixXd plane = Eigen::MatrixXd::Identity(n, n) - u * u.transpose();
    Eigen::MatrixXd good = plane + delta * u * u.transpose(), bad = plane - delta * u * u.transpose();
    EXPECT_TRUE(factorise_positive(n, good.data())) << delta;
    EXPECT_FALSE(factorise_positive(n, bad.data())) << delta;
  }
  double not_a_number = std::nan("");
  EXPECT_FALSE(factorise_positive(1, &not_a_number));
}

}  // namespace
}  // namespace taut
