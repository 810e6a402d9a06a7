#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"

namespace taut {

namespace {

struct LawName {
  LawKind kind;
  std::span<const std::string_view> keys;
};

constexpr auto law_kinds = std::to_array<LawName>({{LawKind::linear, keys::law_linear},
                                                   {LawKind::softplus, keys::law_softplus},
                                                   {LawKind::spring, keys::law_spring},
                                                   {LawKind::table, keys::law_table}});

bool allows(const LawName& law, std::string_view key) {
  return std::find(law.keys.begin(), law.keys.end(), key) != law.keys.end();
}

// Which law: law = "name", law = { kind = "name" }, or linear when nothing is said.
const LawName* law_of(const Fields& cable, const Fields& table, const Value* shorthand) {
  const Value* name = table.has("kind") ? table.find("kind") : shorthand;
  const char* key = table.has("kind") ? "law.kind" : "law";
  if (!name) {
    if (table.empty()) return &law_kinds[0];
    table.say("kind", "is missing: expected one of linear, softplus, spring, table");
    return nullptr;
  }
  std::vector<std::string_view> known;
  for (const LawName& law : law_kinds) {
    known.emplace_back(taut::name(law.kind));
    if (name->text() && *name->text() == known.back()) return &law;
  }
  if (name->text())
    cable.say_unknown_word(key, *name->text(), known);
  else
    cable.say(key, fmt::format("expected one of {}, got {}", fmt::join(known, ", "), describe(*name)));
  return nullptr;
}

// `clip` and `beta` may stand in the law's table or beside it. One that a stronger level's law has no use for
// is out of date, not wrong.
const Fields* owner_of(const char* key, const Fields& cable, const Fields& table, const LawName& law) {
  const bool beside = cable.has(key) && (allows(law, key) || cable.level_of(key) >= cable.level_of("law"));
  if (beside && !allows(law, key)) {
    cable.say(key, fmt::format("has no meaning for law {}", name(law.kind)));
    return nullptr;
  }
  if (beside && table.has(key)) cable.say(key, "is given in law as well: expected it once");
  if (table.has(key) && allows(law, key)) return &table;
  return beside ? &cable : nullptr;
}

void read_stiffness(const Fields& cable, CableLaw& law) {
  const std::string_view key = cable.one_of({"stiffness", "EA"});
  if (law.kind == LawKind::table) {
    if (!key.empty() && cable.level_of(key) >= cable.level_of("law")) {
      cable.say(key, "has no meaning beside law table, which holds the force itself");
    }
    return;
  }
  if (key.empty()) return cable.say("stiffness", "is missing: expected stiffness (N/m) or EA (N)");
  law.by_EA = key == "EA";
  law.stiffness = cable.number(key).value_or(1.0);
}

}  // namespace

bool read_law(const Fields& cable, CableLaw& law) {
  const size_t before = cable.problems().size();
  const Value* shorthand = nullptr;
  const Fields table = cable.table("law", &shorthand);
  if (const LawName* kind = law_of(cable, table, shorthand)) {
    law.kind = kind->kind;
    table.refuse_unknown(kind->keys, fmt::format("law {}", name(law.kind)));
    law.damping_model =
        cable.word<DampingModel>("damping_model", {{"axial", DampingModel::axial}, {"vector", DampingModel::vector}})
            .value_or(law.damping_model);
    law.clip = law.kind != LawKind::linear || law.damping_model == DampingModel::axial;
    if (const Fields* owner = owner_of("clip", cable, table, *kind)) law.clip = owner->truth("clip").value_or(law.clip);
    if (const Fields* owner = owner_of("beta", cable, table, *kind))
      law.beta = owner->number("beta").value_or(law.beta);
    if (const Fields* owner = owner_of("yield", cable, table, *kind)) {
      law.yield = owner->number("yield").value_or(1.0);
      if (law.yield == 0.0)
        owner->say("yield", "is 0: expected a number above 0, or none for a member that never yields");
    }
    if (const Fields* owner = owner_of("hardening", cable, table, *kind)) {
      law.hardening = owner->number("hardening").value_or(0.0);
      if (law.yield == 0.0) owner->say("hardening", "has no meaning without yield");
    }
    if (law.kind == LawKind::table)
      law.unloads = table.word<bool>("unloading", {{"same", false}, {"elastic", true}}).value_or(false);
  }
  read_stiffness(cable, law);
  law.damping = cable.number("damping").value_or(0.0);
  if (law.kind == LawKind::table) {
    if (table.require("strain", "a list of strains")) law.strain = table.numbers("strain").value_or(law.strain);
    if (table.require("force", "a list of forces (N)")) law.force = table.numbers("force").value_or(law.force);
    // Half a table is reported once, here.
    if (cable.problems().size() > before) law.kind = LawKind::linear;
  }
  return cable.problems().size() == before;
}

void read_friction(const Fields& cable, SlidingFriction& friction) {
  const Value* shorthand = nullptr;
  const Fields table = cable.table("friction", &shorthand);
  if (!shorthand && table.empty()) return;
  table.refuse_unknown(keys::friction);
  friction.kind = table.word<SlidingKind>("law", {{"capstan", SlidingKind::capstan}, {"coulomb", SlidingKind::coulomb}})
                      .value_or(SlidingKind::capstan);
  friction.slip_speed = table.number("slip_speed").value_or(friction.slip_speed);
  if (table.has("coefficient")) {
    friction.coefficient = table.number("coefficient").value_or(0.0);
  } else if (!shorthand) {
    table.say("coefficient", "is missing: expected the coefficient of friction");
  } else if (!shorthand->number()) {
    cable.say("friction", fmt::format("expected a coefficient or a table, got {}", describe(*shorthand)));
  } else {
    friction.coefficient = to_number(cable.problems(), *shorthand, cable.path().text("friction")).value_or(0.0);
  }
}

double resolve_rest_length(const Fields& fields, std::string_view key, const CableLaw& law, double start_length,
                           double fallback) {
  const std::optional<double> value = fields.number(key);
  if (!value || key == "rest_length") return value.value_or(fallback);
  if (start_length == 0.0) {
    fields.say(key, "cannot be met: the member has no length at the start");
    return fallback;
  }
  if (key == "strain") {
    if (*value > -1.0) return start_length / (1.0 + *value);
    fields.say(key, fmt::format("is {}: expected a number above -1", *value));
    return fallback;
  }
  if (law.kind != LawKind::spring && *value < 0.0) {
    fields.say(key, fmt::format("is negative ({} N): a cable only pulls", *value));
    return fallback;
  }
  const double rest_length = rest_length_for_tension(law, start_length, *value);
  if (!std::isnan(rest_length)) return rest_length;
  fields.say(key, fmt::format("no rest length above 0 gives {} N at the start length of {} m", *value, start_length));
  return fallback;
}

}  // namespace taut
