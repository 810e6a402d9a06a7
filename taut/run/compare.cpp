#include "taut/run/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/formulation/formulation.h"

namespace taut {

namespace {

// Keeps the nodes of the first run and measures the others against them.
class Comparison final : public Recorder {
 public:
  explicit Comparison(const std::vector<Recorder*>& recorders) : recorders_(recorders) {}
  void begin(const Scenario&) override {
    row_ = 0;
    difference_ = 0.0;
  }
  void sample(const Sample& sample) override {
    if (first_) {
      run_.t.push_back(sample.t);
      run_.columns.nodes.insert(run_.columns.nodes.end(), sample.nodes.begin(), sample.nodes.end());
      return;
    }
    for (Recorder* recorder : recorders_) recorder->other(name_, sample);
    if (row_ >= run_.rows()) return;
    const Points reference = run_.nodes(row_++);
    for (int i = 0; i < reference.cols(); ++i) {
      const Vec3 d = Vec3(sample.nodes.data() + 3 * i) - reference.col(i);
      const double distance = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      // What is not a number is as far as can be.
      difference_ = distance <= difference_ ? difference_ : std::isnan(distance) ? INFINITY : distance;
    }
  }
  void finish(const Summary&) override {}
  void next_run(std::string_view name) {
    first_ = name_.empty();
    name_ = name;
  }

  double difference() const { return difference_; }

 private:
  const std::vector<Recorder*>& recorders_;
  Run run_;
  std::string name_;
  bool first_ = true;
  std::size_t row_ = 0;
  double difference_ = 0.0;
};

}  // namespace

Summary compare_formulations(const Scenario& scenario, const std::vector<Recorder*>& recorders, const RunHooks& hooks) {
  Comparison comparison(recorders);
  Summary result;
  bool first = true;
  std::vector<Problem> refusals;
  const std::vector<std::string_view> equivalent = equivalent_formulations(scenario.model);
  for (std::string_view name : formulation_names()) {
    const bool wanted = std::find(equivalent.begin(), equivalent.end(), name) != equivalent.end();
    if (name == "minimal_bounded") continue;  // as the literature has it: never meant to be the same motion
    std::vector<Recorder*> to = first ? recorders : std::vector<Recorder*>{};
    to.push_back(&comparison);
    FormulationRun run;
    run.name = name;
    const StopScope scope(hooks.stop);
    try {
      // One that describes another motion says so itself, as point_mass does.
      const std::string remark = make_formulation(name, scenario.model)->facts().remark;
      if (!wanted) run.refused = remark;
    } catch (const Stopped&) {
      if (first) return without_rows(scenario, name, recorders);
      result.status = RunStatus::interrupted;
      result.reason = fmt::format("interrupted before formulation {}", name);
      break;
    } catch (const InputError& error) {
      run.refused = error.problems().front().message;
      if (wanted) refusals.insert(refusals.end(), error.problems().begin(), error.problems().end());
    }
    if (!run.refused.empty() || !wanted) {
      if (!run.refused.empty()) result.formulations.push_back(run);
      continue;
    }
    comparison.next_run(name);
    Summary summary = run_motion(scenario, name, to, hooks);
    run.status = summary.status;
    run.integrator = summary.integrator;
    run.steps = summary.steps;
    run.rhs = summary.rhs;
    run.wall_s = summary.wall_s;
    run.difference = comparison.difference();
    if (first) {
      summary.formulations = std::move(result.formulations);
      result = std::move(summary);
    } else {
      result.wall_s += summary.wall_s;
      result.contact_residual = std::max(result.contact_residual, summary.contact_residual);
      result.contact_sweeps = std::max(result.contact_sweeps, summary.contact_sweeps);
      result.chart_switches += summary.chart_switches;
      result.largest_difference = std::max(result.largest_difference, run.difference);
      for (const std::string& warning : summary.warnings)
        if (std::find(result.warnings.begin(), result.warnings.end(), warning) == result.warnings.end())
          result.warnings.push_back(fmt::format("{}: {}", name, warning));
      if (summary.status != RunStatus::done && result.status == RunStatus::done) {
        result.status = summary.status;
        result.reason = fmt::format("formulation {}: {}", name, summary.reason);
      }
    }
    result.formulations.push_back(run);
    first = false;
    if (summary.status == RunStatus::interrupted) break;
  }
  if (first) throw InputError(refusals);
  return result;
}

}  // namespace taut
