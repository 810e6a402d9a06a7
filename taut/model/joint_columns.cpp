#include "taut/model/joint_columns.h"

#include <algorithm>

namespace taut {

using Names = std::vector<std::string>;

Names coordinate_names(JointType type) {
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

Names velocity_names(JointType type) {
  if (type == JointType::spherical) return {"wx", "wy", "wz"};
  if (type == JointType::floating) return {"wx", "wy", "wz", "vx", "vy", "vz"};
  Names names = coordinate_names(type);
  for (std::string& name : names) name += "_rate";
  return names;
}

Names coordinate_names(const PulleySpec& pulley) {
  Names names = pulley.node < 0 ? Names{"phi1", "phi2"} : Names{"phi"};
  if (pulley.variant == PulleyVariant::u) names.emplace_back("u");
  if (pulley.variant == PulleyVariant::epsilon) names.emplace_back("eps");
  if (pulley.variant == PulleyVariant::l) names.emplace_back("l");
  return names;
}

namespace {

// By an actuator or a controller.
bool driven(const Model& model, int joint) {
  const auto drives = [&](const auto& drive) { return drive.joint == joint; };
  return std::any_of(model.drives.begin(), model.drives.end(), drives) ||
         std::any_of(model.controllers.begin(), model.controllers.end(), [&](const ControllerSpec& spec) {
           return std::any_of(spec.steer.inputs.begin(), spec.steer.inputs.end(), drives);
         });
}

void add(Names& columns, const std::string& owner, const Names& names, const char* after = "") {
  for (const std::string& name : names) columns.push_back(owner + "." + name + after);
}

void add_joint(const Model& model, int index, Names& columns) {
  const JointSpec& joint = model.joints[index];
  add(columns, joint.name, coordinate_names(joint.type));
  add(columns, joint.name, velocity_names(joint.type));
  if (!driven(model, index)) return;
  // With one velocity there is one torque.
  Names torques = {"torque"};
  if (joint_velocities(joint.type) > 1) {
    torques = velocity_names(joint.type);
    for (std::string& name : torques) name = "torque_" + name.substr(0, name.find("_rate"));
  }
  add(columns, joint.name, torques);
}

void add_pulley(const PulleySpec& pulley, Names& columns) {
  const Names names = coordinate_names(pulley);
  add(columns, pulley.name, names);
  add(columns, pulley.name, names, "_rate");
  // Where the cable leaves the pulley, and where it meets a second one.
  add(columns, pulley.name, {"length", "tension", "x", "y", "z"});
  if (pulley.node < 0) add(columns, pulley.name, {"x2", "y2", "z2"});
}

// All columns; `first`, where wanted, gets the number of the first one of each joint and pulley.
Names all_columns(const Model& model, JointColumns* first) {
  Names columns;
  const auto note = [&](std::vector<int> JointColumns::*list) {
    if (first) (first->*list).push_back(static_cast<int>(columns.size()));
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    note(&JointColumns::joints);
    add_joint(model, static_cast<int>(i), columns);
  }
  for (const PulleySpec& pulley : model.pulleys) {
    note(&JointColumns::pulleys);
    add_pulley(pulley, columns);
  }
  return columns;
}

}  // namespace

Names joint_columns(const Model& model) { return all_columns(model, nullptr); }

JointColumns first_joint_columns(const Model& model) {
  JointColumns first;
  all_columns(model, &first);
  return first;
}

}  // namespace taut
