#include "taut/sweep/sweep.h"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "taut/report/report.h"
#include "taut/results/output_dir.h"
#include "taut/sweep/dispenser.h"
#include "taut/sweep/job.h"
#include "taut/sweep/ranks_mpi.h"
#include "taut/sweep/table/report_sweep.h"

namespace taut {

namespace {

using Clock = std::chrono::steady_clock;

// Threads that take runs and put rows until none are left, one of them throws or a stop is asked for.
class Crew {
 public:
  using Take = std::function<std::vector<long>()>;
  using Put = std::function<void(long, const SweepRow&)>;

  Crew(const SweepJob& job, std::filesystem::path keep, int threads, const std::atomic<bool>* stop)
      : job_(job), keep_(std::move(keep)), threads_(threads), outside_(stop) {}

  void work(const Take& take, const Put& put) {
    // As many as were asked for, also where there are fewer processors.
    const oneapi::tbb::global_control allowed(oneapi::tbb::global_control::max_allowed_parallelism,
                                              static_cast<std::size_t>(threads_));
    oneapi::tbb::task_arena arena(threads_);
    arena.execute([&] {
      oneapi::tbb::parallel_for(
          0, threads_, [&](int) { work_alone(take, put); }, oneapi::tbb::simple_partitioner());
    });
  }
  // Keeps the exception that is being handled, and stops all.
  void fail() {
    const std::lock_guard lock(lock_);
    if (!error_) error_ = std::current_exception();
    stop_ = true;
  }
  void throw_if_failed() const {
    if (error_) std::rethrow_exception(error_);
  }
  bool stopped() const { return stop_ || (outside_ != nullptr && *outside_); }

 private:
  void work_alone(const Take& take, const Put& put) {
    try {
      SweepWorker worker(job_, keep_);
      while (!stopped()) {
        const std::vector<long> piece = take();
        if (piece.empty()) return;
        for (const long run : piece) {
          if (stopped()) return;
          const std::optional<SweepRow> row = worker.run(run, outside_ != nullptr ? outside_ : &stop_);
          if (!row) return;
          put(run, *row);
        }
      }
    } catch (...) {
      fail();
    }
  }

  const SweepJob& job_;
  const std::filesystem::path keep_;
  const int threads_;
  const std::atomic<bool>* outside_;
  std::atomic<bool> stop_{false};
  std::mutex lock_;
  std::exception_ptr error_;
};

// Rows on their way to the disk, counted.
class Keeper {
 public:
  Keeper(RowsFile& rows, const SweepOptions& options) : rows_(rows), options_(options) {
    counts_.runs = rows.runs();
    counts_.there = rows.present();
    if (options.progress) options.progress(counts_);
  }

  void put(long run, const SweepRow& row) {
    rows_.put(run, row);
    const std::lock_guard lock(lock_);
    counts_.there = rows_.present();
    ++counts_.computed;
    count(row.status, counts_);
    const auto now = Clock::now();
    if (now - flushed_ > std::chrono::seconds(1)) {
      flushed_ = now;
      rows_.flush();
    }
    if (options_.progress) options_.progress(counts_);
  }
  static void count(RowStatus status, SweepCounts& counts) {
    counts.failed += status == RowStatus::failed;
    counts.refused += status == RowStatus::refused;
    counts.stopped += status == RowStatus::stopped;
  }
  const SweepCounts& counts() const { return counts_; }

