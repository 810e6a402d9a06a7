#include "apps/taut/studies/savin_damping.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace taut::reproduce {
namespace {

// About the origin, of rigid rods whose centre of mass is in the middle, kg m²/s.
Vec3 angular_momentum(const Scenario& scenario, const RunRow& row) {
  Vec3 sum = Vec3::Zero();
  for (const Bar& bar : scenario.model.bars) {
    const Vec3 a = position(row, bar.a), b = position(row, bar.b), va = velocity(row, bar.a), vb = velocity(row, bar.b);
    sum += 0.25 * bar.mass * (a + b).cross(va + vb) + bar.inertia * (b - a).cross(vb - va) / (b - a).squaredNorm();
  }
  return sum;
}

}  // namespace

void damping_of_cables(const Prism& prism, double damping, Findings& out, const Step& step) {
  step("damping of eq. (3)");
  Prism damped = prism;
  damped.drag = damped.turning_drag = 0.0;
  damped.cable_damping = damping;
  Series series{"cable_damping.csv", {}, {}};
  std::array<std::vector<double>, 2> end;
  std::array<double, 2> most{}, turning{}, lost{};
  for (const DampingModel model : {DampingModel::vector, DampingModel::axial}) {
    damped.damping_model = model;
    const std::size_t which = model == DampingModel::axial;
    const Scenario scenario = tilted(damped, 50.0);
    const Run motion = simulated(scenario, "damping of eq. (3)");
    if (which == 0) out.models.push_back({"prism_eq3.toml", scenario});
    series.x.clear();
    for (const Triple triple : {upper, side}) {
      Curve curve{fmt::format("{} {}", triple_names[triple], which == 0 ? "as printed" : "along"), {}};
      for (const RunRow& row : motion) curve.y.push_back(strain(damped, row, triple));
      end[which].push_back(curve.y.back());
      series.columns.push_back(std::move(curve));
    }
    for (const RunRow& row : motion) {
      series.x.push_back(row.t);
      most[which] = std::max(most[which], angular_momentum(scenario, row).norm());
    }
    turning[which] = angular_momentum(scenario, motion.back())[2];
    lost[which] = motion.back().energy[dissipated];
  }
  double apart = 0.0;
  for (std::size_t curve : {0, 1})
    for (std::size_t i = 0; i < series.x.size(); ++i)
      apart = std::max(apart, std::abs(series.columns[curve].y[i] - series.columns[curve + 2].y[i]));
  const std::string from = fmt::format("from 50 deg, {:g} N s/m in the cables and no drag", damping);
  out.add_list("eq3_strain_end", end[0], "%", "upper and side strain at the end, " + from + ", as eq. (3) is printed");
  out.add_list("eq3_strain_end_along", end[1], "%", "the same with damping along the cables only");
  out.add("eq3_strain_difference", apart, std::nullopt, "%", "largest difference of these two strains over the run");
  out.add("eq3_dissipated", lost[0], std::nullopt, "J", "as printed");
  out.add("eq3_dissipated_along", lost[1], std::nullopt, "J", "along the cables only");
  out.add("eq3_angular_momentum", most[0], std::nullopt, "kg m2/s",
          "largest, as printed: forces that are not along the cables turn the prism as a whole, which began at rest");
  out.add("eq3_angular_momentum_end", turning[0], std::nullopt, "kg m2/s", "about the prism's axis at the end");
  out.add("eq3_angular_momentum_along", most[1], std::nullopt, "kg m2/s", "largest, along the cables only: kept");
  out.draw(series, "cable_damping.svg", "Damping of eq. (3) as printed, and its part along the cables", "strain, %");
  out.series.push_back(std::move(series));
}

}  // namespace taut::reproduce
