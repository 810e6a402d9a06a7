// A sweep made ready: what all threads share, and what a thread does for one run.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taut/sweep/batch_fit.h"
#include "taut/sweep/measure.h"
#include "taut/sweep/plan.h"
#include "taut/sweep/study.h"
#include "taut/sweep/table/rows_file.h"
#include "taut/sweep/table/table.h"
#include "taut/sweep/vary.h"

namespace taut {

class SweepJob {
 public:
  // Throws InputError: an expression or a key that is wrong, values of which none makes a model, or runs that a batch
  // cannot make where the sweep asks for one. `keep_runs`: whole results are wanted.
  explicit SweepJob(SweepFile sweep, bool keep_runs = false);
  SweepJob(const SweepJob&) = delete;
  SweepJob& operator=(const SweepJob&) = delete;

  const SweepFile& sweep() const { return sweep_; }
  const Plan& plan() const { return plan_; }
  const Variation& variation() const { return *variation_; }
  // How batches make the runs; null: the ordinary engine does, for that reason.
  const BatchFit* batch() const { return by_batch_ ? &fit_ : nullptr; }
  const std::string& engine_reason() const { return fit_.objection; }
  std::vector<TableColumn> columns() const;
  int stored() const;  // values of a row that were computed: the limit, the records
  // A row as it is shown: parameters, repeat, limit, records.
  void complete(long run, const SweepRow& row, TableRow& shown) const;
  std::string identity() const;

 private:
  // Values of a run; of a limit, the one at this part of its range.
  std::vector<double> values_at(long run, double part) const;
  void find_model();
  void check_imperfections();
  void check_records();
  void choose_engine(bool keep_runs);

  const SweepFile sweep_;
  const Plan plan_;
  std::unique_ptr<Variation> variation_;
  BatchFit fit_;
  bool by_batch_ = false;
};

// The row of a run that ended so, and whether a flag from outside has ended it.
SweepRow row_of(const SweepFile& sweep, const Measure& measure, const Summary& summary, bool& interrupted);

class SweepWorker {
 public:
  // `keep`: where the whole results of the runs go; empty: nowhere.
  SweepWorker(const SweepJob& job, std::filesystem::path keep);

  // Nothing: it was stopped from outside.
  std::optional<SweepRow> run(long run, const std::atomic<bool>* stop);

 private:
  struct Outcome {
    SweepRow row;
    bool holds = false;
    bool interrupted = false;
  };
  Outcome simulate_once(long run, double limit, const std::atomic<bool>* stop, bool keep);
  struct Search;
  bool holds(double x, Search& search);
  double halve(double inside, double outside, Search& search);
  std::optional<SweepRow> bisect(long run, const std::atomic<bool>* stop);

  const SweepJob& job_;
  const std::filesystem::path keep_;
  Variation variation_;
  std::optional<Measure> measure_;
  std::vector<double> values_;  // of the run: parameters, and what is tried as the limit
};

// runs/000042 below `keep`.
std::filesystem::path run_folder(const std::filesystem::path& keep, long run);

}  // namespace taut
