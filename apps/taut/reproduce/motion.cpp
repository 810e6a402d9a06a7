#include "apps/taut/reproduce/motion.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/run/draw_pulleys.h"

namespace taut::reproduce {
namespace {

struct Keeper : Recorder {
  std::vector<Sample> rows;
  void begin(const Scenario&) override {}
  void sample(const Sample& row) override { rows.push_back(row); }
  void finish(const Summary&) override {}
};

}  // namespace

std::atomic<bool>& stop_asked() {
  static std::atomic<bool> asked{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");
  return asked;
}

Motion simulated(const Scenario& scenario, const char* what) {
  Keeper keeper;
  Motion motion;
  motion.summary = simulate(scenario, {&keeper}, {{}, &stop_asked()});
  if (motion.summary.status == "interrupted")
    throw RunError(motion.summary.simulated_s, "interrupted; nothing was written");
  if (motion.summary.status != "done")
    throw RunError(motion.summary.simulated_s, fmt::format("{}: the run failed at t = {:.6g} s: {}", what,
                                                           motion.summary.simulated_s, motion.summary.reason));
  motion.model = scenario.model;
  motion.rows = std::move(keeper.rows);
  return motion;
}

Vec3 position(const Sample& row, int node) { return Vec3(&row.nodes[3 * static_cast<std::size_t>(node)]); }
Vec3 velocity(const Sample& row, int node) { return Vec3(&row.velocities[3 * static_cast<std::size_t>(node)]); }

ReportRun scene(const Motion& motion, const std::string& label) {
  PulleyPicture pulleys(motion.model);
  ReportRun run;
  run.label = label;
  std::vector<double> t, nodes, tensions, lengths, bar_forces, energy;
  for (const Sample& each : motion.rows) {
    const Sample& row = pulleys.add_to(each);
    t.push_back(row.t);
    nodes.insert(nodes.end(), row.nodes.begin(), row.nodes.end());
    tensions.insert(tensions.end(), row.tensions.begin(), row.tensions.end());
    lengths.insert(lengths.end(), row.lengths.begin(), row.lengths.end());
    bar_forces.insert(bar_forces.end(), row.bar_forces.begin(), row.bar_forces.end());
    energy.insert(energy.end(), row.energy.begin(), row.energy.end());
  }
  const Sample& first = pulleys.add_to(motion.rows.front());
  const std::size_t rows = t.size();
  run.t = report_array(t);
  run.nodes = report_array(nodes, {rows, first.nodes.size() / 3, 3});
  run.tensions = report_array(tensions, {rows, first.tensions.size()});
  run.lengths = report_array(lengths, {rows, first.lengths.size()});
  run.bar_forces = report_array(bar_forces, {rows, first.bar_forces.size()});
  run.energy = report_array(energy, {rows, first.energy.size()});
  run.slack_events = motion.summary.slack_events;
  return run;
}

}  // namespace taut::reproduce
