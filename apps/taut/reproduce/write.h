// The folder and the table of a study.
#pragma once

#include <string>
#include <vector>

#include "apps/taut/reproduce/study.h"
#include "taut/run/output_dir.h"

namespace taut::reproduce {

// results.json, the series, the figures, the model files and report.html, all of them or none. Throws RunError.
void write(OutputDir& dir, const Study& study, const Findings& findings);

// Computed beside published numbers, their difference, units and notes; then the assumptions.
std::string table(const Study& study, const Findings& findings);

}  // namespace taut::reproduce
