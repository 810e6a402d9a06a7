// The motion near the start state, or near a state that a run recorded, as a linear system. What `taut linearise` answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/answers/json.h"
#include "taut/answers/rules.h"
#include "taut/model/scenario.h"
#include "taut/modes/full_model.h"
#include "taut/results/hdf5/matrices_hdf5.h"

namespace taut {

struct RecordedState;

const Words& input_words();           // "cables", "all"
const Words& length_words();          // "inputs", "states"
const Words& discretisation_words();  // of Discretisation, in its order

struct LinearSettings {
  std::string formulation;  // empty: that of the recorded state, or of the model file
  LinearOptions options;
  std::optional<Discretisation> discretise;
  std::optional<double> step;  // s, of the discretisation; none: the model's
  bool matrices = false;       // those of the whole, not linearised, too
};

// Throws InputError that names the option.
void require(const LinearSettings& settings);

struct LinearAnswer {
  Scenario scenario;
  std::string formulation;
  LinearModel linear;
  std::optional<DiscreteModel> discrete;
  std::optional<FullModel> full;
  int freedoms = 0;
  double imbalance = 0.0;  // of a structure: largest net node force at the start, over the mean member force

  // Hz, ascending. With no motion free, what A has are not frequencies: only how errors of the constraints would drift.
  std::vector<double> frequencies_hz() const;
};

// Throws InputError, and RunError where numbers are not finite or no digit of Ad would be right.
LinearAnswer answer_linear(const Scenario& scenario, const LinearSettings& settings,
                           const RecordedState* from = nullptr);

// A, B, Ad, Bd, eigenvalues (a row each: real and imaginary part), then M, c, B_full, G, gamma where there are some.
std::vector<NamedMatrix> matrices_of(const LinearAnswer& answer);

// formulation, states, inputs, the matrices, frequencies_hz, ...
Json json_of(const LinearAnswer& answer, bool matrices = true);

}  // namespace taut
