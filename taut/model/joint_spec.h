// Joints and pulleys as the model has them, in the drawn shape: everything in world coordinates at the start. SI units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/base/place.h"
#include "taut/base/types.h"
#include "taut/model/laws/signal.h"

namespace taut {

// What a joint holds: the ground, a body or a rigid bar.
struct Carrier {
  enum class Kind { ground, body, bar } kind = Kind::ground;
  int index = -1;  // in the model's list; -1 for the ground

  bool operator==(const Carrier&) const = default;
};

enum class JointType { fixed, revolute, prismatic, universal, spherical, planar, floating };
enum class JointRole { any, tree, loop };  // in the spanning tree; any: taut chooses

const char* name(JointType type);
const char* name(JointRole role);
int joint_velocities(JointType type);    // numbers of v
bool plain_coordinates(JointType type);  // q are as many numbers as v; not so with quaternions

// Frame of the joint, a direction per row. Axis of a revolute and a prismatic joint and normal of a plane: the third.
// Universal: the first is the axis on the predecessor, the second that on the successor.
struct JointSpec {
  std::string name;
  JointType type = JointType::fixed;
  Carrier predecessor, successor;
  Vec3 at_predecessor = Vec3::Zero(), at_successor = Vec3::Zero();  // m; apart where the drawn shape is not closed yet
  std::vector<int> at_nodes;                                        // whose positions these are: none, one or two
  Mat3 frame = Mat3::Identity();
  JointRole role = JointRole::any;
  std::vector<double> position;              // q in the drawn shape; empty: 0
  std::optional<std::vector<double>> start;  // q at t = 0 where it differs from the drawn shape
  std::vector<double> velocity;              // at t = 0; empty: as its bodies move
  // Per velocity, or empty: N m/rad or N/m, rad or m, N m s/rad or N s/m, N m or N, rad/s or m/s.
  std::vector<double> stiffness, rest, damping, friction, slip_speed;
  EntityPlace place{};

  bool operator==(const JointSpec&) const = default;
};

enum class PulleyVariant { rigid, u, epsilon, l };  // the second coordinate of the involute joint

const char* name(PulleyVariant variant);

// A cable that unwinds from a pulley on a body, to a node or to a second pulley.
struct PulleySpec {
  struct Wheel {
    Carrier body;
    Vec3 centre = Vec3::Zero();  // m
    double radius = 0.0;         // m

    bool operator==(const Wheel&) const = default;
  };

  std::string name;
  Wheel wheel;
  Vec3 axis = Vec3::UnitZ();  // unit; a positive torque on the pulley about it winds the cable up
  int node = -1;              // where the cable ends; -1: on the second pulley
  Wheel second;               // its axis is parallel; with `node`: its body is the cable's end, or the ground if none
  bool crossed = false;       // the cable passes between the two pulleys
  PulleyVariant variant = PulleyVariant::epsilon;
  double EA = 0.0;               // N
  double damping = 0.0;          // viscosity × area, N s
  bool clip = true;              // false: the raw stress while ε > 0
  bool conservative = false;     // torques as the gradient of the energy
  double strain = 0.0;           // in the drawn shape
  std::optional<double> length;  // of the whole cable with what is wound up, m
  EntityPlace place{};

  bool operator==(const PulleySpec&) const = default;
};

// What drives a joint's velocity coordinate: an imposed position or a torque (a force along a slide).
struct JointDrive {
  int joint = 0;
  int coordinate = 0;
  bool imposed = false;
  Signal signal;
  EntityPlace place{};

  bool operator==(const JointDrive&) const = default;
};

// Results of joints and pulleys, the columns of a row: q, v and, where driven, the torque of each joint ("hinge.angle",
// "hinge.angle_rate", "hinge.torque"), then q, v, length and tension of each pulley.
struct Model;
std::vector<std::string> joint_columns(const Model& model);

// Where a cable leaves a pulley: the direction along the cable, that from the centre to where it leaves, and the length
// to where it meets a second circle with a parallel axis, on the same or (crossed) the other side of the cable; a point
// is a circle of radius 0. along × outward = axis. Nothing: the circles have no such tangent.
struct PulleyTangent {
  Vec3 along = Vec3::Zero(), outward = Vec3::Zero();
  double length = 0.0;  // m
};
std::optional<PulleyTangent> tangent_to_circle(const Vec3& centre, const Vec3& axis, double radius, const Vec3& to,
                                               double second = 0.0, bool crossed = false);

}  // namespace taut
