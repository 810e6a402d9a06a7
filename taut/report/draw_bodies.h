// Bodies, drums and joints for pictures: what is drawn, and which of the poses of a row it follows.
//
//   a body           its shape; without one, where nothing else shows it, the uniform box of the same mass and inertia
//   a drum           of a pulley; a cylinder that is the drum itself is not drawn twice
//   a joint          pins for axes, a ball, a sleeve on its rail, a plate that slides
//   an arm           from a body's centre to its nodes and joints that lie outside its shape
#pragma once

#include <vector>

#include "taut/report/report.h"

namespace taut {

struct BodyPicture {
  BodyPicture() = default;
  explicit BodyPicture(const Model& model);

  // The poses of the bodies below, of all those that a row has; nothing where it has none.
  std::vector<double> poses(const std::vector<double>& row) const;

  std::vector<ReportBody> bodies;
  std::vector<ReportSolid> solids;
  std::vector<ReportPulley> pulleys;  // in the model's order; cable: their number after the model's cables
  std::vector<std::size_t> posed;     // of each body its number in a row's poses
};

// The cable of a pulley as it lies at an instant: wound on its drum, straight, wound on a second one. `wound`: the
// angle on the drum, rad.
struct CableCourse {
  Vec3 leaves = Vec3::Zero(), meets = Vec3::Zero();  // ends of the straight piece
  std::vector<Vec3> on_first, on_second;             // from there on round the drum, even steps
};
// `poses`: of picture.bodies; `end`: where the cable's node is; `free`: length that is not wound, m.
CableCourse cable_course(const ReportPulley& pulley, const std::vector<double>& poses, const Vec3& end, double free);

// The angle that is wound on the first drum: one turn at most, which is all that shows.
double wound_angle(const ReportPulley& pulley, double free);

}  // namespace taut
