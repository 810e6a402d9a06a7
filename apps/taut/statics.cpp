// taut statics: self-stress, mechanisms, stability, forces under loads, stiffness.
#include "taut/statics/statics.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/from_run.h"
#include "apps/taut/in_file.h"
#include "apps/taut/statics_machine.h"
#include "apps/taut/statics_print.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/file/read/read_toml.h"

namespace taut {
namespace {

struct Options {
  std::string file, forces = "least-norm", from;
  std::vector<std::string> set, compliance;
  double min_tension = -1.0, max_tension = -1.0, max_compression = -1.0, tolerance = 1e-6;
  bool json = false, matrices = false;
};

// In the order of ForceChoice.
const std::vector<std::string> force_choices = {"least-norm", "least-prestress", "bounded"};

int node_of(const Model& model, const std::string& word) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    if (model.nodes[i].name == word) return static_cast<int>(i);
    names.push_back(model.nodes[i].name);
  }
  throw InputError(
      {Problem{{}, "--compliance", fmt::format("there is no node \"{}\"{}", word, suggestion(word, names))}});
}

int statics(const Options& options) {
  StaticsOptions how;
  how.choice = static_cast<ForceChoice>(std::find(force_choices.begin(), force_choices.end(), options.forces) -
                                        force_choices.begin());
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
  doing("reading " + options.file);
  Scenario scenario = read_scenario(options.file, options.set);
  std::optional<MachinePlace> place;
  if (const std::optional<RecordedState> from = recorded_start(options.from, scenario)) {
    if (has_joints(scenario.model)) {
      RecordedMachine machine = machine_at(*from);
      scenario.model = std::move(machine.model);
      place = std::move(machine.place);
    } else {
      start_at(*from, scenario);
    }
  }
  doing("judging " + options.file);
  for (const std::string& word : options.compliance) {
    const int node = node_of(scenario.model, word);
    if (std::find(how.compliance_nodes.begin(), how.compliance_nodes.end(), node) == how.compliance_nodes.end())
      how.compliance_nodes.push_back(node);
  }
  if (has_joints(scenario.model)) {
    const MachineStatics result = in_file(options.file, [&] { return analyse_machine(scenario.model, how, place); });
    no_line();
    if (options.json)
      fmt::print("{}", machine_statics_json(scenario.model, result, options.matrices));
    else
      print_machine_statics(scenario.model, result);
    return 0;
  }
  const Statics result = in_file(options.file, [&] { return analyse_statics(scenario.model, how); });
  no_line();
  if (options.json)
    fmt::print("{}", statics_json(scenario.model, result, options.matrices));
  else
    print_statics(scenario.model, result);
  return 0;
}

}  // namespace

Command statics_command() {
  const auto options = std::make_shared<Options>();
  Command command{"statics", "Self-stress states, mechanisms, stability, forces under load, stiffness"};
  command.options = {
      required({"FILE", "", &options->file, "The model file (TOML)"}),
      {"--forces", "F", &options->forces,
       "Which of the forces that balance the loads with cables in tension: least-norm: the smallest in all | "
       "least-prestress: the least cable tension in all | bounded: the smallest largest force [least-norm]",
       one_of(force_choices)},
      {"--min-tension", "N", &options->min_tension, "Least tension of every cable, N [its pretension]",
       number_not_negative()},
      {"--max-tension", "N", &options->max_tension, "What every member carries at most, N", number_not_negative()},
      {"--max-compression", "N", &options->max_compression, "Largest compression of every bar, N",
       number_not_negative()},
      {"--compliance", "NODE", &options->compliance,
       "How far this node gives way under a force on it, m/N; may be repeated"},
      {"--tolerance", "T", &options->tolerance,
       "Members whose directions depend on others up to this fraction of them count as dependent [1e-6]",
       number_between(0.0, 0.1)},
      from_option(&options->from),
      {"--set", "KEY=VALUE", &options->set, "Override any key of the model file; may be repeated"},
      {"--matrices", "", &options->matrices,
       "With --json: the equilibrium matrix and the tangent stiffness, as triplets"},
      {"--json", "", &options->json,
       "One JSON object on standard output: self_stress_states, mechanisms, stability, member_forces, ..."},
  };
  command.footer =
      "The start shape is judged as it is. Weight and loads as at t = 0; the ground and friction of cables are left "
      "out.\n"
      "Exit code: 0 done, whatever the verdict, 2 bad input.\n"
      "Examples:\n"
      "  taut statics prism.toml\n"
      "  taut statics mast.toml --compliance top --json\n"
      "  taut statics bridge.toml --forces bounded --max-compression 5e4";
  command.run = [options] { return statics(*options); };
  return command;
}

}  // namespace taut
