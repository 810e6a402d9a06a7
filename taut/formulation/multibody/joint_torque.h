// Internal generalized torques of a joint (springs, dampers, friction, its cable), on the velocity coordinates v: N m
// on rad/s, N on m/s. With the stored energy U (J) their power is accounted for as
//
//   torque·v = -dU/dt - dissipated + supplied,      dissipated ≥ 0
//
// `supplied` is zero but for cables with the forces of the seed, which make energy while they are wound up under load.
#pragma once

#include "taut/formulation/multibody/spatial.h"

namespace taut::multibody {

struct JointTorque {
  Vec6 torque = Vec6::Zero();  // first nv entries
  double energy = 0.0;         // J
  double dissipated = 0.0;     // W
  double supplied = 0.0;       // W
};

// Derivatives of the torque, the upper left nv × nv: along q ⊕ δ, and along v.
struct JointTorqueSlopes {
  Mat6 by_q = Mat6::Zero(), by_v = Mat6::Zero();
};

}  // namespace taut::multibody
