// Rules for controllers that steer: inputs, targets, paths and gains of one of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/model/check/check_values.h"
#include "taut/model/control_names.h"
#include "taut/model/joint_columns.h"

namespace taut {

namespace {

constexpr int most_memory = 100'000;  // numbers of a process, in every row of the results

bool within(int index, std::size_t count) { return index >= 0 && static_cast<std::size_t>(index) < count; }

bool in_range(const Model& model, const ControlInput& input) {
  if (input.cable >= 0) return within(input.cable, model.cables.size());
  return within(input.joint, model.joints.size()) &&
         within(input.coordinate, joint_velocities(model.joints[input.joint].type));
}

bool in_range(const Model& model, const ControlTarget& t) {
  switch (t.kind) {
    case ControlTarget::Kind::node:
      return within(t.index, model.nodes.size()) && within(t.column, 3);
    case ControlTarget::Kind::frame:
      return within(t.index, model.frames.size()) && within(t.column, 6);
    case ControlTarget::Kind::cable:
      return within(t.index, model.cables.size()) && within(t.column, 2);
    case ControlTarget::Kind::pulley:
      return within(t.index, model.pulleys.size()) &&
             within(t.column, coordinate_names(model.pulleys[t.index]).size() + 2);
    case ControlTarget::Kind::joint:
      return within(t.index, model.joints.size()) && plain_coordinates(model.joints[t.index].type) &&
             within(t.column, joint_velocities(model.joints[t.index].type));
  }
  return false;
}

class SteerRules {
 public:
  SteerRules(const Entity& entity, const Model& model, const ControllerSpec& spec)
      : entity_(entity), model_(model), spec_(spec), steer_(spec.steer) {}

  void check() const {
    if (!refer()) return;
    check_inputs();
    check_targets();
    check_path();
    check_gains();
    if (spec_.kind == ControllerKind::near_rigid) check_pulleys();
    if (spec_.kind == ControllerKind::computed_torque) bounds("tension", steer_.tension, "the tension");
    if (spec_.kind == ControllerKind::process) check_process();
  }

 private:
  // What is named is there, and each name means one thing.
  bool refer() const {
    const bool table = spec_.kind == ControllerKind::table, process = spec_.kind == ControllerKind::process;
    if (steer_.inputs.empty())
      entity_.say("inputs", process ? "is empty: expected joints or cables, and there are none that nothing else drives"
                                    : "is empty: expected the names of joints or cables");
    if (!table && !process && steer_.targets.empty())
      entity_.say("targets", "is empty: expected names such as \"tip.z\"");
    if (table && !steer_.targets.empty())
      entity_.say("targets", "belongs to controllers that observe: a table does not");
    if (process && !steer_.targets.empty())
      entity_.say("targets", "belongs to controllers with targets: a process sees everything");
    bool good = !steer_.inputs.empty() && steer_.targets.empty() == (table || process);
    for (const ControlInput& input : steer_.inputs)
      if (!in_range(model_, input) || inputs_called(model_, input_name(model_, input)).size() != 1)
        entity_.say("inputs", "refers to something that does not exist, or to a name with two meanings"), good = false;
    for (const ControlTarget& target : steer_.targets)
      if (!in_range(model_, target) || targets_called(model_, target_name(model_, target)).size() != 1)
        entity_.say("targets", "refers to something that does not exist, or to a name with two meanings"), good = false;
    return good;
  }

  void bounds(const char* key, const Bounds& b, const std::string& what) const {
    if (std::isnan(b.least) || std::isnan(b.most))
      entity_.say(key, fmt::format("{}: is not a number", what));
    else if (b.least > b.most)
      entity_.say(key, fmt::format("{}: the least is {}, above the most, {}", what, b.least, b.most));
    else if (b.least == INFINITY || b.most == -INFINITY)
      entity_.say(key, fmt::format("{}: [{}, {}] leaves no value", what, b.least, b.most));
  }

