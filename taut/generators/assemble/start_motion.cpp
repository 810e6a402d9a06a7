#include "taut/generators/assemble/start_motion.h"

#include <Eigen/Geometry>

namespace taut {

namespace {

Vec3 vector_of(const Numbers& numbers, const std::string& key) {
  return {numbers.number(key + "_x"), numbers.number(key + "_y"), numbers.number(key + "_z")};
}

}  // namespace

std::vector<Parameter> motion_parameters() {
  std::vector<Parameter> list;
  for (const char* axis : {"x", "y", "z"}) {
    list.push_back({std::string("velocity_") + axis, 0.0, "m/s, at the start"});
  }
  for (const char* axis : {"x", "y", "z"}) {
    list.push_back({std::string("spin_") + axis, 0.0, "rad/s, at the start, about the centre"});
  }
  return list;
}

void start_motion(Model& model, const Numbers& numbers) {
  const Vec3 velocity = vector_of(numbers, "velocity"), spin = vector_of(numbers, "spin");
  for (Node& node : model.nodes) node.velocity = velocity + spin.cross(node.position);
}

}  // namespace taut
