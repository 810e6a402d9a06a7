// The ground as forces on nodes. With the depth d(x) of a node (model/ground_surface.h), its gradient g and the unit
// normal n = -g/|g|:
//
//   F = -N g - (μ N g(|v_t|/v_s)/|v_t| + c_v r) v_t,   N(d, ḋ) by the law,  ḋ = g·v,  v_t = v - (n·v) n
//
// The elastic part is minus the gradient of U(d(x)), exactly; dissipated: (N - N_elastic) ḋ + (...) |v_t|², never
// negative. Nodes that are fixed along all axes, or have no contact, take no part.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "taut/base/aligned.h"
#include "taut/base/vec4.h"
#include "taut/forces/contact_law.h"
#include "taut/model/model.h"
#include "taut/model/shape/ground_surface.h"

namespace taut {

class GroundContact {
 public:
  explicit GroundContact(const Model& model);

  bool any() const { return surface_.has_value(); }
  bool damped() const { return any() && (law_.damping > 0.0 || friction_ > 0.0 || viscous_ > 0.0); }
  const std::vector<int>& nodes() const { return nodes_; }  // that can touch it

  // Adds the forces to f; returns the dissipated power. All arrays of stride 4.
  double apply(const double* x, const double* v, double* f) const;
  double energy(const double* x) const;

  // ∂F/∂x and ∂F/∂v of one node; false when they are zero. On a height field ∂F/∂x lacks a part that is smaller than
  // the rest by depth over radius of curvature.
  bool derivatives(const double* x, const double* v, Eigen::Matrix3d& by_position, Eigen::Matrix3d& by_velocity) const;

 private:
  double apply_plane(const double* x, const double* v, double* f) const;
  double node_force(const double* v, double d, const Vec3& gradient, double* f) const;

  std::optional<GroundSurface> surface_;
  std::vector<int> nodes_;
  AlignedDoubles reach_;  // plane: n·p + radius for every node, -infinity for those that take no part
  Vec4 normal_{};
  ContactLaw law_;
  double friction_ = 0.0, slip_speed_ = 1.0, viscous_ = 0.0;
};

}  // namespace taut
