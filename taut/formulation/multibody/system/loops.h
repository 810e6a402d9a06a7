// What closes the loops of a machine, as rows of one linear constraint on the tree's accelerations:
//
//   g(q) = 0,    K v = ġ = 0,    K v̇ = k                                                                      (1.2.29)
//
//   loop joint    g = T_cᵀ (turn and way from ˢX_p(q_J) to where the successor is), q_J the joint's own fit
//                 K v = T_cᵀ v_J,   v_J = v_s - v_p
//                 k = T_cᵀ (c_J + v_s × v_J - (a_s - a_p) at v̇ = 0)          (1.2.27, whose print lacks all but c_J)
//   distance      g = (|b|² - L²)/2L,  b from point a to point b
//   sum           g = Σ c x - value, along an axis
//
// Every row is a wrench on each body that it takes hold of; K has S·(the wrench seen from the link) for the links from
// there down to the ground, or, where the wrenches balance, down to the link that they have in common.
// Loop joints may have torques of their own, T_a τ on the successor and its opposite on the predecessor (1.2.25).
#pragma once

#include "taut/formulation/multibody/system/tree.h"

namespace taut::multibody {

// Where a group of rows takes hold of a link, and its way down the tree.
struct Hold {
  int link;  // ground: nothing to do
  int first_step, steps;
};

// A link on such a way: where the rows' values for its velocities begin (row by row).
struct Step {
  int link, value;
};

struct RowGroup {
  enum class Kind { loop, distance, sum } kind;
  int first_row, rows;
  int first_hold, holds;    // loop: successor, predecessor; distance: b, a; sum: as its terms
  int first_value, values;  // of K
  int index;                // among the machine's joints, distances or sums
};

// What makes the rows, as in `joint "hinge"`; and a problem with it.
std::string title(const Machine& machine, const RowGroup& group);
Problem problem_with(const Machine& machine, const RowGroup& group, std::string message);

// A loop joint with its frames seen from the links it joins.
struct LoopJoint {
  int successor, predecessor;  // links
  Transform at_successor, at_predecessor;
  Joint joint;
  bool has_torque;
  int group;
};

struct Loops {
  std::vector<RowGroup> groups;  // loop joints first
  std::vector<LoopJoint> joints;
  std::vector<Distance> distances;
  std::vector<PointSum> sums;
  std::vector<Hold> holds;
  std::vector<Step> steps;
  std::vector<std::pair<int, int>> pattern;  // of K: row, velocity
  std::vector<char> is_turn;                 // per row: an angle, else a length
  std::vector<JointPosition> start;          // of the loop joints, from where fit() goes on
  int rows = 0;

  Loops() = default;
  Loops(const Machine& machine, const Topology& topology, const Tree& tree);
};

struct LoopJointTerms {
  JointPosition q{};
  JointVelocity v{};
  Transform X;          // from the predecessor's frame to the successor's
  Mat6 T_c, T_a;        // wrenches, in the successor's frame
  bool reached = true;  // false: out of the joint's reach
};

struct LoopTerms {
  AlignedDoubles K;               // as pattern
  AlignedDoubles g, rate, k;      // per row: g, K v, k
  AlignedDoubles size;            // per row: Σ |wrench|² |S|² / inertia, what rounding of K is measured by
  std::vector<Vec6> wrench, way;  // six per hold, and scratch
  std::vector<LoopJointTerms> joints;
};

LoopTerms make_terms(const Loops& loops);

// g and K at the placed links. inverse_inertia: per velocity, typical, for `size`.
void close(const Loops& loops, const Tree& tree, const TreeTerms& terms, const double* inverse_inertia, LoopTerms& out);
// K v, and the loop joints' own velocities, after close().
void loop_rates(const Loops& loops, const Tree& tree, const TreeTerms& terms, const double* v, LoopTerms& out);
// k, after loop_rates() and accelerations(): with the accelerations of imposed joints in them, what is left for the
// others.
void loop_bias(const Loops& loops, const Tree& tree, const TreeTerms& terms, LoopTerms& out);
// The torques of loop joint `joint` on its v as forces on both links, added to terms.links[.].external.
void add_loop_torque(const Loops& loops, int joint, const LoopTerms& loop, const double* torque, TreeTerms& terms);

// x += Kᵀ λ, and rows = K x.
void add_transposed(const Loops& loops, const LoopTerms& loop, const double* lambda, double* x);
void multiply(const Loops& loops, const LoopTerms& loop, const double* x, double* rows);

}  // namespace taut::multibody
