#include "taut/answers/modes.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "taut/answers/check.h"
#include "taut/answers/from_run.h"
#include "taut/answers/rules.h"
#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/parts.h"
#include "taut/formulation/formulation.h"
#include "taut/model/words.h"
#include "taut/modes/modes.h"
#include "taut/run/settle.h"

namespace taut {
namespace {

// Lumped rods are asked for by name; all else has the motions of node coordinates.
std::string chosen_formulation(const ModesSettings& settings, const Scenario& scenario) {
  const std::string wish = !settings.formulation.empty()                     ? settings.formulation
                           : scenario.simulation.formulation == "point_mass" ? "point_mass"
                                                                             : "nodal";
  const std::string_view taken = natural_formulation(scenario.model, wish);
  if (!settings.formulation.empty() && taken != wish)
    throw InputError({Problem{{}, "--formulation", fmt::format("joints and pulleys need {}", taken)}});
  return std::string(taken);
}

Scenario settled(const Scenario& scenario, std::string& note) {
  Settled found = settle(scenario, stop_flag());
  if (!found.failure.empty()) throw RunError(0.0, found.failure);
  note = found.note;
  return std::move(found.scenario);
}

// How far the start shape is from balance, and what does not act.
void judge_start(ModesAnswer& r, const State* at) {
  const Model& model = r.scenario.model;
  if (has_joints(model)) {
    const MachineCheck check = inspect_machine(r.scenario, at);
    r.imbalance = check.imbalance;
    r.worst = check.worst;
    r.slack = check.slack;
    return;
  }
  const Balance balance = start_balance(model);
  r.imbalance = balance.imbalance;
  if (balance.worst_node >= 0) r.worst = place_text(model, balance.worst_node);
  r.slack = cable_names(model, balance.slack);
  r.rigid_motions = find_parts(model).total_rigid_motions();
}

PrestressRow scaled_row(const ModesAnswer& r, double factor, bool settle_too, const ModeOptions& how) {
  Scenario scaled = r.scenario;
  scaled.model = with_prestress(r.scenario.model, factor);
  std::string note;
  if (settle_too && factor != 1.0) scaled = settled(scaled, note);
  const double imbalance =
      has_joints(scaled.model) ? inspect_machine(scaled).imbalance : start_balance(scaled.model).imbalance;
  return {factor, imbalance, find_modes(scaled.model, how).square};
}

}  // namespace

bool ModesAnswer::in_balance() const { return imbalance <= rounding_of_files; }

void require(const ModesSettings& settings, const Scenario& scenario) {
  if (settings.count != 0) require(rules::whole(1, most_modes), settings.count, "--count");
  for (const double factor : settings.prestress) require(rules::positive(), factor, "--prestress");
  const auto& names = formulation_names();
  if (!settings.formulation.empty()) index_of({names.begin(), names.end()}, settings.formulation, "--formulation");
  chosen_formulation(settings, scenario);
  if (!settings.prestress.empty() && !scenario.model.pulleys.empty())
    throw InputError(
        {Problem{{}, "--prestress", "cables that wind on pulleys are not scaled: expected a model without pulleys"}});
}

ModesAnswer answer_modes(const Scenario& scenario, const ModesSettings& settings, const RecordedState* from) {
  require(settings, scenario);
  const auto progress = [&](ModesStage stage, double factor) {
    if (settings.progress) settings.progress(stage, factor);
  };
  ModesAnswer r;
  r.scenario = scenario;
  r.formulation = chosen_formulation(settings, scenario);
  const std::optional<State> at = from ? start_at(*from, r.scenario) : std::nullopt;
  if (at && (settings.settle || !settings.prestress.empty()))
    throw InputError({Problem{{},
                              settings.settle ? "--settle" : "--prestress",
                              "is for the start of a machine: expected no --from with it"}});
  if (settings.settle) {
    progress(ModesStage::settling, 1.0);
    r.scenario = settled(r.scenario, r.settled);
  }
  ModeOptions how{settings.count, r.formulation};
  if (at) how.at = &*at;
  progress(ModesStage::searching, 1.0);
  judge_start(r, how.at);
  r.modes = find_modes(r.scenario.model, how);
  for (const double factor : settings.prestress) {
    progress(ModesStage::scaled, factor);
    r.prestress.push_back(scaled_row(r, factor, settings.settle, how));
  }
  return r;
}

long zero_modes(const ModalAnalysis& modes) { return (modes.square.array() == 0.0).count(); }
long growing_modes(const ModalAnalysis& modes) { return (modes.square.array() < 0.0).count(); }

}  // namespace taut
