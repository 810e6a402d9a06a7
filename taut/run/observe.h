// Turns a state into a row of results.
#pragma once

#include "taut/dynamics/dynamics.h"
#include "taut/model/frame_pose.h"
#include "taut/run/sample.h"

namespace taut {

class Observer {
 public:
  Observer(const Dynamics& dynamics, double duration);
  Sample& observe(const State& state);  // all but the controls
  Terms& terms() { return terms_; }
  double bar_length_error() const { return bar_length_error_; }  // of the last row

 private:
  const Dynamics& dynamics_;
  Terms terms_;
  Eigen::VectorXd rate_;
  FramePoses frames_;
  Sample sample_;
  double bar_length_error_ = 0.0;
};

}  // namespace taut
