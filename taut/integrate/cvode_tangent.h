// A Tangent as CVODE's direct linear solver. The matrix I - cJ holds only c; the numbers are in the Tangent.
#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <exception>
#include <memory>

#include "taut/formulation/tangent.h"

namespace taut {

struct CvodeTangent {
  // What must not pass through C waits in `failure`.
  CvodeTangent(SUNContext context, int coordinates, std::exception_ptr* failure);
  ~CvodeTangent();
  CvodeTangent(const CvodeTangent&) = delete;
  CvodeTangent& operator=(const CvodeTangent&) = delete;

  // After the tangent has been evaluated: the matrix is J.
  static void evaluated(SUNMatrix matrix);

  std::unique_ptr<Tangent> tangent;  // set by the owner
  int nq;
  std::exception_ptr* failure;
  SUNMatrix matrix;
  SUNLinearSolver solver;
};

}  // namespace taut
