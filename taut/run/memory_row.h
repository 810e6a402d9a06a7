// What a state holds besides its coordinates, as numbers of a row of results: with the coordinates of that row, all that a
// run goes on from.
//
//   layout (memory_layout), dissipated, work, yielded (J), crossed (s), next_step (s), slack, pulleys_seen (s);
//   permanent elongations per slot (m), first yields (time in s, slot), winches (cable, from in m, rate in m/s, since and
//   until in s), torques (N m or N), numbers of controllers, hard contact per node (N);
//   per slot taut and stretched (1 or 0), per pulley its switch
//   value. The last three are NaN before they have been looked at.
#pragma once

#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"

namespace taut {

inline constexpr int memory_layout = 1;  // grows when the numbers come in another order

void put_memory(const Dynamics& dynamics, const State& state, std::vector<double>& row);

// Into a state of the same model that has the same lists: its start, controllers begun. Returns what is wrong with the
// row; empty: nothing.
std::string take_memory(const Dynamics& dynamics, const std::vector<double>& row, State& state);

}  // namespace taut
