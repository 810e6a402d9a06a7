#include "taut/base/place.h"

#include <fmt/format.h>

#include "taut/base/text/toml_text.h"

namespace taut {

const char* section_of(EntityKind kind) {
  switch (kind) {
    case EntityKind::node:
      return "nodes";
    case EntityKind::bar:
      return "bars";
    case EntityKind::body:
      return "bodies";
    case EntityKind::joint:
      return "joints";
    case EntityKind::pulley:
      return "pulleys";
    case EntityKind::cable:
      return "cables";
    case EntityKind::constraint:
      return "constraints";
    case EntityKind::actuator:
    case EntityKind::drive:
    case EntityKind::bar_drive:
      return "actuators";
    case EntityKind::controller:
      return "controllers";
    case EntityKind::load:
      return "loads";
    case EntityKind::frame:
      return "outputs";
    case EntityKind::wanted_tension:
      return "targets";
    case EntityKind::environment:
      return "environment";
    case EntityKind::simulation:
      return "simulation";
    case EntityKind::model:
      break;
  }
  return "";
}

std::string EntityPlace::key(std::string_view name) const {
  if (!known()) return "";
  std::string text = section_of(kind);
  text += entry >= 0 ? fmt::format("[{}]", entry) : "." + toml_key(name);
  if (item >= 0) text += fmt::format(".{}[{}]", kind == EntityKind::bar ? "pairs" : "paths", item);
  return text;
}

}  // namespace taut
