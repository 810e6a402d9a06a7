// Smooth nonlinear programmes, dense and small.
//
//   minimise  f(x)   subject to   g(x) = 0,   h(x) ≥ 0
//
// At the solution, with multipliers y and z,   ∇f = Jgᵀ y + Jhᵀ z,   z ≥ 0,   z_i h_i = 0.
//
// The method is a primal-dual interior point: with slacks s and a barrier μ that goes to 0, Newton steps on
//
//   ∇f - Jgᵀy - Jhᵀz = 0,    g = 0,    h - s = 0,    s_i z_i = μ,
//
// kept inside s, z > 0, shortened until a penalty function f - μ Σ ln s + ν (|g|₁ + |h - s|₁) falls, with curvature
// added where the Hessian has none. Where no step is left the violation alone is minimised: it either vanishes, and the
// search goes on, or is stationary, which is the answer. Nothing is shared with solve/qp, on purpose: it is the other
// route to the same inputs. Ours and not Ipopt's: problems of tens of unknowns at every control instant, the same steps
// on every machine, and no Fortran, MUMPS and BLAS in the program for them.
//
// Solutions are local; so is "infeasible" unless g is affine and h concave.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <string_view>

namespace taut {

struct Nlp {
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  int variables = 0, equalities = 0, inequalities = 0;
  // Outputs come with their sizes. Numbers that are not finite end the search along that step.
  std::function<double(const Vector& x)> objective;
  std::function<void(const Vector& x, Vector& gradient)> gradient;
  std::function<void(const Vector& x, Vector& g, Vector& h)> constraints;
  std::function<void(const Vector& x, Matrix& Jg, Matrix& Jh)> jacobians;
  // weight ∇²f - Σ y_i ∇²g_i - Σ z_i ∇²h_i, the whole symmetric matrix.
  std::function<void(const Vector& x, double weight, const Vector& y, const Vector& z, Matrix& H)> hessian;
};

enum class NlpStatus {
  optimal,          // residuals within the tolerance
  infeasible,       // x is a point at which the violation cannot be made smaller by a small step
  unbounded,        // f falls below every number while the constraints hold
  iteration_limit,  // x is the last iterate
  inaccurate,       // no step improves x any more; the residuals say how near it is
  invalid           // sizes, missing functions, or numbers that are not finite at the start: `message`
};
std::string_view name(NlpStatus status);

struct NlpSolution {
  NlpStatus status = NlpStatus::invalid;
  Eigen::VectorXd x;
  Eigen::VectorXd y, z;
  double objective = 0.0;
  int iterations = 0;
  double stationarity = 0.0;     // largest |∇f - Jgᵀy - Jhᵀz|, over the mean multiplier where that is above 1
  double infeasibility = 0.0;    // largest |g| or -h
  double complementarity = 0.0;  // largest |z_i h_i|
  std::string message;
};

struct NlpOptions {
  // Of stationarity and infeasibility. Of z h: its power 3/2, so that a constraint that holds with equality but has no
  // multiplier is met to its power 3/4.
  double tolerance = 1e-11;
  int iteration_limit = 200;
};

// Throws nothing but what the functions of the problem throw. `start` need not be feasible.
NlpSolution solve_nlp(const Nlp& problem, const Eigen::VectorXd& start, const NlpOptions& options = {});

}  // namespace taut
