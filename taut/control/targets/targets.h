// Where the targets of a controller are, how fast they move, and where they should be.
//
// Angles of frames are ZYX Euler angles of R = [x y z] (frame_pose.h). Their rates, from Ṙ of the frame on three moving
// nodes:  yaw˙ = (R₀₀ Ṙ₁₀ - R₁₀ Ṙ₀₀)/(R₀₀² + R₁₀²),  pitch˙ = -Ṙ₂₀/cos(pitch),  roll˙ = (R₂₂ Ṙ₂₁ - R₂₁ Ṙ₂₂)/(R₂₁² +
// R₂₂²). They are as each time has them, between -π and π: errors jump where they do.
#pragma once

#include <Eigen/Core>

#include "taut/control/controller.h"
#include "taut/model/joint_columns.h"
#include "taut/model/laws/spline.h"
#include "taut/model/shape/frame_pose.h"

namespace taut {

// A path in time: a spline that rests before its first and after its last row; of one row, or set by hand: a point.
class TimedPath {
 public:
  TimedPath() = default;
  TimedPath(const ControlPath& path, int dimension);

  bool given() const { return point_.size() > 0 || spline_.times().size() > 1; }
  void stay_at(const Eigen::VectorXd& point) { point_ = point; }
  // The derivative of an order: 0 the value, 1 the rate, 2 the second.
  void evaluate(double t, int order, Eigen::VectorXd& result) const;

 private:
  HermiteSpline spline_;
  Eigen::VectorXd point_;
};

class Targets {
 public:
  Targets(const Model& model, const ControllerSpec& spec);

  int size() const { return static_cast<int>(targets_.size()); }
  // At t = 0. Without a path the targets are to stay where they are now.
  void begin(const Observation& start);

  // Numbers that it remembers, and as they are at first: the axes of frames, which stay as they were while the nodes lie
  // in one line.
  int memory() const { return 9 * static_cast<int>(frames_.size()); }
  void begin_memory(double* memory) const;
  // m, rad, N and their rates; a rate that is not measured is 0. Without a memory the axes are those of the world where
  // they would stay.
  void measure(const Observation& now, double* memory, Eigen::VectorXd& value, Eigen::VectorXd& rate);
  // As the path has it at t: its value (order 0), rate (1) or second rate (2).
  void wanted(double t, int order, Eigen::VectorXd& result) const { path_.evaluate(t, order, result); }

 private:
  struct MovingPose {
    Pose pose;
    Vec3 velocity = Vec3::Zero();
    Mat3 rate = Mat3::Zero();  // Ṙ
  };
  MovingPose place(int frame, const Observation& now, double* memory) const;
  void measure_frame(const ControlTarget& target, const Observation& now, double* memory, double& value,
                     double& rate) const;

  const Model& model_;
  std::vector<ControlTarget> targets_;
  JointColumns columns_;
  std::vector<int> pulley_coordinates_;
  std::vector<int> frames_;  // of the targets, and what they are relative to
  TimedPath path_;
};

// Gains, one for each target; none given: 0.
Eigen::VectorXd target_gains(const std::vector<double>& given, int targets);

}  // namespace taut
