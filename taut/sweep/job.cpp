#include "taut/sweep/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "taut/base/stop.h"
#include "taut/base/version.h"
#include "taut/run/simulate.h"
#include "taut/sweep/kept_run.h"

namespace taut {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::vector<VariedKey> varied_keys(const SweepFile& sweep) {
  std::vector<VariedKey> keys;
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i)
    for (const std::string& key : sweep.parameters[i].keys)
      keys.push_back({key, static_cast<int>(i), sweep.parameters[i].values});
  if (sweep.bisect)
    for (const std::string& key : sweep.bisect->keys)
      keys.push_back({key, static_cast<int>(sweep.parameters.size()), {}});
  return keys;
}

// A problem with a value that the sweep file gives, at its place there.
InputError at_sweep_file(const SweepFile& sweep, const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (!problem.place.file.starts_with(set_prefix)) continue;
    const std::string text = problem.place.file.substr(std::string_view(set_prefix).size());
    problem.place.file = text;
    const auto gives = [&](const std::string& key) { return problem.key == key; };
    for (const SweepParameter& p : sweep.parameters)
      if (std::any_of(p.keys.begin(), p.keys.end(), gives)) problem.place = p.place;
    if (sweep.bisect && std::any_of(sweep.bisect->keys.begin(), sweep.bisect->keys.end(), gives))
      problem.place = sweep.bisect->place;
    if (std::find(sweep.set.begin(), sweep.set.end(), text) != sweep.set.end()) problem.place = sweep.set_place;
  }
  return InputError(std::move(problems));
}

// One line for a row: the first problem, with the value that caused it.
std::string one_line(const InputError& error) {
  const Problem& first = error.problems().front();
  const bool given = first.place.file.starts_with(set_prefix);
  std::string text =
      given ? fmt::format("{}: {}", first.place.file.substr(std::string_view(set_prefix).size()), first.message)
            : to_string(first);
  if (error.problems().size() > 1) text += fmt::format(" (and {} more)", error.problems().size() - 1);
  return text;
}

}  // namespace

SweepJob::SweepJob(SweepFile sweep, bool keep_runs) : sweep_(std::move(sweep)), plan_(sweep_) {
  find_model();
  check_records();
  choose_engine(keep_runs);
}

void SweepJob::choose_engine(bool keep_runs) {
  if (sweep_.engine == SweepEngine::run) return;
  const bool choice = sweep_.engine == SweepEngine::automatic;
  fit_ = batch_fit(sweep_, plan_, *variation_, keep_runs, choice);
  by_batch_ = fit_.objection.empty();
  if (!choice && !by_batch_)
    throw InputError({{sweep_.engine_place, key_at(sweep_.engine_place, "engine"),
                       "a batch cannot make these runs: " + fit_.objection}});
}

std::vector<double> SweepJob::values_at(long run, double part) const {
  std::vector<double> values;
  plan_.at(run, values, sweep_.bisect ? sweep_.bisect->low + part * (sweep_.bisect->high - sweep_.bisect->low) : 0.0);
  return values;
}

// The first run whose values make a model; then some others, to see whether values can be put into it directly.
void SweepJob::find_model() {
  const long runs = plan_.runs();
  std::optional<InputError> first_error;
  const auto attempt = [&](long run) {
    stop_if_asked();
    for (const double part : {0.5, 0.0, 1.0, 0.25, 0.75}) {
      try {
        variation_ = std::make_unique<Variation>(sweep_, varied_keys(sweep_), values_at(run, part));
        return true;
      } catch (const InputError& error) {
        if (!first_error) first_error = at_sweep_file(sweep_, error);
      }
      if (!sweep_.bisect) break;
    }
    return false;
  };
  // A thousand of them all over the sweep; then one after the other, for as long as somebody may wait for an answer.
  const long step = std::max(1L, runs / 1000);
  bool found = false;
  for (long run = 0; run < runs && !found; run += step) found = attempt(run);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  long tried = (runs + step - 1) / step;
  for (long run = 0; run < runs && !found && step > 1 && std::chrono::steady_clock::now() < deadline; ++run)
    found = attempt(run), tried = std::max(tried, run + 1);
  if (!found) {
    std::vector<Problem> problems = first_error->problems();
    if (runs > 1)
      problems.push_back({{sweep_.file, 0, 0},
                          "",
                          tried < runs
                              ? fmt::format("none of {} of the {} runs makes a model; the first of them is "
                                            "refused as above",
                                            tried, runs)
                              : fmt::format("none of the {} runs makes a model; the first of them is refused as "
                                            "above",
                                            runs)});
    throw InputError(std::move(problems));
  }
  if (const auto keys = variation_->key_without_effect())
    throw InputError(
        {{{sweep_.file, 0, 0},
          "parameters",
          fmt::format("{} has no effect: {} sets the same", in_quotes(keys->first), in_quotes(keys->second))}});
  if (!sweep_.imperfections.empty()) check_imperfections();
  std::vector<std::pair<long, std::vector<double>>> trials;
  for (const double part : {0.0, 0.11, 0.29, 0.53, 0.71, 1.0}) {
    const long run = std::min(runs - 1, static_cast<long>(part * static_cast<double>(runs)));
    trials.emplace_back(run, values_at(run, part));
  }
  variation_->try_direct(trials);
}

