#include "taut/run/simulate.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/run/commandable.h"
#include "taut/run/compare.h"
#include "taut/run/divergence.h"
#include "taut/run/engine.h"
#include "taut/run/observe.h"
#include "taut/run/recorded_state.h"
#include "taut/run/settle.h"
#include "taut/run/trust.h"

namespace taut {

namespace {

// Samples on their way to the recorders, with the extremes that the summary reports.
class Samples {
 public:
  Samples(Engine& engine, double duration, double step, const std::vector<Recorder*>& recorders, const RunHooks& hooks)
      : observer_(engine.dynamics(), duration),
        watch_(engine, step),
        checks_(engine.dynamics()),
        controllers_(engine.controllers()),
        recorders_(recorders),
        hooks_(hooks) {
    controllers_.rule(observer_.terms());
  }

  void operator()(const State& state) {
    if (!hooks_.rows) {
      reached_ = state.t;
      return;
    }
    Sample& sample = observer_.observe(state);
    controllers_.record(state, observer_.terms(), sample);
    watch_.look(sample);
    for (Recorder* recorder : recorders_) recorder->sample(sample);
    checks_.look(sample, observer_.bar_length_error());
    reached_ = state.t;
    if (hooks_.progress) hooks_.progress(state.t);
  }

  void report(Summary& summary) const {
    summary.simulated_s = reached_;
    checks_.report(summary);
  }

 private:
  Observer observer_;
  DivergenceWatch watch_;
  RowChecks checks_;
  ControlLoop& controllers_;
  const std::vector<Recorder*>& recorders_;
  const RunHooks& hooks_;
  double reached_ = 0.0;
};

}  // namespace

Summary without_rows(const Scenario& scenario, std::string_view formulation, const std::vector<Recorder*>& recorders) {
  for (Recorder* recorder : recorders) recorder->begin(scenario);
  Summary summary;
  summary.formulation = formulation;
  summary.integrator = scenario.simulation.integrator;
  summary.status = RunStatus::interrupted;
  summary.reason = "interrupted before the first row";
  return summary;
}

Summary run_motion(const Scenario& scenario, std::string_view formulation, const std::vector<Recorder*>& recorders,
                   const RunHooks& hooks) {
  const RunSettings& asked = scenario.simulation;
  const StopScope scope(hooks.stop);
  std::optional<Engine> made;
  try {
    made.emplace(scenario, formulation);
  } catch (const Stopped&) {
    return without_rows(scenario, formulation, recorders);
  }
  Engine& engine = *made;
  if (hooks.control)
    engine.control(hooks.rate, hooks.control, hooks.control_options, commandable_inputs(engine.dynamics()));
  const double from = hooks.from ? hooks.from->row.t : 0.0;
  if (hooks.from && !(from < asked.duration))
    throw InputError(
        fmt::format("simulation.duration: is {:g} s, and the run goes on from t = {:g} s: expected a later "
                    "end, --duration counts from t = 0",
                    asked.duration, from));
  Samples samples(engine, asked.duration, asked.step, recorders, hooks);
  for (Recorder* recorder : recorders) recorder->begin(scenario);
  Outputs outputs(
      asked.output_step, asked.duration, [&](const State& state) { samples(state); }, hooks.stop, engine.jumps(), from);
  Summary summary;
  summary.start_s = from;
  const auto clock = std::chrono::steady_clock::now();
  try {
    engine.start();
    if (hooks.from) engine.state = state_of(*hooks.from, engine.dynamics(), engine.state, engine.integrator().name());
    engine.advance(asked.duration, outputs);
    if (outputs.stopped()) {
      summary.status = RunStatus::interrupted;
      summary.reason = fmt::format("interrupted at t = {:g} s", engine.state.t);
    }
  } catch (const Stopped&) {
    summary.status = RunStatus::interrupted;
    summary.reason = fmt::format("interrupted at t = {:g} s", engine.state.t);
  } catch (const RunError& error) {
    summary.status = RunStatus::failed;
    summary.reason = error.what() + engine.controllers().worst_error();
  }
  summary.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  engine.report(summary);
  samples.report(summary);
  if (summary.status == RunStatus::done) engine.controllers().judge(engine.state, summary);
  engine.controllers().report(summary);
  return summary;
}

Summary simulate(const Scenario& scenario, const std::vector<Recorder*>& recorders, const RunHooks& hooks) {
  Settled settled;
  const bool settles = scenario.simulation.settle && !hooks.from;
  if (hooks.from && scenario.simulation.formulation == "all")
    throw InputError(
        "simulation.formulation: \"all\" compares runs from t = 0; expected the formulation of the run that "
        "this one goes on from");
  if (settles) settled = settle(scenario, hooks.stop);
  const Scenario& start = settles ? settled.scenario : scenario;
  Summary summary;
  if (!settled.failure.empty()) {
    for (Recorder* recorder : recorders) recorder->begin(scenario);
    summary.formulation = scenario.simulation.formulation;
    summary.integrator = scenario.simulation.integrator;
    summary.status = settled.interrupted ? RunStatus::interrupted : RunStatus::failed;
    summary.reason = settled.failure;
  } else {
    summary = scenario.simulation.formulation == "all"
                  ? compare_formulations(start, recorders, hooks)
                  : run_motion(start, start.simulation.formulation, recorders, hooks);
  }
  if (!settled.note.empty()) summary.warnings.insert(summary.warnings.begin(), settled.note);
  for (Recorder* recorder : recorders) recorder->finish(summary);
  return summary;
}

Run simulate(const Scenario& scenario, const RunHooks& hooks) {
  RunRecorder recorder;
  simulate(scenario, {&recorder}, hooks);
  return std::move(recorder.run);
}

}  // namespace taut
