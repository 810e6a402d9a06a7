// What from_model.cpp and from_model_joints.cpp share: a machine in the making, in the drawn shape.
#pragma once

#include "taut/formulation/multibody/from_model.h"

namespace taut::from_model {

// Angular velocity, and the velocity of the point at `position`, in the world.
struct Twist {
  Vec3 turn = Vec3::Zero(), velocity = Vec3::Zero(), position = Vec3::Zero();

  bool any() const { return turn != Vec3::Zero() || velocity != Vec3::Zero(); }
  Vec3 at(const Vec3& p) const { return velocity + turn.cross(p - position); }
};

struct Builder {
  const Model& model;
  ModelMachine result;
  std::vector<multibody::Transform> poses;  // from the world to each body's frame
  std::vector<Twist> twists;                // of each body
  std::vector<std::vector<int>> owners;     // per node: the bodies that it is on
  std::vector<int> body_of, bar_body;       // of the model's bodies and bars

  explicit Builder(const Model& m);

  void add_bodies();
  void add_bars();
  void add_nodes();
  void add_joints();
  void add_shared_nodes();
  void add_pulleys();
  int add_cable_end(const PulleySpec& spec, int pulley, int target, double length);
  void add_floating();
  void free_looped_cables();
  void add_sums_and_distances();
  void note_supports();  // joints that hold a fixed node

  int add_body(multibody::RigidBody body, const Vec3& origin, const Twist& twist);
  // A joint whose frames on both sides are given in the world; returns its number.
  int connect(const std::string& name, const multibody::JointKind& kind, int predecessor, int successor,
              const multibody::Transform& on_predecessor, const multibody::Transform& on_successor);
  int carrier(const Carrier& c) const;
  Vec3 origin(int body) const { return body == multibody::ground ? Vec3::Zero() : poses[body].r; }
  multibody::Transform pose(int body) const { return body == multibody::ground ? multibody::Transform{} : poses[body]; }
  Twist twist(int body) const { return body == multibody::ground ? Twist{} : twists[body]; }
};

}  // namespace taut::from_model
