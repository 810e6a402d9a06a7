// A model made ready for the kernel: its shape, in tables, and its numbers, in one list. Models of one batch have one
// shape; their numbers may differ.
//
//   slots      first the plain cables (two nodes, linear, tension only, damped along), then `general`: the other cables,
//              and elastic bars. piece_*: the straight pieces of general ones.
//   drives     cables whose rest length moves: by a signal of the model or by commands; driven(slot) is one or -1
//   lone, bars free nodes and bars that share no node (formulation/nodal/lone_bar.h); ten numbers a bar: aa ab bb per axis
//              (or once, where it is free), length
//   group      all that is coupled (kernel/group.h): nodes, LDLᵀ of the mass matrix, rows of constraints, pattern of S
//   touching   nodes that the ground acts on; lone_touches(i), 2 bits bar_touches(i): the same by body, for rigid ground
#pragma once

#include <string>
#include <vector>

#include "taut/batch/plan/shape.h"
#include "taut/model/model.h"

namespace taut::batch {

// Nodes of the group that may touch rigid ground: the memory of their answers to each other grows with the square.
inline constexpr int most_pressed = 256;

struct Plan {
#define X(name) std::vector<int> name;
  struct Tables {
    TAUT_BATCH_TABLES(X)
    bool operator==(const Tables&) const = default;
  } tables;
#undef X
#define X(name) int name = 0;
  struct Sizes {
    TAUT_BATCH_SIZES(X)
    bool operator==(const Sizes&) const = default;
  } sizes;
#undef X
#define X(name) double name = 0.0;
  struct Reals {
    TAUT_BATCH_REALS(X)
    bool operator==(const Reals&) const = default;
  } reals;
#undef X
  std::vector<double> heights;  // coefficients of the spline
  std::vector<double> numbers;

  std::vector<int> slot_of_cable;  // of the model
  std::vector<int> drive_cable;    // per drive: cable of the model
  std::vector<int> drive_signal;   // per drive: actuator of the model, or -1
  std::vector<double> start_x, start_v;
  bool commands = false;

  Shape shape() const;  // a view on this plan, which must outlive it
  bool same_shape(const Plan& other) const {
    return tables == other.tables && sizes == other.sizes && reals == other.reals && heights == other.heights;
  }
};

// `commands`: every commandable cable is driven, also those that have no signal. Throws InputError: what the kernel cannot
// take, by name.
Plan make_plan(const Model& model, bool commands);

// The cables that can be commanded (run/commandable.h).
std::vector<int> commandable_cables(const Model& model);

}  // namespace taut::batch
