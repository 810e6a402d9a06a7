// The surface of the ground as a depth d(x), positive below it, in m.
//
//   plane    d = n·(p - x), n the unit normal through p = (0, 0, height)
//   heights  d = (h(x, y) - z)/√(1 + |∇h|²): exact for a plane, elsewhere the distance to first order
//
// h is the natural bicubic spline through the grid: twice continuously differentiable, so that forces are continuous.
// Beyond the grid it goes on straight, with the slope that it has at the edge. A node is a ball of the ground's radius.
#pragma once

#include <Eigen/Core>
#include <limits>

#include "taut/model/environment.h"

namespace taut {

class GroundSurface {
 public:
  explicit GroundSurface(const Ground& ground);

  bool plane() const { return columns_ == 0; }
  double depth(const double* x) const;
  // Heights: true where a look at the highest point tells already that d < 0.
  bool surely_above(const double* x) const;

  struct Depth {
    double value;
    Vec3 gradient;  // ∂d/∂x, of length 1 to first order in d
  };
  Depth depth_and_gradient(const double* x) const;
  // Second derivatives of d, without the term in (h - z) times third derivatives of h.
  Eigen::Matrix3d curvature(const double* x) const;

  // Whether a point is over the grid; between two such points all are.
  bool over_grid(const double* x) const;
  // Over the grid no slope is steeper than this.
  double steepest() const { return steepest_; }
  // How far apart, m, points of a straight line must be at most to miss no bulge of the ground higher than a thousandth
  // of a cell, but no closer than a 32nd of a cell; infinite for a plane.
  double spacing() const { return spacing_; }

  // Of the spline of heights: (rows + 2) × (columns + 2) coefficients, and a height that no point over the grid exceeds.
  const std::vector<double>& coefficients() const { return coefficients_; }
  double top() const { return top_; }

  // Height of the surface above the plane z = 0 at (x, y), without the radius.
  double height(double x, double y) const;

 private:
  struct Patch {
    double h, hx, hy, hxx, hxy, hyy;
  };
  Patch patch(double x, double y) const;
  void bound_slopes();

  Vec3 normal_;
  double offset_ = 0.0;  // n·p + radius; heights: what is added to them
  double radius_;
  int columns_ = 0, rows_ = 0;
  double x0_ = 0.0, y0_ = 0.0, dx_ = 1.0, dy_ = 1.0;
  std::vector<double> coefficients_;
  double top_ = 0.0;
  double steepest_ = 0.0, spacing_ = std::numeric_limits<double>::infinity();
};

}  // namespace taut
