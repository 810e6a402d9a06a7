// Polyhedra as maps of darts. A dart is an edge seen from one of its ends; seen from outside, `next` turns it
// counter-clockwise about its vertex, `opposite` goes to the same edge's dart at the other end. All that tensegrities
// made of a polyhedron need (truncations, polygons about vertices and in faces, rotations) is said by these two.
#pragma once

#include <vector>

#include "taut/base/types.h"

namespace taut {

struct Polyhedron {
  std::vector<int> next, opposite;  // per dart
  std::vector<int> vertex;          // where a dart starts
  // Of the vertices that the regular solid has; the first ones. Vertices that a subdivision adds have no position.
  std::vector<Vec3> corners;

  int darts() const { return static_cast<int>(next.size()); }
};

enum class Solid { tetrahedron, cube, octahedron, dodecahedron, icosahedron };

Polyhedron regular_solid(Solid solid);

// The triangles of a tetrahedron, octahedron or icosahedron cut into T = b² + b c + c² triangles of the same kind
// (Goldberg and Coxeter): each edge leads b steps along a line of the triangular lattice, then c steps along one
// 60° to the left. b >= 1, c >= 0. Edges, and so darts, become T times as many.
Polyhedron subdivided(const Polyhedron& solid, int b, int c);

// Permutations of darts, beside next and opposite.
std::vector<int> inverse(const std::vector<int>& permutation);
std::vector<int> around_faces(const Polyhedron& polyhedron);  // to the dart that the face on its left has next
std::vector<int> zigzag(const Polyhedron& polyhedron);        // next, opposite, and the turn back: twice leads back

}  // namespace taut
