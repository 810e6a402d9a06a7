// All controllers of a model in one run: their instants, and the winches that follow their commands.
//
// Between two instants, Δt = 1/rate apart, a rest length moves at the constant rate (target - L0)/Δt, limited to the
// speed of the winch: continuous in time, and piecewise linear.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taut/control/controller.h"
#include "taut/forces/cables.h"

namespace taut {

struct ControlReport {
  int controller = 0;
  std::string what;
};

class Control {
 public:
  explicit Control(const Model& model);  // the model must outlive this

  // The next instant of any controller, or `end` if that comes first or differs from it by rounding only.
  double next_before(double end) const;
  // Whether an instant has come, up to rounding.
  bool due(double t) const;

  // At t, which is due: asks the controllers whose instant it is, and sets their winches anew. x and v of the nodes,
  // stride 4.
  std::vector<ControlReport> update(double t, const double* x, const double* v);

  // Of every driven cable, valid until the next instant; from the start on.
  const std::vector<Winch>& winches() const { return winches_; }

 private:
  struct Loop {
    const ControllerSpec* spec;
    std::unique_ptr<Controller> controller;
    std::vector<double> targets;
    std::size_t first_winch;
    long instants = 0;  // so far
    double next() const { return spec->start + static_cast<double>(instants) / spec->rate; }
  };

  std::vector<Loop> loops_;
  std::vector<Winch> winches_;
  std::vector<double> rest_;  // per cable
};

}  // namespace taut
