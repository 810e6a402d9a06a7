// The ground as forces on nodes: at the nodes themselves, at points along bars, and at the shapes of bodies
// (model/shape/ground_points.h). With the depth d(x) of a node (model/ground_surface.h), its gradient g and the unit
// normal n = -g/|g|:
//
//   F = -N g - (μ N g(|v_t|/v_s)/|v_t| + c_v r) v_t,   N(d, ḋ) by the law,  ḋ = g·v,  v_t = v - (n·v) n
//
// The elastic part is minus the gradient of U(d(x)), exactly; dissipated: (N - N_elastic) ḋ + (...) |v_t|², never
// negative. Nodes that are fixed along all axes, or have no contact, take no part.
//
// A point Σ w_i x_i of a bar or body feels the same with its own position and velocity, and gives w_i F to the nodes: the
// power, the force and the moment are those of F at the point, and the elastic part is still -∇U. Of a ball or a rim
// d is that of its centre and what it reaches below that, and F acts at its deepest point.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "taut/base/aligned.h"
#include "taut/base/vec4.h"
#include "taut/forces/contact_law.h"
#include "taut/model/model.h"
#include "taut/model/shape/ground_points.h"
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

  // Bars and points of bodies, in this order, as groups of nodes that a force in their inside acts on: two or four nodes.
  int riders() const { return static_cast<int>(bars_.size() + points_.size()); }
  std::span<const int> rider_nodes(int rider) const;
  // The derivatives of those forces, 3 rows and columns per node, up and left; false when they are zero. What is left out
  // of ∂F/∂x: as below, and how the deepest point of a ball or rim moves on it.
  using Square = Eigen::Matrix<double, 12, 12>;
  bool rider_derivatives(int rider, const double* x, const double* v, Square& by_position, Square& by_velocity) const;

  // ∂F/∂x and ∂F/∂v of one node; false when they are zero. On a height field ∂F/∂x lacks a part that is smaller than
  // the rest by depth over radius of curvature.
  bool derivatives(const double* x, const double* v, Eigen::Matrix3d& by_position, Eigen::Matrix3d& by_velocity) const;

 private:
  // A point that touches: where it is on the nodes, how deep, and ∂d/∂x there.
  struct Touch {
    std::array<double, 4> weight;
    double depth;
    Vec3 gradient;
  };
  double apply_plane(const double* x, const double* v, double* f) const;
  double apply_riders(const double* x, const double* v, double* f) const;
  double rider_energy(const double* x) const;
  double weighted_force(const double* v, const int* node, int count, const Touch& touch, double* f) const;
  template <class F>
  void each_touch(const GroundBar& bar, const double* x, const F& f) const;
  bool touch(const GroundPoint& point, const double* x, Touch& touch) const;
  void add_derivatives(const double* x, const double* v, const int* node, int count, const Touch& touch,
                       Square& by_position, Square& by_velocity) const;
  bool derivatives_at(const Vec3& x, const Vec3& v, double d, const Vec3& g, Eigen::Matrix3d& by_position,
                      Eigen::Matrix3d& by_velocity) const;
  double node_force(const double* v, double d, const Vec3& gradient, double* f) const;

  std::optional<GroundSurface> surface_;
  std::vector<int> nodes_;
  std::vector<std::array<int, 2>> bar_nodes_;
  std::vector<GroundBar> bars_;
  std::vector<GroundPoint> points_;
  double touching_radius_ = 0.0;  // m, of nodes and points of bars, over the cosine of the steepest slope
  AlignedDoubles reach_;          // plane: n·p + radius for every node, -infinity for those that take no part
  Vec4 normal_{};
  ContactLaw law_;
  double friction_ = 0.0, slip_speed_ = 1.0, viscous_ = 0.0;
};

}  // namespace taut
