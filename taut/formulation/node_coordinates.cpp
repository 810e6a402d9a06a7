#include "taut/formulation/node_coordinates.h"

#include "taut/formulation/nodal/nodal.h"

namespace taut {

bool nodes_are_coordinates(const Formulation& formulation) {
  return dynamic_cast<const Nodal*>(&formulation) != nullptr;
}

}  // namespace taut
