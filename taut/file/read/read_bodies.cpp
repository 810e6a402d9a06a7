#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"
#include "taut/model/shape/body_shapes.h"
#include "taut/model/shape/joint_frame.h"

namespace taut {

namespace {

enum class Kind { none, plate, box, cylinder, tube, sphere };

struct ShapeKey {
  const char* key;
  std::vector<Kind> of;
  const char* owner;
};

const std::array<ShapeKey, 9>& shape_keys() {
  static const std::array<ShapeKey, 9> all = {
      {{"thickness", {Kind::plate}, "plate"},
       {"outline", {Kind::plate, Kind::none}, "plate"},
       {"size", {Kind::box}, "box"},
       {"axes", {Kind::box}, "box"},
       {"axis", {Kind::cylinder, Kind::tube}, "cylinder and tube"},
       {"length", {Kind::cylinder, Kind::tube}, "cylinder and tube"},
       {"ends", {Kind::cylinder, Kind::tube}, "cylinder and tube"},
       {"radius", {Kind::cylinder, Kind::tube, Kind::sphere}, "cylinder, tube and sphere"},
       {"inner_radius", {Kind::tube}, "tube"}}};
  return all;
}

// A key of another shape; one that an override of the shape, or of the inertia, leaves behind does not matter.
void refuse_other_shapes(const Fields& fields, Kind kind, std::string_view chosen) {
  for (const ShapeKey& entry : shape_keys()) {
    if (std::find(entry.of.begin(), entry.of.end(), kind) != entry.of.end()) continue;
    if (fields.has(entry.key) && fields.level_of(entry.key) >= fields.level_of(chosen))
      fields.say(entry.key, fmt::format("belongs to shape {} only", entry.owner));
  }
}

// A number above 0 that must be there.
std::optional<double> length(const Fields& fields, std::string_view key, std::string_view what) {
  if (!fields.require(key, what)) return std::nullopt;
  const std::optional<double> value = fields.number(key);
  if (value && !(*value > 0.0)) {
    fields.say(key, fmt::format("is {}: expected a number above 0", *value));
    return std::nullopt;
  }
  return value;
}

std::vector<Vec3> places(const Reading& reading, const std::vector<int>& nodes) {
  std::vector<Vec3> result;
  for (int node : nodes) result.push_back(reading.scenario.model.nodes[node].position);
  return result;
}

// The corners that the file gives, or the hull of the nodes.
std::optional<Shape> read_plate(Reading& reading, const Fields& fields, Body& body) {
  const bool given = fields.has("outline");
  if (!given) {
    for (int corner : hull_corners(places(reading, body.nodes))) body.outline.push_back(body.nodes[corner]);
    if (body.outline.size() < 3) body.outline = body.nodes;
  }
  if (fields.has("centre") && fields.level_of("centre") >= fields.level_of("shape"))
    fields.say("centre", "follows from the corners of the plate: leave it out");
  double thickness = 0.0;
  if (fields.has("thickness")) thickness = fields.number("thickness").value_or(0.0);
  if (thickness < 0.0) {
    fields.say("thickness", fmt::format("is negative ({}): expected 0 or more", thickness));
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (int node : body.outline) names.push_back(reading.scenario.model.nodes[node].name);
  // Without a list of corners every node is one, or lies between them: in the plane.
  const std::string wrong = polygon_problem(places(reading, body.outline), names);
  if (!wrong.empty()) {
    fields.say(given ? "outline" : "nodes", wrong);
    body.outline.clear();
    return std::nullopt;
  }
  return plate_shape(places(reading, body.outline), thickness);
}

std::optional<Mat3> read_box_axes(const Fields& fields) {
  if (!fields.has("axes")) return Mat3::Identity();
  const Value& node = *fields.find("axes");
  const List* list = node.list();
  const std::string key = fields.path().text("axes");
  if (!list || list->size() != 2) {
    fields.say("axes", fmt::format("expected the directions of the first two edges, [[x, y, z], [x, y, z]], got {}",
                                   describe(node)));
    return std::nullopt;
  }
  const auto x = to_vector(fields.problems(), (*list)[0], key + "[0]"),
             y = to_vector(fields.problems(), (*list)[1], key + "[1]");
  if (!x || !y) return std::nullopt;
  if (!(x->norm() > 0.0) || !(y->norm() > 0.0) || std::abs(x->normalized().dot(y->normalized())) > 1e-6) {
    fields.say("axes", "are not at right angles: expected two directions that are");
    return std::nullopt;
  }
  return frame_of(*x, *y).transpose();
}

std::optional<Shape> read_tube(Reading& reading, const Fields& fields, Kind kind, const Vec3& centre) {
  const auto radius = length(fields, "radius", "the radius in m");
  double inner = 0.0;
  if (kind == Kind::tube) {
    const auto given = length(fields, "inner_radius", "the radius of the hole in m");
    if (!given || !radius) return std::nullopt;
    inner = *given;
    if (inner >= *radius) {
      fields.say("inner_radius", fmt::format("is {} m: expected less than the radius, {} m", inner, *radius));
      return std::nullopt;
    }
  }
  // Between two nodes, or by direction and length.
  if (fields.has("ends")) {
    for (const char* key : {"axis", "length", "centre"})
      if (fields.level_of(key) >= fields.level_of("ends")) fields.say(key, "follows from ends: leave it out");
    const auto ends = read_node_list(reading, fields, "ends");
    if (!ends || !radius) return std::nullopt;
    const std::vector<Vec3> at = places(reading, *ends);
    if (at.size() != 2 || !((at[1] - at[0]).norm() > 0.0)) {
      fields.say("ends", "expected two nodes at different positions");
      return std::nullopt;
    }
    return tube_shape(0.5 * (at[0] + at[1]), at[1] - at[0], (at[1] - at[0]).norm(), *radius, inner);
  }
  const auto long_ = length(fields, "length", "the length in m, or ends");
  const Vec3 axis = fields.vector("axis").value_or(Vec3::UnitZ());
  if (!(axis.norm() > 0.0)) {
    fields.say("axis", "has no direction: expected a vector of some length");
    return std::nullopt;
  }
  if (!radius || !long_) return std::nullopt;
  return tube_shape(centre, axis, *long_, *radius, inner);
}

std::optional<Shape> read_shape(Reading& reading, const Fields& fields, Kind kind, Body& body) {
  switch (kind) {
    case Kind::plate:
      return read_plate(reading, fields, body);
    case Kind::box: {
      if (!fields.require("size", "the lengths of the edges, [a, b, c] in m")) return std::nullopt;
      const auto size = fields.vector("size");
      const auto axes = read_box_axes(fields);
      if (!size || !axes) return std::nullopt;
      if (!(size->minCoeff() > 0.0)) {
        fields.say("size", "expected three numbers above 0");
        return std::nullopt;
      }
      return box_shape(body.centre, *size, *axes);
    }
    case Kind::cylinder:
    case Kind::tube:
      return read_tube(reading, fields, kind, body.centre);
    case Kind::sphere: {
      const auto radius = length(fields, "radius", "the radius in m");
      return radius ? std::optional(sphere_shape(body.centre, *radius)) : std::nullopt;
    }
    case Kind::none:
      break;
  }
  return std::nullopt;
}

// Three principal moments along the axes, or six: Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
std::optional<Mat3> read_inertia(const Fields& fields) {
  const auto given = fields.numbers("inertia");
  if (!given) return std::nullopt;
  if (given->size() != 3 && given->size() != 6) {
    fields.say("inertia", fmt::format("expected [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], got a list of {}",
                                      given->size()));
    return std::nullopt;
  }
  Mat3 inertia = Mat3::Zero();
  for (int i = 0; i < 3; ++i) inertia(i, i) = (*given)[i];
  if (given->size() == 6) {
    inertia(0, 1) = inertia(1, 0) = (*given)[3];
    inertia(0, 2) = inertia(2, 0) = (*given)[4];
    inertia(1, 2) = inertia(2, 1) = (*given)[5];
  }
  return inertia;
}

std::optional<Kind> read_shape_kind(const Fields& fields) {
  return fields.word<Kind>("shape", {{"plate", Kind::plate},
                                     {"box", Kind::box},
                                     {"cylinder", Kind::cylinder},
                                     {"tube", Kind::tube},
                                     {"sphere", Kind::sphere}});
}

// A shape beside the inertia, or of a body without mass, is only drawn, about the centre. One that an override of the
// inertia leaves behind need not fit.
void read_drawn_shape(Reading& reading, const Fields& fields, Body& body) {
  const bool left_behind = fields.level_of("shape") < fields.level_of("inertia");
  if (!fields.has("shape")) return refuse_other_shapes(fields, Kind::none, "inertia");
  const auto kind = read_shape_kind(fields);
  if (!kind) return;
  if (*kind == Kind::plate || fields.has("ends")) {
    if (left_behind) return;
    const bool plate = *kind == Kind::plate;
    return fields.say(plate ? "shape" : "ends", plate ? "its outline shows a plate: leave it out where inertia is given"
                                                      : "beside inertia, expected axis and length");
  }
  refuse_other_shapes(fields, *kind, "shape");
  if (const auto shape = read_shape(reading, fields, *kind, body)) body.shape = shape->drawn;
}

// Mass, centre and inertia. A faulty body becomes a ball of 1 kg, so that reading goes on.
void read_mass(Reading& reading, const Fields& fields, Body& body) {
  const std::vector<Vec3> at = places(reading, body.nodes);
  Vec3 mean = Vec3::Zero();
  for (const Vec3& x : at) mean += x / static_cast<double>(std::max<size_t>(at.size(), 1));
  body.centre = fields.vector("centre").value_or(mean);
  body.mass = 1.0;
  body.inertia = Mat3::Identity();
  bool good_outline = true;
  if (fields.has("outline")) {
    const auto corners = read_node_list(reading, fields, "outline");
    good_outline = corners.has_value();
    if (corners) body.outline = *corners;
  }

  const bool by_inertia = fields.has("inertia") && fields.level_of("inertia") >= fields.level_of("shape");
  const std::string_view spread = by_inertia            ? "inertia"
                                  : fields.has("shape") ? "shape"
                                                        : "",
                         weight = fields.one_of({"mass", "density"});
  // A body of a machine may have no mass: a block, a cross of a universal joint.
  if (has_joints(reading) && weight == "mass" && fields.number("mass") == 0.0) {
    body.mass = 0.0;
    body.inertia.setZero();
    if (fields.has("inertia")) return fields.say("inertia", "the body has no mass: leave it out");
    if (fields.has("shape")) read_drawn_shape(reading, fields, body);
    return;
  }
  if (has_joints(reading) && body.nodes.empty() && !fields.has("centre") && !fields.has("ends"))
    fields.say("centre", "is missing: the body has no nodes, so nothing says where it is");
  if (spread.empty())
    fields.say("shape",
               "is missing: expected shape = \"plate\", \"box\", \"cylinder\", \"tube\" or \"sphere\", or inertia");
  if (weight.empty()) fields.say("mass", "is missing: expected mass, or density with a shape");
  const std::optional<double> amount = weight.empty() ? std::nullopt : length(fields, weight, "");
  if (spread == "inertia") {
    read_drawn_shape(reading, fields, body);
    if (weight == "density") fields.say("density", "needs a shape: give the mass instead");
    if (const auto inertia = read_inertia(fields)) body.inertia = *inertia;
    if (amount) body.mass = *amount;
    return;
  }
  const auto kind = read_shape_kind(fields);
  if (!kind || !good_outline) return;
  refuse_other_shapes(fields, *kind, spread);
  const std::optional<Shape> shape = read_shape(reading, fields, *kind, body);
  if (!shape || !amount) return;
  if (weight == "density" && !(shape->volume > 0.0))
    return fields.say("density", "needs a volume: give the plate a thickness above 0, or the mass");
  body.centre = shape->centre;
  body.mass = weight == "density" ? *amount * shape->volume : *amount;
  body.inertia = inertia_of(*shape, body.mass);
  body.shape = shape->drawn;
}

// Velocity of the centre and angular velocity; move_body_nodes gives the nodes their share.
void read_motion(Reading& reading, const Fields& fields, Body& body) {
  if (!fields.has("velocity") && !fields.has("angular_velocity")) return;
  body.velocity = fields.vector("velocity").value_or(Vec3::Zero());
  body.angular_velocity = fields.vector("angular_velocity").value_or(Vec3::Zero());
  for (int i : body.nodes)
    if (reading.nodes[i].velocity)
      reading.problems.add(
          reading.nodes[i].velocity->at, KeyPath{"nodes", -1, reading.nodes[i].name}.text("velocity"),
          fmt::format("body {} says how its nodes move: leave one of the two out", in_quotes(body.name)));
}

}  // namespace

bool has_joints(const Reading& reading) {
  for (const Document& document : reading.documents)
    for (const char* section : {"joints", "pulleys"})
      if (const Value* given = document.root.find(section); given && !(given->list() && given->list()->empty()))
        return true;
  return false;
}

std::optional<std::vector<int>> read_node_list(Reading& reading, const Fields& fields, std::string_view key) {
  const Value& node = *fields.find(key);
  const List* list = node.list();
  if (!list) {
    fields.say(key, fmt::format("expected a list of node names, got {}", describe(node)));
    return std::nullopt;
  }
  std::vector<int> nodes;
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const auto found = find_node(reading, (*list)[i], fmt::format("{}[{}]", fields.path().text(key), i));
    good = good && found;
    if (found) nodes.push_back(*found);
  }
  return good ? std::optional(std::move(nodes)) : std::nullopt;
}

void read_bodies(Reading& reading) {
  std::vector<MemberEntry> entries = collect_entries(reading.given(), "bodies", "body", {"name"});
  for (MemberEntry& entry : entries) {
    const Fields fields = entry.fields(reading.problems);
    fields.refuse_unknown(keys::body);
    Body body;
    if (fields.require("name", "a name")) body.name = fields.text("name").value_or("?");
    if (fields.has("nodes") || !has_joints(reading)) {
      if (!fields.require("nodes", "the names of the nodes that ride on the body")) continue;
      entry.nodes = fields.find("nodes");
      const auto nodes = read_member_nodes(reading, entry, fields);
      if (!nodes) continue;
      body.nodes = *nodes;
    }
    read_mass(reading, fields, body);
    read_motion(reading, fields, body);
    body.contact = fields.truth("contact").value_or(true);
    body.place = entry.place(EntityKind::body);
    reading.scenario.model.bodies.push_back(std::move(body));
    reading.bodies.push_back(std::move(entry));
  }
}

}  // namespace taut
