// The numbers of a run that people look at first, as names and texts: the closing table of `taut run` and the summary
// of its report say the same.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "taut/results/recorder.h"

namespace taut {

// Remembers the energies of the first and the last row.
class EnergyEnds : public Recorder {
 public:
  void begin(const Scenario&) override { rows = 0; }
  void sample(const Sample& sample) override {
    if (rows++ == 0) first = sample.energy;
    last = sample.energy;
  }
  void finish(const Summary&) override {}

  long rows = 0;
  std::array<double, energy_columns> first{}, last{};
};

using SummaryLine = std::pair<std::string, std::string>;

// Status, time simulated, methods, effort, bar-length error; without effort (a summary read back has none) where wall_s
// = 0.
std::vector<SummaryLine> summary_lines(const RunSettings& simulation, const Summary& summary, long rows);
// One of the energies at the start and at the end, J.
std::array<std::string, 3> energy_line(const EnergyEnds& energies, int column);
std::string drift_text(const Summary& summary);
std::string event_time_text(double time);  // "0.145029562 s"

// "3 cables went slack, first a1-b2 at 0.12 s." and whatever else a reader should know before he trusts the run.
std::vector<std::string> warning_sentences(const Model& model, const Summary& summary);

}  // namespace taut
