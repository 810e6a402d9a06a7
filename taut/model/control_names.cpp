#include "taut/model/control_names.h"

#include <fmt/format.h>

#include <array>
#include <unordered_set>

#include "taut/model/joint_columns.h"
#include "taut/model/shape/frame_pose.h"

namespace taut {

namespace {

using NameList = std::vector<std::string>;

constexpr std::array<const char*, 3> node_columns = {"x", "y", "z"};
constexpr std::array<const char*, 2> cable_columns = {"tension", "length"};

// Velocities of a joint as an input names them.
NameList input_coordinates(JointType type) {
  NameList names = velocity_names(type);
  for (std::string& name : names) name = name.substr(0, name.find("_rate"));
  return names;
}

NameList target_columns(const PulleySpec& pulley) {
  NameList names = coordinate_names(pulley);
  names.insert(names.end(), {"length", "tension"});
  return names;
}

// Every list of things that targets belong to: f(kind, index, name, columns), columns made only where asked for.
template <class F>
void each_owner(const Model& model, const F& f) {
  using Kind = ControlTarget::Kind;
  const auto each = [&](Kind kind, const auto& list, const auto& columns) {
    for (std::size_t i = 0; i < list.size(); ++i)
      f(kind, static_cast<int>(i), list[i].name, [&] { return columns(list[i]); });
  };
  each(Kind::node, model.nodes, [](const Node&) { return NameList(node_columns.begin(), node_columns.end()); });
  each(Kind::frame, model.frames, [](const Frame&) { return NameList(frame_names.begin(), frame_names.end()); });
  each(Kind::joint, model.joints, [](const JointSpec& joint) {
    return plain_coordinates(joint.type) ? coordinate_names(joint.type) : NameList{};
  });
  each(Kind::pulley, model.pulleys, [](const PulleySpec& pulley) { return target_columns(pulley); });
  each(Kind::cable, model.cables, [](const Cable&) { return NameList(cable_columns.begin(), cable_columns.end()); });
}

}  // namespace

double standard_rate(ControllerKind kind) {
  if (kind == ControllerKind::roll) return ControllerSpec{}.rate;
  return kind == ControllerKind::near_rigid || kind == ControllerKind::computed_torque ? 1000.0 : 100.0;
}

std::string input_name(const Model& model, const ControlInput& input) {
  if (input.cable >= 0) return model.cables[input.cable].name;
  const JointSpec& joint = model.joints[input.joint];
  if (joint_velocities(joint.type) == 1) return joint.name;
  return joint.name + "." + input_coordinates(joint.type)[input.coordinate];
}

std::string target_name(const Model& model, const ControlTarget& target) {
  const auto column = [&](const std::string& owner, const auto& columns) {
    return owner + "." + std::string(columns[target.column]);
  };
  switch (target.kind) {
    case ControlTarget::Kind::node:
      return column(model.nodes[target.index].name, node_columns);
    case ControlTarget::Kind::frame:
      return column(model.frames[target.index].name, frame_names);
    case ControlTarget::Kind::joint:
      return column(model.joints[target.index].name, coordinate_names(model.joints[target.index].type));
    case ControlTarget::Kind::pulley:
      return column(model.pulleys[target.index].name, target_columns(model.pulleys[target.index]));
    case ControlTarget::Kind::cable:
      return column(model.cables[target.index].name, cable_columns);
  }
  return "";
}

std::vector<ControlInput> inputs_called(const Model& model, std::string_view name) {
  std::vector<ControlInput> found;
  for (std::size_t i = 0; i < model.cables.size(); ++i)
    if (model.cables[i].name == name) found.push_back({static_cast<int>(i), -1, 0, {}});
  const std::size_t dot = name.rfind('.');
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointSpec& joint = model.joints[i];
    const int count = joint_velocities(joint.type);
    if (count == 1 && joint.name == name) found.push_back({-1, static_cast<int>(i), 0, {}});
    if (count < 2 || dot == std::string_view::npos || joint.name != name.substr(0, dot)) continue;
    const NameList names = input_coordinates(joint.type);
    for (int c = 0; c < count; ++c)
      if (names[c] == name.substr(dot + 1)) found.push_back({-1, static_cast<int>(i), c, {}});
  }
  return found;
}

