// Motions of whole parts of a structure, as far as supports and linear constraints allow them: rigid ones, v + ω × r, and
// affine ones, v + M r. r is the position from the centre of the part, over its size, which scales rotations well.
//
// A motion c (6 or 12 numbers per part) moves coordinate i by row_i · c. Supports and constraints hold S = Σ row rowᵀ over
// what they hold; the free motions are the kernel of S. Counting them, removing them from a displacement and their
// orthonormal basis all start there.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct Parts;

enum class WholeKind { rigid, affine };

// Independent rigid velocity fields of each part at the start that respect supports and constraints.
std::vector<int> count_rigid_motions(const Model& model, const std::vector<int>& part_of_node, int parts);

// Takes the free rigid motions out of a small displacement (3 per node) at positions x, part by part, by least squares.
// Where weight or loads act, only translations: a turn changes the balance.
void remove_rigid_motions(const Model& model, const Parts& parts, const std::vector<Vec3>& external,
                          const Eigen::VectorXd& x, Eigen::VectorXd& displacement);

// An orthonormal basis over the unknowns: the free coordinates, in the order of the nodes.
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
WholeMotions whole_motions(const Model& model, const Parts& parts, WholeKind kind);

}  // namespace taut
