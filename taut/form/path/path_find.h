// Points on a path of equilibria between two that are known, a and b, a step of the arc apart.
#pragma once

#include <vector>

#include "taut/form/path/path_system.h"

namespace taut {

// p = to, by bisection of the arc: where Newton's method at this p does not get there.
PathPoint find_end(PathSystem& system, const PathPoint& a, const PathPoint& b, double step, double to);

// dp/ds = 0, by false position (Illinois) and halves in turn: where a cable switches, dp/ds jumps over 0. Then
// `switched` has these cables, and the point is the last before.
PathPoint find_turn(PathSystem& system, const PathPoint& a, const PathPoint& b, double step,
                    std::vector<int>& switched);

// Where the number of unstable directions changes. `switched`: as above, where the stiffness jumps or fades with them.
PathPoint find_change(PathSystem& system, const PathPoint& a, const PathPoint& b, double step,
                      std::vector<int>& switched);

// From the last point before a corner at which the path turns back by more than a right angle, so that no plane across
// it meets what follows: the path may turn in p or in the motion. False if nothing is met there that has other cables
// slack, of those that are about to switch.
bool find_beyond_corner(PathSystem& system, const PathPoint& at, const std::vector<int>& switching, PathPoint& next);

// A cable that has switched from a to b, a short step, switches back further on: the path turns round between them, and
// b is met only as what is left to the cable is less than rounding.
bool switches_back(PathSystem& system, const PathPoint& a, const PathPoint& b);

// Cables that are almost slack, or almost taut; `largest`: the tension that the path has had, N. Where all tension
// fades together, it tells how little is left.
std::vector<int> about_to_switch(PathSystem& system, const PathPoint& at, double largest);

}  // namespace taut
