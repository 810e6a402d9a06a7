// Natural motions about the start shape, the equilibrium near it, or a state that a run recorded; and how frequencies
// change with the prestress. What `taut modes` answers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/answers/json.h"
#include "taut/model/scenario.h"
#include "taut/report/report_modes.h"

namespace taut {

struct RecordedState;

inline constexpr int most_modes = 1'000'000;  // that can be asked for

enum class ModesStage { settling, searching, scaled };

struct ModesSettings {
  int count = 0;                  // the lowest so many; 0: all of few_freedoms, else default_modes
  std::string formulation;        // empty: as the model wants it
  bool settle = false;            // find the equilibrium near the start shape first
  std::vector<double> prestress;  // factors of all tensions
  std::function<void(ModesStage stage, double factor)> progress = {};  // may be empty; the factor of `scaled`
};

struct ModesAnswer {
  Scenario scenario;        // as analysed: settled, where that was asked for
  std::string formulation;  // in which the modes were computed
  ModalAnalysis modes;
  double imbalance = 0.0;  // of the start shape: largest net node force over mean member force
  std::string worst;       // where it is largest
  std::vector<std::string> slack;
  int rigid_motions = -1;  // that supports leave free; -1: not counted in a machine
  std::string settled;     // what settling did; empty: it was not asked for
  std::vector<PrestressRow> prestress;

  bool in_balance() const;
};

// Throws InputError that names the option: a number out of range, or what this model, or a recorded state, does not go
// with.
void require(const ModesSettings& settings, const Scenario& scenario);

// Throws InputError: require(), find_modes; RunError where settling finds no equilibrium, or matrices are not finite.
ModesAnswer answer_modes(const Scenario& scenario, const ModesSettings& settings, const RecordedState* from = nullptr);

long zero_modes(const ModalAnalysis& modes);
long growing_modes(const ModalAnalysis& modes);

// frequencies_hz, damping_ratios, shapes, ...; `shapes`: with those of nodes and of coordinates.
Json json_of(const ModesAnswer& answer, bool shapes = true);

}  // namespace taut
