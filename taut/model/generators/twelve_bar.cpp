// Ball of twelve rods: a rod over every edge of a cube, turned about the edge's middle; a triangle of cables at every
// corner and a square in every face, four cables at each node. (The same on a tetrahedron is the six-bar.) All nodes
// are alike: symmetric_form.h with T = 1. Force densities are 1 in the triangles, `ratio` in the squares and -μ in the
// rods; μ = 5/4 for ratio 1.
#include "taut/model/generators/kinds.h"
#include "taut/model/generators/numbers.h"
#include "taut/model/generators/start_motion.h"
#include "taut/model/generators/symmetric_form.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 500.0;
constexpr double least_ratio = 0.01;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double length = numbers.positive("length");
  const double ratio = numbers.between("ratio", least_ratio, 1.0 / least_ratio);
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();

  const Polyhedron cube = regular_solid(Solid::cube);
  const Rotations rotations = rotations_of(cube);
  const std::vector<int> squares = around_faces(cube);
  Form form = balanced_form(cube, rotations, {{cube.next, 1.0}, {squares, ratio}}, cube.opposite);
  const auto distance = [&](const std::vector<int>& to) {
    return (place_of(rotations, form.v, 0) - place_of(rotations, form.v, to[0])).norm();
  };
  form.v *= length / distance(cube.opposite);
  const double density = pretension / distance(cube.next);

  Scenario scenario = weightless("twelve-bar robot");
  Model& model = scenario.model;
  add_nodes(model, rotations, form.v);
  start_motion(model, numbers);
  add_bars(model, rotations, cube.opposite, mass);
  add_cables(model, rotations, {cube.next, density}, law);
  add_cables(model, rotations, {squares, ratio * density}, law);
  return scenario;
}

}  // namespace

Generator twelve_bar() {
  return {"twelve_bar", "twelve rods over the edges of a cube and 48 cables: a rounder rolling robot",
          together({{{"length", 1.0, "m, of each rod"},
                     {"ratio", 1.0, "force density of the squares over that of the triangles, above 0.01, below 100"},
                     {"pretension", 20.0, "N, in the cables of the triangles"},
                     {"mass", 1.0, "kg, of each rod"}},
                    cable_parameters(standard_stiffness),
                    motion_parameters()}),
          build};
}

}  // namespace taut
