// The matrices of the seam's form (formulation.h) at one state, for analyses and tests.
#pragma once

#include <vector>

#include "taut/solve/sparse/sparse_matrix.h"

namespace taut {

struct SeamMatrices {
  SparseMatrix M;              // nv × nv
  Eigen::VectorXd h;           // nv
  SparseMatrix G;              // constraints × nv
  std::vector<char> constant;  // per row of G: it never changes
  Eigen::VectorXd g, gamma;    // per constraint
  SparseMatrix X;              // 3 per node × nv
};

}  // namespace taut
