// Shapes from force densities q, force over length of a member (N/m, tension positive). A cable that runs over nodes
// has one tension T = q L over its whole length L; its pieces have the densities q L/l, found in turn with the shape.
//
// Supported structures: with q of every member given, balance is linear in the coordinates. Along each axis
//   D_ff x_f = p_f - D_fc x_c,       f free, c fixed nodes, p weight and loads, D of form/stress_matrix.h.
//
// Free structures: densities of groups of members are found such that D has as many null vectors besides 1 as the start
// shape has dimensions d (3 in space, 2 in a plane) and no negative eigenvalue: with the d lowest eigenvectors W of D,
//   Σ_g δq_g w_iᵀ S_g w_j = -λ_i δ_ij,   i <= j <= d,        S_g = Σ c_k c_kᵀ over the group,
// the step δq of least norm, repeated: Newton's method, quadratic. The sum of the cables' densities stays (none where a
// density is given, which then stays instead), cables keep pulling. It starts from
// the densities that balance the start shape best. Where that finds none, the d eigenvectors nearest to the start shape
// take the place of the lowest: a shape in balance that is not super-stable. The coordinates are the null vectors
// nearest to the start shape, scaled to a mean member length.
#pragma once

#include <optional>
#include <vector>

#include "taut/form/form_result.h"
#include "taut/form/groups.h"

namespace taut {

struct ForceDensityOptions {
  std::vector<std::optional<double>> given;  // per member (equilibrium/members.h), N/m; empty: none
  MemberGroups groups;                       // free structures: who shares a density; empty: by connections
  double mean_length = 0.0;                  // m, free structures: of all members; 0: as at the start
  double pretension = 0.0;                   // N, mean over all cables; 0: as at the start, or as given densities say
  int iterations = 200;
};

struct ForceDensityResult : FormResult {
  MemberGroups groups;        // those that were used; none for a supported structure
  Eigen::VectorXd densities;  // per member, N/m, at the end
  Eigen::VectorXd lowest;     // free structures: the d + 1 lowest eigenvalues of D besides that of 1, over |D|
  bool super_stable = false;  // D has no negative eigenvalue and no null vectors beyond the shape's
};

// Throws InputError where a member has no density of its own, or the model has parts that the method does not know.
ForceDensityResult find_by_densities(const Model& model, const ForceDensityOptions& options = {});

}  // namespace taut
