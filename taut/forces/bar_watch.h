// Notices bars that went through each other, which a step that is too long, or a stiffness that is too low, lets them
// do: on the other side contact presses them apart, and nothing in the forces tells.
//
// Between two looks every node is taken to move on a straight line. Two axes meet where the volume a·(b × c) of their
// four ends, a cubic in time, changes its sign and the point lies inside both; where it is zero all the time (bars that stay in
// one plane), where their distance is. Only bars that may collide are looked at; bars that touch but do not go through
// are not found, nor are bars that go through and back between two looks. The motion does not depend on it.
//
// Broad phase as for contact (collision.h): a list of pairs, kept while no node has moved farther than half its margin.
#pragma once

#include <utility>
#include <vector>

#include "taut/base/aligned.h"
#include "taut/forces/bar_pass.h"
#include "taut/forces/collision.h"

namespace taut {

// When, as a part of the way from the ends `from` (a0, a1, b0, b1) to the ends `to`, two axes first go through each
// other; NaN: they do not. Axes nearer than `touching` count as meeting where they stay in one plane.
double pass_time(const double* const from[4], const double* const to[4], double touching);

class BarWatch {
 public:
  static constexpr std::size_t most_passes = 1000;

  explicit BarWatch(const RodContact& collision);

  bool any() const { return any_; }
  // Positions of the nodes (stride 4) from where it goes on, as at the start or after something has jumped.
  void begin(double t, const double* x);
  // The positions at a later time; appends to `passes` the pairs that are not there yet, up to most_passes.
  void look(double t, const double* x, std::vector<BarPass>& passes);

 private:
  void keep_list(const double* x);

  bool any_;
  const RodContact* collision_;
  double t_ = 0.0, margin_ = 0.0;
  AlignedDoubles last_, reference_;  // positions at the last look, and when the list was made
  std::vector<std::pair<int, int>> list_;
  NearRoom room_;
};

}  // namespace taut
