// The tree of a machine: where its links are, how they move, what inertia and forces do (Lieskovský 2022, 1.2.2).
//
// Links are the bodies in the order of the tree, parents first. The frame of a link is that of its joint on it, so that
// a step along the tree is X = ˢX_p(q) · before. A joint that the tree passes from its successor to its predecessor has
//
//   X = X_J⁻¹,   S = -X_J⁻¹ S_J,   v_J and c_J likewise                          (the rate of X_J⁻¹ drops out: v_J ×
//   v_J)
//
//   v_i = X v_λ + S v           a_i = X a_λ + S v̇ + c_J + v_i × v_J,   a_0 = 0                            (1.2.13-16)
//   f_i = I a_i + v_i ×* I v_i - f_i^x + Σ X_jᵀ f_j         τ_i = Sᵀ f_i        recursive Newton-Euler       (1.2.23)
//   H_ij = S_iᵀ (composite inertia of i) X.. S_j            for j above i or i itself, else zero             (1.2.22)
//
// Weight is a force on each body, not an acceleration of the ground, so that bodies may get it elsewhere.
#pragma once

#include "taut/base/aligned.h"
#include "taut/formulation/multibody/system/topology.h"

namespace taut::multibody {

struct Link {
  int body, parent, joint;  // joint of the machine
  int q, v, nq, nv;         // where its coordinates and velocities begin, how many
  bool reversed, imposed, has_torque;
  Transform before;     // from the parent's frame to the joint's frame on the parent
  Transform from_body;  // from the body's frame to the link's
  Inertia inertia;
  bool weighs;
};

// A point in the frame of its link; on the ground in that of the world.
struct LinkPoint {
  int link;
  Vec3 position;
};

struct Tree {
  std::vector<Link> links;
  std::vector<Joint> joints;      // of the links
  std::vector<LinkPoint> points;  // of the machine
  std::vector<int> link_of_body;
  std::vector<int> link_of_velocity;
  std::vector<char> imposed;  // per velocity
  Vec3 gravity = Vec3::Zero();
  int nq = 0, nv = 0;

  Tree() = default;
  Tree(const Machine& machine, const Topology& topology);
  int link_of(int body) const { return body == ground ? ground : link_of_body[body]; }
};

struct LinkTerms {
  Transform X;        // from the parent's frame
  Transform world;    // from the world's frame
  Vec6 velocity;      // v_i
  Vec6 bias;          // c_J + v_i × v_J
  Vec6 acceleration;  // a_i, from the last accelerations()
  Vec6 force;         // f_i, from the last body_forces() or joint_forces()
  Vec6 external;      // f_i^x: weight and forces on points
};

struct TreeTerms {
  std::vector<LinkTerms> links;
  std::vector<Vec6> S;  // columns, one per velocity
};

TreeTerms make_terms(const Tree& tree);

// X, world, S, velocity, bias.
void place(const Tree& tree, const double* q, const double* v, TreeTerms& terms);
// a_i from v̇; null: zero.
void accelerations(const Tree& tree, const double* v_rate, TreeTerms& terms);
// Weight alone; then forces on points are added.
void set_weight(const Tree& tree, TreeTerms& terms);
// A force (world axes) on a point; points of the ground take none.
void add_force(const Tree& tree, int point, const Vec3& force, TreeTerms& terms);
// f_i of each body by itself, I a_i + v_i ×* I v_i - f_i^x, from the accelerations and external forces.
void body_forces(const Tree& tree, TreeTerms& terms);
// The same summed towards the ground, f_i that the joints transmit, and τ = Sᵀ f.
void joint_forces(const Tree& tree, TreeTerms& terms, double* torque);

Vec3 position(const Tree& tree, int point, const TreeTerms& terms);
Vec3 velocity(const Tree& tree, int point, const TreeTerms& terms);
// Of the last accelerations(); of a point of the machine in the world's axes, of a position on a link in the link's.
Vec3 acceleration(const Tree& tree, int point, const TreeTerms& terms);
Vec3 acceleration(const LinkTerms& link, const Vec3& place);

double kinetic_energy(const Tree& tree, const TreeTerms& terms);
double weight_energy(const Tree& tree, const TreeTerms& terms);  // of the bodies that weigh

// Where H is not zero, on and below the diagonal: for every velocity its link's before it and its own, then those of
// the parent, and so on to the ground. Long chains have O(n²) of these and should not ask.
std::vector<std::pair<int, int>> mass_pattern(const Tree& tree);
// H in this order. `composite` has one inertia per link.
void mass_matrix(const Tree& tree, const TreeTerms& terms, std::vector<Inertia>& composite, double* values);

// q̇ = N v, and q ⊕ step, in place, for all joints; normalise() returns by how much quaternions were off.
void coordinate_rates(const Tree& tree, const double* q, const double* v, double* q_rate);
void retract(const Tree& tree, double* q, const double* step);
double normalise(const Tree& tree, double* q);

}  // namespace taut::multibody
