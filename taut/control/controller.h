// A controller looks at the robot at its control instants and says how long the cables that it drives should be.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

// What is seen at a control instant. Per node in stride 4, rest lengths per cable, as they are now.
struct Observation {
  double t = 0.0;
  const double* x = nullptr;  // m
  const double* v = nullptr;  // m/s
  const double* rest = nullptr;
};

class Controller {
 public:
  virtual ~Controller() = default;

  // The cables that it drives, and the most by which a winch changes a rest length, m/s.
  virtual const std::vector<int>& cables() const = 0;
  virtual double speed() const = 0;

  // Sets the rest lengths to aim for, in the order of cables(). Returns what is worth a line in the summary, or
  // nothing.
  virtual std::string update(const Observation& now, std::vector<double>& targets) = 0;
};

// The spec is one of the model's. The model must outlive the controller.
std::unique_ptr<Controller> make_controller(const Model& model, const ControllerSpec& spec);

}  // namespace taut
