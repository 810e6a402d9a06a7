// [[targets]]: wanted tensions, which a shape shall carry.
#include <fmt/format.h>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"

namespace taut {

namespace {

// Of a pulley's cable, numbered on from the cables; -1: there is none of that name.
int pulley_number(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.pulleys.size(); ++i)
    if (model.pulleys[i].name == name) return static_cast<int>(model.cables.size() + i);
  return -1;
}

// The cables by name; false if something was reported.
bool read_wanted_cables(Reading& reading, const Fields& fields, WantedTension& wanted) {
  if (!fields.require("cables", "a list of cable names")) return false;
  const Value& node = *fields.find("cables");
  const List* list = node.list();
  if (!list || list->empty()) {
    fields.say("cables", fmt::format("expected a list of cable names, got {}", describe(node)));
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string key = fmt::format("{}[{}]", fields.path().text("cables"), i);
    const std::string* name = (*list)[i].text();
    const auto say = [&](std::string message) {
      reading.problems.add((*list)[i].at, key, std::move(message));
      good = false;
    };
    if (!name) {
      say(fmt::format("expected the name of a cable, got {}", describe((*list)[i])));
      continue;
    }
    const auto found = reading.cable_index.find(*name);
    const int pulley = pulley_number(reading.scenario.model, *name);
    if (found == reading.cable_index.end() && pulley >= 0) {
      wanted.cables.push_back(pulley);
    } else if (found == reading.cable_index.end()) {
      say(no_cable(reading, *name));
    } else if (found->second < 0) {
      good = false;
    } else {
      wanted.cables.push_back(found->second);
    }
  }
  return good;
}

}  // namespace

void read_targets(Reading& reading) {
  std::vector<MemberEntry> entries = collect_entries(reading.given(), "targets", "target", {});
  for (MemberEntry& entry : entries) {
    const Fields fields = entry.fields(reading.problems);
    fields.refuse_unknown(keys::target);
    WantedTension wanted;
    bool good = read_wanted_cables(reading, fields, wanted);
    const std::string_view key = fields.one_of({"tension", "mean_tension"});
    if (key.empty() && !fields.has("tension") && !fields.has("mean_tension"))
      fields.say("", "has neither tension (of each cable, N) nor mean_tension");
    const std::optional<double> tension = key.empty() ? std::nullopt : fields.number(key);
    if (!good || !tension) continue;
    wanted.tension = *tension;
    wanted.mean = key == "mean_tension";
    wanted.place = entry.place(EntityKind::wanted_tension);
    reading.scenario.model.wanted_tensions.push_back(std::move(wanted));
    reading.targets.push_back(std::move(entry));
  }
}

}  // namespace taut
