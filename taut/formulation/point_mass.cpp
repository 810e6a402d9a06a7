#include "taut/formulation/point_mass.h"

#include <fmt/format.h>

#include <cmath>

#include "taut/base/error.h"

namespace taut {

namespace {

double dumbbell_inertia(const Model& model, const Bar& bar) {
  const double length = start_length(model, bar);
  return bar.mass * bar.com * (1.0 - bar.com) * length * length;
}

}  // namespace

bool is_lumped(const Model& model) {
  if (!model.bodies.empty()) return false;
  for (const Bar& bar : model.bars) {
    if (!bar.attached.empty()) return false;
    if (bar.elastic && bar.mass > 0.0 && bar.mass_model != MassModel::lumped) return false;
    const double inertia = dumbbell_inertia(model, bar);
    if (!bar.elastic && std::abs(bar.inertia - inertia) > 1e-12 * inertia) return false;
  }
  for (const Cable& cable : model.cables)
    if (cable.mass > 0.0 && cable.mass_model != MassModel::lumped) return false;
  return true;
}

Model lumped(const Model& model) {
  const auto refuse = [](const std::string& why) {
    throw InputError(fmt::format("formulation point_mass: {}; nodal can represent it", why));
  };
  if (!model.bodies.empty()) refuse(fmt::format("body \"{}\" is no set of point masses", model.bodies.front().name));
  for (const Bar& bar : model.bars)
    if (!bar.attached.empty()) refuse(fmt::format("bar \"{}\" has nodes beside its axis", bar.name));
  Model changed = model;
  for (Bar& bar : changed.bars) {
    if (!bar.elastic) bar.inertia = dumbbell_inertia(model, bar);
    bar.mass_model = MassModel::lumped;
  }
  for (Cable& cable : changed.cables) cable.mass_model = MassModel::lumped;
  return changed;
}

PointMass::PointMass(const Model& model) : LumpedModel{lumped(model)}, Nodal(lumped_model) {
  if (!is_lumped(model))
    remark_ =
        "point_mass lumps the mass of bars and cables at their nodes: a bar turns with the inertia of a dumbbell, m "
        "L²/4, which "
        "is not the one of this model";
}

}  // namespace taut
