// Derivatives of a run by numbers of its model: of outcomes, of the motion, of the times at which cables and contacts
// switch.
//
//   Sensitivity s = sensitivity(scenario, {"cables.*.stiffness", "nodes.top.velocity.z"}, "max(nodes.top.z)");
//   s.outcomes[0].value;  s.outcomes[0].by[i];  s.parameters[i].key;
//
// Forward sensitivities dx/dp run beside the motion (gradient/forward.h), by dopri5 or cvode, and jump where it does.
// An outcome is an expression of a run as sweeps record it (docs/sweeps.md); its derivative is taken along dx/dp, row by
// row. docs/gradients.md says how to use it, docs/theory/sensitivities.md why it is right.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "taut/file/draft.h"
#include "taut/results/summary.h"

namespace taut {

struct SensitivityOptions {
  bool motion = false;                      // keep dx/dp and dẋ/dp of the nodes at every row
  std::function<void(double t)> progress;   // called at rows; may be empty
  const std::atomic<bool>* stop = nullptr;  // set from outside: throws Stopped (base/stop.h)
};

struct Sensitivity {
  struct Number {
    std::string key;
    double value = 0.0;
  };
  struct Outcome {
    std::string text;
    double value = 0.0;
    std::vector<double> by;  // d(outcome)/d(parameter), in the parameter's unit
  };
  // A cable that goes slack or taut, or a node that touches the ground or leaves it.
  struct Switch {
    std::string kind;  // "slack", "taut", "touch", "lift"
    double time = 0.0;
    std::string name;
    std::vector<double> by;  // d(time)/d(parameter)
  };
  // There is no derivative by this parameter: what it does differs from one side to the other.
  struct Corner {
    std::string key, outcome;  // empty outcome: all
    double time = NAN;         // s; NAN: the outcome itself has a corner
    std::string name;          // of the cable or node
    std::string reason;
  };
  // Of the nodes at each row, 3 per node: m and m/s per unit of the parameter.
  struct Motion {
    std::vector<double> t;
    std::vector<std::vector<double>> nodes, velocities;  // by parameter; all rows in a line
  };

  std::vector<Number> parameters;
  std::vector<Outcome> outcomes;
  std::vector<Switch> switches;  // in order of time
  std::vector<Corner> corners;   // empty: all derivatives exist
  Motion motion;                 // if it was asked for
  Summary summary;               // of the run
};

// By numbers of the model under key paths, as --set and sweeps know them. "*" stands for each entity by itself, a vector
// or a list for each of its entries: cables.*.stiffness, nodes.a.at, actuators.0.rest_length.values. Throws InputError:
// a key that is no number, an outcome that makes no sense, a model that has no gradient (controllers, hard ground,
// yield); RunError: the run failed, or an outcome is no number.
Sensitivity sensitivity(const Draft& model, const std::vector<std::string>& parameters,
                        const std::vector<std::string>& outcomes, const SensitivityOptions& options = {});
Sensitivity sensitivity(const Scenario& scenario, const std::vector<std::string>& parameters,
                        const std::string& outcome, const SensitivityOptions& options = {});

}  // namespace taut
