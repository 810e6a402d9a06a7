// taut batch: many robots of one model, advanced together; how fast, and how far from single runs.
#include "taut/batch/batch.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/taut/batch_vary.h"
#include "apps/taut/commands.h"
#include "apps/taut/draft_of.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/terminal.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/base/text/text.h"
#include "taut/batch/against_run.h"
#include "taut/batch/end_states.h"
#include "taut/results/output_dir.h"
#include "taut/sweep/draw/permutation.h"

namespace taut {
namespace {

// A call of so many steps ends with whole states, between which Ctrl-C is heard; it is part of what a run of the same
// parameters is compared by, since each call starts the leapfrog anew.
constexpr long call_steps = 1000;
constexpr int most_compared = 8;

struct BatchArguments {
  std::string file, folder, device = "cpu", precision = "double";
  long robots = 0, steps = 0, seed = 0;
  int threads = 0;
  std::optional<double> step;
  std::vector<std::string> set, vary;
  bool json = false;
};

// What became of a batch.
struct BatchOutcome {
  std::vector<int> calls;  // steps of each
  double seconds = 0.0;    // of the calls
  bool interrupted = false;
  long diverged = 0;
  std::vector<long> compared;  // robots
  double difference = 0.0;     // m
  std::vector<std::string> remarks;

