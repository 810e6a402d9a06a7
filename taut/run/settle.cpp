#include "taut/run/settle.h"

#include <fmt/format.h>

#include <utility>

#include "taut/base/stop.h"
#include "taut/form/relax.h"

namespace taut {

Settled settle(const Scenario& scenario, const std::atomic<bool>* stop) {
  RelaxOptions options;
  options.stop = stop;
  Settled settled;
  settled.scenario = scenario;
  const StopScope scope(stop);
  RelaxResult result;
  try {
    result = relax(scenario.model, options);
  } catch (const Stopped&) {
    settled.interrupted = true;
    settled.failure = "settling: interrupted";
    return settled;
  }
  settled.interrupted = !result.converged && stop != nullptr && stop->load(std::memory_order_relaxed);
  if (!result.converged) {
    settled.failure =
        fmt::format("settling: {} (largest net force {:.2e} of the mean member force)", result.reason, result.residual);
    return settled;
  }
  settled.scenario.model = std::move(result.model);
  settled.note = fmt::format(
      "settled: started from equilibrium, largest net force {:.1e} of the mean member force; nodes moved by up to "
      "{:.3g} m",
      result.residual, result.largest_move);
  if (!result.free.empty())
    settled.note += "; nothing resists a motion of it: " + result.free;
  else if (!result.stable)
    settled.note += "; the equilibrium is unstable";
  return settled;
}

}  // namespace taut