 private:
  RowsFile& rows_;
  const SweepOptions& options_;
  std::mutex lock_;
  SweepCounts counts_;
  Clock::time_point flushed_ = Clock::now();
};

// All rows as tables and as a page.
void write_results(const SweepJob& job, const RowsFile& rows, const SweepOptions& options, OutputDir& dir,
                   SweepResult& result) {
  const std::vector<TableColumn> columns = job.columns();
  result.counts.failed = result.counts.refused = result.counts.stopped = 0;
  const TableRows all = [&](const std::function<void(const TableRow&)>& take) {
    SweepRow row;
    TableRow shown;
    for (long run = 0; run < rows.runs(); ++run) {
      rows.get(run, row);
      job.complete(run, row, shown);
      take(shown);
    }
  };
  all([&](const TableRow& row) {
    Keeper::count(row.status, result.counts);
    if (result.first_failure.empty() && (row.status == RowStatus::failed || row.status == RowStatus::refused))
      result.first_failure = fmt::format("run {}: {}", row.run, row.reason);
  });
  OutputFile csv(dir, "table.csv"), hdf5(dir, "table.h5");
  std::optional<OutputFile> report;
  if (options.report && reports_possible()) report.emplace(dir, "report.html");
  write_table_csv(csv, columns, all);
  write_table_hdf5(hdf5, columns, rows.runs(), all);
  if (!report) return;

  SweepPage page;
  page.title = job.sweep().title;
  page.sweep_file = std::filesystem::path(job.sweep().file).filename().string();
  page.model = std::filesystem::path(job.sweep().model).filename().string();
  page.runs = rows.runs();
  page.links = options.keep_runs;
  for (const TableColumn& column : columns) {
    std::string name = column.name;
    for (std::size_t i = 0; i < column.texts.size(); ++i)
      name +=
          fmt::format("{}{} = {}{}", i == 0 ? " (" : ", ", i, column.texts[i], i + 1 == column.texts.size() ? ")" : "");
    page.columns.push_back({name, column.parameter});
  }
  const long bad = result.counts.failed + result.counts.refused;
  if (bad > 0)
    page.notes.push_back(
        fmt::format("{} of {} runs failed or were refused; {}", bad, rows.runs(), result.first_failure));
  const SweepTable table = [&]() -> SweepRows {
    return [&, next = 0L, row = SweepRow(), shown = TableRow()](long& run, std::vector<double>& values, int& status,
                                                                std::string& reason) mutable {
      if (next == rows.runs()) return false;
      rows.get(next, row);
      job.complete(next, row, shown);
      run = next++;
      values = shown.values;
      status = static_cast<int>(row.status);
      reason = row.reason;
      return true;
    };
  };
  report->append(sweep_page(page, table), 0.0);
  report->finish(0.0);
  result.page = true;
}

int threads_of(const SweepOptions& options, bool ranks) {
  if (options.threads > 0) return options.threads;
  return ranks ? 1 : std::max(1, oneapi::tbb::this_task_arena::max_concurrency());
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

  void open(const SweepJob& job, const std::filesystem::path& folder) {
    dir.emplace(folder);
    std::error_code failed;
    for (const char* name : {"table.csv", "table.h5"})
      if (std::filesystem::exists(folder / name, failed) && !std::filesystem::exists(folder / ".rows" / "rows", failed))
        throw InputError(fmt::format("{} is there without the rows that it was made from ({}): take another folder",
                                     (folder / name).string(), (folder / ".rows").string()));
    std::filesystem::create_directory(folder / ".rows", failed);
    if (failed) throw InputError(fmt::format("cannot write into {}: {}", folder.string(), failed.message()));
    rows.emplace(folder / ".rows", job.identity(), job.plan().runs(), job.stored());
  }
};

// Computes the rows that are missing; with the other ranks, where there are any.
void compute_rows(const SweepJob& job, RowsFile& rows, const SweepOptions& options, Ranks* others, Keeper& keeper) {
  const std::filesystem::path keep = options.keep_runs ? options.folder / "runs" : std::filesystem::path();
  // A row whose whole run is wanted and not there is computed again; one that is refused has none.
  const auto lacks_run = [&](long run) {
    SweepRow row;
    rows.get(run, row);
    const bool has_run = row.status != RowStatus::refused && !(job.sweep().bisect && row.status == RowStatus::failed);
    return has_run && !std::filesystem::exists(run_folder(keep, run) / "summary.json");
  };
  Dispenser dispenser(rows.runs(), [&](long run) { return !rows.has(run) || (options.keep_runs && lacks_run(run)); });
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
}

}  // namespace

SweepResult run_sweep(SweepFile sweep, const SweepOptions& options) {
  const auto start = Clock::now();
  std::optional<Ranks> ranks;
  if (Ranks::launched()) ranks.emplace();
  const bool others = ranks && ranks->size() > 1;

  // Until every rank has begun, what is wrong is said by the first of them.
  std::optional<SweepJob> job;
  Store store;
  bool agreed = false;
  try {
    job.emplace(std::move(sweep));
    if (others && !ranks->first()) {
      agreed = true;
      return assist(*job, options, *ranks);
    }
    store.open(*job, options.folder);
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

  RowsFile& rows = *store.rows;
  Keeper keeper(rows, options);
  compute_rows(*job, rows, options, others ? &*ranks : nullptr, keeper);
  SweepResult result;
  result.counts = keeper.counts();
  if (rows.present() == rows.runs()) {
    write_results(*job, rows, options, *store.dir, result);
    result.complete = true;
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

std::vector<TableRow> run_rows(SweepFile sweep, int threads, const std::atomic<bool>* stop) {
  const SweepJob job(std::move(sweep));
  SweepOptions options;
  options.threads = threads;
  const int workers = threads_of(options, false);
  std::vector<TableRow> rows(static_cast<std::size_t>(job.plan().runs()));
  Dispenser dispenser(job.plan().runs(), [](long) { return true; });
  Crew crew(job, {}, workers, stop);
  std::vector<char> made(rows.size(), 0);
  crew.work([&] { return dispenser.take(workers); },
            [&](long run, const SweepRow& row) {
              job.complete(run, row, rows[static_cast<std::size_t>(run)]);
              made[static_cast<std::size_t>(run)] = 1;
            });
  crew.throw_if_failed();
  std::size_t kept = 0;
  for (std::size_t run = 0; run < rows.size(); ++run) {
    if (made[run] == 0) continue;
    if (kept != run) rows[kept] = std::move(rows[run]);
    ++kept;
  }
  rows.resize(kept);
  return rows;
}

}  // namespace taut
