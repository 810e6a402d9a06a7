// Models made in C++, part by part. Each function adds one thing and returns its number in the model's list of them,
// which is how other parts refer to it:
//
//   Model m;
//   const int a = add_node(m, "a", {0, 0, 0}), b = add_node(m, "b", {0, 0, 1});
//   add_bar(m, a, b, {.mass = 1.0});
//   add_cable(m, {a, d}, {.stiffness = 500, .rest_length = 0.2});
//   m.ground = Ground{.friction = 0.5};
//   validate(m);  // check/check.h: throws InputError with everything that is wrong
//
// Numbers that are left out are those of a model file without the key. SI units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

inline constexpr Axes all_axes = {true, true, true};

struct NodeOptions {
  double mass = 0.0;  // kg, besides that of members
  Axes fixed = {};    // which of x, y, z stay as they are
  Vec3 velocity = Vec3::Zero();
  bool contact = true;  // whether the ground acts on it
};
int add_node(Model& model, std::string name, const Vec3& position, const NodeOptions& options = {});
int add_node(Model& model, const Vec3& position, const NodeOptions& options = {});  // called n1, n2, ... by its number

// A uniform rigid rod between two nodes, or with EA an elastic one, which is a two-sided spring EA/rest_length.
struct BarOptions {
  double mass = 0.0;                       // kg
  std::string name = {};                   // "a-b" by its nodes, with -2, -3, ... after a repeat
  double radius = 0.01;                    // m, for contact and pictures
  double com = 0.5;                        // centre of mass as a fraction of the length from a
  std::optional<double> inertia = {};      // kg m², transverse, about the centre of mass; m L²/12
  double axial_inertia = 0.0;              // kg m²
  double drag = 0.0;                       // N s/m, on the centre of mass
  double EA = 0.0;                         // N; above 0: elastic
  std::optional<double> rest_length = {};  // m, of elastic bars; the distance of the nodes
};
int add_bar(Model& model, int a, int b, const BarOptions& options = {});

// A cable through two nodes or more, linear unless a law is given. Its rest length is given, or follows from its tension
// at the start.
struct CableOptions {
  double stiffness = 0.0;                  // N/m
  std::optional<double> EA = {};           // N, in place of the stiffness, which then follows the rest length
  std::optional<double> rest_length = {};  // m, of the whole path
  double tension = 0.0;                    // N, at the start, where no rest length is given
  double damping = 0.0;                    // N s/m
  std::string name = {};                   // "a-b" by its ends, with -2, -3, ... after a repeat
  double mass = 0.0;                       // kg
  std::optional<CableLaw> law = {};        // in place of stiffness, EA and damping
  SlidingFriction friction = {};           // at inner nodes
};
// Throws InputError: no rest length makes that tension.
int add_cable(Model& model, std::vector<int> path, const CableOptions& options);

// Holds a node along some axes.
void add_support(Model& model, int node, const Axes& axes = all_axes);
// A force on a node, N, for a time or for ever.
void add_load(Model& model, int node, const Vec3& force, double from = 0.0,
              double to = std::numeric_limits<double>::infinity());

// What drives a rest length over time, and signals for it (laws/signal.h has more).
int add_actuator(Model& model, int cable, Signal rest_length);
// The same of a bar: the length of a rigid one, which is the distance of its nodes at t = 0, or the rest length of an
// elastic one.
int drive_length(Model& model, int bar, Signal length);
Signal constant_signal(double value);
Signal step_signal(double before, double after, double at);
Signal ramp_signal(double from, double to, double start, double end);
Signal sine_signal(double mean, double amplitude, double period, double phase = 0.0);  // phase in rad

// A body, a bar or the ground as what a joint holds. Throws InputError where nothing has that name.
Carrier body_carrier(const Model& model, const std::string& name);
Carrier bar_carrier(const Model& model, const std::string& name);
inline Carrier ground_carrier() { return {}; }

// A joint at a place of the world; the frame's third row is the axis of a revolute or a prismatic one (shape/
// joint_frame.h: frame_about). The reference is good until the next joint is added.
JointSpec& add_joint(Model& model, const std::string& name, JointType type, const Carrier& predecessor,
                     const Carrier& successor, const Vec3& at, const Mat3& frame = Mat3::Identity());
// A torque over time on a coordinate of a joint, N m or N, or a position that it is moved to, rad or m.
void drive_torque(Model& model, int joint, Signal torque, int coordinate = 0);
void drive_position(Model& model, int joint, Signal position, int coordinate = 0);

}  // namespace taut
