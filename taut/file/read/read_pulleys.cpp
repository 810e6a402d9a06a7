// [[pulleys]]: cables that unwind from a body.
#include <fmt/format.h>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"

namespace taut {

namespace {

// Body, centre and radius of one of the pulleys.
bool read_wheel(Reading& reading, const Fields& fields, PulleySpec::Wheel& wheel) {
  const bool given = fields.require("body", "the body or bar that the cable is wound on") &
                     fields.require("centre", "a node or a position [x, y, z]") &
                     fields.require("radius", "the radius in m");
  if (!given) return false;
  const auto body = find_carrier(reading, *fields.find("body"), fields.path().text("body"));
  int node = -1;
  const auto centre = read_place(reading, *fields.find("centre"), fields.path().text("centre"), node);
  wheel.radius = fields.number("radius").value_or(1.0);
  if (!body || !centre) return false;
  wheel.body = *body;
  wheel.centre = *centre;
  return true;
}

// What the cable is made of, and how it is strained in the drawn shape.
void read_material(const Fields& fields, PulleySpec& pulley) {
  pulley.damping = fields.number("damping").value_or(0.0);
  pulley.clip = fields.truth("clip").value_or(pulley.clip);
  pulley.conservative = fields.truth("conservative").value_or(pulley.conservative);
  if (fields.has("length")) pulley.length = fields.number("length");
  const std::string_view stretch = fields.one_of({"strain", "pretension"});
  if (pulley.variant == PulleyVariant::rigid) {
    for (const char* key : {"EA", "damping", "clip", "conservative", "strain", "pretension"})
      if (fields.has(key) && fields.level_of(key) >= fields.level_of("variant"))
        fields.say(key, "does not belong to a rigid cable: leave it out");
    pulley.damping = 0.0;
    return;
  }
  pulley.EA = 1.0;
  if (!fields.require("EA", "the stiffness in N, or variant = \"rigid\"")) return;
  pulley.EA = fields.number("EA").value_or(1.0);
  if (stretch == "strain") pulley.strain = fields.number("strain").value_or(0.0);
  if (stretch == "pretension" && pulley.EA > 0.0) {
    const double tension = fields.number("pretension").value_or(0.0);
    if (tension < 0.0) fields.say("pretension", fmt::format("is {} N: a cable does not push", tension));
    pulley.strain = tension / pulley.EA;
  }
}

// The body that is the cable's end.
bool read_end(Reading& reading, const Fields& fields, PulleySpec& pulley) {
  const auto body = find_carrier(reading, *fields.find("end"), fields.path().text("end"));
  if (body && body->kind != Carrier::Kind::body)
    fields.say("end", "expected a body: the end of a cable is neither a bar nor the ground");
  if (!body || body->kind != Carrier::Kind::body) return false;
  pulley.second.body = *body;
  return true;
}

}  // namespace

void read_pulleys(Reading& reading) {
  std::vector<MemberEntry> entries = collect_entries(reading.given(), "pulleys", "pulley", {"name"});
  for (MemberEntry& entry : entries) {
    const Fields fields = entry.fields(reading.problems);
    fields.refuse_unknown(keys::pulley);
    PulleySpec pulley;
    if (fields.require("name", "a name")) pulley.name = fields.text("name").value_or("?");
    pulley.variant = fields
                         .word<PulleyVariant>("variant", {{"rigid", PulleyVariant::rigid},
                                                          {"u", PulleyVariant::u},
                                                          {"epsilon", PulleyVariant::epsilon},
                                                          {"l", PulleyVariant::l}})
                         .value_or(PulleyVariant::epsilon);
    read_material(fields, pulley);
    bool good = read_wheel(reading, fields, pulley.wheel);
    good = fields.require("axis", "the pulley's axis [x, y, z]") && good;
    const auto axis = fields.has("axis") ? read_direction(fields, "axis") : std::nullopt;
    if (axis) pulley.axis = *axis;
    // The cable's end.
    const std::string_view end = fields.one_of({"to", "second"});
    if (end.empty()) fields.say("to", "is missing: expected the node where the cable ends, or second = { ... }");
    if (end == "to") {
      const auto node = find_node(reading, *fields.find("to"), fields.path().text("to"));
      good = good && node;
      if (node) pulley.node = *node;
      if (fields.has("end")) good = read_end(reading, fields, pulley) && good;
    } else if (fields.has("end")) {
      fields.say("end", "does not belong to a cable between two pulleys: leave it out");
    }
    if (end == "second") {
      const Fields second = fields.table("second");
      second.refuse_unknown(keys::second_pulley);
      pulley.crossed = second.truth("crossed").value_or(false);
      good = read_wheel(reading, second, pulley.second) && good;
    }
    if (!good || end.empty() || !axis) continue;
    pulley.place = entry.place(EntityKind::pulley);
    reading.scenario.model.pulleys.push_back(std::move(pulley));
    reading.pulleys.push_back(std::move(entry));
  }
}

}  // namespace taut
