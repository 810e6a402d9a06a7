// Nodes, bars and cables put into a model, with default names ("a1-b1") and the numbers that a model file without
// further keys would give them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taut/model/build.h"
#include "taut/model/scenario.h"

namespace taut {

using Pairs = std::vector<std::pair<int, int>>;  // node indices

// An empty scenario without gravity: a free structure in equilibrium stays where it is.
Scenario weightless(std::string name);

// A ring of n nodes prefix1 ... prefix<n> on a circle of radius R about the z axis, the first one at `angle`, each
// 2π/n further. Returns the index of the first.
int add_ring(Model& model, const std::string& prefix, int n, double radius, double angle, double z);

// Node i of a ring that starts at `first`; i is taken modulo n.
int ring_node(int first, int n, int i);

// The n sides of a ring.
void join_ring(Pairs& pairs, int first, int n);

// Holds n nodes from `first` on.
void fix_nodes(Model& model, int first, int n);

// Rigid uniform rods: centre of mass in the middle, inertia m L²/12.
void add_bars(Model& model, const Pairs& pairs, double mass);

// The rest length with which a cable carries `tension` (N) at its start. Throws InputError with key "pretension" if
// there is none above 0, or if rounding it would leave none or change the tension by more than a millionth of it and of
// the other forces of the structure, `beside`.
double rest_length_under(const Model& model, const Cable& cable, double tension, double beside = 0.0);

// Cables of one class: equally long by symmetry, each under `tension` (N). The rest length is taken from the first.
// Throws as rest_length_under().
void add_cables(Model& model, const Pairs& pairs, const CableLaw& law, double tension, double beside = 0.0);

// All nodes stay in the plane z = 0.
void keep_planar(Model& model);

}  // namespace taut
