#include <algorithm>
#include <array>

#include "taut/model/model.h"

namespace taut {

namespace {

using Names = std::vector<std::string>;

Names coordinates_of(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {};
    case JointType::revolute:
      return {"angle"};
    case JointType::prismatic:
      return {"position"};
    case JointType::universal:
      return {"phi", "psi"};
    case JointType::spherical:
      return {"qw", "qx", "qy", "qz"};
    case JointType::planar:
      return {"x", "y", "theta"};
    case JointType::floating:
      return {"qw", "qx", "qy", "qz", "x", "y", "z"};
  }
  return {};
}

Names velocities_of(JointType type) {
  if (type == JointType::spherical) return {"wx", "wy", "wz"};
  if (type == JointType::floating) return {"wx", "wy", "wz", "vx", "vy", "vz"};
  Names names = coordinates_of(type);
  for (std::string& name : names) name += "_rate";
  return names;
}

Names coordinates_of(const PulleySpec& pulley) {
  Names names = pulley.node < 0 ? Names{"phi1", "phi2"} : Names{"phi"};
  if (pulley.variant == PulleyVariant::u) names.emplace_back("u");
  if (pulley.variant == PulleyVariant::epsilon) names.emplace_back("eps");
  if (pulley.variant == PulleyVariant::l) names.emplace_back("l");
  return names;
}

// By an actuator or a controller.
bool driven(const Model& model, int joint) {
  const auto drives = [&](const auto& drive) { return drive.joint == joint; };
  return std::any_of(model.drives.begin(), model.drives.end(), drives) ||
         std::any_of(model.controllers.begin(), model.controllers.end(), [&](const ControllerSpec& spec) {
           return std::any_of(spec.steer.inputs.begin(), spec.steer.inputs.end(), drives);
         });
}

}  // namespace

Names joint_columns(const Model& model) {
  Names columns;
  const auto add = [&](const std::string& owner, const Names& names, const char* after = "") {
    for (const std::string& name : names) columns.push_back(owner + "." + name + after);
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointSpec& joint = model.joints[i];
    add(joint.name, coordinates_of(joint.type));
    add(joint.name, velocities_of(joint.type));
    if (!driven(model, static_cast<int>(i))) continue;
    // With one velocity there is one torque.
    Names torques = {"torque"};
    if (joint_velocities(joint.type) > 1) {
      torques = velocities_of(joint.type);
      for (std::string& name : torques) name = "torque_" + name.substr(0, name.find("_rate"));
    }
    add(joint.name, torques);
  }
  for (const PulleySpec& pulley : model.pulleys) {
    const Names names = coordinates_of(pulley);
    add(pulley.name, names);
    add(pulley.name, names, "_rate");
    // Where the cable leaves the pulley, and where it meets a second one.
    add(pulley.name, {"length", "tension", "x", "y", "z"});
    if (pulley.node < 0) add(pulley.name, {"x2", "y2", "z2"});
  }
  return columns;
}

}  // namespace taut
