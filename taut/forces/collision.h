// Bars that touch each other: capsules of the bars' radii. For two bars with closest points p(s), q(t)
// (base/segments.h):
//
//   D² = min over s, t of |p - q|² + ε² ((s-½)² + (t-½)²),   δ = r_a + r_b - D,   U = U_law(δ)
//   force on p: N (p - q)/D, on q the opposite, given to the end nodes by (1-s, s) and (1-t, t)
//
// ε is a tenth of r_a + r_b. It makes the closest points of parallel bars unique and D continuously differentiable, so
// that the force is minus the gradient of U everywhere; it delays a contact of bar ends by 0.25 % of r_a + r_b at most.
// p - q is the line of both forces, so linear and angular momentum are kept.
// Bars whose axes pass through each other are on the other side: the stiffness must be enough to prevent it, and
// bar_watch.h notices it.
//
// Friction (contact_law.h) by the slip of the contact points against each other as seen by someone who turns with both
// bars. With n = (p-q)/|p-q|, and r_k the four ends from their mean,
//
//   w = (1 - n nᵀ) (ṗ - q̇ - ω × (p - q)),   ω = J⁻¹ Σ r_k × ẋ_k,  J = Σ (r_k² 1 - r_k r_kᵀ),      w = Σ W_k ẋ_k
//   f_k = W_kᵀ F,   F = -μ N g(|w|/v_s) w/|w|,   dissipated: -F·w
//
// No rigid motion of the pair makes a slip, so the f_k have neither sum nor moment, and both momenta are kept. Without ω
// the couple (p - q) × F would be left over, which bars cannot take about their own axes: nodes on it say nothing of
// their spin. For bars that cross, ω changes slip and force by about (r_a + r_b)²/L². For parallel bars it takes
// the slip across them: they roll on each other.
//
// Broad phase: pairs whose capsules come within a margin (base/near_capsules.h) are listed and kept until some node has
// moved by half the margin; each evaluation looks only at the list.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "taut/base/aligned.h"
#include "taut/base/near_capsules.h"
#include "taut/base/segments.h"
#include "taut/forces/contact_law.h"
#include "taut/model/model.h"
#include "taut/model/shape/bar_pairs.h"

namespace taut {

struct CollisionTerms {
  AlignedDoubles reference;  // node positions when the list was made; empty: no list yet
  std::vector<std::pair<int, int>>
      list;  // bars that may touch while no node is farther than half the margin from there
  NearRoom room;
  long listings = 0, pair_tests = 0;  // how often the list was made; pairs whose closest points were looked for
};

class RodContact {
 public:
  explicit RodContact(const Model& model);

  bool any() const { return any_; }
  bool damped() const { return any_ && (law_.damping > 0.0 || friction_ > 0.0); }
  double thinnest() const { return thinnest_; }  // radius of a bar, m
  double margin() const { return margin_; }      // of the list, m
  const BarPairs& bars() const { return bars_; }
  std::size_t node_count() const { return nodes_; }
  CollisionTerms make_terms() const;

  // Adds the forces to f; returns the dissipated power. All arrays of stride 4.
  double apply(const double* x, const double* v, double* f, CollisionTerms& terms) const;
  double energy(const double* x, const CollisionTerms& terms) const;

  // Bars that press on each other now, among those of the list.
  void pressing(const double* x, const CollisionTerms& terms, std::vector<std::pair<int, int>>& pairs) const;
  // The nodes of a pair, and the 12 × 12 derivatives of the forces on them; zero where the bars do not touch. Of
  // friction ∂F/∂x lacks how W turns with the bars, which is nothing at rest.
  std::array<int, 4> nodes(int i, int j) const;
  void derivatives(const double* x, const double* v, int i, int j, Eigen::Matrix<double, 12, 12>& by_position,
                   Eigen::Matrix<double, 12, 12>& by_velocity) const;

 private:
  struct Touch {
    Closest closest;
    double depth, distance;
  };
  // W of all four nodes, in one row, and the slip w.
  struct Slide {
    Eigen::Matrix<double, 3, 12> map;
    Vec3 slip;
  };
  Touch touch(const double* x, int i, int j) const;
  Slide slide(const double* x, const double* v, const std::array<int, 4>& at, const Closest& closest) const;
  // Adds friction under the normal force N to f; returns its power.
  double rub(const double* x, const double* v, const std::array<int, 4>& at, const Closest& closest, double normal,
             double* f) const;
  void keep_list(const double* x, CollisionTerms& terms) const;

  bool any_ = false;
  std::size_t nodes_ = 0;
  ContactLaw law_;
  BarPairs bars_;
  double margin_ = 0.0, thinnest_ = 0.0;
  double friction_ = 0.0, slip_speed_ = 1.0;
};

}  // namespace taut
