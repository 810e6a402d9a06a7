// Ball of twelve rods: a rod over every edge of a cube, turned about the edge's middle; a triangle of cables at every
// corner and a square in every face, four cables at each node. (The same on a tetrahedron is the six-bar.) All nodes
// are alike: alike_ball.h. Force densities are 1 in the triangles, `ratio` in the squares and -μ in the
// rods; μ = 5/4 for ratio 1.
#include "taut/generators/assemble/alike_ball.h"
#include "taut/generators/assemble/start_motion.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 500.0;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const Polyhedron cube = regular_solid(Solid::cube);
  Scenario scenario =
      build_alike_ball("twelve-bar robot", {cube, around_faces(cube), cube.opposite}, numbers, standard_stiffness);
  start_motion(scenario.model, numbers);
  return scenario;
}

}  // namespace

Generator twelve_bar() {
  return {"twelve_bar", "twelve rods over the edges of a cube and 48 cables: a rounder rolling robot",
          together({{{"length", 1.0, "m, of each rod (or rod_length)", false, "rod_length"},
                     {"ratio", 1.0, "force density of the squares over that of the triangles, above 0.01, below 100"},
                     {"pretension", 20.0, "N, in the cables of the triangles"},
                     {"mass", 1.0, "kg, of each rod"}},
                    cable_parameters(standard_stiffness),
                    motion_parameters()}),
          build};
}

}  // namespace taut
