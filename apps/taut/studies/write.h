// The folder and the table of a study.
#pragma once

#include <string>
#include <vector>

#include "apps/taut/studies/study.h"
#include "taut/results/output_dir.h"

namespace taut::reproduce {

// results.json, published.md, the series, the figures, the model files and report.html, all of them or none. Throws RunError.
void write(OutputDir& dir, const Study& study, const Findings& findings);

// Computed beside published numbers, all components of lists, their difference, units and notes; then the assumptions.
std::string table(const Study& study, const Findings& findings);

}  // namespace taut::reproduce
