// What the coordinates and velocities of joints and pulleys are called, and where each of them begins in a row of
// joint_columns() (joint_spec.h).
#pragma once

#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

// "angle", "phi", "qw", ...; of velocities "angle_rate", "wx", ...
std::vector<std::string> coordinate_names(JointType type);
std::vector<std::string> velocity_names(JointType type);
std::vector<std::string> coordinate_names(const PulleySpec& pulley);

// The first column of each: there q begins, then v, as many as names; then the torques of a joint that is driven, or
// length and tension of a pulley's cable.
struct JointColumns {
  std::vector<int> joints, pulleys;
};
JointColumns first_joint_columns(const Model& model);

}  // namespace taut
