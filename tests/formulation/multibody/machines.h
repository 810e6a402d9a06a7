// The machines of Lieskovský (2022), 5.1, with bodies and joints: a strut with three cables on pulleys, and the
// manipulator. Built from where everything is at the start: bodies and joint frames in the world, with the joints'
// positions.
#pragma once

#include "tests/formulation/multibody/linkages.h"

namespace taut::testing {

struct WorldBuilder {
  multibody::Machine m;
  std::vector<multibody::Transform> poses;  // from the world to each body's frame

  // Frame in the world: origin, and two of its axes.
  static multibody::Transform frame(const Vec3& origin, const Vec3& x, const Vec3& y);

  int body(const std::string& name, const multibody::Transform& pose, double mass = 0.0,
           const Vec3& moments = Vec3::Zero());
  // The joint's frame on the successor in the world; that on the predecessor follows from q.
  multibody::Connection& join(const std::string& name, const multibody::JointKind& kind, int predecessor, int successor,
                              const multibody::Transform& on_successor, const multibody::JointPosition& q = {});
};

// A pulley on a block that turns about an axis through the pulley's centre, and the cable from it to a target point of
// another body; the cable's end is a body without mass, held there by a ball joint.
struct Winch {
  double radius, length, strain;  // pulley, of the cable (tangent), at the start
  double pulley_mass, block_mass;
  Vec3 block_moments;
  multibody::Involute cable;
};

void add_winch(WorldBuilder& b, const std::string& name, const Winch& w, int base, const Vec3& block_axis,
               const Vec3& centre, const Vec3& along, const Vec3& outward, int target_body);

// 5.1.1: a vertical strut on a universal joint, three winches around it; bodies of density 2700 kg/m³.
struct SingleStrut {
  double l = 1.0, D = 0.04, R = 0.07, h = 0.01, rho = 2700.0, EA = 50e6 * M_PI * 1e-6, damping = 0.0, strain = 0.0;
  multibody::CableCoordinate last = multibody::CableCoordinate::epsilon;
  bool heavy_blocks = true, cross_shaft = false;

  multibody::Machine build() const;
};

// 5.1.2: three struts as face diagonals of a prism, a winch at each end of each, and three links without mass that
// carry the end-effector, a point without mass.
struct Manipulator {
  double l = 1.0, R = 0.05, h = 0.01, D = 0.035, d = 0.032, rho = 2700.0, EA = 2e9 * M_PI * 1e-6, strain = 1e-3;

  multibody::Machine build() const;
};

// Arsenault and Gosselin (2005): three legs of two thin rods, each on a universal joint and with a knee that is driven;
// the second stands on a line, the third on a plane; rigid cables join the tops. Springs of no free length are forces
// of the test.
struct ThreeLegs {
  double m = 2.5, K = 1000.0, damping = 100.0, L = std::sqrt(0.5), Ls = std::sqrt(2.0);
  std::array<double, 3> start = {-0.5 * M_PI, -0.5 * M_PI, -0.5 * M_PI};
  std::array<double, 3> end = {-70.55 * M_PI / 180.0, -97.13 * M_PI / 180.0, -84.01 * M_PI / 180.0};
  bool driven = true;

  // Points: a₁, a₂, a₃, c₁, c₂, c₃.
  multibody::Machine build() const;

  // Springs and their dampers between the points of a moving machine.
  void pull(Moving& moving) const;
};

}  // namespace taut::testing
