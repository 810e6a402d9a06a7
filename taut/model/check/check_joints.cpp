// Rules for joints, pulleys and what drives joints.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "taut/model/check/check_values.h"

namespace taut {

namespace {

// What a machine names, for messages.
std::string title(const Model& model, const Carrier& carrier) {
  if (carrier.kind == Carrier::Kind::ground) return "the ground";
  const bool body = carrier.kind == Carrier::Kind::body;
  return fmt::format("{} \"{}\"", body ? "body" : "bar",
                     body ? model.bodies[carrier.index].name : model.bars[carrier.index].name);
}

bool in_range(const Model& model, const Carrier& c) {
  if (c.kind == Carrier::Kind::ground) return true;
  const size_t count = c.kind == Carrier::Kind::body ? model.bodies.size() : model.bars.size();
  return c.index >= 0 && static_cast<size_t>(c.index) < count;
}

bool carries(const Model& model, const Carrier& c, int node) {
  if (c.kind == Carrier::Kind::ground) return model.nodes[node].fixed == Axes{true, true, true};
  if (c.kind == Carrier::Kind::body) {
    const auto& nodes = model.bodies[c.index].nodes;
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  }
  const Bar& bar = model.bars[c.index];
  return node == bar.a || node == bar.b ||
         std::find(bar.attached.begin(), bar.attached.end(), node) != bar.attached.end();
}

void check_joint(const Entity& entity, const Model& model, const JointSpec& joint) {
  if (!in_range(model, joint.predecessor) || !in_range(model, joint.successor))
    return entity.say("bodies", "refers to something that does not exist");
  if (joint.predecessor == joint.successor)
    return entity.say("bodies", fmt::format("joins {} with itself", title(model, joint.predecessor)));
  entity.finite("at", joint.at_predecessor);
  entity.finite("at", joint.at_successor);
  const std::pair<const char*, const std::vector<double>*> numbers[] = {
      {"position", &joint.position}, {"velocity", &joint.velocity}, {"rest", &joint.rest}};
  for (const auto& [key, values] : numbers)
    for (double x : *values) entity.finite(key, x);
  for (double x : joint.start.value_or(std::vector<double>{})) entity.finite("start", x);
  const std::pair<const char*, const std::vector<double>*> sizes[] = {
      {"stiffness", &joint.stiffness}, {"damping", &joint.damping}, {"friction", &joint.friction}};
  for (const auto& [key, values] : sizes)
    for (double x : *values) entity.not_negative(key, x);
  for (double x : joint.slip_speed) entity.positive("slip_speed", x);
  // Two nodes: one on each side.
  if (joint.at_nodes.size() == 2)
    for (const int side : {0, 1}) {
      const Carrier& carrier = side == 0 ? joint.predecessor : joint.successor;
      if (carrier.kind != Carrier::Kind::ground && !carries(model, carrier, joint.at_nodes[side]))
        entity.say("at", fmt::format("node \"{}\" does not ride on {}", model.nodes[joint.at_nodes[side]].name,
                                     title(model, carrier)));
    }
}

void check_pulley(const Entity& entity, const Model& model, const PulleySpec& p) {
  if (!in_range(model, p.wheel.body) || !in_range(model, p.second.body))
    return entity.say("body", "refers to something that does not exist");
  const bool pair = p.node < 0;
  entity.finite("centre", p.wheel.centre);
  entity.positive("radius", p.wheel.radius);
  if (pair) entity.positive("second.radius", p.second.radius);
  if (p.variant != PulleyVariant::rigid) entity.positive("EA", p.EA);
  entity.not_negative("damping", p.damping);
  if (entity.finite("strain", p.strain) && !(p.strain > -1.0))
    entity.say("strain", fmt::format("is {}: expected more than -1", p.strain));
  if (!(p.wheel.radius > 0.0) || !p.wheel.centre.allFinite()) return;
  if (pair && p.second.body == p.wheel.body)
    return entity.say("second.body", fmt::format("both pulleys are on {}", title(model, p.wheel.body)));
  if (!pair && p.wheel.body.kind != Carrier::Kind::ground && carries(model, p.wheel.body, p.node))
    return entity.say("to", fmt::format("node \"{}\" rides on the pulley itself", model.nodes[p.node].name));
  if (!pair && p.second.body.kind != Carrier::Kind::ground && !carries(model, p.second.body, p.node))
    return entity.say("end", fmt::format("node \"{}\", where the cable ends, does not ride on {}: name it among the "
                                         "body's nodes",
                                         model.nodes[p.node].name, title(model, p.second.body)));
  const Vec3 to = pair ? p.second.centre : model.nodes[p.node].position;
  const auto tangent =
      tangent_to_circle(p.wheel.centre, p.axis, p.wheel.radius, to, pair ? p.second.radius : 0.0, p.crossed);
  const double apart = ((to - p.wheel.centre) - p.axis.dot(to - p.wheel.centre) * p.axis).norm();
  if (!tangent)
    return entity.say(pair ? "second" : "to",
                      pair ? fmt::format("the centres are {:.6g} m apart: no cable is tangent to both pulleys", apart)
                           : fmt::format("node \"{}\" is {:.6g} m from the pulley's axis, inside its radius of {} m",
                                         model.nodes[p.node].name, apart, p.wheel.radius));
  // The cable runs in the plane of the pulley.
  const double aside = std::abs(p.axis.dot(to - p.wheel.centre));
  if (aside > 1e-6 * (tangent->length + p.wheel.radius))
    entity.say("axis", fmt::format("the cable's other end is {:.6g} m beside the plane of the pulley: expected an axis "
                                   "across the cable",
                                   aside));
  if (!p.length) return;
  entity.positive("length", *p.length);
  const double free = tangent->length / (1.0 + p.strain);
  if (*p.length < free * (1.0 - 1e-12))
    entity.say("length",
               fmt::format("is {} m, shorter than the cable from the pulley to its end, {:.9g} m without load",
                           *p.length, free));
}

}  // namespace

void check_joints(const Model& model, std::vector<Finding>& findings) {
  std::unordered_set<std::string_view> names;
  const auto named = [&](const Entity& entity, const std::string& name) {
    if (name.empty()) entity.say("name", "is empty: expected a name");
    if (name == "ground") entity.say("name", "\"ground\" is what does not move: expected another name");
    if (!names.insert(name).second) entity.say("name", fmt::format("a second joint or pulley is called \"{}\"", name));
  };
  for (size_t i = 0; i < model.joints.size(); ++i) {
    const Entity entity(findings, EntityKind::joint, static_cast<int>(i));
    named(entity, model.joints[i].name);
    check_joint(entity, model, model.joints[i]);
  }
  for (size_t i = 0; i < model.pulleys.size(); ++i) {
    const Entity entity(findings, EntityKind::pulley, static_cast<int>(i));
    named(entity, model.pulleys[i].name);
    check_pulley(entity, model, model.pulleys[i]);
  }

  // Drives: one for each coordinate, and all coordinates of a joint that is moved.
  std::map<std::pair<int, int>, int> driven;
  for (size_t i = 0; i < model.drives.size(); ++i) {
    const JointDrive& drive = model.drives[i];
    const Entity entity(findings, EntityKind::drive, static_cast<int>(i));
    const JointSpec& joint = model.joints[drive.joint];
    check_signal(entity, drive.signal, drive.imposed ? "position" : "torque");
    if (!driven.emplace(std::pair(drive.joint, drive.coordinate), i).second)
      entity.say("joint", fmt::format("this coordinate of \"{}\" has an actuator already", joint.name));
    const SignalKind kind = drive.signal.kind;
    if (drive.imposed && (kind == SignalKind::step || kind == SignalKind::table))
      entity.say("position.kind",
                 fmt::format("a {} jumps in position or speed: expected constant, ramp, cosine, sine or "
                             "hermite",
                             name(kind)));
    if (drive.imposed && joint.start)
      entity.say("position", fmt::format("joint \"{}\" has a start of its own: leave one of the two out", joint.name));
  }
  for (size_t i = 0; i < model.drives.size(); ++i) {
    const JointDrive& drive = model.drives[i];
    if (!drive.imposed) continue;
    for (int c = 0; c < joint_velocities(model.joints[drive.joint].type); ++c) {
      const auto found = driven.find({drive.joint, c});
      if (found != driven.end() && model.drives[found->second].imposed) continue;
      Entity(findings, EntityKind::drive, static_cast<int>(i))
          .say("position",
               fmt::format("joint \"{}\" has {} coordinates: expected an actuator with a position for each",
                           model.joints[drive.joint].name, joint_velocities(model.joints[drive.joint].type)));
      break;
    }
  }
}

}  // namespace taut
