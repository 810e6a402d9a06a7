// States of self-stress and mechanisms: the null spaces of the equilibrium matrix Gᵀ (statics/rows.h),
//
//   self-stress  Gᵀ s = 0, counted by the members' part: what bodies and constraints do among themselves is no
//                self-stress of the structure,    states = dim null(Gᵀ) - dim null(Gᵀ of the inner rows);
//   mechanisms   G d = 0, less the rigid motions of every part,    mechanisms = unknowns - rank - rigid motions.
//
// By sparse Householder reflections; directions below `tolerance` (of a unit direction) count as none.
#pragma once

#include <memory>

#include "taut/equilibrium/parts.h"
#include "taut/equilibrium/stiffness/rigid_motions.h"
#include "taut/solve/sparse/sparse_qr.h"
#include "taut/statics/rows.h"

namespace taut {

struct StaticSpaces {
  int rank = 0, states = 0, mechanisms = 0;
  WholeMotions rigid;
  // A column for each state: all rows; the members' parts are orthonormal. Without columns if there are too many.
  Eigen::MatrixXd self_stress;
  // A column for each mechanism over the unknowns; orthonormal, and so to rigid motions. Without columns if too many.
  Eigen::MatrixXd mechanism;
  bool states_listed = true, mechanisms_listed = true;
  std::shared_ptr<const SparseQr> equilibrium;  // Gᵀ
};

StaticSpaces static_spaces(const Model& model, const StaticRows& rows, const Parts& parts, double tolerance);

}  // namespace taut
