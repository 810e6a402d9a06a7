// Truncated regular solids: a solid's corners are cut off, which leaves a polygon of cables at every corner and a
// cable along what remains of every edge. A strut goes over every edge, and the two sides of polygons at its
// ends make a zigzag with it. All nodes are alike (the rotations of the solid take one to each other), so
// that the shape hangs on three numbers, the position of one node: alike_ball.h. Force densities are 1 in
// the polygons, `ratio` in the edges and -μ in the struts, μ from the characteristic equation.
#include "taut/generators/assemble/alike_ball.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 500.0;

Scenario build(Solid solid, const char* name, const Parameters& parameters) {
  Numbers numbers(parameters);
  const Polyhedron polyhedron = regular_solid(solid);
  return build_alike_ball(name, {polyhedron, polyhedron.opposite, zigzag(polyhedron)}, numbers, standard_stiffness);
}

Generator truncated(std::string kind, std::string help, Scenario (*build_kind)(const Parameters&)) {
  return {std::move(kind), std::move(help),
          together({{{"length", 1.0, "m, of each strut"},
                     {"ratio", 1.0, "force density of the edges over that of the polygons, above 0.01, below 100"},
                     {"pretension", 20.0, "N, in the cables of the polygons"},
                     {"mass", 1.0, "kg, of each strut"}},
                    cable_parameters(standard_stiffness)}),
          build_kind};
}

}  // namespace

Generator truncated_tetrahedron() {
  return truncated("truncated_tetrahedron", "6 struts, 4 triangles and 6 edges of cables",
                   [](const Parameters& p) { return build(Solid::tetrahedron, "truncated tetrahedron", p); });
}

Generator truncated_cube() {
  return truncated("truncated_cube", "12 struts, 8 triangles and 12 edges of cables",
                   [](const Parameters& p) { return build(Solid::cube, "truncated cube", p); });
}

Generator truncated_octahedron() {
  return truncated("truncated_octahedron", "12 struts, 6 squares and 12 edges of cables",
                   [](const Parameters& p) { return build(Solid::octahedron, "truncated octahedron", p); });
}

Generator truncated_dodecahedron() {
  return truncated("truncated_dodecahedron", "30 struts, 20 triangles and 30 edges of cables",
                   [](const Parameters& p) { return build(Solid::dodecahedron, "truncated dodecahedron", p); });
}

Generator truncated_icosahedron() {
  return truncated("truncated_icosahedron", "30 struts, 12 pentagons and 30 edges of cables",
                   [](const Parameters& p) { return build(Solid::icosahedron, "truncated icosahedron", p); });
}

}  // namespace taut
