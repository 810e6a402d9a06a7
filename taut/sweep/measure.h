// A recorder that notes what a sweep records of a run, row by row, and keeps no rows.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "taut/results/recorder.h"
#include "taut/sweep/expression/accumulator.h"
#include "taut/sweep/expression/run_names.h"

namespace taut {

class Measure : public Recorder {
 public:
  // For runs of this scenario, or of others whose members have the same names. A record that makes no sense here is
  // NaN, and one of the problems. The sweep stays alive.
  Measure(const SweepFile& sweep, const Scenario& scenario);
  const std::vector<Problem>& problems() const { return problems_; }
  bool fits(const Model& model) const;

  // Whether rows are needed at all.
  bool needs_rows() const { return names_.needs_rows() || stop_.has_value(); }

  // A name in them that needs more than the states at rows (run_names.h); empty: none does.
  const std::string& beyond_states() const { return names_.beyond_states(); }

  // Before a run: its values, and a flag from outside that ends it.
  void prepare(std::span<const double> parameters, const std::atomic<bool>* stop);
  // What ends the run: the flag from outside, or the sweep's condition.
  const std::atomic<bool>* stop() const { return stop_ ? &halt_ : outside_; }
  bool condition_met() const { return met_; }

  void begin(const Scenario& scenario) override;
  void sample(const Sample& sample) override;
  void finish(const Summary& summary) override;

  const std::vector<double>& records() const { return records_; }
  bool holds() const { return holds_; }                    // the condition of a bisection
  long dropped_events() const { return dropped_events_; }  // that records would count, and were not kept

 private:
  const SweepFile& sweep_;
  const Model model_;  // of the names
  RunNames names_;
  std::vector<Problem> problems_;
  std::vector<std::optional<Expression>> expressions_;  // records, then the condition of a bisection
  std::vector<std::optional<Accumulator>> accumulators_;
  std::optional<Expression> stop_;
  std::vector<double> parameters_, signals_, records_;
  const std::atomic<bool>* outside_ = nullptr;
  std::atomic<bool> halt_{false};
  bool met_ = false, holds_ = false;
  long dropped_events_ = 0;
};

}  // namespace taut
