#include "taut/model/joint_spec.h"

#include <cmath>

#include "taut/base/text/enum_name.h"

namespace taut {

const char* name(JointType type) {
  return enum_name<JointType::floating>(
      type, {"fixed", "revolute", "prismatic", "universal", "spherical", "planar", "floating"});
}

const char* name(JointRole role) { return role == JointRole::tree ? "tree" : role == JointRole::loop ? "loop" : "any"; }

const char* name(PulleyVariant variant) { return enum_name<PulleyVariant::l>(variant, {"rigid", "u", "epsilon", "l"}); }

int joint_velocities(JointType type) {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::revolute:
    case JointType::prismatic:
      return 1;
    case JointType::universal:
      return 2;
    case JointType::spherical:
    case JointType::planar:
      return 3;
    case JointType::floating:
      return 6;
  }
  return 0;
}

bool plain_coordinates(JointType type) { return type != JointType::spherical && type != JointType::floating; }

std::optional<PulleyTangent> tangent_to_circle(const Vec3& centre, const Vec3& axis, double radius, const Vec3& to,
                                               double second, bool crossed) {
  // Centre to centre = length along + offset outward, with outward = axis × along.
  const Vec3 between = (to - centre) - axis.dot(to - centre) * axis;
  const double offset = crossed ? radius + second : radius - second, square = between.squaredNorm() - offset * offset;
  if (!(square > 0.0)) return std::nullopt;
  PulleyTangent t;
  t.length = std::sqrt(square);
  t.along = (t.length * between - offset * axis.cross(between)) / between.squaredNorm();
  t.outward = axis.cross(t.along);
  return t;
}

}  // namespace taut
