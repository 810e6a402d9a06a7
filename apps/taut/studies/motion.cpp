#include "apps/taut/studies/motion.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/model/shape/body_pose.h"
#include "taut/report/picture.h"

namespace taut::reproduce {

Run simulated(const Scenario& scenario, const char* what) {
  Run run = simulate(scenario);
  const Summary& summary = run.summary;
  if (summary.status != RunStatus::done)
    throw RunError(summary.simulated_s,
                   fmt::format("{}: the run failed at t = {:.6g} s: {}", what, summary.simulated_s, summary.reason));
  return run;
}

Vec3 position(const RunRow& row, int node) { return row.nodes.col(node); }
Vec3 velocity(const RunRow& row, int node) { return row.velocities.col(node); }

ReportRun scene(const Run& run, const std::string& label) {
  Picture picture(run.scenario.model);
  RunRecorder drawn;
  for (std::size_t row = 0; row < run.rows(); ++row) drawn.sample(picture.add_to(row_of(run, row)));
  const RunColumns& columns = drawn.run.columns;
  const std::size_t rows = run.rows();
  const auto shaped = [&](const std::vector<double>& all) { return report_array(all, {rows, all.size() / rows}); };
  ReportRun scene;
  scene.label = label;
  scene.t = report_array(run.t);
  scene.nodes = report_array(columns.nodes, {rows, columns.nodes.size() / rows / 3, 3});
  scene.tensions = shaped(columns.tensions);
  scene.lengths = shaped(columns.lengths);
  if (!run.scenario.model.pulleys.empty()) scene.rest_lengths = shaped(columns.rest_lengths);
  scene.bar_forces = shaped(columns.bar_forces);
  scene.energy = shaped(columns.energy);
  if (!columns.bodies.empty())
    scene.bodies = report_array(columns.bodies, {rows, columns.bodies.size() / rows / pose_columns, pose_columns});
  scene.slack_events = run.summary.slack_events;
  return scene;
}

}  // namespace taut::reproduce
