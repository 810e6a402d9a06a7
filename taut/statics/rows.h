// A structure as lengths and forces. Every row has a value that depends on the node positions x: the length of a member
// (a cable, over its whole path: one tension; a bar), or what a body or a linear constraint keeps. With the gradients
// G = ∂(values)/∂x, forces t (members: tension positive, N) balance the loads f (N) where
//
//   Gᵀ t = f    on the free coordinates: Gᵀ is the equilibrium matrix, G the compatibility matrix.
//
// Rows that are no members ("inner") come last: a body keeps the distances between a base of up to four of its nodes,
// every other node is an affine combination of the base; linear constraints are scaled to a gradient of length 1.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/model/model.h"
#include "taut/solve/sparse/saddle.h"

namespace taut {

struct StaticMember {
  std::string name;
  int cable = -1, bar = -1;  // index in the model; one of them
  double length = 0.0;       // m, at the start
  bool pulls_only = false;   // a cable that goes slack
  bool rigid = false;        // a bar without EA
  double pretension = 0.0;   // N: at the start, with the rest length at t = 0
};

struct StaticRow {
  std::vector<int> path;                      // nodes: the value is the length of the path
  std::vector<std::pair<int, double>> terms;  // or, without a path, Σ coefficient × coordinate
  int constraint = -1;                        // of the model, if it comes from one
};

struct StaticRows {
  std::vector<StaticMember> members;
  std::vector<StaticRow> rows;                 // members first
  std::vector<int> unknown_of, coordinate_of;  // free coordinates and back; -1: fixed
  std::vector<Vec3> weight, load;              // N, per node, at t = 0
  Eigen::VectorXd start;                       // positions, 3 per node
  int unknowns() const { return static_cast<int>(coordinate_of.size()); }
  int inner() const { return static_cast<int>(rows.size() - members.size()); }
};

// Throws InputError for a model with joints or pulleys. Bars with nodes attached are bodies, not members.
StaticRows static_rows(const Model& model);

// Calls f(node a, node b, unit vector from a to b, length) for the pieces of a path that have a length.
template <typename F>
void each_piece(const std::vector<int>& path, const Eigen::VectorXd& x, const F& f) {
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    const Vec3 d = x.segment<3>(3 * path[k + 1]) - x.segment<3>(3 * path[k]);
    if (const double l = d.norm(); l > 0.0) f(path[k], path[k + 1], Vec3(d / l), l);
  }
}

// ∂(value)/∂x of every row at x: entries (row, coordinate), which may repeat; all coordinates, fixed ones too.
std::vector<SparseEntry> gradients(const StaticRows& rows, const Eigen::VectorXd& x);
// The same on the free coordinates: entries (row, unknown).
std::vector<SparseEntry> free_gradients(const StaticRows& rows, const Eigen::VectorXd& x);
// Values of all rows at x.
Eigen::VectorXd row_values(const StaticRows& rows, const Eigen::VectorXd& x);
// Entries of Gᵀ, the equilibrium matrix.
std::vector<SparseEntry> transposed(std::vector<SparseEntry> entries);

// Loads on the unknowns.
Eigen::VectorXd on_unknowns(const StaticRows& rows, const std::vector<Vec3>& per_node);

}  // namespace taut
