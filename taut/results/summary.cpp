#include "taut/results/summary.h"

#include <algorithm>

#include "taut/base/text/enum_name.h"
#include "taut/model/control_names.h"
#include "taut/model/words.h"

namespace taut {

const char* name(RunStatus status) {
  return enum_name<RunStatus::interrupted>(status, {"done", "failed", "interrupted"});
}

std::vector<Event> events_of(const Summary& summary, const Model& model) {
  std::vector<Event> events;
  for (const SlackEvent& event : summary.slack_events)
    events.push_back(
        {event.taut ? Event::Kind::taut : Event::Kind::slack, event.time, cable_name(model, event.cable), ""});
  for (const YieldedMember& member : summary.yielded)
    events.push_back({Event::Kind::yielded, member.time, member.member, ""});
  const std::vector<std::string> controllers = controller_names(model);
  for (const ControlEvent& event : summary.control_events)
    events.push_back(
        {Event::Kind::control, event.time, controllers[static_cast<std::size_t>(event.controller)], event.what});
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  return events;
}

}  // namespace taut
