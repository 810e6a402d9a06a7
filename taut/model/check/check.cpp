#include "taut/model/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "taut/base/text/suggest.h"
#include "taut/model/check/check_values.h"
#include "taut/model/run_words.h"

namespace taut {

namespace {

// Names are given, and given once.
class Names {
 public:
  explicit Names(size_t members) { seen_.reserve(members); }
  void check(const Entity& entity, const std::string& name, const char* what) {
    if (name.empty()) return entity.say("name", "is empty: expected a name");
    if (!seen_.emplace(name, 0).second) entity.say("name", fmt::format("a second {} is called \"{}\"", what, name));
  }

 private:
  std::unordered_map<std::string_view, int> seen_;
};

bool check_index(const Entity& entity, const char* key, int index, size_t count) {
  if (index >= 0 && static_cast<size_t>(index) < count) return true;
  entity.say(key, fmt::format("refers to number {} of {}", index, count));
  return false;
}

// A rest length, given directly or as an actuator's value.
void check_rest_length(const Entity& entity, const char* key, const CableLaw& law, double rest_length) {
  if (law.kind == LawKind::spring && !law.by_EA) return entity.not_negative(key, rest_length);
  entity.positive(key, rest_length);
}

void check_node(const Entity& entity, const Node& node) {
  entity.finite("at", node.position);
  entity.finite("velocity", node.velocity);
  entity.not_negative("mass", node.mass);
  for (int axis = 0; axis < 3; ++axis) {
    if (node.fixed[axis] && node.velocity[axis] != 0.0) {
      entity.say("velocity", fmt::format("is {} m/s along {}, where the node is fixed: expected 0", node.velocity[axis],
                                         "xyz"[axis]));
    }
  }
}

void check_bar(const Entity& entity, const Model& model, const Bar& bar) {
  if (!check_index(entity, "nodes", bar.a, model.nodes.size())) return;
  if (!check_index(entity, "nodes", bar.b, model.nodes.size())) return;
  entity.not_negative("mass", bar.mass);
  entity.positive("radius", bar.radius);
  entity.not_negative("drag", bar.drag);
  entity.not_negative("turning_drag", bar.turning_drag);
  if (bar.elastic) {
    entity.positive("EA", bar.EA);
    check_yield(entity, bar.yield, bar.hardening);
    entity.positive("rest_length", bar.rest_length);
    if (bar.com != 0.5) entity.say("com", "belongs to rigid bars only (this one has EA)");
    if (bar.inertia != 0.0) entity.say("inertia", "belongs to rigid bars only (this one has EA)");
    if (bar.axial_inertia != 0.0) entity.say("axial_inertia", "belongs to rigid bars only (this one has EA)");
    if (bar.spin != 0.0) entity.say("spin", "belongs to rigid bars only (this one has EA)");
  } else {
    if (entity.finite("com", bar.com) && (bar.com < 0.0 || bar.com > 1.0)) {
      entity.say("com", fmt::format("is {}: expected a fraction of the length from 0 to 1", bar.com));
    }
    entity.not_negative("inertia", bar.inertia);
    entity.not_negative("axial_inertia", bar.axial_inertia);
    if (entity.finite("spin", bar.spin) && bar.spin != 0.0 && !(bar.axial_inertia > 0.0)) {
      entity.say("spin", fmt::format("is {} rad/s, but the bar is thin: give it an axial_inertia above 0", bar.spin));
    }
  }
  check_attached(entity, model, bar);
  if (bar.a == bar.b) {
    return entity.say("nodes", fmt::format("the bar runs from node \"{}\" to itself", model.nodes[bar.a].name));
  }
  const double length = start_length(model, bar);
  if (length == 0.0) {
    return entity.say("nodes", fmt::format("the bar has no length: \"{}\" and \"{}\" are at the same position",
                                           model.nodes[bar.a].name, model.nodes[bar.b].name));
  }
  // A rigid bar keeps its start length; a hand-made model may differ from it by rounding only.
  if (!bar.elastic && !(std::abs(bar.rest_length - length) <= 1e-12 * length)) {
    entity.say("rest_length", fmt::format("is {}, but the rigid bar's nodes are {} m apart", bar.rest_length, length));
  }
}

void check_cable(const Entity& entity, const Model& model, const Cable& cable) {
  check_law(entity, cable.law);
  check_damping(entity, cable);
  check_friction(entity, cable);
  check_rest_length(entity, "rest_length", cable.law, cable.rest_length);
  entity.not_negative("mass", cable.mass);
  if (cable.path.size() < 2) {
    return entity.say("nodes", fmt::format("expected two nodes or more, got a list of {}", cable.path.size()));
  }
  for (size_t i = 0; i < cable.path.size(); ++i) {
    if (!check_index(entity, "nodes", cable.path[i], model.nodes.size())) return;
    if (i > 0 && cable.path[i] == cable.path[i - 1]) {
      entity.say("nodes", fmt::format("cable \"{}\" names node \"{}\" twice in a row: expected another node after it",
                                      cable.name, model.nodes[cable.path[i]].name));
    }
  }
}

void check_constraint(const Entity& entity, const Model& model, const Constraint& constraint) {
  entity.finite("value", constraint.value);
  if (constraint.axes == Axes{false, false, false}) entity.say("axes", "is empty: expected one of x, y, z or more");
  if (constraint.terms.empty()) entity.say("sum", "has no terms: expected [\"node\", coefficient] once or more");
  std::unordered_set<int> named;
  for (const auto& [node, coefficient] : constraint.terms) {
    if (!check_index(entity, "sum", node, model.nodes.size())) continue;
    const std::string& name = model.nodes[node].name;
    if (!std::isfinite(coefficient) || coefficient == 0.0) {
      entity.say("sum", fmt::format("the coefficient of \"{}\" is {}: expected a finite number that is not 0", name,
                                    coefficient));
    }
    if (!named.insert(node).second) entity.say("sum", fmt::format("names \"{}\" twice", name));
  }
}

}  // namespace

std::vector<Finding> check_entities(const Model& model) {
  std::vector<Finding> findings;
  const auto entity = [&](EntityKind kind, size_t i) { return Entity(findings, kind, static_cast<int>(i)); };

  const Entity environment(findings, EntityKind::environment, -1);
  environment.finite("gravity", model.gravity);
  if (model.ground) check_ground(environment, *model.ground);
  if (model.collision) check_collision(environment, *model.collision);
  if (model.nodes.empty() && !has_joints(model))
    Entity(findings, EntityKind::model, -1).say("nodes", "the model has no nodes");

  Names nodes(model.nodes.size()), bars(model.bars.size()), cables(model.cables.size()),
      constraints(model.constraints.size());
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const Entity e = entity(EntityKind::node, i);
    nodes.check(e, model.nodes[i].name, "node");
    check_node(e, model.nodes[i]);
  }
  for (size_t i = 0; i < model.bars.size(); ++i) {
    const Entity e = entity(EntityKind::bar, i);
    bars.check(e, model.bars[i].name, "bar");
    check_bar(e, model, model.bars[i]);
  }
  check_bodies(model, findings);
  check_joints(model, findings);
  for (size_t i = 0; i < model.cables.size(); ++i) {
    const Entity e = entity(EntityKind::cable, i);
    cables.check(e, model.cables[i].name, "cable");
    check_cable(e, model, model.cables[i]);
  }
  for (size_t i = 0; i < model.constraints.size(); ++i) {
    const Entity e = entity(EntityKind::constraint, i);
    if (!model.constraints[i].name.empty()) constraints.check(e, model.constraints[i].name, "constraint");
    check_constraint(e, model, model.constraints[i]);
  }

