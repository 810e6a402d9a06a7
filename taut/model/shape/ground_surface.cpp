#include "taut/model/shape/ground_surface.h"

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// Coefficients c(-1 .. n) of the natural cubic spline through n values, (c_{i-1} + 4 c_i + c_{i+1})/6 = f_i with zero
// curvature at the ends, which makes c_0 = f_0 and c_{n-1} = f_{n-1}. Values and coefficients have their own strides.
void spline_coefficients(const double* f, int f_stride, int n, double* c, int c_stride, std::vector<double>& scratch) {
  const auto at = [&](int i) -> double& { return c[(i + 1) * c_stride]; };
  at(0) = f[0];
  at(n - 1) = f[(n - 1) * f_stride];
  // Elimination of the inner ones: diagonal 4, neighbours 1.
  scratch.assign(n, 0.0);
  for (int i = 1; i + 1 < n; ++i) {
    const double pivot = 1.0 / (4.0 - scratch[i - 1]);
    scratch[i] = i + 2 < n ? pivot : 0.0;
    const double known = 6.0 * f[i * f_stride] - (i + 2 == n ? at(n - 1) : 0.0);
    at(i) = (known - at(i - 1)) * pivot;
  }
  for (int i = n - 3; i >= 1; --i) at(i) -= scratch[i] * at(i + 1);
  at(-1) = 2.0 * at(0) - at(1);
  at(n) = 2.0 * at(n - 1) - at(n - 2);
}

// The four cubic B-splines at a place u (in grid steps) with first and second derivatives; straight beyond the grid.
struct Basis {
  int first;
  double value[4], slope[4], curve[4];
};

Basis basis_at(double u, int n) {
  Basis b;
  const double inside = u > 0.0 ? std::min(u, static_cast<double>(n - 1)) : 0.0;  // 0 also for what is not a number
  b.first = std::min(static_cast<int>(inside), n - 2);
  const double t = inside - b.first, r = 1.0 - t;
  b.value[0] = r * r * r / 6.0;
  b.value[1] = (4.0 + 3.0 * t * t * (t - 2.0)) / 6.0;
  b.value[2] = (4.0 + 3.0 * r * r * (r - 2.0)) / 6.0;
  b.value[3] = t * t * t / 6.0;
  b.slope[0] = -0.5 * r * r;
  b.slope[1] = 0.5 * t * (3.0 * t - 4.0);
  b.slope[2] = -0.5 * r * (3.0 * r - 4.0);
  b.slope[3] = 0.5 * t * t;
  b.curve[0] = r;
  b.curve[1] = 3.0 * t - 2.0;
  b.curve[2] = 3.0 * r - 2.0;
  b.curve[3] = t;
  if (u != inside)
    for (int k = 0; k < 4; ++k) b.value[k] += (u - inside) * b.slope[k], b.curve[k] = 0.0;
  return b;
}

}  // namespace

GroundSurface::GroundSurface(const Ground& ground) : normal_(ground.normal.normalized()), radius_(ground.radius) {
  const HeightGrid& grid = ground.heights;
  if (grid.heights.empty()) {
    offset_ = normal_.z() * ground.height + ground.radius;
    return;
  }
  columns_ = grid.columns, rows_ = grid.rows;
  x0_ = grid.x0, y0_ = grid.y0, dx_ = grid.dx, dy_ = grid.dy;
  // Along the rows, then along the columns.
  const int wide = columns_ + 2;
  std::vector<double> along(static_cast<size_t>(rows_) * wide), scratch;
  coefficients_.assign(static_cast<size_t>(rows_ + 2) * wide, 0.0);
  for (int r = 0; r < rows_; ++r)
    spline_coefficients(&grid.heights[static_cast<size_t>(r) * columns_], 1, columns_,
                        &along[static_cast<size_t>(r) * wide], 1, scratch);
  for (int c = 0; c < wide; ++c) spline_coefficients(&along[c], wide, rows_, &coefficients_[c], wide, scratch);
  for (double& c : coefficients_) c += ground.height;
  // A spline stays below the largest of its coefficients.
  top_ = *std::max_element(coefficients_.begin(), coefficients_.end());
  bound_slopes();
}

