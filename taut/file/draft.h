// A model that can still be changed: a file, a text or a scenario, and values by key path on top of it, as --set and
// sweeps know them.
//
//   Draft robot = Draft::from_file("robot.toml");
//   robot.set("cables.*.stiffness", {800.0});
//   robot.get("cables.a1-b2.stiffness");
//   Simulation sim(robot.scenario());
//
// A draft may also be made entity by entity, with the keys of the model file; it is read when it is used:
//
//   Draft mast;
//   mast.add("nodes", "top", {...});
//   mast.add("bars", "", {...});
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taut/file/value.h"
#include "taut/model/scenario.h"

namespace taut {

class ModelFile;
struct Override;

class Draft {
 public:
  Draft() = default;  // with nothing in it
  // Each throws InputError with every problem of the model.
  static Draft from_file(const std::string& file);
  // `name` is what errors mention and what relative paths start from.
  static Draft from_text(std::string text, const std::string& name);
  static Draft from_scenario(Scenario scenario);
  // What [generate] makes of these keys besides its kind.
  static Draft generated(const std::string& kind, const std::vector<std::pair<std::string, Value>>& parameters);

  // Adds an entity to a section, a node under its name. Throws InputError: no such section, or a key that is not of it.
  void add(const std::string& section, const std::string& name, Table keys);
  // Values by key path. Throws InputError, and is then as before, but where entities were added since it was last read:
  // then mistakes wait until it is.
  void set(const std::vector<std::pair<std::string, Value>>& values);
  void set(const std::string& key, const Value& value) { set({{key, value}}); }
  // The value that the model has under a key; with "*" a list of one for each entity. Nothing where the key is known and
  // has no value. Throws InputError: there is no such key or entity.
  std::optional<Value> get(const std::string& key) const;

  // Throws InputError with every problem of the model. Not for two threads at once.
  const Scenario& scenario() const;
  // With further values, which stay out of the draft; `typed` is how errors name each.
  struct Setting {
    std::string key;
    Value value;
    std::string typed;
  };
  Scenario with(const std::vector<Setting>& settings) const;

  // What it is made of: text, its name, what was added, and the values in the order in which they count.
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  const Table& added() const { return added_; }
  const std::vector<std::pair<std::string, Value>>& values() const { return values_; }
  static Draft from_parts(std::string text, std::string name, Table added,
                          std::vector<std::pair<std::string, Value>> values);
  // To be read many times: parsed, and the values that count on top.
  ModelFile file() const;
  std::vector<Override> overrides() const;

 private:
  std::string text_, name_ = "model";
  std::shared_ptr<const Scenario> base_;  // in place of a text
  Table added_;
  std::vector<std::pair<std::string, Value>> values_;
  mutable std::shared_ptr<const Scenario> scenario_;  // null: to be read
};

}  // namespace taut