  // One actuator per cable, and a rest length that is possible when the run starts.
  std::unordered_map<int, size_t> driven;
  for (size_t i = 0; i < model.actuators.size(); ++i) {
    const Entity e = entity(EntityKind::actuator, i);
    const Actuator& actuator = model.actuators[i];
    if (!check_index(e, "cable", actuator.cable, model.cables.size())) continue;
    const Cable& cable = model.cables[actuator.cable];
    if (!driven.emplace(actuator.cable, i).second) {
      e.say("cable", fmt::format("\"{}\" has an actuator already", cable.name));
    }
    const size_t before = findings.size();
    check_signal(e, actuator.rest_length, "rest_length");
    if (findings.size() > before) continue;
    const double start = value(actuator.rest_length, 0.0);
    const bool zero_allowed = cable.law.kind == LawKind::spring && !cable.law.by_EA;
    if (start < 0.0 || (start == 0.0 && !zero_allowed)) {
      e.say("rest_length", fmt::format("is {} m at t = 0: expected a length above 0", start));
    }
  }
  check_bar_drives(model, findings);
  check_controllers(model, findings);
  for (size_t i = 0; i < model.loads.size(); ++i) {
    const Entity e = entity(EntityKind::load, i);
    const Load& load = model.loads[i];
    check_index(e, "node", load.node, model.nodes.size());
    e.finite("force", load.force);
    e.finite("from", load.from);
    if (std::isnan(load.to)) e.finite("to", load.to);
    if (load.to < load.from) e.say("to", fmt::format("is {} s, before from ({} s)", load.to, load.from));
  }
  check_frames(model, findings);
  check_targets(model, findings);
  return findings;
}

