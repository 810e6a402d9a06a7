// Runs of the studies.
#pragma once

#include "taut/report/report.h"
#include "taut/run/simulate.h"

namespace taut::reproduce {

// Throws RunError when the run fails, with `what` in front.
Run simulated(const Scenario& scenario, const char* what);

Vec3 position(const RunRow& row, int node);
Vec3 velocity(const RunRow& row, int node);

// For the 3-D scene of the report.
ReportRun scene(const Run& run, const std::string& label);

}  // namespace taut::reproduce
