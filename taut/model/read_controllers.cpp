// [[controllers]]: the keys depend on the kind.
#include <fmt/format.h>

#include "taut/model/keys.h"
#include "taut/model/read_parts.h"

namespace taut {

namespace {

void read_roll(const Fields& fields, RollSettings& roll) {
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
}

}  // namespace

void read_controllers(Reading& reading) {
  std::vector<Member> entries = collect_entries(reading.documents, "controllers", "name", reading.problems);
  apply_overrides(reading.overrides, "controllers", "controller", entries, reading.problems);
  for (Member& entry : entries) {
    const Fields fields = entry.fields(reading.problems);
    if (!fields.require("kind", fmt::format("one of {}", name(ControllerKind::roll)))) continue;
    const auto kind = fields.word<ControllerKind>("kind", {{name(ControllerKind::roll), ControllerKind::roll}});
    if (!kind) continue;
    ControllerSpec spec;
    spec.kind = *kind;
    spec.name = fields.text("name").value_or(spec.name);
    spec.rate = fields.number("rate").value_or(spec.rate);
    spec.start = fields.number("start").value_or(spec.start);
    read_roll(fields, spec.roll);
    reading.scenario.model.controllers.push_back(std::move(spec));
    reading.controllers.push_back(std::move(entry));
  }
}

}  // namespace taut
