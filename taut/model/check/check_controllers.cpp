// Rules for controllers: their settings, and that no cable is driven twice.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "taut/model/check/check_values.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

// Instants must be told apart in the digits that a time has.
constexpr double most_instants = 1e6;

constexpr size_t most_nodes = 200;  // a dense matrix of three rows each is solved at every instant

void check_roll(const Entity& entity, const Model& model, const ControllerSpec& spec) {
  const RollSettings& roll = spec.roll;
  const std::vector<ControlInput>& inputs = spec.steer.inputs;
  for (const double part : roll.direction)
    if (!entity.finite("direction", part)) return;
  if (roll.direction[0] == 0.0 && roll.direction[1] == 0.0)
    entity.say("direction", "is [0, 0]: expected a direction, such as [1, 0]");
  entity.positive("speed", roll.speed);
  if (entity.finite("shortest", roll.shortest) && !(roll.shortest > 0.0 && roll.shortest < 1.0))
    entity.say("shortest",
               fmt::format("is {}: expected a fraction of the rest length above 0 and below 1", roll.shortest));
  if (entity.finite("longest", roll.longest) && roll.longest < 1.0)
    entity.say("longest", fmt::format("is {}: expected 1 or more, as a multiple of the rest length", roll.longest));
  for (const ControlInput& input : inputs)
    if (input.cable < 0 || static_cast<std::size_t>(input.cable) >= model.cables.size())
      entity.say("inputs", "\"roll\" drives cables only, and one of its inputs is not a cable of the model");
  if (roll.policy == RollPolicy::two_cable && inputs.size() == 1)
    entity.say("inputs", "\"two_cable\" winds two cables at a time: name two or more");
  // What rolls is free, has a ground, and stands on it by its weight.
  if (!model.ground) entity.say("kind", "\"roll\" needs a ground: give environment.ground");
  if (!(model.gravity.z() < 0.0)) entity.say("kind", "\"roll\" needs a gravity that points down");
  if (model.nodes.size() > most_nodes)
    entity.say("kind",
               fmt::format("\"roll\" is for robots of up to {} nodes; there are {}", most_nodes, model.nodes.size()));
  const std::size_t fewest = roll.policy == RollPolicy::two_cable ? 2 : 1;
  if (model.cables.size() < fewest || model.nodes.size() < 4)
    entity.say("kind", "\"roll\" needs cables to drive (\"two_cable\": two), and four nodes or more");
  for (const Node& node : model.nodes)
    if (node.fixed != Axes{})
      return entity.say("kind", fmt::format("\"roll\" needs a robot that is free: node \"{}\" is fixed", node.name));
  for (const Bar& bar : model.bars)
    if (!bar.attached.empty())
      return entity.say("kind",
                        fmt::format("\"roll\" is for bars without attached nodes: bar \"{}\" has some", bar.name));
  if (!model.bodies.empty()) entity.say("kind", "\"roll\" is for robots of bars and cables: remove the bodies");
  if (!model.constraints.empty()) entity.say("kind", "\"roll\" needs a robot that is free: remove the constraints");
}

// Whoever drives cables and joints, once each.
class Drivers {
 public:
  explicit Drivers(const Model& model) : model_(model) {}

  void note(const Entity& entity, std::size_t index) {
    const ControllerSpec& spec = model_.controllers[index];
    if (spec.kind == ControllerKind::roll && spec.steer.inputs.empty()) return note_roll(entity, index);
    for (const ControlInput& input : spec.steer.inputs) {
      const bool cable = input.cable >= 0;
      const std::size_t count = cable ? model_.cables.size() : model_.joints.size();
      const int member = cable ? input.cable : input.joint;
      if (member < 0 || static_cast<std::size_t>(member) >= count) continue;
      if (!cable && (input.coordinate < 0 || input.coordinate >= joint_velocities(model_.joints[member].type)))
        continue;
      const std::string name = input_name(model_, input);
      const auto [place, first] = by_.emplace(std::tuple(cable, member, cable ? 0 : input.coordinate), index);
      if (!first)
        entity.say("inputs", place->second == index
                                 ? fmt::format("names \"{}\" twice", name)
                                 : fmt::format("\"{}\" is driven by controller {} already", name, place->second));
      if (cable && rolls_)
        entity.say("inputs", fmt::format("\"{}\" is driven by controller {}, which rolls, already", name, *rolls_));
      if (has_actuator(input)) entity.say("inputs", fmt::format("\"{}\" has an actuator already", name));
    }
  }

 private:
  bool has_actuator(const ControlInput& input) const {
    if (input.cable >= 0)
      return std::any_of(model_.actuators.begin(), model_.actuators.end(),
                         [&](const Actuator& a) { return a.cable == input.cable; });
    return std::any_of(model_.drives.begin(), model_.drives.end(), [&](const JointDrive& d) {
      return d.joint == input.joint && (d.imposed || d.coordinate == input.coordinate);
    });
  }

  void note_roll(const Entity& entity, std::size_t index) {
    if (rolls_) entity.say("kind", "\"roll\" drives every cable, and so does the controller before it: expected one");
    rolls_ = index;
    for (const auto& [driven, by] : by_)
      if (std::get<0>(driven))
        return entity.say("kind", fmt::format("\"roll\" drives every cable, but controller {} drives \"{}\"", by,
                                              model_.cables[std::get<1>(driven)].name));
    if (!model_.actuators.empty() && model_.actuators.front().cable >= 0 &&
        static_cast<size_t>(model_.actuators.front().cable) < model_.cables.size())
      entity.say("kind", fmt::format("\"roll\" drives every cable, but \"{}\" has an actuator",
                                     model_.cables[model_.actuators.front().cable].name));
  }

  const Model& model_;
  std::map<std::tuple<bool, int, int>, std::size_t> by_;  // cable or joint, which, coordinate: controller
  std::optional<std::size_t> rolls_;
};

}  // namespace

void check_controllers(const Model& model, std::vector<Finding>& findings) {
  Drivers drivers(model);
  for (size_t i = 0; i < model.controllers.size(); ++i) {
    const Entity entity(findings, EntityKind::controller, static_cast<int>(i));
    const ControllerSpec& spec = model.controllers[i];
    // A torque may follow the motion at every evaluation.
    if (spec.kind == ControllerKind::near_rigid)
      entity.not_negative("rate", spec.rate);
    else
      entity.positive("rate", spec.rate);
    if (spec.rate > most_instants)
      entity.say("rate", fmt::format("is {}: expected at most {:g} instants per second", spec.rate, most_instants));
    entity.not_negative("start", spec.start);
    const auto same = [&](const ControllerSpec& other) { return other.name == spec.name; };
    const auto end = model.controllers.begin() + static_cast<std::ptrdiff_t>(i);
    if (!spec.name.empty() && std::any_of(model.controllers.begin(), end, same))
      entity.say("name", fmt::format("a second controller is called \"{}\"", spec.name));
    if (spec.kind == ControllerKind::roll)
      check_roll(entity, model, spec);
    else
      check_steer(entity, model, spec);
    drivers.note(entity, i);
  }
}

}  // namespace taut
