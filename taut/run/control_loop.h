// The controllers of a run: when they act, what goes into the rows and into the summary.
#pragma once

#include "taut/control/control.h"
#include "taut/results/sample.h"
#include "taut/results/summary.h"

namespace taut {

class ControlLoop {
 public:
  // The dynamics must outlive this. Throws InputError (Control).
  explicit ControlLoop(const Dynamics& dynamics);

  // Evaluations with these terms are under the laws of controllers that act at each of them; this must outlive them.
  void rule(Terms& terms);

  // Before the first instant.
  void begin(State& state);
  double next_before(double end, const State& state) const { return control_.next_before(end, state); }
  // A control instant, if it is one.
  void act(State& state);
  // How many numbers the state holds for them.
  std::size_t numbers() const { return control_.numbers(); }
  // After steps with these terms.
  void remember(const Terms& terms, State& state) const { control_.remember(terms, state); }

  // What is seen at a state.
  Observation look(const State& state);

  // The columns of a row that has just been observed with these terms.
  void record(const State& state, Terms& observed, Sample& sample);

  void report(Summary& summary) const;
  // At the end of a run that is done: what a controller was asked for and did not reach is a warning.
  void judge(State& end, Summary& summary);
  // Which target was furthest from its path in the last row, beginning with "; "; empty where all were near.
  std::string worst_error() const;

  ControlLog log;

 private:
  // Errors of one target over the rows.
  struct Errors {
    std::size_t column = 0;  // of controls
    double start = 0.0;      // s, of its controller
    double largest = 0.0, squares = 0.0;
    long rows = 0;
    double first = 0.0, asked = 0.0;  // its value in the first row; the furthest that it should go from there

    bool missed() const;  // in the last row
    double last = 0.0;    // error
    double scale = 1.0;   // where it should stay: an error of a thousandth of this counts
  };
  std::string missed_targets(std::size_t controller) const;

  const Dynamics& dynamics_;
  Terms seen_;
  Eigen::VectorXd rate_;
  Control control_;
  Sight sight_, row_sight_;
  bool records_;
  std::vector<double> last_;  // row of controls
  double last_time_ = 0.0;
  std::vector<std::vector<Errors>> errors_;  // by controller, then target
};

}  // namespace taut
