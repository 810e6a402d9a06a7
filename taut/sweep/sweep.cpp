#include "taut/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "taut/report/report.h"
#include "taut/results/output_dir.h"
#include "taut/sweep/crew.h"
#include "taut/sweep/dispenser.h"
#include "taut/sweep/job.h"
#include "taut/sweep/ranks_mpi.h"
#include "taut/sweep/table/table_page.h"

namespace taut {

namespace {

using Clock = std::chrono::steady_clock;

void count(RowStatus status, SweepCounts& counts) {
  counts.failed += status == RowStatus::failed;
  counts.refused += status == RowStatus::refused;
  counts.stopped += status == RowStatus::stopped;
}

// Counts rows as they come, and says so.
class Tally {
 public:
  Tally(long runs, long there, const std::function<void(const SweepCounts&)>& progress) : progress_(progress) {
    counts_.runs = runs;
    counts_.there = there;
    if (progress_) progress_(counts_);
  }
  // `there` are those of now.
  void add(RowStatus status, long there) {
    counts_.there = there;
    ++counts_.computed;
    count(status, counts_);
    if (progress_) progress_(counts_);
  }
  const SweepCounts& counts() const { return counts_; }

 private:
  const std::function<void(const SweepCounts&)>& progress_;
  SweepCounts counts_;
};

// Rows on their way to the disk, counted.
class Keeper {
 public:
  Keeper(RowsFile& rows, const SweepOptions& options)
      : rows_(rows), tally_(rows.runs(), rows.present(), options.progress) {}

  void put(long run, const SweepRow& row) {
    rows_.put(run, row);
    const std::lock_guard lock(lock_);
    const auto now = Clock::now();
    if (now - flushed_ > std::chrono::seconds(1)) {
      flushed_ = now;
      rows_.flush();
    }
    tally_.add(row.status, rows_.present());
  }
  const SweepCounts& counts() const { return tally_.counts(); }

