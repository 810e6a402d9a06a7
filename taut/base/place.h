// Where things stand in files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace taut {

struct Place {
  std::string file;
  int line = 0;  // 1-based; 0 = unknown, then left out of the text
  int column = 0;
};

// What a problem may be about.
enum class EntityKind {
  model,
  environment,
  node,
  bar,
  body,
  joint,
  pulley,
  cable,
  constraint,
  actuator,
  drive,
  bar_drive,
  controller,
  load,
  frame,
  wanted_tension,
  simulation
};

// The section of a model file that holds it: "cables", "environment"; empty for the model itself.
const char* section_of(EntityKind kind);

// Where an entity of a model stands in the file that it was read from. It says nothing of what the entity is, so all
// places count as equal.
struct EntityPlace {
  std::shared_ptr<const std::string> file;  // null: the entity was not read from a file
  int line = 0, column = 0;
  EntityKind kind = EntityKind::model;
  int entry = -1;  // its number in the section; -1: an entry with a name, as nodes are
  int item = -1;   // its number in the group of bars or cables that the entry is

  bool known() const { return file != nullptr; }
  Place where() const { return known() ? Place{*file, line, column} : Place{}; }
  // "cables[2].paths[5]", "nodes.a1"; empty where nothing is known.
  std::string key(std::string_view name) const;

  bool operator==(const EntityPlace&) const { return true; }
};

}  // namespace taut
