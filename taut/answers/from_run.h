// A recorded state that an answer starts from, in place of the start of the model.
#pragma once

#include <optional>
#include <string>

#include "taut/run/recorded_state.h"

namespace taut {

// "run.h5" or "run.h5@1.25"; nothing where `from` is empty. Throws InputError: read_recorded_state, require_same_model.
std::optional<RecordedState> recorded_start(const std::string& from, const Scenario& scenario);

// For questions about a structure at rest: its model becomes that of the recorded state. A machine keeps its model, and
// the state is returned: what it is at cannot be drawn.
std::optional<State> start_at(const RecordedState& recorded, Scenario& scenario);

}  // namespace taut
