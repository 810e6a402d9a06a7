// The structure, frozen: nodes, bars, bodies, joints, cables, constraints, actuators, controllers, loads, environment.
// SI units throughout. Everything is resolved here: lengths, inertias and rest lengths are numbers, members refer to
// nodes by index.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taut/base/place.h"
#include "taut/base/types.h"
#include "taut/model/body.h"
#include "taut/model/controller_spec.h"
#include "taut/model/environment.h"
#include "taut/model/frame.h"
#include "taut/model/joint_spec.h"
#include "taut/model/laws/cable_law.h"
#include "taut/model/laws/signal.h"
#include "taut/model/laws/sliding_friction.h"
#include "taut/model/target.h"

namespace taut {

enum class MassModel { consistent, lumped };  // m/6·[2 1; 1 2] per straight piece, or half at each end

struct Node {
  std::string name;
  Vec3 position = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
  Axes fixed = {false, false, false};
  double mass = 0.0;
  bool contact = true;  // whether the ground acts on it
  EntityPlace place{};

  bool operator==(const Node&) const = default;
};

// Whether the ground acts on the node.
inline bool can_touch(const Node& node) { return node.contact && node.fixed != Axes{true, true, true}; }

struct Bar {
  std::string name;
  int a = 0, b = 0;                              // node indices
  double mass = 0.0;                             // kg
  double com = 0.5;                              // centre of mass as a fraction of the length from a
  double inertia = 0.0;                          // kg m², transverse, about the centre of mass; rigid bars only
  double axial_inertia = 0.0;                    // kg m², about the axis; 0: a thin bar
  double spin = 0.0;                             // rad/s, about the axis from a to b, at the start; needs axial_inertia
  double radius = 0.01;                          // m, for contact and pictures
  double drag = 0.0, turning_drag = 0.0;         // N s/m on the centre of mass, N m s on the rotation
  bool elastic = false;                          // two-sided spring EA/L0 instead of a rigid bar
  double EA = 0.0;                               // N
  double yield = 0.0, hardening = 0.0;           // elastic bars: as in CableLaw
  double rest_length = 0;                        // m; rigid bars: the length at the start, also of one that is driven
  MassModel mass_model = MassModel::consistent;  // elastic bars
  std::vector<int> attached;                     // nodes beside its axis that ride on it; then it is a rigid body
  EntityPlace place{};

  bool operator==(const Bar&) const = default;
};

struct Cable {
  std::string name;
  std::vector<int> path;  // node indices, two or more; first == last closes a loop
  CableLaw law;
  double rest_length = 0.0;  // m, of the whole path
  double mass = 0.0;         // kg, of the whole path
  SlidingFriction friction;  // at the inner nodes
  MassModel mass_model = MassModel::consistent;
  EntityPlace place{};

  bool operator==(const Cable&) const = default;
};

// Σ coefficient · position = value, along the chosen axes.
struct Constraint {
  std::string name;
  std::vector<std::pair<int, double>> terms;  // node index, coefficient
  Vec3 value = Vec3::Zero();
  Axes axes = {true, true, true};
  EntityPlace place{};

  bool operator==(const Constraint&) const = default;
};

struct Actuator {
  int cable = 0;
  Signal rest_length;
  EntityPlace place{};

  bool operator==(const Actuator&) const = default;
};

// Drives a bar: the length of a rigid one, the rest length of an elastic one.
struct BarDrive {
  int bar = 0;
  Signal length;  // m
  EntityPlace place{};

  bool operator==(const BarDrive&) const = default;
};

struct Load {
  int node = 0;
  Vec3 force = Vec3::Zero();
  double from = 0.0;
  double to = std::numeric_limits<double>::infinity();
  EntityPlace place{};

  bool operator==(const Load&) const = default;
};

struct Model {
  std::string name;
  Vec3 gravity = {0.0, 0.0, -9.81};
  std::optional<Ground> ground;
  std::optional<Collision> collision;  // of bars with each other
  std::vector<Node> nodes;
  std::vector<Bar> bars;
  std::vector<Body> bodies;
  std::vector<JointSpec> joints;
  std::vector<PulleySpec> pulleys;
  std::vector<Cable> cables;
  std::vector<Constraint> constraints;
  std::vector<Actuator> actuators;
  std::vector<JointDrive> drives;
  std::vector<BarDrive> bar_drives;
  std::vector<ControllerSpec> controllers;
  std::vector<Load> loads;
  std::vector<Frame> frames;  // outputs
  std::vector<WantedTension> wanted_tensions;

  // Compiled once, in model.cpp.
  Model();
  Model(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(const Model&);
  Model& operator=(Model&&) noexcept;
  ~Model();
  bool operator==(const Model&) const = default;
};

// Distance between the end nodes at the start; sum over the pieces of the path.
double start_length(const Model& model, const Bar& bar);
double start_length(const Model& model, const Cable& cable);

// Calls f(node a, node b, fraction of the cable's length) for the pieces of a cable at the start.
template <class F>
void each_fraction(const Model& model, const Cable& cable, const F& f) {
  const double total = start_length(model, cable);
  for (std::size_t k = 0; k + 1 < cable.path.size(); ++k) {
    const int a = cable.path[k], b = cable.path[k + 1];
    const double piece = (model.nodes[b].position - model.nodes[a].position).norm();
    f(a, b, total > 0.0 ? piece / total : 1.0);
  }
}

// Whether there are joints or pulleys: a machine. Then bodies need no nodes and weigh by themselves.
inline bool has_joints(const Model& model) { return !model.joints.empty() || !model.pulleys.empty(); }

// Whether the length of a rigid bar is driven.
bool drives_rigid_bars(const Model& model);

double total_mass(const Model& model);  // kg

// What each node carries of everything attached to it, kg: Σ m_i x_i / Σ m_i is the centre of mass. In a machine
// without the bodies.
std::vector<double> node_masses(const Model& model);

// The cables whose rest length an actuator or a controller drives, ascending.
std::vector<int> driven_cables(const Model& model);

}  // namespace taut
