// What formulation nodal makes of a model, as plain lists: who uses them writes the same equations for many robots at
// once (taut/batch).
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "taut/base/types.h"
#include "taut/model/model.h"

namespace taut {

struct NodalParts {
  // A node that no bar holds: inverse mass per axis.
  struct LoneNode {
    int node;
    Vec3 inverse;
  };
  // A bar whose nodes nothing else holds: inverse of the 2×2 mass matrix per axis.
  struct LoneBar {
    int a, b;
    double length;
    bool guided;  // weights differ among the axes
    Vec3 aa, ab, bb;
  };
  // Of the coupled rest: |x_b - x_a| = length where a >= 0, else Σ c x = value along one axis.
  struct Row {
    int a = -1, b = -1;
    double length = 0.0;
    int axis = 0;
    std::vector<std::pair<int, double>> terms;  // node, coefficient
    double value = 0.0;
  };
  struct MassPair {
    int a, b;
    double mass;
  };
  std::vector<LoneNode> lone_nodes;
  std::vector<LoneBar> lone_bars;
  std::vector<int> group;                // coupled nodes, ascending
  std::vector<Row> rows;                 // without those that depend on others at the start
  std::vector<double> node_mass;         // of every node: the diagonal of M
  std::vector<MassPair> mass_pairs;      // off the diagonal
  std::vector<double> start_x, start_v;  // m and m/s, 3 numbers per node, put on the constraints
};

// Throws InputError when formulation nodal refuses the model, or where constraints contradict each other at the start.
NodalParts nodal_parts(const Model& model);

}  // namespace taut
