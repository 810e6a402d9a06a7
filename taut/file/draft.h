// A model that can still be changed: a file, a text or a scenario, and values by key path on top of it, as --set and
// sweeps know them.
//
//   Draft robot = Draft::from_file("robot.toml");
//   robot.set("cables.*.stiffness", {800.0});
//   robot.get("cables.a1-b2.stiffness");
//   Simulation sim(robot.scenario());
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taut/file/value.h"
#include "taut/model/scenario.h"

namespace taut {

class ModelFile;

class Draft {
 public:
  // Each throws InputError with every problem of the model.
  static Draft from_file(const std::string& file);
  // `file` is what errors mention and what relative paths start from.
  static Draft from_text(std::string text, const std::string& file);
  static Draft from_scenario(Scenario scenario);
  // [generate] with these keys besides its kind; the simulation is what the generator makes of it.
  static Draft generated(const std::string& kind, const std::vector<std::pair<std::string, Value>>& parameters);

  // Throws InputError, and is then as before.
  void set(const std::string& key, const Value& value);
  // All of them at once: values that are possible together only.
  void set(const std::vector<std::pair<std::string, Value>>& values);
  // The value that the model has under a key; with "*" a list of one for each entity. Nothing where the key is known and
  // has no value. Throws InputError: there is no such key or entity.
  std::optional<Value> get(const std::string& key) const;

  const Scenario& scenario() const { return scenario_; }

  // What it is made of: text and name of the file, or neither and a scenario; then the values, in the order in which they
  // count.
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  const std::vector<std::pair<std::string, Value>>& values() const { return values_; }

 private:
  Draft() = default;
  ModelFile file() const;
  Scenario read(const std::vector<std::pair<std::string, Value>>& values) const;

  std::string text_, name_;
  std::optional<Scenario> base_;  // in place of a text
  std::vector<std::pair<std::string, Value>> values_;
  Scenario scenario_;
};

}  // namespace taut
