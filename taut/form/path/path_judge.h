// Small judges: what two neighbouring points of a path, a and b, a step of the arc apart, say about what lies between.
#pragma once

#include "taut/form/path/path.h"

namespace taut {

// From a to b, along the path at a.
double ahead(const PathSystem& system, const PathPoint& a, const PathPoint& b);

// Newton's method may go over to another part of the path, or to another path. Where b is far from where the tangent at a
// pointed, or the path has turned much, a shorter step tells.
bool is_smooth(const PathSystem& system, const PathPoint& a, const PathPoint& b, double step);

// A cable switches, and the path turns at once.
bool is_corner(const PathSystem& system, const PathPoint& a, const PathPoint& b, double step);

// A cable switches, and the path comes back on the other side of the switch, almost where it was.
bool turns_round(PathSystem& system, const PathPoint& a, const PathPoint& b, double step);

// The step from a to b runs through `origin`, the same way.
bool runs_through(const PathSystem& system, const PathPoint& a, const PathPoint& b, const PathPoint& origin);

// p grows at one of them and falls at the other.
bool p_turns(const PathPoint& a, const PathPoint& b);

// More than one thing happens between them: a shorter step parts them.
bool several_events(PathSystem& system, const PathPoint& a, const PathPoint& b, double step);

// The one thing that happens between them: p turns, or the number of unstable directions changes.
PathEvent event_between(PathSystem& system, const PathPoint& a, const PathPoint& b, double step, bool turns);

}  // namespace taut
