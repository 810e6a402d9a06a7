#include "taut/batch/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/batch/plan/parts.h"
#include "taut/forces/contact_law.h"
#include "taut/model/laws/bar_law.h"
#include "taut/model/laws/table_law.h"
#include "taut/model/shape/ground_points.h"

namespace taut::batch {

namespace {

struct Slot {
  CableLaw law;
  std::vector<int> path;
  double rest;
  int cable;  // -1: an elastic bar
  bool vector_damped() const { return law.damping_model == DampingModel::vector && law.damping > 0.0; }
  bool plain() const { return path.size() == 2 && law.kind == LawKind::linear && law.clip && !vector_damped(); }
};

std::vector<Slot> slots_of(const Model& model) {
  std::vector<Slot> plain, general;
  const auto add = [&](Slot slot) { (slot.plain() ? plain : general).push_back(std::move(slot)); };
  for (int i = 0; i < std::ssize(model.cables); ++i) {
    const Cable& c = model.cables[static_cast<std::size_t>(i)];
    add({c.law, c.path, c.rest_length, i});
  }
  for (const Bar& bar : model.bars)
    if (bar.elastic) add({law_of(bar), {bar.a, bar.b}, bar.rest_length, -1});
  plain.insert(plain.end(), general.begin(), general.end());
  return plain;
}

int law_word(LawKind kind) {
  switch (kind) {
    case LawKind::softplus:
      return 1;
    case LawKind::spring:
      return 2;
    case LawKind::table:
      return 3;
    default:
      return 0;
  }
}

// Segments of a table: where each begins, the force there, its slope; and one entry more for the last point.
void add_table(const CableLaw& law, std::vector<double>& strain, std::vector<double>& force,
               std::vector<double>& slope) {
  if (law.kind != LawKind::table) return;
  for (std::size_t k = 0; k < law.strain.size(); ++k) {
    strain.push_back(law.strain[k]);
    force.push_back(law.force[k]);
    slope.push_back(k + 1 < law.strain.size() ? table::slope(law, k) : 0.0);
  }
}

void add_slots(const Model& model, const std::vector<int>& commanded, Plan& plan) {
  const std::vector<Slot> slots = slots_of(model);
  Plan::Tables& t = plan.tables;
  Plan::Sizes& s = plan.sizes;
  plan.slot_of_cable.assign(model.cables.size(), -1);
  std::vector<double> stiffness, EA, rest, damping, general_damping, beta, strain, force, slope;
  s.slots = static_cast<int>(slots.size());
  for (int i = 0; i < s.slots; ++i) {
    const Slot& slot = slots[static_cast<std::size_t>(i)];
    if (slot.cable >= 0) plan.slot_of_cable[static_cast<std::size_t>(slot.cable)] = i;
    stiffness.push_back(slot.law.kind == LawKind::table ? 0.0 : stiffness_at(slot.law, slot.rest));
    EA.push_back(slot.law.stiffness);
    rest.push_back(slot.rest);
    damping.push_back(slot.law.damping);
    t.by_EA.push_back(slot.law.by_EA);
    t.driven.push_back(-1);
    if (slot.law.damping > 0.0) s.damped = 1;
    if (slot.vector_damped()) s.sees_velocities = 1;
    if (slot.plain()) {
      ++s.plain;
      t.cable_a.push_back(slot.path[0]);
      t.cable_b.push_back(slot.path[1]);
      continue;
    }
    ++s.general;
    t.general_law.push_back(law_word(slot.law.kind));
    t.general_clip.push_back(slot.law.clip);
    t.general_vector.push_back(slot.vector_damped());
    t.piece_begin.push_back(static_cast<int>(t.piece_a.size()));
    t.table_begin.push_back(static_cast<int>(strain.size()));
    general_damping.push_back(slot.law.damping);
    beta.push_back(slot.law.beta);
    add_table(slot.law, strain, force, slope);
    for (std::size_t k = 0; k + 1 < slot.path.size(); ++k) {
      t.piece_a.push_back(slot.path[k]);
      t.piece_b.push_back(slot.path[k + 1]);
    }
  }
  t.piece_begin.push_back(static_cast<int>(t.piece_a.size()));
  t.table_begin.push_back(static_cast<int>(strain.size()));

  const auto drive = [&](int cable, int signal) {
    t.driven[static_cast<std::size_t>(plan.slot_of_cable[static_cast<std::size_t>(cable)])] = s.drives++;
    plan.drive_cable.push_back(cable);
    plan.drive_signal.push_back(signal);
    t.signalled.push_back(signal >= 0);
  };
  for (int i = 0; i < std::ssize(model.actuators); ++i) drive(model.actuators[static_cast<std::size_t>(i)].cable, i);
  for (const int cable : commanded)
    if (t.driven[static_cast<std::size_t>(plan.slot_of_cable[static_cast<std::size_t>(cable)])] < 0) drive(cable, -1);

  s.at_stiffness = add_numbers(plan, stiffness);
  s.at_EA = add_numbers(plan, EA);
  s.at_rest = add_numbers(plan, rest);
  s.at_damping = add_numbers(plan, damping);
  s.at_general_damping = add_numbers(plan, general_damping);
  s.at_beta = add_numbers(plan, beta);
  s.at_table_strain = add_numbers(plan, strain);
  s.at_table_force = add_numbers(plan, force);
  s.at_table_slope = add_numbers(plan, slope);
}

void add_loads(const Model& model, Plan& plan) {
  std::vector<double> weight, load, drag;
  for (const double mass : node_masses(model))
    for (int axis = 0; axis < 3; ++axis) weight.push_back(mass * model.gravity[axis]);
  for (const Load& l : model.loads) {
    plan.tables.load_node.push_back(l.node);
    load.insert(load.end(), l.force.data(), l.force.data() + 3);
    ++plan.sizes.loads;
  }
  for (const Bar& bar : model.bars) {
    if (bar.drag == 0.0 && bar.turning_drag == 0.0) continue;
    const double length = start_length(model, bar), turning = bar.turning_drag / (length * length),
                 rest = 1.0 - bar.com;
    plan.tables.drag_a.push_back(bar.a);
    plan.tables.drag_b.push_back(bar.b);
    drag.insert(drag.end(), {-bar.drag * rest * rest - turning, -bar.drag * rest * bar.com + turning,
                             -bar.drag * bar.com * bar.com - turning});
    ++plan.sizes.dragged;
    plan.sizes.sees_velocities = 1;
  }
  plan.sizes.at_weight = add_numbers(plan, weight);
  plan.sizes.at_load = add_numbers(plan, load);
  plan.sizes.at_drag = add_numbers(plan, drag);
}

void add_lone(const NodalParts& parts, Plan& plan) {
  std::vector<double> lone, bars;
  for (const NodalParts::LoneNode& n : parts.lone_nodes) {
    plan.tables.lone_node.push_back(n.node);
    lone.insert(lone.end(), n.inverse.data(), n.inverse.data() + 3);
  }
  for (const NodalParts::LoneBar& b : parts.lone_bars) {
    plan.tables.bar_a.push_back(b.a);
    plan.tables.bar_b.push_back(b.b);
    plan.tables.bar_guided.push_back(b.guided);
    for (int axis = 0; axis < 3; ++axis) bars.insert(bars.end(), {b.aa[axis], b.ab[axis], b.bb[axis]});
    bars.push_back(b.length);
  }
  plan.sizes.lone = static_cast<int>(parts.lone_nodes.size());
  plan.sizes.bars = static_cast<int>(parts.lone_bars.size());
  plan.sizes.at_lone = add_numbers(plan, lone);
  plan.sizes.at_bar = add_numbers(plan, bars);
}

// Nodes that may touch hard ground, by what they are part of.
void add_touching_parts(const Model& model, Plan& plan) {
  Plan::Tables& t = plan.tables;
  const auto touches = [&](int node) { return can_touch(model.nodes[static_cast<std::size_t>(node)]) ? 1 : 0; };
  for (const int node : t.lone_node) t.lone_touches.push_back(touches(node));
  for (std::size_t i = 0; i < t.bar_a.size(); ++i)
    t.bar_touches.push_back(touches(t.bar_a[i]) | touches(t.bar_b[i]) << 1);
  std::vector<int> group = t.group_node;
  std::sort(group.begin(), group.end());
  for (const int node : group)
    if (touches(node)) t.group_touch_node.push_back(node);
  plan.sizes.group_touching = static_cast<int>(t.group_touch_node.size());
  if (plan.sizes.group_touching > most_pressed)
    throw InputError(fmt::format(
        "environment.ground.law: a batch takes \"rigid\" under at most {} nodes of bars that share nodes, bodies and "
        "constraints; here are {}: give nodes that stay in the air contact = false, or take another law",
        most_pressed, plan.sizes.group_touching));
}

void add_ground(const Model& model, Plan& plan) {
  plan.sizes.at_ground = static_cast<int>(plan.numbers.size());
  if (!model.ground) return;
  const Ground& ground = *model.ground;
  const GroundSurface surface(ground);
  Plan::Sizes& s = plan.sizes;
  Plan::Tables& t = plan.tables;
  s.rigid = ground.law == PressKind::rigid;
  s.presses = !s.rigid;
  s.press_law = ground.law == PressKind::smooth ? 1 : ground.law == PressKind::hunt_crossley ? 2 : 0;
  s.press_exponent_twice =
      ground.law == PressKind::hunt_crossley ? static_cast<int>(std::lround(2.0 * ground.exponent)) : 2;
  s.rubs = ground.friction > 0.0;
  if (!s.rigid && (ground.damping > 0.0 || ground.friction > 0.0 || ground.viscous > 0.0)) s.sees_velocities = 1;
  for (int i = 0; i < std::ssize(model.nodes); ++i)
    if (can_touch(model.nodes[static_cast<std::size_t>(i)])) t.touch_node.push_back(i);
  s.touching = static_cast<int>(t.touch_node.size());
  if (s.rigid) add_touching_parts(model, plan);
  for (const GroundBar& bar : bars_on_ground(model, surface)) {
    t.ground_bar_a.push_back(bar.a);
    t.ground_bar_b.push_back(bar.b);
    t.ground_bar_points.push_back(bar.points);
  }
  s.ground_bars = static_cast<int>(t.ground_bar_a.size());
  const Vec3 normal = ground.normal.normalized(), origin = Vec3::Zero();
  const bool plane = surface.plane();
  add_numbers(plan, {normal.x(), normal.y(), normal.z(), plane ? surface.depth(origin.data()) : ground.height,
                     ground.radius, ground.stiffness, ground.damping, ground.beta, ground.friction, ground.slip_speed,
                     ground.viscous, ground.restitution});
  if (plane) return;
  // The offset is a number of each robot; the spline is without it.
  Ground level = ground;
  level.height = 0.0;
  const GroundSurface bare(level);
  plan.heights = bare.coefficients();
  s.height_columns = ground.heights.columns, s.height_rows = ground.heights.rows;
  plan.reals = {ground.heights.x0, ground.heights.y0, ground.heights.dx, ground.heights.dy, bare.top()};
}

}  // namespace

int add_numbers(Plan& plan, const std::vector<double>& numbers) {
  const int at = static_cast<int>(plan.numbers.size());
  plan.numbers.insert(plan.numbers.end(), numbers.begin(), numbers.end());
  return at;
}

std::vector<int> commandable_cables(const Model& model) {
  std::vector<int> cables;
  for (const Actuator& actuator : model.actuators) cables.push_back(actuator.cable);
  if (cables.empty())
    for (int i = 0; i < std::ssize(model.cables); ++i) cables.push_back(i);
  return cables;
}

Plan make_plan(const Model& model, bool commands) {
  refuse_unfit(model);
  const NodalParts parts = nodal_parts(model);
  Plan plan;
  plan.commands = commands;
  plan.sizes.nodes = static_cast<int>(model.nodes.size());
  plan.start_x = parts.start_x, plan.start_v = parts.start_v;
  add_slots(model, commands ? commandable_cables(model) : std::vector<int>{}, plan);
  add_loads(model, plan);
  add_lone(parts, plan);
  add_group(model, parts, plan);
  add_ground(model, plan);
  plan.sizes.jumps = has_jumps(model);
  return plan;
}

Shape Plan::shape() const {
  Shape view;
#define X(name) view.name##_ = tables.name.data();
  TAUT_BATCH_TABLES(X)
#undef X
#define X(name) view.name##_ = sizes.name;
  TAUT_BATCH_SIZES(X)
#undef X
#define X(name) view.name##_ = reals.name;
  TAUT_BATCH_REALS(X)
#undef X
  view.heights_ = heights.data();
  return view;
}

}  // namespace taut::batch
