// Joints, pulleys and their actuators.
#include "taut/model/toml_writer.h"

namespace taut {

namespace {

std::string carrier_text(const Model& model, const Carrier& c) {
  if (c.kind == Carrier::Kind::ground) return "\"ground\"";
  return toml_string(c.kind == Carrier::Kind::body ? model.bodies[c.index].name : model.bars[c.index].name);
}

void values(TomlWriter& w, const char* key, const std::vector<double>& list) {
  if (list.size() == 1) w.number(key, list[0]);
  if (list.size() > 1) w.line(key, numbers_text(list));
}

void write_joint(TomlWriter& w, const JointSpec& joint) {
  const Model& model = w.model();
  w.header("[[joints]]");
  w.line("name", toml_string(joint.name));
  w.line("kind", toml_string(name(joint.type)));
  w.line("bodies",
         fmt::format("[{}, {}]", carrier_text(model, joint.predecessor), carrier_text(model, joint.successor)));
  if (joint.at_nodes.size() == 2)
    w.line("at", w.list(joint.at_nodes));
  else
    w.line("at", joint.at_nodes.empty() ? vector_text(joint.at_successor) : w.node(joint.at_nodes[0]));
  switch (joint.type) {
    case JointType::revolute:
    case JointType::prismatic:
      w.line("axis", vector_text(joint.frame.row(2)));
      break;
    default:
      w.line("axes", fmt::format("[{}, {}]", vector_text(joint.frame.row(0)), vector_text(joint.frame.row(1))));
  }
  if (joint.role != JointRole::any) w.line("role", toml_string(name(joint.role)));
  values(w, "position", joint.position);
  values(w, "start", joint.start.value_or(std::vector<double>{}));
  values(w, "velocity", joint.velocity);
  values(w, "stiffness", joint.stiffness);
  values(w, "rest", joint.rest);
  values(w, "damping", joint.damping);
  values(w, "friction", joint.friction);
  values(w, "slip_speed", joint.slip_speed);
}

void write_pulley(TomlWriter& w, const PulleySpec& p) {
  const Model& model = w.model();
  w.header("[[pulleys]]");
  w.line("name", toml_string(p.name));
  w.line("body", carrier_text(model, p.wheel.body));
  w.line("centre", vector_text(p.wheel.centre));
  w.line("axis", vector_text(p.axis));
  w.number("radius", p.wheel.radius);
  if (p.node >= 0)
    w.line("to", w.node(p.node));
  else
    w.line("second",
           fmt::format("{{ body = {}, centre = {}, radius = {}, crossed = {} }}", carrier_text(model, p.second.body),
                       vector_text(p.second.centre), toml_number(p.second.radius), p.crossed));
  w.line("variant", toml_string(name(p.variant)));
  if (p.variant != PulleyVariant::rigid) {
    w.number("EA", p.EA);
    if (p.damping != 0.0) w.number("damping", p.damping);
    if (!p.clip) w.line("clip", "false");
    if (p.conservative) w.line("conservative", "true");
    if (p.strain != 0.0) w.number("strain", p.strain);
  }
  if (p.length) w.number("length", *p.length);
}

}  // namespace

void write_joints(TomlWriter& w) {
  for (const JointSpec& joint : w.model().joints) write_joint(w, joint);
  for (const PulleySpec& pulley : w.model().pulleys) write_pulley(w, pulley);
}

}  // namespace taut
