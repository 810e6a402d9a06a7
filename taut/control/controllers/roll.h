// kind = "roll": rolls a robot over the ground, from face to face.
//
// It stands on the nodes that touch the ground (stance.h). A step:
//
//   choose  an edge of the base's outline to roll over: the one that faces the wanted direction best, of those within
//           reach. A robot that has strayed from the straight line through where it began is aimed back at it:
//             wanted = d - n clamp((x - x₀)·n / size, -1, 1),   d the direction, n across it
//   push    moves the centre of mass x out over that edge. ∂(x·outward)/∂L_j of every cable (shape_response.h) says
//   how:
//             two_cable   winds in the two that move it most, as far as `shortest`; two that meet in a node count for
//                         a quarter more, since they help each other beyond the first order
//             all_cables  L_j = L_j⁰ (1 - w_j (1 - shortest)) for w_j > 0, else L_j⁰ (1 - w_j (longest - 1)),
//                         with w_j = -(∂/∂L_j) / max |∂/∂L|, looked at anew at every instant; until the centre of
//                         mass has left the base: they hold so much energy that the robot would roll on and on
//   stand   on the new base: all cables back to the lengths of the start, until the robot is at rest, or for as long as
//           a push may take
//
// Another base is one with nodes that the old one lacks and without some that it had. The edge that it came over comes
// after the others, then those out of reach: where the first order, over the whole travel of the winches, does not lead
// 0.4 of the way. An edge that the robot has not rolled over after the winding and 6 √(size/g) more is set back, and is
// pushed over harder the next time: |w|^(1/2) for |w|, then |w|^(1/4), ...; of two_cable the next best pair. At rest: no
// node faster than 0.05 √(g size).
//
// In the end it warns (shortfall) where it never stood, is stuck, or did not go where it was asked to: less than a
// quarter of its size, or more than 60° off.
#pragma once

#include <memory>

#include "taut/control/controller.h"

namespace taut {

// The model has a ground, gravity, cables, and four nodes or more. It must outlive the controller.
std::unique_ptr<Controller> make_roll(const Model& model, const ControllerSpec& spec);

}  // namespace taut
