#include "taut/file/numbers.h"

#include <fmt/format.h>

#include <charconv>

#include "taut/file/override.h"

namespace taut {

std::vector<NumberAt> numbers_of(Scenario& scenario) {
  std::vector<NumberAt> numbers;
  Model& model = scenario.model;
  const auto add = [&](std::string_view section, std::string_view member, std::string_view key, double& value) {
    numbers.push_back({section, member, key, &value, 1});
  };
  const auto add_vector = [&](std::string_view section, std::string_view member, std::string_view key, Vec3& value) {
    numbers.push_back({section, member, key, value.data(), 3});
    for (int axis = 0; axis < 3; ++axis) numbers.push_back({section, member, key, &value[axis], 1, "xyz"[axis]});
  };
  for (Node& node : model.nodes) {
    add_vector("nodes", node.name, "at", node.position);
    add_vector("nodes", node.name, "velocity", node.velocity);
    add("nodes", node.name, "mass", node.mass);
  }
  for (Bar& bar : model.bars) {
    add("bars", bar.name, "mass", bar.mass);
    add("bars", bar.name, "com", bar.com);
    add("bars", bar.name, "inertia", bar.inertia);
    add("bars", bar.name, "axial_inertia", bar.axial_inertia);
    add("bars", bar.name, "spin", bar.spin);
    add("bars", bar.name, "radius", bar.radius);
    add("bars", bar.name, "drag", bar.drag);
    add("bars", bar.name, "turning_drag", bar.turning_drag);
    add("bars", bar.name, "rest_length", bar.rest_length);
    if (!bar.elastic) continue;
    add("bars", bar.name, "EA", bar.EA);
    if (!(bar.yield > 0.0)) continue;
    add("bars", bar.name, "yield", bar.yield);
    add("bars", bar.name, "hardening", bar.hardening);
  }
  for (Cable& cable : model.cables) {
    add("cables", cable.name, cable.law.by_EA ? "EA" : "stiffness", cable.law.stiffness);
    add("cables", cable.name, "damping", cable.law.damping);
    if (cable.law.kind == LawKind::softplus) add("cables", cable.name, "beta", cable.law.beta);
    if (cable.law.yield > 0.0) {
      add("cables", cable.name, "yield", cable.law.yield);
      add("cables", cable.name, "hardening", cable.law.hardening);
    }
    add("cables", cable.name, "rest_length", cable.rest_length);
    add("cables", cable.name, "mass", cable.mass);
  }
  add_vector("environment", "", "gravity", model.gravity);
  if (model.ground) {
    add("environment", "", "ground.height", model.ground->height);
    const bool rigid = model.ground->law == PressKind::rigid;
    if (!rigid) add("environment", "", "ground.stiffness", model.ground->stiffness);
    if (!rigid) add("environment", "", "ground.damping", model.ground->damping);
    add("environment", "", "ground.friction", model.ground->friction);
    if (rigid) add("environment", "", "ground.restitution", model.ground->restitution);
  }
  RunSettings& simulation = scenario.simulation;
  add("simulation", "", "step", simulation.step);
  add("simulation", "", "tolerance", simulation.tolerance);
  add("simulation", "", "duration", simulation.duration);
  add("simulation", "", "output_step", simulation.output_step);
  return numbers;
}

std::string own_key(const NumberAt& number) {
  std::string key(number.key);
  if (number.component != 0) key += fmt::format(".{}", number.component);
  return key;
}

namespace {

// The member that a path means: its second part, or the member of that number.
std::string named(const std::vector<std::string>& path, const std::vector<NumberAt>& numbers) {
  std::vector<std::string_view> members;
  for (const NumberAt& number : numbers) {
    if (number.section != path.front()) continue;
    if (number.member == path[1]) return path[1];
    if (members.empty() || members.back() != number.member) members.push_back(number.member);
  }
  std::size_t index = 0;
  const char* end = path[1].data() + path[1].size();
  const bool counts = std::from_chars(path[1].data(), end, index).ptr == end && index < members.size();
  return counts ? std::string(members[index]) : path[1];
}

}  // namespace

std::vector<int> numbers_at(const std::string& key, const std::vector<NumberAt>& numbers) {
  std::vector<int> slots;
  const std::vector<std::string> path = parse_key_path(key);
  if (path.empty()) return slots;
  const bool plain = path.front() == "environment" || path.front() == "simulation";
  const std::size_t first = plain ? 1 : 2;
  if (path.size() <= first) return slots;
  std::string rest = path[first];
  for (std::size_t i = first + 1; i < path.size(); ++i) rest += "." + path[i];
  // A member by its number, unless one is called so.
  const std::string member = plain ? "" : named(path, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i].section == path.front() && own_key(numbers[i]) == rest &&
        (plain || path[1] == "*" || numbers[i].member == member))
      slots.push_back(static_cast<int>(i));
  return slots;
}

}  // namespace taut
