// taut form: finds the equilibrium of a model and writes the model that stands in it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/form/form_methods.h"
#include "apps/taut/form/form_report.h"
#include "apps/taut/in_file.h"
#include "apps/taut/text_file.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/text.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/form/relax.h"
#include "taut/model/words.h"

namespace taut {
namespace {

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
  if (has_joints(r.model)) object["worst_joint"] = r.worst_joint.empty() ? Json() : Json(r.worst_joint);
  object["mean_member_force"] = r.mean_force;
  object["steps"] = r.steps;
  object["peaks"] = r.peaks;
  object["newton_steps"] = r.newton_steps;
  object["largest_move"] = r.largest_move;
  object["moved_node"] = named(r.moved_node);
  object["slack"] = cable_names(r.model, r.slack);
  object["tensions"] = object["rest_lengths"] = object["bar_forces"] = Json::object();
  for (std::size_t i = 0; r.converged && i < r.tensions.size(); ++i)
    object["tensions"][cable_name(r.model, static_cast<int>(i))] = r.tensions[i];
  for (std::size_t i = 0; r.converged && i < r.model.cables.size(); ++i)
    object["rest_lengths"][r.model.cables[i].name] = r.model.cables[i].rest_length;
  for (std::size_t i = 0; r.converged && i < r.model.bars.size(); ++i)
    object["bar_forces"][r.model.bars[i].name] = r.bar_forces[i];
  object["file"] = r.converged ? Json(output) : Json();
  fmt::print("{}", text_of(object));
}

void print_text(const RelaxResult& r, const std::string& output) {
  const auto line = [](std::string_view name, const std::string& value) { fmt::print("  {:<18}{}\n", name, value); };
  if (!r.model.name.empty()) fmt::print("{}\n", r.model.name);
  if (!r.converged)
    line("status", "no equilibrium: " + r.reason);
  else
    line("status", equilibrium_text(r.stable, r.free));
  const std::string where = r.worst_node >= 0 ? place_text(r.model, r.worst_node) : r.worst_joint;
  line("largest net force", fmt::format("{:.1e} of the mean member force, {:.4g} N{}", r.residual, r.mean_force,
                                        r.converged || where.empty() ? "" : "; at " + where));
  line("at the start", fmt::format("{:.1e}", r.start_residual));
  line("kinetic damping", r.steps == 0 ? "not needed" : fmt::format("{} steps, {} peaks", r.steps, r.peaks));
  line("newton steps", fmt::format("{}", r.newton_steps));
  line("largest move",
       r.moved_node < 0 ? "none" : fmt::format("{:.4g} m, node {}", r.largest_move, name_of(r, r.moved_node)));
  const std::vector<std::string> names = cable_names(r.model, r.slack);
  line("slack cables",
       names.empty() ? "none" : fmt::format("{} of {}: {}", names.size(), r.tensions.size(), listed(names, 10)));
  if (r.converged) line("file", output);
}

int form_relax(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output) {
  RelaxOptions how;
  how.steps = options.steps;
  how.tolerance = options.tolerance;
  how.progress = say_steps;
  const RelaxResult result = relax(scenario.model, how);
  if (result.converged) {
    scenario.model = result.model;
    file.write(to_toml(scenario));
  }
  no_line();
  options.json ? print_json(result, output) : print_text(result, output);
  return exit_code(options, result);
}

int form(const FormOptions& options) {
  refuse_options_of_others(options);
  doing("reading " + options.file);
  Scenario scenario = read_scenario(options.file, options.set);
  doing("looking for the equilibrium of " + options.file);
  const std::string stem = std::filesystem::path(options.file).stem().string();
  const std::string output = options.output.empty() ? stem + "-form.toml" : options.output;
  TextFile file(output, "toml");
  return in_file(options.file, [&] {
    if (options.method == "relax") return form_relax(options, scenario, file, output);
    if (options.method == "force_density") return form_force_density(options, scenario, file, output);
    if (options.method == "newton") return form_newton(options, scenario, file, output);
    if (options.method == "optimise") return form_optimise(options, scenario, file, output);
    return form_prestress(options, scenario, file, output);
  });
}

}  // namespace

void say_steps(long steps, double residual) {
  doing(fmt::format("{} steps, largest net force {:.1e} of the mean member force", steps, residual));
}

Command form_command() {
  const auto options = std::make_shared<FormOptions>();
  Command command{"form", "Find the equilibrium of a model and write the model that stands in it"};
  command.options = {
      required({"FILE", "", &options->file, "The model file (TOML)"}),
      {"--method", "M", &options->method, "relax, force_density, newton, prestress or optimise, see below [relax]",
       one_of({"relax", "force_density", "newton", "prestress", "optimise"})},
      {"-o,--output", "FILE", &options->output, "The file to write [FILE without .toml, with -form.toml]"},
      {"--steps", "N", &options->steps,
       fmt::format("Most steps of relaxation [{}], or points of a path [2000]", options->steps), positive_number()},
      {"--tolerance", "T", &options->tolerance,
       fmt::format("Largest net node force, of the mean member force, that counts as balance [{}]", options->tolerance),
       positive_number()},
      {"--reach", "M", &options->reach, "prestress: how far a node may move, m [a quarter of the mean member length]",
       positive_number()},
      {"--least-tension", "N", &options->least_tension,
       "prestress: what every cable without a wanted tension of its own carries at least, N [0]",
       number_not_negative()},
  };
  add_shape_options(command, *options);
  add_path_options(command, *options);
  command.add({
      {"--set", "KEY=VALUE", &options->set, "Override any key of the model file; may be repeated"},
      {"--json", "", &options->json,
       "One JSON object on standard output: converged, reason, imbalance, slack, file, ..."},
  });
  command.footer =
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
      "  taut form arch.toml --method newton --path loads --arc-length";
  command.run = [options] { return form(*options); };
  command.given = &options->given;
  return command;
}

}  // namespace taut