std::vector<ControlTarget> targets_called(const Model& model, std::string_view name) {
  std::vector<ControlTarget> found;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return found;
  const std::string_view of = name.substr(0, dot), which = name.substr(dot + 1);
  each_owner(model, [&](ControlTarget::Kind kind, int index, const std::string& owner, const auto& columns) {
    if (owner != of) return;
    const NameList names = columns();
    for (std::size_t c = 0; c < names.size(); ++c)
      if (names[c] == which) found.push_back({kind, index, static_cast<int>(c)});
  });
  return found;
}

std::string columns_of_owner(const Model& model, std::string_view of) {
  NameList all;
  each_owner(model, [&](ControlTarget::Kind, int, const std::string& owner, const auto& columns) {
    if (owner != of) return;
    const NameList names = columns();
    all.insert(all.end(), names.begin(), names.end());
  });
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<std::string> all_input_names(const Model& model) {
  NameList names;
  for (const JointSpec& joint : model.joints)
    for (int c = 0; c < joint_velocities(joint.type); ++c)
      names.push_back(joint_velocities(joint.type) == 1 ? joint.name
                                                        : joint.name + "." + input_coordinates(joint.type)[c]);
  for (const Cable& cable : model.cables) names.push_back(cable.name);
  return names;
}

std::vector<std::string_view> all_target_owners(const Model& model) {
  std::vector<std::string_view> names;
  each_owner(model, [&](ControlTarget::Kind, int, const std::string& owner, const auto&) { names.push_back(owner); });
  return names;
}

bool has_rate(const Model& model, const ControlTarget& target) {
  if (target.kind == ControlTarget::Kind::cable) return target.column == 1;
  if (target.kind != ControlTarget::Kind::pulley) return true;
  return target.column < static_cast<int>(coordinate_names(model.pulleys[target.index]).size());
}

const char* unit(const Model& model, const ControlTarget& target) {
  switch (target.kind) {
    case ControlTarget::Kind::node:
      return "m";
    case ControlTarget::Kind::frame:
      return target.column < 3 ? "m" : "rad";
    case ControlTarget::Kind::cable:
      return target.column == 0 ? "N" : "m";
    case ControlTarget::Kind::joint: {
      const JointType type = model.joints[target.index].type;
      return type == JointType::prismatic || (type == JointType::planar && target.column < 2) ? "m" : "rad";
    }
    case ControlTarget::Kind::pulley: {
      const std::string name = target_columns(model.pulleys[target.index])[target.column];
      return name == "tension" ? "N" : name == "eps" ? "" : name.starts_with("phi") ? "rad" : "m";
    }
  }
  return "";
}

const char* unit(const Model& model, const ControlInput& input) {
  if (input.cable >= 0) return "m";
  const JointType type = model.joints[input.joint].type;
  const bool force = type == JointType::prismatic || (type == JointType::planar && input.coordinate < 2) ||
                     (type == JointType::floating && input.coordinate > 2);
  return force ? "N" : "N m";
}

std::vector<std::string> controller_names(const Model& model) {
  NameList names;
  std::unordered_set<std::string> taken;
  for (const ControllerSpec& spec : model.controllers) taken.insert(spec.name);
  for (const ControllerSpec& spec : model.controllers) {
    std::string name = spec.name.empty() ? taut::name(spec.kind) : spec.name;
    for (int number = 2; spec.name.empty() && !taken.insert(name).second; ++number)
      name = fmt::format("{}-{}", taut::name(spec.kind), number);
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> control_columns(const Model& model) {
  NameList columns;
  const NameList names = controller_names(model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ControllerSpec& spec = model.controllers[i];
    if (spec.kind == ControllerKind::roll) continue;  // its cables have their rest lengths among the results
    for (const ControlInput& input : spec.steer.inputs) columns.push_back(names[i] + "." + input_name(model, input));
    for (const ControlTarget& target : spec.steer.targets)
      for (const char* what : {".wanted", ".error"})
        columns.push_back(names[i] + "." + target_name(model, target) + what);
    if (spec.kind != ControllerKind::near_rigid) continue;
    for (const PulleySpec& pulley : model.pulleys) columns.push_back(names[i] + "." + pulley.name + ".eps_commanded");
  }
  return columns;
}

}  // namespace taut
