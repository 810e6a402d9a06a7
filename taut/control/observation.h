// What a controller sees at one time: the motion, and what its model knows of it.
#pragma once

#include "taut/base/types.h"

namespace taut {

class Dynamics;
struct State;
struct Terms;

struct Observation {
  double t = 0.0;
  const double* x = nullptr;  // per node in stride 4, m
  const double* v = nullptr;  // m/s
  // Per cable: rest length, length and its rate, m and m/s, tension, N.
  const double *rest = nullptr, *length = nullptr, *length_rate = nullptr, *tension = nullptr;
  const double* joints = nullptr;   // as joint_columns()
  const double* contact = nullptr;  // force of ground and collisions per node in stride 4, N; null: there is neither
  // For those that need the model. The terms are of an evaluation of this state, and free to be used as scratch.
  const Dynamics* dynamics = nullptr;
  const State* state = nullptr;
  Terms* terms = nullptr;

  Vec3 position(int node) const { return Vec3(x + 4 * node); }  // m
  Vec3 velocity(int node) const { return Vec3(v + 4 * node); }  // m/s
};

}  // namespace taut
