// Cubic Hermite splines: Lieskovský's matrix form against the weights multiplied out, its table, derivatives against
// differences, exactness for cubics, the ends, and reading from CSV.
#include "taut/model/laws/spline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "taut/base/error.h"

namespace taut {
namespace {

// Lieskovský's matrices: M_H (4.1.7), D (4.2.7), and the l-th derivative of ψ (4.2.4), 0 above the third.
Eigen::Matrix4d hermite_basis() {
  Eigen::Matrix4d m;
  m << 1, 0, -6, 12,  //
      0, 1, -4, 6,    //
      0, 0, 6, -12,   //
      0, 0, -2, 6;
  return m;
}

Eigen::Matrix4d hermite_scaling(double t0, double t1) {
  return Eigen::Vector4d(1.0, t1 - t0, 1.0, t1 - t0).asDiagonal();
}

Eigen::Vector4d hermite_polynomial(double t0, double t1, double t, int order) {
  Eigen::Vector4d psi = Eigen::Vector4d::Zero();
  const double h = t1 - t0, s = (t - t0) / h;
  double term = std::pow(h, -order);
  for (int k = order; k < 4; ++k) {
    psi[k] = term;
    term *= s / (k - order + 1);
  }
  return psi;
}

// Table 4.1 of Lieskovský (2022).
HermiteSpline table_4_1() {
  Eigen::MatrixXd points(2, 4);
  points << 0, 4, 0, 0,  //
      0, 0, 3, 0;
  return {{0.0, 2.0, 4.0, 6.0}, points, Eigen::MatrixXd::Zero(2, 4)};
}

HermiteSpline random_spline(int dimension, int knots, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> step(0.1, 2.0);
  std::vector<double> times{normal(random)};
  while (static_cast<int>(times.size()) < knots) times.push_back(times.back() + step(random));
  const auto matrix = [&] {
    return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(dimension, knots, [&] { return normal(random); }));
  };
  const Eigen::MatrixXd points = matrix(), rates = matrix();
  return {times, points, rates};
}

Eigen::VectorXd at(const HermiteSpline& spline, double t, int order = 0) {
  Eigen::VectorXd result;
  spline.evaluate(t, order, result);
  return result;
}

// (4.1.6): M_H is the inverse of what the basis gives at both ends; (4.2.6) with D for any two knots.
TEST(Spline, MatricesSatisfyTheirDefinition) {
  for (const auto& [t0, t1] : {std::pair(0.0, 1.0), std::pair(-1.5, 0.75), std::pair(3.0, 3.125)}) {
    Eigen::Matrix4d ends;
    ends << hermite_polynomial(t0, t1, t0, 0), hermite_polynomial(t0, t1, t0, 1), hermite_polynomial(t0, t1, t1, 0),
        hermite_polynomial(t0, t1, t1, 1);
    const Eigen::Matrix4d product = hermite_scaling(t0, t1) * hermite_basis() * ends;
    EXPECT_LT((product - Eigen::Matrix4d::Identity()).cwiseAbs().maxCoeff(), 1e-14);
  }
}

// C D M_H ψ equals the weights multiplied out, for every derivative; as printed in (4.3.2), C M_H D ψ, it does not.
TEST(Spline, MatrixFormEqualsDirectForm) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const HermiteSpline spline = random_spline(1 + trial % 4, 5, random);
    for (Eigen::Index i = 1; i < 5; ++i) {
      const double t0 = spline.times()[static_cast<std::size_t>(i) - 1],
                   t1 = spline.times()[static_cast<std::size_t>(i)];
      Eigen::MatrixXd C(spline.dimension(), 4);
      C << spline.points().col(i - 1), spline.rates().col(i - 1), spline.points().col(i), spline.rates().col(i);
      for (const double part : {0.0, 0.2, 0.5, 0.9}) {
        const double t = t0 + part * (t1 - t0);
        for (int order = 0; order <= 5; ++order) {
          const Eigen::VectorXd expected =
              C * hermite_scaling(t0, t1) * hermite_basis() * hermite_polynomial(t0, t1, t, order);
          const double size = 1.0 + expected.cwiseAbs().maxCoeff() + std::pow(t1 - t0, -order);
          EXPECT_LT((at(spline, t, order) - expected).cwiseAbs().maxCoeff(), 1e-13 * size) << "order " << order;
        }
      }
    }
  }
}

