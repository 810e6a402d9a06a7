// summary.json: what the run did, in numbers.
//
//   status ("done" | "failed" | "interrupted"), reason (only when not done), model, formulation, integrator,
//   integrator_reason (only when `auto` chose), steps, rejected, rhs, wall_s, start_s (only where it went on
//   from a row of another run), simulated_s (time reached), real_time_factor ((simulated_s - start_s) / wall_s),
//   max_bar_length_error (relative), energy_drift (relative),
//   slack_events: [{time, cable, kind: "slack" | "taut"}], slack_events_dropped (events beyond those listed),
//   warnings, versions: {taut, compiler, eigen, sundials, hdf5, ...}
//
// A number that is not finite is written as null: JSON has no other word for it.
#pragma once

#include <string>

#include "taut/results/output_dir.h"
#include "taut/results/recorder.h"

namespace taut {

enum class SummaryParts { all, repeatable };  // repeatable: without wall_s, real_time_factor and versions

std::string summary_json(const Summary& summary, const Model& model, SummaryParts parts = SummaryParts::all);

class SummaryRecorder : public Recorder {
 public:
  explicit SummaryRecorder(OutputDir& dir) : file_(dir, "summary.json") {}     // throws InputError if not writable
  void begin(const Scenario& scenario) override { model_ = &scenario.model; }  // must outlive finish()
  void sample(const Sample&) override {}
  void finish(const Summary& summary) override;  // throws RunError

 private:
  OutputFile file_;
  const Model none_;
  const Model* model_ = &none_;
};

}  // namespace taut
