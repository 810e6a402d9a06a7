// Shapes from lengths: some members get as long, or as short, as the lengths of the others allow.
//
//   max Σ w_m l_m(x)   subject to   l_m(x) = L_m,   l_m(x) = l_n(x) within a group,      w = 1 (longest), -1 (shortest)
//
// The multipliers are member forces: at an optimum
//   Σ_m t_m ∂l_m/∂x = 0,   t_m = -w_m of the members that are made long or short, the multiplier of the others,
// which is a state of self-stress; cables must come out with t > 0. Members are straight or run over nodes; fixed
// nodes stay, bodies, bars with nodes attached and linear constraints keep what they keep, by further rows.
//
// Found as a minimum of the augmented Lagrangian -Σ w l + Σ y_k c_k + ½ρ Σ c_k², by Newton steps that are damped until
// they go downhill (sparse LDLᵀ); y and ρ follow, then Newton steps on the optimality conditions themselves, to
// rounding.
#pragma once

#include <vector>

#include "taut/form/form_result.h"
#include "taut/form/groups.h"

namespace taut {

struct OptimiseOptions {
  std::vector<double> weight;  // per member (equilibrium/members.h): w; empty: 1 for bars, 0 for cables
  std::vector<double> length;  // per member with w = 0: L, m; NaN: as at the start; empty: all as at the start
  MemberGroups equal;          // members of equal lengths; without a length of their own, any
  double pretension = 0.0;     // N, mean over all cables; 0: as at the start
  int iterations = 2000;       // Newton steps, at most
};

struct OptimiseResult : FormResult {
  double objective = 0.0;       // Σ w l, m
  std::vector<double> lengths;  // per member, m
  double length_error = 0.0;    // largest, m
};

// Throws InputError where the model has parts that the method does not know, or nothing is to be made long or short.
OptimiseResult find_by_lengths(const Model& model, const OptimiseOptions& options = {});

}  // namespace taut
