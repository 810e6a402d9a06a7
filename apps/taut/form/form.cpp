// taut form: finds the equilibrium of a model and writes the model that stands in it.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/taut/commands.h"
#include "apps/taut/form/form_options.h"
#include "apps/taut/form/form_report.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/text_file.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/csv.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"

namespace taut {
namespace {

std::string path_csv(const PathAnswer& answer) {
  Csv csv;
  for (const char* heading : {"point", "factor", "arc_length", "unstable", "stiffness"}) csv.cell(heading);
  for (int i : answer.nodes)
    for (char axis : {'x', 'y', 'z'}) csv.cell(fmt::format("{}.{}", answer.model.nodes[i].name, axis));
  csv.end_row();
  for (std::size_t k = 0; k < answer.path.points.size(); ++k) {
    const PathPoint& at = answer.path.points[k];
    csv.cell(k);
    csv.cell(at.p);
    csv.cell(at.arc);
    csv.cell(at.unstable);
    csv.cell(at.stiffness);
    for (int i : answer.nodes)
      for (int axis = 0; axis < 3; ++axis) csv.cell(at.x[3 * i + axis]);
    csv.end_row();
  }
  return csv.take();
}

// Progress, in the line on a terminal.
void say_progress(FormSettings& settings) {
  settings.relaxing = [](long steps, double residual) {
    doing(fmt::format("{} steps, largest net force {:.1e} of the mean member force", steps, residual));
  };
  settings.following = [](long points, double p) { doing(fmt::format("{} points of the path, at {:.4g}", points, p)); };
}

// Where results go: under the model's name, in the present folder, where nothing else is asked for.
FormFiles files_of(const FormOptions& options) {
  const std::string stem = std::filesystem::path(options.file).stem().string();
  FormFiles files{options.output.empty() ? stem + "-form.toml" : options.output, {}};
  if (!options.path.empty()) files.table = options.record.empty() ? stem + "-path.csv" : options.record;
  return files;
}

int form(const FormOptions& options) {
  FormSettings settings = settings_of(options);
  refuse_options_of_others(settings.method, settings.path.has_value(), options.given);
  say_progress(settings);
  doing("reading " + options.file);
  const Scenario scenario = read_scenario(options.file, options.set);
  doing("looking for the equilibrium of " + options.file);
  const FormFiles files = files_of(options);
  TextFile file(files.model, "toml");
  return in_file(options.file, [&] {
    std::unique_ptr<TextFile> table;
    if (!files.table.empty()) table = std::make_unique<TextFile>(files.table, "csv");
    const FormAnswer answer = answer_form(scenario, settings);
    const FormResult& result = answer.result();
    // Files come before anything is printed, for the reader of that may leave (head -1).
    const auto* path = std::get_if<PathAnswer>(&answer.found);
    if (path && !path->path.points.empty()) table->write(path_csv(*path));
    if (result.converged) file.write(to_toml(formed(scenario, answer)));
    no_line();
    if (options.json)
      fmt::print("{}", result_text(json_of(answer, files)));
    else
      print_answer(answer, files);
    if (result.converged) return 0;
    std::fflush(stdout);
    message("{}: no equilibrium: {}\n", options.file, result.reason);
    return 1;
  });
}

}  // namespace

Command form_command() {
  const auto options = std::make_shared<FormOptions>();
  Command command{"form", "Find the equilibrium of a model and write the model that stands in it"};
  command.options = {
      required({"FILE", "", &options->file, "The model file (TOML)"}),
      {"--method", "M", &options->method, "relax, force_density, newton, prestress or optimise, see below [relax]",
       one_of(method_words())},
      {"-o,--output", "FILE", &options->output, "The file to write [FILE without .toml, with -form.toml]"},
      {"--steps", "N", &options->settings.steps,
       fmt::format("Most steps of relaxation [{}], or points of a path [2000]", options->settings.steps),
       positive_number()},
      {"--tolerance", "T", &options->settings.tolerance,
       fmt::format("Largest net node force, of the mean member force, that counts as balance [{}]",
                   options->settings.tolerance),
       positive_number()},
      {"--reach", "M", &options->settings.reach,
       "prestress: how far a node may move, m [a quarter of the mean member length]", positive_number()},
      {"--least-tension", "N", &options->settings.least_tension,
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
