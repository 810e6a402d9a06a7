// Densities of groups for which the stress matrix is that of a shape; see form/force_density.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taut/form/stress_matrix.h"

namespace taut {

struct DensityGroup {
  std::vector<int> members;
  bool pulls = false;           // must stay positive
  std::optional<double> given;  // stays
};

struct DensityProblem {
  int nodes = 0, dimension = 3;
  std::vector<std::pair<int, int>> members;  // straight ones, or pieces of cables that run on
  std::vector<DensityGroup> groups;
  std::vector<double> share;  // per member: its density over that of its group; empty: 1
};

struct SolvedDensities {
  bool found = false;
  std::string reason;
  Eigen::VectorXd q;          // per member
  LowestEigenvectors lowest;  // d + 1 of them
  int iterations = 0;
};

// Densities that leave the least imbalance of the shape x (3 per node), near 1 for cables and -1 for bars, each with
// the sign that it shall have; per group.
Eigen::VectorXd start_densities(const DensityProblem& problem, const Eigen::VectorXd& x);

// Bars push in the end where that is about as firm. Where no densities make the lowest eigenvalues of D vanish, those
// are sought that make the eigenvalues vanish whose eigenvectors are nearest to the shape x (3 per node): such a shape
// is in balance, but D has negative eigenvalues.
SolvedDensities solve_densities(const DensityProblem& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& x,
                                int iterations);

}  // namespace taut
