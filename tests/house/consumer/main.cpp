// Uses the installed library from end to end: generate a structure, run it, look at the result.
#include <cmath>
#include <cstdio>

#include "taut/model/generators.h"
#include "taut/run/simulate.h"

namespace {

// Keeps the last row.
class LastRow : public taut::Recorder {
 public:
  void begin(const taut::Scenario&) override {}
  void sample(const taut::Sample& sample) override { row = sample; }
  void finish(const taut::Summary&) override {}
  taut::Sample row;
};

}  // namespace

int main() {
  const taut::Generator* pendulum = taut::find_generator("pendulum");
  if (pendulum == nullptr) return 1;
  taut::Scenario scenario = taut::generate(*pendulum, {});
  scenario.simulation.duration = 0.5;

  LastRow last;
  const taut::Summary summary = taut::simulate(scenario, {&last});
  std::printf("%s at t = %g s: %s, %ld steps\n", scenario.model.name.c_str(), last.row.t, summary.status.c_str(),
              summary.steps);
  return summary.status == "done" && std::abs(last.row.t - 0.5) < 1e-12 ? 0 : 1;
}
