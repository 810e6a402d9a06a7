// The exact equilibrium nearest to a measured shape x₀, with wanted tensions, and its rest lengths:
//
//   min ½ Σ |x - x₀|²   over positions x, tensions T of cables and elastic bars, multipliers μ of the constraints,
//   r = w + A(x) T - G(x)ᵀμ = 0      w weight and loads, A the directions of the members,
//   g(x) = 0                         bars and bodies keep their measured shape, linear constraints hold,
//   wanted tensions: T_i = τ, or the mean of a group = τ;   T_i >= T_least for cables without a τ of their own.
//
// The distance is summed over the nodes that are free to choose: not over fixed ones, and not over a node that a linear
// constraint or a body derives from others. Solved as a sequence of quadratic programs with the geometric stiffness
//   A T_new - Gᵀμ_new - K_g(T, μ) δx = -w,   G δx = 0,   then x + δx back onto g = 0,
// and an ℓ₁ merit function; a weight of 1e-8 on the forces picks one of several self-stress states. Forces cost
// nothing: where some within bounds balance the measured shape, near those of the file, it is the answer, and where the
// nearest equilibrium of all has such forces, that one is. Else the programs are solved with the bounds
// (prestress_held.h), with an imbalance at a price where the linearised balance and the bounds contradict each other
// (prestress_forces.h).
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "taut/form/form_result.h"

namespace taut {

struct PrestressOptions {
  int iterations = 300;
  double reach = 0.0;          // m: no node may move further; 0: a quarter of the mean member length
  double least_tension = 0.0;  // N, of every cable without a wanted tension of its own
  std::function<void(long steps, double residual)> progress;  // may be empty
  const std::atomic<bool>* stop = nullptr;                    // set from outside: ends early
};

struct NodeForce {
  int node = -1;
  double force = 0.0;  // N
};

struct PrestressResult : FormResult {  // the model where it did not converge: the nearest to equilibrium that was met
  double start_residual = 0;           // of the measured shape with the best forces, over the mean wanted tension
  std::vector<NodeForce> unbalanced;   // nodes that stay out of balance, worst first; none if converged
  std::vector<int> at_least;           // cables at the least tension that would carry less nearer to x₀, ascending
  double distance = 0.0;               // m, root of Σ |x - x₀|²
};

// A machine is searched for in joint coordinates (prestress_machine.h). Throws InputError when the formulation refuses the
// model, or it has no wanted tensions and no tension.
PrestressResult find_prestress(const Model& model, const PrestressOptions& options = {});

}  // namespace taut
