#include "bench/lane_probe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "bench/timing.h"
#include "taut/model/model.h"

namespace taut::bench {

LaneProbe::LaneProbe(const Model& model, double step_length) : shape(model), step(step_length) {
  for (int i = 0; i < SixBarFloor::bars; ++i) {
    const Bar& bar = model.bars[static_cast<std::size_t>(i)];
    length[i] = (model.nodes[static_cast<std::size_t>(bar.b)].position - model.nodes[static_cast<std::size_t>(bar.a)].position).norm();
  }
  const std::vector<double> masses = node_masses(model);
  for (int k = 0; k < 3 * SixBarFloor::nodes; ++k) weight[k] = masses[static_cast<std::size_t>(k / 3)] * model.gravity[k % 3];
}

void probe_rows(const Model& model, double seconds) {
  const LaneProbe probe(model, 1e-3);
  std::vector<double> start;
  for (const Node& node : model.nodes) start.insert(start.end(), node.position.data(), node.position.data() + 3);
  __builtin_cpu_init();
  for (const ProbeUnit* unit : {&probe_avx512, &probe_avx2}) {
    if (unit == &probe_avx512 ? !__builtin_cpu_supports("avx512dq") : !__builtin_cpu_supports("avx2")) continue;
    for (const bool single : {false, true}) {
      constexpr int steps = 1000;
      constexpr long packs = 20;
      double least = INFINITY, sum = 0.0;
      const double end = core_seconds() + seconds;
      while (core_seconds() < end) {
        const double begin = core_seconds();
        sum += (single ? unit->in_single : unit->in_double)(probe, start.data(), packs, steps);
        least = std::min(least, core_seconds() - begin);
      }
      if (!std::isfinite(sum)) fmt::print("the probe diverged\n");
      const long width = single ? unit->width_single : unit->width_double;
      fmt::print("{:28} {:7} {:9} {:6} {:12.3g}\n", fmt::format("by hand, {}, 1 thread", unit->name),
                 single ? "single" : "double", packs * width, steps, static_cast<double>(packs * width * steps) / least);
    }
  }
}

}  // namespace taut::bench
