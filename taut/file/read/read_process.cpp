// [[controllers]] of kind process: the program, and what it drives where the file does not say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "taut/file/read/read_sections.h"
#include "taut/model/joint_columns.h"

namespace taut {

namespace {

// So that the model means the same wherever it is written to.
std::string absolute(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path whole = folder.empty() ? fs::current_path(failed) : fs::absolute(folder, failed);
  std::string text = whole.lexically_normal().string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return failed ? folder : text;
}

bool read_command(Reading& reading, const Fields& fields, std::vector<std::string>& words) {
  constexpr const char* example = "a program and its arguments, as in [\"python3\", \"policy.py\"]";
  if (!fields.require("command", example)) return false;
  const Value& command = *fields.find("command");
  if (const std::string* word = command.text()) {
    words = {*word};
    return true;
  }
  const List* list = command.list();
  if (!list) {
    fields.say("command", fmt::format("expected {}, got {}", example, describe(command)));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Value& element = (*list)[i];
    if (const std::string* word = element.text()) {
      words.push_back(*word);
    } else {
      reading.problems.add(element.at, fmt::format("{}[{}]", fields.path().text("command"), i),
                           fmt::format("expected a text, got {}", describe(element)));
      good = false;
    }
  }
  return good;
}

bool is_driven(const Model& model, const ControlInput& input) {
  const auto same = [&](const ControlInput& other) {
    return other.cable == input.cable && other.joint == input.joint && other.coordinate == input.coordinate;
  };
  return std::any_of(model.actuators.begin(), model.actuators.end(),
                     [&](const Actuator& a) { return input.cable >= 0 && a.cable == input.cable; }) ||
         std::any_of(model.drives.begin(), model.drives.end(),
                     [&](const JointDrive& d) {
                       return d.joint == input.joint && (d.imposed || d.coordinate == input.coordinate);
                     }) ||
         std::any_of(model.controllers.begin(), model.controllers.end(), [&](const ControllerSpec& other) {
           const std::vector<ControlInput>& taken = other.steer.inputs;
           const bool rolls = other.kind == ControllerKind::roll && taken.empty();
           return rolls ? input.cable >= 0 : std::any_of(taken.begin(), taken.end(), same);
         });
}

}  // namespace

bool read_process(Reading& reading, const Fields& fields, SteerSettings& steer) {
  steer.time_limit = fields.number("time_limit").value_or(steer.time_limit);
  if (const auto memory = fields.number("memory")) {
    if (*memory == std::floor(*memory) && std::abs(*memory) < 1e9)
      steer.memory = static_cast<int>(*memory);
    else
      fields.say("memory", fmt::format("is {}: expected a whole number, of numbers to remember", *memory));
  }
  if (!read_command(reading, fields, steer.command)) return false;
  const char* says = fields.has("folder") ? "folder" : "command";
  steer.folder =
      absolute(path_of_file(fields, says, fields.text("folder").value_or(""), reading.documents.back().file()));
  return true;
}

std::vector<ControlInput> free_inputs(const Model& model) {
  std::vector<ControlInput> inputs;
  const auto add = [&](const ControlInput& input) {
    if (!is_driven(model, input)) inputs.push_back(input);
  };
  for (std::size_t i = 0; i < model.cables.size(); ++i) add({static_cast<int>(i), -1, 0, {}});
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    for (int k = 0; model.joints[i].role != JointRole::loop && k < joint_velocities(model.joints[i].type); ++k)
      add({-1, static_cast<int>(i), k, {}});
  return inputs;
}

}  // namespace taut
