// taut statics: self-stress, mechanisms, stability, forces under loads, stiffness.
#include "taut/answers/statics.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/from_run.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/statics_print.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"

namespace taut {
namespace {

struct Options {
  std::string file, forces = "least-norm", from;
  std::vector<std::string> set, compliance;
  std::optional<double> min_tension, max_tension, max_compression;
  double tolerance = StaticsOptions{}.tolerance;
  bool json = false, matrices = false;
};

StaticsOptions statics_options(const Options& options) {
  StaticsOptions how;
  how.choice = static_cast<ForceChoice>(index_of(force_words(), options.forces, "--forces"));
  how.tolerance = options.tolerance;
  how.min_tension = options.min_tension;
  how.max_tension = options.max_tension;
  how.max_compression = options.max_compression;
  require(how);
  return how;
}

int statics(const Options& options) {
  StaticsOptions how = statics_options(options);
  doing("reading " + options.file);
  const Scenario scenario = read_scenario(options.file, options.set);
  const std::optional<RecordedState> from = recorded_start(options.from, scenario);
  doing("judging " + options.file);
  how.compliance_nodes = compliance_nodes(scenario.model, options.compliance);
  const StaticsAnswer answer =
      in_file(options.file, [&] { return answer_statics(scenario, how, from ? &*from : nullptr); });
  no_line();
  if (options.json)
    fmt::print("{}", result_text(json_of(answer, options.matrices)));
  else if (const auto* structure = std::get_if<Statics>(&answer.found))
    print_statics(answer.scenario.model, *structure);
  else
    print_machine_statics(answer.scenario.model, std::get<MachineStatics>(answer.found));
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
       one_of(force_words())},
      {"--min-tension", "N", &options->min_tension, "Least tension of every cable, N [its pretension]",
       number_not_negative()},
      {"--max-tension", "N", &options->max_tension, "What every member carries at most, N", number_not_negative()},
      {"--max-compression", "N", &options->max_compression, "Largest compression of every bar, N",
       number_not_negative()},
      {"--compliance", "NODE", &options->compliance,
       "How far this node gives way under a force on it, m/N; may be repeated"},
      {"--tolerance", "T", &options->tolerance,
       "Members whose directions depend on others up to this fraction of them count as dependent [1e-6]",
       number_between(0.0, most_dependent)},
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
