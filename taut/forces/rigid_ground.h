// Where a structure touches hard ground (law = "rigid"): the points that may touch and, for one leap or kick of the
// leapfrog (formulation/leapfrog.h), those that do, with what rigid_rod.h needs of each.
//
// The same points as those of compliant ground (forces/ground.h): nodes, points along bars over a height field, the shapes
// of bodies. A point with the gap g at the beginning of a step h, normal n and velocity v' before it gets
//
//   v_n >= c = -g/h             and, where it arrives, v'_n < -arrival_speed,   v_n >= -e v'_n,
//
// so that it ends on the surface or above it. A point that is inside is moved out no faster than push_out + |v'|/2. On a
// height field the surface is linearised where the point is, or where it would end if it still is in the air. A kick goes
// nowhere: what touches (g <= touching_gap) and does not arrive has v_n >= 0.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "taut/base/aligned.h"
#include "taut/base/vec4.h"
#include "taut/forces/rigid_rod.h"
#include "taut/model/model.h"
#include "taut/model/shape/ground_points.h"
#include "taut/model/shape/ground_surface.h"

namespace taut {

inline constexpr double arrival_speed = 0.01;  // m/s: slower than this nothing bounces
inline constexpr double push_out = 0.05;       // m/s
inline constexpr double touching_gap = 1e-9;   // m

// A point Σ w x of up to four nodes that touches.
struct RigidTouch {
  long id = 0;  // of the point
  int nodes = 0;
  std::array<int, 4> node{};
  std::array<double, 4> weight{};
  ContactFrame<double> frame{};
  double wanted = 0.0, bounce = 0.0;  // m/s
  Triple<double> before{};            // m/s, in the frame
};

// Scratch, and what the last leap did.
struct RigidTerms {
  AlignedDoubles x, v;     // of nodes before the leap or kick, stride 4
  AlignedDoubles impulse;  // N s, on nodes, by the last leap or kick
  std::vector<RigidTouch> touches;
  double dissipated = 0.0;      // J, by the last leap or kick: -Σ p·(v' + v)/2
  double residual = 0.0;        // m/s, the largest that a solution of the last leap or kick left
  int sweeps = 0;               // the most that one of them took
  std::vector<double> pressed;  // N, 3 per node: Memory::pressed, for evaluations that look at a state
};

class RigidGround {
 public:
  explicit RigidGround(const Model& model);

  bool any() const { return surface_.has_value(); }
  double friction() const { return friction_; }
  bool bounces() const { return restitution_ > 0.0; }
  RigidTerms make_terms() const;

  // What touches during a leap that would end at x with the velocities v, or at a kick that would end with v; into
  // terms.touches.
  void find(double h, bool moves, const double* x, const double* v, RigidTerms& terms) const;
  // Appends those among the points on a node that are not there yet. Returns whether there were any.
  bool find_more(int node, double h, const double* x, const double* v, RigidTerms& terms) const;

 private:
  struct Move {
    double h;
    bool moves;
    const double *x, *v;
  };
  bool test(const Move& move, const RigidTerms& terms, RigidTouch& touch, double reach) const;
  void look_at_node(int node, const Move& move, RigidTerms& terms) const;
  void look_along(int bar, const Move& move, RigidTerms& terms) const;
  void look_at_body(int point, const Move& move, RigidTerms& terms) const;

  std::size_t nodes_ = 0;
  std::optional<GroundSurface> surface_;
  double friction_ = 0.0, restitution_ = 0.0;
  std::vector<int> touching_nodes_;
  std::vector<GroundBar> bars_;
  std::vector<GroundPoint> points_;
  std::vector<std::vector<int>> riders_of_node_;  // bars, then points; empty where there are none
  std::vector<char> touches_;                     // per node
  AlignedDoubles reach_;                          // plane: n·p + radius, -infinity for nodes that take no part
  Vec4 normal_{};
  ContactFrame<double> plane_frame_{};
};

}  // namespace taut