  void check_inputs() const {
    for (const ControlInput& input : steer_.inputs) {
      const std::string name = input_name(model_, input);
      bounds("bounds", input.bounds, "\"" + name + "\"");
      if (input.cable >= 0 && input.bounds.most <= 0.0)
        entity_.say("bounds",
                    fmt::format("\"{}\": the most is {}, but a rest length is above 0", name, input.bounds.most));
      if (input.cable >= 0 && spec_.kind == ControllerKind::near_rigid)
        entity_.say("inputs", fmt::format("\"{}\" is a cable: near_rigid drives the joints of pulleys", name));
    }
    if (std::isnan(steer_.speed) || steer_.speed <= 0.0)
      entity_.say("speed", fmt::format("is {}: expected a number above 0", steer_.speed));
  }

  void check_targets() const {
    if (spec_.kind == ControllerKind::pid && steer_.targets.size() != steer_.inputs.size())
      entity_.say("targets", fmt::format("there are {} targets for {} inputs: pid needs as many of each",
                                         steer_.targets.size(), steer_.inputs.size()));
    const bool by_acceleration =
        spec_.kind == ControllerKind::computed_torque || spec_.kind == ControllerKind::near_rigid;
    for (auto target = steer_.targets.begin(); target != steer_.targets.end(); ++target) {
      if (std::find(steer_.targets.begin(), target, *target) != target)
        entity_.say("targets", fmt::format("names \"{}\" twice", target_name(model_, *target)));
      if (by_acceleration && !has_rate(model_, *target))
        entity_.say("targets", fmt::format("\"{}\" has no rate that is measured: {} steers by accelerations",
                                           target_name(model_, *target), name(spec_.kind)));
    }
  }

  void check_path() const {
    const ControlPath& path = steer_.path;
    const bool table = spec_.kind == ControllerKind::table;
    const std::size_t width = table ? steer_.inputs.size() : steer_.targets.size();
    if (table && path.times.empty()) return entity_.say("path", "is missing: a table needs the inputs over time");
    if (spec_.kind == ControllerKind::process && !path.times.empty())
      return entity_.say("path", "belongs to controllers with targets: a process has none");
    if (path.values.size() != width * path.times.size() || path.slopes.size() != path.values.size())
      return entity_.say("path", fmt::format("has {} values and {} slopes for {} times of {}", path.values.size(),
                                             path.slopes.size(), path.times.size(), width));
    for (std::size_t i = 0; i < path.times.size(); ++i) {
      if (!entity_.finite("path.t", path.times[i])) return;
      if (i > 0 && !(path.times[i] > path.times[i - 1]))
        return entity_.say("path.t", fmt::format("{} does not come after {}", path.times[i], path.times[i - 1]));
    }
    for (const auto& [key, list] : {std::pair("path.values", &path.values), std::pair("path.slopes", &path.slopes)})
      for (const double x : *list)
        if (!entity_.finite(key, x)) return;
  }

  // Empty or one for each; finite. False if it is not.
  bool list(const char* key, const std::vector<double>& values, std::size_t count) const {
    if (!values.empty() && values.size() != count) {
      entity_.say(key, fmt::format("has {} numbers, expected {}", values.size(), count));
      return false;
    }
    return std::all_of(values.begin(), values.end(), [&](double x) { return entity_.finite(key, x); });
  }

  void not_negative(const char* key, const std::vector<double>& values) const {
    for (const double x : values) entity_.not_negative(key, x);
  }

