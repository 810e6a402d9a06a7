// taut sweep: the runs of a sweep file, on threads or on the ranks of mpirun and srun.
#include "taut/sweep/sweep.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/taut/commands.h"
#include "apps/taut/json.h"
#include "apps/taut/terminal.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/text.h"
#include "taut/sweep/ranks_mpi.h"

namespace taut {
namespace {

struct SweepArguments {
  std::string file, folder;
  int threads = 0;
  std::string engine;
  bool keep_runs = false, no_report = false, json = false;
};

std::string bad_runs(const SweepCounts& counts) {
  std::string text;
  const auto add = [&](long number, const char* what) {
    if (number > 0) text += fmt::format(", {} {}", number, what);
  };
  add(counts.failed, "failed");
  add(counts.refused, "refused");
  add(counts.stopped, "stopped by the condition");
  return text;
}

std::string words(const SweepCounts& counts, double elapsed_s) {
  const double rate = static_cast<double>(counts.computed) / elapsed_s;
  const double left = static_cast<double>(counts.runs - counts.there) / rate;
  return fmt::format("{} of {} runs{}, {:.3g} per s, {} left", counts.there, counts.runs, bad_runs(counts), rate,
                     duration_text(left));
}

// What the last rows said, for whoever ends the sweep in between.
class Said {
 public:
  void set(const SweepCounts& counts) {
    there_ = counts.there;
    runs_ = counts.runs;
  }
  std::string interrupted(const std::string& file, const std::string& folder) const {
    if (runs_ == 0) return fmt::format("{}: interrupted before the first run", file);
    return fmt::format("{}: interrupted: {} of {} runs are done and kept in {}; the same command goes on from there",
                       file, there_.load(), runs_.load(), folder);
  }

