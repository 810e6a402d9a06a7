// The stiffness K of static_forces.h at one shape, made ready for elimination: with ρGᵀG, ρ such that a constraint is
// about as stiff as what it joins. Along the constraints (G δx = 0) that changes nothing; across them it keeps the
// pivots of the unknowns positive, so that a negative one tells of a direction in which the energy falls. What follows
// other unknowns by a linear constraint is carried by those (followers.h): across such a constraint the forces that it
// passes on would else pull on a motion that costs nothing, whatever ρ is.
//
// statics/stiffness.h has another K, for forces that are chosen and not those of the present rest lengths: each cable has
// the slope of its law at the chosen tension, there is no contact, and a rigid bar adds t/l (1 - u uᵀ) where here it adds
// μ = t/l, the same along the constraint only. So both stay.
#pragma once

#include <optional>
#include <vector>

#include "taut/equilibrium/followers.h"
#include "taut/equilibrium/static_forces.h"
#include "taut/solve/sparse/sparse_matrix.h"

namespace taut {

class TangentStiffness {
 public:
  // `at` is the last net_force() of the statics.
  TangentStiffness(StaticForces& statics, const NetForce& at);

  int unknowns() const { return unknowns_; }
  int constraints() const { return constraints_; }
  const std::vector<SparseEntry>& entries() const { return stiffness_; }  // on and above the diagonal, each place once
  const std::vector<double>& bound() const { return bound_; }             // S: of the stiffness, per unknown, N/m

  // LDLᵀ of | K + more  Gᵀ; G  0 |; nothing if K + more is not positive definite along the constraints.
  struct Factor {
    Saddle saddle;
    SaddleFactor numbers;
  };
  std::optional<Factor> factorise(const std::vector<SparseEntry>& more) const;

 private:
  void add_penalty(const std::vector<double>& bounds, const std::vector<int>& coordinates);

  int unknowns_, constraints_;
  std::vector<SparseEntry> pattern_;
  std::vector<double> jacobian_;
  Followers followers_;
  std::vector<SparseEntry> stiffness_, penalty_;
  std::vector<double> bound_;
};

// A stiffness between two nodes, into the upper triangle over the unknowns: `block` at each, -`block` between them.
void add_between(const std::vector<int>& unknown_of, int a, int b, const Mat3& block, std::vector<SparseEntry>& upper);

// A symmetric matrix from its entries on and above the diagonal.
SparseMatrix symmetric_matrix(int size, const std::vector<SparseEntry>& upper);

// Sums repeated entries.
void sum_repeated(std::vector<SparseEntry>& entries);

}  // namespace taut
