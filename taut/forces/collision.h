// Bars that touch each other: capsules of the bars' radii. For two bars with closest points p(s), q(t)
// (base/segments.h):
//
//   D² = min over s, t of |p - q|² + ε² ((s-½)² + (t-½)²),   δ = r_a + r_b - D,   U = U_law(δ)
//   force on p: N (p - q)/D, on q the opposite, given to the end nodes by (1-s, s) and (1-t, t)
//
// ε is a tenth of r_a + r_b. It makes the closest points of parallel bars unique and D continuously differentiable, so
// that the force is minus the gradient of U everywhere; it delays a contact of bar ends by 0.25 % of r_a + r_b at most.
// p - q is the line of both forces, so linear and angular momentum are kept. Bars slide on each other without friction.
// Bars whose axes pass through each other are on the other side: the stiffness must be enough to prevent it.
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
  bool damped() const { return any_ && law_.damping > 0.0; }
  double thinnest() const { return thinnest_; }  // radius of a bar, m
  CollisionTerms make_terms() const;

  // Adds the forces to f; returns the dissipated power. All arrays of stride 4.
  double apply(const double* x, const double* v, double* f, CollisionTerms& terms) const;
  double energy(const double* x, const CollisionTerms& terms) const;

  // Bars that press on each other now, among those of the list.
  void pressing(const double* x, const CollisionTerms& terms, std::vector<std::pair<int, int>>& pairs) const;
  // The nodes of a pair, and the 12 × 12 derivatives of the forces on them; zero where the bars do not touch.
  std::array<int, 4> nodes(int i, int j) const;
  void derivatives(const double* x, const double* v, int i, int j, Eigen::Matrix<double, 12, 12>& by_position,
                   Eigen::Matrix<double, 12, 12>& by_velocity) const;

 private:
  struct Touch {
    Closest closest;
    double depth, distance;
  };
  Touch touch(const double* x, int i, int j) const;
  void keep_list(const double* x, CollisionTerms& terms) const;

  bool any_ = false;
  std::size_t nodes_ = 0;
  ContactLaw law_;
  BarPairs bars_;
  double margin_ = 0.0, thinnest_ = 0.0;
};

}  // namespace taut
