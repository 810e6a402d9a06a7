// Rules for targets: a tension that a cable can have, no cable twice in a group or in two groups of single tensions.
#include <fmt/format.h>

#include <algorithm>

#include "taut/model/check_values.h"

namespace taut {

void check_targets(const Model& model, std::vector<Finding>& findings) {
  std::vector<int> wanted(model.cables.size(), -1);  // the target that gives the cable its own tension
  for (size_t i = 0; i < model.targets.size(); ++i) {
    const Entity entity(findings, Part::target, static_cast<int>(i));
    const Target& target = model.targets[i];
    const char* key = target.mean ? "mean_tension" : "tension";
    if (entity.finite(key, target.tension) && target.tension < 0.0)
      entity.say(key, fmt::format("is {} N: a cable cannot push", target.tension));
    if (target.cables.empty()) entity.say("cables", "is empty");
    for (size_t k = 0; k < target.cables.size(); ++k) {
      const int cable = target.cables[k];
      if (cable < 0 || static_cast<size_t>(cable) >= model.cables.size()) {
        entity.say("cables", fmt::format("refers to number {} of {}", cable, model.cables.size()));
        continue;
      }
      const std::string& name = model.cables[cable].name;
      if (std::find(target.cables.begin(), target.cables.begin() + static_cast<long>(k), cable) !=
          target.cables.begin() + static_cast<long>(k))
        entity.say("cables", fmt::format("names \"{}\" twice", name));
      else if (!target.mean && wanted[cable] >= 0)
        entity.say("cables", fmt::format("\"{}\" has a tension already, by targets[{}]", name, wanted[cable]));
      else if (!target.mean)
        wanted[cable] = static_cast<int>(i);
    }
  }
}

}  // namespace taut