  void check_gains() const {
    const std::size_t targets = steer_.targets.size(), inputs = steer_.inputs.size();
    const std::pair<const char*, const std::vector<double>*> by_target[] = {
        {"position_gain", &steer_.position_gain},
        {"velocity_gain", &steer_.velocity_gain},
        {"integral_gain", &steer_.integral_gain},
        {"position_weight", &steer_.position_weight},
        {"velocity_weight", &steer_.velocity_weight}};
    bool good = true;
    for (const auto& [key, values] : by_target) good &= list(key, *values, targets);
    good &= list("input_weight", steer_.input_weight, inputs);
    good &= list("bias", steer_.bias, inputs);
    if (!good) return;
    // Rates that are not measured cannot be fed back.
    for (const auto& [key, values] : {by_target[1], by_target[4]})
      for (std::size_t k = 0; k < values->size(); ++k)
        if ((*values)[k] != 0.0 && !has_rate(model_, steer_.targets[k]))
          entity_.say(key, fmt::format("is {} for \"{}\", whose rate is not measured: expected 0", (*values)[k],
                                       target_name(model_, steer_.targets[k])));
    if (spec_.kind == ControllerKind::pid)
      check_signs();
    else
      for (const auto& [key, values] : by_target) not_negative(key, *values);
    for (const double weight : steer_.input_weight) entity_.positive("input_weight", weight);
    entity_.not_negative("strain_gain", steer_.strain_gain);
    entity_.not_negative("free_position_gain", steer_.free_position_gain);
    entity_.not_negative("free_velocity_gain", steer_.free_velocity_gain);
  }

  // Winding a cable in may raise a target: gains of either sign, but of one sign for each target.
  void check_signs() const {
    for (std::size_t k = 0; k < steer_.targets.size(); ++k) {
      double least = 0.0, most = 0.0;
      for (const std::vector<double>* gains : {&steer_.position_gain, &steer_.velocity_gain, &steer_.integral_gain})
        if (!gains->empty()) least = std::min(least, (*gains)[k]), most = std::max(most, (*gains)[k]);
      if (least < 0.0 && most > 0.0)
        entity_.say("position_gain",
                    fmt::format("the gains of \"{}\" have different signs: one of them drives the error up",
                                target_name(model_, steer_.targets[k])));
    }
  }

  void check_pulleys() const {
    if (model_.pulleys.empty()) entity_.say("kind", "\"near_rigid\" needs pulleys, whose cables stretch");
    for (const PulleySpec& pulley : model_.pulleys)
      if (pulley.variant != PulleyVariant::epsilon)
        return entity_.say("kind",
                           fmt::format("\"near_rigid\" needs pulleys of the variant \"epsilon\": \"{}\" is of \"{}\"",
                                       pulley.name, name(pulley.variant)));
    if (!steer_.strain.empty() && steer_.strain.size() != model_.pulleys.size())
      return entity_.say("strain",
                         fmt::format("has {} pairs, expected {}", steer_.strain.size(), model_.pulleys.size()));
    for (std::size_t i = 0; i < steer_.strain.size(); ++i)
      bounds("strain", steer_.strain[i], "\"" + model_.pulleys[i].name + "\"");
  }

  void check_process() const {
    const auto has_end = [](const std::string& word) { return word.find('\0') != std::string::npos; };
    if (steer_.command.empty() || steer_.command.front().empty())
      entity_.say("command", "is empty: expected a program and its arguments, as in [\"python3\", \"policy.py\"]");
    if (std::any_of(steer_.command.begin(), steer_.command.end(), has_end))
      entity_.say("command", "has a character of code 0, which ends a text in other programs");
    if (has_end(steer_.folder)) entity_.say("folder", "has a character of code 0, which no path has");
    entity_.positive("time_limit", steer_.time_limit);
    if (steer_.memory < 0 || steer_.memory > most_memory)
      entity_.say("memory", fmt::format("is {}: expected a whole number from 0 to {}", steer_.memory, most_memory));
  }

  const Entity& entity_;
  const Model& model_;
  const ControllerSpec& spec_;
  const SteerSettings& steer_;
};

}  // namespace

void check_steer(const Entity& entity, const Model& model, const ControllerSpec& spec) {
  SteerRules(entity, model, spec).check();
}

}  // namespace taut
