// A run in memory, column by column: what simulate() returns, what run.h5 holds, what plots, exports and reports start
// from.
//
//   Run run = simulate(scenario);
//   run.t[i];  run.nodes(i).col(k);  run.tensions(i)[c];  run.energy(i)[kinetic];  run.events;  run.summary.status
#pragma once

#include <Eigen/Core>
#include <vector>

#include "taut/model/scenario.h"
#include "taut/results/recorder.h"

namespace taut {

using Points = Eigen::Map<const Eigen::Matrix3Xd>;  // a column for each node
using Values = Eigen::Map<const Eigen::VectorXd>;

// The numbers of all rows, row after row in the model's order. A list that was not asked for, or that the run has not,
// is empty.
struct RunColumns {
  std::vector<double> nodes, velocities;                // m, m/s, 3 per node
  std::vector<double> tensions, lengths, rest_lengths;  // N, m, m, per cable
  std::vector<double> bar_forces;                       // N, per bar
  std::vector<double> bar_lengths, bar_rest_lengths;    // m, per driven bar, or none
  std::vector<double> energy;                           // J, energy_columns each
  std::vector<double> constraint_error;                 // m, one each
  std::vector<double> contact_forces;                   // N, 3 per node, or none
  std::vector<double> support_forces;                   // N, 3 per node with a fixed axis, or none
  std::vector<double> joints;                           // as joint_columns(), or none
  std::vector<double> controls;                         // as control_columns(), or none
  std::vector<double> frames;                           // 6 per frame, or none
  std::vector<double> bodies;                           // 7 per body, and per bar that a joint holds, or none
  std::vector<double> coordinates, memory;              // as in a Sample, or none
};

// One row of a run, by reference.
struct RunRow {
  double t;
  Points nodes, velocities, contact_forces, support_forces;
  Values tensions, lengths, rest_lengths, bar_forces, energy, joints, controls, frames, bodies;
};

struct Run {
  Scenario scenario;
  Summary summary;            // wall_s = 0 where it was read back: the time that it took is not kept
  std::vector<Event> events;  // in order of time
  std::vector<double> t;      // s
  RunColumns columns;

  std::size_t rows() const { return t.size(); }
  Points nodes(std::size_t row) const { return points(columns.nodes, row); }
  Points velocities(std::size_t row) const { return points(columns.velocities, row); }
  Values tensions(std::size_t row) const { return values(columns.tensions, row); }
  Values lengths(std::size_t row) const { return values(columns.lengths, row); }
  Values rest_lengths(std::size_t row) const { return values(columns.rest_lengths, row); }
  Values bar_forces(std::size_t row) const { return values(columns.bar_forces, row); }
  // Of the bars that actuators drive, in the order of Model::bar_drives: between the ends, and as driven.
  Values bar_lengths(std::size_t row) const { return values(columns.bar_lengths, row); }
  Values bar_rest_lengths(std::size_t row) const { return values(columns.bar_rest_lengths, row); }
  Values energy(std::size_t row) const { return values(columns.energy, row); }
  Values joints(std::size_t row) const { return values(columns.joints, row); }

  // All of a row; `for (const RunRow& row : run)`.
  RunRow operator[](std::size_t row) const;
  RunRow front() const { return (*this)[0]; }
  RunRow back() const { return (*this)[rows() - 1]; }
  struct Iterator {
    const Run* run;
    std::size_t row;
    RunRow operator*() const { return (*run)[row]; }
    Iterator& operator++() { return ++row, *this; }
    bool operator==(const Iterator& other) const { return row == other.row; }
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, rows()}; }

 private:
  Values values(const std::vector<double>& all, std::size_t row) const {
    const std::size_t width = all.size() / t.size();
    return {all.data() + width * row, static_cast<Eigen::Index>(width)};
  }
  Points points(const std::vector<double>& all, std::size_t row) const {
    const std::size_t width = all.size() / t.size();
    return {all.data() + width * row, 3, static_cast<Eigen::Index>(width / 3)};
  }
};

// Keeps every row and, in the end, the summary.
class RunRecorder : public Recorder {
 public:
  void begin(const Scenario& scenario) override;
  void sample(const Sample& sample) override;
  void finish(const Summary& summary) override;
  // Drops the rows from t on, for a motion that was taken back to an earlier time.
  void rewind(double t);

  Run run;
};

// Indices of the nodes with a fixed axis, in order: whose forces `support_forces` holds.
std::vector<int> support_nodes(const Model& model);

// One row; lists that the run has not are empty in it.
Sample row_of(const Run& run, std::size_t row);

// Hands every row and the summary to a recorder, as simulate() did.
void replay(const Run& run, Recorder& recorder);

}  // namespace taut