// With its imperfections one of the first runs must make a model.
void SweepJob::check_imperfections() {
  Variation other(*variation_);
  std::optional<InputError> first_error;
  const long tries = std::min(plan_.runs(), 50L);
  for (long run = 0; run < tries; ++run) {
    try {
      other.at(values_at(run, 0.5), run);
      return;
    } catch (const InputError& error) {
      if (!first_error) first_error = at_sweep_file(sweep_, error);
    }
  }
  std::vector<Problem> problems = first_error->problems();
  problems.push_back(
      {sweep_.imperfections.front().place, "imperfections",
       fmt::format("with them none of the first {} runs makes a model; the first is refused as above", tries)});
  throw InputError(std::move(problems));
}

// Expressions are judged before anything runs. Where structures differ from run to run, each record must make sense in
// one of some runs.
void SweepJob::check_records() {
  std::vector<Problem> problems = Measure(sweep_, variation_->first()).problems();
  if (!problems.empty() && !variation_->direct()) {
    const long runs = plan_.runs(), step = std::max(1L, runs / 50);
    Variation other(*variation_);
    for (long run = 0; run < runs && !problems.empty(); run += step) {
      try {
        const std::vector<Problem> here = Measure(sweep_, other.at(values_at(run, 0.5), run)).problems();
        std::erase_if(problems, [&](const Problem& problem) {
          return std::none_of(here.begin(), here.end(), [&](const Problem& p) {
            return p.key == problem.key && p.place.line == problem.place.line;
          });
        });
      } catch (const InputError&) {  // that run is refused
      }
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

std::vector<TableColumn> SweepJob::columns() const {
  std::vector<TableColumn> columns;
  for (const SweepParameter& p : sweep_.parameters) columns.push_back({p.name, true, p.labels, p.whole});
  if (sweep_.repeats > 1) columns.push_back({"repeat", true, {}, true});
  if (sweep_.bisect) columns.push_back({sweep_.bisect->name, false, {}});
  for (const SweepRecord& record : sweep_.records) columns.push_back({record.name, false, {}});
  return columns;
}

int SweepJob::stored() const { return static_cast<int>(sweep_.records.size()) + (sweep_.bisect ? 1 : 0); }

void SweepJob::complete(long run, const SweepRow& row, TableRow& shown) const {
  shown.run = run;
  plan_.at(run, shown.values, sweep_.bisect ? row.values.front() : 0.0);
  shown.values.resize(sweep_.parameters.size());
  if (sweep_.repeats > 1) shown.values.push_back(static_cast<double>(plan_.repeat(run)));
  shown.values.insert(shown.values.end(), row.values.begin(), row.values.end());
  shown.status = row.status;
  shown.reason = row.reason;
}

std::string SweepJob::identity() const {
  return fmt::format("taut {}\n[study]\n{}\n[model]\n{}", version(), sweep_.text, variation_->identity());
}

std::filesystem::path run_folder(const std::filesystem::path& keep, long run) {
  return keep / fmt::format("{:06}", run);
}

SweepRow row_of(const SweepFile& sweep, const Measure& measure, const Summary& summary, bool& interrupted) {
  SweepRow row;
  if (summary.status == RunStatus::failed) {
    row.values.assign(sweep.records.size(), nothing);
    row.status = RowStatus::failed;
    row.reason = fmt::format("at t = {:.9g} s: {}", summary.simulated_s, summary.reason);
    return row;
  }
  row.values = measure.records();
  if (measure.dropped_events() > 0)
    row.reason =
        fmt::format("{} slack events were not kept: records of events are of the others", measure.dropped_events());
  if (!measure.problems().empty()) {
    const Problem& problem = measure.problems().front();
    row.reason += (row.reason.empty() ? "" : "; ") + problem.key + ": " + problem.message;
  }
  if (summary.status == RunStatus::interrupted) {
    interrupted = !measure.condition_met();
    row.status = RowStatus::stopped;
    row.reason = fmt::format("at t = {:.9g} s: {}", summary.simulated_s, sweep.stop);
  }
  return row;
}

SweepWorker::SweepWorker(const SweepJob& job, std::filesystem::path keep)
    : job_(job), keep_(std::move(keep)), variation_(job.variation()) {}

SweepWorker::Outcome SweepWorker::simulate_once(long run, double limit, const std::atomic<bool>* stop, bool keep) {
  const SweepFile& sweep = job_.sweep();
  job_.plan().at(run, values_, limit);
  Outcome outcome;
  outcome.row.values.assign(sweep.records.size(), nothing);
  try {
    const Scenario& scenario = variation_.at(values_, run);
    if (!measure_ || !measure_->fits(scenario.model)) measure_.emplace(sweep, scenario);
    measure_->prepare(values_, stop);
    std::vector<Recorder*> recorders = {&*measure_};
    Summary summary;
    if (keep) {
      const KeptRun kept(run_folder(keep_, run), recorders);
      summary = simulate(scenario, recorders, {{}, measure_->stop()});
      kept.check();
    } else {
      summary = simulate(scenario, recorders, {{}, measure_->stop(), measure_->needs_rows()});
    }
    outcome.row = row_of(sweep, *measure_, summary, outcome.interrupted);
    outcome.holds = outcome.row.status != RowStatus::failed && measure_->holds();
  } catch (const InputError& error) {
    outcome.row.status = RowStatus::refused;
    outcome.row.reason = one_line(error);
  }
  return outcome;
}

std::optional<SweepRow> SweepWorker::run(long run, const std::atomic<bool>* stop) try {
  const StopScope scope(stop);
  if (job_.sweep().bisect) return bisect(run, stop);
  Outcome outcome = simulate_once(run, nothing, stop, !keep_.empty());
  if (outcome.interrupted) return std::nullopt;
  return std::move(outcome.row);
} catch (const Stopped&) {
  return std::nullopt;
}

// What a search for a limit has seen so far.
struct SweepWorker::Search {
  long run;
  const std::atomic<bool>* stop;
  bool interrupted = false;
  Outcome at_limit{};  // the last that held
  long refused = 0;
  std::string first_reason{};
};

bool SweepWorker::holds(double x, Search& search) {
  Outcome outcome = simulate_once(search.run, x, search.stop, false);
  search.interrupted |= outcome.interrupted;
  const bool nothing_came = outcome.row.status == RowStatus::refused || outcome.row.status == RowStatus::failed;
  if (nothing_came && search.refused++ == 0) search.first_reason = outcome.row.reason;
  const bool good = outcome.holds;
  if (good) search.at_limit = std::move(outcome);
  return good;
}

// Halves a part until it is as short as the tolerance; returns its end that holds.
double SweepWorker::halve(double inside, double outside, Search& search) {
  while (std::abs(outside - inside) > job_.sweep().bisect->tolerance && !search.interrupted) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) break;
    (holds(middle, search) ? inside : outside) = middle;
  }
  return inside;
}

// Looks at the ends of equal parts, from the far side, for the first that holds; then halves the part beyond it.
std::optional<SweepRow> SweepWorker::bisect(long run, const std::atomic<bool>* stop) {
  const Bisection& wanted = *job_.sweep().bisect;
  Search search{run, stop};
  const double far = wanted.largest ? wanted.high : wanted.low, near = wanted.largest ? wanted.low : wanted.high;
  const auto point = [&](int i) { return i == wanted.scan ? near : far + (near - far) * i / wanted.scan; };
  int first = 0;
  while (first <= wanted.scan && !search.interrupted && !holds(point(first), search)) ++first;
  SweepRow row;
  double limit = nothing;
  if (!search.interrupted && first <= wanted.scan) {
    limit = halve(point(first), first > 0 ? point(first - 1) : point(first), search);
    row = search.at_limit.row;
    if (first == 0) row.reason = fmt::format("holds up to the end of the range, {:g}", far);
    if (!keep_.empty() && !search.interrupted) search.interrupted |= simulate_once(run, limit, stop, true).interrupted;
  } else {
    row.status = RowStatus::failed;
    row.values.assign(job_.sweep().records.size(), nothing);
    row.reason = fmt::format("\"{}\" holds nowhere in the range", wanted.holds);
  }
  if (search.interrupted) return std::nullopt;
  if (search.refused > 0)
    row.reason += fmt::format("{}{} runs of the search failed or were refused, the first: {}",
                              row.reason.empty() ? "" : "; ", search.refused, search.first_reason);
  row.values.insert(row.values.begin(), limit);
  return row;
}

}  // namespace taut
