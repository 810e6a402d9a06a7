#include "apps/taut/from_run.h"

namespace taut {

Option from_option(std::string* to) {
  const auto empty = [](const std::string& text) {
    return text.empty() ? "is empty: expected a run.h5" : std::string();
  };
  return {"--from", "RUN[@T]", to,
          "Start from a recorded state of the same model: run.h5 (its last row) or run.h5@1.25", empty};
}

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
