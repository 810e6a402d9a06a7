// Which of the forces that balance the loads? With the self-stress states S and one balance t₀ they are t = t₀ + S c;
// bounds make the choice a quadratic or linear programme in c:
//
//   least_norm       min Σ t_i²  over members
//   least_prestress  min Σ t_i   over cables
//   bounded          min max |t_i| over members
//   all with   least_i ≤ t_i ≤ most_i.
//
// Where the bounds contradict the balance, the members are found that would have to leave them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "taut/statics/rows.h"

namespace taut {

enum class ForceChoice { least_norm, least_prestress, bounded };

struct ForceProblem {
  const StaticRows* rows = nullptr;
  const Eigen::MatrixXd* self_stress = nullptr;  // columns over all rows, members' parts orthonormal
  Eigen::VectorXd balance;                       // t₀, over all rows
  Eigen::VectorXd least, most;                   // per member, N; ±infinity: none
  ForceChoice choice = ForceChoice::least_norm;
  // Further conditions C c ≥ d on the states, for stability.
  Eigen::MatrixXd cuts;
  Eigen::VectorXd cut_least;
};

struct ForceAnswer {
  bool feasible = false;
  Eigen::VectorXd forces;  // over all rows; where it is not feasible, with as few members out of bounds as was found
  std::vector<int> offending;  // members out of their bounds in `forces`, ascending
  std::vector<int> conflict;   // members whose bounds exclude each other, ascending: a smallest such set
};

ForceAnswer choose_forces(const ForceProblem& problem);

}  // namespace taut
