// The equations that a prestressed prism meets, written down once more: balance of its six nodes, lengths of its three
// bars, mean tension of its side cables (6 to 8) 50 N. Unknowns: positions, tensions, bar forces.
#pragma once

#include <Eigen/Core>

#include "taut/form/prestress/prestress.h"

namespace taut::testing {

Eigen::VectorXd prism_unknowns(const PrestressResult& result);
Eigen::VectorXd prism_equations(const Model& model, const Eigen::VectorXd& y);
// A row per equation, by differences.
Eigen::MatrixXd prism_jacobian(const Model& model, const Eigen::VectorXd& y);

// A generated prism of 50 N, its nodes moved at random by so much, its bars as long as they then are.
Model shaken_prism(double by, unsigned seed);

}  // namespace taut::testing
