// Structures out of balance for the tests of form-finding: prisms with any twist, spheres of any number of struts,
// trusses with closed forms.
#pragma once

#include <map>
#include <numbers>

#include "tests/equilibrium/dense_balance.h"
#include "tests/support/support.h"

namespace taut::testing {

// Three bars on two pins, three sides of a unit square in the x-y plane: a parallelogram that swings freely.
Model square_linkage();

// n bars between two rings; twist as in N1: from strut foot to strut head less one side. Cables: the lower ring, the
// upper ring, then the verticals, n of each.
Model twisted_prism(int n, double twist, double radius = 0.5, double height = 1.0);

// A triangulated sphere as directed edges: from, to, and the next one around the same triangle.
struct Triangulation {
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;
};

Triangulation icosahedron_faces();

// Every triangle split into frequency² smaller ones; 30 frequency² edges.
Triangulation subdivided(int frequency);

// A point over every face, joined to its corners and to its neighbours: 90 edges.
Triangulation raised_faces();

// As many struts as the triangulation has edges: three nodes and a triangle of cables per face, a cable across every
// edge, and struts that close the Z of a side, the cable across at its end, and the side beyond.
Model strut_sphere(const Triangulation& t, double radius = 1.0);

// Two bars from (±width, 0) to a top at `height`, elastic with this EA, loaded downwards.
Model two_bar_arch(double width, double height, double EA, double load);

// A column of two bars of length L, hinged in the middle, which two horizontal cables of stiffness k hold; the top is
// guided along y and loaded downwards. The upper bar is elastic where an EA is given.
Model hinged_column(double L, double k, double EA, double load);

}  // namespace taut::testing
