#include "taut/run/report_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/lowest_modes.h"
#include "taut/run/draw_pulleys.h"
#include "taut/run/observe.h"
#include "taut/run/report_model.h"

namespace taut {
namespace {

// Shapes of a mechanism with the points where cables leave their pulleys, by differences of two displaced states.
std::vector<double> shape_with_pulleys(const Dynamics& dynamics, Observer& observer, PulleyPicture& picture,
                                       const Eigen::VectorXd& direction) {
  const double step = 1e-4 / std::max(direction.cwiseAbs().maxCoeff(), 1e-300);
  const auto nodes_at = [&](double by) {
    State state = dynamics.start();
    for (int i = 0; i < state.nq; ++i) state.q()[i] += by * direction[i];
    return picture.add_to(observer.observe(state)).nodes;
  };
  std::vector<double> shape = nodes_at(step);
  const std::vector<double> back = nodes_at(-step);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = (shape[i] - back[i]) / (2.0 * step);
  return shape;
}

void add_shapes(Report& report, const Model& model, const ModalAnalysis& modes) {
  const bool pulleys = !model.pulleys.empty();
  std::optional<Dynamics> dynamics;
  std::optional<Observer> observer;
  PulleyPicture picture(model);
  if (pulleys) {
    dynamics.emplace(model, "multibody", ConstraintMethod::none);
    observer.emplace(*dynamics, 1.0);
  }
  for (long k = 0; k < modes.count(); ++k) {
    const Eigen::VectorXd column = modes.shapes.col(k);
    std::vector<double> shape(column.begin(), column.end());
    if (pulleys) shape = shape_with_pulleys(*dynamics, *observer, picture, modes.coordinate_shapes.col(k));
    const std::string remark = mode_remark(modes, k);
    const std::size_t nodes = shape.size() / 3;
    report.modes.push_back({fmt::format("{}{}", k + 1, remark.empty() ? "" : ", " + remark), frequency(modes.square[k]),
                            modes.damping[k], report_array(std::move(shape), {nodes, 3})});
  }
}

ReportTable mode_table(const ModalAnalysis& modes) {
  ReportTable table{"Modes", {"", "frequency, Hz", "damping, %", "mass x, %", "y, %", "z, %", ""}, {}};
  for (long k = 0; k < modes.count(); ++k) {
    std::vector<std::string> row = {
        fmt::format("{}", k + 1), fmt::format("{:.6g}", frequency(modes.square[k])),
        std::isnan(modes.damping[k]) ? "" : fmt::format("{:.4g}", 100.0 * modes.damping[k])};
    for (int axis = 0; axis < 3; ++axis)
      row.push_back(modes.moved_mass[axis] > 0.0
                        ? fmt::format("{:.2f}", 100.0 * modes.effective_mass(k, axis) / modes.moved_mass[axis])
                        : "");
    row.push_back(mode_remark(modes, k));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportPlot prestress_plot(const std::vector<PrestressRow>& rows) {
  ReportPlot plot{.title = "Frequencies against prestress",
                  .x_label = "tensions, times those of the model",
                  .y_label = "frequency, Hz",
                  .series = {}};
  long most = 0;
  for (const PrestressRow& row : rows) most = std::max(most, row.square.size());
  for (long k = 0; k < most; ++k) {
    std::vector<double> x, y;
    for (const PrestressRow& row : rows)
      if (k < row.square.size()) x.push_back(row.factor), y.push_back(frequency(row.square[k]));
    if (std::all_of(y.begin(), y.end(), [](double f) { return f == 0.0; })) continue;
    const char* style = x.size() > 1 ? "line" : "points";
    plot.series.push_back(
        {fmt::format("mode {}", k + 1), report_array(std::move(x)), report_array(std::move(y)), style});
  }
  return plot;
}

}  // namespace

std::string mode_remark(const ModalAnalysis& modes, long mode) {
  if (modes.square[mode] < 0.0) return "unstable";
  if (modes.square[mode] == 0.0) return "zero";
  return modes.overdamped[mode] ? "overdamped" : "";
}

Report modes_report(const Scenario& scenario, const ModalAnalysis& modes, const std::vector<PrestressRow>& prestress,
                    const std::string& title) {
  Report report = model_report(scenario, title);
  report.kind = "modes";
  report.subtitle = fmt::format("{} of {} natural motions about the start shape", modes.count(), modes.freedoms);
  add_shapes(report, scenario.model, modes);
  report.tables.insert(report.tables.begin(), mode_table(modes));
  if (!prestress.empty()) report.plots.push_back(prestress_plot(prestress));
  return report;
}

}  // namespace taut
