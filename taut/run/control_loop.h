// The controllers of a run between the integrator and the observer, which see the same winches and torques; what they
// did goes into the rows and the summary.
#pragma once

#include "taut/control/control.h"
#include "taut/run/sample.h"
#include "taut/run/summary.h"

namespace taut {

class ControlLoop {
 public:
  // All but the summary must outlive this. Throws InputError (Control).
  ControlLoop(const Dynamics& dynamics, Terms& integrated, Terms& observed);

  const std::vector<Winch>& winches() const { return control_.winches(); }
  double next_before(double end) const { return control_.next_before(end); }

  // Before the first instant.
  void begin(const State& state);
  // A control instant, if it is one.
  void act(const State& state);
  // The columns of a row that has just been observed.
  void record(const State& state, Sample& sample);

  void report(Summary& summary) const;
  // Which target was furthest from its path in the last row, beginning with "; "; empty where all were near.
  std::string worst_error() const;

 private:
  // Errors of one target over the rows.
  struct Errors {
    std::size_t column = 0;  // of controls
    double start = 0.0;      // s, of its controller
    double largest = 0.0, squares = 0.0;
    long rows = 0;
  };

  void hand_over();
  Observation look(const State& state);
  void keep(std::vector<ControlReport> reports);

  const Dynamics& dynamics_;
  Terms seen_;
  Terms &integrated_, &observed_;
  Eigen::VectorXd rate_;
  Control control_;
  Sight sight_, row_sight_;
  bool records_;
  std::vector<ControlEvent> events_;
  long dropped_ = 0;
  std::vector<double> last_;  // row of controls
  double last_time_ = 0.0;
  std::vector<std::vector<Errors>> errors_;  // by controller, then target
};

}  // namespace taut
