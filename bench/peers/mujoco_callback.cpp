// MuJoCo for the rods, our own loop for the cables: mjcb_passive writes the generalised forces of each free joint.
// "leapfrog" (tuned) is MuJoCo's Euler step with velocities kept half a step back and damping from the velocities
// extrapolated to the time of the positions, v(n) ≈ 1.5 v(n−½) − 0.5 v(n−3/2): second order, damping included.
#include "bench/peers/mujoco_model.h"

namespace taut::bench {
namespace {

class CallbackSession;
thread_local CallbackSession* current = nullptr;  // mjcb_passive takes no user pointer

class CallbackSession : public MujocoSession {
 public:
  CallbackSession(const Model& model, const std::string& method, double effort, double duration)
      : MujocoSession(model, method, effort, duration, MujocoCables::none), work_(9 * rods_.node_count, 0.0) {}

  void begin() override {
    current = this;
    extrapolate_ = false;
    mjcb_passive = [](const mjModel*, mjData* data) { current->apply(data); };
  }
  void end() override {
    current = nullptr;
    mjcb_passive = nullptr;
  }
  void begin_leapfrog() override {
    extrapolate_ = rods_.damped;
    previous_.assign(data_->qvel, data_->qvel + model_->nv);
    ahead_ = previous_;
  }

 private:
  // Joint coordinates are the centre's velocity in the world frame and the angular velocity in the rod's frame.
  void apply(mjData* data) {
    double *x = work_.data(), *v = x + 3 * rods_.node_count, *f = v + 3 * rods_.node_count;
    const std::size_t count = rods_.rods.size();
    const mjtNum* qvel = data->qvel;
    if (extrapolate_) {
      for (std::size_t i = 0; i < ahead_.size(); ++i) {
        ahead_[i] = 1.5 * qvel[i] - 0.5 * previous_[i];
        previous_[i] = qvel[i];
      }
      qvel = ahead_.data();
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Rod& rod = rods_.rods[i];
      const mjtNum *r = data->xpos + 3 * (i + 1), *m = data->xmat + 9 * (i + 1), *u = qvel + 6 * i;
      for (int axis = 0; axis < 3; ++axis) {
        const double z = m[3 * axis + 2];
        x[3 * rod.a + axis] = r[axis] - rod.below * z;
        x[3 * rod.b + axis] = r[axis] + rod.above * z;
        const double z_rate = m[3 * axis] * u[4] - m[3 * axis + 1] * u[3];
        v[3 * rod.a + axis] = u[axis] - rod.below * z_rate;
        v[3 * rod.b + axis] = u[axis] + rod.above * z_rate;
      }
    }
    pull(rods_, x, v, f);
    for (std::size_t i = 0; i < count; ++i) {
      const Rod& rod = rods_.rods[i];
      const mjtNum* m = data->xmat + 9 * (i + 1);
      mjtNum* generalised = data->qfrc_passive + 6 * i;
      const double *fa = f + 3 * rod.a, *fb = f + 3 * rod.b;
      double along_x = 0.0, along_y = 0.0;  // the lever-weighted force in the rod's frame
      for (int axis = 0; axis < 3; ++axis) {
        generalised[axis] += fa[axis] + fb[axis];
        const double arm = rod.above * fb[axis] - rod.below * fa[axis];
        along_x += m[3 * axis] * arm;
        along_y += m[3 * axis + 1] * arm;
      }
      generalised[3] -= along_y;
      generalised[4] += along_x;
    }
  }

  std::vector<double> work_;  // positions, velocities, forces
  bool extrapolate_ = false;
  std::vector<mjtNum> previous_, ahead_;  // joint velocities one step back, and at the time of the positions
};

}  // namespace

Peer mujoco_callback() {
  return {.name = "MuJoCo callback",
          .methods = {{.name = "euler"}, {.name = "leapfrog", .tuned = true}, {.name = "rk4"}},
          .open = [](const Model& model, const std::string& method, double effort,
                     double duration) -> std::unique_ptr<Session> {
            return std::make_unique<CallbackSession>(model, method, effort, duration);
          }};
}

}  // namespace taut::bench
