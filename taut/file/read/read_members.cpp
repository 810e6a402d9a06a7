#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"
#include "taut/model/laws/bar_law.h"
#include "taut/model/member_defaults.h"

namespace taut {

namespace {

std::optional<MassModel> read_mass_model(const Fields& fields) {
  return fields.word<MassModel>("mass_model", {{"consistent", MassModel::consistent}, {"lumped", MassModel::lumped}});
}

// Keys of a member that do not depend on its nodes.
struct BarKeys {
  Bar bar;
  std::optional<double> inertia, axial_inertia;
  std::string_view length_key;  // rest_length, pretension, strain or none of them
};

BarKeys read_bar_keys(const Fields& fields) {
  fields.refuse_unknown(keys::bar);
  BarKeys result;
  Bar& bar = result.bar;
  bar.elastic = fields.has("EA");
  bar.mass = fields.number("mass").value_or(0.0);
  bar.radius = fields.number("radius").value_or(bar.radius);
  bar.drag = fields.number("drag").value_or(0.0);
  bar.turning_drag = fields.number("turning_drag").value_or(0.0);
  result.length_key = fields.one_of({"rest_length", "pretension", "strain"});
  if (bar.elastic) {
    bar.EA = fields.number("EA").value_or(1.0);
    bar.yield = fields.number("yield").value_or(0.0);
    bar.hardening = fields.number("hardening").value_or(0.0);
    if (fields.has("yield") && bar.yield == 0.0)
      fields.say("yield", "is 0: expected a number above 0, or none for a bar that never yields");
    if (fields.has("hardening") && !fields.has("yield")) fields.say("hardening", "has no meaning without yield");
    bar.mass_model = read_mass_model(fields).value_or(bar.mass_model);
    // An override that makes a rigid bar elastic leaves its com and inertia behind.
    for (const char* key : {"com", "inertia", "axial_inertia", "spin", "attached"}) {
      if (fields.level_of(key) >= fields.level_of("EA"))
        fields.say(key, "belongs to rigid bars only (this one has EA)");
    }
    return result;
  }
  fields.require("mass", "the mass of the bar in kg");
  bar.com = fields.number("com").value_or(bar.com);
  result.inertia = fields.number("inertia");
  result.axial_inertia = fields.number("axial_inertia");
  bar.spin = fields.number("spin").value_or(0.0);
  for (const char* key : {"yield", "hardening", "rest_length", "pretension", "strain", "mass_model"}) {
    if (fields.has(key)) fields.say(key, "belongs to elastic bars only: give EA as well, or leave it out");
  }
  return result;
}

struct CableKeys {
  Cable cable;
  int pieces = 1;
  bool good_law = true;
  std::string_view length_key;
  bool friction_of_group = false, friction_of_all = false;  // given for several cables at once
};

constexpr int most_pieces = 10000;

// A cable as n in a row, with nodes at equal distances that move as its ends do: each has an n-th of the length and of
// the mass, and so much more of stiffness and damping that together they are as before.
void divide(Reading& reading, const MemberEntry& member, const Fields& fields, const Cable& whole, int n) {
  Model& model = reading.scenario.model;
  if (whole.path.size() != 2)
    return fields.say("pieces",
                      fmt::format("belongs to a cable between two nodes, this one has {}", whole.path.size()));
  Cable piece = whole;
  piece.rest_length /= n;
  piece.mass /= n;
  piece.law.damping *= n;
  if (piece.law.kind == LawKind::softplus) piece.law.beta /= n;
  if (!piece.law.by_EA) piece.law.stiffness *= n;
  const Node from = model.nodes[whole.path[0]], to = model.nodes[whole.path[1]];
  int before = whole.path[0];
  for (int i = 1; i <= n; ++i) {
    int next = whole.path[1];
    if (i < n) {
      const double part = static_cast<double>(i) / n;
      Node node;
      node.name = reading.made_names.emplace_back(fmt::format("{}_{}", whole.name, i));
      node.position = (1.0 - part) * from.position + part * to.position;
      node.velocity = (1.0 - part) * from.velocity + part * to.velocity;
      node.place = whole.place;
      next = static_cast<int>(model.nodes.size());
      if (!reading.node_index.emplace(reading.made_names.back(), next).second)
        fields.say("pieces", fmt::format("would make a node \"{}\", which exists already", node.name));
      reading.node_names.push_back(reading.made_names.back());
      reading.nodes.push_back({reading.made_names.back(), member.self});
      model.nodes.push_back(std::move(node));
    }
    piece.name = fmt::format("{}_{}", whole.name, i);
    piece.path = {before, next};
    reading.cable_index.emplace(piece.name, static_cast<int>(model.cables.size()));
    model.cables.push_back(piece);
    reading.cables.push_back(member);
    before = next;
  }
}

// A group with a path that has an inner node.
bool has_inner_node(const Value* paths) {
  const List* list = paths ? paths->list() : nullptr;
  return list && std::any_of(list->begin(), list->end(),
                             [](const Value& path) { return path.list() && path.list()->size() > 2; });
}

CableKeys read_cable_keys(const Fields& fields) {
  fields.refuse_unknown(keys::cable);
  CableKeys result;
  Cable& cable = result.cable;
  result.good_law = read_law(fields, cable.law);
  read_friction(fields, cable.friction);
  if (const Value* friction = fields.find("friction")) {
    const Source& source = *friction->at.source;
    result.friction_of_group = fields.level_of("friction") == 0 && has_inner_node(fields.find("paths"));
    result.friction_of_all = source.kind == Source::Kind::option && source.key.starts_with("cables.*.");
  }
  cable.mass = fields.number("mass").value_or(0.0);
  cable.mass_model = read_mass_model(fields).value_or(cable.mass_model);
  if (fields.has("pieces")) {
    const double pieces = fields.number("pieces").value_or(1.0);
    if (!(pieces >= 1.0 && pieces <= most_pieces && pieces == std::floor(pieces)))
      fields.say("pieces", fmt::format("is {}: expected a whole number from 1 to {}", pieces, most_pieces));
    else
      result.pieces = static_cast<int>(pieces);
    if (result.pieces > 1 && !(cable.mass > 0.0))
      fields.say("pieces", "needs mass: the nodes between the pieces carry nothing else");
  }
  result.length_key = fields.one_of({"rest_length", "pretension", "strain"});
  if (result.length_key.empty()) {
    fields.say("rest_length", "is missing: expected one of rest_length, pretension, strain");
  }
  return result;
}

// Members of a group have the same keys, read once for all of them that follow each other.
template <typename Keys, Keys (*read)(const Fields&)>
class KeysOfGroup {
 public:
  const Keys& of(const MemberEntry& member, const Fields& fields) {
    if (member.path.item < 0 || member.levels != levels_) {
      keys_ = read(fields);
      levels_ = member.levels;
    }
    return keys_;
  }

