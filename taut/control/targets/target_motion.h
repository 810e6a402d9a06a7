// Where the targets of a controller are and how they move, in any formulation. With node accelerations ẍ and v̇,
//
//   y = y(nodes, q),   ẏ,   ÿ = Σ g·ẍ + Σ c v̇ + d
//
// g are derivatives by the positions of nodes, c those by coordinates of joints, d what velocities alone do. All of it
// is exact: closed forms, or rates carried along the computation (jet.h).
//
//   node    x, y, z                                       frame   x, y, z, yaw, pitch, roll as in model/frame_pose.h
//   joint   a coordinate that is plain                    cable   length of the path
//   pulley  a coordinate, or the length of the cable
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/model/controller_spec.h"

namespace taut {

class TargetMotion {
 public:
  // Throws InputError for a target that does not exist or whose acceleration is not that of a position: tensions,
  // quaternions, joints that close a loop or that the model moves by itself. The dynamics must outlive this.
  TargetMotion(const Dynamics& dynamics, std::vector<ControlTarget> targets);

  int size() const { return static_cast<int>(targets_.size()); }
  const std::vector<std::string>& names() const { return names_; }                         // "tip.z"
  const char* unit(int target) const { return units_[static_cast<std::size_t>(target)]; }  // of accelerations: "m/s²"

  // At the placed nodes of the terms. Empty, or why some target has no value here.
  std::string place(const double* q, const double* v, const Terms& terms);

  const Eigen::VectorXd& value() const { return value_; }  // m or rad
  const Eigen::VectorXd& rate() const { return rate_; }    // per s

  // ÿ of the placed targets, from accelerations of nodes (stride 4) and v̇.
  void accelerations(const double* nodes, const double* v_rate, Eigen::VectorXd& out) const;
  // What ÿ cannot exceed when no node's acceleration exceeds `node` along an axis and no v̇ exceeds `v_rate`.
  double reach(int target, double node, double v_rate) const;

 private:
  struct OfNode {
    int node;
    Vec3 by;
  };
  struct OfVelocity {
    int velocity;
    double by;
  };
  struct TargetTerms {
    std::vector<OfNode> nodes;
    std::vector<OfVelocity> velocities;
    double drift = 0.0;
    int coordinate = -1;     // of q, where it is one
    bool is_length = false;  // of a pulley's cable
  };

  void check(const ControlTarget& target);
  void add_coordinate(const ControlTarget& target, const std::string& owner, const JointIndices& at, TargetTerms& sum);
  bool place_frame_target(const Frame& frame, int column, const Terms& terms, int target);
  bool place_cable(const Cable& cable, const Terms& terms, int target);
  void place_pulley_length(const double* q, const double* v, int target);

  const Dynamics* dynamics_;
  std::vector<ControlTarget> targets_;
  std::vector<std::string> names_;
  std::vector<const char*> units_;
  std::vector<TargetTerms> sums_;
  Eigen::VectorXd value_, rate_;
};

}  // namespace taut
