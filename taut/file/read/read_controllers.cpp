// [[controllers]]: the keys depend on the kind.
#include <fmt/format.h>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

// Names of cables; false where one of them is wrong.
bool read_roll_inputs(Reading& reading, const Fields& fields, ControllerSpec& spec) {
  const Value* given = fields.find("inputs");
  if (!given) return true;
  const List* list = given->list();
  if (!list || list->empty()) {
    fields.say("inputs", fmt::format("expected a list of cables, got {}", describe(*given)));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Value& element = (*list)[i];
    const std::string key = fmt::format("{}[{}]", fields.path().text("inputs"), i);
    const std::string* cable = element.text();
    const auto found = cable ? reading.cable_index.find(*cable) : reading.cable_index.end();
    if (!cable)
      reading.problems.add(element.at, key, fmt::format("expected a name, got {}", describe(element)));
    else if (found == reading.cable_index.end())
      reading.problems.add(element.at, key, no_cable(reading, *cable));
    else if (found->second >= 0)  // a faulty one is reported already
      spec.steer.inputs.push_back({found->second, -1, 0, {}});
    good &= found != reading.cable_index.end() && found->second >= 0;
  }
  return good;
}

bool read_roll(Reading& reading, const Fields& fields, ControllerSpec& spec) {
  RollSettings& roll = spec.roll;
  fields.refuse_unknown(keys::controller_roll, "a roll controller");
  roll.policy = fields
                    .word<RollPolicy>("policy", {{name(RollPolicy::two_cable), RollPolicy::two_cable},
                                                 {name(RollPolicy::all_cables), RollPolicy::all_cables}})
                    .value_or(roll.policy);
  if (const auto direction = fields.numbers("direction")) {
    if (direction->size() == 2)
      roll.direction = {(*direction)[0], (*direction)[1]};
    else
      fields.say("direction", fmt::format("expected two numbers [x, y], got a list of {}", direction->size()));
  }
  roll.speed = fields.number("speed").value_or(roll.speed);
  roll.shortest = fields.number("shortest").value_or(roll.shortest);
  roll.longest = fields.number("longest").value_or(roll.longest);
  return read_roll_inputs(reading, fields, spec);
}

constexpr auto kinds =
    std::to_array({ControllerKind::roll, ControllerKind::table, ControllerKind::pid, ControllerKind::lqr,
                   ControllerKind::computed_torque, ControllerKind::near_rigid, ControllerKind::process});

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const ControllerKind kind : kinds) names.emplace_back(name(kind));
  return names;
}

std::optional<ControllerKind> read_kind(const Fields& fields) {
  const std::optional<std::string> given = fields.text("kind");
  if (!given) return std::nullopt;
  for (const ControllerKind kind : kinds)
    if (*given == name(kind)) return kind;
  fields.say_unknown_word("kind", *given, kind_names());
  return std::nullopt;
}

// Actuators of weaker files, and of a generator, give way to a controller of the same cable or joint.
void take_over(Reading& reading, const MemberEntry& entry, const ControllerSpec& spec) {
  Model& model = reading.scenario.model;
  const auto weaker = [&](const MemberEntry& other) { return other.document < entry.document; };
  for (const ControlInput& input : spec.steer.inputs) {
    for (std::size_t i = model.actuators.size(); i-- > 0;) {
      if (model.actuators[i].cable != input.cable || !weaker(reading.actuators[i])) continue;
      model.actuators.erase(model.actuators.begin() + static_cast<std::ptrdiff_t>(i));
      reading.actuators.erase(reading.actuators.begin() + static_cast<std::ptrdiff_t>(i));
      reading.faulty_signal.erase(reading.faulty_signal.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = model.drives.size(); i-- > 0;) {
      const JointDrive& drive = model.drives[i];
      if (drive.joint != input.joint || drive.coordinate != input.coordinate || drive.imposed) continue;
      if (!weaker(reading.drives[i])) continue;
      model.drives.erase(model.drives.begin() + static_cast<std::ptrdiff_t>(i));
      reading.drives.erase(reading.drives.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace

void read_controllers(Reading& reading) {
  std::vector<MemberEntry> entries = collect_entries(reading.given(), "controllers", "controller", {"name"});
  for (MemberEntry& entry : entries) {
    const Fields fields = entry.fields(reading.problems);
    if (!fields.require("kind", fmt::format("one of {}", fmt::join(kind_names(), ", ")))) continue;
    const std::optional<ControllerKind> kind = read_kind(fields);
    if (!kind) continue;
    ControllerSpec spec;
    spec.kind = *kind;
    spec.name = fields.text("name").value_or(spec.name);
    spec.rate = fields.number("rate").value_or(standard_rate(spec.kind));
    spec.start = fields.number("start").value_or(spec.start);
    if (spec.kind == ControllerKind::roll ? !read_roll(reading, fields, spec) : !read_steer(reading, fields, spec))
      continue;
    take_over(reading, entry, spec);
    spec.place = entry.place(EntityKind::controller);
    reading.scenario.model.controllers.push_back(std::move(spec));
    reading.controllers.push_back(std::move(entry));
  }
  std::vector<ControllerSpec>& specs = reading.scenario.model.controllers;
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (const Fields fields = reading.controllers[i].fields(reading.problems);
        specs[i].kind == ControllerKind::process && !fields.has("inputs"))
      read_free_inputs(reading, fields, specs[i]);
}

}  // namespace taut
