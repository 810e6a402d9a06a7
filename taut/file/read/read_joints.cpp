// [[joints]] and [[pulleys]]: where they are in the drawn shape, and what acts in them.
#include <fmt/format.h>

#include <algorithm>

#include "taut/base/text/text.h"
#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"
#include "taut/model/shape/joint_frame.h"

namespace taut {

namespace {

// Two directions at right angles as the first rows.
std::optional<Mat3> read_axes(const Fields& fields) {
  const Value& node = *fields.find("axes");
  const List* list = node.list();
  const std::string key = fields.path().text("axes");
  if (!list || list->size() != 2) {
    fields.say("axes", fmt::format("expected two directions, [[x, y, z], [x, y, z]], got {}", describe(node)));
    return std::nullopt;
  }
  const auto x = to_vector(fields.problems(), (*list)[0], key + "[0]"),
             y = to_vector(fields.problems(), (*list)[1], key + "[1]");
  if (!x || !y) return std::nullopt;
  const double a = x->norm(), b = y->norm();
  if (!(a > 0.0) || !(b > 0.0) || !std::isfinite(a * b) || std::abs(x->dot(*y)) > 1e-6 * a * b) {
    fields.say("axes", "are not at right angles: expected two directions that are");
    return std::nullopt;
  }
  return frame_of(*x, *y);
}

// As many numbers as asked for; one number alone stands for all where `same` says so.
std::optional<std::vector<double>> read_values(const Fields& fields, std::string_view key, int count, bool same) {
  if (!fields.has(key)) return std::nullopt;
  if (fields.find(key)->number()) {
    const std::optional<double> one = fields.number(key);
    if (!one) return std::nullopt;
    if (count == 1 || same) return std::vector<double>(count, *one);
    fields.say(key, fmt::format("expected a list of {} numbers, got one", count));
    return std::nullopt;
  }
  auto list = fields.numbers(key);
  if (list && static_cast<int>(list->size()) != count) {
    fields.say(key, fmt::format("expected {}, got a list of {}", plural(count, "number", "numbers"), list->size()));
    return std::nullopt;
  }
  return list;
}

Vec3 centre_of(const Model& model, const Carrier& carrier) {
  if (carrier.kind == Carrier::Kind::body) return model.bodies[carrier.index].centre;
  if (carrier.kind == Carrier::Kind::ground) return Vec3::Zero();
  const Bar& bar = model.bars[carrier.index];
  return (1.0 - bar.com) * model.nodes[bar.a].position + bar.com * model.nodes[bar.b].position;
}

// `at`: one place, or the two nodes that the joint brings together.
bool read_at(Reading& reading, const Fields& fields, JointSpec& joint) {
  const Model& model = reading.scenario.model;
  const bool needed =
      joint.type == JointType::revolute || joint.type == JointType::universal || joint.type == JointType::spherical;
  if (!fields.has("at")) {
    if (needed)
      return fields.require("at", "a node, a position [x, y, z], or two nodes that the joint brings together");
    joint.at_predecessor = joint.at_successor = centre_of(model, joint.successor);
    return true;
  }
  const Value& given = *fields.find("at");
  const std::string key = fields.path().text("at");
  const List* list = given.list();
  if (list && list->size() == 2 && (*list)[0].text()) {
    for (const int side : {0, 1}) {
      const auto node = find_node(reading, (*list)[side], fmt::format("{}[{}]", key, side));
      if (!node) return false;
      joint.at_nodes.push_back(*node);
    }
    joint.at_predecessor = model.nodes[joint.at_nodes[0]].position;
    joint.at_successor = model.nodes[joint.at_nodes[1]].position;
    return true;
  }
  int node = -1;
  const auto place = read_place(reading, given, key, node);
  if (!place) return false;
  if (node >= 0) joint.at_nodes = {node};
  joint.at_predecessor = joint.at_successor = *place;
  return true;
}

bool read_frame(const Fields& fields, JointSpec& joint) {
  const bool along =
      joint.type == JointType::revolute || joint.type == JointType::prismatic || joint.type == JointType::planar;
  const char* const wanted = along ? "axis" : "axes";
  const char* const other = along ? "axes" : "axis";
  if (joint.type == JointType::planar && fields.has("axes")) {
    if (fields.has("axis")) fields.say("axis", "is given beside axes: expected one or the other");
  } else if (fields.has(other)) {
    fields.say(other, fmt::format("does not belong to a {} joint: expected {}", name(joint.type), wanted));
    return false;
  }
  if (fields.has("axes")) {
    const auto frame = read_axes(fields);
    if (frame) joint.frame = *frame;
    return frame.has_value();
  }
  if (along) {
    if (!fields.require("axis", "a direction [x, y, z]")) return false;
    const auto axis = read_direction(fields, "axis");
    if (axis) joint.frame = frame_about(*axis);
    return axis.has_value();
  }
  return joint.type != JointType::universal ||
         fields.require("axes", "the axis on the first body and that on the second, [[x, y, z], [x, y, z]]");
}

void read_numbers(const Fields& fields, JointSpec& joint) {
  const int n = joint_velocities(joint.type);
  const bool plain = plain_coordinates(joint.type);
  for (const char* key : {"position", "start", "rest"})
    if (fields.has(key) && (!plain || n == 0))
      fields.say(key,
                 fmt::format("does not belong to a {} joint, which is as it is drawn at the start", name(joint.type)));
  if (n == 0) {
    for (const char* key : {"velocity", "stiffness", "damping", "friction", "slip_speed"})
      if (fields.has(key)) fields.say(key, "does not belong to a fixed joint, which does not move");
    return;
  }
  if (plain) {
    joint.position = read_values(fields, "position", n, false).value_or(std::vector<double>{});
    joint.start = read_values(fields, "start", n, false);
    joint.rest = read_values(fields, "rest", n, false).value_or(std::vector<double>{});
  }
  joint.velocity = read_values(fields, "velocity", n, false).value_or(std::vector<double>{});
  const std::pair<const char*, std::vector<double>*> passive[] = {{"stiffness", &joint.stiffness},
                                                                  {"damping", &joint.damping},
                                                                  {"friction", &joint.friction},
                                                                  {"slip_speed", &joint.slip_speed}};
  for (const auto& [key, values] : passive) *values = read_values(fields, key, n, true).value_or(std::vector<double>{});
}

}  // namespace

std::optional<Carrier> find_carrier(Reading& reading, const Value& given, const std::string& key) {
  const Model& model = reading.scenario.model;
  if (!given.text()) {
    reading.problems.add(given.at, key,
                         fmt::format("expected \"ground\" or the name of a body or a bar, got {}", describe(given)));
    return std::nullopt;
  }
  const std::string& wanted = *given.text();
  if (wanted == "ground") return Carrier{};
  const auto index = [&](const auto& list) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.name == wanted; });
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
  };
  const int body = index(model.bodies), bar = index(model.bars);
  const auto refuse = [&](std::string message) {
    reading.problems.add(given.at, key, std::move(message));
    return std::nullopt;
  };
  if (body >= 0 && bar >= 0)
    return refuse(fmt::format("{} is the name of a body and of a bar: give one of them another", in_quotes(wanted)));
  if (body >= 0) return Carrier{Carrier::Kind::body, body};
  if (bar >= 0 && model.bars[bar].elastic)
    return refuse(fmt::format("bar {} is elastic: expected a rigid bar, a body or \"ground\"", in_quotes(wanted)));
  if (bar >= 0) return Carrier{Carrier::Kind::bar, bar};
  std::vector<std::string_view> names = {"ground"};
  for (const Body& b : model.bodies) names.push_back(b.name);
  for (const Bar& b : model.bars) names.push_back(b.name);
  return refuse(
      fmt::format("there is no body or bar {}{}", in_quotes(wanted), reading.problems.did_you_mean(wanted, names)));
}

