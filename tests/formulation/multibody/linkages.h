// Machines for the tests of the multibody formulation, and a motion of them: bodies and joints in a line each, random
// trees of all kinds of joints, four bars, crank and slider; Runge-Kutta steps of fourth order.
#pragma once

#include <Eigen/Geometry>

#include "taut/formulation/multibody/system/independent.h"
#include "taut/formulation/multibody/system/stabilise.h"
#include "tests/formulation/multibody/specimens.h"

namespace taut::testing {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A frame beside that of a body, with parallel axes or with axes turned by E.
inline multibody::Transform at(double x, double y, double z) { return {Mat3::Identity(), Vec3(x, y, z)}; }
inline multibody::Transform at(const Vec3& r, const Mat3& E = Mat3::Identity()) { return {E, r}; }

int add_body(multibody::Machine& m, const std::string& name, double mass, const Vec3& centre = Vec3::Zero(),
             const Mat3& inertia = Mat3::Zero());

// A thin rod along x from its frame's origin, with some inertia about its axis.
int add_rod(multibody::Machine& m, const std::string& name, double mass, double length);

multibody::Connection& add_joint(multibody::Machine& m, const std::string& name, const multibody::JointKind& kind,
                                 int predecessor, const multibody::Transform& at_predecessor, int successor,
                                 const multibody::Transform& at_successor = {});

int add_point(multibody::Machine& m, int body, const Vec3& position);

Mat3 random_turn(Random& random);
inline multibody::Transform random_frame(Random& random) { return {random_turn(random), random.vector()}; }

int add_random_body(multibody::Machine& m, Random& random);

// A tree of bodies on joints of all kinds, some of them passed backwards; three points on every body.
multibody::Machine random_tree(int bodies, Random& random, bool with_torques = true);

// A tree with joints that close loops, distances and sums over points, all of them closed where the tree starts. The
// loops have few rows, so that motions are left.
multibody::Machine random_loops(int bodies, int loops, Random& random);

// A crank turns about z in the origin, the coupler goes from its end to that of the rocker, which turns at (d, 0).
struct FourBar {
  double crank = 0.3, coupler = 0.9, rocker = 0.7, base = 0.8;

  // In the x-y plane of a frame, along whose y axis it weighs.
  multibody::Machine build(double angle, const multibody::JointKind& closing = multibody::Revolute{2},
                           const multibody::Transform& frame = {}) const;
};

// A crank turns about z in the origin, the rod goes from its end to a slider on the x axis.
struct CrankSlider {
  double crank = 0.3, rod = 1.0;

  multibody::Machine build(double angle) const;
};

// A state of a system and what it does.
struct Moving {
  multibody::System system;
  multibody::SystemTerms terms;
  VectorXd q, v;
  double t = 0.0;
  std::vector<Vec3> forces;  // on points, world axes

  explicit Moving(const multibody::Machine& m, std::optional<multibody::Method> method = {})
      : system(m, method),
        terms(make_terms(system)),
        q(VectorXd::Map(system.q.data(), static_cast<long>(system.q.size()))),
        v(VectorXd::Map(system.v.data(), static_cast<long>(system.v.size()))),
        forces(m.points.size(), Vec3::Zero()) {}

  void place(const VectorXd& at_q, const VectorXd& at_v, double time = 0.0);
  void place() { place(q, v, t); }

  VectorXd accelerate(const VectorXd& at_q, const VectorXd& at_v, double time, const DriftGains& gains = {});
  VectorXd accelerate(const DriftGains& gains = {}) { return accelerate(q, v, t, gains); }

  // The same in independent coordinates, v̇ = G ÿ + g with K g = k and Gᵀ H G ÿ = Gᵀ (τ - C - H g) (Lieskovský 2022,
  // 1.2.32-36), all dense.
  VectorXd accelerate(multibody::Independent& reduced, const DriftGains& gains = {});

  VectorXd rates(const VectorXd& at_q, const VectorXd& at_v) const;
  VectorXd along(const VectorXd& at_q, const VectorXd& step) const;

  // Steps of the classical Runge-Kutta method; with projection after each.
  void advance(double h, int steps, bool projected = true);

  // H and K as dense matrices, all velocities.
  MatrixXd mass() const;
  MatrixXd jacobian() const;
  int redundant(const multibody::Independent& reduced) const {
    return system.loops.rows - static_cast<int>(reduced.dependent().size());
  }
  VectorXd loop_values() const { return VectorXd::Map(terms.loops.g.data(), system.loops.rows); }

  double energy();
  Vec3 point(int i) const { return position(system.tree, i, terms.tree); }
  Vec3 point_velocity(int i) const { return velocity(system.tree, i, terms.tree); }
};

}  // namespace taut::testing
