// The machine that a model stands for.
//
//   bodies      rigid bodies; bars with mass, thin ones with a turn about their axis that nothing drives; node masses
//   and
//               lumped cables on the body that carries the node, else point masses of their own
//   joints      as they are; where bodies share a node that no joint of theirs keeps together, a ball joint
//   supports    a fixed node is a point of the ground; one that is held along some axes a sum of its own
//   pulleys     an involute joint from the pulley to the cable's end, a body without mass on a ball joint at the node
//   distances   rigid bars without mass
//   points      the nodes, in their order
#pragma once

#include "taut/formulation/multibody/multibody.h"

namespace taut {

struct ModelMachine {
  multibody::Machine machine;
  std::vector<BarOnBody> bars;  // of the model
  std::vector<int> bodies;      // of the machine, one for each of the model
  ModelJoints joints;
};

// Throws InputError with a reason where a model cannot be represented.
ModelMachine machine_of(const Model& model);

}  // namespace taut
