// The report of `taut modes`: every shape as a motion of the structure, with its frequency and damping, and the table
// of frequencies against prestress as a plot.
#pragma once

#include <string>
#include <vector>

#include "taut/model/scenario.h"
#include "taut/modes/modes.h"
#include "taut/report/report.h"

namespace taut {

// Modes of the structure with its tensions times a factor.
struct PrestressRow {
  double factor = 1.0;
  double imbalance = 0.0;  // largest net node force over mean member force
  Eigen::VectorXd square;  // ω², ascending
};

// What a mode is like, in a word: "zero", "unstable", "overdamped", or nothing.
std::string mode_remark(const ModalAnalysis& modes, long mode);

Report modes_report(const Scenario& scenario, const ModalAnalysis& modes, const std::vector<PrestressRow>& prestress,
                    const std::string& title);

}  // namespace taut
