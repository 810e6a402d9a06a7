// Bodies and frames. Bodies are resolved, so their inertia is given by numbers whatever shape it came from.
#include "taut/file/write/tree_parts.h"

namespace taut {

namespace {

// Beside the inertia a shape says what is drawn and what touches the ground.
void add_shape(Table& t, const BodyShape& shape) {
  const Vec3& size = shape.size;
  switch (shape.kind) {
    case BodyShape::Kind::none:
      return;
    case BodyShape::Kind::box:
      t.add("shape", {"box"});
      t.add("size", vector_list(size));
      t.add("axes", {List{vector_list(shape.first), vector_list(shape.second)}});
      return;
    case BodyShape::Kind::sphere:
      t.add("shape", {"sphere"});
      t.add("radius", {size[0]});
      return;
    case BodyShape::Kind::cylinder:
    case BodyShape::Kind::tube: {
      const bool tube = shape.kind == BodyShape::Kind::tube;
      t.add("shape", {tube ? "tube" : "cylinder"});
      t.add("radius", {size[0]});
      if (tube) t.add("inner_radius", {size[1]});
      t.add("length", {size[tube ? 2 : 1]});
      t.add("axis", vector_list(shape.first));
      return;
    }
  }
}

}  // namespace

List bodies_tree(const Model& model) {
  List list;
  for (const Body& body : model.bodies) {
    Table t;
    t.add("name", {body.name});
    t.add("nodes", name_list(model, body.nodes));
    t.add("mass", {body.mass});
    t.add("centre", vector_list(body.centre));
    if (body.mass != 0.0) {
      const Mat3& I = body.inertia;
      const bool diagonal = I(0, 1) == 0.0 && I(0, 2) == 0.0 && I(1, 2) == 0.0;
      t.add("inertia",
            diagonal ? vector_list(I.diagonal()) : number_list({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
    }
    if (body.outline.empty()) add_shape(t, body.shape);
    if (!body.contact) t.add("contact", {false});
    if (body.velocity) t.add("velocity", vector_list(*body.velocity));
    if (body.angular_velocity) t.add("angular_velocity", vector_list(*body.angular_velocity));
    if (body.mass != 0.0 && !body.outline.empty()) t.add("outline", name_list(model, body.outline));
    list.push_back({std::move(t)});
  }
  return list;
}

List outputs_tree(const Model& model) {
  List list;
  for (const Frame& frame : model.frames) {
    Table t;
    t.add("frame", {frame.name});
    t.add("nodes", name_list(model, {frame.nodes.begin(), frame.nodes.end()}));
    if (frame.relative_to >= 0) t.add("relative_to", {model.frames[frame.relative_to].name});
    list.push_back({std::move(t)});
  }
  return list;
}

}  // namespace taut
