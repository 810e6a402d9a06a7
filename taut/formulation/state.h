// An instant: a plain value. y holds the coordinates q, the velocities v and two running integrals, the energy
// dissipated and the work done by actuators and loads since t = 0, so that an integrator advances all of them alike.
// Members that yield have a past: what they have kept of it changes after a step, not during it.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace taut {

struct State {
  double t = 0.0;
  int nq = 0, nv = 0;
  Eigen::VectorXd y;
  std::vector<double> permanent;  // m, elongation per slot of the cables; empty where nothing yields
  double yielded = 0.0;           // J, lost in yielding since t = 0

  State() = default;
  State(int coordinates, int velocities)
      : nq(coordinates), nv(velocities), y(Eigen::VectorXd::Zero(coordinates + velocities + 2)) {}

  double* q() { return y.data(); }
  double* v() { return y.data() + nq; }
  const double* q() const { return y.data(); }
  const double* v() const { return y.data() + nq; }
  double& dissipated() { return y[nq + nv]; }
  double& work() { return y[nq + nv + 1]; }
  double dissipated() const { return y[nq + nv]; }
  double work() const { return y[nq + nv + 1]; }
};

}  // namespace taut