TEST(Spline, ReproducesTable41) {
  const HermiteSpline spline = table_4_1();
  // The table itself: values and rates at the knots.
  for (Eigen::Index i = 0; i < 4; ++i) {
    EXPECT_EQ(at(spline, 2.0 * static_cast<double>(i)), spline.points().col(i));
    EXPECT_EQ(at(spline, 2.0 * static_cast<double>(i), 1).norm(), 0.0);
  }
  // Half-way between points at rest: their mean, at 3/2 of the mean speed, without acceleration.
  EXPECT_LT((at(spline, 1.0) - Eigen::Vector2d(2.0, 0.0)).norm(), 1e-15);
  EXPECT_LT((at(spline, 1.0, 1) - Eigen::Vector2d(3.0, 0.0)).norm(), 1e-15);
  EXPECT_LT(at(spline, 1.0, 2).norm(), 1e-15);
  EXPECT_LT((at(spline, 3.0) - Eigen::Vector2d(2.0, 1.5)).norm(), 1e-15);
  // The order of (4.3.2) as printed would miss the second knot.
  Eigen::MatrixXd C(2, 4);
  C << 0, 0, 4, 0, 0, 0, 0, 0;
  const Eigen::Vector2d printed =
      C * hermite_basis() * hermite_scaling(0.0, 2.0) * hermite_polynomial(0.0, 2.0, 2.0, 0);
  EXPECT_NEAR(printed[0], -4.0, 1e-14);
}

// Each derivative is the difference quotient of the one below; value and rate go on through the knots.
TEST(Spline, DerivativesAreThoseOfTheValue) {
  std::mt19937 random(2);
  const HermiteSpline spline = random_spline(3, 6, random);
  const double h = 1e-4;
  for (std::size_t i = 1; i < 6; ++i) {
    const double t = 0.3 * spline.times()[i - 1] + 0.7 * spline.times()[i];
    for (int order = 1; order <= 3; ++order) {
      // Central differences of a cubic: wrong by h² P‴/6 at most, and by rounding 1e-16 / h.
      const Eigen::VectorXd difference = (at(spline, t + h, order - 1) - at(spline, t - h, order - 1)) / (2.0 * h);
      const double size = at(spline, t, 3).cwiseAbs().maxCoeff() + at(spline, t, order - 1).cwiseAbs().maxCoeff();
      EXPECT_LT((difference - at(spline, t, order)).cwiseAbs().maxCoeff(), 1e-8 * size);
    }
    EXPECT_EQ(at(spline, t, 4).norm(), 0.0);
    EXPECT_EQ(at(spline, t, 9).norm(), 0.0);
    const double knot = spline.times()[i], before = std::nextafter(knot, -1e9);
    EXPECT_LT((at(spline, before) - spline.points().col(static_cast<Eigen::Index>(i))).norm(), 1e-12);
    EXPECT_LT((at(spline, before, 1) - spline.rates().col(static_cast<Eigen::Index>(i))).norm(), 1e-12);
    EXPECT_EQ(at(spline, knot), spline.points().col(static_cast<Eigen::Index>(i)));
    EXPECT_EQ(at(spline, knot, 1), spline.rates().col(static_cast<Eigen::Index>(i)));
  }
}

// A cubic is its own spline, on any knots.
TEST(Spline, CubicsAreExact) {
  const auto value = [](double t) { return 2.0 - t + 0.5 * t * t - 0.25 * t * t * t; };
  const auto rate = [](double t) { return -1.0 + t - 0.75 * t * t; };
  const std::vector<double> times{-1.0, 0.2, 0.5, 2.0};
  Eigen::MatrixXd points(1, 4), rates(1, 4);
  for (Eigen::Index i = 0; i < 4; ++i) {
    points(0, i) = value(times[static_cast<std::size_t>(i)]);
    rates(0, i) = rate(times[static_cast<std::size_t>(i)]);
  }
  const HermiteSpline spline(times, points, rates);
  for (double t = -1.0; t <= 2.0; t += 0.01) {
    EXPECT_NEAR(at(spline, t)[0], value(t), 1e-14);
    EXPECT_NEAR(at(spline, t, 1)[0], rate(t), 1e-13);
    EXPECT_NEAR(at(spline, t, 2)[0], 1.0 - 1.5 * t, 1e-12);
    EXPECT_NEAR(at(spline, t, 3)[0], -1.5, 1e-11);
  }
}

