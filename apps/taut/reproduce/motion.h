// A whole run in memory.
#pragma once

#include <atomic>
#include <vector>

#include "taut/run/report.h"
#include "taut/run/simulate.h"

namespace taut::reproduce {

struct Motion {
  Model model;
  std::vector<Sample> rows;
  Summary summary;
};

// Set from outside (a signal): runs end with RunError.
std::atomic<bool>& stop_asked();

// Throws RunError when the run fails or is stopped, with `what` in front.
Motion simulated(const Scenario& scenario, const char* what);

Vec3 position(const Sample& row, int node);
Vec3 velocity(const Sample& row, int node);

// For the 3-D scene of the report.
ReportRun scene(const Motion& motion, const std::string& label);

}  // namespace taut::reproduce
