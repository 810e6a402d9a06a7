#include "taut/batch/against_run.h"

#include <algorithm>

#include "taut/base/stop.h"
#include "taut/run/simulation.h"

namespace taut::batch {

Scenario run_of(const Batch& batch, long robot) {
  Scenario scenario = batch.scenario(robot);
  RunSettings& how = scenario.simulation;
  how.integrator = "symplectic";
  how.formulation = "nodal";
  how.constraints = ConstraintMethod::projection;
  how.step = batch.options().step;
  return scenario;
}

double distance_to_run(const Batch& batch, long robot, std::span<const int> calls) {
  Simulation run(run_of(batch, robot));
  for (const int steps : calls) {
    run.advance(steps * batch.options().step);
    stop_if_asked();
  }
  const std::vector<double> own = batch.nodes_of(robot);
  const Points other = run.nodes();
  double largest = 0.0;
  for (Eigen::Index i = 0; i < other.cols(); ++i)
    largest = std::max(largest, (Eigen::Map<const Vec3>(own.data() + 3 * i) - other.col(i)).norm());
  return largest;
}

}  // namespace taut::batch
