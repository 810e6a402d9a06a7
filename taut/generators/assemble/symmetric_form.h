// The shape that a polyhedron's tensegrity takes for given force densities of its cables, found among the shapes with
// the polyhedron's rotations G. There is one node per dart. Under G the nodes fall into T orbits; a node lies at R v,
// R a rotation matrix and v the place of its orbit's first node. With cables of density q and struts of density -μ all
// nodes are in balance when
//
//   (A - μ B) v = 0,     vᵀA v = Σ q |x_a - x_b|² over cables,  vᵀB v = Σ |x_a - x_b|² over struts   (over |G|),
//
// symmetric matrices of size 3T. The smallest such μ is taken: then A - μ B is positive semidefinite. So is the whole
// stress matrix, with nullity 4, as long as its first zero beside the translations belongs to this symmetry; it does
// in every structure that the generators make (the tests look at all eigenvalues), and they are super-stable.
#pragma once

#include <Eigen/Core>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/polyhedron.h"

namespace taut {

// Members of one kind: each node n is joined with to[n].
struct Ties {
  std::vector<int> to;
  double density = 1.0;
};

struct Rotations {
  std::vector<Mat3> matrices;
  std::vector<int> first;        // per orbit, its first node
  std::vector<int> orbit, turn;  // per node: x = matrices[turn] v(orbit)
};

Rotations rotations_of(const Polyhedron& polyhedron);

// Σ density |x_a - x_b|² over the members, per rotation, as a matrix of the orbits' places.
Eigen::MatrixXd length_matrix(const Rotations& rotations, const Ties& ties);

// v: 3 per orbit, of unit length, right way out.
Eigen::VectorXd balanced_form(const Polyhedron& polyhedron, const Rotations& rotations, const std::vector<Ties>& cables,
                              const std::vector<int>& struts);

Vec3 position_of(const Rotations& rotations, const Eigen::VectorXd& v, int node);

// The members as pairs of nodes, each once, orbit by orbit: those of one list are alike.
std::vector<Pairs> orbits_of(const Rotations& rotations, const std::vector<int>& to);

// One node per dart, n1, n2, ..., then members between them. Tension = density (N/m) × length; throws as add_cables().
void add_nodes(Model& model, const Rotations& rotations, const Eigen::VectorXd& v);
void add_bars(Model& model, const Rotations& rotations, const std::vector<int>& to, double mass);
void add_cables(Model& model, const Rotations& rotations, const Ties& ties, const CableLaw& law);

}  // namespace taut
