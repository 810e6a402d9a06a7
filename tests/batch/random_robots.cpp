#include "tests/batch/random_robots.h"

#include <algorithm>
#include <cmath>

#include "taut/batch/batch.h"
#include "taut/model/check/check.h"
#include "taut/model/shape/ground_points.h"
#include "taut/run/simulation.h"

namespace taut::testing {

namespace {

struct Draw {
  std::mt19937 bits;
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(bits); }
  Vec3 vector(double size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  int below(int n) { return static_cast<int>(bits() % static_cast<unsigned>(n)); }
};

CableLaw random_law(Draw& draw, bool all) {
  CableLaw law;
  law.stiffness = draw(50.0, 300.0);
  law.damping = draw.below(3) == 0 ? 0.0 : draw(0.1, 1.0);
  if (!all) return law;
  switch (draw.below(6)) {
    case 0:
      law.kind = LawKind::softplus;
      law.beta = draw(1e-3, 2e-2);
      break;
    case 1:
      law.kind = LawKind::spring;
      break;
    case 2:
      law.kind = LawKind::table;
      law.strain = {-0.1, 0.0, 0.05, 0.3};
      law.force = {-1.0, 0.0, draw(1.0, 5.0), draw(20.0, 40.0)};
      law.stiffness = 0.0;
      break;
    case 3:
      law.clip = false;
      break;
    case 4:
      law.by_EA = true;
      break;
    default:
      break;
  }
  return law;
}

void add_cables(Model& m, Draw& draw, const RobotTraits& traits) {
  const int nodes = static_cast<int>(m.nodes.size());
  for (int i = 0; i < 3 * nodes / 2; ++i) {
    std::vector<int> path = {draw.below(nodes)};
    const int length = traits.laws && draw.below(4) == 0 ? 3 + draw.below(2) : 2;
    while (static_cast<int>(path.size()) < length) {
      const int next = draw.below(nodes);
      if (next != path.back()) path.push_back(next);
    }
    CableOptions options;
    options.law = random_law(draw, traits.laws);
    if (traits.laws && path.size() == 2 && options.law->damping > 0.0 && draw.below(3) == 0) {
      options.law->damping_model = DampingModel::vector;
      options.law->clip = false;
    }
    double l = 0.0;
    for (std::size_t k = 0; k + 1 < path.size(); ++k)
      l += (m.nodes[static_cast<std::size_t>(path[k])].position -
            m.nodes[static_cast<std::size_t>(path[k + 1])].position)
               .norm();
    options.rest_length = l * draw(0.85, 1.05);
    if (traits.laws && draw.below(5) == 0) options.mass = draw(0.01, 0.05);
    options.name = "c" + std::to_string(i);
    add_cable(m, path, options);
  }
}

void add_signals(Model& m, Draw& draw) {
  const auto rest = [&](int cable) { return m.cables[static_cast<std::size_t>(cable)].rest_length; };
  add_actuator(m, 0, sine_signal(rest(0), 0.1 * rest(0), draw(0.05, 0.2)));
  add_actuator(m, 1, step_signal(rest(1), 0.9 * rest(1), 0.01));
  Signal table;
  table.kind = SignalKind::table;
  table.times = {0.0, 0.005, 0.02};
  table.values = {rest(2), 0.95 * rest(2), 1.02 * rest(2)};
  add_actuator(m, 2, table);
  add_load(m, 0, draw.vector(5.0));
  add_load(m, 1, draw.vector(5.0), 0.006, 0.018);
}

double deepest(const Model& m) {
  const GroundSurface surface(*m.ground);
  double most = -1e9;
  for (const Node& node : m.nodes)
    if (can_touch(node)) most = std::max(most, surface.depth(node.position.data()));
  each_ground_point(m, surface,
                    [&](EntityKind, int, const Vec3& at, double) { most = std::max(most, surface.depth(at.data())); });
  return most;
}

void add_ground(Model& m, Draw& draw, const RobotTraits& traits) {
  m.ground = Ground{};
  Ground& g = *m.ground;
  g.law = traits.press;
  g.stiffness = traits.press == PressKind::hunt_crossley ? 2e4 : 2e3;
  g.damping = traits.press == PressKind::hunt_crossley ? 0.5 : 5.0;
  g.friction = 0.6;
  g.slip_speed = 0.05;
  g.viscous = 0.3;
  g.beta = 1e-2;
  g.radius = 0.02;
  g.restitution = traits.restitution;
  g.height = -0.9;
  if (traits.slope) g.normal = {0.2, -0.1, 1.0};
  if (traits.heights) {
    g.heights = {-2.0, -2.0, 0.5, 0.8, 9, 6, {}};
    for (int i = 0; i < 9 * 6; ++i) g.heights.heights.push_back(draw(-0.15, 0.15));
  }
  for (Node& node : m.nodes)
    if (node.fixed == Axes{}) node.velocity.z() -= 0.5;
  // Down until what is deepest is 2 mm above it, or nearly so where the ground bends.
  for (int pass = 0; pass < 8; ++pass) g.height -= (deepest(m) + 0.002);
  g.height -= std::max(0.0, deepest(m));
}

// Two tetrahedra of bars that share a node, a plate and a point half way between two nodes.
void add_coupled(Model& m, Draw& draw) {
  const int first = static_cast<int>(m.nodes.size());
  for (int k = 0; k < 7; ++k)
    taut::add_node(m, Vec3(0.3 * k, 0.0, 0.5) + draw.vector(0.3),
                   {.mass = k % 2 == 0 ? 0.1 : 0.0, .velocity = draw.vector(0.3)});
  for (int k = 0; k + 1 < 5; ++k) taut::add_bar(m, first + k, first + k + 1, {.mass = draw(0.3, 0.6)});
  const Vec3 corner = draw.vector(0.5);
  Body body;
  body.name = "box";
  body.mass = 0.7;
  body.contact = false;
  body.inertia = Vec3(0.01, 0.012, 0.015).asDiagonal();
  for (const Vec3& at : {Vec3(0, 0, 0), Vec3(0.2, 0, 0), Vec3(0, 0.2, 0), Vec3(0, 0, 0.2), Vec3(0.2, 0.2, 0.1)})
    body.nodes.push_back(taut::add_node(m, Vec3(corner + at)));
  body.centre = corner + Vec3(0.08, 0.08, 0.06);
  m.bodies.push_back(body);
  taut::add_bar(m, first + 4, body.nodes[0], {.mass = 0.2});
  Constraint half;
  half.terms = {{first + 5, 1.0}, {first + 6, 1.0}};
  half.axes = {true, false, true};
  half.value =
      m.nodes[static_cast<std::size_t>(first + 5)].position + m.nodes[static_cast<std::size_t>(first + 6)].position;
  for (const int k : {5, 6}) {
    m.nodes[static_cast<std::size_t>(first + k)].mass = 0.2;
    m.nodes[static_cast<std::size_t>(first + k)].velocity = Vec3::Zero();
  }
  m.constraints.push_back(half);
}

}  // namespace

Scenario random_robot(unsigned seed, const RobotTraits& traits) {
  Draw draw{std::mt19937(seed)};
  Scenario scenario;
  Model& m = scenario.model;
  for (int i = 0; i < traits.bars; ++i) {
    const Vec3 a = draw.vector(0.8), b = a + draw.vector(0.7) + Vec3(0.0, 0.0, 0.3);
    // Both ends turn about a common centre, so that the bar keeps its length.
    const Vec3 velocity = draw.vector(0.5), omega = draw.vector(1.0);
    const int na = taut::add_node(m, a, {.mass = draw.below(2) * 0.05, .velocity = velocity});
    const int nb = taut::add_node(m, b, {.velocity = velocity + omega.cross(b - a)});
    const double mass = draw(0.3, 1.0), com = draw(0.3, 0.7), slow = traits.drag ? draw(0.1, 0.5) : 0.0;
    taut::add_bar(m, na, nb, {.mass = mass, .com = com, .drag = slow});
    if (traits.drag) m.bars.back().turning_drag = draw(0.0, 0.05);
  }
  taut::add_node(m, draw.vector(0.5), {.mass = 0.3, .velocity = draw.vector(0.5)});
  taut::add_node(m, draw.vector(1.0), {.fixed = all_axes});
  if (traits.coupled) add_coupled(m, draw);
  if (traits.guided) {
    m.nodes[0].fixed = {true, false, false};
    m.nodes[2].fixed = {true, true, true};
    m.nodes[m.nodes.size() - 2].fixed = {false, false, true};
    for (const std::size_t k : {0UL, 1UL, 2UL, 3UL}) m.nodes[k].velocity = Vec3::Zero();
    m.nodes[m.nodes.size() - 2].velocity.z() = 0.0;
  }
  if (traits.laws) taut::add_bar(m, 1, 3, {.mass = 0.1, .EA = 500.0});
  add_cables(m, draw, traits);
  if (traits.signals) add_signals(m, draw);
  if (traits.ground) add_ground(m, draw, traits);
  validate(m);
  return scenario;
}

Comparison compare_with_simulation(const Scenario& scenario, unsigned seed, double step, int calls, int steps,
                                   const std::string& unit) {
  constexpr long robots = 6;
  Draw draw{std::mt19937(seed)};
  BatchOptions options;
  options.step = step;
  options.threads = 2;
  options.unit = unit;
  Batch batch(scenario, robots, options);
  const auto vary = [&](const std::string& key, double low, double high, int parts) {
    std::vector<double> values;
    for (long i = 0; i < parts * robots; ++i) values.push_back(draw(low, high));
    batch.set(key, values);
  };
  vary("bars.0.mass", 0.4, 0.8, 1);
  vary("cables.c1.damping", 0.1, 0.6, 1);
  vary("environment.gravity", -6.0, -4.0, 3);
  if (scenario.model.ground) vary("environment.ground.friction", 0.3, 0.9, 1);
  for (int c = 0; c < calls; ++c) batch.step(steps);
  const BatchArray tensions = batch.tensions();
  Comparison worst;
  for (const long robot : {0L, 1L, 5L}) {
    Scenario own = batch.scenario(robot);
    own.simulation.integrator = "symplectic";
    own.simulation.formulation = "nodal";
    own.simulation.step = step;
    own.simulation.output_step = step * steps;
    own.simulation.duration = 1e6;
    Simulation simulation(own);
    for (int c = 0; c < calls; ++c) simulation.advance(step * steps);
    const std::vector<double> nodes = batch.nodes_of(robot);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const double there = simulation.nodes().data()[k];
      worst.difference = std::max(worst.difference, std::abs(nodes[k] - there));
      worst.motion =
          std::max(worst.motion, std::abs(there - own.model.nodes[k / 3].position[static_cast<long>(k % 3)]));
    }
    for (int c = 0; c < tensions.numbers; ++c)
      worst.tension_difference = std::max(
          worst.tension_difference,
          std::abs(static_cast<const double*>(tensions.data)[c * tensions.stride + robot] - simulation.tensions()[c]));
  }
  return worst;
}

}  // namespace taut::testing
