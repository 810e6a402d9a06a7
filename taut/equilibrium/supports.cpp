#include "taut/equilibrium/supports.h"

#include <cmath>

#include "taut/equilibrium/tolerances.h"

namespace taut {

std::vector<Axes> held_axes(const Model& model, const Parts& parts) {
  std::vector<Axes> held(parts.count, Axes{});
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) held[parts.of_node[i]][axis] |= model.nodes[i].fixed[axis];
  for (const Constraint& constraint : model.constraints) {
    double sum = 0.0, size = 0.0;
    for (const auto& [node, coefficient] : constraint.terms) sum += coefficient, size += std::abs(coefficient);
    if (!(std::abs(sum) > cancelled_terms * size)) continue;
    for (int axis = 0; axis < 3; ++axis)
      held[parts.of_node[constraint.terms.front().first]][axis] |= constraint.axes[axis];
  }
  return held;
}

Unsupported find_unsupported(const Model& model, const Parts& parts, const std::vector<Vec3>& external) {
  Unsupported result;
  if (model.ground) return result;
  const std::vector<Axes> held = held_axes(model, parts);
  std::vector<Vec3> sum(parts.count, Vec3::Zero()), size = sum;
  std::vector<int> first(parts.count, -1);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const int part = parts.of_node[i];
    if (first[part] < 0) first[part] = static_cast<int>(i);
    sum[part] += external[i];
    size[part] += external[i].cwiseAbs();
  }
  for (int part = 0; part < parts.count && result.part < 0; ++part)
    for (int axis = 0; axis < 3; ++axis) {
      if (held[part][axis] || !(std::abs(sum[part][axis]) > no_push * size[part].sum())) continue;
      result.part = part;
      result.force[axis] = sum[part][axis];
      result.node = first[part];
    }
  return result;
}

}  // namespace taut
