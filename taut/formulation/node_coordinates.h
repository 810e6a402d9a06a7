// Whether the coordinates are those of the nodes.
#pragma once

#include "taut/formulation/formulation.h"

namespace taut {

// q and v are the positions and velocities of the nodes, 3 each in their order (nodal, point_mass).
bool nodes_are_coordinates(const Formulation& formulation);

}  // namespace taut