 private:
  Levels levels_;
  Keys keys_;
};

// The name after overrides; and a group key that an override tries to set.
std::string final_name(const MemberEntry& member, const Fields& fields, std::string_view group) {
  if (fields.level_of(group) > 0) {
    fields.say(group, fmt::format("belongs to a group: a single member has nodes, not {}", group));
  }
  return fields.level_of("name") > 0 ? fields.text("name").value_or(member.name) : member.name;
}

// Nodes that ride on a single bar.
std::vector<int> read_attached(Reading& reading, const MemberEntry& member, const Fields& fields) {
  if (!fields.has("attached")) return {};
  if (member.path.item >= 0 && fields.level_of("attached") == 0) {
    fields.say("attached", "belongs to a single bar, not to pairs");
    return {};
  }
  return read_node_list(reading, fields, "attached").value_or(std::vector<int>{});
}

// A member whose nodes are not known is no part of the model, but its numbers are judged all the same, as if it were
// 1 m long: all errors of a file at once.
Model stand_in() {
  Model model;
  for (const char* name : {"a", "b"}) model.nodes.emplace_back().name = name;
  model.nodes[1].position = {1, 0, 0};
  return model;
}

void judge_numbers(const Model& model, const Fields& fields) {
  for (const Finding& finding : check_entities(model))
    if (finding.kind == EntityKind::bar || finding.kind == EntityKind::cable) fields.say(finding.key, finding.message);
}

void judge_numbers_of_bar(const BarKeys& read, const Fields& fields) {
  Model model = stand_in();
  Bar bar = read.bar;
  bar.name = "bar";
  bar.a = 0, bar.b = 1;
  bar.rest_length = fields.number("rest_length").value_or(1.0);
  bar.inertia = read.inertia.value_or(default_inertia(std::max(bar.mass, 0.0), 1.0));
  bar.axial_inertia = read.axial_inertia.value_or(0.0);
  model.bars.push_back(bar);
  judge_numbers(model, fields);
}

void judge_numbers_of_cable(const CableKeys& read, const Fields& fields) {
  Model model = stand_in();
  Cable cable = read.cable;
  cable.name = "cable";
  cable.path = {0, 1};
  cable.friction = {};
  cable.rest_length = fields.number("rest_length").value_or(1.0);
  model.cables.push_back(cable);
  judge_numbers(model, fields);
}

}  // namespace

void read_bars(Reading& reading) {
  std::vector<MemberEntry> members = collect_members(reading.given(), "bars", "bar", "pairs");
  Model& model = reading.scenario.model;
  KeysOfGroup<BarKeys, read_bar_keys> group;
  model.bars.reserve(members.size());
  reading.bars.reserve(members.size());
  for (MemberEntry& member : members) {
    const Fields fields = member.fields(reading.problems);
    const BarKeys& read = group.of(member, fields);
    Bar bar = read.bar;
    bar.place = member.place(EntityKind::bar);
    bar.name = final_name(member, fields, "pairs");
    const auto nodes = read_member_nodes(reading, member, fields);
    if (!nodes) {
      reading.faulty_bars.push_back(bar.name);
      judge_numbers_of_bar(read, fields);
      continue;
    }
    if (nodes->size() != 2) {
      reading.faulty_bars.push_back(bar.name);
      say_about_nodes(member, fields,
                      fmt::format("expected two nodes, the ends of the bar, got a list of {}", nodes->size()));
      continue;
    }
    bar.a = (*nodes)[0];
    bar.b = (*nodes)[1];
    const double length = start_length(model, bar);
    bar.rest_length = length;
    if (bar.elastic && !read.length_key.empty())
      bar.rest_length = resolve_rest_length(fields, read.length_key, law_of(bar), length, length);
    if (!bar.elastic) {
      bar.attached = read_attached(reading, member, fields);
      const double mass = std::max(bar.mass, 0.0);
      bar.inertia = read.inertia.value_or(default_inertia(mass, length));
      bar.axial_inertia =
          read.axial_inertia.value_or(bar.attached.empty() ? 0.0 : default_axial_inertia(mass, bar.radius));
    }
    model.bars.push_back(std::move(bar));
    reading.bars.push_back(std::move(member));
  }
}

void read_cables(Reading& reading) {
  std::vector<MemberEntry> members = collect_members(reading.given(), "cables", "cable", "paths");
  Model& model = reading.scenario.model;
  KeysOfGroup<CableKeys, read_cable_keys> group;
  const bool some_slide = std::any_of(members.begin(), members.end(), [](const MemberEntry& member) {
    return member.nodes->list() && member.nodes->list()->size() > 2;
  });
  model.cables.reserve(members.size());
  reading.cables.reserve(members.size());
  reading.cable_index.reserve(members.size());
  for (MemberEntry& member : members) {
    const Fields fields = member.fields(reading.problems);
    const CableKeys& read = group.of(member, fields);
    Cable cable = read.cable;
    cable.place = member.place(EntityKind::cable);
    cable.name = final_name(member, fields, "paths");
    auto nodes = read_member_nodes(reading, member, fields);
    if (!nodes) {
      reading.cable_index.emplace(cable.name, -1);
      judge_numbers_of_cable(read, fields);
      continue;
    }
    cable.path = std::move(*nodes);
    // Friction that is given for several cables passes by those that have nothing to slide through.
    const bool shared = read.friction_of_group || (read.friction_of_all && some_slide);
    if (shared && cable.path.size() == 2) cable.friction = {};
    const double length = start_length(model, cable), fallback = length > 0.0 ? length : 1.0;
    const bool computable = read.good_law || read.length_key != "pretension";
    cable.rest_length = computable && !read.length_key.empty()
                            ? resolve_rest_length(fields, read.length_key, cable.law, length, fallback)
                            : fallback;
    if (read.pieces > 1) {
      divide(reading, member, fields, cable, read.pieces);
      continue;
    }
    reading.cable_index.emplace(cable.name, static_cast<int>(model.cables.size()));
    model.cables.push_back(std::move(cable));
    reading.cables.push_back(std::move(member));
  }
}

std::string no_cable(Reading& reading, const std::string& name) {
  if (reading.cable_index.contains(name + "_1"))
    return fmt::format("cable {} is in pieces: expected the name of one of them, \"{}_1\" and so on", in_quotes(name),
                       name);
  std::vector<std::string_view> names;
  for (const auto& [known, index] : reading.cable_index) names.push_back(known);
  std::sort(names.begin(), names.end());
  return fmt::format("there is no cable {}{}", in_quotes(name), reading.problems.did_you_mean(name, names));
}

}  // namespace taut