namespace {

// What a step and an output step mean for the whole run: more than this is a slip, or would never end.
constexpr double most_rows = 1e8, most_steps = 1e12;

void check_counts(const Entity& entity, const RunSettings& simulation) {
  const double rows = simulation.duration / simulation.output_step, steps = simulation.duration / simulation.step;
  if (rows > most_rows)
    entity.say("output_step",
               fmt::format("is {:g} s: {:.2g} rows over the duration of {:g} s; expected {:.1g} s or more "
                           "for that duration",
                           simulation.output_step, rows, simulation.duration, simulation.duration / most_rows));
  if (steps > most_steps)
    entity.say("step", fmt::format("is {:g} s: {:.2g} steps over the duration of {:g} s; expected {:.1g} s or more for "
                                   "that duration",
                                   simulation.step, steps, simulation.duration, simulation.duration / most_steps));
  if (simulation.tolerance > 1.0)
    entity.say("tolerance", fmt::format("is {:g}: every step could be wrong by {:g} m and m/s; expected 1 or less",
                                        simulation.tolerance, simulation.tolerance));
}

void check_word(const Entity& entity, const char* key, std::string_view given,
                const std::vector<std::string_view>& known) {
  if (given.empty()) return entity.say(key, "is empty");
  if (std::find(known.begin(), known.end(), given) != known.end()) return;
  entity.say(key, unknown_word(given, known));
}

}  // namespace

std::vector<Finding> check_simulation(const RunSettings& simulation) {
  std::vector<Finding> findings;
  const Entity entity(findings, EntityKind::simulation, -1);
  entity.positive("step", simulation.step);
  entity.positive("tolerance", simulation.tolerance);
  entity.positive("duration", simulation.duration);
  entity.positive("output_step", simulation.output_step);
  if (findings.empty()) check_counts(entity, simulation);
  entity.not_negative("k_s", simulation.k_s);
  entity.not_negative("k_d", simulation.k_d);
  if (simulation.corrections < 0 || simulation.corrections > 1000)
    entity.say("corrections", fmt::format("is {}: expected a whole number from 0 to 1000", simulation.corrections));
  check_word(entity, "formulation", simulation.formulation, known_formulations());
  check_word(entity, "integrator", simulation.integrator, known_integrators());
  return findings;
}

}  // namespace taut
