// taut statics: self-stress, mechanisms, stability, forces under loads, stiffness.
#include "taut/analysis/statics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/taut/blame_file.h"
#include "apps/taut/commands.h"
#include "apps/taut/number_checks.h"
#include "apps/taut/statics_print.h"
#include "taut/base/error.h"
#include "taut/model/read_toml.h"
#include "taut/model/suggest.h"

namespace taut {
namespace {

struct Options {
  std::string file, forces = "least-norm";
  std::vector<std::string> set, compliance;
  double min_tension = -1.0, max_tension = -1.0, max_compression = -1.0, tolerance = 1e-6;
  bool json = false, matrices = false;
};

ForceChoice choice_of(const std::string& word) {
  static const std::vector<std::string_view> words = {"least-norm", "least-prestress", "bounded"};
  for (std::size_t k = 0; k < words.size(); ++k)
    if (word == words[k]) return static_cast<ForceChoice>(k);
  const std::string_view near = nearest_word(word, words);
  throw InputError({Problem{{},
                            "--forces",
                            fmt::format("there is no choice \"{}\"; there is {}{}", word, fmt::join(words, ", "),
                                        near.empty() ? "" : fmt::format("; did you mean {}?", near))}});
}

int node_of(const Model& model, const std::string& word) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    if (model.nodes[i].name == word) return static_cast<int>(i);
    names.push_back(model.nodes[i].name);
  }
  const std::string_view near = nearest_word(word, names);
  throw InputError({Problem{
      {},
      "--compliance",
      fmt::format("there is no node \"{}\"{}", word, near.empty() ? "" : fmt::format("; did you mean {}?", near))}});
}

int statics(const Options& options) {
  StaticsOptions how;
  how.choice = choice_of(options.forces);
  how.tolerance = options.tolerance;
  if (options.min_tension >= 0.0) how.min_tension = options.min_tension;
  if (options.max_tension >= 0.0) how.max_tension = options.max_tension;
  if (options.max_compression >= 0.0) how.max_compression = options.max_compression;
  if (how.min_tension && how.max_tension && *how.min_tension > *how.max_tension)
    throw InputError(
        {Problem{{},
                 "--min-tension",
                 fmt::format("is {:g} N, more than --max-tension allows, {:g} N: expected no more than that",
                             *how.min_tension, *how.max_tension)}});
  const Scenario scenario = read_scenario(options.file, options.set);
  for (const std::string& word : options.compliance) {
    const int node = node_of(scenario.model, word);
    if (std::find(how.compliance_nodes.begin(), how.compliance_nodes.end(), node) == how.compliance_nodes.end())
      how.compliance_nodes.push_back(node);
  }
  const Statics result = blaming(options.file, [&] { return analyse_statics(scenario.model, how); });
  if (options.json)
    fmt::print("{}", statics_json(scenario.model, result, options.matrices));
  else
    print_statics(scenario.model, result);
  return 0;
}

}  // namespace

void add_statics(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("statics", "Self-stress states, mechanisms, stability, forces under load, stiffness");
  const auto options = std::make_shared<Options>();
  const auto option = [&](const char* names, auto& to, const char* value, const char* help) {
    return command.add_option(names, to, help)->type_name(value);
  };
  option("FILE", options->file, "", "The model file (TOML)")->required();
  option("--forces", options->forces, "F",
         "Which of the forces that balance the loads with cables in tension: least-norm: the smallest in all | "
         "least-prestress: the least cable tension in all | bounded: the smallest largest force [least-norm]");
  option("--min-tension", options->min_tension, "N", "What every cable carries at least, N [its pretension]")
      ->check(number_not_negative());
  option("--max-tension", options->max_tension, "N", "What every member carries at most, N")
      ->check(number_not_negative());
  option("--max-compression", options->max_compression, "N", "What every bar is pressed with at most, N")
      ->check(number_not_negative());
  option("--compliance", options->compliance, "NODE",
         "How far this node gives way under a force on it, m/N; may be repeated")
      ->allow_extra_args(false);
  option("--tolerance", options->tolerance, "T",
         "Members whose directions depend on others up to this part of them count as dependent [1e-6]")
      ->check(number_between(0.0, 0.1));
  option("--set", options->set, "KEY=VALUE", "Override any key of the model file; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--matrices", options->matrices,
                   "With --json: the equilibrium matrix and the tangent stiffness, as triplets");
  command.add_flag("--json", options->json,
                   "One JSON object on standard output: self_stress_states, mechanisms, stability, member_forces, ...");
  command.footer(
      "The start shape is judged as it is. Weight and loads as at t = 0; the ground and friction of cables are left "
      "out.\n"
      "Exit code: 0 done, whatever the verdict, 2 bad input.\n"
      "Examples:\n"
      "  taut statics prism.toml\n"
      "  taut statics mast.toml --compliance top --json\n"
      "  taut statics bridge.toml --forces bounded --max-compression 5e4");
  command.callback([options, &exit_code] { exit_code = statics(*options); });
}

}  // namespace taut
