#include "apps/taut/studies/control_spline.h"

#include <fmt/format.h>

#include <array>

#include "taut/model/laws/spline.h"

namespace taut::reproduce {
namespace {

// Table 4.1: t, x, y; the rates are 0 at every knot.
constexpr std::array<std::array<double, 3>, 4> table = {
    {{0.0, 0.0, 0.0}, {2.0, 4.0, 0.0}, {4.0, 0.0, 3.0}, {6.0, 0.0, 0.0}}};

HermiteSpline spline() {
  std::vector<double> times;
  Eigen::MatrixXd points(2, table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    times.push_back(table[i][0]);
    points.col(static_cast<Eigen::Index>(i)) << table[i][1], table[i][2];
  }
  return {times, points, Eigen::MatrixXd::Zero(2, points.cols())};
}

// x at the second knot by (4.3.2) as it is printed, with M_H before D.
double printed_order() {
  const double h = table[1][0] - table[0][0];
  Eigen::Matrix4d M;
  M << 1.0, 0.0, -6.0, 12.0, 0.0, 1.0, -4.0, 6.0, 0.0, 0.0, 6.0, -12.0, 0.0, 0.0, -2.0, 6.0;
  const Eigen::RowVector4d C(table[0][1], 0.0, table[1][1], 0.0);
  return C * M * Eigen::Vector4d(1.0, h, 1.0, h).asDiagonal() * Eigen::Vector4d(1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0);
}

}  // namespace

void draw_spline(Findings& out) {
  const HermiteSpline path = spline();
  const char* const names[] = {"x", "y", "x_rate", "y_rate"};
  const char* const words[] = {"x", "y", "rate of x", "rate of y"};
  Eigen::VectorXd at;
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<double> value, printed;
    for (const auto& row : table) {
      path.evaluate(row[0], k < 2 ? 0 : 1, at);
      value.push_back(at[static_cast<Eigen::Index>(k % 2)]);
      printed.push_back(k < 2 ? row[1 + k] : 0.0);
    }
    const std::string name = std::string("spline.") + names[k];
    out.numbers.push_back({name, value, printed, k < 2 ? "1" : "1/s", "at the knots t = 0, 2, 4, 6 s", true});
    out.compare(name, fmt::format("{} of the spline at its knots (Table 4.1)", words[k]), "");
  }
  out.add("spline.printed_order", printed_order(), table[1][1], "1",
          "x(2) by (4.3.2) as printed, M_H D; D M_H of (4.2.2) gives 4");
  out.compare("spline.printed_order", "x of the spline at 2 s by (4.3.2) as printed, with M_H D (a misprint of D M_H)",
              "");

  Series series{"spline.csv", {}, {{"x", {}}, {"y", {}}, {"x_rate", {}}, {"y_rate", {}}}};
  constexpr int rows = 240;
  for (int i = 0; i <= rows; ++i) {
    series.x.push_back(path.end() * i / rows);
    for (std::size_t k = 0; k < 4; ++k) {
      path.evaluate(series.x.back(), k < 2 ? 0 : 1, at);
      series.columns[k].y.push_back(at[static_cast<Eigen::Index>(k % 2)]);
    }
  }
  Figure& plane = out.draw(Series{"", series.columns[0].y, {series.columns[1]}, "x"}, "spline_plane.svg",
                           "The spline of Table 4.1 (figure 4.1 a)", "coordinate y");
  plane.plot.x_label = "coordinate x";
  out.draw(Series{"", series.x, {series.columns[0], series.columns[1]}}, "spline_points.svg",
           "The spline of Table 4.1 over time (figure 4.1 b)", "coordinate");
  out.draw(Series{"", series.x, {series.columns[2], series.columns[3]}}, "spline_rates.svg",
           "The rates of the spline of Table 4.1 (figure 4.1 b)", "rate, 1/s");
  out.series.push_back(std::move(series));
}

}  // namespace taut::reproduce
