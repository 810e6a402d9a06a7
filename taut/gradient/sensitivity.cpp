#include "taut/gradient/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/gradient/forward.h"
#include "taut/gradient/outcomes.h"
#include "taut/run/engine.h"

namespace taut {

namespace {

const char* name(SwitchTime::Kind kind) {
  constexpr const char* names[] = {"slack", "taut", "touch", "lift"};
  return names[static_cast<int>(kind)];
}

// The run, with what goes beside it.
void follow(NearbyModel& base, const std::vector<GradientParameter>& parameters, const std::vector<std::string>& texts,
            const SensitivityOptions& options, Sensitivity& result) {
  const RunSettings& settings = base.scenario->simulation;
  Outcomes outcomes(texts, base, parameters);
  Engine engine(*base.scenario, settings.formulation);
  ForwardSensitivity forward(base, parameters, engine.integrator().log, outcomes.needs_powers());
  engine.integrator().watch = &forward;
  Outputs rows(
      settings.output_step, settings.duration,
      [&](const State& state) {
        forward.advance_to(state.t);
        outcomes.row(state, forward.now(), options.motion ? &result.motion : nullptr);
        if (options.progress) options.progress(state.t);
      },
      options.stop, engine.jumps());
  engine.start();
  engine.advance(settings.duration, rows);
  if (rows.stopped()) throw Stopped();
  forward.finish();
  result.summary.simulated_s = engine.state.t;
  engine.report(result.summary);
  for (const SwitchTime& s : forward.switches) {
    result.switches.push_back({name(s.kind), s.time, s.name, {}});
    for (const double by : s.by) result.switches.back().by.push_back(by + 0.0);  // no -0
  }
  std::stable_sort(result.switches.begin(), result.switches.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const Graze& graze : forward.grazes)
    result.corners.push_back({graze.key, "", graze.time, graze.name, graze.reason});
  outcomes.finish(result.summary, forward.switches, result);
}

}  // namespace

Sensitivity sensitivity(const Draft& model, const std::vector<std::string>& parameters,
                        const std::vector<std::string>& outcomes, const SensitivityOptions& options) {
  const StopScope scope(options.stop);
  if (parameters.empty()) throw InputError("parameters: a gradient is by one number of the model or more");
  if (outcomes.empty()) throw InputError("outcome: a gradient is of one expression or more");
  Sensitivity result;
  for (const auto& [key, value] : spelled_out(model, parameters)) result.parameters.push_back({key, value});
  Differentiable start = differentiable(model.scenario());
  NearbyModel base(std::move(start.scenario));
  // What is wrong with an outcome is said before any work.
  const Outcomes checked(outcomes, base, {});
  std::vector<GradientParameter> list;
  for (const Sensitivity::Number& number : result.parameters) {
    stop_if_asked();
    list.push_back(make_parameter(model, base, number.key, number.value));
  }
  result.motion.nodes.resize(options.motion ? list.size() : 0);
  result.motion.velocities.resize(result.motion.nodes.size());
  follow(base, list, outcomes, options, result);
  if (!start.note.empty()) result.summary.warnings.insert(result.summary.warnings.begin(), start.note);
  for (const Sensitivity::Outcome& outcome : result.outcomes)
    if (!std::isfinite(outcome.value))
      throw RunError(result.summary.simulated_s,
                     fmt::format("the outcome {} is {}: it has no gradient", outcome.text, outcome.value));
  return result;
}

Sensitivity sensitivity(const Scenario& scenario, const std::vector<std::string>& parameters,
                        const std::string& outcome, const SensitivityOptions& options) {
  return sensitivity(Draft::from_scenario(scenario), parameters, std::vector{outcome}, options);
}

}  // namespace taut
