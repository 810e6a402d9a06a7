// Random structures of every kind the core takes, and their motion worked out densely from the model's data alone, by
// code that shares nothing with the formulations.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tests/support/support.h"

namespace taut::testing {

// What the seed decides: planar or in space, class 1, trees, or meshes of bars that share nodes; off-centre mass, free
// inertia, node masses, supports along some or all axes, heavy cables (both mass models), elastic bars, linear
// constraints, bars and constraints given twice. Start velocities are zero.
Model random_structure(unsigned seed);

// Class 1 only, for formulations of rods: bars that share no node, every node on a bar or fixed; the rest as above, but
// for what couples bars.
Model random_rods(unsigned seed);

// Mass matrix from the kinetic energy of every member, constraint Jacobian and right side γ of G v̇ = γ from the bars'
// lengths and the linear constraints, over the free coordinates (3 node + axis).
struct DenseMotion {
  std::vector<int> free;  // coordinates
  Eigen::MatrixXd M, G;
  Eigen::VectorXd g, gamma;
};

// Kinetic energy of the model with these node velocities (3 per node): bars ½ m |v_c|² + ½ J |ω|², straight pieces of
// cables and elastic bars by their mass model.
double kinetic_energy_of(const Model& model, const Eigen::VectorXd& x, const Eigen::VectorXd& v);

DenseMotion dense_motion(const Model& model, const Eigen::VectorXd& x, const Eigen::VectorXd& v);

// a with M a + Gᵀμ = f and G a = γ, by the null space of G: needs no full rank. `condition` of G on its range.
struct DenseSolution {
  Eigen::VectorXd a;
  int rank = 0;
  double condition = 1.0;
};
DenseSolution solve_dense(const Eigen::MatrixXd& M, const Eigen::MatrixXd& G, const Eigen::VectorXd& f,
                          const Eigen::VectorXd& gamma);

// Velocities at random that keep every constraint: the nearest to random ones in the mass metric.
Eigen::VectorXd fitting_velocities(const Model& model, const Eigen::VectorXd& x, Random& random);

// All node positions, 3 per node.
Eigen::VectorXd positions_of(const Model& model);

}  // namespace taut::testing
