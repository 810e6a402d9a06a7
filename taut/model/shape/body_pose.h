// Where bodies are: x, y, z of the centre, m, and the quaternion w, x, y, z (w ≥ 0) of the turn since the drawn shape.
// The frame of a body has its origin at the centre and, in the drawn shape, the axes of the world; that of a bar
// likewise.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "taut/model/model.h"

namespace taut {

inline constexpr std::size_t pose_columns = 7;
inline constexpr std::array<const char*, pose_columns> pose_names = {"x", "y", "z", "qw", "qx", "qy", "qz"};

// Whose poses a row of results holds: all bodies, then the bars that a joint or a pulley holds.
std::vector<Carrier> posed_carriers(const Model& model);
const std::string& carrier_name(const Model& model, const Carrier& carrier);  // not of the ground

// Centre of mass in the drawn shape; of the ground the origin.
Vec3 drawn_centre(const Model& model, const Carrier& carrier);

// Writes pose_columns numbers. `turn`: columns are where the axes have gone.
void put_pose(const Vec3& centre, const Mat3& turn, double* pose);

// The poses of bodies from three nodes on each, for formulations that know nothing but nodes. A body whose nodes are in
// one line keeps the orientation of the drawn shape.
class BodyPoses {
 public:
  BodyPoses() = default;
  explicit BodyPoses(const Model& model);

  // `nodes`: 3 numbers per node.
  void place(const std::vector<double>& nodes, double* poses) const;

 private:
  struct OnNodes {
    std::array<int, 3> nodes{};
    bool turns = false;            // they are not in one line
    Mat3 axes = Mat3::Identity();  // of the frame on the nodes in the drawn shape
    Vec3 arm = Vec3::Zero();       // from its origin to the centre, in that frame
  };
  std::vector<OnNodes> bodies_;
};

}  // namespace taut