 private:
  std::atomic<long> there_{0}, runs_{0};
};

// Runs end themselves where they can; a rank of many is ended by its launcher.
constexpr std::chrono::milliseconds patience(400), endless = std::chrono::hours(1000);

Json json_of(const SweepResult& result, const std::string& folder) {
  const SweepCounts& counts = result.counts;
  Json object;
  object["status"] = result.complete ? "done" : "interrupted";
  object["runs"] = counts.runs;
  object["there"] = counts.there;
  object["computed"] = counts.computed;
  object["failed"] = counts.failed;
  object["refused"] = counts.refused;
  object["stopped"] = counts.stopped;
  object["first_failure"] = result.first_failure.empty() ? Json() : Json(result.first_failure);
  object["seconds"] = result.seconds;
  object["engine"] = name(result.engine);
  object["engine_reason"] = result.engine_reason.empty() ? Json() : Json(result.engine_reason);
  object["one_by_one"] = result.engine == SweepEngine::batch && !Ranks::launched() ? Json(result.one_by_one) : Json();
  object["table"] = result.complete ? Json(folder + "/table.csv") : Json();
  object["report"] = result.page ? Json(folder + "/report.html") : Json();
  return object;
}

void print_text(const SweepResult& result, const std::string& folder, bool keep_runs) {
  const SweepCounts& counts = result.counts;
  fmt::print("{}{}; {} computed now in {}\n", plural(counts.runs, "run", "runs"), bad_runs(counts), counts.computed,
             duration_text(result.seconds));
  if (!result.first_failure.empty()) fmt::print("first failure: {}\n", result.first_failure);
  fmt::print("table   {0}/table.csv\n        {0}/table.h5\n", folder);
  if (result.page) fmt::print("report  {}/report.html\n", folder);
  if (keep_runs) fmt::print("runs    {}/runs/\n", folder);
  std::string why = result.engine_reason;
  if (result.one_by_one > 0 && !Ranks::launched())
    why = fmt::format("{} of {} runs were left to single runs", result.one_by_one, counts.computed);
  fmt::print("engine  {}{}{}\n", name(result.engine), why.empty() ? "" : ": ", why);
}

int sweep(const SweepArguments& arguments) {
  SweepFile file = read_sweep_file(arguments.file);
  for (const SweepEngine engine : {SweepEngine::automatic, SweepEngine::run, SweepEngine::batch})
    if (arguments.engine == name(engine)) set_engine(file, engine);
  SweepOptions options;
  options.folder =
      arguments.folder.empty() ? std::filesystem::path(arguments.file).stem().string() + "-sweep" : arguments.folder;
  options.threads = arguments.threads;
  options.keep_runs = arguments.keep_runs;
  options.report = !arguments.no_report;
  options.stop = &stop_asked();

  const std::string folder = options.folder.string();
  Said said;
  SweepResult result;
  {
    doing("preparing the sweep");
    Watch::present()->give(Ranks::launched() ? endless : patience,
                           [&] { return said.interrupted(arguments.file, folder); });
    Progress progress(stderr, 1.0);
    // Where nobody watches, a line now and then for the log.
    const bool watched = is_terminal(stderr);
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    Clock::time_point next = start + std::chrono::minutes(1);
    options.progress = [&](const SweepCounts& counts) {
      said.set(counts);
      if (counts.computed == 0) return doing(fmt::format("{} of {} runs", counts.there, counts.runs));
      if (const Clock::time_point now = Clock::now(); !watched && now >= next) {
        next = now + std::chrono::minutes(1);
        message("{}\n", words(counts, std::chrono::duration<double>(now - start).count()));
      }
      progress.update(static_cast<double>(counts.there) / static_cast<double>(counts.runs),
                      [&](double elapsed_s) { return words(counts, elapsed_s); });
    };
    result = run_sweep(std::move(file), options);
  }
  no_line();
  // The first rank alone gives the verdict: mpirun kills the whole job at the first exit code that is not 0, and the first
  // rank may not have spoken by then.
  if (!result.reports) return 0;

  const SweepCounts& counts = result.counts;
  if (arguments.json) fmt::print("{}", result_text(json_of(result, folder)));
  if (!result.complete) {
    said.set(counts);
    message("{}\n", said.interrupted(arguments.file, folder));
    return 1;
  }
  if (!arguments.json) print_text(result, folder, options.keep_runs);
  return 0;
}

}  // namespace

Command sweep_command() {
  const auto arguments = std::make_shared<SweepArguments>();
  Command command{"sweep", "Make the runs of a sweep file: many runs over parameters, resumable"};
  command.options = {
      required({"FILE", "", &arguments->file, "The sweep file (TOML)"}),
      {"-o,--output", "DIR", &arguments->folder, "Folder for the results [FILE without .toml, with -sweep]"},
      {"--threads", "N", &arguments->threads, "Threads, 4096 at most [one per processor; under mpirun one per rank]",
       whole_number(1, 4096)},
      {"--keep-runs", "", &arguments->keep_runs, "Keep the whole result of every run in DIR/runs/"},
      {"--engine", "E", &arguments->engine,
       "auto | run | batch: what makes the runs, one by one or as batches of robots [engine of FILE, else auto]",
       one_of({"auto", "run", "batch"})},
      {"--no-report", "", &arguments->no_report, "Write no report.html"},
      {"--json", "", &arguments->json,
       "One JSON object on standard output: status, runs, failed, computed, seconds, engine, engine_reason, table, "
       "..."},
  };
  command.footer =
      "A sweep file names a model, what varies and what to record of each run (docs/sweeps.md):\n"
      "  model = \"prism.toml\"\n"
      "  [[parameters]]\n"
      "  key = \"cables.*.stiffness\"\n"
      "  range = [5.0, 50.0, 10]          # or values, log_range, random, expression\n"
      "  [[record]]\n"
      "  name = \"slack\"\n"
      "  value = \"count(slack_events)\"\n"
      "Results in DIR: table.csv, table.h5, one row per run: run, the parameters, the records, status, reason; "
      "report.html.\n"
      "A finished run is on disk at once: after Ctrl-C, a crash or a kill the same command goes on where it stopped.\n"
      "Exit codes: 0 the sweep is complete, also if some runs failed (they are rows too); 1 interrupted; 2 bad input.\n"
      "Examples:\n"
      "  taut sweep stiffness.toml\n"
      "  taut sweep stiffness.toml --threads 4 --keep-runs -o out\n"
      "  mpirun -n 16 taut sweep stiffness.toml          # also srun, over as many machines as there are";
  command.run = [arguments] { return sweep(*arguments); };
  return command;
}

}  // namespace taut
