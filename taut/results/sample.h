// One row of a result: what a recorder sees. Plain values in the model's order of nodes, cables, bars and frames.
#pragma once

#include <array>
#include <vector>

namespace taut {

// Order of the energy columns, J. balance = kinetic + elastic + gravity + contact + dissipated - work.
enum EnergyColumn { kinetic, elastic, gravity, contact, dissipated, work, balance, energy_columns };

struct Sample {
  double t = 0.0;
  std::vector<double> nodes, velocities;  // 3 per node
  std::vector<double> tensions, lengths;  // per cable, N and m
  std::vector<double> bar_forces;         // per bar, N, tension positive
  std::vector<double> rest_lengths;       // per cable, m
  std::vector<double> bar_lengths;        // per driven bar (Model::bar_drives), between its ends, m
  std::vector<double> bar_rest_lengths;   // per driven bar, m, as driven: rigid bars: the length
  std::vector<double> contact_forces;     // 3 per node, N, of ground and collisions; empty where there is neither
  std::vector<double> support_forces;     // 3 per node with a fixed axis, in their order, N, of the support on the node
  std::vector<double> joints;             // of joints and pulleys, as joint_columns() in joint_spec.h
  std::vector<double> frames;             // 6 per frame: x, y, z, m, yaw, pitch, roll, rad (frame_pose.h)
  std::vector<double> controls;           // of controllers, as control_columns() in control_names.h
  std::vector<double> coordinates;        // q and v of the formulation; empty where they are those of the nodes
  std::vector<double> memory;             // what else a run goes on from (run/memory_row.h)
  std::array<double, energy_columns> energy{};
  double constraint_error = 0.0;  // largest constraint violation, m
  std::vector<double> bodies;     // 7 per body, and per bar that a joint holds: its pose (body_pose.h)
};

}  // namespace taut
