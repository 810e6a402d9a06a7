#include "taut/form/path/path_text.h"

#include <fmt/format.h>

#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/form/path/path.h"

namespace taut {

const char* whole(PathKind kind) {
  return kind == PathKind::loads ? "the load" : kind == PathKind::weight ? "the weight" : "the way";
}
const char* path_name(PathKind kind) {
  return kind == PathKind::loads ? "load path" : kind == PathKind::weight ? "weight path" : "rest-length path";
}

const char* name(PathEventKind kind) {
  return kind == PathEventKind::limit ? "limit point" : kind == PathEventKind::bifurcation ? "bifurcation" : "slack";
}

std::string event_text(const Model& model, const PathEvent& event, PathKind kind) {
  const std::string node = event.node >= 0 ? model.nodes[event.node].name : "?";
  const std::string where = fmt::format("at {:.6g} of {}", event.at.p, whole(kind));
  if (event.kind == PathEventKind::limit)
    return fmt::format("a limit point {}: there {}the structure snaps, node \"{}\" foremost", where,
                       event.cables.empty() ? "" : list_names(model, event.cables) + " switches and ", node);
  if (event.kind == PathEventKind::bifurcation)
    return fmt::format("a bifurcation {}: {}{}, node \"{}\" along {}", where,
                       event.crosses ? "it crosses another path"
                       : event.lost  ? "it buckles"
                                     : "it becomes stable again",
                       event.motions > 1 ? fmt::format(" in {} ways at once", event.motions) : "", node,
                       direction_text(event.along));
  return fmt::format("a switch of {} {}: stiffness is {} at once", list_names(model, event.cables), where,
                     event.lost ? "lost" : "gained");
}

}  // namespace taut
