// The sparse matrix of analyses and tests: columns compressed.
#pragma once

#include <Eigen/SparseCore>

namespace taut {

using SparseMatrix = Eigen::SparseMatrix<double>;

}  // namespace taut
