#include "taut/file/write/tree_parts.h"

namespace taut {

namespace {

Table heights_tree(const HeightGrid& grid) {
  Table t;
  t.add("origin", number_list({grid.x0, grid.y0}));
  t.add("spacing", number_list({grid.dx, grid.dy}));
  t.add("rows", rows_list(grid.heights, static_cast<std::size_t>(grid.columns)));
  return t;
}

// Of laws that press by depth.
void add_soft_law(const Ground& g, Table& t) {
  const Ground standard;
  if (g.law != standard.law) t.add("law", {name(g.law)});
  if (g.law != standard.law || g.beta != standard.beta) t.add("beta", {g.beta});
  if (g.law == PressKind::hunt_crossley) t.add("exponent", {g.exponent});
  if (g.slip_speed != standard.slip_speed) t.add("slip_speed", {g.slip_speed});
  if (g.viscous != standard.viscous) t.add("viscous", {g.viscous});
}

// What differs from its standard values or says something anyway.
Table ground_tree(const Ground& g) {
  const Ground standard;
  Table t;
  t.add("height", {g.height});
  const bool rigid = g.law == PressKind::rigid;
  if (rigid) t.add("law", {name(g.law)});
  if (!rigid) t.add("stiffness", {g.stiffness});
  if (!rigid) t.add("damping", {g.damping});
  t.add("friction", {g.friction});
  if (rigid)
    t.add("restitution", {g.restitution});
  else
    add_soft_law(g, t);
  if (g.radius != standard.radius) t.add("radius", {g.radius});
  if (g.heights.heights.empty() && g.normal != standard.normal) t.add("normal", vector_list(g.normal));
  if (!g.heights.heights.empty()) t.add("heights", {heights_tree(g.heights)});
  return t;
}

Table collision_tree(const Collision& c) {
  Table t;
  t.add("law", {name(c.law)});
  t.add("stiffness", {c.stiffness});
  t.add("damping", {c.damping});
  t.add("beta", {c.beta});
  if (c.law == PressKind::exponential) t.add("length", {c.length});
  const Collision standard;
  if (c.friction != standard.friction) t.add("friction", {c.friction});
  if (c.slip_speed != standard.slip_speed) t.add("slip_speed", {c.slip_speed});
  return t;
}

}  // namespace

Table environment_tree(const Model& model) {
  Table t;
  t.add("gravity", vector_list(model.gravity));
  if (model.ground) t.add("ground", {ground_tree(*model.ground)});
  if (model.collision) t.add("collision", {collision_tree(*model.collision)});
  return t;
}

}  // namespace taut
