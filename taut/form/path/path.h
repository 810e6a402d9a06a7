// A path of equilibria: loads or weight that grow from 0 to `to` times what the model has, or rest lengths that go from
// what they are (0) to other values (1) and on to `to`. Followed by arc length (form/path/path_system.h), so that the path
// may turn back; where the stiffness becomes singular on the way, the point is found and reported:
//
//   limit point   p turns back: beyond it there is no equilibrium nearby, the structure snaps;
//   bifurcation   p goes on, but another path crosses, and the structure leaves along φ (buckling); or p turns back
//                 because this path is the one that crosses another, at the top or the bottom of it;
//   slack         a cable becomes slack or taut, and stiffness is lost at once: the path has a corner, or ends.
//
// The path that a loaded structure takes by itself ends where it becomes unstable. `through` goes on. `branch` leaves
// it at the first bifurcation: from x along φ, the motion that becomes free there, to the equilibrium in the plane φᵀ(x
// - x_b) = s, which the old path does not meet, and from there by arc length as before.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "taut/form/path/path_system.h"

namespace taut {

struct PathOptions {
  PathKind kind = PathKind::loads;
  double to = 1.0;
  std::vector<std::pair<int, double>> rest_lengths;  // cable, m at p = 1
  bool through = false;
  int branch = 0;                                       // 1: along φ at the first bifurcation, -1: against it
  int points = 2000;                                    // at most
  double longest_step = 0.05;                           // of s
  std::function<void(long points, double p)> progress;  // may be empty
  const std::atomic<bool>* stop = nullptr;
};

enum class PathEventKind { limit, bifurcation, slack };

struct PathEvent {
  PathEventKind kind = PathEventKind::limit;
  PathPoint at;
  int motions = 1;  // that become free at once
  int node = -1;    // that moves furthest in the motion φ that becomes free
  Vec3 along = Vec3::Zero();
  bool lost = true;         // stability, or regained
  bool crosses = false;     // another path, with as many unstable directions before as after
  bool followed = false;    // the path goes on along the branch
  std::vector<int> cables;  // that switch: of a slack event, or of a limit point that is a corner
};

struct PathResult {
  bool complete = false;  // p = to was reached
  std::string reason;     // why not, in a sentence
  std::vector<std::string> notes;
  std::vector<PathPoint> points;
  std::vector<PathEvent> events;
  Model model;  // at the last point
  int newton_steps = 0;
};

// Throws InputError where the model has no loads, weight or cables to follow, or the nodal formulation refuses it.
PathResult follow_path(const Model& model, const PathOptions& options);

// "limit point" and so on.
const char* name(PathEventKind kind);
// "a limit point at 0.83 of the load".
std::string event_text(const Model& model, const PathEvent& event, PathKind kind);

}  // namespace taut
