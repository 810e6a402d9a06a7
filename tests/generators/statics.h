// Statics of a generated structure worked out from its data alone (positions, rest lengths, laws), by code that
// shares nothing with the generators or with taut/forces: forces, balance, stress matrix, rank, tangent stiffness.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taut/generators/generators.h"
#include "taut/model/model.h"

namespace taut::testing {

Vec3 span_of(const Model& model, int a, int b);

// T from the law's definition: k e with k = EA/L0 or as given; softplus k (e + √(e² + β²))/2.
double cable_force(const Model& model, const Cable& cable);

struct Forces {
  std::vector<double> cables, bars;  // N, tension positive
  double largest = 0.0;              // |member force|, N
  double imbalance = 0.0;            // largest net force on a node along its free axes, N
};

// Net force of cables and of the bar forces that balance them best (least squares over the free axes).
Forces forces_of(const Model& model);

// Ends and force densities of all members, in the order cables, bars.
std::vector<std::pair<int, int>> member_ends(const Model& model);
std::vector<double> densities(const Model& model, const Forces& forces);

// Eigenvalues, ascending, of Ω = Σ q (e_a - e_b)(e_a - e_b)ᵀ.
std::vector<double> stress_eigenvalues(const Model& model, const std::vector<double>& q);

// Members less rank, and free coordinates less rank, of the matrix of length rates: self-stress states, and
// motions without first-order change of length (rigid ones included).
struct Count {
  int self_stress = 0, motions = 0;
};
Count count_states(const Model& model);

// Eigenvalues, ascending, of the tangent stiffness Ω ⊗ I + Σ (k - q) u uᵀ over motions that keep every bar's length.
std::vector<double> stiffness_eigenvalues(const Model& model);

// "kind key=value ...", for messages.
std::string described(const std::string& kind, const Parameters& parameters);

// In balance with pulling cables and pushing bars; the stress matrix has so many zeros and nothing below, and the next
// eigenvalue is at least `gap` of the largest; only rigid motions cost nothing. With four zeros that is super-stability.
void expect_stable(const Model& model, int zeros, double gap, const std::string& what);

}  // namespace taut::testing
