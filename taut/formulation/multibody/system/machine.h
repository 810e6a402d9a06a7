// A machine: rigid bodies, the joints between them, points on them. A graph: which joints make the tree and which
// close loops is chosen in topology.h. SI units; `ground` is the body that does not move.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taut/base/error.h"
#include "taut/formulation/multibody/joints/joint.h"

namespace taut::multibody {

inline constexpr int ground = -1;

// In its own frame, which may lie anywhere.
struct RigidBody {
  std::string name;
  double mass = 0.0;            // kg; 0 is allowed where loops determine the motion
  Vec3 centre = Vec3::Zero();   // of mass, m
  Mat3 inertia = Mat3::Zero();  // kg m², about the centre
  bool weighs = true;           // false: its weight comes with the forces on its points
  // Turns that nothing drives, that move no point and that are at rest (1: a thin rod about its axis, 3: a point mass).
  // The inertia about them must be positive but has no influence; they do not count as degrees of freedom.
  int idle_turns = 0;
  // Angular velocity and velocity of the frame's origin at the start, in the world's axes; none: as its joint says.
  std::optional<std::pair<Vec3, Vec3>> motion{};
  EntityPlace place{};  // of what it stands for, as of all below
};

using JointPosition = std::array<double, 7>;  // the first nq
using JointVelocity = std::array<double, 6>;  // the first nv
// Functions of time, s. Motion: q, v = S⁻¹ v_J and v̇, which must be derivatives of each other. Torque: on v.
using MotionOfTime = std::function<void(double t, double* q, double* v, double* v_rate)>;
using TorqueOfTime = std::function<void(double t, double* torque)>;

enum class Role { any, tree, loop };  // what the user wants a joint to be

struct Connection {
  std::string name;
  Joint joint;
  int predecessor = ground, successor = ground;  // bodies
  Transform at_predecessor, at_successor;        // from the body's frame to the joint's frame on it
  Role role = Role::any;
  std::optional<JointPosition> start;  // q at t = 0, kept; without it q is found from the guess
  std::optional<JointPosition> guess;
  JointVelocity velocity{};  // at t = 0, the nearest that fits the loops is taken
  // Kept, and the others follow: such joints are in the tree. (`start` alone is kept wherever the joint is in the
  // tree.)
  bool velocity_given = false, start_given = false;
  MotionOfTime motion;  // imposed: the torque follows
  TorqueOfTime torque;  // applied
  EntityPlace place{};
};

struct Point {
  std::string name;
  int body = ground;
  Vec3 position = Vec3::Zero();  // in the body's frame
};

// Two points that keep their distance: a rigid cable, a rod without mass.
struct Distance {
  std::string name;
  int a = 0, b = 0;     // points
  double length = 0.0;  // m
  EntityPlace place{};
};

// Σ coefficient · position of points = value, along one axis of the world.
struct PointSum {
  std::string name;
  std::vector<std::pair<int, double>> terms;  // point, coefficient
  int axis = 0;
  double value = 0.0;
  EntityPlace place{};
};

struct Machine {
  Vec3 gravity = {0.0, 0.0, -9.81};  // m/s²
  std::vector<RigidBody> bodies;
  std::vector<Connection> joints;
  std::vector<Point> points;
  std::vector<Distance> distances;
  std::vector<PointSum> sums;
};

std::string body_name(const Machine& machine, int body);  // "ground" for the ground

// What is wrong with each entry by itself: indices, a joint that joins a body with itself, sizes, frames that are not
// turned only, numbers that are not finite. Throws InputError with all of it.
void check(const Machine& machine);

// The guesses of all joints that have neither start nor guess from where the bodies are: the transform from the world
// to the frame of each.
void guess_from_poses(Machine& machine, const std::vector<Transform>& bodies);

}  // namespace taut::multibody
