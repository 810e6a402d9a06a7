// The table that ends a run: what it did, how well it kept bar lengths and energy, what it wrote.
#pragma once

#include <string>

#include "taut/results/output_dir.h"
#include "taut/results/summary_table.h"

namespace taut {

// Plain text, a line per entry, the same in a pipe as on a terminal; `utf8` allows signs beyond ASCII;
// `no_report` is why there is no report.html although it was wanted.
std::string closing_table(const Scenario& scenario, const Summary& summary, const EnergyEnds& energies,
                          const OutputDir& dir, bool utf8, const std::string& no_report);

}  // namespace taut
