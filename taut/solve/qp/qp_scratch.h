// Inside of the QP solver: the scaled problem, the factorised working set, and the steps that the files qp_*.cpp share.
//
// Constraints carry one number c: equalities first, then rows of C, then bounds. In scaled variables x = D x̃, each is
// lo_c ≤ n_cᵀx̃ ≤ up_c with n_c a column of `normals`, or a unit vector for a bound. All scales are powers of two, so
// that scaling rounds nothing. With H = P + σ1 (σ = `proximal`, 0 where P is safely definite) and working set W:
//
//   JᵀH J = 1,   JᵀN = [R; 0],   N = the normals of W, with a minus sign where the upper side is active
//
// so that the last n − k columns of J span the motions that W leaves free.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "taut/solve/qp/qp.h"

namespace taut {

struct QpScratch {
  int n = 0, equalities = 0, rows = 0, constraints = 0;  // rows: of A and of C; constraints: rows + n

  // The scaled problem.
  Eigen::MatrixXd P, normals;  // n × n, n × rows
  Eigen::VectorXd q, lo, up;   // n, constraints, constraints
  Eigen::VectorXd column_scale, row_scale;
  double objective_scale = 1.0;
  double curvature = 0.0;  // largest |P_ij|
  double proximal = 0.0;

  // The working set in order of entry; side: +1 lower, −1 upper, one for each entry; fixed: lo = up, never leaves.
  Eigen::MatrixXd J, R;
  std::vector<int> set;
  std::vector<double> side;
  std::vector<char> inside;   // by constraint: is it in the set
  std::vector<char> ignored;  // by constraint: violated by rounding only, and dependent on the set
  int k = 0;
  int iterations = 0, limit = 0;

  // The iterate, the centre of the proximal term, multipliers of the set (≥ 0 for inequalities).
  Eigen::VectorXd x, centre, multiplier;
  double reach = 0.0;  // the largest |x_i| met so far, at least that of the minimum without constraints

  // Passing results: a conflict (multipliers r of the set, and the constraint that broke it), a direction.
  int broken = -1;
  double broken_side = 1.0;
  Eigen::VectorXd ray;

  // Scratch vectors: n long unless said otherwise.
  Eigen::VectorXd d, step, r, residual, along, work, value, reduced;  // value: constraints
  Eigen::VectorXd product;                                            // P x
  Eigen::MatrixXd K, PJ;                                              // reduced Hessian, P J
  std::vector<int> order;

  bool is_fixed(int c) const { return lo[c] == up[c]; }
};

constexpr double qp_infinity = std::numeric_limits<double>::infinity();
constexpr double qp_largest = 1e100;    // entries beyond are refused, sides beyond count as infinite
constexpr double qp_feasible = 1e-12;   // a constraint counts as violated above this, relative to its terms
constexpr double qp_dependent = 1e-11;  // a normal within this of the span of the set's normals belongs to it
constexpr double qp_refined = 1e-25;    // what refinement leaves of the largest number met on the way

// qp_check.cpp: what is wrong with the problem; a limit that crosses itself, or a row of zeros that cannot be met.
bool qp_is_invalid(const Qp& problem, std::string& message);
bool qp_contradicts_itself(const Qp& problem, std::vector<QpConflict>& conflict);

// qp_scale.cpp: the scaled copy of the problem with the factor of H in J; false where P is not convex.
bool qp_scale(const Qp& problem, QpScratch& s, std::string& message);
void qp_factorise(QpScratch& s);  // J for P + proximal

// qp_working_set.cpp
double qp_normal_times(const QpScratch& s, int c, const Eigen::VectorXd& x);       // n_cᵀ x
void qp_add_normal(const QpScratch& s, int c, double factor, Eigen::VectorXd& x);  // x += factor n_c
double qp_magnitude(const QpScratch& s, int c, const Eigen::VectorXd& x);          // Σ |n_ci| |x_i|
void qp_project_normal(QpScratch& s, int c, double side);                          // d = Jᵀ n
bool qp_holds(const QpScratch& s, int c, double value, double extent);  // within rounding; extent: the largest |x_i|
double qp_free_part(const QpScratch& s);                                // |d| beyond k
void qp_enter(QpScratch& s, int c, double side, double multiplier);     // needs d
void qp_leave(QpScratch& s, int position);
void qp_solve_R(const QpScratch& s, Eigen::VectorXd& r);             // R r = (first k of r), in place
void qp_solve_R_transposed(const QpScratch& s, Eigen::VectorXd& r);  // Rᵀ r = (first k of r), in place

// qp_active_set.cpp: the minimum of the proximal problem, from the working set as it stands.
enum class QpInner { solved, infeasible, limit };
void qp_start(QpScratch& s, const QpActiveSet* start);
void qp_stationary(QpScratch& s);  // x and multipliers at the minimum on the working set
void qp_soften(QpScratch& s);      // a smaller proximal term, the same working set
double qp_gradient_size(const QpScratch& s);
double qp_rounding_of_multiplier(const QpScratch& s);
int qp_most_negative(QpScratch& s);  // position of the multiplier that is negative beyond rounding; −1: none
QpInner qp_minimise(QpScratch& s);

// qp_polish.cpp: from the proximal minimum to the minimum of the problem itself.
enum class QpOuter { optimal, moved, unbounded };
QpOuter qp_polish(QpScratch& s);

}  // namespace taut
