// Forces at a given shape, within bounds: of all tensions T and multipliers μ that meet the wanted tensions and no
// least tension undercut, those that leave the least imbalance, and of several those nearest to given ones,
//
//   min |r|² + ε |(T, μ) - wanted|²,   repeated with the answer as what is wanted until ε has no say in r.
#pragma once

#include <vector>

#include "taut/equilibrium/force_balance.h"
#include "taut/form/prestress/prestress_held.h"

namespace taut {

// `wanted` has the shape and the forces to stay near; `held` the cables at their bound: a first guess, and the answer.
// False if bounds and wanted tensions contradict each other.
bool forces_within(ForceBalance& balance, const LeastTension& least, const Candidate& wanted, Candidate& found,
                   std::vector<int>& held);

// A step towards the nearest equilibrium to `start` like that of ForceBalance::nearer, but within bounds, and with an
// imbalance that is left where the linearised balance and the bounds contradict each other, at a price. `held` as
// above.
bool nearer_within(ForceBalance& balance, const LeastTension& least, const Candidate& at, const Eigen::VectorXd& start,
                   EqualityQpSolution& step, std::vector<int>& held);

}  // namespace taut
