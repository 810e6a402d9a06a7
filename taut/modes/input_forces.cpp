#include "taut/modes/input_forces.h"

#include <algorithm>

#include "taut/forces/cable_tangent.h"

namespace taut {

Eigen::VectorXd force_of_cable(const Dynamics& dynamics, const Terms& terms, int cable, double slope) {
  const Cables& cables = dynamics.cables();
  const int slot = cables.slot_of_cable(cable);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(3 * static_cast<long>(dynamics.model().nodes.size()));
  for (int p = cables.piece_begin(slot); p < cables.piece_end(slot); ++p) {
    const Vec3 d(terms.cables.direction[4 * p], terms.cables.direction[4 * p + 1], terms.cables.direction[4 * p + 2]);
    const Vec3 pull = slope * terms.cables.share[p] * d / std::max(d.norm(), 1e-300);
    force.segment<3>(3 * cables.piece_a(p)) += pull;
    force.segment<3>(3 * cables.piece_b(p)) -= pull;
  }
  return force;
}

Eigen::VectorXd force_by_rest_length(const Dynamics& dynamics, const Terms& terms, int cable) {
  const Cables& cables = dynamics.cables();
  const int slot = cables.slot_of_cable(cable);
  Eigen::VectorXd force = force_of_cable(dynamics, terms, cable, tension_by_rest_length(cables, terms.cables, slot));
  const Vec3 across = across_by_length(cables, terms.cables, terms.xd.data(), slot);
  force.segment<3>(3 * cables.piece_a(cables.piece_begin(slot))) += across;
  force.segment<3>(3 * cables.piece_b(cables.piece_begin(slot))) -= across;
  return force;
}

int velocity_of(const Dynamics& dynamics, const ControlInput& input) {
  const JointSide* joints = dynamics.formulation().joints();
  const int first = joints ? joints->joint_indices(input.joint).v : -1;
  return first < 0 ? -1 : first + input.coordinate;
}

}  // namespace taut
