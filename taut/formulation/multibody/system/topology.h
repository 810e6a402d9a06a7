// The spanning tree of a machine (Lieskovský 2022, 1.1): every body hangs on one joint of the tree; the other joints
// close loops.
//
// The tree grows from the ground, always by the best joint that reaches a new body: first those the user wants in the
// tree; then joints with a cable, springs, a torque or an imposed motion, whose own coordinates matter; then those with
// the fewest freedoms (which makes the tree's coordinates and the loops' constraints as few as possible); then the ones
// nearest to the ground; then in the order given. A joint may be passed from its successor to its predecessor. Bodies
// that no joint connects with the ground get a floating joint, which is added to the machine, on the first of them.
#pragma once

#include "taut/formulation/multibody/system/machine.h"

namespace taut::multibody {

struct Topology {
  struct Branch {
    int body;    // of the machine
    int parent;  // index into `tree`, or ground
    int joint;   // of the machine
    bool reversed;
  };
  std::vector<Branch> tree;  // depth first: parents before children, subtrees together
  std::vector<int> loops;    // joints of the machine
  int floating = 0;          // joints that were added, the last ones of the machine
};

// Throws InputError: a body with two parents where the user wants both, a loop joint that closes no loop, a loop of
// imposed joints alone.
Topology choose_tree(Machine& machine);

// Tree and loops as text, a line for each body with its joint.
std::string describe(const Machine& machine, const Topology& topology);

}  // namespace taut::multibody
