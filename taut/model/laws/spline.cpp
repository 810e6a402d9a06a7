#include "taut/model/laws/spline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "taut/base/error.h"

namespace taut {

namespace {

// A cell of a row: a finite number with nothing around it but blanks.
bool read_number(std::string_view cell, double& value) {
  const std::size_t first = cell.find_first_not_of(" \t"), last = cell.find_last_not_of(" \t\r");
  if (first == std::string_view::npos) return false;
  cell = cell.substr(first, last - first + 1);
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() && std::isfinite(value);
}

std::vector<std::string_view> cells_of(std::string_view row) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = row.find(',', begin);
    cells.push_back(row.substr(begin, comma - begin));
    if (comma == std::string_view::npos) return cells;
    begin = comma + 1;
  }
}

}  // namespace

HermiteSpline::HermiteSpline(std::vector<double> times, Eigen::MatrixXd points, Eigen::MatrixXd rates)
    : times_(std::move(times)), points_(std::move(points)), rates_(std::move(rates)) {
  const auto knots = static_cast<Eigen::Index>(times_.size());
  if (knots < 2) throw InputError(fmt::format("a spline needs at least two knots, got {}", knots));
  if (points_.cols() != knots || rates_.cols() != knots || rates_.rows() != points_.rows() || points_.rows() < 1) {
    throw InputError(
        fmt::format("a spline with {} knots has {} × {} points and {} × {} rates: expected as many of each "
                    "as knots, of one dimension",
                    knots, points_.rows(), points_.cols(), rates_.rows(), rates_.cols()));
  }
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    if (!std::isfinite(times_[i]) || !points_.col(column).allFinite() || !rates_.col(column).allFinite())
      throw InputError(fmt::format("knot {} of a spline is not finite", i + 1));
    if (i > 0 && !(times_[i] > times_[i - 1]))
      throw InputError(fmt::format("time {} of a spline does not come after {}", times_[i], times_[i - 1]));
  }
}

void HermiteSpline::evaluate(double t, int order, Eigen::VectorXd& result) const {
  result.resize(points_.rows());
  if (std::isnan(t)) {
    result.setConstant(t);
    return;
  }
  // At rest outside, and derivatives beyond the third.
  if (order > 3 || (order > 0 && !covers(t))) {
    result.setZero();
    return;
  }
  if (!covers(t)) {
    result = points_.col(t < start() ? 0 : points_.cols() - 1);
    return;
  }
  // The piece that begins at or before t; the last one ends with its last knot.
  const auto next = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  const auto i = static_cast<Eigen::Index>(next - times_.begin());
  const double h = *next - *(next - 1), s = (t - *(next - 1)) / h;
  // The weights of C D M_H ψ, multiplied out; exact at both ends of the piece.
  const double r = 1.0 - s;
  double p0 = 0.0, v0 = 0.0, p1 = 0.0, v1 = 0.0;
  switch (order) {
    case 0:
      p0 = r * r * (1.0 + 2.0 * s);
      v0 = h * s * r * r;
      p1 = s * s * (3.0 - 2.0 * s);
      v1 = -h * s * s * r;
      break;
    case 1:
      p0 = -6.0 * s * r / h;
      v0 = r * (1.0 - 3.0 * s);
      p1 = 6.0 * s * r / h;
      v1 = s * (3.0 * s - 2.0);
      break;
    case 2:
      p0 = (12.0 * s - 6.0) / (h * h);
      v0 = (6.0 * s - 4.0) / h;
      p1 = (6.0 - 12.0 * s) / (h * h);
      v1 = (6.0 * s - 2.0) / h;
      break;
    default:
      p0 = 12.0 / (h * h * h);
      v0 = 6.0 / (h * h);
      p1 = -12.0 / (h * h * h);
      v1 = 6.0 / (h * h);
      break;
  }
  result = p0 * points_.col(i - 1) + v0 * rates_.col(i - 1) + p1 * points_.col(i) + v1 * rates_.col(i);
}

Eigen::MatrixXd resting_rates(const std::vector<double>& times, const Eigen::MatrixXd& points) {
  Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(points.rows(), points.cols());
  for (Eigen::Index i = 1; i + 1 < points.cols(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double before = times[at] - times[at - 1], after = times[at + 1] - times[at];
    const auto left = (points.col(i) - points.col(i - 1)) / before, right = (points.col(i + 1) - points.col(i)) / after;
    rates.col(i) = (after * left + before * right) / (before + after);
  }
  return rates;
}

HermiteSpline parse_spline_csv(std::string_view text, const std::string& file, int dimension) {
  const auto refuse = [&](int line, std::string message) {
    throw InputError(std::vector<Problem>{{{file, line, line > 0 ? 1 : 0}, "", std::move(message)}});
  };
  std::vector<double> times, rest;  // rest: everything after t, row by row
  std::size_t columns = 0;
  int line = 0;
  bool first = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row = text.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::vector<std::string_view> cells = cells_of(row);
    double value = 0.0;
    const bool header = first && !read_number(cells.front(), value);
    first = false;
    if (header) continue;
    // The first row of numbers decides how many belong in each.
    if (columns == 0) {
      columns = cells.size();
      const auto given = static_cast<std::size_t>(std::max(dimension, 0));
      if (given > 0 && columns != 1 + given && columns != 1 + 2 * given)
        refuse(line, fmt::format("has {} columns, expected t and {} points, with or without {} rates", columns, given,
                                 given));
      if (given == 0 && (columns < 3 || columns % 2 == 0))
        refuse(line, fmt::format("has {} columns, expected t, then as many rates as points", columns));
    }
    if (cells.size() != columns) refuse(line, fmt::format("has {} columns, expected {}", cells.size(), columns));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!read_number(cells[i], value))
        refuse(line, fmt::format("column {}: expected a finite number, got \"{}\"", i + 1, cells[i]));
      if (i == 0 && !times.empty() && !(value > times.back()))
        refuse(line, fmt::format("time {} does not come after {}", value, times.back()));
      (i == 0 ? times : rest).push_back(value);
    }
  }
  if (times.size() < 2) refuse(0, fmt::format("has {} rows of numbers, expected at least two", times.size()));

  const auto knots = static_cast<Eigen::Index>(times.size()), height = static_cast<Eigen::Index>(columns) - 1;
  const Eigen::Map<const Eigen::MatrixXd> all(rest.data(), height, knots);
  if (height == dimension) return {times, all, resting_rates(times, all)};
  return {times, all.topRows(height / 2), all.bottomRows(height / 2)};
}

}  // namespace taut
