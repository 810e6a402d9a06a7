#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "taut/solve/qp/qp_scratch.h"

namespace taut {

namespace {

constexpr double most_scaling = 30.0;         // of a variable, as an exponent of two
constexpr double safely_definite = 1e-7;      // least pivot of the scaled P that is factorised as it is
constexpr double negative_curvature = 1e-10;  // a scaled P with an eigenvalue below minus this is refused
constexpr double rounding = 1e-14;            // of P's largest entry: what P's own rounding may amount to, per row

double power_of_two(double value) { return std::ldexp(1.0, std::clamp(std::ilogb(value), -400, 400)); }

template <class Matrix>
double largest_entry(const Matrix& m) {
  return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff();
}

// Lower triangle of L with L Lᵀ = P + shift; the least pivot, or a negative number where there is no factor.
double factorise(const Eigen::MatrixXd& P, const Eigen::VectorXd& shift, Eigen::MatrixXd& L, Eigen::VectorXd& row) {
  double least = qp_infinity;
  const Eigen::Index n = P.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    L.col(j).tail(n - j) = P.col(j).tail(n - j);
    L(j, j) += shift[j];
    if (j > 0) {
      row.head(j) = L.row(j).head(j);
      L.col(j).tail(n - j).noalias() -= L.bottomLeftCorner(n - j, j) * row.head(j);
    }
    const double pivot = L(j, j);
    if (!(pivot > 0.0)) return -1.0;
    least = std::min(least, pivot);
    L.col(j).tail(n - j) /= std::sqrt(pivot);
  }
  return least;
}

// J = L⁻ᵀ, column by column from the rows of L.
void invert_transposed(const Eigen::MatrixXd& L, Eigen::MatrixXd& J, Eigen::VectorXd& row) {
  J.setZero();
  for (Eigen::Index i = 0; i < L.rows(); ++i) {
    if (i > 0) {
      row.head(i) = L.row(i).head(i);
      J.col(i).head(i).noalias() = J.topLeftCorner(i, i) * row.head(i);
      J.col(i).head(i) /= -L(i, i);
    }
    J(i, i) = 1.0 / L(i, i);
  }
}

// The exponent of two in a number that is neither 0 nor denormal.
int exponent(double value) { return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1023; }

// Calls visit(row, |entry|) for the entries of column j of A and C.
template <class Visit>
void each_in_column(const Qp& problem, const QpScratch& s, int j, Visit&& visit) {
  for (int i = 0; i < s.equalities; ++i) visit(i, std::abs(problem.A(i, j)));
  for (int i = s.equalities; i < s.rows; ++i) visit(i, std::abs(problem.C(i - s.equalities, j)));
}

// Of exponents. What brings their mean to 0: 0 if there is none.
struct Mean {
  double sum = 0.0, count = 0.0;
  void add(double exponent) {
    sum += exponent;
    count += 1.0;
  }
  double balancing() const { return count > 0.0 ? -sum / count : 0.0; }
};

bool has_curvature(const Qp& problem, int j) { return problem.P.size() > 0 && problem.P(j, j) > 0.0; }

// Exponents of the rows for those of the columns; returns that of √P as a whole.
double balance_rows(const Qp& problem, QpScratch& s) {
  s.up.setZero();     // sums
  s.value.setZero();  // counts
  Mean quadratic;
  for (int j = 0; j < s.n; ++j) {
    each_in_column(problem, s, j, [&](int i, double a) {
      if (!(a > s.lo[i])) return;
      s.up[i] += exponent(a) + s.column_scale[j];
      s.value[i] += 1.0;
    });
    if (has_curvature(problem, j)) quadratic.add(0.5 * exponent(problem.P(j, j)) + s.column_scale[j]);
  }
  for (int i = 0; i < s.rows; ++i) s.row_scale[i] = s.value[i] > 0.0 ? -s.up[i] / s.value[i] : 0.0;
  return quadratic.balancing();
}

// Exponents of the columns for those of the rows and of √P.
void balance_columns(const Qp& problem, double quadratic, QpScratch& s) {
  for (int j = 0; j < s.n; ++j) {
    Mean mean;
    each_in_column(problem, s, j, [&](int i, double a) {
      if (a > s.lo[i]) mean.add(exponent(a) + s.row_scale[i]);
    });
    if (has_curvature(problem, j)) mean.add(0.5 * exponent(problem.P(j, j)) + quadratic);
    s.column_scale[j] = std::clamp(mean.balancing(), -most_scaling, most_scaling);
  }
}

// Columns brought to the same magnitude: the geometric means of the entries of each row and of each column become 1, in
// a few passes, so that units of the variables do not matter. √P_jj counts as an entry. Exponents of two are enough.
// Entries below 2⁻³⁰ of their row's largest are rounding and do not count. Then rows: largest entry 1.
void balance(const Qp& problem, QpScratch& s) {
  s.column_scale.setZero(s.n);
  s.row_scale.setZero(s.rows);
  s.lo.setZero();
  for (int j = 0; j < s.n; ++j)
    each_in_column(problem, s, j, [&](int i, double a) { s.lo[i] = std::max(s.lo[i], 0x1p-30 * a); });
  for (int pass = 0; pass < 3; ++pass) balance_columns(problem, balance_rows(problem, s), s);
  for (double& scale : s.column_scale) scale = std::ldexp(1.0, static_cast<int>(std::lround(scale)));
  s.value.setZero();
  for (int j = 0; j < s.n; ++j)
    each_in_column(problem, s, j, [&](int i, double a) { s.value[i] = std::max(s.value[i], a * s.column_scale[j]); });
  for (int i = 0; i < s.rows; ++i) s.row_scale[i] = s.value[i] > 0.0 ? power_of_two(1.0 / s.value[i]) : 1.0;
}

double side_or_infinity(const Eigen::VectorXd& sides, Eigen::Index i, double infinity) {
  return sides.size() == 0 || std::abs(sides[i]) >= qp_largest ? infinity : sides[i];
}

void resize(const Qp& problem, QpScratch& s) {
  s.n = static_cast<int>(problem.q.size());
  s.equalities = static_cast<int>(problem.A.rows());
  s.rows = s.equalities + static_cast<int>(problem.C.rows());
  s.constraints = s.rows + s.n;
  s.P.resize(s.n, s.n);
  s.normals.resize(s.n, s.rows);
  for (Eigen::MatrixXd* m : {&s.J, &s.R, &s.K, &s.PJ}) m->resize(s.n, s.n);
  for (Eigen::VectorXd* v : {&s.lo, &s.up, &s.value}) v->resize(s.constraints);
  for (Eigen::VectorXd* v : {&s.q, &s.x, &s.centre, &s.multiplier, &s.ray, &s.d, &s.step, &s.r, &s.residual, &s.along,
                             &s.work, &s.reduced, &s.product})
    v->setZero(s.n);
  for (std::vector<int>* list : {&s.set, &s.order}) list->resize(static_cast<std::size_t>(s.n));
  s.side.resize(static_cast<std::size_t>(s.n));
  s.inside.assign(static_cast<std::size_t>(s.constraints), 0);
  s.ignored.assign(static_cast<std::size_t>(s.constraints), 0);
  s.k = s.iterations = 0;
  s.broken = -1;
}

// Sides in scaled units; those that differ by rounding only become one.
void scale_sides(const Qp& problem, QpScratch& s) {
  for (int c = 0; c < s.constraints; ++c) {
    const bool equality = c < s.equalities, bound = c >= s.rows;
    const Eigen::Index i = equality ? c : bound ? c - s.rows : c - s.equalities;
    const double scale = bound ? 1.0 / s.column_scale[i] : s.row_scale[c];
    double lo = equality ? problem.b[i] : side_or_infinity(bound ? problem.lower : problem.l, i, -qp_infinity);
    double up = equality ? problem.b[i] : side_or_infinity(bound ? problem.upper : problem.u, i, qp_infinity);
    if (lo > up) lo = up = 0.5 * (lo + up);
    s.lo[c] = lo * scale;
    s.up[c] = up * scale;
  }
}

// The geometric mean of the sides that are neither 0 nor infinite: a length scale of x.
double typical_side(const QpScratch& s) {
  double sum = 0.0;
  int count = 0;
  for (const Eigen::VectorXd* sides : {&s.lo, &s.up})
    for (const double side : *sides) {
      if (side == 0.0 || !std::isfinite(side)) continue;
      sum += std::log(std::abs(side));
      ++count;
    }
  return count > 0 ? std::clamp(std::exp(sum / count), 1e-10, 1e10) : 1.0;
}

}  // namespace

