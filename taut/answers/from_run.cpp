#include "taut/answers/from_run.h"

namespace taut {

std::optional<RecordedState> recorded_start(const std::string& from, const Scenario& scenario) {
  if (from.empty()) return std::nullopt;
  RecordedState recorded = read_recorded_state(from);
  require_same_model(recorded, scenario.model);
  return recorded;
}

std::optional<State> start_at(const RecordedState& recorded, Scenario& scenario) {
  if (has_joints(scenario.model)) return state_of(recorded);
  scenario.model = model_at(recorded);
  return std::nullopt;
}

}  // namespace taut
