// The stiffness K of static_forces.h at one place, made ready for elimination: with ρGᵀG, ρ such that a constraint is
// about as stiff as what it joins. Along the constraints (G δx = 0) that changes nothing; across them it keeps the
// pivots of the unknowns positive, so that a negative one tells of a direction in which the energy falls. What follows
// other unknowns by a linear constraint is carried by those (followers.h): across such a constraint the forces that it
// passes on would else pull on a motion that costs nothing, whatever ρ is.
#pragma once

#include <optional>
#include <vector>

#include "taut/analysis/followers.h"
#include "taut/analysis/static_forces.h"

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

// Sums repeated entries.
void sum_repeated(std::vector<SparseEntry>& entries);

}  // namespace taut
