// A run that is over, in memory: the scenario, the numbers of its rows, the summary. What plots, exports and reports
// made later start from.
#pragma once

#include <string>
#include <vector>

#include "taut/model/scenario.h"
#include "taut/run/recorder.h"

namespace taut {

// Row after row, in the model's order; T = t.size() rows. A list that was not asked for, or that the run has not, is
// empty.
struct RunResult {
  Scenario scenario;
  Summary summary;  // wall_s = 0: the time that it took is not kept
  std::vector<double> t;
  std::vector<double> nodes, velocities;                // 3 per node
  std::vector<double> tensions, lengths, rest_lengths;  // per cable
  std::vector<double> bar_forces;                       // per bar
  std::vector<double> energy;                           // energy_columns each
  std::vector<double> constraint_error;                 // one each
  std::vector<double> contact_forces;                   // 3 per node, or none
  std::vector<double> support_forces;                   // 3 per node with a fixed axis, or none
  std::vector<double> joints;                           // as joint_columns(), or none
  std::vector<double> controls;                         // as control_columns(), or none
  std::vector<double> frames;                           // 6 per frame, or none

  std::size_t rows() const { return t.size(); }
};

// Indices of the nodes with a fixed axis, in order: whose forces `support_forces` holds.
std::vector<int> support_nodes(const Model& model);

// One row; lists that the result has not are empty in it.
Sample row_of(const RunResult& result, std::size_t row);

// Hands every row and the summary to a recorder, as simulate() did.
void replay(const RunResult& result, Recorder& recorder);

// The start shape as a run of one row, with the forces at t = 0. Throws InputError when the formulation refuses the
// model.
RunResult still_result(const Scenario& scenario);

}  // namespace taut
