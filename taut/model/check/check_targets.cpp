// Rules for wanted tensions: a tension that a cable can have, no cable twice in a group or in two groups of single
// tensions.
#include <fmt/format.h>

#include <algorithm>

#include "taut/model/check/check_values.h"
#include "taut/model/words.h"

namespace taut {

void check_targets(const Model& model, std::vector<Finding>& findings) {
  const size_t count = model.cables.size() + model.pulleys.size();
  std::vector<int> given_by(count, -1);  // the entry that gives the cable its own tension
  for (size_t i = 0; i < model.wanted_tensions.size(); ++i) {
    const Entity entity(findings, EntityKind::wanted_tension, static_cast<int>(i));
    const WantedTension& wanted = model.wanted_tensions[i];
    const char* key = wanted.mean ? "mean_tension" : "tension";
    if (entity.finite(key, wanted.tension) && wanted.tension < 0.0)
      entity.say(key, fmt::format("is {} N: a cable cannot push", wanted.tension));
    if (wanted.cables.empty()) entity.say("cables", "is empty");
    for (size_t k = 0; k < wanted.cables.size(); ++k) {
      const int cable = wanted.cables[k];
      if (cable < 0 || static_cast<size_t>(cable) >= count) {
        entity.say("cables", fmt::format("refers to number {} of {}", cable, count));
        continue;
      }
      const std::string& name = cable_name(model, cable);
      if (std::find(wanted.cables.begin(), wanted.cables.begin() + static_cast<long>(k), cable) !=
          wanted.cables.begin() + static_cast<long>(k))
        entity.say("cables", fmt::format("names \"{}\" twice", name));
      else if (!wanted.mean && given_by[cable] >= 0)
        entity.say("cables", fmt::format("\"{}\" has a tension already, by targets[{}]", name, given_by[cable]));
      else if (!wanted.mean)
        given_by[cable] = static_cast<int>(i);
    }
  }
}

}  // namespace taut