TEST(Spline, RestsOutsideItsKnots) {
  std::mt19937 random(3);
  const HermiteSpline spline = random_spline(2, 3, random);
  for (const double t : {spline.start() - 1e-9, spline.start() - 5.0, -HUGE_VAL}) {
    EXPECT_EQ(at(spline, t), spline.points().col(0));
    EXPECT_EQ(at(spline, t, 1).norm() + at(spline, t, 2).norm() + at(spline, t, 3).norm(), 0.0);
    EXPECT_FALSE(spline.covers(t));
  }
  EXPECT_EQ(at(spline, spline.end() + 1.0), spline.points().col(2));
  EXPECT_EQ(at(spline, spline.end() + 1.0, 1).norm(), 0.0);
  EXPECT_EQ(at(spline, spline.end(), 1), spline.rates().col(2));
  EXPECT_TRUE(spline.covers(spline.start()) && spline.covers(spline.end()));
  EXPECT_TRUE(std::isnan(at(spline, NAN)[0]));
}

// The parabola through three points has this slope at the middle one, whatever the spacing; at the ends the path rests.
TEST(Spline, RestingRates) {
  const std::vector<double> times{0.0, 1.0, 1.5, 4.0};
  Eigen::MatrixXd points(1, 4);
  for (Eigen::Index i = 0; i < 4; ++i) points(0, i) = 3.0 * std::pow(times[static_cast<std::size_t>(i)], 2) - 1.0;
  const Eigen::MatrixXd rates = resting_rates(times, points);
  EXPECT_EQ(rates(0, 0), 0.0);
  EXPECT_NEAR(rates(0, 1), 6.0, 1e-14);
  EXPECT_NEAR(rates(0, 2), 9.0, 1e-14);
  EXPECT_EQ(rates(0, 3), 0.0);
}

TEST(Spline, ReadsCsv) {
  const HermiteSpline spline =
      parse_spline_csv("t,x,y,vx,vy\r\n0,0,0,0,0\r\n2, 4,0,0,0\n\n4,0,+3,0,0\n6,0,0,0,0", "path.csv");
  const HermiteSpline table = table_4_1();
  EXPECT_EQ(spline.times(), table.times());
  EXPECT_EQ(spline.points(), table.points());
  EXPECT_EQ(spline.rates(), table.rates());

  const HermiteSpline points = parse_spline_csv("0,1,2\n1,3,4\n2,5,6\n", "path.csv", 2);
  EXPECT_EQ(points.points().col(1), Eigen::Vector2d(3.0, 4.0));
  EXPECT_EQ(points.rates().col(1), Eigen::Vector2d(2.0, 2.0));
  EXPECT_EQ(points.rates().col(0), Eigen::Vector2d(0.0, 0.0));
}

TEST(Spline, BadInputNamesTheLine) {
  const auto problem = [](const char* text, int dimension = 0) -> std::string {
    try {
      parse_spline_csv(text, "path.csv", dimension);
    } catch (const InputError& error) {
      return to_string(error.problems().at(0));
    }
    return "nothing";
  };
  EXPECT_EQ(problem(""), "path.csv: has 0 rows of numbers, expected at least two");
  EXPECT_EQ(problem("t,x,v\n0,1,2\n"), "path.csv: has 1 rows of numbers, expected at least two");
  EXPECT_EQ(problem("t,x,v\n0,1,2\n1,1\n"), "path.csv:3:1: has 2 columns, expected 3");
  EXPECT_EQ(problem("0,1,2\n1,1,a\n"), "path.csv:2:1: column 3: expected a finite number, got \"a\"");
  EXPECT_EQ(problem("0,1,2\n1,nan,0\n"), "path.csv:2:1: column 2: expected a finite number, got \"nan\"");
  EXPECT_EQ(problem("0,1,2\n0,1,2\n"), "path.csv:2:1: time 0 does not come after 0");
  EXPECT_EQ(problem("0,1\n1,1\n"), "path.csv:1:1: has 2 columns, expected t, then as many rates as points");
  EXPECT_EQ(problem("0,1,2,3\n", 2), "path.csv:1:1: has 4 columns, expected t and 2 points, with or without 2 rates");
  EXPECT_THROW(HermiteSpline({0.0, -1.0, -2.0}, Eigen::MatrixXd::Zero(1, 3), Eigen::MatrixXd::Zero(1, 3)), InputError);
  EXPECT_THROW(HermiteSpline({0.0, 1.0, 2.0}, Eigen::MatrixXd::Zero(1, 3), Eigen::MatrixXd::Zero(2, 3)), InputError);
  EXPECT_THROW(HermiteSpline({0.0}, Eigen::MatrixXd::Zero(1, 1), Eigen::MatrixXd::Zero(1, 1)), InputError);
}

}  // namespace
}  // namespace taut
