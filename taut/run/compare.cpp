#include "taut/run/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/formulation/formulation.h"

namespace taut {

namespace {

// Keeps the rows of the first run and measures the others against them.
class Comparison final : public Recorder {
 public:
  explicit Comparison(const std::vector<Recorder*>& recorders) : recorders_(recorders) {}
  void begin(const Scenario&) override {
    row_ = 0;
    difference_ = 0.0;
  }
  void sample(const Sample& sample) override {
    if (first_) {
      nodes_.push_back(sample.nodes);
      return;
    }
    for (Recorder* recorder : recorders_) recorder->other(name_, sample);
    if (row_ >= nodes_.size()) return;
    const std::vector<double>& reference = nodes_[row_++];
    for (std::size_t i = 0; i + 2 < reference.size(); i += 3) {
      const double dx = sample.nodes[i] - reference[i], dy = sample.nodes[i + 1] - reference[i + 1],
                   dz = sample.nodes[i + 2] - reference[i + 2];
      const double distance = std::sqrt(dx * dx + dy * dy + dz * dz);
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
  std::string name_;
  bool first_ = true;
  std::size_t row_ = 0;
  double difference_ = 0.0;
  std::vector<std::vector<double>> nodes_;
};

}  // namespace

Summary compare_formulations(const Scenario& scenario, const std::vector<Recorder*>& recorders, const RunHooks& hooks) {
  Comparison comparison(recorders);
  Summary result;
  bool first = true;
  std::vector<Problem> refusals;
  for (std::string_view name : equivalent_formulations(scenario.model)) {
    std::vector<Recorder*> to = first ? recorders : std::vector<Recorder*>{};
    to.push_back(&comparison);
    FormulationRun run;
    run.name = name;
    try {
      make_formulation(name, scenario.model);
    } catch (const InputError& error) {
      run.refused = error.problems().front().message;
      refusals.insert(refusals.end(), error.problems().begin(), error.problems().end());
      result.formulations.push_back(run);
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
      result.chart_switches += summary.chart_switches;
      result.largest_difference = std::max(result.largest_difference, run.difference);
      for (const std::string& warning : summary.warnings)
        if (std::find(result.warnings.begin(), result.warnings.end(), warning) == result.warnings.end())
          result.warnings.push_back(fmt::format("{}: {}", name, warning));
      if (summary.status != "done" && result.status == "done") {
        result.status = summary.status;
        result.reason = fmt::format("formulation {}: {}", name, summary.reason);
      }
    }
    result.formulations.push_back(run);
    first = false;
    if (summary.status == "interrupted") break;
  }
  if (first) throw InputError(refusals);
  return result;
}

}  // namespace taut
