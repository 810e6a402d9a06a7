// The matrices of small motions in node coordinates, on the free ones, sparse.
#pragma once

#include <vector>

#include "taut/formulation/matrices.h"
#include "taut/model/model.h"
#include "taut/solve/sparse/saddle.h"

namespace taut {

struct MotionMatrices {
  std::vector<int> coordinates;  // of every unknown: 3 node + axis
  SparseMatrix K, M, C;          // unknowns × unknowns; K with ρGᵀG, which no motion along G s = 0 feels
  std::vector<SparseEntry> stiffness, mass;  // K and M on and above the diagonal
  std::vector<SparseEntry> pattern;          // of G
  std::vector<double> jacobian;              // its values
  int constraints = 0;                       // rows of G, dependent ones among them
  Eigen::MatrixXd weight;                    // unknowns × 3: force of a unit acceleration along x, y, z
  Eigen::VectorXd bound;                     // of the stiffness, per unknown, N/m
  double asymmetry = 0.0;                    // of K, relative

  int unknowns() const { return static_cast<int>(coordinates.size()); }
};

// Bar forces are those of the motion that begins at rest in this shape: in balance, or falling freely.
MotionMatrices motion_matrices(const Model& model);

// LDLᵀ of | K + shift M  Gᵀ; G  0 |.
struct ShiftedFactor {
  Saddle saddle;
  SaddleFactor numbers;

  bool positive() const { return saddle.positive(numbers); }
  int rank() const { return saddle.constraints() - numbers.left_out; }  // of G
  // In place on the unknowns, column by column.
  void solve(Eigen::MatrixXd& columns) const;
};
ShiftedFactor factorise(const MotionMatrices& matrices, double shift);

// How many ω² lie below `square` along the constraints, by Sylvester's law of inertia: the negative pivots of
// | K - square M  Gᵀ; G  0 |, one of which every independent constraint brings. `positive` says which are independent.
// Below 0: a pivot vanished.
int count_below(const MotionMatrices& matrices, const ShiftedFactor& positive, double square);

}  // namespace taut
