// --from RUN[@T]: the recorded state that a command starts from, instead of the start of the model file.
#pragma once

#include <optional>
#include <string>

#include "apps/taut/command_line.h"
#include "taut/run/recorded_state.h"

namespace taut {

Option from_option(std::string* to);

// Nothing where `from` is empty. Throws InputError: read_recorded_state, require_same_model.
std::optional<RecordedState> recorded_start(const std::string& from, const Scenario& scenario);

// For questions about a structure at rest: its model becomes that of the recorded state. A machine keeps its model, and
// the state is returned: what it is at cannot be drawn.
std::optional<State> start_at(const RecordedState& recorded, Scenario& scenario);

}  // namespace taut
