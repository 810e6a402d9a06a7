// taut run: reads a model file, simulates it, writes the results and the closing table.
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/taut/closing_table.h"
#include "apps/taut/commands.h"
#include "apps/taut/terminal.h"
#include "taut/base/error.h"
#include "taut/integrate/integrator.h"
#include "taut/model/read_toml.h"
#include "taut/run/record_csv.h"
#include "taut/run/record_hdf5.h"
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
  bool csv = false, no_report = false;
};

// The first signal asks the run to end with its results kept; the next one ends the program at once.
std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");
constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

extern "C" void ask_to_stop(int) {
  stop_asked.store(true);
  for (const int signal : stop_signals) std::signal(signal, SIG_DFL);
}

// The handlers while in scope. A hang-up that is ignored from outside (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals() {
    for (const int signal : stop_signals)
      if (std::signal(signal, ask_to_stop) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
  }
  ~StopSignals() {
    for (const int signal : stop_signals)
      if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

// The options as overrides of the [simulation] keys, after those of --set so that they win.
std::vector<std::string> overrides(const RunOptions& options) {
  std::vector<std::string> all = options.set;
  const auto text = [&](const char* key, const std::optional<std::string>& value) {
    if (value) all.push_back(fmt::format("simulation.{}={}", key, *value));
  };
  const auto number = [&](const char* key, const std::optional<double>& value) {
    if (value) all.push_back(fmt::format("simulation.{}={}", key, *value));
  };
  text("formulation", options.formulation);
  text("integrator", options.integrator);
  text("constraints", options.constraints);
  number("step", options.step);
  number("tolerance", options.tolerance);
  number("duration", options.duration);
  number("output_step", options.output_step);
  return all;
}

int run(const RunOptions& options) {
  const Scenario scenario = read_scenario(options.file, overrides(options));

  // Whether the results can be written is found out here, before anything is computed.
  const std::string stem = std::filesystem::path(options.file).stem().string();
  OutputDir dir(options.folder.empty() ? stem + "-run" : options.folder);
  Hdf5Recorder hdf5(dir);
  std::optional<CsvRecorder> csv;
  if (options.csv) csv.emplace(dir);
  SummaryRecorder summary_file(dir);
  EnergyEnds energies;
  std::vector<Recorder*> recorders{&hdf5, &energies};
  if (csv) recorders.push_back(&*csv);
  recorders.push_back(&summary_file);  // in place last: where it is, everything is

  Summary summary;
  {
    const StopSignals signals;
    Progress progress(stderr, scenario.simulation.duration);
    const RunHooks hooks{[&](double t) { progress.update(t); }, &stop_asked};
    summary = simulate(scenario, recorders, hooks);
  }
  if (!dir.failure().empty()) throw RunError(summary.simulated_s, dir.failure());

  fmt::print("{}", closing_table(scenario, summary, energies, dir, speaks_utf8()));
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
  const auto with_default = [](const char* help, const auto& value) { return fmt::format("{} [{}]", help, value); };
  std::string integrators = "auto";
  for (const IntegratorKind& kind : integrator_kinds()) integrators += fmt::format(" | {}", kind.name);

  command.description(
      "Simulates a model file and writes the motion into a folder.\n"
      "In brackets: the value where neither the option nor the model file gives one.");
  command.add_option("FILE", options->file, "The model file (TOML)")->required()->type_name("");
  command.add_option("-o,--output", options->folder, "Folder for the results [FILE without .toml, with -run]")
      ->type_name("DIR");
  command
      .add_option("--formulation", options->formulation,
                  with_default("Coordinates of the motion", standard.formulation))
      ->type_name("F");
  command.add_option("--integrator", options->integrator, with_default(integrators.c_str(), standard.integrator))
      ->type_name("I");
  command.add_option("--step", options->step, with_default("Step of the fixed-step integrators, s", standard.step))
      ->type_name("S");
  command
      .add_option("--tolerance", options->tolerance,
                  with_default("Error per step of the adaptive ones, relative, m and m/s", standard.tolerance))
      ->type_name("T");
  command.add_option("--duration", options->duration, with_default("Time to simulate, s", standard.duration))
      ->type_name("D");
  command
      .add_option("--output-step", options->output_step,
                  with_default("Time between rows of results, s", standard.output_step))
      ->type_name("S");
  command
      .add_option(
          "--constraints", options->constraints,
          with_default("projection | baumgarte | none: how bars keep their lengths", name(standard.constraints)))
      ->type_name("C");
  command.add_option("--set", options->set, "Override any key of the model file; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--csv", options->csv, "Write nodes.csv, cables.csv and energy.csv too");
  command.add_flag("--no-report", options->no_report, "Write no report.html (this version writes none)");
  command.footer(
      "Results in DIR, SI units: summary.json and run.h5 (HDF5: t, nodes, velocities, tensions, bar_forces, energy,\n"
      "constraint_error). Ctrl-C ends the run and keeps what was computed; a second one ends it at once.\n"
      "Examples:\n"
      "  taut run six-bar.toml\n"
      "  taut run six-bar.toml --duration 10 --output-step 0.001 --csv -o out\n"
      "  taut run six-bar.toml --integrator dopri5 --tolerance 1e-10 --set 'environment.gravity=[0,0,-1.62]'");
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace taut
