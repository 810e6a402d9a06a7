// taut check: is the file right, and will the structure stand?
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/taut/check_machine.h"
#include "apps/taut/commands.h"
#include "apps/taut/from_run.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/text.h"
#include "taut/dynamics/dynamics.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/parts.h"
#include "taut/file/read/read_toml.h"
#include "taut/formulation/formulation.h"
#include "taut/integrate/integrator.h"
#include "taut/model/words.h"

namespace taut {
namespace {

struct CheckOptions {
  std::string file, from;
  std::vector<std::string> set;
  bool json = false;
};

struct Checked {
  Scenario scenario;
  Balance balance;
  Parts parts;
  int degrees_of_freedom = 0, redundant = 0;
  std::optional<MachineCheck> machine;  // then the rest above does not hold
};

// Formulation and integrator as `taut run` would take them; throws InputError where it would refuse to begin.
void judge_settings(const Scenario& scenario, std::string_view formulation) {
  const RunSettings& s = scenario.simulation;
  const Dynamics dynamics(scenario.model, formulation, s.constraints, {s.k_s, s.k_d}, s.corrections);
  if (s.integrator != "auto") make_integrator(s.integrator, dynamics, {s.step, s.tolerance});
}

void judge_settings(const Scenario& scenario) {
  if (scenario.simulation.formulation != "all") return judge_settings(scenario, scenario.simulation.formulation);
  // One of all must do.
  std::vector<Problem> refusals;
  for (const std::string_view name : equivalent_formulations(scenario.model)) try {
      return judge_settings(scenario, name);
    } catch (const InputError& error) {
      refusals.insert(refusals.end(), error.problems().begin(), error.problems().end());
    }
  throw InputError(std::move(refusals));
}

Checked inspect(const CheckOptions& options) {
  Checked f;
  doing("reading " + options.file);
  f.scenario = read_scenario(options.file, options.set);
  doing("checking " + options.file);
  in_file(options.file, [&] { judge_settings(f.scenario); });
  std::optional<State> at;
  if (const std::optional<RecordedState> from = recorded_start(options.from, f.scenario))
    at = start_at(*from, f.scenario);
  if (has_joints(f.scenario.model)) {
    f.machine = in_file(options.file, [&] { return inspect_machine(f.scenario, at ? &*at : nullptr); });
    return f;
  }
  const auto formulation = make_formulation("nodal", f.scenario.model);
  f.degrees_of_freedom = formulation->facts().degrees_of_freedom;
  f.redundant = formulation->facts().redundant_constraints;
  f.parts = find_parts(f.scenario.model);
  f.balance = start_balance(f.scenario.model);
  return f;
}

void print_json(const Checked& f) {
  const Balance& b = f.balance;
  Json object;
  object["ok"] = true;
  object["errors"] = Json::array();
  object["imbalance"] = b.imbalance;
  object["in_balance"] = b.imbalance <= rounding_of_files;
  object["worst_node"] = b.worst_node >= 0 ? Json(f.scenario.model.nodes[b.worst_node].name) : Json();
  object["mean_member_force"] = b.mean_force;
  object["slack"] = cable_names(f.scenario.model, b.slack);
  object["degrees_of_freedom"] = f.degrees_of_freedom;
  object["redundant_constraints"] = f.redundant;
  object["parts"] = f.parts.count;
  object["rigid_motions"] = f.parts.total_rigid_motions();
  object["weight_left_out"] = b.weight_left_out;
  fmt::print("{}", text_of(object));
}

void print_json(const InputError& error, const std::string& file) {
  Json object;
  object["ok"] = false;
  object["errors"] = Json::array();
  for (const Problem& p : error.problems())
    object["errors"].push_back({{"file", p.place.file.empty() ? file : p.place.file},
                                {"line", p.place.line},
                                {"column", p.place.column},
                                {"key", p.key},
                                {"message", p.message}});
  for (const char* key : {"imbalance", "degrees_of_freedom", "parts"}) object[key] = nullptr;
  object["slack"] = Json::array();
  fmt::print("{}", text_of(object));
}

void print_text(const Checked& f) {
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
    const Checked found = inspect(options);
    no_line();
    if (found.machine)
      print_text(*found.machine, found.scenario.model);
    else
      print_text(found);
    return 0;
  }
  try {
    const Checked found = inspect(options);
    no_line();
    if (found.machine)
      print_json(*found.machine);
    else
      print_json(found);
    return 0;
  } catch (const InputError& error) {
    print_json(error, options.file);
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
