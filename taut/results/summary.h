// What a run did, in numbers: summary.json and the closing table.
#pragma once

#include <string>
#include <vector>

#include "taut/control/control_log.h"

namespace taut {

enum class RunStatus { done, failed, interrupted };
const char* name(RunStatus status);

struct SlackEvent {
  double time = 0.0;
  int cable = 0;
  bool taut = false;  // the cable became taut; false: it went slack
};

// A member that has yielded: when first, and how much longer (or shorter) it is for good at the end.
struct YieldedMember {
  std::string member;
  double time = 0.0;       // s
  double permanent = 0.0;  // m
};

// How a controller fared: errors of its targets over the rows from its start on, and how often and how long its inputs
// were at a bound or at the speed of their winch.
struct ControllerSummary {
  struct Target {
    std::string name, unit;
    double max_error = 0.0, rms_error = 0.0;
  };
  struct Input {
    std::string name;
    long saturations = 0;
    double saturated_s = 0.0;
  };
  std::string name, kind;
  std::vector<Target> targets;
  std::vector<Input> inputs;
};

// One formulation of several that were compared.
struct FormulationRun {
  std::string name;
  std::string refused;  // why it cannot represent the model; then nothing else holds
  RunStatus status = RunStatus::done;
  std::string integrator;
  long steps = 0, rhs = 0;
  double wall_s = 0.0;
  double difference = 0.0;  // largest distance of a node from where the first formulation has it, m
};

struct Summary {
  RunStatus status = RunStatus::done;
  std::string reason;  // why, when not done
  std::string formulation, integrator;
  std::string integrator_reason;  // why `auto` chose it; empty when asked for by name
  long steps = 0, rejected = 0, rhs = 0;
  double wall_s = 0.0;
  double start_s = 0.0;               // where it began: 0, or the time of the row that it went on from
  double simulated_s = 0.0;           // time reached
  double max_bar_length_error = 0.0;  // relative, over all samples
  double energy_drift = 0.0;          // largest |balance - balance(0)| over the largest energy in play
  std::vector<SlackEvent> slack_events;
  long slack_events_dropped = 0;  // beyond the number kept
  std::vector<YieldedMember> yielded;
  std::vector<ControlEvent> control_events;
  long control_events_dropped = 0;             // beyond the number kept
  std::vector<ControllerSummary> controllers;  // those that steer
  long chart_switches = 0;                     // of formulation minimal, near its poles
  bool hard_contact = false;                   // whether it has ground of law "rigid"; then
  double contact_residual = 0.0;               // m/s, the largest velocity that a solution of contact left wrong
  int contact_sweeps = 0;                      // and the most sweeps that one took
  std::vector<FormulationRun> formulations;    // when they were compared
  double largest_difference = 0.0;             // m, between them
  std::vector<std::string> warnings;
};

// What happened, one line each.
struct Event {
  enum class Kind { slack, taut, yielded, control } kind = Kind::slack;
  double time = 0.0;  // s
  std::string name;   // of the cable, member or controller
  std::string what;   // of a controller
};
// All events of a summary, in order of time.
struct Model;
std::vector<Event> events_of(const Summary& summary, const Model& model);

}  // namespace taut
