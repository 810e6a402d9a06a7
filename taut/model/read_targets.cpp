// [[targets]]: tensions that a shape shall carry.
#include <fmt/format.h>

#include <algorithm>

#include "taut/model/keys.h"
#include "taut/model/read_parts.h"

namespace taut {

namespace {

// The cables by name; false if something was reported.
bool read_target_cables(Reading& reading, const Fields& fields, Target& target) {
  if (!fields.require("cables", "a list of cable names")) return false;
  const toml::node& node = *fields.find("cables");
  const toml::array* list = node.as_array();
  if (!list || list->empty()) {
    fields.say("cables", fmt::format("expected a list of cable names, got {}", describe(node)));
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string key = fmt::format("{}[{}]", fields.path().text("cables"), i);
    const auto name = (*list)[i].value<std::string>();
    const auto say = [&](std::string message) {
      reading.problems.add((*list)[i].source(), key, std::move(message));
      good = false;
    };
    if (!name) {
      say(fmt::format("expected the name of a cable, got {}", describe((*list)[i])));
      continue;
    }
    const auto found = reading.cable_index.find(*name);
    if (found == reading.cable_index.end()) {
      say(no_cable(reading, *name));
    } else if (found->second < 0) {
      good = false;
    } else {
      target.cables.push_back(found->second);
    }
  }
  return good;
}

}  // namespace

void read_targets(Reading& reading) {
  std::vector<Member> entries = collect_entries(reading.documents, "targets", "", reading.problems);
  apply_overrides(reading.overrides, "targets", "target", entries, reading.problems);
  for (Member& entry : entries) {
    const Fields fields = entry.fields(reading.problems);
    fields.refuse_unknown(keys::target);
    Target target;
    bool good = read_target_cables(reading, fields, target);
    const std::string_view key = fields.one_of({"tension", "mean_tension"});
    if (key.empty() && !fields.has("tension") && !fields.has("mean_tension"))
      fields.say("", "has neither tension (of each cable, N) nor mean_tension");
    const std::optional<double> tension = key.empty() ? std::nullopt : fields.number(key);
    if (!good || !tension) continue;
    target.tension = *tension;
    target.mean = key == "mean_tension";
    reading.scenario.model.targets.push_back(std::move(target));
    reading.targets.push_back(std::move(entry));
  }
}

}  // namespace taut
