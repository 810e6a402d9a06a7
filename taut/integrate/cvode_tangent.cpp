#include "taut/integrate/cvode_tangent.h"

#include <nvector/nvector_serial.h>

namespace taut {

namespace {

// A = I + scale J after scaleaddi.
double& scale(SUNMatrix a) { return *static_cast<double*>(a->content); }

}  // namespace

void CvodeTangent::evaluated(SUNMatrix matrix) { scale(matrix) = 1.0; }

CvodeTangent::CvodeTangent(SUNContext context, int coordinates, std::exception_ptr* to)
    : nq(coordinates), failure(to), matrix(SUNMatNewEmpty(context)), solver(SUNLinSolNewEmpty(context)) {
  matrix->content = new double(0.0);
  matrix->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix->ops->clone = [](SUNMatrix a) {
    SUNMatrix copy = SUNMatNewEmpty(a->sunctx);
    copy->content = new double(scale(a));
    SUNMatCopyOps(a, copy);
    return copy;
  };
  matrix->ops->destroy = [](SUNMatrix a) {
    delete static_cast<double*>(a->content);
    a->content = nullptr;
    SUNMatFreeEmpty(a);
  };
  matrix->ops->zero = [](SUNMatrix a) { return scale(a) = 0.0, 0; };
  matrix->ops->copy = [](SUNMatrix a, SUNMatrix b) { return scale(b) = scale(a), 0; };
  matrix->ops->scaleaddi = [](double c, SUNMatrix a) { return scale(a) *= c, 0; };
  solver->content = this;
  solver->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  solver->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  solver->ops->initialize = [](SUNLinearSolver) { return 0; };
  solver->ops->setup = [](SUNLinearSolver s, SUNMatrix a) {
    auto& me = *static_cast<CvodeTangent*>(s->content);
    try {
      return me.tangent->factorise(-scale(a)) ? 0 : 1;
    } catch (...) {
      *me.failure = std::current_exception();
      return -1;
    }
  };
  solver->ops->solve = [](SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, double) {
    const auto& me = *static_cast<CvodeTangent*>(s->content);
    N_VScale(1.0, b, x);
    me.tangent->solve(NV_DATA_S(x), NV_DATA_S(x) + me.nq);
    return 0;
  };
  solver->ops->free = [](SUNLinearSolver s) {
    s->content = nullptr;
    SUNLinSolFreeEmpty(s);
    return 0;
  };
}

CvodeTangent::~CvodeTangent() {
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
}

}  // namespace taut
