// Rules for single values, for cable laws, for signals and for contact: the pieces of check.h.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "taut/model/check/check.h"

namespace taut {

// Collects findings about one entity.
class Entity {
 public:
  Entity(std::vector<Finding>& findings, EntityKind kind, int index)
      : findings_(findings), kind_(kind), index_(index) {}

  void say(std::string key, std::string message) const {
    findings_.push_back({kind_, index_, std::move(key), std::move(message)});
  }
  bool finite(const char* key, double v) const {
    if (std::isfinite(v)) return true;
    say(key, fmt::format("is not a finite number ({})", v));
    return false;
  }
  void finite(const char* key, const Vec3& v) const {
    if (!v.allFinite()) say(key, fmt::format("is not finite ([{}, {}, {}])", v.x(), v.y(), v.z()));
  }
  void not_negative(const char* key, double v) const {
    if (finite(key, v) && v < 0.0) say(key, fmt::format("is negative ({}): expected 0 or more", v));
  }
  void positive(const char* key, double v) const {
    if (finite(key, v) && v <= 0.0) say(key, fmt::format("is {}: expected a number above 0", v));
  }

 private:
  std::vector<Finding>& findings_;
  EntityKind kind_;
  int index_;
};

void check_yield(const Entity& entity, double yield, double hardening);
void check_law(const Entity& entity, const CableLaw& law);
void check_damping(const Entity& entity, const Cable& cable);
void check_friction(const Entity& entity, const Cable& cable);
// Under the key of its owner: rest_length, length, position, torque.
void check_signal(const Entity& entity, const Signal& signal, const std::string& owner);
// The whole list: each by itself, and no cable driven twice.
void check_controllers(const Model& model, std::vector<Finding>& findings);
void check_steer(const Entity& entity, const Model& model, const ControllerSpec& spec);
void check_ground(const Entity& environment, const Ground& ground);
void check_collision(const Entity& environment, const Collision& collision);
// Numbers and nodes of all bodies, and of the nodes attached to a bar; and, at the start, that nodes span the mass.
void check_bodies(const Model& model, std::vector<Finding>& findings);
void check_attached(const Entity& entity, const Model& model, const Bar& bar);
// Joints, pulleys and their actuators.
void check_joints(const Model& model, std::vector<Finding>& findings);
// Actuators of bars.
void check_bar_drives(const Model& model, std::vector<Finding>& findings);
void check_start_bodies(const Model& model, std::vector<Finding>& findings);
// Every linear constraint is met at the start; if not, what it contradicts.
void check_constraints(const Model& model, std::vector<Finding>& findings);
// Names, nodes and bases of all frames; and, at the start, that their nodes span a triangle.
void check_frames(const Model& model, std::vector<Finding>& findings);
void check_start_frames(const Model& model, std::vector<Finding>& findings);
void check_targets(const Model& model, std::vector<Finding>& findings);
// At the start nothing is below the ground and no bars cross.
void check_start_contact(const Model& model, std::vector<Finding>& findings);

}  // namespace taut
