// A model in another shape: its nodes elsewhere, its bodies (centre and inertia) carried along with their nodes.
#pragma once

#include <Eigen/Core>

#include "taut/model/model.h"

namespace taut {

// x: 3 per node. Nodes of a body are taken to have kept their distances.
void move_nodes(Model& model, const Eigen::VectorXd& x);

}  // namespace taut
