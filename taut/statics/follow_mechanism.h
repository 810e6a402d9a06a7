// Does a mechanism go on? Positions x₀ + d that keep the values of all rows are sought at growing amplitudes a,
//
//   values(x₀ + d) = values(x₀),   d across the rigid motions,   |Bᵀd| = a,
//
// B an orthonormal basis of the mechanisms in question, so that d may turn among them. Where the motion is finite what
// is left is rounding at every amplitude; where it is not, it grows as a² or a higher power.
#pragma once

#include <Eigen/Core>

#include "taut/equilibrium/stiffness/rigid_motions.h"
#include "taut/statics/rows.h"

namespace taut {

enum class MechanismKind { infinitesimal, finite, undecided };
const char* name(MechanismKind kind);

struct Followed {
  MechanismKind kind = MechanismKind::undecided;
  Eigen::VectorXd tangent;  // of a finite one: over the unknowns, of length 1, in the span of `space`
};

// Sets out along `motion`, which lies in the span of `among`; `among` lies in the span of `space`, both orthonormal.
Followed follow_mechanism(const StaticRows& rows, const WholeMotions& rigid, const Eigen::MatrixXd& space,
                          const Eigen::MatrixXd& among, const Eigen::VectorXd& motion);

}  // namespace taut
