// Turns a state into a row of results.
#pragma once

#include "taut/dynamics/dynamics.h"
#include "taut/model/shape/body_pose.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/results/sample.h"

namespace taut {

class Observer {
 public:
  Observer(const Dynamics& dynamics, double duration);
  Sample& observe(const State& state);              // all but the controls
  const Sample& sample() const { return sample_; }  // the last row
  Terms& terms() { return terms_; }
  FramePoses& frames() { return frames_; }                       // which remember axes from row to row
  double bar_length_error() const { return bar_length_error_; }  // of the last row

 private:
  void observe_driven_bars(double t);

  const Dynamics& dynamics_;
  Terms terms_;
  Eigen::VectorXd rate_;
  FramePoses frames_;
  BodyPoses bodies_;  // where the formulation knows nothing but nodes
  Sample sample_;
  double bar_length_error_ = 0.0;
};

}  // namespace taut
