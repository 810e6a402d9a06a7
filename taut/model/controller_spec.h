// A controller as the model file describes it: its kind and its settings. What a kind does stands in taut/control.
#pragma once

#include <array>
#include <string>

namespace taut {

enum class ControllerKind { roll };
enum class RollPolicy { two_cable, all_cables };

// kind = "roll": rolls the robot over the ground, face by face (taut/control/roll.h). Drives every cable.
struct RollSettings {
  RollPolicy policy = RollPolicy::all_cables;
  std::array<double, 2> direction = {1.0, 0.0};  // where to, horizontally; only its direction counts
  double speed = 0.3;                            // m/s, the most that a winch changes a rest length
  double shortest = 0.5, longest = 1.2;          // limits of rest lengths, as parts of those at the start

  bool operator==(const RollSettings&) const = default;
};

struct ControllerSpec {
  std::string name;  // may be empty
  ControllerKind kind = ControllerKind::roll;
  double rate = 20.0;  // 1/s, control instants per second
  double start = 0.0;  // s, the first of them
  RollSettings roll;

  bool operator==(const ControllerSpec&) const = default;
};

const char* name(ControllerKind kind);
const char* name(RollPolicy policy);

}  // namespace taut
