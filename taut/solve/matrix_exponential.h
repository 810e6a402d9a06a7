// e^A of a square matrix.
#pragma once

#include <Eigen/Core>

namespace taut {

// By a Padé approximant of a part of A and doublings, E ← 2E + E² for E = e^X - 1 (Higham 2008, chapter 10): a small
// part of A is not lost against the 1, so that an oscillation keeps its phase to about ε ‖A‖ radians however many
// turns it makes, and a decay its end. Not finite where e^A is beyond the largest number.
Eigen::MatrixXd matrix_exponential(const Eigen::MatrixXd& A);

// What rounding may have made of `power` = e^A, over its largest entry: how far it is from the same with other rounding.
// Where A has zeros with motions tied to them, as redundant coordinates have, doublings let rounding grow without bound.
double exponential_error(const Eigen::MatrixXd& A, const Eigen::MatrixXd& power);

}  // namespace taut
