// Joints of every kind, and states of them at random.
#include "tests/formulation/multibody/specimens.h"

#include <cmath>

#include "taut/formulation/multibody/joints/pulley_cable.h"

namespace taut::testing {

void set_last(multibody::CableCoordinate last, double l0, double l0_rate, double l, double l_rate, double& q,
              double& v) {
  const double strain = (l - l0) / l0;
  switch (last) {
    case multibody::CableCoordinate::u:
      q = l - l0, v = l_rate - l0_rate;
      break;
    case multibody::CableCoordinate::epsilon:
      q = strain, v = (l_rate - l0_rate - strain * l0_rate) / l0;
      break;
    case multibody::CableCoordinate::l:
      q = l, v = l_rate;
      break;
  }
}

void give_passive(multibody::Joint& joint, bool slides, Random& random) {
  multibody::Passive& p = joint.passive;
  for (int i = 0; i < 6; ++i) {
    p.stiffness[i] = random.between(0.5, 3.0);
    p.damping[i] = random.between(0.1, 1.0);
    p.friction[i] = random.between(0.1, 1.0);
    p.slip[i] = slides ? 1e-4 : 20.0;
  }
  for (double& rest : p.rest) rest = random.between(-1.0, 1.0);
}

std::vector<Specimen> specimens() {
  using namespace multibody;
  std::vector<Specimen> list;
  const auto add = [&](const std::string& name, const JointKind& kind) { list.push_back({name, Joint(kind)}); };
  add("fixed", Fixed{});
  for (int axis = 0; axis < 3; ++axis) {
    add(
        std::string("revolute_") + "xyz" [axis], Revolute { axis });
    add(
        std::string("prismatic_") + "xyz" [axis], Prismatic { axis });
  }
  add("universal", Universal{});
  add("spherical", Spherical{});
  add("planar", Planar{});
  add("floating", Floating{});
  add("involute_rigid", InvoluteRigid{0.3});
  for (const bool crossed : {false, true})
    add(crossed ? "two_pulley_rigid_crossed" : "two_pulley_rigid_open",
        TwoPulleyRigid{{0.3, 0.17, crossed, 0.4, {}, {}}});
  for (const CableCoordinate last : {CableCoordinate::u, CableCoordinate::epsilon, CableCoordinate::l})
    for (const bool conservative : {false, true})
      for (const bool clip : {false, true}) {
        const std::string variant =
            std::string("_") + symbol(last) + (conservative ? "_conservative" : "_printed") + (clip ? "_clip" : "_raw");
        const CableMaterial material{120.0, 9.0, clip, conservative};
        add("involute" + variant, Involute{0.3, last, material, {}});
        add(std::string("two_pulley") + variant,
            TwoPulley{{0.3, 0.17, clip == conservative, 0.4, {}, {}}, last, material});
      }
  return list;
}

JointState random_state(const multibody::Joint& joint, Random& random) {
  using namespace multibody;
  JointState s;
  for (double& v : s.v) v = random.between(0.02, 1.5) * (random.chance(0.5) ? 1.0 : -1.0);
  for (double& q : s.q) q = random.between(-2.0, 2.0);
  normalise(joint, s.q.data());
  CableStatus status;
  if (!cable_status(joint, s.q.data(), s.v.data(), status)) return s;
  for (int i = 0; i < 2; ++i) s.q[i] = random.between(2.0, 6.0);
  const double stretch = random.chance(0.3) ? random.between(-0.1, -0.01) : random.between(0.01, 0.15);
  const auto set = [&](CableCoordinate last, double l0, double l0_rate, int i) {
    do set_last(last, l0, l0_rate, l0 * (1.0 + stretch), random.between(-1.0, 1.0), s.q[i], s.v[i]);
    while (std::abs(s.v[i]) < 0.02);
  };
  if (const auto* one = std::get_if<Involute>(&joint.kind))
    set(one->last, one->radius * s.q[0], one->radius * s.v[0], 1);
  if (const auto* two = std::get_if<TwoPulley>(&joint.kind)) {
    const PulleyPair& p = two->pulleys;
    set(two->last, p.at_zero + p.first * s.q[0] + p.second * s.q[1], p.first * s.v[0] + p.second * s.v[1], 2);
  }
  return s;
}

}  // namespace taut::testing
