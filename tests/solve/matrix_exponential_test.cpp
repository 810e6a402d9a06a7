// e^A against closed forms: turns, decays, drift, and a matrix with all of them.
#include "taut/solve/matrix_exponential.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taut {
namespace {

using Eigen::MatrixXd;

// x'' = -ω² x over a time h: the phase is known to rounding times ωh, however many turns that are and however unlike
// the units of x and v make the entries.
TEST(MatrixExponential, AnOscillatorIsACosineAfterAnyTime) {
  for (const double omega : {1e-2, 10.0, 1e4})
    for (const double h : {1e-6, 1e-3, 1.0, 1e3, 1e6, 1e8}) {
      MatrixXd A(2, 2);
      A << 0.0, h, -omega * omega * h, 0.0;
      const MatrixXd P = matrix_exponential(A);
      // Each of up to 60 doublings rounds; 1e-15 per radian is a few of them.
      const double error = 1e-14 + 1e-15 * omega * h;
      EXPECT_NEAR(P(0, 0), std::cos(omega * h), error) << omega << " " << h;
      EXPECT_NEAR(P(1, 1), std::cos(omega * h), error) << omega << " " << h;
      EXPECT_NEAR(P(0, 1) * omega, std::sin(omega * h), error) << omega << " " << h;
    }
}

// x'' = -k (x - u) - d x': after long times nothing is left of the start, and x is at u.
TEST(MatrixExponential, ADecayComesToItsEnd) {
  for (const double h : {1.0, 1e3, 1e6, 1e9, 1e12}) {
    MatrixXd A(3, 3);
    A << 0.0, 1.0, 0.0, -1e8, -2000.0, 1e8, 0.0, 0.0, 0.0;
    const MatrixXd P = matrix_exponential(h * A);
    EXPECT_NEAR(P(0, 0), 0.0, 1e-12) << h;
    EXPECT_NEAR(P(0, 2), 1.0, 1e-12) << h;
    EXPECT_NEAR(P(1, 2), 0.0, 1e-8) << h;
  }
}

TEST(MatrixExponential, DriftAndGrowth) {
  MatrixXd drift(2, 2), growth(2, 2);
  drift << 0.0, 1e9, 0.0, 0.0;  // x' = v
  EXPECT_EQ(matrix_exponential(drift), (MatrixXd(2, 2) << 1.0, 1e9, 0.0, 1.0).finished());
  growth << 0.0, 3.0, 3.0, 0.0;
  const MatrixXd P = matrix_exponential(growth);
  EXPECT_NEAR(P(0, 0), std::cosh(3.0), 1e-14 * std::cosh(3.0));
  EXPECT_NEAR(P(0, 1), std::sinh(3.0), 1e-14 * std::cosh(3.0));
  EXPECT_FALSE(matrix_exponential(1e3 * growth).allFinite());  // e^3000
  EXPECT_EQ(matrix_exponential(MatrixXd(0, 0)).size(), 0);
}

}  // namespace
}  // namespace taut
