#include "bench/chain.h"

#include <cmath>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/machine_bodies.h"

namespace taut::bench {

Model chain(int bodies, JointType type) {
  Model model = weightless("chain").model;
  model.gravity = {0.0, 0.0, -9.81};
  Vec3 end = Vec3::Zero();
  int last = add_node(model, end);
  model.nodes[last].fixed = {true, true, true};
  Carrier before;
  for (int i = 0; i < bodies; ++i) {
    const double turn = 2.4 * i;  // rad: never the same direction twice
    const Vec3 along = Vec3(0.5 * std::cos(turn), 0.5 * std::sin(turn), -1.0).normalized();
    const int next = add_node(model, end + 0.3 * along);
    const Carrier tube = add_tube(model, "tube" + std::to_string(i), last, next, 1000.0, 0.02, 0.0);
    add_joint(model, "joint" + std::to_string(i), type, before, tube, end,
              frame_about(i % 2 == 0 ? Vec3::UnitX() : Vec3::UnitY()));
    end = model.nodes[next].position;
    last = next;
    before = tube;
  }
  return model;
}

}  // namespace taut::bench
