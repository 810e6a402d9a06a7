// taut gradient: how outcomes of a run change with numbers of its model.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/draft_of.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/terminal.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/stop.h"
#include "taut/gradient/gradient_json.h"
#include "taut/gradient/sensitivity.h"

namespace taut {
namespace {

struct GradientArguments {
  std::string file;
  std::vector<std::string> of, by, set;
  bool json = false;
};

constexpr std::chrono::milliseconds last_words_within(400);
constexpr std::size_t most_lines = 20;

void print_switches(const Sensitivity& s) {
  if (s.switches.empty()) return;
  fmt::print("\nswitches{:>16}", "time, s");
  for (const Sensitivity::Number& number : s.parameters) fmt::print("  {:>24}", "by " + number.key);
  fmt::print("\n");
  for (std::size_t i = 0; i < std::min(s.switches.size(), most_lines); ++i) {
    const Sensitivity::Switch& event = s.switches[i];
    fmt::print("  {:<12} {:<6} {:>12.6f}", event.name, event.kind, event.time);
    for (const double by : event.by) fmt::print("  {:>24.8g}", by);
    fmt::print("\n");
  }
  if (s.switches.size() > most_lines) fmt::print("  ... {} more: --json\n", s.switches.size() - most_lines);
}

void print_text(const Sensitivity& s) {
  for (const Sensitivity::Outcome& outcome : s.outcomes) {
    fmt::print("{} = {:.8g}\n", outcome.text, outcome.value);
    for (std::size_t i = 0; i < s.parameters.size(); ++i)
      fmt::print("  by {:<32} {:>16.9g}   (at {:.6g})\n", s.parameters[i].key, outcome.by[i], s.parameters[i].value);
  }
  // A table of them is for few numbers.
  if (s.parameters.size() <= 4) print_switches(s);
  for (const Sensitivity::Corner& corner : s.corners) {
    fmt::print("\nnot differentiable by {}: ", corner.key);
    if (!corner.outcome.empty()) fmt::print("{}: ", corner.outcome);
    if (!corner.name.empty()) fmt::print("\"{}\" at t = {:.6g} s ", corner.name, corner.time);
    fmt::print("{}\n", corner.reason);
  }
  for (const std::string& warning : s.summary.warnings) fmt::print("note: {}\n", warning);
}

Sensitivity compute(const GradientArguments& arguments) {
  doing("reading " + arguments.file);
  const Draft draft = draft_of(arguments.file, arguments.set);
  doing("the gradient of " + arguments.file);
  SensitivityOptions options;
  options.stop = &stop_asked();
  const double duration = draft.scenario().simulation.duration;
  options.progress = [&](double t) { doing(fmt::format("t = {:.4g} of {:g} s", t, duration)); };
  return sensitivity(draft, arguments.by, arguments.of, options);
}

int run_gradient(const GradientArguments& arguments) {
  const std::string interrupted = arguments.file + ": interrupted: a gradient is known when the run is over";
  Sensitivity result;
  try {
    Watch::present()->give(last_words_within, [&] { return std::string(interrupted); });
    result = in_file(arguments.file, [&] { return compute(arguments); });
  } catch (const Stopped&) {
    no_line();
    message("{}\n", interrupted);
    return 1;
  }
  no_line();
  if (arguments.json)
    fmt::print("{}", result_text(json_of(result), 1));
  else
    print_text(result);
  return 0;
}

}  // namespace

Command gradient_command() {
  const auto arguments = std::make_shared<GradientArguments>();
  Command command{"gradient", "How outcomes of a run change with numbers of its model"};
  command.options = {
      required({"FILE", "", &arguments->file, "The model file (TOML)"}),
      required({"--of", "OUTCOME", &arguments->of,
                "What is differentiated: an expression as sweeps record it; may be repeated"}),
      required({"--by", "KEY", &arguments->by,
                "By which numbers of the model: key paths; * stands for each by itself; may be repeated"}),
      {"--set", "KEY=VALUE", &arguments->set, "Override any key of the model file; may be repeated"},
      {"--json", "", &arguments->json,
       "One JSON object on standard output: outcomes, parameters, switches, not_differentiable"},
  };
  command.footer =
      "Derivatives go right through slack and contact; with each switch stands how its time changes. Where there is "
      "no\n"
      "derivative, as when a cable only just goes slack, the result says so.\n"
      "Examples:\n"
      "  taut gradient prism.toml --of 'max(nodes.b1.z)' --by 'cables.*.stiffness'\n"
      "  taut gradient swing.toml --of 'last(energy.kinetic)' --by environment.gravity.z --by nodes.tip.velocity "
      "--json";
  command.run = [arguments] { return run_gradient(*arguments); };
  return command;
}

}  // namespace taut
