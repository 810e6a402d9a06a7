// The shape of a model for the kernel (kernel.h): what is the same for all robots of a batch. One list of names serves
// the tables of the processor, here, and the source of the card (cuda/source.h).
#pragma once

namespace taut::batch {

// Lists of whole numbers; what they count is said in plan.h.
#define TAUT_BATCH_TABLES(X)                                                                                      \
  X(cable_a)                                                                                                      \
  X(cable_b)                                                                                                      \
  X(driven)                                                                                                       \
  X(signalled) X(by_EA) X(general_law) X(general_clip) X(general_vector) X(piece_begin) X(piece_a) X(piece_b)     \
      X(table_begin) X(drag_a) X(drag_b) X(load_node) X(lone_node) X(bar_a) X(bar_b) X(bar_guided) X(touch_node)  \
          X(lone_touches) X(bar_touches) X(ground_bar_a) X(ground_bar_b) X(ground_bar_points) X(group_touch_node) \
              X(group_node) X(mass_row) X(mass_column) X(row_a) X(row_b) X(row_axis) X(row_begin) X(row_node)     \
                  X(factor_begin) X(factor_row) X(coupling_row) X(coupling_column) X(coupling_place) X(update_place)

// Counts, switches, and where each kind of number begins.
#define TAUT_BATCH_SIZES(X)                                                                                          \
  X(nodes)                                                                                                           \
  X(plain)                                                                                                           \
  X(general)                                                                                                         \
  X(slots) X(drives) X(dragged) X(loads) X(lone) X(bars) X(touching) X(ground_bars) X(group_nodes) X(group_touching) \
      X(mass_entries) X(rows) X(factor_entries) X(coupling_entries) X(damped) X(presses) X(rigid) X(rubs)            \
          X(sees_velocities) X(jumps) X(press_law) X(press_exponent_twice) X(height_columns) X(height_rows)          \
              X(at_stiffness) X(at_EA) X(at_rest) X(at_damping) X(at_general_damping) X(at_beta) X(at_table_strain)  \
                  X(at_table_force) X(at_table_slope) X(at_weight) X(at_drag) X(at_load) X(at_lone) X(at_bar)        \
                      X(at_ground) X(at_mass) X(at_inverse) X(at_coupling) X(at_target) X(at_scale) X(at_coefficient)

// Of the grid of a height field.
#define TAUT_BATCH_REALS(X) X(height_x0) X(height_y0) X(height_dx) X(height_dy) X(height_top)

// A view on the tables: no vector, so that code for wide vector units shares no function with other code.
struct Shape {
#define X(name)                 \
  const int* name##_ = nullptr; \
  inline __attribute__((always_inline)) int name(int i) const { return name##_[i]; }
  TAUT_BATCH_TABLES(X)
#undef X
#define X(name)    \
  int name##_ = 0; \
  inline __attribute__((always_inline)) int name() const { return name##_; }
  TAUT_BATCH_SIZES(X)
#undef X
#define X(name)         \
  double name##_ = 0.0; \
  inline __attribute__((always_inline)) double name() const { return name##_; }
  TAUT_BATCH_REALS(X)
#undef X
  const double* heights_ = nullptr;
  inline __attribute__((always_inline)) double height(int i) const { return heights_[i]; }
};

}  // namespace taut::batch
