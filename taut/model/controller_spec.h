// A controller as the model file describes it: its kind, what it drives, what it looks at and its settings. What a kind
// does stands in taut/control.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "taut/base/place.h"

namespace taut {

//   roll             rolls a robot over the ground, face by face                                    control/controllers/roll.h
//   table            inputs as functions of time, sampled
//   pid              each input from the error of its own target
//   lqr              state feedback, optimal for the motion near the start
//   computed_torque  inputs by inverse dynamics of the whole model                          control/inverse
//   near_rigid       torques of pulleys whose cables stretch                                control/controllers/near_rigid.h
//   process          inputs as another program answers on a pipe                            control/controllers/process.h
enum class ControllerKind { roll, table, pid, lqr, computed_torque, near_rigid, process };
enum class RollPolicy { two_cable, all_cables };
enum class InverseMethod { qp, null_space, nlp };  // Lieskovský (2022), 2.2.2, 2.2.3, 2.2.1

struct Bounds {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();

  bool operator==(const Bounds&) const = default;
};

// What a controller sets: the rest length of a cable, m, or the torque on a velocity of a joint, N m (N along a slide).
struct ControlInput {
  int cable = -1;                  // -1: a joint
  int joint = -1, coordinate = 0;  // of its velocities
  Bounds bounds;

  bool operator==(const ControlInput&) const = default;
};

// One number that a controller looks at, by the name that it has in the results: "tip.z", "plate.yaw", "hinge.angle",
// "B1.eps", "a1-a2.tension".
struct ControlTarget {
  enum class Kind { node, frame, joint, pulley, cable } kind = Kind::node;
  int index = 0;   // in the model's list of them
  int column = 0;  // node: x, y, z; frame: frame_columns; joint: a coordinate; pulley: coordinates, length, tension;
                   // cable: tension, length
  bool operator==(const ControlTarget&) const = default;
};

// Where the targets (for `table`: the inputs) should be: a cubic Hermite spline, a row for each time. No rows: where
// they are at the start.
struct ControlPath {
  std::vector<double> times;           // s, ascending
  std::vector<double> values, slopes;  // row after row

  bool operator==(const ControlPath&) const = default;
};

// kind = "roll": rolls the robot over the ground, face by face (taut/control/controllers/roll.h). Drives every cable.
struct RollSettings {
  RollPolicy policy = RollPolicy::all_cables;
  std::array<double, 2> direction = {1.0, 0.0};  // where to, horizontally; only its direction counts
  double speed = 0.3;                            // m/s, the most that a winch changes a rest length
  double shortest = 0.5, longest = 1.2;          // limits of rest lengths, as parts of those at the start

  bool operator==(const RollSettings&) const = default;
};

// All other kinds. Lists are per target or per input as said, and empty where the key is absent.
struct SteerSettings {
  std::vector<ControlInput> inputs;
  std::vector<ControlTarget> targets;
  ControlPath path;
  double speed = std::numeric_limits<double>::infinity();  // m/s, the most that a winch changes a rest length
  std::vector<double> position_gain, velocity_gain;        // per target
  std::vector<double> integral_gain;                       // pid, per target
  std::vector<double> bias;                                // pid, lqr: inputs without errors, per input
  std::vector<double> position_weight, velocity_weight;    // lqr, per target
  std::vector<double> input_weight;                        // lqr, per input
  InverseMethod method = InverseMethod::qp;                // computed_torque
  bool compensate_damping = true;                          // near_rigid: torques make up for that of the cables
  Bounds tension;                                          // computed_torque: of every cable that is driven, N
  std::vector<Bounds> strain;                              // near_rigid: per pulley
  double strain_gain = 0.0;  // near_rigid, 1/s: how fast strains follow; 0: Lieskovský (2022)
  double free_position_gain = 0.0, free_velocity_gain = 0.0;  // near_rigid: of what no target says
  std::vector<std::string> command;                           // process: the program and its arguments
  double time_limit = 5.0;                                    // process: s, the longest that an answer may take
  std::string folder;                                         // process: where it runs; empty: in the present folder
  int memory = 0;                                             // process: numbers that it is sent back

  bool operator==(const SteerSettings&) const = default;
};

struct ControllerSpec {
  std::string name;  // may be empty
  ControllerKind kind = ControllerKind::roll;
  double rate = 20.0;  // 1/s, control instants per second; 0 (near_rigid): at every evaluation
  double start = 0.0;  // s, the first of them
  RollSettings roll;
  SteerSettings steer;
  EntityPlace place{};

  bool operator==(const ControllerSpec&) const = default;
};

const char* name(ControllerKind kind);
const char* name(RollPolicy policy);
const char* name(InverseMethod method);

}  // namespace taut
