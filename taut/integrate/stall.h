// Notices that an adaptive integrator no longer gets on, and says why. Every 1000 steps it looks for
//
//   - two neighbouring nodes of a cable that the cable has pulled together, closer than 1e-9 of its length: the force
//     between them keeps its size and loses its direction, they circle each other ever faster;
//   - a cable that has switched between slack and taut a hundred times while the run came less than 1e-6 of its
//   duration
//     further: a damper so hard that the tolerated error of a rate is more tension than there is;
//   - ten thousand steps that came less than 1e-9 of the duration further, or 200 000 that came less than 2e-3 of it,
//   so
//     that the whole would take a hundred million: whatever the reason.
//
// A cause must be there at two looks in a row. Nodes that were together at the start (by a constraint) are none.
#pragma once

#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"

namespace taut {

class StallGuard {
 public:
  // `tolerance` of the integrator: what a rate may be wrong by, m/s.
  StallGuard(const Dynamics& dynamics, double tolerance);

  // Forgets what it has seen before t.
  void begin(double t);
  void switched(int slot) { ++switches_[slot]; }

  // After each step, which ended at t, of a run over `duration`; the terms are of a moment in that step. Throws
  // RunError.
  void step(double t, double duration, const CableTerms& terms) {
    if (++steps_ == window) look(t, duration, terms);
  }

  // A cable whose rest length is driven to next to nothing, or what to change where a damper is too hard for the
  // tolerance, beginning with "; "; empty where there is neither.
  std::string likely_cause(const CableTerms& terms) const;

  static constexpr int window = 1000;  // steps between two looks

 private:
  void look(double t, double duration, const CableTerms& terms);
  // A piece between nodes that have been pulled together, -1 if there is none; and the slot that it belongs to.
  int lost_piece(const CableTerms& terms, int& slot) const;

  const Dynamics& dynamics_;
  double tolerance_;
  int steps_ = 0, slow_looks_ = 0, long_looks_ = 0;
  double since_ = 0.0, slow_since_ = 0.0, long_since_ = 0.0;
  int lost_ = -1, flapping_ = -1;  // what the last look found
  std::vector<char> joined_;       // per piece: without length from the start
  std::vector<int> switches_;      // per slot, since the last look
};

}  // namespace taut
