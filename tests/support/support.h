// Small models built in a line or two, a recorder that keeps its rows, and numbers about rows, for the tests of the
// core. Bars are uniform rods and nodes are free unless a test says otherwise.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "taut/generators/generators.h"
#include "taut/model/build.h"
#include "taut/model/scenario.h"
#include "taut/run/simulate.h"

namespace taut::testing {

inline constexpr Axes all_fixed = {true, true, true};
inline constexpr Axes planar = {false, false, true};  // free along x and y

using taut::add_load;
using taut::ramp_signal;
using taut::sine_signal;
using taut::step_signal;

// Shorthands of model/build.h, by position.
inline int add_node(Model& model, const Vec3& position, double mass, const Axes& fixed = {},
                    const Vec3& velocity = Vec3::Zero()) {
  return taut::add_node(model, position, {.mass = mass, .fixed = fixed, .velocity = velocity});
}

inline int add_bar(Model& model, int a, int b, double mass) { return taut::add_bar(model, a, b, {.mass = mass}); }

inline CableLaw linear_law(double stiffness, double damping = 0.0) {
  CableLaw law;
  law.stiffness = stiffness;
  law.damping = damping;
  return law;
}

inline CableLaw spring_law(double stiffness, double damping = 0.0) {
  CableLaw law = linear_law(stiffness, damping);
  law.kind = LawKind::spring;
  return law;
}

inline int add_cable(Model& model, std::vector<int> path, const CableLaw& law, double rest_length) {
  const std::string name = "c" + std::to_string(model.cables.size() + 1);
  return taut::add_cable(model, std::move(path), {.rest_length = rest_length, .name = name, .law = law});
}

// An empty model without gravity.
inline Scenario empty_scenario(double duration = 1.0, double output_step = 0.1) {
  Scenario scenario;
  scenario.model.gravity = Vec3::Zero();
  scenario.simulation.duration = duration;
  scenario.simulation.output_step = output_step;
  return scenario;
}

inline Scenario generated(const std::string& kind, const Parameters& parameters = {}) {
  return generate(*find_generator(kind), parameters);
}

struct Motion : Recorder {
  std::vector<Sample> rows;
  Summary summary;

  void begin(const Scenario&) override {}
  void sample(const Sample& row) override { rows.push_back(row); }
  void finish(const Summary&) override {}

  const Sample& last() const { return rows.back(); }
};

inline Motion run(const Scenario& scenario) {
  Motion result;
  result.summary = simulate(scenario, {&result});
  return result;
}

// The scenario with another integrator; the number is the step of fixed-step methods and the tolerance of the others.
inline Motion run(Scenario scenario, const std::string& integrator, double accuracy) {
  scenario.simulation.integrator = integrator;
  scenario.simulation.step = scenario.simulation.tolerance = accuracy;
  return run(scenario);
}

inline Vec3 position(const Sample& row, int node) { return Vec3(row.nodes.data() + 3 * node); }
inline Vec3 velocity(const Sample& row, int node) { return Vec3(row.velocities.data() + 3 * node); }

// Largest distance between the nodes of two rows.
inline double distance(const Sample& a, const Sample& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) largest = std::max(largest, std::abs(a.nodes[i] - b.nodes[i]));
  return largest;
}

// Linear momentum, and angular momentum about the origin, from the bars' own mass, centre and inertia and from the
// node masses (massless cables and rigid bars only).
struct Momentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};

inline Momentum momentum(const Model& model, const Sample& row) {
  Momentum sum;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Vec3 p = model.nodes[i].mass * velocity(row, static_cast<int>(i));
    sum.linear += p;
    sum.angular += position(row, static_cast<int>(i)).cross(p);
  }
  for (const Bar& bar : model.bars) {
    const Vec3 xa = position(row, bar.a), xb = position(row, bar.b), va = velocity(row, bar.a),
               vb = velocity(row, bar.b);
    const Vec3 centre = (1.0 - bar.com) * xa + bar.com * xb, p = bar.mass * ((1.0 - bar.com) * va + bar.com * vb);
    sum.linear += p;
    sum.angular += centre.cross(p) + bar.inertia * (xb - xa).cross(vb - va) / (xb - xa).squaredNorm();
  }
  return sum;
}

// Seeded random numbers: the same on every machine.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1.0p-53;
  }
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  bool chance(double probability) { return between(0.0, 1.0) < probability; }
  Vec3 vector(double size = 1.0) {
    const double x = between(-size, size), y = between(-size, size), z = between(-size, size);
    return {x, y, z};
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace taut::testing
