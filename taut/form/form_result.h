// What every method of form-finding returns, and the last steps they share: from a shape with member forces to a model
// that stands in it (positions, lengths of bars, rest lengths for the wanted tension), and the proof that it is in balance
// as it will be read.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct FormResult {
  bool converged = false;
  std::string reason;              // why not, in a sentence
  std::vector<std::string> notes;  // what is worth knowing all the same
  Model model;                     // in equilibrium; else the start, or what the method says
  bool stable = false;             // the energy falls in no direction, and rises in all but those of rigid motions
  std::string free;                // what moves there without anything that resists; empty: nothing
  double residual = 0.0;           // largest net node force over mean member force
  double net_force = 0.0;          // N, largest
  double mean_force = 0.0;         // N, mean absolute member force
  int iterations = 0;
  double largest_move = 0.0;  // m
  int moved_node = -1;
  std::vector<double> tensions;    // per cable, N
  std::vector<double> bar_forces;  // per bar, N, tension positive
};

// Fills largest_move and moved_node: from the positions of `from` to those of result.model.
void measure_move(const Model& from, FormResult& result);
// Fills forces and residuals from the balance of a model at rest, of a machine with pulleys after the cables.
void take_balance(const Model& model, FormResult& result);

// How a state of self-stress is scaled: to this mean tension of all cables, N; 0: as the start shape has it, and
// InputError if it has none.
double wanted_pretension(const Model& model, double given);
// The factor for forces per member (equilibrium/members.h), so that the mean tension of the cables is `pretension`.
double pretension_factor(const Model& model, const Eigen::VectorXd& forces, double pretension);

// Fills the result for positions x and forces per member, N. Rigid bars take the length that they have there (a uniform
// rod stays one), elastic bars and cables the rest length for their force; an actuator begins there. Newton steps with
// these rest lengths take away the last rounding. A force that a member cannot carry, cables that would have to push
// and nodes that fall into one are reasons.
// weightless: weight does not count (nothing holds the structure).
void finish_form(const Model& start, const Eigen::VectorXd& x, const Eigen::VectorXd& forces, bool weightless,
                 FormResult& result);

}  // namespace taut
