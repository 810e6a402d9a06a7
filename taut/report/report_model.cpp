#include "taut/report/report_model.h"

#include <fmt/format.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/parts.h"
#include "taut/model/shape/body_pose.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/model/words.h"
#include "taut/report/picture.h"
#include "taut/results/run.h"
#include "taut/run/still.h"

namespace taut {
namespace {

// An imbalance below this is rounding of the numbers in a file, not a shape out of balance.
constexpr double balanced = 1e-6;

// The one row of the start shape.
ReportRun report_run(const Run& result) {
  Picture picture(result.scenario.model);
  const Sample row = row_of(result, 0), &still = picture.add_to(row);
  Model model = result.scenario.model;
  picture.add_to(model);
  const std::size_t nodes = model.nodes.size(), cables = model.cables.size(), bars = model.bars.size();
  ReportRun run;
  run.label = "start";
  run.t = report_array(std::vector<double>{still.t});
  run.nodes = report_array(still.nodes, {1, nodes, 3});
  if (cables > 0) {
    run.tensions = report_array(still.tensions, {1, cables});
    run.lengths = report_array(still.lengths, {1, cables});
    run.rest_lengths = report_array(still.rest_lengths, {1, cables});
  }
  if (bars > 0) run.bar_forces = report_array(still.bar_forces, {1, bars});
  if (!still.contact_forces.empty()) run.contact_forces = report_array(still.contact_forces, {1, nodes, 3});
  if (!still.support_forces.empty()) {
    run.support_nodes = support_nodes(model);
    run.support_forces = report_array(still.support_forces, {1, run.support_nodes.size(), 3});
  }
  if (!still.bodies.empty())
    run.bodies = report_array(still.bodies, {1, still.bodies.size() / pose_columns, pose_columns});
  if (!still.frames.empty()) run.frames = report_array(still.frames, {1, model.frames.size(), frame_columns});
  return run;
}

void add_frames(Report& report, const Model& model) {
  if (model.frames.empty()) return;
  std::vector<double> nodes, columns;
  for (const Node& node : model.nodes) nodes.insert(nodes.end(), node.position.begin(), node.position.end());
  FramePoses(model).place(nodes, columns);
  // What rounding leaves of a zero does not show.
  const auto text = [](double x, double y, double z) {
    const auto tidy = [](double value) { return std::abs(value) < 1e-9 ? 0.0 : value; };
    return fmt::format("{:.6g}, {:.6g}, {:.6g}", tidy(x), tidy(y), tidy(z));
  };
  ReportTable table{"Frames", {"", "x, y, z, m", "yaw, pitch, roll, °"}, {}};
  for (std::size_t i = 0; i < model.frames.size(); ++i) {
    const Frame& frame = model.frames[i];
    const double *at = columns.data() + frame_columns * i, turn = degrees_per_radian;
    const std::string name =
        frame.relative_to < 0 ? frame.name : fmt::format("{} in {}", frame.name, model.frames[frame.relative_to].name);
    table.rows.push_back({name, text(at[0], at[1], at[2]), text(turn * at[3], turn * at[4], turn * at[5])});
  }
  report.tables.push_back(std::move(table));
}

void add_balance(Report& report, const Model& model) {
  const Balance balance = start_balance(model);
  auto& rows = report.tables.front().rows;
  rows.push_back({"mean member force", fmt::format("{:.4g} N", balance.mean_force)});
  rows.push_back({"largest net force", fmt::format("{:.2e} of the mean member force", balance.imbalance)});
  if (balance.imbalance > balanced) {
    const Vec3& r = balance.net_force[balance.worst_node];
    report.warnings.push_back(
        fmt::format("The start shape is {:.3g} % out of balance, worst at {}: net force ({:.4g}, {:.4g}, {:.4g}) "
                    "N. It will move "
                    "until it finds another shape.",
                    100.0 * balance.imbalance, place_text(model, balance.worst_node), r[0], r[1], r[2]));
  } else {
    report.notes.push_back("The start shape is in balance.");
  }
  if (balance.weight_left_out)
    report.notes.push_back(
        "Nothing holds it against gravity: it falls freely, and its weight is left out of the balance.");
  if (!balance.slack.empty()) report.warnings.push_back(slack_text(model, balance.slack));
}

}  // namespace

Report model_report(const Scenario& scenario, const std::string& title) {
  const Model& model = scenario.model;
  Report report;
  report.kind = "model";
  report.title = model.name.empty() ? title : model.name;
  report.subtitle = counts_text(model) + "; at the start";
  report.structure = describe(model);
  report.tables.push_back({"Structure", {}, {}});
  auto& rows = report.tables.front().rows;
  rows.push_back({"nodes", fmt::format("{}, {} of them supported", model.nodes.size(), support_nodes(model).size())});
  rows.push_back({"bars", fmt::format("{}", model.bars.size())});
  if (!model.bodies.empty()) rows.push_back({"bodies", fmt::format("{}", model.bodies.size())});
  if (has_joints(model)) rows.push_back({"joints", fmt::format("{}", model.joints.size())});
  if (!model.pulleys.empty()) rows.push_back({"pulleys", fmt::format("{}", model.pulleys.size())});
  rows.push_back({"cables", fmt::format("{}, {} of them driven", model.cables.size(), driven_cables(model).size())});
  rows.push_back({"mass", fmt::format("{:.6g} kg", total_mass(model))});
  // Of a machine, joints and pulleys connect the bodies: `taut check` counts its parts.
  if (const int parts = has_joints(model) ? 1 : find_parts(model).count; parts > 1)
    report.warnings.push_back(fmt::format("It falls into {} parts that nothing connects.", parts));
  try {
    report.runs.push_back(report_run(still_run(scenario)));
    if (!has_joints(model)) add_balance(report, model);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      report.warnings.push_back("No forces are shown: " + problem.message);
  }
  add_frames(report, model);
  return report;
}

}  // namespace taut
