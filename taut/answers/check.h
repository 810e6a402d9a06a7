// Is a model right, and will the structure stand? What `taut check` answers.
#pragma once

#include <optional>
#include <string>

#include "taut/answers/json.h"
#include "taut/answers/machine_check.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/parts.h"

namespace taut {

class InputError;
struct RecordedState;

// An imbalance up to this is rounding of the numbers in a file, not a shape out of balance.
inline constexpr double rounding_of_files = 1e-6;

struct CheckAnswer {
  Scenario scenario;  // in the shape that was checked
  Balance balance;
  Parts parts;
  int degrees_of_freedom = 0, redundant = 0;  // redundant: bars, bodies and constraints that repeat what others say
  std::optional<MachineCheck> machine;        // of a machine; then the rest above does not hold
};

// Formulation and integrator as `taut run` would take them. Throws InputError where it would refuse to begin.
void judge_settings(const Scenario& scenario);

// At the start, or at a recorded state of the same model. Throws InputError.
CheckAnswer answer_check(Scenario scenario, const RecordedState* from = nullptr);

// ok, errors, imbalance, in_balance, slack, degrees_of_freedom, parts, ...
Json json_of(const CheckAnswer& answer);
// The same object for a model that is refused; `file` stands for places without one.
Json json_of(const InputError& refusal, const std::string& file);

}  // namespace taut
