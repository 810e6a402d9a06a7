#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"

namespace taut {

namespace {

// [["node", coefficient], ...]
void read_terms(Reading& reading, const Fields& fields, Constraint& constraint, bool& good) {
  if (!fields.require("sum", "a list of [\"node\", coefficient]")) {
    good = false;
    return;
  }
  const Value& node = *fields.find("sum");
  const List* list = node.list();
  if (!list) {
    fields.say("sum", fmt::format("expected a list of [\"node\", coefficient], got {}", describe(node)));
    good = false;
    return;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string key = fmt::format("{}[{}]", fields.path().text("sum"), i);
    const List* term = (*list)[i].list();
    if (!term || term->size() != 2) {
      reading.problems.add((*list)[i].at, key,
                           fmt::format("expected [\"node\", coefficient], got {}", describe((*list)[i])));
      good = false;
      continue;
    }
    const auto index = find_node(reading, (*term)[0], key + "[0]");
    const auto coefficient = to_number(reading.problems, (*term)[1], key + "[1]");
    if (index && coefficient) {
      constraint.terms.emplace_back(*index, *coefficient);
    } else {
      good = false;
    }
  }
}

// A position or a torque of one coordinate of a joint.
void read_drive(Reading& reading, const Fields& fields, MemberEntry& entry) {
  if (fields.has("rest_length"))
    fields.say("rest_length", "belongs to actuators of cables and elastic bars only (this one has a joint)");
  if (fields.has("length")) fields.say("length", "belongs to actuators of rigid bars only (this one has a joint)");
  const std::optional<std::string> wanted = fields.text("joint");
  if (!wanted) return;
  const std::vector<JointSpec>& joints = reading.scenario.model.joints;
  const auto found = std::find_if(joints.begin(), joints.end(), [&](const JointSpec& j) { return j.name == *wanted; });
  if (found == joints.end()) {
    std::vector<std::string_view> names;
    for (const MemberEntry& joint : reading.joints) names.push_back(joint.name);
    return fields.say("joint", fmt::format("there is no joint {}{}", in_quotes(*wanted),
                                           reading.problems.did_you_mean(*wanted, names)));
  }
  JointDrive drive;
  drive.joint = static_cast<int>(found - joints.begin());
  const int count = joint_velocities(found->type);
  const double coordinate = fields.number("coordinate").value_or(0.0);
  if (!(coordinate >= 0.0) || !(coordinate < count) || coordinate != std::floor(coordinate))
    return fields.say(fields.has("coordinate") ? "coordinate" : "joint",
                      count == 0 ? fmt::format("joint {} does not move", in_quotes(*wanted))
                                 : fmt::format("is {}: joint {} has the coordinates 0 to {}", coordinate,
                                               in_quotes(*wanted), count - 1));
  drive.coordinate = static_cast<int>(coordinate);
  const std::string_view key = fields.one_of({"position", "torque"});
  if (key.empty()) return fields.say("torque", "is missing: expected a torque or a position");
  drive.imposed = key == "position";
  if (drive.imposed && !plain_coordinates(found->type))
    return fields.say("position",
                      fmt::format("a {} joint cannot be moved by numbers: expected a torque", name(found->type)));
  if (!read_signal(fields, key, reading.documents.back().file(), drive.signal)) return;
  drive.place = entry.place(EntityKind::drive);
  reading.scenario.model.drives.push_back(std::move(drive));
  reading.drives.push_back(std::move(entry));
}

// The length of a rigid bar, or the rest length of an elastic one.
void read_bar_drive(Reading& reading, const Fields& fields, MemberEntry& entry) {
  if (fields.has("cable")) fields.say("cable", "is given beside bar: expected one of them");
  for (const char* key : {"joint", "coordinate", "position", "torque"})
    if (fields.has(key)) fields.say(key, "belongs to actuators of joints only (this one has a bar)");
  const std::optional<std::string> wanted = fields.text("bar");
  if (!wanted) return;
  const std::vector<Bar>& bars = reading.scenario.model.bars;
  const auto found = std::find_if(bars.begin(), bars.end(), [&](const Bar& bar) { return bar.name == *wanted; });
  if (found == bars.end()) {
    if (std::find(reading.faulty_bars.begin(), reading.faulty_bars.end(), *wanted) != reading.faulty_bars.end()) return;
    std::vector<std::string_view> names;
    for (const Bar& bar : bars) names.push_back(bar.name);
    return fields.say(
        "bar", fmt::format("there is no bar {}{}", in_quotes(*wanted), reading.problems.did_you_mean(*wanted, names)));
  }
  const char *const key = found->elastic ? "rest_length" : "length", *const other =
                                                                         found->elastic ? "length" : "rest_length";
  if (fields.has(other))
    return fields.say(
        other, fmt::format("bar {} is {}: expected {}", in_quotes(*wanted), found->elastic ? "elastic" : "rigid", key));
  if (!fields.require(key, "a number or a table with kind = \"...\"")) return;
  BarDrive drive;
  drive.bar = static_cast<int>(found - bars.begin());
  if (!read_signal(fields, key, reading.documents.back().file(), drive.length)) return;
  drive.place = entry.place(EntityKind::bar_drive);
  reading.scenario.model.bar_drives.push_back(std::move(drive));
  reading.bar_drives.push_back(std::move(entry));
}

}  // namespace

void read_simulation(Reading& reading) {
  const Fields fields = reading.top.table("simulation");
  fields.refuse_unknown(keys::simulation);
  RunSettings& s = reading.scenario.simulation;
  s.formulation = fields.text("formulation").value_or(s.formulation);
  s.integrator = fields.text("integrator").value_or(s.integrator);
  s.step = fields.number("step").value_or(s.step);
  s.tolerance = fields.number("tolerance").value_or(s.tolerance);
  s.duration = fields.number("duration").value_or(s.duration);
  s.output_step = fields.number("output_step").value_or(s.output_step);
  s.constraints = fields
                      .word<ConstraintMethod>("constraints", {{"projection", ConstraintMethod::projection},
                                                              {"baumgarte", ConstraintMethod::baumgarte},
                                                              {"none", ConstraintMethod::none}})
                      .value_or(s.constraints);
  s.k_s = fields.number("k_s").value_or(s.k_s);
  s.k_d = fields.number("k_d").value_or(s.k_d);
  if (const auto times = fields.number("corrections")) {
    if (*times == std::floor(*times) && std::abs(*times) < 1e6)
      s.corrections = static_cast<int>(*times);
    else
      fields.say("corrections", fmt::format("is {}: expected a whole number from 0 to 1000", *times));
  }
  s.settle = fields.truth("settle").value_or(s.settle);
}

void read_constraints(Reading& reading) {
  for (MemberEntry& entry : collect_entries(reading.given(), "constraints", "constraint", {"name"})) {
    const Fields fields = entry.fields(reading.problems);
    fields.refuse_unknown(keys::constraint);
    Constraint constraint;
    bool good = true;
    constraint.name = fields.text("name").value_or("");
    constraint.value = fields.vector("value").value_or(Vec3::Zero());
    constraint.axes = fields.axes("axes").value_or(Axes{true, true, true});
    read_terms(reading, fields, constraint, good);
    if (!good) continue;
    constraint.place = entry.place(EntityKind::constraint);
    reading.scenario.model.constraints.push_back(std::move(constraint));
    reading.constraints.push_back(std::move(entry));
  }
}

void read_actuators(Reading& reading) {
  const char* const singular = has_joints(reading) ? "actuator on" : "actuator on cable";
  for (MemberEntry& entry : collect_entries(reading.given(), "actuators", singular, {"cable", "joint", "bar"})) {
    const Fields fields = entry.fields(reading.problems);
    fields.refuse_unknown(keys::actuator);
    if (fields.has("bar")) {
      read_bar_drive(reading, fields, entry);
      continue;
    }
    if (fields.has("joint") && !fields.has("cable")) {
      read_drive(reading, fields, entry);
      continue;
    }
    for (const char* key : {"joint", "coordinate", "position", "torque"})
      if (fields.has(key)) fields.say(key, "belongs to actuators of joints only (this one has a cable)");
    if (fields.has("length"))
      fields.say("length", "belongs to actuators of rigid bars only; the key of a cable is rest_length");
    Actuator actuator;
    bool good = false;
    if (fields.require("rest_length", "a number or a table with kind = \"...\"")) {
      good = read_signal(fields, "rest_length", reading.documents.back().file(), actuator.rest_length);
    }
    const SignalKind kind = actuator.rest_length.kind;
    if (!good && (kind == SignalKind::table || kind == SignalKind::hermite)) actuator.rest_length = {};
    if (!fields.require("cable", "the name of a cable")) continue;
    const std::optional<std::string> cable = fields.text("cable");
    if (!cable) continue;
    const auto found = reading.cable_index.find(*cable);
    if (found == reading.cable_index.end()) {
      fields.say("cable", no_cable(reading, *cable));
      continue;
    }
    if (found->second < 0) continue;
    actuator.cable = found->second;
    actuator.place = entry.place(EntityKind::actuator);
    reading.scenario.model.actuators.push_back(std::move(actuator));
    reading.actuators.push_back(std::move(entry));
    reading.faulty_signal.push_back(!good);
  }
}

void read_loads(Reading& reading) {
  for (MemberEntry& entry : collect_entries(reading.given(), "loads", "load", {})) {
    const Fields fields = entry.fields(reading.problems);
    fields.refuse_unknown(keys::load);
    Load load;
    load.from = fields.number("from").value_or(load.from);
    load.to = fields.number("to").value_or(load.to);
    if (fields.require("force", "a force [x, y, z] in N")) load.force = fields.vector("force").value_or(load.force);
    if (!fields.require("node", "the name of a node")) continue;
    const auto node = find_node(reading, *fields.find("node"), fields.path().text("node"));
    if (!node) continue;
    load.node = *node;
    load.place = entry.place(EntityKind::load);
    reading.scenario.model.loads.push_back(load);
    reading.loads.push_back(std::move(entry));
  }
}

}  // namespace taut
