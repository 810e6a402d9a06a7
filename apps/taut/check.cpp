// taut check: is the file right, and will the structure stand?
#include "taut/answers/check.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/from_run.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/text.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/words.h"

namespace taut {
namespace {

struct CheckOptions {
  std::string file, from;
  std::vector<std::string> set;
  bool json = false;
};

CheckAnswer inspect(const CheckOptions& options) {
  doing("reading " + options.file);
  const Scenario scenario = read_scenario(options.file, options.set);
  doing("checking " + options.file);
  in_file(options.file, [&] { judge_settings(scenario); });
  const std::optional<RecordedState> from = recorded_start(options.from, scenario);
  const auto answer = [&] { return answer_check(scenario, from ? &*from : nullptr); };
  return has_joints(scenario.model) ? in_file(options.file, answer) : answer();
}

void print_text(const MachineCheck& check, const Model& model) {
  fmt::print("{}: {}; {}\n", model.name.empty() ? "model" : model.name, counts_text(model),
             plural(check.degrees_of_freedom, "degree of freedom", "degrees of freedom"));
  if (check.imposed > 0)
    fmt::print("{} imposed and not counted.\n", plural(check.imposed, "coordinate is", "coordinates are"));
  fmt::print("{}", check.topology);
  fmt::print("{}, closed by {}", plural(check.loops, "loop", "loops"),
             plural(check.constraints, "constraint", "constraints"));
  if (check.redundant > 0)
    fmt::print(", {} of them redundant: {} what the others say already", check.redundant,
               check.redundant == 1 ? "it repeats" : "they repeat");
  fmt::print(".\n");
  if (check.imbalance <= rounding_of_files)
    fmt::print("The start shape is in balance.\n");
  else
    fmt::print("The start shape is out of balance: {:.4g} (N or N m) on {}; it will move.\n", check.net, check.worst);
  if (!check.slack.empty()) fmt::print("No tension at the start: {}.\n", listed(check.slack, 10));
  if (check.parts > 1) fmt::print("It falls into {} parts that nothing connects.\n", check.parts);
}

void print_text(const CheckAnswer& f) {
  if (f.machine) return print_text(*f.machine, f.scenario.model);
  const Model& model = f.scenario.model;
  const Balance& b = f.balance;
  fmt::print("{}: {}; {}\n", model.name.empty() ? "model" : model.name, counts_text(model),
             plural(f.degrees_of_freedom, "degree of freedom", "degrees of freedom"));
  if (b.imbalance <= rounding_of_files && b.mean_force == 0.0) {
    fmt::print("The start shape is in balance: nothing carries any force.\n");
  } else if (b.imbalance <= rounding_of_files) {
    fmt::print("The start shape is in balance (largest net force {:.1e} of the mean member force, {:.4g} N).\n",
               b.imbalance, b.mean_force);
  } else {
    const Vec3& r = b.net_force[b.worst_node];
    fmt::print("The start shape is {:.3g} % out of balance, worst at {}:\n", 100.0 * b.imbalance,
               place_text(model, b.worst_node));
    fmt::print("  net force ({:.4g}, {:.4g}, {:.4g}) N, that is {:.4g} N against {:.4g} N in the mean member.\n", r[0],
               r[1], r[2], r.norm(), b.mean_force);
    fmt::print("  It will move until it finds another shape.\n");
  }
  if (b.weight_left_out)
    fmt::print("Nothing holds it against gravity: it falls freely, and its weight is left out of the balance.\n");
  if (!b.slack.empty()) fmt::print("{}\n", slack_text(model, b.slack));
  if (f.parts.count > 1) fmt::print("It falls into {} parts that nothing connects.\n", f.parts.count);
  if (const int motions = f.parts.total_rigid_motions(); motions > 0)
    fmt::print("Its supports leave {} free.\n", plural(motions, "rigid motion", "rigid motions"));
  if (f.redundant > 0)
    fmt::print("{} of its bars, bodies and constraints repeat{} what the others say already.\n", f.redundant,
               f.redundant == 1 ? "s" : "");
}

int check(const CheckOptions& options) {
  if (!options.json) {
    const CheckAnswer found = inspect(options);
    no_line();
    print_text(found);
    return 0;
  }
  try {
    const CheckAnswer found = inspect(options);
    no_line();
    fmt::print("{}", result_text(json_of(found)));
    return 0;
  } catch (const InputError& error) {
    fmt::print("{}", result_text(json_of(error, options.file)));
    return 2;
  }
}

}  // namespace

Command check_command() {
  const auto options = std::make_shared<CheckOptions>();
  Command command{"check",
                  "Validate a model file; say whether its start shape is in balance and which cables are slack"};
  command.options = {
      required({"FILE", "TEXT", &options->file, "Model file (TOML)"}),
      from_option(&options->from),
      {"--set", "TEXT", &options->set, "Override a key of the file: key.path=value; may be repeated"},
      {"--json", "", &options->json,
       "One JSON object on standard output: ok, errors, imbalance, slack, degrees_of_freedom, parts, ..."},
  };
  command.footer = "Exit code: 0 the file is valid, 2 it is not.\nExample: taut check prism.toml";
  command.run = [options] { return check(*options); };
  return command;
}

}  // namespace taut