 private:
  RowsFile& rows_;
  Tally tally_;
  std::mutex lock_;
  Clock::time_point flushed_ = Clock::now();
};

// The rows that are there, one after the other.
NextRow rows_there(const SweepJob& job, const RowsFile& rows) {
  return [&job, &rows, run = 0L, row = SweepRow()](TableRow& shown) mutable {
    while (run < rows.runs() && !rows.has(run)) ++run;
    if (run == rows.runs()) return false;
    rows.get(run, row);
    job.complete(run++, row, shown);
    return true;
  };
}

// All rows as tables and as a page.
void write_results(const SweepJob& job, const RowsFile& rows, const SweepOptions& options, OutputDir& dir,
                   SweepResult& result) {
  result.counts.failed = result.counts.refused = result.counts.stopped = 0;
  const TableRows all = [&](const std::function<void(const TableRow&)>& take) {
    TableRow shown;
    for (NextRow next = rows_there(job, rows); next(shown);) take(shown);
  };
  all([&](const TableRow& row) {
    count(row.status, result.counts);
    if (result.first_failure.empty() && (row.status == RowStatus::failed || row.status == RowStatus::refused))
      result.first_failure = failure_text(row);
  });
  OutputFile csv(dir, "table.csv"), hdf5(dir, "table.h5");
  std::optional<OutputFile> report;
  if (options.report && reports_possible()) report.emplace(dir, "report.html");
  write_table_csv(csv, result.columns, all);
  write_table_hdf5(hdf5, result.columns, rows.runs(), all);
  if (!report) return;

  TablePage page;
  page.title = result.title;
  page.sweep_file = std::filesystem::path(job.sweep().file).filename().string();
  page.model = std::filesystem::path(job.sweep().model).filename().string();
  page.runs = rows.runs();
  page.links = options.keep_runs;
  report->append(table_page(page, result.columns, [&] { return rows_there(job, rows); }), 0.0);
  report->finish(0.0);
  result.page = true;
}

std::string title_of(const SweepJob& job) {
  return job.sweep().title.empty() ? job.variation().first().model.name : job.sweep().title;
}

void say_engine(const SweepJob& job, SweepResult& result) {
  result.engine = job.batch() != nullptr ? SweepEngine::batch : SweepEngine::run;
  result.engine_reason = job.engine_reason();
}

// In one piece at most; 0: runs are made one by one.
long batch_of(const SweepJob& job) { return job.batch() != nullptr ? job.batch()->most_robots : 0; }

int threads_of(const SweepOptions& options, bool ranks) {
  if (options.threads > 0) return options.threads;
  return ranks ? 1 : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// What ranks other than the first do.
SweepResult assist(const SweepJob& job, const SweepOptions& options, const Ranks& ranks) {
  SweepResult result;
  result.reports = false;
  if (!ranks.agree(true)) return result;
  Crew crew(job, options.keep_runs ? options.folder / "runs" : "", threads_of(options, true), options.stop);
  crew.work([&] { return ranks.ask(); }, [&](long run, const SweepRow& row) { ranks.send(run, row); });
  ranks.leave();
  crew.throw_if_failed();
  result.complete = !crew.stopped();
  return result;
}

// What a sweep keeps on the disk. Throws InputError where the folder cannot take it.
struct Store {
  std::optional<OutputDir> dir;
  std::optional<RowsFile> rows;

  void open(const SweepJob& job, const std::filesystem::path& folder, const std::string& advice) {
    dir.emplace(folder);
    std::error_code failed;
    for (const char* name : {"table.csv", "table.h5"})
      if (std::filesystem::exists(folder / name, failed) && !std::filesystem::exists(folder / ".rows" / "rows", failed))
        throw InputError(fmt::format("{} is there without the rows that it was made from ({}): take another folder",
                                     (folder / name).string(), (folder / ".rows").string()));
    std::filesystem::create_directory(folder / ".rows", failed);
    if (failed) throw InputError(fmt::format("cannot write into {}: {}", folder.string(), failed.message()));
    rows.emplace(folder / ".rows", job.identity(), job.plan().runs(), job.stored(), advice);
  }
};

// Computes the rows that are missing; with the other ranks, where there are any. Returns how many runs batches have left to
// the ordinary engine.
long compute_rows(const SweepJob& job, RowsFile& rows, const SweepOptions& options, Ranks* others, Keeper& keeper) {
  const std::filesystem::path keep = options.keep_runs ? options.folder / "runs" : std::filesystem::path();
  // A row whose whole run is wanted and not there is computed again; one that is refused has none.
  const auto lacks_run = [&](long run) {
    SweepRow row;
    rows.get(run, row);
    const bool has_run = row.status != RowStatus::refused && !(job.sweep().bisect && row.status == RowStatus::failed);
    return has_run && !std::filesystem::exists(run_folder(keep, run) / "summary.json");
  };
  Dispenser dispenser(
      rows.runs(), [&](long run) { return !rows.has(run) || (options.keep_runs && lacks_run(run)); }, batch_of(job));
  const int threads = threads_of(options, others != nullptr);
  Crew crew(job, keep, threads, options.stop);
  const auto put = [&](long run, const SweepRow& row) { keeper.put(run, row); };
  const int workers = threads * (others ? others->size() : 1);
  if (others) {
    std::atomic<bool> working{true};
    std::thread own([&] {
      crew.work([&] { return dispenser.take(workers); }, put);
      working = false;
    });
    const auto put_from_afar = [&](long run, const SweepRow& row) {
      try {
        put(run, row);
      } catch (...) {
        crew.fail();
      }
    };
    others->serve([&] { return crew.stopped() ? std::vector<long>() : dispenser.take(workers); }, put_from_afar,
                  [&] { return working.load(); });
    own.join();
  } else {
    crew.work([&] { return dispenser.take(workers); }, put);
  }
  crew.throw_if_failed();
  return crew.left();
}

// Without a folder: rows as they come, then in their order.
SweepResult run_in_memory(const SweepJob& job, const SweepOptions& options) {
  const long runs = job.plan().runs();
  const int workers = static_cast<int>(std::min<long>(threads_of(options, false), runs));
  std::mutex lock;
  Tally tally(runs, 0, options.progress);
  std::vector<std::pair<long, SweepRow>> rows;
  Dispenser dispenser(
      runs, [](long) { return true; }, batch_of(job));
  Crew crew(job, {}, workers, options.stop);
  crew.work([&] { return dispenser.take(workers); },
            [&](long run, const SweepRow& row) {
              const std::lock_guard guard(lock);
              rows.emplace_back(run, row);
              tally.add(row.status, static_cast<long>(rows.size()));
            });
  crew.throw_if_failed();
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  SweepResult result;
  result.one_by_one = crew.left();
  result.counts = tally.counts();
  result.rows.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) job.complete(rows[i].first, rows[i].second, result.rows[i]);
  result.complete = static_cast<long>(rows.size()) == runs;
  return result;
}

SweepResult run_in_folder(const SweepJob& job, const SweepOptions& options, Store& store, Ranks* others) {
  RowsFile& rows = *store.rows;
  Keeper keeper(rows, options);
  SweepResult result;
  result.one_by_one = compute_rows(job, rows, options, others, keeper);
  result.title = title_of(job);
  result.columns = job.columns();
  result.counts = keeper.counts();
  say_engine(job, result);
  if (rows.present() == rows.runs()) {
    write_results(job, rows, options, *store.dir, result);
    result.complete = true;
  }
  if (!options.rows) return result;
  TableRow row;
  for (NextRow next = rows_there(job, rows); next(row);) result.rows.push_back(row);
  return result;
}

}  // namespace

SweepResult run_sweep(SweepFile sweep, const SweepOptions& options) {
  const auto start = Clock::now();
  const auto timed = [&](SweepResult result) {
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
  };
  if (options.folder.empty()) {
    const SweepJob job(std::move(sweep));
    SweepResult result = run_in_memory(job, options);
    result.title = title_of(job);
    result.columns = job.columns();
    say_engine(job, result);
    return timed(std::move(result));
  }
  std::optional<Ranks> ranks;
  if (options.ranks && Ranks::launched()) ranks.emplace();
  const bool others = ranks && ranks->size() > 1;

  // Until every rank has begun, what is wrong is said by the first of them.
  std::optional<SweepJob> job;
  Store store;
  bool agreed = false;
  try {
    job.emplace(std::move(sweep), options.keep_runs);
    if (others && !ranks->first()) {
      agreed = true;
      return assist(*job, options, *ranks);
    }
    store.open(*job, options.folder, options.advice);
    agreed = true;
    if (others) ranks->agree(true);
  } catch (const InputError&) {
    if (!others || agreed) throw;
    // A rank that cannot begin although the first one does says so itself.
    const bool go = ranks->agree(false);
    if (go) ranks->leave();
    if (go || ranks->first()) throw;
    SweepResult silent;
    silent.reports = false;
    return silent;
  }
  return timed(run_in_folder(*job, options, store, others ? &*ranks : nullptr));
}

std::vector<TableRow> run_rows(SweepFile sweep, int threads, const std::atomic<bool>* stop) {
  SweepOptions options;
  options.threads = threads;
  options.stop = stop;
  return run_sweep(std::move(sweep), options).rows;
}

}  // namespace taut