  long steps() const {
    long sum = 0;
    for (const int steps : calls) sum += steps;
    return sum;
  }
};

Batch batch_of(const BatchArguments& arguments, const std::vector<VariedRange>& ranges,
               std::vector<batch::VariedValues>& drawn) {
  doing("reading " + arguments.file);
  Draft draft = draft_of(arguments.file, arguments.set);
  BatchOptions options;
  options.step = arguments.step.value_or(draft.scenario().simulation.step);
  options.device = arguments.device == "cuda" ? BatchDevice::cuda : BatchDevice::cpu;
  options.precision = arguments.precision == "single" ? Precision::single_precision : Precision::double_precision;
  options.threads = arguments.threads;
  doing(fmt::format("preparing {} robots", arguments.robots));
  Batch batch(std::move(draft), arguments.robots, options);
  drawn = draws_of(ranges, static_cast<std::uint64_t>(arguments.seed), arguments.robots);
  std::vector<BatchValues> values;
  for (const batch::VariedValues& varied : drawn) values.push_back({varied.key, varied.values});
  if (!values.empty()) batch.set(values);
  return batch;
}

void go_through(Batch& batch, long steps, BatchOutcome& outcome) {
  using Clock = std::chrono::steady_clock;
  Watch* const watch = Watch::present();
  watch->give(std::chrono::milliseconds(0),
              [] { return std::string("interrupted in the first call: there is nothing to keep"); });
  doing(fmt::format("stepping {} robots", batch.robots()));
  Progress progress(stderr, 1.0);
  for (long done = 0; done < steps && !outcome.interrupted;) {
    const int count = static_cast<int>(std::min(call_steps, steps - done));
    const Clock::time_point start = Clock::now();
    batch.step(count);
    outcome.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    outcome.calls.push_back(count);
    done += count;
    watch->end();
    progress.update(static_cast<double>(done) / static_cast<double>(steps), [&](double elapsed) {
      return fmt::format("{} of {} steps, {} left", done, steps,
                         duration_text(elapsed * static_cast<double>(steps - done) / static_cast<double>(done)));
    });
    outcome.interrupted = done < steps && stop_asked();
  }
  for (const unsigned char done : batch.done()) outcome.diverged += done == static_cast<unsigned char>(Done::diverged);
}

// Some robots, drawn from those that go on, against single runs.
void compare(const Batch& batch, long seed, BatchOutcome& outcome) {
  const StopScope scope(&stop_asked());
  const auto robots = static_cast<std::uint64_t>(batch.robots());
  for (std::uint64_t i = 0; i < robots && outcome.compared.size() < most_compared; ++i) {
    const auto robot = static_cast<long>(permuted(i, robots, static_cast<std::uint64_t>(seed), 0));
    if (batch.done()[static_cast<std::size_t>(robot)] != 0) continue;
    try {
      outcome.difference = std::max(outcome.difference, batch::distance_to_run(batch, robot, outcome.calls));
      outcome.compared.push_back(robot);
    } catch (const Stopped&) {
      outcome.remarks.push_back("the comparison with single runs was interrupted");
      return;
    } catch (const RunError& error) {
      outcome.remarks.push_back(fmt::format("robot {} goes on here, but its run failed: {}", robot, error.what()));
      outcome.difference = std::numeric_limits<double>::infinity();
    }
  }
}

Json json_of(const BatchArguments& arguments, const Batch& batch, const BatchOutcome& outcome) {
  Json object;
  object["status"] = outcome.interrupted ? "interrupted" : "done";
  object["robots"] = batch.robots();
  object["steps"] = outcome.steps();
  object["step"] = batch.options().step;
  object["simulated_s"] = static_cast<double>(outcome.steps()) * batch.options().step;
  object["device"] = arguments.device;
  object["device_name"] = batch.device();
  object["precision"] = arguments.precision;
  object["threads"] = batch.threads();
  object["seed"] = arguments.seed;
  object["vary"] = arguments.vary;
  object["seconds"] = outcome.seconds;
  object["robot_steps_per_second"] =
      static_cast<double>(batch.robots()) * static_cast<double>(outcome.steps()) / outcome.seconds;
  object["largest_bar_length_error"] = batch.largest_bar_length_error();
  object["largest_difference_to_run"] = outcome.compared.empty() ? Json() : Json(outcome.difference);
  object["compared"] = outcome.compared;
  object["diverged"] = outcome.diverged;
  std::vector<std::string> warnings = batch.warnings();
  warnings.insert(warnings.end(), outcome.remarks.begin(), outcome.remarks.end());
  object["warnings"] = warnings;
  return object;
}

void print_text(const Batch& batch, const BatchOutcome& outcome, const Json& object) {
  const auto line = [](const char* what, const std::string& value) { fmt::print("{:<18}{}\n", what, value); };
  line("robots",
       fmt::format("{}, {} of {:g} s", batch.robots(), plural(outcome.steps(), "step", "steps"), batch.options().step));
  line("device", fmt::format("{}, {} precision", batch.device(), object["precision"].get<std::string>()));
  line("time", fmt::format("{}, {:.3g} robot steps per second", duration_text(outcome.seconds),
                           object["robot_steps_per_second"].get<double>()));
  line("bar lengths", fmt::format("off by {:.1e} at most", batch.largest_bar_length_error()));
  if (outcome.compared.empty())
    line("against taut run", "not compared");
  else
    line("against taut run", fmt::format("{:.1e} m at most, {}", outcome.difference,
                                         plural(outcome.compared.size(), "robot", "robots") + " compared"));
  if (outcome.diverged > 0) line("diverged", plural(outcome.diverged, "robot", "robots"));
}

int batch_file(const BatchArguments& arguments) {
  const std::vector<VariedRange> ranges = varied_ranges(arguments.vary);
  std::vector<batch::VariedValues> drawn;
  Batch batch = in_file(arguments.file, [&] { return batch_of(arguments, ranges, drawn); });
  for (const std::string& warning : batch.warnings()) message("{}: {}\n", arguments.file, warning);

  // Whether the results can be written is found out here, before anything is computed.
  std::optional<OutputDir> dir;
  std::optional<OutputFile> csv, hdf5, summary;
  if (!arguments.folder.empty()) {
    dir.emplace(arguments.folder);
    csv.emplace(*dir, "end.csv");
    hdf5.emplace(*dir, "end.h5");
    summary.emplace(*dir, "summary.json");  // in place last: where it is, everything is
  }
  BatchOutcome outcome;
  go_through(batch, arguments.steps, outcome);
  compare(batch, arguments.seed, outcome);
  for (const std::string& remark : outcome.remarks) message("{}: {}\n", arguments.file, remark);
  const Json object = json_of(arguments, batch, outcome);
  if (dir) {
    const batch::EndStates states = batch::end_states(batch, std::move(drawn));
    batch::write_end_csv(*csv, states);
    batch::write_end_hdf5(*hdf5, states);
    summary->append(result_text(object), 0.0);
    summary->finish(0.0);
  }
  no_line();
  if (arguments.json)
    fmt::print("{}", result_text(object));
  else
    print_text(batch, outcome, object);
  if (dir && !arguments.json) fmt::print("{:<18}{}/\n", "results", dir->path().string());
  std::fflush(stdout);
  if (!outcome.interrupted) return 0;
  message("{}: interrupted after {} of {} steps\n", arguments.file, outcome.steps(), arguments.steps);
  return 1;
}

}  // namespace

Command batch_command() {
  const auto arguments = std::make_shared<BatchArguments>();
  Command command{"batch", "Advance many robots of one model together, each with its own numbers"};
  command.options = {
      required({"FILE", "", &arguments->file, "The model file (TOML)"}),
      required({"--robots", "N", &arguments->robots, "How many", whole_number(1, most_robots)}),
      required({"--steps", "N", &arguments->steps, "Steps of each", whole_number(1, 1'000'000'000)}),
      {"--step", "S", &arguments->step, "Step, s [simulation.step of FILE]", positive_number()},
      {"--device", "D", &arguments->device, "cpu | cuda [cpu]", one_of({"cpu", "cuda"})},
      {"--precision", "P", &arguments->precision, "double | single [double]", one_of({"double", "single"})},
      {"--threads", "N", &arguments->threads, "Threads, 4096 at most [one per processor]", whole_number(1, 4096)},
      {"--vary", "KEY=LOW:HIGH", &arguments->vary,
       "Draw a number for each robot, evenly between the two; KEY=log:LOW:HIGH: evenly in its logarithm; may be "
       "repeated"},
      {"--seed", "N", &arguments->seed, "Of the draws, and of which robots are compared [0]",
       whole_number(0, std::numeric_limits<int>::max())},
      {"--set", "KEY=VALUE", &arguments->set, "Override any key of the model file; may be repeated"},
      {"-o,--output", "DIR", &arguments->folder, "Write the end states, end.csv and end.h5, and summary.json"},
      {"--json", "", &arguments->json,
       "One JSON object on standard output: robots, steps, seconds, robot_steps_per_second, "
       "largest_difference_to_run, ..."},
  };
  command.footer =
      "The robots go through steps of integrator symplectic in formulation nodal, whatever FILE says of them. Some of\n"
      "them are compared at the end with single runs of the same parameters.\n"
      "Exit codes: 0 done, also if robots diverged (they are counted, and the others go on); 1 interrupted: the "
      "states\n"
      "of then are kept; 2 bad input, also a model that a batch cannot take (docs/batch.md).\n"
      "Examples:\n"
      "  taut batch prism.toml --robots 4096 --steps 1000\n"
      "  taut batch prism.toml --robots 1000 --steps 2000 --step 5e-4 --vary 'cables.*.stiffness=500:2000' -o out\n"
      "  taut batch prism.toml --robots 100000 --steps 1000 --precision single --json";
  command.run = [arguments] { return batch_file(*arguments); };
  return command;
}

}  // namespace taut
