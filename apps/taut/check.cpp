// taut check: is the file right, and will the structure stand?
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/taut/blame_file.h"
#include "apps/taut/check_mechanism.h"
#include "apps/taut/commands.h"
#include "taut/analysis/balance.h"
#include "taut/analysis/parts.h"
#include "taut/base/error.h"
#include "taut/formulation/formulation.h"
#include "taut/model/read_toml.h"
#include "taut/model/words.h"

namespace taut {
namespace {

using Json = nlohmann::ordered_json;

struct CheckOptions {
  std::string file;
  std::vector<std::string> set;
  bool json = false;
};

struct Findings {
  Scenario scenario;
  Balance balance;
  Parts parts;
  int degrees_of_freedom = 0, redundant = 0;
  std::optional<MechanismCheck> mechanism;  // then the rest above does not hold
};

// An imbalance below this is rounding of the numbers in a file, not a shape out of balance.
constexpr double balanced = 1e-6;

Findings inspect(const CheckOptions& options) {
  Findings f;
  f.scenario = read_scenario(options.file, options.set);
  if (is_mechanism(f.scenario.model)) {
    f.mechanism = blaming(options.file, [&] { return inspect_mechanism(f.scenario); });
    return f;
  }
  const auto formulation = make_formulation("nodal", f.scenario.model);
  f.degrees_of_freedom = formulation->degrees_of_freedom();
  f.redundant = formulation->redundant_constraints();
  f.parts = find_parts(f.scenario.model);
  f.balance = start_balance(f.scenario.model);
  return f;
}

std::vector<std::string> slack_names(const Findings& f) {
  std::vector<std::string> names;
  for (int cable : f.balance.slack) names.push_back(f.scenario.model.cables[cable].name);
  return names;
}

void print_json(const Findings& f) {
  const Balance& b = f.balance;
  Json object;
  object["ok"] = true;
  object["errors"] = Json::array();
  object["imbalance"] = b.imbalance;
  object["in_balance"] = b.imbalance <= balanced;
  object["worst_node"] = b.worst_node >= 0 ? Json(f.scenario.model.nodes[b.worst_node].name) : Json();
  object["mean_member_force"] = b.mean_force;
  object["slack"] = slack_names(f);
  object["degrees_of_freedom"] = f.degrees_of_freedom;
  object["redundant_constraints"] = f.redundant;
  object["parts"] = f.parts.count;
  object["rigid_motions"] = f.parts.total_rigid_motions();
  object["weight_left_out"] = b.weight_left_out;
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
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
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string plural(int n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

void print_text(const Findings& f) {
  const Model& model = f.scenario.model;
  const Balance& b = f.balance;
  fmt::print("{}: {}; {}\n", model.name.empty() ? "model" : model.name, counts_text(model),
             plural(f.degrees_of_freedom, "degree of freedom", "degrees of freedom"));
  if (b.imbalance <= balanced && b.mean_force == 0.0) {
    fmt::print("The start shape is in balance: nothing carries any force.\n");
  } else if (b.imbalance <= balanced) {
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
  if (!b.slack.empty()) {
    fmt::print("{} no tension at the start: ",
               b.slack.size() == 1 ? "One cable has" : fmt::format("{} cables have", b.slack.size()));
    const std::vector<std::string> names = slack_names(f);
    const std::size_t shown = std::min<std::size_t>(names.size(), 10);
    for (std::size_t i = 0; i < shown; ++i) fmt::print("{}{}", i > 0 ? ", " : "", names[i]);
    fmt::print("{}.\n", names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
  }
  if (f.parts.count > 1) fmt::print("It falls into {} parts that nothing connects.\n", f.parts.count);
  if (const int motions = f.parts.total_rigid_motions(); motions > 0)
    fmt::print("Its supports leave {} free.\n", plural(motions, "rigid motion", "rigid motions"));
  if (f.redundant > 0)
    fmt::print("{} of its bars, bodies and constraints repeat{} what the others say already.\n", f.redundant,
               f.redundant == 1 ? "s" : "");
}

int check(const CheckOptions& options) {
  if (!options.json) {
    const Findings found = inspect(options);
    if (found.mechanism)
      print_text(*found.mechanism, found.scenario.model);
    else
      print_text(found);
    return 0;
  }
  try {
    const Findings found = inspect(options);
    if (found.mechanism)
      print_json(*found.mechanism);
    else
      print_json(found);
    return 0;
  } catch (const InputError& error) {
    print_json(error, options.file);
    return 2;
  }
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "check", "Validate a model file; say whether its start shape is in balance and which cables are slack");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->file, "Model file (TOML)")->required();
  command->add_option("--set", options->set, "Override a key of the file: key.path=value; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json,
                    "One JSON object on standard output: ok, errors, imbalance, slack, degrees_of_freedom, parts, ...");
  command->footer("Exit code: 0 the file is valid, 2 it is not.\nExample: taut check prism.toml");
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace taut
