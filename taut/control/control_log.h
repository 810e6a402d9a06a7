// What controllers have to report. The motion does not depend on it.
#pragma once

#include <string>
#include <vector>

namespace taut {

// That a controller has changed its base, for example, or that an input has reached a bound.
struct ControlEvent {
  double time = 0.0;
  int controller = 0;
  std::string what;
};

// How an input fared: how often it reached a bound or the speed of its winch, and how long it was there, s. One that
// comes back within a few instants has not left.
struct InputUse {
  long saturations = 0;
  double saturated_s = 0.0;
  enum class Limit { none, least, most, speed } limit = Limit::none;  // where it is
  int free = 0;                                                       // instants since it was last there
  double free_since = 0.0;                                            // s
};

struct ControlLog {
  static constexpr std::size_t most_events = 1000;  // of inputs that go to and fro at their bounds

  std::vector<ControlEvent> events;
  long dropped = 0;            // beyond that number
  std::vector<InputUse> uses;  // of all inputs, controller after controller
  std::vector<double> axes;    // of frames that are targets, in the last row
  double last_row = 0.0;       // s

  void note(double time, int controller, std::string what) {
    if (events.size() < most_events)
      events.push_back({time, controller, std::move(what)});
    else
      ++dropped;
  }
};

}  // namespace taut
