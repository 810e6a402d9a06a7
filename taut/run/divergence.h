// Notices that a motion is no longer the structure's, long before its numbers end.
//
// The balance of energy (kinetic + elastic + gravity + contact + dissipated - work) stays as it is at the start in every
// exact motion. Here it may be off by what an inaccurate method loses or gains, but not by ten times all the energy that
// there is to have: that of the start, the work done, and what gravity gave. Motion within rounding of the start (1e-6
// of the structure's size) does not count.
#pragma once

#include "taut/results/sample.h"
#include "taut/run/engine.h"

namespace taut {

// By how much the balance is off against that of the first row, and what energy there is to have, J.
struct EnergyOff {
  double off, in_play;
};
EnergyOff energy_off(const std::array<double, energy_columns>& first, const std::array<double, energy_columns>& now);

class DivergenceWatch {
 public:
  // `step` of the fixed-step methods, s.
  DivergenceWatch(const Engine& engine, double step) : engine_(engine), step_(step) {}

  // Each row, the first one at the start. Throws RunError with when, where, by how much, and the step that would be
  // stable.
  void look(const Sample& sample);

 private:
  [[noreturn]] void fail(const Sample& sample, double off, double in_play) const;

  const Engine& engine_;
  double step_;
  std::vector<double> start_;  // nodes at the start, m
  std::array<double, energy_columns> first_{};
  double size_ = 0.0;  // m
};

}  // namespace taut
