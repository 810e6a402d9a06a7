// taut modes: natural frequencies, shapes, damping and participation about the start shape.
#include "taut/analysis/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/taut/blame_file.h"
#include "apps/taut/check_mechanism.h"
#include "apps/taut/commands.h"
#include "apps/taut/modes_results.h"
#include "apps/taut/number_checks.h"
#include "apps/taut/text_file.h"
#include "taut/analysis/balance.h"
#include "taut/analysis/parts.h"
#include "taut/base/error.h"
#include "taut/model/read_toml.h"
#include "taut/model/words.h"
#include "taut/run/output_dir.h"
#include "taut/run/settle.h"

namespace taut {
namespace {

constexpr long most_factors = 10'000;

struct ModesOptions {
  std::string file, formulation, prestress, output;
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
    if (!CLI::detail::lexical_cast(part, value) || !std::isfinite(value) || !(value > 0.0))
      refuse(fmt::format("\"{}\" is no factor", part));
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
  if (!CLI::detail::lexical_cast(parts[2], count) || count < 2 || count > most_factors)
    refuse(fmt::format("\"{}\" is no count from 2 to {}", parts[2], most_factors));
  for (long k = 0; k < count; ++k)
    factors.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(count - 1));
  return factors;
}

// Lumped rods are asked for by name; all else has the motions of node coordinates.
std::string chosen_formulation(const ModesOptions& options, const Scenario& scenario) {
  if (is_mechanism(scenario.model)) {
    if (!options.formulation.empty() && options.formulation != "multibody")
      throw InputError({Problem{{}, "--formulation", "joints and pulleys need multibody"}});
    return "multibody";
  }
  if (!options.formulation.empty()) return options.formulation;
  return scenario.simulation.formulation == "point_mass" ? "point_mass" : "nodal";
}

Scenario settled(const Scenario& scenario, std::string& note) {
  Settled found = settle(scenario, nullptr);
  if (!found.failure.empty()) throw RunError(0.0, found.failure);
  note = found.note;
  return std::move(found.scenario);
}

// How far the start shape is from balance, and what does not act.
void judge_start(ModesResult& r) {
  const Model& model = r.scenario.model;
  if (is_mechanism(model)) {
    const MechanismCheck check = inspect_mechanism(r.scenario);
    r.imbalance = check.imbalance;
    r.worst = check.worst;
    r.slack = check.slack;
    return;
  }
  const Balance balance = start_balance(model);
  r.imbalance = balance.imbalance;
  if (balance.worst_node >= 0) r.worst = place_text(model, balance.worst_node);
  for (const int cable : balance.slack) r.slack.push_back(model.cables[cable].name);
  r.rigid_motions = find_parts(model).total_rigid_motions();
}

ModesResult compute(const ModesOptions& options, const std::vector<double>& factors) {
  ModesResult r;
  r.scenario = read_scenario(options.file, options.set);
  r.formulation = chosen_formulation(options, r.scenario);
  if (!factors.empty() && !r.scenario.model.pulleys.empty())
    throw InputError(
        {Problem{{}, "--prestress", "cables that wind on pulleys are not scaled: expected a model without pulleys"}});
  const Scenario given = r.scenario;
  if (options.settle) r.scenario = settled(given, r.settled);
  const ModeOptions how{static_cast<int>(options.count), r.formulation};
  judge_start(r);
  r.modes = find_modes(r.scenario.model, how);
  for (const double factor : factors) {
    Scenario scaled = r.scenario;
    scaled.model = with_prestress(r.scenario.model, factor);
    std::string note;
    if (options.settle && factor != 1.0) scaled = settled(scaled, note);
    const double imbalance =
        is_mechanism(scaled.model) ? inspect_mechanism(scaled).imbalance : start_balance(scaled.model).imbalance;
    r.prestress.push_back({factor, imbalance, find_modes(scaled.model, how).square});
  }
  return r;
}

int run_modes(const ModesOptions& options) {
  const std::vector<double> factors =
      options.prestress.empty() ? std::vector<double>{} : read_factors(options.prestress);
  // A folder that cannot be written is found before anything is computed.
  if (!options.output.empty()) {
    for (const char* name : {"modes.json", "modes.csv", "shapes.csv", "prestress.csv", "report.html"})
      keep_input(std::filesystem::path(options.output) / name, options.file);
    OutputDir dir(options.output);
    OutputFile probe(dir, "modes.json");
  }
  const ModesResult result = blaming(options.file, [&] { return compute(options, factors); });
  if (!options.output.empty()) write_modes(result, options.output, std::filesystem::path(options.file).stem().string());
  if (options.json)
    fmt::print("{}", json_text(result));
  else
    print_text(result, options.output);
  return 0;
}

}  // namespace

void add_modes(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("modes", "Natural frequencies, shapes and damping about the start shape");
  const auto options = std::make_shared<ModesOptions>();
  const auto option = [&](const char* names, auto& to, const char* value, const std::string& help) {
    return command.add_option(names, to, help)->type_name(value);
  };
  option("FILE", options->file, "", "The model file (TOML)")->required();
  option("-o,--output", options->output, "DIR",
         "Write report.html (every mode animated), modes.json, modes.csv, shapes.csv into DIR");
  option("--count", options->count, "N",
         fmt::format("The lowest N modes [all where there are up to {}, else {}]", few_freedoms, default_modes))
      ->check(whole_number(1, 1'000'000));
  command.add_flag("--settle", options->settle, "Find the equilibrium near the start shape first");
  option("--prestress", options->prestress, "LIST",
         "Frequencies with all tensions times each factor: 0.5,1,2 or from:to:count");
  option("--formulation", options->formulation, "F",
         "nodal | point_mass | minimal | quaternion | multibody [as the model wants it]");
  option("--set", options->set, "KEY=VALUE", "Override any key of the model file; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--json", options->json,
                   "One JSON object on standard output: frequencies_hz, damping_ratios, shapes, ...");
  command.footer(
      "Frequencies are undamped and ascending: zero modes are 0, and a motion that grows (\u03c9\u00b2 < 0) has a "
      "negative one.\n"
      "Shapes have unit modal mass. Exit code: 0 done, 1 no equilibrium (--settle), 2 bad input.\n"
      "Examples:\n"
      "  taut modes six-bar.toml\n"
      "  taut modes mast.toml --settle --count 10 -o mast-modes\n"
      "  taut modes prism.toml --prestress 0.5:2:7 --json");
  command.callback([options, &exit_code] { exit_code = run_modes(*options); });
}

}  // namespace taut
