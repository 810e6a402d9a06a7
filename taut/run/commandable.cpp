#include "taut/run/commandable.h"

#include <algorithm>

#include "taut/model/control_names.h"

namespace taut {

namespace {

// What the model drives by signals, or else whatever could be driven; but for what controllers have.
std::vector<ControlInput> inputs_of(const Model& model) {
  std::vector<ControlInput> inputs;
  for (const Actuator& actuator : model.actuators) inputs.push_back({actuator.cable, -1, 0, {}});
  for (const JointDrive& drive : model.drives)
    if (!drive.imposed) inputs.push_back({-1, drive.joint, drive.coordinate, {}});
  if (inputs.empty()) {
    for (int i = 0; i < std::ssize(model.cables); ++i) inputs.push_back({i, -1, 0, {}});
    for (int i = 0; i < std::ssize(model.joints); ++i)
      for (int k = 0; k < joint_velocities(model.joints[static_cast<std::size_t>(i)].type); ++k)
        inputs.push_back({-1, i, k, {}});
  }
  std::erase_if(inputs, [&](const ControlInput& input) {
    return std::any_of(model.controllers.begin(), model.controllers.end(), [&](const ControllerSpec& spec) {
      const auto same = [&](const ControlInput& driven) {
        return driven.cable == input.cable && driven.joint == input.joint && driven.coordinate == input.coordinate;
      };
      return spec.kind == ControllerKind::roll && spec.steer.inputs.empty()
                 ? input.cable >= 0
                 : std::any_of(spec.steer.inputs.begin(), spec.steer.inputs.end(), same);
    });
  });
  return inputs;
}

}  // namespace

std::vector<EngineInput> commandable_inputs(const Dynamics& dynamics) {
  std::vector<EngineInput> found;
  for (const ControlInput& input : inputs_of(dynamics.model())) {
    const int velocity = input.cable < 0 ? driven_velocity(dynamics, input) : -1;
    if (input.cable >= 0 || velocity >= 0)
      found.push_back({input_name(dynamics.model(), input), input.cable, velocity});
  }
  return found;
}

std::vector<std::string> commandable_names(const Scenario& scenario) {
  const std::string& wish = scenario.simulation.formulation;
  const Dynamics dynamics(scenario.model, natural_formulation(scenario.model, wish == "all" ? "nodal" : wish),
                          scenario.simulation.constraints);
  std::vector<std::string> names;
  for (EngineInput& input : commandable_inputs(dynamics)) names.push_back(std::move(input.name));
  return names;
}

}  // namespace taut
