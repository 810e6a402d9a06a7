// One joint of every kind and variant, with random positions and velocities in which it means what it says.
#pragma once

#include <string>
#include <vector>

#include "taut/formulation/multibody/joints/joint.h"
#include "tests/support/support.h"

namespace taut::testing {

struct Specimen {
  std::string name;
  multibody::Joint joint;
};

// A state of a joint; the arrays are as large as any joint needs.
struct JointState {
  std::array<double, 7> q{};
  std::array<double, 6> v{};
};

// The last coordinate and its velocity from l₀, l and their rates.
void set_last(multibody::CableCoordinate last, double l0, double l0_rate, double l, double l_rate, double& q,
              double& v);

// Springs, dampers and friction in all coordinates; friction slides (or creeps) at all speeds that occur.
void give_passive(multibody::Joint& joint, bool slides, Random& random);

std::vector<Specimen> specimens();

// Cables: 2 to 6 rad unwrapped, a tenth slack to a sixth stretched. Sizes of velocities between 0.02 and 1.5, the last
// one of cables, which follows from the rate of the length, up to about 3; strains not within 0.01 of zero.
JointState random_state(const multibody::Joint& joint, Random& random);

}  // namespace taut::testing
