#include "taut/generators/assemble/polyhedron.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace taut {

namespace {

// All (±x, ±y, ±z), the signs of zeros once.
void add_signs(std::vector<Vec3>& list, const Vec3& point) {
  for (int signs = 0; signs < 8; ++signs) {
    Vec3 at = point;
    bool repeated = false;
    for (int axis = 0; axis < 3; ++axis) {
      if (!(signs >> axis & 1)) continue;
      repeated = repeated || point[axis] == 0.0;
      at[axis] = -at[axis];
    }
    if (!repeated) list.push_back(at);
  }
}

void add_cyclic(std::vector<Vec3>& list, const Vec3& point) {
  for (int k = 0; k < 3; ++k) add_signs(list, {point[k], point[(k + 1) % 3], point[(k + 2) % 3]});
}

std::vector<Vec3> corners_of(Solid solid) {
  constexpr double phi = std::numbers::phi;
  std::vector<Vec3> list;
  switch (solid) {
    case Solid::tetrahedron:
      return {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    case Solid::cube:
      add_signs(list, {1, 1, 1});
      break;
    case Solid::octahedron:
      add_cyclic(list, {1, 0, 0});
      break;
    case Solid::dodecahedron:
      add_signs(list, {1, 1, 1});
      add_cyclic(list, {0, 1 / phi, phi});
      break;
    case Solid::icosahedron:
      add_cyclic(list, {0, 1, phi});
      break;
  }
  return list;
}

// Neighbours of a corner, counter-clockwise seen from outside.
std::vector<int> neighbours(const std::vector<Vec3>& corners, int at, double edge) {
  std::vector<int> near;
  for (int other = 0; other < static_cast<int>(corners.size()); ++other)
    if (other != at && (corners[other] - corners[at]).norm() < 1.01 * edge) near.push_back(other);
  // Angles from the first of them, 0 to 2π.
  const int first = near.front();
  const Vec3 y = corners[at].cross(corners[first]).normalized(), x = y.cross(corners[at].normalized());
  const auto angle = [&](int other) {
    if (other == first) return 0.0;
    const double turn = std::atan2(corners[other].dot(y), corners[other].dot(x));
    return turn < 0.0 ? turn + 2.0 * std::numbers::pi : turn;
  };
  std::sort(near.begin(), near.end(), [&](int a, int b) { return angle(a) < angle(b); });
  return near;
}

}  // namespace

Polyhedron regular_solid(Solid solid) {
  Polyhedron result;
  result.corners = corners_of(solid);
  double edge = std::numeric_limits<double>::infinity();
  for (const Vec3& corner : result.corners)
    if (corner != result.corners[0]) edge = std::min(edge, (corner - result.corners[0]).norm());
  std::map<std::pair<int, int>, int> dart;
  for (int v = 0; v < static_cast<int>(result.corners.size()); ++v) {
    const std::vector<int> near = neighbours(result.corners, v, edge);
    const int first = result.darts(), degree = static_cast<int>(near.size());
    for (int k = 0; k < degree; ++k) {
      dart[{v, near[k]}] = first + k;
      result.next.push_back(first + (k + 1) % degree);
      result.vertex.push_back(v);
    }
  }
  result.opposite.resize(result.next.size());
  for (const auto& [ends, index] : dart) result.opposite[index] = dart.at({ends.second, ends.first});
  return result;
}

std::vector<int> inverse(const std::vector<int>& permutation) {
  std::vector<int> back(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) back[permutation[i]] = static_cast<int>(i);
  return back;
}

// Along the edge, then the last turn before it, so that the face stays on the left.
std::vector<int> around_faces(const Polyhedron& polyhedron) {
  const std::vector<int> last = inverse(polyhedron.next);
  std::vector<int> along;
  for (int opposite : polyhedron.opposite) along.push_back(last[opposite]);
  return along;
}

std::vector<int> zigzag(const Polyhedron& polyhedron) {
  const std::vector<int> along = around_faces(polyhedron);
  std::vector<int> to;
  for (int next : polyhedron.next) to.push_back(along[next]);
  return to;
}

}  // namespace taut
