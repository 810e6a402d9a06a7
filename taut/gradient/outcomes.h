// Outcomes of a run and their derivatives: every expression is followed in the run and along dx/dp to both sides of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taut/gradient/forward.h"
#include "taut/gradient/parameter.h"
#include "taut/gradient/sensitivity.h"
#include "taut/run/observe.h"
#include "taut/sweep/measure.h"

namespace taut {

class Outcomes {
 public:
  // Throws InputError: what is wrong with an expression.
  Outcomes(const std::vector<std::string>& texts, NearbyModel& base, const std::vector<GradientParameter>& parameters);

  // Whether some outcome is about energies that are integrals.
  bool needs_powers() const { return powers_; }
  // A row of the run with its sensitivities; `motion` takes those of the nodes if it is not null.
  void row(const State& state, const Eigen::MatrixXd& S, Sensitivity::Motion* motion);
  // Values, derivatives and corners.
  void finish(const Summary& summary, const std::vector<SwitchTime>& switches, Sensitivity& result);

 private:
  // A model beside the run's, as it is seen by the expressions.
  struct Seen {
    NearbyModel* model = nullptr;
    std::unique_ptr<Observer> observer;
    std::unique_ptr<Measure> measure;
  };
  Seen seen(NearbyModel& model) const;

  SweepFile sweep_;
  NearbyModel& base_;
  const std::vector<GradientParameter>& parameters_;
  bool powers_ = false;
  Seen run_;
  std::vector<std::vector<Seen>> beside_;  // by parameter, then point of its stencil
};

}  // namespace taut
