// The planar X of case N3.
#pragma once

#include "tests/support/support.h"

namespace taut::testing {

// Unit square in the plane, bars along the diagonals, cables of 100 N/m around: a-b, b-c, c-d, d-a.
inline Model planar_x(double pretension) {
  Model m = empty_scenario().model;
  add_node(m, {0, 0, 0}, 0.0, all_fixed);
  add_node(m, {1, 0, 0}, 0.0, {false, true, true});
  add_node(m, {1, 1, 0}, 0.0, planar);
  add_node(m, {0, 1, 0}, 0.0, planar);
  add_bar(m, 0, 2, 1.0);
  add_bar(m, 1, 3, 1.0);
  for (int i = 0; i < 4; ++i) add_cable(m, {i, (i + 1) % 4}, linear_law(100.0), 1.0 - pretension / 100.0);
  return m;
}

}  // namespace taut::testing
