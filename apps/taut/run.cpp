// taut run: reads a model file, simulates it, writes the results and the closing table.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/closing_table.h"
#include "apps/taut/commands.h"
#include "apps/taut/from_run.h"
#include "apps/taut/in_file.h"
#include "apps/taut/terminal.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/integrate/integrator.h"
#include "taut/report/record_scene.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/record_csv.h"
#include "taut/results/record_summary.h"
#include "taut/run/simulate.h"

namespace taut {
namespace {

struct RunOptions {
  std::string file;
  std::string folder, from;
  std::optional<std::string> formulation, integrator, constraints;
  std::optional<double> step, tolerance, duration, output_step;
  std::vector<std::string> set;
  bool csv = false, no_report = false, settle = false;
};

// The options that stand for keys of [simulation]; a problem with one of them is named as it was typed.
std::vector<Override> given_options(const RunOptions& options) {
  std::vector<Override> given;
  const auto add = [&](const char* key, const char* option, const auto& value) {
    if (value)
      given.push_back(override_value(std::string("simulation.") + key, {*value}, fmt::format("{} {}", option, *value)));
  };
  add("formulation", "--formulation", options.formulation);
  add("integrator", "--integrator", options.integrator);
  add("constraints", "--constraints", options.constraints);
  add("step", "--step", options.step);
  add("tolerance", "--tolerance", options.tolerance);
  add("duration", "--duration", options.duration);
  add("output_step", "--output-step", options.output_step);
  if (options.settle) given.push_back(override_value("simulation.settle", {true}, "--settle"));
  return given;
}

// What can be made again from run.h5 does not cost it its place on the disk.
void may_lose_derived(OutputDir& dir) {
  dir.may_lose(SceneRecorder::file_name);
  for (const char* table : CsvRecorder::file_names) dir.may_lose(table);
}

// Says which files are missing and how to make them; true where none is.
bool say_what_is_lost(const OutputDir& dir) {
  for (const std::string& why : dir.lost()) message("{}\n", why);
  if (!dir.lost().empty())
    message("{0} holds the whole run: `taut view {1}` makes the page from it, `taut export {1} --to csv` the tables\n",
            (dir.path() / "run.h5").string(), dir.path().string());
  return dir.lost().empty();
}

int run(const RunOptions& options) {
  doing("reading " + options.file);
  Scenario scenario = read_scenario(options.file, options.set, given_options(options));
  if (options.settle && !options.from.empty())
    throw InputError({Problem{{}, "--settle", "finds a start of its own: expected this or --from, not both"}});
  const std::optional<RecordedState> from = recorded_start(options.from, scenario);
  if (from) scenario.model = from->scenario.model;

  // Whether the results can be written is found out here, before anything is computed.
  const std::string stem = std::filesystem::path(options.file).stem().string();
  OutputDir dir(options.folder.empty() ? stem + "-run" : options.folder);
  may_lose_derived(dir);
  Hdf5Recorder hdf5(dir);
  std::optional<CsvRecorder> csv;
  if (options.csv) csv.emplace(dir, scenario.model);
  std::optional<SceneRecorder> scene;
  if (!options.no_report && reports_possible()) scene.emplace(dir, stem);
  SummaryRecorder summary_file(dir);  // in place last: where it is, everything is
  EnergyEnds energies;
  std::vector<Recorder*> recorders{&hdf5, &energies, &summary_file};  // what is needed is written before the rest
  if (csv) recorders.push_back(&*csv);
  if (scene) recorders.push_back(&*scene);

  Summary summary;
  {
    // From the first row on there is something to keep.
    doing("preparing the run");
    Watch* const watch = Watch::present();
    watch->give(std::chrono::milliseconds(0),
                [] { return std::string("interrupted before the first row: there is nothing to keep"); });
    Progress progress(stderr, scenario.simulation.duration);
    const auto show = [&](double t) {
      watch->end();
      progress.update(t);
    };
    const RunHooks hooks{show, &stop_asked(), true, from ? &*from : nullptr};
    summary = in_file(options.file, [&] { return simulate(scenario, recorders, hooks); });
  }
  no_line();
  if (!dir.failure().empty()) throw RunError(summary.simulated_s, dir.failure());

  fmt::print("{}", closing_table(scenario, summary, energies, dir, speaks_utf8(),
                                 options.no_report || scene ? "" : no_viewer));
  std::fflush(stdout);
  const bool all_written = say_what_is_lost(dir);
  if (summary.status == RunStatus::done) return all_written ? 0 : 1;
  message("{}: {}\n", options.file,
          summary.status == RunStatus::failed
              ? fmt::format("failed at t = {:.9g} s: {}", summary.simulated_s, summary.reason)
              : summary.reason);
  return 1;
}

}  // namespace

Command run_command() {
  const auto options = std::make_shared<RunOptions>();
  const RunSettings standard;
  const auto with = [](const std::string& help, const auto& value) { return fmt::format("{} [{}]", help, value); };
  std::string methods = "auto";
  for (const IntegratorKind& kind : integrator_kinds()) methods += fmt::format(" | {}", kind.name);
  Command command{"run", "Simulate a model file and write the motion into a folder"};
  command.options = {
      required({"FILE", "", &options->file, "The model file (TOML)"}),
      {"-o,--output", "DIR", &options->folder, "Folder for the results [FILE without .toml, with -run]"},
      {"--formulation", "F", &options->formulation, with("Coordinates of the motion", standard.formulation)},
      {"--integrator", "I", &options->integrator, with(methods, standard.integrator)},
      {"--step", "S", &options->step, with("Step of the fixed-step integrators, s", standard.step)},
      {"--tolerance", "T", &options->tolerance,
       with("Error per step of the adaptive ones, relative, m and m/s", standard.tolerance)},
      {"--duration", "D", &options->duration, with("When the run ends, s; it begins at 0", standard.duration)},
      {"--output-step", "S", &options->output_step, with("Time between rows of results, s", standard.output_step)},
      {"--constraints", "C", &options->constraints,
       with("projection | baumgarte | none: how bars keep their lengths", name(standard.constraints))},
      {"--set", "KEY=VALUE", &options->set, "Override any key of the model file; may be repeated"},
      {"--settle", "", &options->settle, "Find the equilibrium first and start there"},
      from_option(&options->from),
      {"--csv", "", &options->csv,
       "Write nodes, cables, energy, rods, frames, joints, controls, driven_bars as .csv tables"},
      {"--no-report", "", &options->no_report, "Write no report.html"},
  };
  command.footer =
      "In brackets: the value where neither the option nor the model file gives one.\n"
      "Results in DIR, SI units: report.html (opens in any browser: 3-D motion, plots, summary), summary.json and "
      "run.h5\n"
      "(HDF5: t, nodes, velocities, tensions, bar_forces, energy, constraint_error, ...). Ctrl-C ends the run and "
      "keeps\n"
      "what was computed; a second one, or one before the first row, ends it at once.\n"
      "Examples:\n"
      "  taut run six-bar.toml\n"
      "  taut run six-bar.toml --duration 10 --output-step 0.001 --csv -o out\n"
      "  taut run six-bar.toml --from six-bar-run/run.h5 --duration 20 -o longer\n"
      "  taut run six-bar.toml --integrator dopri5 --tolerance 1e-10 --set 'environment.gravity=[0,0,-1.62]'";
  command.run = [options] { return run(*options); };
  return command;
}

}  // namespace taut
