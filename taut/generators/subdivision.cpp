// Goldberg-Coxeter subdivision. A face of the solid is the triangle 0, z, zω of the lattice of Eisenstein integers x +
// y ω, ω = exp(iπ/3), z = b + c ω. Small triangles whose centre lies in it are its share; where they reach beyond an
// edge, a turn and a shift of the lattice lead into the face on the other side.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "taut/generators/assemble/polyhedron.h"

namespace taut {

namespace {

struct Lattice {
  int x = 0, y = 0;

  auto operator<=>(const Lattice&) const = default;
};
Lattice operator+(Lattice a, Lattice b) { return {a.x + b.x, a.y + b.y}; }
Lattice operator-(Lattice a, Lattice b) { return {a.x - b.x, a.y - b.y}; }
Lattice operator*(int k, Lattice a) { return {k * a.x, k * a.y}; }

// ω^sixths a.
Lattice turned(Lattice a, int sixths) {
  for (int k = 0; k < sixths; ++k) a = {-a.y, a.x + a.y};
  return a;
}

int cross(Lattice a, Lattice b) { return a.x * b.y - a.y * b.x; }

// A point of the surface as a face and a position in its lattice.
using Position = std::pair<int, Lattice>;

class Surface {
 public:
  Surface(const Polyhedron& solid, int b, int c) : solid_(solid), face_of_(solid.darts(), -1) {
    const Lattice z{b, c};
    corner_ = {Lattice{}, z, turned(z, 1)};
    const std::vector<int> along = around_faces(solid);
    for (int dart = 0; dart < solid.darts(); ++dart) {
      if (face_of_[dart] >= 0) continue;
      const std::array<int, 3> sides = {dart, along[dart], along[along[dart]]};
      for (int side : sides) face_of_[side] = static_cast<int>(faces_.size());
      faces_.push_back(sides);
    }
    vertices_ = static_cast<int>(solid.corners.size());
  }

  int faces() const { return static_cast<int>(faces_.size()); }

  // Twice the area between side i and a point, positive inside; `scale`: of the point's coordinates.
  int inside(Lattice point, int i, int scale = 1) const {
    return cross(corner_[(i + 1) % 3] - corner_[i], point - scale * corner_[i]);
  }

  // The number of the vertex at a position, which may lie a little outside its face.
  int vertex(Position position) {
    for (bool outside = true; outside;) {
      outside = false;
      for (int i = 0; i < 3 && !outside; ++i) {
        outside = inside(position.second, i) < 0;
        if (outside) position = beyond(position, i);
      }
    }
    for (int i = 0; i < 3; ++i)
      if (position.second == corner_[i]) return solid_.vertex[faces_[position.first][i]];
    // On an edge a position has two names.
    for (int i = 0; i < 3; ++i)
      if (inside(position.second, i) == 0) position = std::min(position, beyond(position, i));
    const auto [found, is_new] = numbers_.try_emplace(position, vertices_);
    if (is_new) ++vertices_;
    return found->second;
  }

 private:
  // The same position as the face beyond side i names it; side i runs there from corner j + 1 to corner j.
  Position beyond(const Position& position, int i) const {
    const int across = solid_.opposite[faces_[position.first][i]], face = face_of_[across];
    const int j = static_cast<int>(std::find(faces_[face].begin(), faces_[face].end(), across) - faces_[face].begin());
    const int sixths = (2 * j + 3 - 2 * i + 6) % 6;
    return {face, corner_[(j + 1) % 3] + turned(position.second - corner_[i], sixths)};
  }

  const Polyhedron& solid_;
  std::vector<int> face_of_;
  std::vector<std::array<int, 3>> faces_;  // their darts, counter-clockwise
  std::array<Lattice, 3> corner_;
  std::map<Position, int> numbers_;
  int vertices_ = 0;
};

}  // namespace

Polyhedron subdivided(const Polyhedron& solid, int b, int c) {
  // Small triangles, each once: one whose centre lies on an edge is met in two faces.
  Surface surface(solid, b, c);
  std::set<std::array<int, 3>> triangles;
  const auto take = [&](int face, const std::array<Lattice, 3>& points) {
    const Lattice sum = points[0] + points[1] + points[2];
    for (int i = 0; i < 3; ++i)
      if (surface.inside(sum, i, 3) < 0) return;
    std::array<int, 3> ends;
    for (int i = 0; i < 3; ++i) ends[i] = surface.vertex({face, points[i]});
    std::rotate(ends.begin(), std::min_element(ends.begin(), ends.end()), ends.end());
    triangles.insert(ends);
  };
  for (int face = 0; face < surface.faces(); ++face)
    for (int x = -c - 1; x <= b + 1; ++x)
      for (int y = -1; y <= b + c + 1; ++y) {
        const Lattice at{x, y}, right{x + 1, y}, up{x, y + 1}, far{x + 1, y + 1};
        take(face, {at, right, up});
        take(face, {right, far, up});
      }

  // Darts by their ends; the one after u-v about u is u-w in the triangle u v w.
  std::map<std::pair<int, int>, int> third, dart;
  for (const auto& [u, v, w] : triangles) {
    third[{u, v}] = w;
    third[{v, w}] = u;
    third[{w, u}] = v;
  }
  for (const auto& entry : third) dart.emplace(entry.first, static_cast<int>(dart.size()));
  Polyhedron result;
  result.corners = solid.corners;
  for (const auto& [ends, w] : third) {
    result.next.push_back(dart.at({ends.first, w}));
    result.opposite.push_back(dart.at({ends.second, ends.first}));
    result.vertex.push_back(ends.first);
  }
  return result;
}

}  // namespace taut