bool qp_scale(const Qp& problem, QpScratch& s, std::string& message) {
  resize(problem, s);
  const double size = largest_entry(problem.P);
  for (int j = 0; size > 0.0 && j < s.n; ++j)
    for (int i = 0; i < j; ++i) {
      if (std::abs(problem.P(i, j) - problem.P(j, i)) <= 1e-10 * size) continue;
      message = fmt::format("P is not symmetric: P({}, {}) = {}, P({}, {}) = {} (from 1)", i + 1, j + 1,
                            problem.P(i, j), j + 1, i + 1, problem.P(j, i));
      return false;
    }
  balance(problem, s);

  // The objective: the largest entry of P becomes about 1, that of q where P is 0.
  const auto& D = s.column_scale;
  for (int j = 0; j < s.n; ++j) {
    s.q[j] = problem.q[j] * D[j];
    for (int i = 0; i < s.n; ++i)
      s.P(i, j) = size > 0.0 ? 0.5 * (problem.P(i, j) + problem.P(j, i)) * D[i] * D[j] : 0.0;
  }
  const double top = size > 0.0 ? largest_entry(s.P) : largest_entry(s.q);
  s.objective_scale = top > 0.0 ? power_of_two(1.0 / top) : 1.0;
  s.P *= s.objective_scale;
  s.curvature = largest_entry(s.P);
  s.q *= s.objective_scale;
  for (int c = 0; c < s.rows; ++c) {
    const auto row = c < s.equalities ? problem.A.row(c) : problem.C.row(c - s.equalities);
    for (int i = 0; i < s.n; ++i) s.normals(i, c) = row[i] * D[i] * s.row_scale[c];
  }
  scale_sides(problem, s);

  // Safely definite, or convex at all; then a proximal term that keeps the first step at a sensible length.
  s.proximal = 0.0;
  s.d.setZero();
  if (!(factorise(s.P, s.d, s.K, s.work) >= safely_definite)) {
    for (int i = 0; i < s.n; ++i) s.d[i] = negative_curvature + rounding * s.n * size * s.objective_scale * D[i] * D[i];
    if (factorise(s.P, s.d, s.K, s.work) < 0.0) {
      message = "P is not positive semi-definite: the problem is not convex";
      return false;
    }
    s.proximal = std::max(1e-6, 1e-2 * largest_entry(s.q) / typical_side(s));
  }
  qp_factorise(s);
  s.work.noalias() = s.J.transpose() * s.q;
  s.step.noalias() = s.J * s.work;
  s.reach = largest_entry(s.step);
  return true;
}

void qp_factorise(QpScratch& s) {
  s.d.setConstant(s.proximal);
  factorise(s.P, s.d, s.K, s.work);
  invert_transposed(s.K, s.J, s.work);
}

}  // namespace taut
