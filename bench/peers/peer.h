// One interface for every program in the comparison, taut included.
//
// A method is swept by one number, its effort: steps in the whole run for a fixed step, 1/accuracy for an
// adaptive one. More effort is dearer and, until rounding, more accurate.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taut/base/types.h"

namespace taut {

struct Model;

namespace bench {

struct Method {
  std::string name;
  bool adaptive = false;  // the effort is 1/accuracy instead of a number of steps
  // More than the engine's own step with cable forces: parts of the engine in a hand-written loop, or a numerical
  // method added on top. Counted apart.
  bool tuned = false;
};

// A prepared run. run() starts from the model's state again each time, so that it can be repeated for timing.
class Session {
 public:
  virtual ~Session() = default;
  // Core seconds of the stepping loop alone: building and resetting are not counted.
  virtual double run() = 0;
  // Node positions at the end of the last run, in the model's order.
  virtual std::vector<Vec3> nodes() const = 0;
  // Steps of the last run.
  virtual long steps() const = 0;
};

struct Peer {
  std::string name;
  std::vector<Method> methods;
  // Throws std::runtime_error when the model cannot be represented or the engine gives up.
  std::unique_ptr<Session> (*open)(const Model& model, const std::string& method, double effort, double duration);
};

Peer taut_itself();

// Each is defined only where its package is present.
Peer mujoco_tendons();
Peer mujoco_callback();
Peer bullet();
Peer simbody();

// The peers compiled into this program, without taut.
std::vector<Peer> peers();

}  // namespace bench
}  // namespace taut
