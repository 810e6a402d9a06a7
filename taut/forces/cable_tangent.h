// Derivatives of the cable forces, for implicit steps and linear models.
//
//   F_i = -T g_i,  g = ∂l/∂x,  H = ∂g/∂x (per piece ±(1 - u uᵀ)/|d|),  T_e = ∂T/∂e,  T_r = ∂T/∂ė:
//   ∂F/∂x = -(T_e g gᵀ + T_r g (H ẋ)ᵀ + T H),     ∂F/∂ẋ = -T_r g gᵀ.
// Vector damping c = T_r is linear in the velocities: ∂F/∂ẋ = -c (±1) in place of T_r g gᵀ, and ∂F/∂x has no T_r, with
// T - c u·(ẋ_b - ẋ_a) in place of T, and the change of c where it depends on e.
// A cable that slides with friction pulls with T_i = ρ_i T in piece i: the left g and H have every piece times its ρ_i,
// and -T_i g_i (∂ln ρ_i)ᵀ is added for each (sliding.h).
#pragma once

#include <utility>
#include <vector>

#include "taut/forces/cables.h"

namespace taut {

class CableTangent {
 public:
  explicit CableTangent(const Cables& cables);

  // Pairs (row node, column node), the same for both derivatives.
  const std::vector<std::pair<int, int>>& blocks() const { return blocks_; }

  // 9 numbers per block, row by row. The terms must come from Cables::apply at the same x and v (stride 4). `turning`,
  // where wanted: 6 numbers per node of each cable, T_r g and H ẋ, whose product is all that keeps ∂F/∂x of a cable
  // without friction from being symmetric.
  void evaluate(const Cables& cables, const CableTerms& terms, const double* v, std::vector<double>& by_position,
                std::vector<double>& by_velocity, std::vector<double>* turning = nullptr) const;
  // f(block, T_r g_i, (H ẋ)_j) for every block (i, j) of a cable that is damped.
  template <class F>
  void each_turning(const std::vector<double>& turning, const F& f) const {
    std::size_t first = 0;
    const double* of_slot = turning.data();
    for (const std::vector<int>& nodes : nodes_) {
      const std::size_t count = nodes.size();
      bool damped = false;
      for (std::size_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis) damped |= of_slot[6 * i + axis] != 0.0;
      for (std::size_t k = 0; damped && k < count * count; ++k)
        f(first + k, of_slot + 6 * (k / count), of_slot + 6 * (k % count) + 3);
      first += count * count;
      of_slot += 6 * count;
    }
  }

 private:
  void add_whole(const Cables& cables, const CableTerms& terms, const double* v, int slot, std::size_t first,
                 std::vector<double>& by_position, std::vector<double>& by_velocity) const;
  // ∂ln ρ of a slot into its blocks, from block `first` on.
  void add_sliding(const Cables& cables, const CableTerms& terms, const double* v, int slot, std::size_t first,
                   std::vector<double>& by_position, std::vector<double>& by_velocity) const;

  std::vector<std::vector<int>> nodes_;  // per slot, each node once
  std::vector<std::pair<int, int>> blocks_;
};

// ∂T/∂L0 of a cable in its present state, at a fixed length and with the rest length at rest; of a piece that slides it
// is that times CableTerms::share.
double tension_by_rest_length(const Cables& cables, const CableTerms& terms, int slot);

// Of the force across a cable that vector damping exerts on its end b, by the elongation; 0 unless the law is softplus.
Vec3 across_by_length(const Cables& cables, const CableTerms& terms, const double* v, int slot);

// ∂T/∂e and ∂T/∂ė of a cable in its present state.
std::pair<double, double> tension_slopes(const Cables& cables, const CableTerms& terms, int slot);

}  // namespace taut
