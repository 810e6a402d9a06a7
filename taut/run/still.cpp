#include "taut/run/still.h"

#include "taut/dynamics/dynamics.h"
#include "taut/model/run_words.h"
#include "taut/run/observe.h"

namespace taut {

Run still_run(const Scenario& scenario) {
  const Dynamics dynamics(scenario.model, leading_formulation(scenario), scenario.simulation.constraints);
  Observer observer(dynamics, scenario.simulation.duration);
  Summary summary;
  summary.formulation = dynamics.formulation().facts().name;
  RunRecorder recorder;
  recorder.begin(scenario);
  recorder.sample(observer.observe(dynamics.start()));
  recorder.finish(summary);
  return std::move(recorder.run);
}

}  // namespace taut
