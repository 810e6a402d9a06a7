// The table that ends a run: what it did, how well it kept bar lengths and energy, what it wrote.
#pragma once

#include <array>
#include <string>

#include "taut/run/output_dir.h"
#include "taut/run/recorder.h"

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

// Plain text, a line per entry, the same in a pipe as on a terminal; `utf8` allows signs beyond ASCII.
std::string closing_table(const Scenario& scenario, const Summary& summary, const EnergyEnds& energies,
                          const OutputDir& dir, bool utf8);

}  // namespace taut
