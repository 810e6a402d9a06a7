// taut modes: natural frequencies, shapes, damping and participation about the start shape.
#include "taut/modes/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/taut/check_machine.h"
#include "apps/taut/commands.h"
#include "apps/taut/from_run.h"
#include "apps/taut/in_file.h"
#include "apps/taut/modes_results.h"
#include "apps/taut/text_file.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/parts.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/words.h"
#include "taut/results/output_dir.h"
#include "taut/run/settle.h"

namespace taut {
namespace {

constexpr long most_factors = 10'000;

struct ModesOptions {
  std::string file, formulation, prestress, output, from;
  std::vector<std::string> set;
  long count = 0;
  bool settle = false, json = false;
};

// "0.5,1,2" or "from:to:count".
std::vector<double> read_factors(const std::string& text) {
  const auto refuse = [&](const std::string& what) {
    throw InputError({Problem{{}, "--prestress", what + ": expected factors above 0 as 0.5,1,2 or from:to:count"}});
  };
  const auto cut = [&](char at) {
    std::vector<std::string> parts(1);
    for (const char c : text)
      if (c == at)
        parts.emplace_back();
      else
        parts.back().push_back(c);
    return parts;
  };
  const auto factor = [&](const std::string& part) {
    double value = 0.0;
    if (!read_number(part, value) || !std::isfinite(value) || !(value > 0.0))
      refuse(fmt::format("\"{}\" is not a factor", part));
    return value;
  };
  std::vector<double> factors;
  if (text.find(':') == std::string::npos) {
    for (const std::string& part : cut(',')) factors.push_back(factor(part));
    return factors;
  }
  const std::vector<std::string> parts = cut(':');
  if (parts.size() != 3) refuse(fmt::format("\"{}\" has {} parts", text, parts.size()));
  const double from = factor(parts[0]), to = factor(parts[1]);
  long count = 0;
  if (!read_number(parts[2], count) || count < 2 || count > most_factors)
    refuse(fmt::format("\"{}\" is not a whole number from 2 to {}", parts[2], most_factors));
  for (long k = 0; k < count; ++k)
    factors.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(count - 1));
  return factors;
}

// Lumped rods are asked for by name; all else has the motions of node coordinates.
std::string chosen_formulation(const ModesOptions& options, const Scenario& scenario) {
  const std::string wish = !options.formulation.empty()                      ? options.formulation
                           : scenario.simulation.formulation == "point_mass" ? "point_mass"
                                                                             : "nodal";
  const std::string_view taken = natural_formulation(scenario.model, wish);
  if (!options.formulation.empty() && taken != wish)
    throw InputError({Problem{{}, "--formulation", fmt::format("joints and pulleys need {}", taken)}});
  return std::string(taken);
}

Scenario settled(const Scenario& scenario, std::string& note) {
  Settled found = settle(scenario, nullptr);
  if (!found.failure.empty()) throw RunError(0.0, found.failure);
  note = found.note;
  return std::move(found.scenario);
}

// How far the start shape is from balance, and what does not act.
void judge_start(ModesResult& r, const State* at) {
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

ModesResult compute(const ModesOptions& options, const std::vector<double>& factors) {
  ModesResult r;
  doing("reading " + options.file);
  r.scenario = read_scenario(options.file, options.set);
  r.formulation = chosen_formulation(options, r.scenario);
  if (!factors.empty() && !r.scenario.model.pulleys.empty())
    throw InputError(
        {Problem{{}, "--prestress", "cables that wind on pulleys are not scaled: expected a model without pulleys"}});
  std::optional<State> at;
  if (const std::optional<RecordedState> from = recorded_start(options.from, r.scenario))
    at = start_at(*from, r.scenario);
  if (at && (options.settle || !factors.empty()))
    throw InputError({Problem{
        {}, options.settle ? "--settle" : "--prestress", "is for the start of a machine: expected no --from with it"}});
  const Scenario given = r.scenario;
  if (options.settle) {
    doing("settling " + options.file);
    r.scenario = settled(given, r.settled);
  }
  ModeOptions how{static_cast<int>(options.count), r.formulation};
  if (at) how.at = &*at;
  doing("looking for modes of " + options.file);
  judge_start(r, how.at);
  r.modes = find_modes(r.scenario.model, how);
  for (const double factor : factors) {
    doing(fmt::format("looking for modes of {} with {:g} times the prestress", options.file, factor));
    Scenario scaled = r.scenario;
    scaled.model = with_prestress(r.scenario.model, factor);
    std::string note;
    if (options.settle && factor != 1.0) scaled = settled(scaled, note);
    const double imbalance =
        has_joints(scaled.model) ? inspect_machine(scaled).imbalance : start_balance(scaled.model).imbalance;
    r.prestress.push_back({factor, imbalance, find_modes(scaled.model, how).square});
  }
  return r;
}

int run_modes(const ModesOptions& options) {
  const std::vector<double> factors =
      options.prestress.empty() ? std::vector<double>{} : read_factors(options.prestress);
  // A folder that cannot be written is found before anything is computed.
  if (!options.output.empty()) {
    OutputDir dir(options.output);
    OutputFile probe(dir, "modes.json");
  }
  const ModesResult result = in_file(options.file, [&] { return compute(options, factors); });
  if (!options.output.empty()) {
    doing("writing " + options.output);
    write_modes(result, options.output, std::filesystem::path(options.file).stem().string());
  }
  no_line();
  if (options.json)
    fmt::print("{}", json_text(result));
  else
    print_text(result, options.output);
  return 0;
}

}  // namespace

Command modes_command() {
  const auto options = std::make_shared<ModesOptions>();
  Command command{"modes", "Natural frequencies, shapes and damping about the start shape"};
  command.options = {
      required({"FILE", "", &options->file, "The model file (TOML)"}),
      {"-o,--output", "DIR", &options->output,
       "Write report.html (every mode animated), modes.json, modes.csv, shapes.csv into DIR"},
      {"--count", "N", &options->count,
       fmt::format("The lowest N modes [all where there are up to {}, else {}]", few_freedoms, default_modes),
       whole_number(1, 1'000'000)},
      {"--settle", "", &options->settle, "Find the equilibrium near the start shape first"},
      {"--prestress", "LIST", &options->prestress,
       "Frequencies with all tensions times each factor: 0.5,1,2 or from:to:count"},
      {"--formulation", "F", &options->formulation,
       "nodal | point_mass | minimal | quaternion | multibody [as the model wants it]", a_formulation()},
      from_option(&options->from),
      {"--set", "KEY=VALUE", &options->set, "Override any key of the model file; may be repeated"},
      {"--json", "", &options->json, "One JSON object on standard output: frequencies_hz, damping_ratios, shapes, ..."},
  };
  command.footer =
      "Frequencies are undamped and ascending: zero modes are 0, and a motion that grows (\u03c9\u00b2 < 0) has a "
      "negative one.\n"
      "Shapes have unit modal mass. Exit code: 0 done, 1 no equilibrium (--settle), 2 bad input.\n"
      "Examples:\n"
      "  taut modes six-bar.toml\n"
      "  taut modes mast.toml --settle --count 10 -o mast-modes\n"
      "  taut modes prism.toml --prestress 0.5:2:7 --json";
  command.run = [options] { return run_modes(*options); };
  return command;
}

}  // namespace taut
