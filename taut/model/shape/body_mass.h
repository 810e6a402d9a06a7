// How a rigid body weighs on its nodes. Every point of it is r = Σ β_i(r) x_i over a base of its nodes, so that its
// kinetic energy is ½ Σ M_ij ẋ_i·ẋ_j with a constant matrix (natural coordinates),
//
//   M_ij = ∫ β_i β_j dm,   Σ_j M_ij = ∫ β_i dm: the share of the weight.    With x_i from the centre,
//   M = P⁺ diag(m, S) P⁺ᵀ,  P = (1 ... 1; x_1 ... x_k),  S = ∫ r rᵀ dm = ½ tr(I) 1 - I.
//
// The base must span the mass: four nodes, three for a flat body, two for one on a line. An axis
// along which nothing of a body moves, because its nodes are held along it, is left out.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

// Nodes of a body this near to its plane (or line), as a part of its size, lie in it.
inline constexpr double body_flatness = 1e-6;

Mat3 second_moments(const Mat3& inertia);  // S

// A rigid bar as a body: its ends and the nodes that ride on it.
Body as_body(const Model& model, const Bar& bar);

// The bodies of the model, and its bars with nodes attached, as bodies.
std::vector<Body> rigid_bodies(const Model& model);

struct BodyMass {
  std::vector<int> base;              // nodes
  Eigen::MatrixXd mass;               // M, kg
  Eigen::VectorXd share;              // of the weight, kg
  std::vector<int> others;            // nodes beside the base
  std::vector<Eigen::VectorXd> beta;  // of each of those
};
BodyMass body_mass(const Model& model, const Body& body);  // empty for a body without nodes

// Why the body has no proper mass matrix; empty if it has one. Its numbers are sound.
std::string body_problem(const Model& model, const Body& body);

// At a point of the rigid motion that is nearest to the velocities of some nodes; without a turn about the line of
// nodes that lie on one.
struct RigidVelocity {
  Vec3 turn, velocity;  // rad/s, m/s
};
RigidVelocity nearest_rigid_velocity(const Model& model, const std::vector<int>& nodes, const Vec3& point);

// Gives the nodes of a body whose velocity or angular velocity is given the velocities that follow: v + ω × (x - c),
// none along a fixed axis.
void move_body_nodes(Model& model);

// Appends the nodes that a body lacks to span its mass, or to span it well: "<name>.1", ... at about its radius of
// gyration from the centre. They touch nothing and move as the body does: by its own velocities, which its nodes have
// from here on, or as its other nodes. To be called when all nodes are there; does nothing the second time.
void add_body_nodes(Model& model);

}  // namespace taut
