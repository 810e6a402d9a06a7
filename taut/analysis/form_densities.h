// Densities of groups for which the stress matrix is that of a shape; see form_force_density.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taut/analysis/form_stress_matrix.h"

namespace taut {

struct DensityGroup {
  std::vector<int> members;
  bool pulls = false;           // must stay positive
  std::optional<double> given;  // stays
};

struct DensityProblem {
  int nodes = 0, dimension = 3;
  std::vector<std::pair<int, int>> members;
  std::vector<DensityGroup> groups;
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

// Bars push in the end where that is about as firm.
SolvedDensities solve_densities(const DensityProblem& problem, const Eigen::VectorXd& start, int iterations);

}  // namespace taut
