// Runs of a sweep by batches: some hundred robots side by side through all rows, then each measured as a run is, by the
// same recorder on samples of the same observer.
//
// What a batch cannot say itself the ordinary engine is asked for: runs whose values make no model or one of other
// structure, robots that diverge, and those whose energy is doubtful. A robot's energy is judged at rows, with what is
// dissipated and the work from the powers there, and it is doubtful long before a run would fail by it (run/divergence.h).
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "taut/run/observe.h"
#include "taut/sweep/job.h"

namespace taut {

class BatchRuns {
 public:
  // Of a job that batches do.
  explicit BatchRuns(const SweepJob& job) : job_(job), fit_(*job.batch()), variation_(job.variation()) {}

  // Puts the rows of these runs, and returns those that are left to the ordinary engine. Throws Stopped when the flag is set
  // in between: rows that were put by then stay.
  std::vector<long> make(const std::vector<long>& runs, const std::atomic<bool>* stop,
                         const std::function<void(long, const SweepRow&)>& put);

 private:
  struct Robot {
    long run = 0;
    Scenario scenario;
    std::vector<double> values;  // of the parameters
  };
  // Positions and velocities at all rows.
  struct Motion {
    long number_apart = 0, robot_apart = 0;
    std::vector<std::vector<double>> nodes, velocities;
    std::vector<bool> good;  // per robot
  };
  std::vector<Robot> prepare(const std::vector<long>& runs, const std::atomic<bool>* stop, std::vector<long>& left);
  Motion move(const std::vector<Robot>& robots) const;
  std::optional<SweepRow> measure(const Robot& robot, const Motion& motion, long index);
  // False where the energy is doubtful.
  bool look_at_rows(const Motion& motion, long index, const Scenario& scenario, Summary& summary);

  const SweepJob& job_;
  const BatchFit& fit_;
  Variation variation_;
  std::optional<Measure> measure_;
};

}  // namespace taut
