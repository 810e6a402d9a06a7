// Builds MuJoCo's model of free rods, with or without tendons for the cables, and reads the nodes back.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/peers/peer.h"
#include "bench/peers/rods.h"

namespace taut::bench {

// Everything that costs time and does nothing here is switched off: contact, limits, equalities, actuation, sensors.
// Jacobians are sparse: faster here at every size, also where MuJoCo's automatic choice is dense.
// The inertia about the rod's axis is set to the transverse one, which changes nothing (rods.h) and keeps the
// body's mass matrix diagonal: MuJoCo's fast path.
enum class MujocoCables { tendons, none };

class MujocoSession : public Session {
 public:
  // `method` is one of "euler", "leapfrog", "rk4", "implicit".
  MujocoSession(const Model& model, const std::string& method, double effort, double duration, MujocoCables cables);
  double run() override;
  std::vector<Vec3> nodes() const override;
  long steps() const override { return steps_; }

 protected:
  // Around the stepping loop: where a callback is set and removed.
  virtual void begin() {}
  virtual void end() {}
  // Called at the start of a leapfrog run, with the velocities half a step back in place.
  virtual void begin_leapfrog() {}

  RodModel rods_;
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;

 private:
  void reset();

  bool leapfrog_ = false;
  long steps_ = 0;
};

}  // namespace taut::bench
