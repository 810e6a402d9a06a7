#include "taut/formulation/rods/rods.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/formulation/driven_length.h"

namespace taut {

namespace {

template <class Entity>
[[noreturn]] void refuse(std::string_view name, const Entity& entity, const std::string& why) {
  throw InputError(entity.place, entity.name, fmt::format("formulation {}: {}; nodal can represent it", name, why));
}

// The bar with the masses of its nodes: point masses on the axis shift the centre and add to the inertia.
Rod combine(const Model& model, int index, std::string_view name) {
  const Bar& bar = model.bars[index];
  Rod rod;
  rod.a = bar.a;
  rod.b = bar.b;
  rod.bar = index;
  rod.length = start_length(model, bar);
  const double at_a = model.nodes[bar.a].mass, at_b = model.nodes[bar.b].mass, centre = bar.com * rod.length;
  rod.mass = bar.mass + at_a + at_b;
  if (!(rod.mass > 0.0))
    throw InputError(bar.place, bar.name, fmt::format("formulation {}: bar \"{}\" has no mass", name, bar.name));
  rod.to_a = (bar.mass * centre + at_b * rod.length) / rod.mass;
  rod.to_b = rod.length - rod.to_a;
  rod.inertia = bar.inertia + bar.mass * (centre - rod.to_a) * (centre - rod.to_a) + at_a * rod.to_a * rod.to_a +
                at_b * rod.to_b * rod.to_b;
  if (!(rod.inertia > 0.0))
    throw InputError(
        bar.place, bar.name,
        fmt::format("formulation {}: bar \"{}\" has no transverse inertia, so its rotation is undetermined; give it "
                    "an inertia above 0 or its nodes a mass",
                    name, bar.name));
  rod.axial_inertia = bar.axial_inertia > 0.0 ? bar.axial_inertia : rod.inertia;
  rod.thin = rod.axial_inertia == rod.inertia;
  rod.spin = bar.spin;
  const double turn = rod.inertia / (rod.length * rod.length), share = rod.to_b / rod.length;
  rod.aa = rod.mass * share * share + turn;
  rod.ab = rod.mass * share * (1.0 - share) - turn;
  return rod;
}

// The bar of each node, -1 for none. Refuses what is no rod of class 1.
std::vector<int> bars_of_nodes(const Model& model, std::string_view name) {
  std::vector<int> bar_of(model.nodes.size(), -1);
  for (int i = 0; i < static_cast<int>(model.bars.size()); ++i) {
    const Bar& bar = model.bars[i];
    if (bar.elastic) refuse(name, bar, fmt::format("bar \"{}\" is elastic", bar.name));
    if (!bar.attached.empty()) refuse(name, bar, fmt::format("bar \"{}\" has nodes beside its axis", bar.name));
    for (int node : {bar.a, bar.b}) {
      if (bar_of[node] >= 0)
        refuse(name, bar,
               fmt::format("bars \"{}\" and \"{}\" share node \"{}\", and its rods share none (class 1)",
                           model.bars[bar_of[node]].name, bar.name, model.nodes[node].name));
      bar_of[node] = i;
    }
  }
  return bar_of;
}

// The model with the lumped masses of heavy cables on its nodes.
Model with_cable_masses(const Model& model, std::string_view name) {
  Model shared = model;
  for (const Cable& cable : model.cables) {
    if (cable.mass == 0.0) continue;
    if (cable.mass_model != MassModel::lumped)
      refuse(
          name, cable,
          fmt::format("cable \"{}\" has mass along its length, which couples bars (mass_model = \"lumped\" does not)",
                      cable.name));
    each_fraction(model, cable, [&](int a, int b, double fraction) {
      for (int node : {a, b}) shared.nodes[node].mass += 0.5 * cable.mass * fraction;
    });
  }
  return shared;
}

}  // namespace

Rods collect_rods(const Model& model, std::string_view name) {
  if (!model.constraints.empty()) {
    const Constraint& first = model.constraints.front();
    refuse(name, first,
           fmt::format("{} couples nodes of different bars",
                       first.name.empty() ? "constraints[0]" : fmt::format("constraint \"{}\"", first.name)));
  }
  for (const Body& body : model.bodies) refuse(name, body, fmt::format("body \"{}\" is not a rod", body.name));
  const std::vector<int> bar_of = bars_of_nodes(model, name);
  Rods all;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    if (node.fixed != Axes{}) all.supported.push_back(static_cast<int>(i));
    if (bar_of[i] >= 0) continue;
    if (node.fixed != Axes{true, true, true})
      refuse(name, node, fmt::format("node \"{}\" is free and belongs to no bar", node.name));
    all.anchors.push_back(static_cast<int>(i));
  }
  const Model shared = with_cable_masses(model, name);
  const std::vector<int> drives = drives_of_rigid_bars(model);
  for (int i = 0; i < static_cast<int>(model.bars.size()); ++i) {
    Rod rod = combine(shared, i, name);
    rod.first_support = static_cast<int>(all.supports.size());
    for (const auto& [node, side] : {std::pair{rod.a, -rod.to_a}, std::pair{rod.b, rod.to_b}})
      for (int axis = 0; axis < 3; ++axis)
        if (model.nodes[node].fixed[axis]) all.supports.push_back({node, axis, side, model.nodes[node].position[axis]});
    rod.supports = static_cast<int>(all.supports.size()) - rod.first_support;
    rod.driven = !drives.empty() && drives[i] >= 0;
    if (rod.driven) all.driven.emplace_back(i, drives[i]);
    all.rods.push_back(rod);
  }
  return all;
}

void set_lengths(const Model& model, const Rods& start, double t, Rods& now) {
  for (const auto& [index, drive] : start.driven) {
    const BarLength wanted = driven_length(model, model.bar_drives[drive], t);
    const Rod& drawn = start.rods[index];
    Rod& rod = now.rods[index];
    const double scale = wanted.length / drawn.length;
    rod.length = wanted.length;
    rod.to_a = scale * drawn.to_a;
    rod.to_b = scale * drawn.to_b;
    rod.inertia = scale * scale * drawn.inertia;
    rod.axial_inertia = rod.thin ? rod.inertia : drawn.axial_inertia;
    rod.growth = wanted.rate / wanted.length;
    rod.growth_rate = wanted.second / wanted.length;
    for (int k = rod.first_support; k < rod.first_support + rod.supports; ++k)
      now.supports[k].side = scale * start.supports[k].side;
  }
}

}  // namespace taut
