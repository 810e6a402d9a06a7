// Bodies, drums and joints as triangles, for programs that take a run elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taut/report/picture.h"

namespace taut {

struct Mesh {
  std::vector<float> positions, normals;  // 3 per vertex
  std::vector<std::uint16_t> triangles;   // 3 vertices each, counterclockwise from outside
};

// A form of size 1 that is stretched, turned and moved in the frame of a body (-1: the world).
struct Solid {
  enum class Form { box, round, ball, ring };
  enum class Role { body, clear, joint, drum, cable };
  std::string name;
  Role role = Role::body;
  int body = -1;
  Form form = Form::box;
  double inner = 0.0;  // round: radius of the hole; ring: thickness
  double angle = 0.0;  // ring: how far it goes round, rad
  Vec3 at = Vec3::Zero(), scale = Vec3::Ones();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
};

// Edges of 1; radius 1 and length 1 along z; radius 1; radius 1 about z from the x axis on. Centred.
Mesh mesh_of(const Solid& solid);

// A cylinder of radius 1 about z from 0 to 1, with both ends closed.
Mesh unit_cylinder();

// Of all that the picture draws but cables.
std::vector<Solid> solids_of(const BodyPicture& picture);

// What a row of a run adds to its nodes: both ends of the straight piece of each pulley's cable.
std::vector<CableCourse> courses_of(const BodyPicture& picture, const Model& with_cables, const Sample& drawn_row);

}  // namespace taut
