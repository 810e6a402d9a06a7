// Joints and pulleys.
#include "taut/file/write/tree_parts.h"

namespace taut {

namespace {

Value carrier(const Model& model, const Carrier& c) {
  if (c.kind == Carrier::Kind::ground) return {"ground"};
  return {c.kind == Carrier::Kind::body ? model.bodies[c.index].name : model.bars[c.index].name};
}

// One number alone, or a list.
void add_values(Table& t, const char* key, const std::vector<double>& list) {
  if (list.size() == 1) t.add(key, {list[0]});
  if (list.size() > 1) t.add(key, number_list(list));
}

Table joint_tree(const Model& model, const JointSpec& joint) {
  Table t;
  t.add("name", {joint.name});
  t.add("kind", {name(joint.type)});
  t.add("bodies", {List{carrier(model, joint.predecessor), carrier(model, joint.successor)}});
  if (joint.at_nodes.size() == 2)
    t.add("at", name_list(model, joint.at_nodes));
  else
    t.add("at", joint.at_nodes.empty() ? vector_list(joint.at_successor) : Value{model.nodes[joint.at_nodes[0]].name});
  switch (joint.type) {
    case JointType::revolute:
    case JointType::prismatic:
      t.add("axis", vector_list(joint.frame.row(2)));
      break;
    default:
      t.add("axes", {List{vector_list(joint.frame.row(0)), vector_list(joint.frame.row(1))}});
  }
  if (joint.role != JointRole::any) t.add("role", {name(joint.role)});
  add_values(t, "position", joint.position);
  add_values(t, "start", joint.start.value_or(std::vector<double>{}));
  add_values(t, "velocity", joint.velocity);
  add_values(t, "stiffness", joint.stiffness);
  add_values(t, "rest", joint.rest);
  add_values(t, "damping", joint.damping);
  add_values(t, "friction", joint.friction);
  add_values(t, "slip_speed", joint.slip_speed);
  return t;
}

Table pulley_tree(const Model& model, const PulleySpec& p) {
  Table t;
  t.add("name", {p.name});
  t.add("body", carrier(model, p.wheel.body));
  t.add("centre", vector_list(p.wheel.centre));
  t.add("axis", vector_list(p.axis));
  t.add("radius", {p.wheel.radius});
  if (p.node >= 0) {
    t.add("to", {model.nodes[p.node].name});
    if (p.second.body.kind == Carrier::Kind::body) t.add("end", carrier(model, p.second.body));
  } else {
    Table second;
    second.add("body", carrier(model, p.second.body));
    second.add("centre", vector_list(p.second.centre));
    second.add("radius", {p.second.radius});
    second.add("crossed", {p.crossed});
    t.add("second", {std::move(second)});
  }
  t.add("variant", {name(p.variant)});
  if (p.variant != PulleyVariant::rigid) {
    t.add("EA", {p.EA});
    if (p.damping != 0.0) t.add("damping", {p.damping});
    if (!p.clip) t.add("clip", {false});
    if (p.conservative) t.add("conservative", {true});
    if (p.strain != 0.0) t.add("strain", {p.strain});
  }
  if (p.length) t.add("length", {*p.length});
  return t;
}

}  // namespace

List joints_tree(const Model& model) {
  List list;
  for (const JointSpec& joint : model.joints) list.push_back({joint_tree(model, joint)});
  return list;
}

List pulleys_tree(const Model& model) {
  List list;
  for (const PulleySpec& pulley : model.pulleys) list.push_back({pulley_tree(model, pulley)});
  return list;
}

}  // namespace taut
