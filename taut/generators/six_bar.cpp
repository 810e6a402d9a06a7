// The six-bar robot of the Berkeley chapter, with its node numbers (n1 ... n12), its table of rods and its order of
// cables. Neutral pose: three pairs of parallel rods, L/2 apart, along x, z and y; every cable is √(3/8) L long and
// q_bar = -3/2 q_cable. Centre at the origin; `velocity` and `spin` start a rigid motion v + ω × r.
#include <array>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/assemble/start_motion.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 500.0;

// Node positions in units of L/4.
constexpr std::array<std::array<int, 3>, 12> places = {{{2, 1, 0},
                                                        {-2, 1, 0},
                                                        {-2, -1, 0},
                                                        {2, -1, 0},
                                                        {1, 0, 2},
                                                        {1, 0, -2},
                                                        {-1, 0, -2},
                                                        {-1, 0, 2},
                                                        {0, 2, 1},
                                                        {0, 2, -1},
                                                        {0, -2, -1},
                                                        {0, -2, 1}}};

// Rods and rows of the connectivity matrix, by node number from 1.
constexpr std::array<std::array<int, 2>, 6> rods = {{{1, 2}, {4, 3}, {5, 6}, {8, 7}, {9, 12}, {10, 11}}};
constexpr std::array<std::array<int, 2>, 24> ties = {
    {{1, 5}, {1, 6}, {1, 9},  {1, 10}, {2, 7}, {2, 8},  {2, 9},  {2, 10}, {3, 7},  {3, 8},  {3, 11}, {3, 12},
     {4, 5}, {4, 6}, {4, 11}, {4, 12}, {5, 9}, {5, 12}, {6, 10}, {6, 11}, {7, 10}, {7, 11}, {8, 9},  {8, 12}}};

template <size_t count>
Pairs pairs_of(const std::array<std::array<int, 2>, count>& table) {
  Pairs pairs;
  for (const auto& row : table) pairs.emplace_back(row[0] - 1, row[1] - 1);
  return pairs;
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double length = numbers.positive("length");
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  CableLaw law = read_cable_law(numbers, standard_stiffness);
  if (numbers.given("beta")) {
    law.kind = LawKind::softplus;
    law.beta = numbers.positive("beta");
  }
  numbers.throw_if_wrong();

  Scenario scenario = weightless("six-bar robot");
  Model& model = scenario.model;
  for (const auto& [x, y, z] : places) add_node(model, 0.25 * length * Vec3(x, y, z));
  start_motion(model, numbers);
  add_bars(model, pairs_of(rods), mass);
  add_cables(model, pairs_of(ties), law, pretension);
  return scenario;
}

}  // namespace

Generator six_bar() {
  return {"six_bar", "six rods in three parallel pairs and 24 cables: the rolling robot",
          together({{{"length", 1.0, "m, of each rod (or rod_length)", false, "rod_length"},
                     {"pretension", 20.0, "N, in every cable"},
                     {"mass", 1.0, "kg, of each rod"}},
                    cable_parameters(standard_stiffness),
                    {{"beta", {}, "m, rounds the slack corner (softplus law); linear law when not given"}},
                    motion_parameters()}),
          build};
}

Generator expanded_octahedron() {
  Generator same = six_bar();
  same.kind = "expanded_octahedron";
  same.help = "another name of six_bar: an octahedron whose three struts were doubled and moved apart";
  return same;
}

}  // namespace taut