// A derivative of a spline is one of the differences of its coefficients, and stays below the largest of them.
void GroundSurface::bound_slopes() {
  const int wide = columns_ + 2, high = rows_ + 2;
  const auto c = [&](int column, int row) { return coefficients_[static_cast<size_t>(row) * wide + column]; };
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0, size = 0.0;
  const auto grow = [](double& most, double value) { most = std::max(most, std::abs(value)); };
  for (int j = 0; j < high; ++j)
    for (int i = 0; i < wide; ++i) {
      const bool right = i + 1 < wide, up = j + 1 < high;
      grow(size, c(i, j));
      if (right) grow(x, c(i + 1, j) - c(i, j));
      if (up) grow(y, c(i, j + 1) - c(i, j));
      if (right && up) grow(xy, c(i + 1, j + 1) - c(i, j + 1) - c(i + 1, j) + c(i, j));
      if (i + 2 < wide) grow(xx, c(i + 2, j) - 2.0 * c(i + 1, j) + c(i, j));
      if (j + 2 < high) grow(yy, c(i, j + 2) - 2.0 * c(i, j + 1) + c(i, j));
    }
  steepest_ = std::hypot(x / dx_, y / dy_);
  // Along any line the height bends by less than this; a chord of length l misses bend l²/8.
  const double cell = std::min(dx_, dy_);
  const double bend = std::max(xx / (dx_ * dx_), yy / (dy_ * dy_)) + xy / (dx_ * dy_);
  if (bend * cell * cell > 1e-12 * (cell + size)) spacing_ = std::max(cell / 32.0, std::sqrt(8e-3 * cell / bend));
}

bool GroundSurface::over_grid(const double* x) const {
  const double u = (x[0] - x0_) / dx_, v = (x[1] - y0_) / dy_;
  return u >= 0.0 && v >= 0.0 && u <= columns_ - 1 && v <= rows_ - 1;
}

GroundSurface::Patch GroundSurface::patch(double x, double y) const {
  const Basis bx = basis_at((x - x0_) / dx_, columns_), by = basis_at((y - y0_) / dy_, rows_);
  Patch p{};
  for (int j = 0; j < 4; ++j) {
    const double* c = &coefficients_[static_cast<size_t>(by.first + j) * (columns_ + 2) + bx.first];
    double value = 0.0, slope = 0.0, curve = 0.0;
    for (int i = 0; i < 4; ++i) value += c[i] * bx.value[i], slope += c[i] * bx.slope[i], curve += c[i] * bx.curve[i];
    p.h += by.value[j] * value;
    p.hx += by.value[j] * slope;
    p.hxx += by.value[j] * curve;
    p.hy += by.slope[j] * value;
    p.hxy += by.slope[j] * slope;
    p.hyy += by.curve[j] * value;
  }
  p.hx /= dx_, p.hy /= dy_;
  p.hxx /= dx_ * dx_, p.hxy /= dx_ * dy_, p.hyy /= dy_ * dy_;
  return p;
}

double GroundSurface::height(double x, double y) const {
  if (!plane()) return patch(x, y).h;
  return (offset_ - radius_ - normal_.x() * x - normal_.y() * y) / normal_.z();
}

bool GroundSurface::surely_above(const double* x) const { return x[2] - radius_ > top_ && over_grid(x); }

double GroundSurface::depth(const double* x) const {
  if (plane()) return offset_ - (normal_.x() * x[0] + normal_.y() * x[1] + normal_.z() * x[2]);
  const Patch p = patch(x[0], x[1]);
  return (p.h - x[2]) / std::sqrt(1.0 + p.hx * p.hx + p.hy * p.hy) + radius_;
}

GroundSurface::Depth GroundSurface::depth_and_gradient(const double* x) const {
  if (plane()) return {depth(x), -normal_};
  // d = e c + radius with e = h - z, c = (1 + |∇h|²)^(-1/2), ∇c = -c³ ∇∇h ∇h.
  const Patch p = patch(x[0], x[1]);
  const double e = p.h - x[2], c = 1.0 / std::sqrt(1.0 + p.hx * p.hx + p.hy * p.hy), c3 = c * c * c;
  const double cx = -c3 * (p.hx * p.hxx + p.hy * p.hxy), cy = -c3 * (p.hx * p.hxy + p.hy * p.hyy);
  return {e * c + radius_, {c * p.hx + e * cx, c * p.hy + e * cy, -c}};
}

Eigen::Matrix3d GroundSurface::curvature(const double* x) const {
  Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
  if (plane()) return m;
  const Patch p = patch(x[0], x[1]);
  const double c = 1.0 / std::sqrt(1.0 + p.hx * p.hx + p.hy * p.hy), c3 = c * c * c;
  const Vec3 of_c(-c3 * (p.hx * p.hxx + p.hy * p.hxy), -c3 * (p.hx * p.hxy + p.hy * p.hyy), 0.0);
  const Vec3 of_e(p.hx, p.hy, -1.0);
  m = of_c * of_e.transpose() + of_e * of_c.transpose();
  m(0, 0) += c * p.hxx, m(0, 1) += c * p.hxy, m(1, 0) += c * p.hxy, m(1, 1) += c * p.hyy;
  return m;
}

}  // namespace taut
