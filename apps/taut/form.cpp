// taut form: finds the equilibrium of a model and writes the model that stands in it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/blame_file.h"
#include "apps/taut/commands.h"
#include "apps/taut/form_methods.h"
#include "apps/taut/form_report.h"
#include "apps/taut/number_checks.h"
#include "apps/taut/text_file.h"
#include "taut/analysis/balance.h"
#include "taut/analysis/prestress_start.h"
#include "taut/analysis/relax.h"
#include "taut/base/error.h"
#include "taut/model/read_toml.h"
#include "taut/model/suggest.h"
#include "taut/model/words.h"
#include "taut/model/write_toml.h"

namespace taut {
namespace {

void require_method(const std::string& method) {
  static const std::vector<std::string_view> methods = {"relax", "force_density", "newton", "prestress", "optimise"};
  if (std::find(methods.begin(), methods.end(), method) != methods.end()) return;
  const std::string_view near = nearest_word(method, methods);
  throw InputError({Problem{{},
                            "--method",
                            fmt::format("there is no method \"{}\"; there is {}{}", method, fmt::join(methods, ", "),
                                        near.empty() ? "" : fmt::format("; did you mean {}?", near))}});
}

std::vector<std::string> slack_names(const RelaxResult& r) {
  std::vector<std::string> names;
  for (int cable : r.slack) names.push_back(r.model.cables[cable].name);
  return names;
}

std::string name_of(const RelaxResult& r, int node) { return node >= 0 ? r.model.nodes[node].name : ""; }

void print_json(const RelaxResult& r, const std::string& output) {
  const auto named = [&](int node) { return node >= 0 ? Json(name_of(r, node)) : Json(); };
  Json object;
  object["converged"] = r.converged;
  object["reason"] = r.reason;
  object["stable"] = r.converged ? Json(r.stable) : Json();
  object["free_motion"] = r.converged && !r.free.empty() ? Json(r.free) : Json();
  object["imbalance"] = r.residual;
  object["start_imbalance"] = r.start_residual;
  object["net_force"] = r.net_force;
  object["worst_node"] = named(r.worst_node);
  object["mean_member_force"] = r.mean_force;
  object["steps"] = r.steps;
  object["peaks"] = r.peaks;
  object["newton_steps"] = r.newton_steps;
  object["largest_move"] = r.largest_move;
  object["moved_node"] = named(r.moved_node);
  object["slack"] = slack_names(r);
  object["tensions"] = object["rest_lengths"] = object["bar_forces"] = Json::object();
  const Balance balance = start_balance(at_rest(r.model));
  for (std::size_t i = 0; r.converged && i < r.model.cables.size(); ++i) {
    object["tensions"][r.model.cables[i].name] = balance.cable_tension[i];
    object["rest_lengths"][r.model.cables[i].name] = r.model.cables[i].rest_length;
  }
  for (std::size_t i = 0; r.converged && i < r.model.bars.size(); ++i)
    object["bar_forces"][r.model.bars[i].name] = balance.bar_force[i];
  object["file"] = r.converged ? Json(output) : Json();
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_text(const RelaxResult& r, const std::string& output) {
  const auto line = [](std::string_view name, const std::string& value) { fmt::print("  {:<18}{}\n", name, value); };
  if (!r.model.name.empty()) fmt::print("{}\n", r.model.name);
  if (!r.converged)
    line("status", "no equilibrium: " + r.reason);
  else
    line("status", equilibrium_text(r.stable, r.free));
  line("largest net force",
       fmt::format("{:.1e} of the mean member force, {:.4g} N{}", r.residual, r.mean_force,
                   r.converged || r.worst_node < 0 ? "" : fmt::format("; at {}", place_text(r.model, r.worst_node))));
  line("at the start", fmt::format("{:.1e}", r.start_residual));
  line("kinetic damping", r.steps == 0 ? "not needed" : fmt::format("{} steps, {} peaks", r.steps, r.peaks));
  line("newton steps", fmt::format("{}", r.newton_steps));
  line("largest move",
       r.moved_node < 0 ? "none" : fmt::format("{:.4g} m, node {}", r.largest_move, name_of(r, r.moved_node)));
  const std::vector<std::string> names = slack_names(r);
  const std::size_t shown = std::min<std::size_t>(names.size(), 10);
  std::string slack = names.empty() ? "none" : fmt::format("{} of {}: ", names.size(), r.model.cables.size());
  for (std::size_t i = 0; i < shown; ++i) slack += (i > 0 ? ", " : "") + names[i];
  if (names.size() > shown) slack += fmt::format(" and {} more", names.size() - shown);
  line("slack cables", slack);
  if (r.converged) line("file", output);
}

int form_relax(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output) {
  RelaxResult result;
  {
    ProgressLine progress;
    RelaxOptions how;
    how.steps = options.steps;
    how.tolerance = options.tolerance;
    how.progress = [&](long steps, double residual) { progress(steps, residual); };
    result = relax(scenario.model, how);
  }
  if (result.converged) {
    scenario.model = result.model;
    file.write(to_toml(scenario));
  }
  options.json ? print_json(result, output) : print_text(result, output);
  if (result.converged) return 0;
  std::fflush(stdout);
  fmt::print(stderr, "{}: no equilibrium: {}\n", options.file, result.reason);
  return 1;
}

int form(const FormOptions& options) {
  require_method(options.method);
  refuse_options_of_others(options);
  Scenario scenario = read_scenario(options.file, options.set);
  const std::string stem = std::filesystem::path(options.file).stem().string();
  const std::string output = options.output.empty() ? stem + "-form.toml" : options.output;
  TextFile file(output);
  return blaming(options.file, [&] {
    if (options.method == "relax") return form_relax(options, scenario, file, output);
    if (options.method == "force_density") return form_force_density(options, scenario, file, output);
    if (options.method == "newton") return form_newton(options, scenario, file, output);
    if (options.method == "optimise") return form_optimise(options, scenario, file, output);
    return form_prestress(options, scenario, file, output);
  });
}

}  // namespace

void add_form(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("form", "Find the equilibrium of a model and write the model that stands in it");
  const auto options = std::make_shared<FormOptions>();
  command.add_option("FILE", options->file, "The model file (TOML)")->type_name("")->required();
  command
      .add_option("--method", options->method,
                  "relax, force_density, newton, prestress or optimise, as told below [relax]")
      ->type_name("M");
  command.add_option("-o,--output", options->output, "The file to write [FILE without .toml, with -form.toml]")
      ->type_name("FILE");
  command
      .add_option("--steps", options->steps,
                  fmt::format("Most steps of relaxation [{}], or points of a path [2000]", options->steps))
      ->type_name("N")
      ->check(positive_number());
  command
      .add_option("--tolerance", options->tolerance,
                  fmt::format("Largest net node force, of the mean member force, that counts as balance [{}]",
                              options->tolerance))
      ->type_name("T")
      ->check(positive_number());
  command
      .add_option("--reach", options->reach,
                  "prestress: how far a node may move, m [a quarter of the mean member length]")
      ->type_name("M")
      ->check(positive_number());
  command
      .add_option("--least-tension", options->least_tension,
                  "prestress: what every cable carries at least that has no target of its own, N [0]")
      ->type_name("N")
      ->check(number_not_negative());
  add_shape_options(command, *options);
  add_path_options(command, *options);
  command.add_option("--set", options->set, "Override any key of the model file; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--json", options->json,
                   "One JSON object on standard output: converged, reason, imbalance, slack, file, ...");
  command.footer(
      "relax          let go, stop the motion at each peak of kinetic energy, polish; rest lengths and bars stay\n"
      "newton         Newton's method from the start; paths under growing loads or changing rest lengths\n"
      "prestress      the equilibrium nearest to the shape with the tensions of [[targets]], and its rest lengths\n"
      "force_density  from force over length of members, given or found; bars get new lengths\n"
      "optimise       members as long or as short as the lengths of the others allow\n"
      "Loads and actuators as at t = 0.\n"
      "MEMBERS are names with commas between, with * for any text, or: cables, bars.\n"
      "Exit code: 0 an equilibrium was found, 1 there is none or it was not found (then no file is written), 2 bad "
      "input.\n"
      "Examples:\n"
      "  taut form prism.toml\n"
      "  taut form prism.toml --set 'environment.gravity=[0,0,0]' -o floating.toml\n"
      "  taut form measured.toml --method prestress --json\n"
      "  taut form prism.toml --method force_density --pretension 50\n"
      "  taut form arch.toml --method newton --path loads --arc-length");
  command.callback([options, &command, &exit_code] {
    for (const CLI::Option* option : command.get_options())
      if (option->count() > 0) options->given.push_back(option->get_name());
    exit_code = form(*options);
  });
}

}  // namespace taut
