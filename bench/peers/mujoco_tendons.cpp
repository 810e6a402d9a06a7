// MuJoCo as its users model cables: spatial tendons between sites, with stiffness, damping and a spring length.
// In this version a tendon spring has one rest length and pushes below it; the cases of this comparison keep every
// cable taut (checked on the reference), so that the forces are the same for all.
#include "bench/peers/mujoco_model.h"

namespace taut::bench {

Peer mujoco_tendons() {
  return {.name = "MuJoCo tendons",
          .methods = {{.name = "euler"}, {.name = "rk4"}, {.name = "implicit"}},
          .open = [](const Model& model, const std::string& method, double effort,
                     double duration) -> std::unique_ptr<Session> {
            return std::make_unique<MujocoSession>(model, method, effort, duration, MujocoCables::tendons);
          }};
}

}  // namespace taut::bench
