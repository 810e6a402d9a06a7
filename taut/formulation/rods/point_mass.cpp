#include "taut/formulation/rods/point_mass.h"

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
  const auto refuse = [](const auto& entity, const char* kind, const char* why) {
    throw InputError(
        entity.place, entity.name,
        fmt::format("formulation point_mass: {} \"{}\" {}; nodal can represent it", kind, entity.name, why));
  };
  if (!model.bodies.empty()) refuse(model.bodies.front(), "body", "is not a set of point masses");
  for (const Bar& bar : model.bars)
    if (!bar.attached.empty()) refuse(bar, "bar", "has nodes beside its axis");
  Model changed = model;
  for (Bar& bar : changed.bars) {
    if (!bar.elastic) bar.inertia = dumbbell_inertia(model, bar);
    bar.mass_model = MassModel::lumped;
  }
  for (Cable& cable : changed.cables) cable.mass_model = MassModel::lumped;
  return changed;
}

PointMass::PointMass(const Model& model) : LumpedModel{lumped(model)}, Nodal(lumped_model) {
  facts_.name = "point_mass";
  if (!is_lumped(model))
    facts_.remark =
        "point_mass lumps the mass of bars and cables at their nodes: a bar turns with the inertia of a dumbbell, m "
        "L²/4, which "
        "is not the one of this model";
}

}  // namespace taut
