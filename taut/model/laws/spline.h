// Cubic Hermite splines of any dimension, uniform or not (Lieskovský 2022, chapter 4).
//
// Between knots t_{i-1} and t_i, with points P and rates Ṗ given at both, h = t_i − t_{i-1} and τ = (t − t_{i-1})/h:
//
//   P(t) = C D M_H ψ(t),   C = [P_{i-1} Ṗ_{i-1} P_i Ṗ_i],   D = diag(1, h, 1, h),   ψ_k = τ^k / k!,   k = 0 … 3
//
// (4.2.2); Lieskovský's (4.3.2) has M_H and D in the wrong order. Value and rate are continuous, the second derivative
// jumps at the knots: there it is that of the piece that begins, at the last knot that of the piece that ends.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Outside the knots the path rests: the nearest end point, all derivatives 0. (A rate that is not 0 at the ends jumps
// there; where that must not happen, ask covers first.)
class HermiteSpline {
 public:
  HermiteSpline() = default;

  // Knots strictly ascending, at least two; one column of points and rates for each. Throws InputError.
  HermiteSpline(std::vector<double> times, Eigen::MatrixXd points, Eigen::MatrixXd rates);

  int dimension() const { return static_cast<int>(points_.rows()); }
  double start() const { return times_.front(); }
  double end() const { return times_.back(); }
  bool covers(double t) const { return t >= start() && t <= end(); }
  const std::vector<double>& times() const { return times_; }
  const Eigen::MatrixXd& points() const { return points_; }
  const Eigen::MatrixXd& rates() const { return rates_; }

  // The derivative of this order at t: 0 the value, 1 the rate, and so on; 0 above the third. Allocates nothing where
  // `result` has the right size. NaN for t = NaN.
  void evaluate(double t, int order, Eigen::VectorXd& result) const;

 private:
  std::vector<double> times_;
  Eigen::MatrixXd points_, rates_;  // dimension × knots
};

// Rates from the points alone: at an inner knot that of the parabola through it and its neighbours (Catmull and Rom,
// where the knots are uniform), 0 at both ends, so that the path starts and stops at rest.
Eigen::MatrixXd resting_rates(const std::vector<double>& times, const Eigen::MatrixXd& points);

// Rows t, p1 … pn, v1 … vn; or t, p1 … pn where `dimension` is given and the rates are missing (then resting_rates). A
// first row that does not start with a number is a header. Throws InputError with `file` and the line.
HermiteSpline parse_spline_csv(std::string_view text, const std::string& file, int dimension = 0);

}  // namespace taut
