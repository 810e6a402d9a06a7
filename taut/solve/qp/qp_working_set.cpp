#include <algorithm>
#include <cmath>

#include "taut/solve/qp/qp_scratch.h"

namespace taut {

double qp_normal_times(const QpScratch& s, int c, const Eigen::VectorXd& x) {
  return c < s.rows ? s.normals.col(c).dot(x) : x[c - s.rows];
}

void qp_add_normal(const QpScratch& s, int c, double factor, Eigen::VectorXd& x) {
  if (c < s.rows) {
    x.noalias() += factor * s.normals.col(c);
  } else {
    x[c - s.rows] += factor;
  }
}

double qp_magnitude(const QpScratch& s, int c, const Eigen::VectorXd& x) {
  return c < s.rows ? s.normals.col(c).cwiseAbs().dot(x.cwiseAbs()) : std::abs(x[c - s.rows]);
}

bool qp_holds(const QpScratch& s, int c, double value, double extent) {
  const double below = s.lo[c] - value, above = value - s.up[c], v = std::max(below, above);
  if (v <= 1e-15 * extent + qp_refined * s.reach) return true;
  const double side = std::abs(below > above ? s.lo[c] : s.up[c]);
  if (v > qp_feasible * (side + 2.0 * s.n * extent)) return false;
  return v <= qp_feasible * (side + qp_magnitude(s, c, s.x));
}

void qp_project_normal(QpScratch& s, int c, double side) {
  if (c < s.rows) {
    s.d.noalias() = side * (s.J.transpose() * s.normals.col(c));
  } else {
    s.d = side * s.J.row(c - s.rows).transpose();
  }
}

double qp_free_part(const QpScratch& s) { return s.d.tail(s.n - s.k).norm(); }

void qp_enter(QpScratch& s, int c, double side, double multiplier) {
  // One reflection of the free columns of J turns the free part of d into its first entry.
  const int k = s.k, m = s.n - s.k;
  const double free = qp_free_part(s), first = s.d[k] > 0.0 ? -free : free;
  auto v = s.d.tail(m);
  v[0] -= first;
  const double factor = 2.0 / v.squaredNorm();
  auto free_columns = s.J.rightCols(m);
  s.work.noalias() = factor * (free_columns * v);
  for (int j = 0; j < m; ++j) free_columns.col(j).noalias() -= v[j] * s.work;

  s.R.col(k).head(k) = s.d.head(k);
  s.R(k, k) = first;
  s.set[static_cast<std::size_t>(k)] = c;
  s.side[static_cast<std::size_t>(k)] = side;
  s.multiplier[k] = multiplier;
  s.inside[static_cast<std::size_t>(c)] = 1;
  ++s.k;
}

void qp_leave(QpScratch& s, int position) {
  s.inside[static_cast<std::size_t>(s.set[static_cast<std::size_t>(position)])] = 0;
  for (int j = position; j + 1 < s.k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    s.set[at] = s.set[at + 1];
    s.side[at] = s.side[at + 1];
    s.multiplier[j] = s.multiplier[j + 1];
    s.R.col(j).head(j + 2) = s.R.col(j + 1).head(j + 2);
  }
  --s.k;

  // What is left of R has one entry below each diagonal one: rotated away, J's columns with it.
  for (int j = position; j < s.k; ++j) {
    const double a = s.R(j, j), b = s.R(j + 1, j), length = std::hypot(a, b);
    if (!(length > 0.0)) continue;
    const double cosine = a / length, sine = b / length;
    for (int i = j; i < s.k; ++i) {
      const double upper = s.R(j, i), lower = s.R(j + 1, i);
      s.R(j, i) = cosine * upper + sine * lower;
      s.R(j + 1, i) = cosine * lower - sine * upper;
    }
    for (int i = 0; i < s.n; ++i) {
      const double left = s.J(i, j), right = s.J(i, j + 1);
      s.J(i, j) = cosine * left + sine * right;
      s.J(i, j + 1) = cosine * right - sine * left;
    }
  }
}

void qp_solve_R(const QpScratch& s, Eigen::VectorXd& r) {
  for (int j = s.k - 1; j >= 0; --j) {
    r[j] /= s.R(j, j);
    r.head(j).noalias() -= r[j] * s.R.col(j).head(j);
  }
}

void qp_solve_R_transposed(const QpScratch& s, Eigen::VectorXd& r) {
  for (int j = 0; j < s.k; ++j) r[j] = (r[j] - s.R.col(j).head(j).dot(r.head(j))) / s.R(j, j);
}

}  // namespace taut
