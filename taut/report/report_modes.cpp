#include "taut/report/report_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/model/shape/body_pose.h"
#include "taut/modes/lowest_modes.h"
#include "taut/report/picture.h"
#include "taut/report/report_model.h"
#include "taut/run/observe.h"

namespace taut {
namespace {

// The poses of what is drawn, with the structure displaced along a mode.
class DisplacedPoses {
 public:
  DisplacedPoses(const Model& model, const ModalAnalysis& modes)
      : model_(model), modes_(modes), drawn_(model), on_nodes_(has_joints(model) ? Model{} : model) {
    if (drawn_.bodies.empty() || !has_joints(model)) return;
    dynamics_.emplace(model, natural_formulation(model), ConstraintMethod::none);
    observer_.emplace(*dynamics_, 1.0);
  }

  std::size_t bodies() const { return drawn_.bodies.size(); }

  // Displacement and rotation vector of each, by differences of two displaced states.
  std::vector<double> rates(long mode) {
    const auto largest = observer_ ? modes_.coordinate_shapes.col(mode).cwiseAbs().maxCoeff()
                                   : modes_.shapes.col(mode).cwiseAbs().maxCoeff();
    const double step = 1e-4 / std::max(largest, 1e-300);
    const std::vector<double> to = at(mode, step), from = at(mode, -step);
    std::vector<double> rates;
    for (std::size_t i = 0; i < to.size(); i += pose_columns) {
      const auto turn = [&](const std::vector<double>& pose) {
        return Eigen::Quaterniond(pose[i + 3], pose[i + 4], pose[i + 5], pose[i + 6]);
      };
      Eigen::Quaterniond turned = turn(to) * turn(from).conjugate();
      if (turned.w() < 0.0) turned.coeffs() = -turned.coeffs();
      for (std::size_t k = i; k < i + 3; ++k) rates.push_back((to[k] - from[k]) / (2.0 * step));
      for (int k = 0; k < 3; ++k) rates.push_back(2.0 * turned.vec()[k] / (2.0 * step));
    }
    return rates;
  }

 private:
  std::vector<double> at(long mode, double by) {
    std::vector<double> poses;
    if (observer_) {
      State state = dynamics_->start();
      for (int i = 0; i < state.nq; ++i) state.q()[i] += by * modes_.coordinate_shapes(i, mode);
      poses = observer_->observe(state).bodies;
    } else {
      std::vector<double> nodes;
      for (const Node& node : model_.nodes) nodes.insert(nodes.end(), node.position.begin(), node.position.end());
      for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] += by * modes_.shapes(static_cast<long>(i), mode);
      poses.resize(pose_columns * model_.bodies.size());
      on_nodes_.place(nodes, poses.data());
    }
    return drawn_.poses(poses);
  }

  const Model& model_;
  const ModalAnalysis& modes_;
  BodyPicture drawn_;
  BodyPoses on_nodes_;
  std::optional<Dynamics> dynamics_;
  std::optional<Observer> observer_;
};

void add_shapes(Report& report, const Model& model, const ModalAnalysis& modes) {
  DisplacedPoses poses(model, modes);
  for (long k = 0; k < modes.count(); ++k) {
    const Eigen::VectorXd column = modes.shapes.col(k);
    const std::string remark = mode_remark(modes, k);
    ReportMode mode{fmt::format("{}{}", k + 1, remark.empty() ? "" : ", " + remark), frequency(modes.square[k]),
                    modes.damping[k],
                    report_array(std::vector<double>(column.begin(), column.end()), {model.nodes.size(), 3})};
    if (poses.bodies() > 0) mode.bodies = report_array(poses.rates(k), {poses.bodies(), 6});
    report.modes.push_back(std::move(mode));
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
