// taut run: reads a model file, simulates it, writes the results and the closing table.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/blame_file.h"
#include "apps/taut/closing_table.h"
#include "apps/taut/commands.h"
#include "apps/taut/stop_signals.h"
#include "apps/taut/terminal.h"
#include "taut/base/error.h"
#include "taut/integrate/integrator.h"
#include "taut/model/read_toml.h"
#include "taut/run/record_csv.h"
#include "taut/run/record_hdf5.h"
#include "taut/run/record_scene.h"
#include "taut/run/record_summary.h"
#include "taut/run/simulate.h"

namespace taut {
namespace {

struct RunOptions {
  std::string file;
  std::string folder;
  std::optional<std::string> formulation, integrator, constraints;
  std::optional<double> step, tolerance, duration, output_step;
  std::vector<std::string> set;
  bool csv = false, no_report = false, settle = false;
};

// An option as an override of a [simulation] key, and as it was typed.
struct GivenOption {
  std::string override, typed;
};

std::vector<GivenOption> given_options(const RunOptions& options) {
  std::vector<GivenOption> given;
  const auto add = [&](const char* key, const char* name, const auto& value) {
    if (value) given.push_back({fmt::format("simulation.{}={}", key, *value), fmt::format("{} {}", name, *value)});
  };
  add("formulation", "--formulation", options.formulation);
  add("integrator", "--integrator", options.integrator);
  add("constraints", "--constraints", options.constraints);
  add("step", "--step", options.step);
  add("tolerance", "--tolerance", options.tolerance);
  add("duration", "--duration", options.duration);
  add("output_step", "--output-step", options.output_step);
  if (options.settle) given.push_back({"simulation.settle=true", "--settle"});
  return given;
}

// The options come after --set and win. A problem with one of them is told in the words that were typed.
Scenario read(const RunOptions& options) {
  const std::vector<GivenOption> given = given_options(options);
  std::vector<std::string> overrides = options.set;
  for (const GivenOption& option : given) overrides.push_back(option.override);
  try {
    return read_scenario(options.file, overrides);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      for (const GivenOption& option : given)
        if (problem.place.file == "--set " + option.override) problem.place.file = option.typed;
    throw InputError(std::move(problems));
  }
}

int run(const RunOptions& options) {
  const Scenario scenario = read(options);

  // Whether the results can be written is found out here, before anything is computed.
  const std::string stem = std::filesystem::path(options.file).stem().string();
  OutputDir dir(options.folder.empty() ? stem + "-run" : options.folder);
  Hdf5Recorder hdf5(dir);
  std::optional<CsvRecorder> csv;
  if (options.csv) csv.emplace(dir, scenario.model);
  std::optional<SceneRecorder> scene;
  if (!options.no_report && reports_possible()) scene.emplace(dir, stem);
  SummaryRecorder summary_file(dir);
  EnergyEnds energies;
  std::vector<Recorder*> recorders{&hdf5, &energies};
  if (csv) recorders.push_back(&*csv);
  if (scene) recorders.push_back(&*scene);
  recorders.push_back(&summary_file);  // in place last: where it is, everything is

  Summary summary;
  {
    const StopSignals signals;
    Progress progress(stderr, scenario.simulation.duration);
    const RunHooks hooks{[&](double t) { progress.update(t); }, &stop_asked()};
    summary = blaming(options.file, [&] { return simulate(scenario, recorders, hooks); });
  }
  if (!dir.failure().empty()) throw RunError(summary.simulated_s, dir.failure());

  fmt::print("{}", closing_table(scenario, summary, energies, dir, speaks_utf8(),
                                 options.no_report || scene ? "" : no_viewer));
  if (summary.status == "done") return 0;
  std::fflush(stdout);
  fmt::print(stderr, "{}: {}\n", options.file,
             summary.status == "failed" ? fmt::format("failed at t = {:.9g} s: {}", summary.simulated_s, summary.reason)
                                        : summary.reason);
  return 1;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand("run", "Simulate a model file and write the motion into a folder");
  const auto options = std::make_shared<RunOptions>();
  const Simulation standard;
  const auto option = [&](const char* names, const char* value, auto& to, const std::string& help) {
    return command.add_option(names, to, help)->type_name(value);
  };
  const auto with = [](const std::string& help, const auto& value) { return fmt::format("{} [{}]", help, value); };
  std::string methods = "auto";
  for (const IntegratorKind& kind : integrator_kinds()) methods += fmt::format(" | {}", kind.name);

  option("FILE", "", options->file, "The model file (TOML)")->required();
  option("-o,--output", "DIR", options->folder, "Folder for the results [FILE without .toml, with -run]");
  option("--formulation", "F", options->formulation, with("Coordinates of the motion", standard.formulation));
  option("--integrator", "I", options->integrator, with(methods, standard.integrator));
  option("--step", "S", options->step, with("Step of the fixed-step integrators, s", standard.step));
  option("--tolerance", "T", options->tolerance,
         with("Error per step of the adaptive ones, relative, m and m/s", standard.tolerance));
  option("--duration", "D", options->duration, with("Time to simulate, s", standard.duration));
  option("--output-step", "S", options->output_step, with("Time between rows of results, s", standard.output_step));
  option("--constraints", "C", options->constraints,
         with("projection | baumgarte | none: how bars keep their lengths", name(standard.constraints)));
  option("--set", "KEY=VALUE", options->set, "Override any key of the model file; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--settle", options->settle, "Find the equilibrium first and start there");
  command.add_flag("--csv", options->csv,
                   "Write nodes.csv, cables.csv, energy.csv, rods.csv, frames.csv, joints.csv, controls.csv");
  command.add_flag("--no-report", options->no_report, "Write no report.html");
  command.footer(
      "In brackets: the value where neither the option nor the model file gives one.\n"
      "Results in DIR, SI units: report.html (opens in any browser: 3-D motion, plots, summary), summary.json and "
      "run.h5\n"
      "(HDF5: t, nodes, velocities, tensions, bar_forces, energy, constraint_error, ...). Ctrl-C ends the run and "
      "keeps\n"
      "what was computed; a second one ends it at once.\n"
      "Examples:\n"
      "  taut run six-bar.toml\n"
      "  taut run six-bar.toml --duration 10 --output-step 0.001 --csv -o out\n"
      "  taut run six-bar.toml --integrator dopri5 --tolerance 1e-10 --set 'environment.gravity=[0,0,-1.62]'");
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace taut
