// taut modes: natural frequencies, shapes, damping and participation about the start shape.
#include "taut/answers/modes.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/from_run.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/modes_results.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/results/output_dir.h"

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

ModesAnswer compute(const ModesOptions& options, const std::vector<double>& factors) {
  doing("reading " + options.file);
  const Scenario scenario = read_scenario(options.file, options.set);
  ModesSettings how{static_cast<int>(options.count), options.formulation, options.settle, factors};
  require(how, scenario);
  const std::optional<RecordedState> from = recorded_start(options.from, scenario);
  how.progress = [&](ModesStage stage, double factor) {
    if (stage == ModesStage::settling)
      doing("settling " + options.file);
    else
      doing(fmt::format("looking for modes of {}{}", options.file,
                        stage == ModesStage::scaled ? fmt::format(" with {:g} times the prestress", factor) : ""));
  };
  return answer_modes(scenario, how, from ? &*from : nullptr);
}

int run_modes(const ModesOptions& options) {
  const std::vector<double> factors =
      options.prestress.empty() ? std::vector<double>{} : read_factors(options.prestress);
  // A folder that cannot be written is found before anything is computed.
  if (!options.output.empty()) {
    OutputDir dir(options.output);
    OutputFile probe(dir, "modes.json");
  }
  const ModesAnswer result = in_file(options.file, [&] { return compute(options, factors); });
  if (!options.output.empty()) {
    doing("writing " + options.output);
    write_modes(result, options.output, std::filesystem::path(options.file).stem().string());
  }
  no_line();
  if (options.json)
    fmt::print("{}", result_text(json_of(result), 1));
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
       whole_number(1, most_modes)},
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
