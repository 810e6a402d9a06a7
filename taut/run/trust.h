// What makes a motion doubtful, told as warnings: before it begins, and over its rows.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/integrate/log.h"
#include "taut/results/sample.h"
#include "taut/results/summary.h"

namespace taut {

// Limits above which there is a warning.
inline constexpr double trusted_balance = 1e-3;     // of the largest energy in play
inline constexpr double trusted_length = 1e-6;      // error of a rigid bar's length, relative
inline constexpr double trusted_rounding = 1e-9;    // of positions, over the length of a member
inline constexpr double trusted_constraint = 1e-3;  // of the reach of the structure

// Members so short, or so far from the origin, that the rounding of positions is felt; members that are stretched beyond
// their yield at the start (`start` has what they keep).
std::vector<std::string> start_warnings(const Dynamics& dynamics, const State& start);

// Bars that went through each other, in order of time; empty where there are none.
std::string passed_warning(const Model& model, std::vector<BarPass> passes);

// Extremes over the rows.
class RowChecks {
 public:
  explicit RowChecks(const Dynamics& dynamics);
  void look(const Sample& sample, double bar_length_error);
  // Fills max_bar_length_error and energy_drift, and adds warnings.
  void report(Summary& summary) const;

 private:
  void look_for_slack(const Sample& sample);
  void name_bar(const Sample& sample);

  const Dynamics* dynamics_;
  double reach_;  // m
  double still_;  // J: what a structure at rest may have in play by rounding
  std::array<double, energy_columns> first_{};
  bool began_ = false;
  double drift_ = 0.0, in_play_ = 0.0, largest_ = 0.0;  // J
  double bar_error_ = 0.0, bar_at_ = 0.0;               // relative, s
  std::string bar_;                                     // whose error that is
  double constraint_error_ = 0.0, open_at_ = 0.0;       // m, s
  bool was_taut_ = false;                               // a model without actuators may begin slack: no warning
  double slack_since_ = NAN;
};

}  // namespace taut
