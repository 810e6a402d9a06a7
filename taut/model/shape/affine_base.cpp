#include "taut/model/shape/affine_base.h"

#include <algorithm>

#include "taut/solve/dense.h"

namespace taut {

double extent(const std::vector<Vec3>& at, const std::vector<int>& points) {
  double size = 0.0;
  for (int i : points) size = std::max(size, (at[i] - at[points.front()]).norm());
  return size;
}

std::vector<int> spanning(const std::vector<Vec3>& at, const std::vector<int>& points, double flat) {
  std::vector<int> base;
  if (points.empty()) return base;
  base.push_back(points.front());
  std::vector<Vec3> axes;
  while (base.size() < 4) {
    int best = -1;
    Vec3 axis = Vec3::Zero();
    double distance = flat;
    for (int i : points) {
      Vec3 d = at[i] - at[base.front()];
      for (const Vec3& earlier : axes) d -= earlier.dot(d) * earlier;
      if (const double length = d.norm(); length > distance) distance = length, best = i, axis = d / length;
    }
    if (best < 0) break;
    axes.push_back(axis);
    base.push_back(best);
  }
  return base;
}

std::vector<double> affine_weights(const std::vector<Vec3>& at, const std::vector<int>& base, const Vec3& point) {
  const int n = static_cast<int>(base.size());
  std::vector<double> weights(n, 0.0);
  weights[0] = 1.0;
  if (n == 1) return weights;
  Eigen::MatrixXd a(3, n - 1);
  for (int i = 1; i < n; ++i) a.col(i - 1) = at[base[i]] - at[base[0]];
  const Eigen::VectorXd beta = PivotedQr(a).solve(point - at[base[0]]);
  weights[0] = 1.0 - beta.sum();
  for (int i = 1; i < n; ++i) weights[i] = beta[i - 1];
  return weights;
}

}  // namespace taut
