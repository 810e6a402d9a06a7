// Tangent stiffness of a structure that carries given forces,
//
//   K = K_material + K_geometric = Σ k_i g_i g_iᵀ + Σ t_j H_j,      g = ∂l/∂x,  H = ∂²l/∂x² = Σ (1 - u uᵀ)/l per piece,
//
// i over members with a stiffness, j over all members and the distances inside bodies. Rigid bars, bodies and linear
// constraints keep their values: motions satisfy G_r d = 0. Rigid motions of whole parts are left out of everything
// here.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "taut/equilibrium/stiffness/rigid_motions.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/statics/rows.h"

namespace taut {

// K on the unknowns, on and above the diagonal, each place once.
struct TangentParts {
  std::vector<SparseEntry> material, geometric;
  std::vector<double> stiffness;  // k of every row, N/m; 0 for a slack cable and for rows that keep their value
};

// `forces` over all rows. A cable has the slope of its law at its tension; one with none is slack and has no stiffness,
// unless nothing carries force at all.
TangentParts tangent_parts(const Model& model, const StaticRows& rows, const Eigen::VectorXd& forces);
// K_geometric alone.
std::vector<SparseEntry> geometric_stiffness(const StaticRows& rows, const Eigen::VectorXd& forces);

struct SoftestMotion {
  double eigenvalue = 0.0;  // of K, N/m
  Eigen::VectorXd motion;   // over the unknowns, of length 1
  bool converged = false;
};

// The rigid motions, without those of supported parts that the forces resist or help on: along a guide, or against
// weight, a part turns by first order only, or not freely.
WholeMotions neutral_motions(const StaticRows& rows, const WholeMotions& rigid, const Eigen::VectorXd& forces);

class StaticStiffness {
 public:
  // Rows that keep their value and depend on others up to `tolerance` of them are left out, as the counts do.
  StaticStiffness(const StaticRows& rows, const WholeMotions& rigid, TangentParts parts,
                  double tolerance = dependent_direction);
  ~StaticStiffness();
  StaticStiffness(const StaticStiffness&) = delete;
  StaticStiffness& operator=(const StaticStiffness&) = delete;

  const TangentParts& parts() const { return parts_; }
  double scale() const { return scale_; }  // N/m: a bound of the stiffness
  // The lowest eigenvalue of K along what may move; nothing where nothing may.
  std::optional<SoftestMotion> softest() const;
  // Whether K has no negative eigenvalue along what may move.
  bool positive() const;
  // d with K d = f along what may move; the part of f along rigid motions is left out. Nothing where K has no inverse.
  std::optional<Eigen::VectorXd> displacement(const Eigen::VectorXd& f) const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factorise(double shift) const;
  Eigen::VectorXd times(const Eigen::VectorXd& d) const;  // K d

  const WholeMotions& rigid_;
  TangentParts parts_;
  int unknowns_;
  std::vector<SparseEntry> matrix_;   // K
  std::vector<SparseEntry> penalty_;  // ρ G_rᵀG_r
  std::vector<SparseEntry> kept_;     // G_r: rows that keep their value
  int kept_rows_ = 0;
  double scale_ = 0.0;
};

}  // namespace taut