std::optional<Vec3> read_direction(const Fields& fields, std::string_view key) {
  const auto given = fields.vector(key);
  if (!given) return std::nullopt;
  const double size = given->norm();
  if (!(size > 0.0) || !std::isfinite(size)) {
    fields.say(key, "has no direction: expected a vector of some length");
    return std::nullopt;
  }
  return unit_direction(*given);
}

std::optional<Vec3> read_place(Reading& reading, const Value& given, const std::string& key, int& node) {
  node = -1;
  if (!given.text()) return to_vector(reading.problems, given, key);
  const auto found = find_node(reading, given, key);
  if (!found) return std::nullopt;
  node = *found;
  return reading.scenario.model.nodes[node].position;
}

void read_joints(Reading& reading) {
  std::vector<MemberEntry> entries = collect_entries(reading.given(), "joints", "joint", {"name"});
  for (MemberEntry& entry : entries) {
    const Fields fields = entry.fields(reading.problems);
    fields.refuse_unknown(keys::joint);
    JointSpec joint;
    if (fields.require("name", "a name")) joint.name = fields.text("name").value_or("?");
    if (!fields.require("kind", "fixed, revolute, prismatic, universal, spherical, planar or floating")) continue;
    const auto kind = fields.word<JointType>("kind", {{"fixed", JointType::fixed},
                                                      {"revolute", JointType::revolute},
                                                      {"prismatic", JointType::prismatic},
                                                      {"universal", JointType::universal},
                                                      {"spherical", JointType::spherical},
                                                      {"planar", JointType::planar},
                                                      {"floating", JointType::floating}});
    joint.role =
        fields.word<JointRole>("role", {{"any", JointRole::any}, {"tree", JointRole::tree}, {"loop", JointRole::loop}})
            .value_or(JointRole::any);
    if (!fields.require("bodies", "the two that it joins, [\"ground\", \"crank\"]")) continue;
    const Value& pair = *fields.find("bodies");
    const List* list = pair.list();
    if (!list || list->size() != 2) {
      fields.say("bodies", fmt::format("expected the names of two bodies, bars or \"ground\", got {}", describe(pair)));
      continue;
    }
    const std::string key = fields.path().text("bodies");
    const auto first = find_carrier(reading, (*list)[0], key + "[0]"),
               second = find_carrier(reading, (*list)[1], key + "[1]");
    if (!kind || !first || !second) continue;
    joint.type = *kind;
    joint.predecessor = *first;
    joint.successor = *second;
    if (!read_at(reading, fields, joint) || !read_frame(fields, joint)) continue;
    read_numbers(fields, joint);
    joint.place = entry.place(EntityKind::joint);
    reading.scenario.model.joints.push_back(std::move(joint));
    reading.joints.push_back(std::move(entry));
  }
}

}  // namespace taut
