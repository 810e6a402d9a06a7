// report.html: the rows of a run as a page for the browser (docs/report-format.md), with the structure, the numbers of
// the closing table and what to be warned of.
//
// Rows gather in memory as floats, at most `budget` bytes of them: where a run has more, every second, fourth, eighth
// ... row is kept, and the last one; the page says so, and run.h5 holds them all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "taut/report/picture.h"
#include "taut/report/report.h"
#include "taut/results/output_dir.h"
#include "taut/results/summary_table.h"

namespace taut {

class SceneRecorder : public Recorder {
 public:
  static constexpr const char* file_name = "report.html";
  static constexpr std::size_t standard_budget = 120'000'000;

  // `title` serves where the model has no name. Throws InputError if dir is not writable.
  SceneRecorder(OutputDir& dir, std::string title, std::string name = file_name, std::string_view page = report_page(),
                std::size_t budget = standard_budget);
  void begin(const Scenario& scenario) override;
  void sample(const Sample& sample) override;
  void other(const std::string& name, const Sample& sample) override;  // drawn over the run, as long as there is room
  void finish(const Summary& summary) override;                        // throws RunError

 private:
  void keep(const Sample& sample);
  void keep_rest_lengths(const Sample& sample);
  void thin();
  Report make_report(const Summary& summary);
  ReportRun make_run(const Summary& summary);

  OutputFile file_;
  std::string title_;
  std::string_view page_;
  std::size_t budget_;
  Scenario scenario_;
  EnergyEnds energies_;
  Picture picture_;
  ReportStructure structure_;
  std::string counts_;  // of the model without what the picture adds

  // Kept rows, one list per quantity.
  struct List {
    std::vector<float> values;
    std::size_t width = 0;
  };
  static void append(List& list, const std::vector<double>& row);
  std::vector<List*> lists() {
    return {&nodes_, &tensions_,       &lengths_,        &rest_lengths_, &bar_forces_,
            &error_, &contact_forces_, &support_forces_, &frames_,       &bodies_};
  }
  std::vector<double> t_, energy_;
  List nodes_, tensions_, lengths_, rest_lengths_, bar_forces_, error_, contact_forces_, support_forces_, frames_,
      bodies_;
  std::vector<double> first_rest_lengths_;
  std::size_t stride_ = 1, rows_ = 0;  // every stride-th of the rows so far is kept
  struct Other {
    std::string name;
    std::vector<double> t;
    List nodes, tensions, frames, bodies;
    std::size_t rows = 0;
    bool left_out = false;  // for want of room
  };
  std::vector<Other> others_;
  Sample last_;  // the row that came last, where it is not kept
  bool last_kept_ = true;
};

}  // namespace taut
