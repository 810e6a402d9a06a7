// Motions of whole parts of a structure: rigid ones (v + ω × r) and affine ones (v + M r), as far as supports and
// linear constraints allow them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "taut/analysis/parts.h"
#include "taut/analysis/statics_rows.h"

namespace taut {

struct WholeMotions {
  struct Part {
    std::vector<int> unknowns;  // of its nodes
    Eigen::MatrixXd fields;     // orthonormal columns over these unknowns; together those of all parts are orthonormal
  };
  std::vector<Part> parts;
  int count = 0;

  void remove(Eigen::VectorXd& motion) const;                            // from a motion of the unknowns
  Eigen::VectorXd part_along(int part, const Eigen::VectorXd& f) const;  // components of f along the part's fields
  // Fieldsᵀ × Y: as many rows as motions.
  Eigen::MatrixXd along(const Eigen::MatrixXd& Y) const;
  Eigen::MatrixXd dense(int unknowns) const;  // a column for every motion
};

enum class WholeKind { rigid, affine };
WholeMotions whole_motions(const Model& model, const StaticRows& rows, const Parts& parts, WholeKind kind);

}  // namespace taut
