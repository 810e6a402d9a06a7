#include "taut/form/prestress/prestress_search.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/form/prestress/prestress_forces.h"
#include "taut/form/prestress/prestress_start.h"

namespace taut {

namespace {

// Steps below this part of a member end the search.
constexpr double settled_step = 1e-11;
// A shape that some forces balance to this part of their scale is an equilibrium but for rounding.
constexpr double balanced_to_rounding = 1e-11;
// Multipliers of held cables above this hold the shape back; below, it is the faint weight of forces that speaks.
constexpr double least_hindrance = 1e-7;
// In which the cables at their bound are found, as a rule.
constexpr int turns_of_a_step = 12;

}  // namespace

PrestressSearch::PrestressSearch(const Model& model, const PrestressOptions& options)
    : model_(model),
      options_(options),
      wanted_(wanted_tensions(model)),
      derived_(derived_nodes(model)),
      balance_(model, wanted_, derived_),
      start_(balance_.statics().start()) {
  at_.x = start_;
  find_bounded();
}

// Cables that may only pull, unless a wanted tension sets their tension anyway.
void PrestressSearch::find_bounded() {
  least_.bounded.assign(model_.cables.size(), 0);
  for (std::size_t i = 0; i < model_.cables.size(); ++i)
    least_.bounded[i] = model_.cables[i].law.kind != LawKind::spring;
  for (const WantedTension& wanted : wanted_)
    for (int cable : wanted.cables)
      if (!wanted.mean) least_.bounded[cable] = 0;
  least_.tension = options_.least_tension;
  least_.slip = 1e-10 * balance_.force();
}

bool PrestressSearch::begin() { return balance_.statics().project(at_.x); }

void PrestressSearch::run() {
  at_ = balance_.best_forces(at_.x);
  // Once more, near those: the weight of forces then has no say in what is left.
  at_ = balance_.best_forces(at_.x);
  start_residual_ = imbalance().lpNorm<Eigen::Infinity>();
  // Forces may be chosen at no cost: where some balance the measured shape, it is the answer.
  if (start_residual_ < 1e-6 && balance_here(with_file_forces(at_.x))) return;
  iterate(false);
  if (!balanced() || !tensions_met()) return;
  // Cables may only pull: where the nearest equilibrium of all needs one to push, others of its forces may do, else
  // look for the nearest without.
  if (!too_loose().empty() && !balance_here(at_)) search_within_bounds();
  polish();
}

// Forces of the file at the nodes, none in bars: what to stay near where nothing else says.
Candidate PrestressSearch::with_file_forces(const Eigen::VectorXd& x) const {
  Candidate wanted = at_;
  wanted.x = x;
  const std::vector<double> present = start_balance(model_).cable_tension;
  for (int i = 0; i < static_cast<int>(present.size()); ++i) wanted.tension[balance_.column_of_cable(i)] = present[i];
  return wanted;
}

// Forces within bounds that balance the shape as it is; false, and nothing has changed, if there are none.
bool PrestressSearch::balance_here(const Candidate& wanted) {
  Candidate found;
  std::vector<int> held;
  if (!forces_within(balance_, least_, wanted, found, held)) return false;
  if (!(balance_.imbalance(found).lpNorm<Eigen::Infinity>() < balanced_to_rounding)) return false;
  at_ = found;
  held_ = held;
  return true;
}

// One step towards the nearest equilibrium within bounds. Where the linearised balance has no answer there, or none
// that is quickly found, it leaves some imbalance.
EqualityQpSolution PrestressSearch::bounded_step() {
  EqualityQpSolution step;
  const HeldProgram program = [&](const std::vector<int>& held) {
    balance_.hold(held, least_.tension);
    step = balance_.nearer(at_, start_);
    HeldSolution solution;
    solution.solved = step.solved && step.violation < 1e-9;
    if (!solution.solved) return solution;
    solution.tension = Eigen::VectorXd::Zero(static_cast<long>(least_.bounded.size()));
    for (int i = 0; i < static_cast<int>(least_.bounded.size()); ++i)
      solution.tension[i] = balance_.tension_after(step, i);
    solution.multiplier = balance_.held_multipliers(step);
    return solution;
  };
  std::vector<int> held = held_;
  if (find_held(program, least_, turns_of_a_step, held))
    held_ = held;
  else if (!nearer_within(balance_, least_, at_, start_, step, held_))
    step.solved = false;
  return step;
}

// Steps to the nearest equilibrium, as far as the merit falls: distance and imbalance.
void PrestressSearch::iterate(bool within_bounds) {
  // Along a bound the equilibria may be curved: more imbalance on the way is allowed there.
  double penalty = within_bounds ? 0.01 : 1.0;
  for (int i = 0; i < options_.iterations && !stopped(); ++i, ++iterations_) {
    const double infeasible = imbalance().lpNorm<1>();
    if (options_.progress) options_.progress(iterations_, infeasible);
    const EqualityQpSolution step = within_bounds ? bounded_step() : balance_.nearer(at_, start_);
    if (!step.solved) break;
    const int n = balance_.unknowns();
    const double largest = step.z.head(n).cwiseAbs().maxCoeff();
    penalty = std::max(penalty, 2.0 * step.multiplier.head(n).lpNorm<Eigen::Infinity>());
    const double merit = 0.5 * distance_square() + penalty * infeasible;
    const auto gains = [&](const Candidate& c) {
      return 0.5 * balance_.distance_square(c.x, start_) + penalty * balance_.imbalance(c).lpNorm<1>() < merit;
    };
    bool gained = false;
    Candidate there;
    const double most = std::min(1.0, 0.1 / largest);
    for (double part = most; part > 1e-6 && !gained; part *= 0.5)
      // Near the end the merit is rounding.
      gained = balance_.take(at_, step, part, there) && ((largest < 1e-6 && part == 1.0) || gains(there));
    // Along curved equilibria a step leaves them by its square: back to them before it is judged.
    for (double part = most; part > 0.1 * most && within_bounds && !gained; part *= 0.5)
      gained = balance_.take(at_, step, part, there) && put_back(there) && gains(there);
    if (gained) at_ = there;
    if (!gained || largest < settled_step) break;
  }
}

// The least move that balances, linearised, with the cables held that are; false if it leads out of bounds.
bool PrestressSearch::put_back(Candidate& there) {
  balance_.hold(held_, least_.tension);
  const EqualityQpSolution step = balance_.nearer(there, there.x);
  Candidate back;
  if (!step.solved || !balance_.take(there, step, 1.0, back)) return false;
  there = back;
  for (int i = 0; i < static_cast<int>(model_.cables.size()); ++i)
    if (least_.bounded[i] && there.tension[balance_.column_of_cable(i)] < least_.tension - least_.slip) return false;
  return true;
}

std::vector<int> PrestressSearch::too_loose() const {
  std::vector<int> which;
  for (int cable = 0; cable < static_cast<int>(model_.cables.size()); ++cable)
    if (least_.bounded[cable] && tension(cable) < least_.tension - no_force * balance_.force()) which.push_back(cable);
  return which;
}

bool PrestressSearch::tensions_met() const {
  for (const WantedTension& wanted : wanted_) {
    double mean = 0.0;
    for (int cable : wanted.cables) {
      mean += tension(cable) / static_cast<double>(wanted.cables.size());
      if (!wanted.mean && std::abs(tension(cable) - wanted.tension) > tension_met * balance_.force()) return false;
    }
    if (wanted.mean && std::abs(mean - wanted.tension) > tension_met * balance_.force()) return false;
  }
  return true;
}

double PrestressSearch::largest_move() const {
  double largest = 0.0;
  for (long i = 0; i < static_cast<long>(model_.nodes.size()); ++i)
    largest = std::max(largest, (at_.x - start_).segment<3>(3 * i).norm());
  return largest;
}

bool PrestressSearch::fulfilled() {
  return imbalance().lpNorm<Eigen::Infinity>() < 10.0 * balanced_to_rounding && tensions_met() && too_loose().empty() &&
         largest_move() <= reach();
}

// From forces within bounds; false if there is nothing in reach.
bool PrestressSearch::search_from(const HeldCandidate& begin) {
  at_ = begin.at;
  held_ = begin.held;
  iterate(true);
  if (balanced()) polish();
  return fulfilled();
}

// From the nearest equilibrium of all and from the measured shape, with the forces that balance them best within
// bounds: the nearer answer counts. Without any the nearest of all stays, as what to tell about.
void PrestressSearch::search_within_bounds() {
  const HeldCandidate unbounded{at_, {}};
  std::vector<HeldCandidate> begins;
  Eigen::VectorXd measured = start_;
  balance_.statics().project(measured);
  for (const Eigen::VectorXd& x : {at_.x, measured}) {
    Candidate wanted = unbounded.at;
    wanted.x = x;
    HeldCandidate begin;
    if (forces_within(balance_, least_, wanted, begin.at, begin.held)) begins.push_back(begin);
  }
  HeldCandidate best = unbounded;
  double nearest = INFINITY;
  for (const HeldCandidate& begin : begins) {
    if (!search_from(begin) || !(distance_square() < nearest)) continue;
    nearest = distance_square();
    best = {at_, held_};
  }
  const bool more = begins.size() == 2 && nearest == INFINITY;
  if (more && (search_by_levels(unbounded) || search_around(unbounded))) best = {at_, held_};
  at_ = best.at;
  held_ = best.held;
  find_binding();
}

// Where the bounds are too far from the forces to get there at once: they are raised from what the loosest cable
// carries in the nearest equilibrium of all, by parts, and each search begins where the last one ended.
bool PrestressSearch::search_by_levels(const HeldCandidate& unbounded) {
  at_ = unbounded.at;
  double lowest = options_.least_tension;
  for (int cable : too_loose()) lowest = std::min(lowest, tension(cable));
  HeldCandidate good = unbounded;
  double done = 0.0;
  for (double part = 0.25; done < 1.0 && part > 0.01 && !stopped();) {
    const double next = std::min(1.0, done + part);
    least_.tension = lowest + next * (options_.least_tension - lowest);
    HeldCandidate begin{good.at, good.held};
    if (forces_within(balance_, least_, good.at, begin.at, begin.held) && search_from(begin)) {
      good = {at_, held_};
      done = next;
      part *= 2.0;
    } else {
      part *= 0.5;
    }
  }
  least_.tension = options_.least_tension;
  at_ = good.at;
  held_ = good.held;
  return done == 1.0;
}

// From shapes around the measured one, at random but always the same ones: the nearest answer, false if there is none.
bool PrestressSearch::search_around(const HeldCandidate& unbounded) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0.0, 0.3 * std::min(reach(), 0.5 * balance_.length()));
  const int tries = std::clamp(1000 / std::max(1, balance_.unknowns()), 1, 12);
  HeldCandidate best;
  double nearest = INFINITY;
  for (int k = 0; k < tries && !stopped(); ++k) {
    Candidate wanted = unbounded.at;
    wanted.x = start_;
    for (int c : balance_.statics().unknowns()) wanted.x[c] += normal(random);
    HeldCandidate begin;
    if (!balance_.statics().project(wanted.x)) continue;
    if (!forces_within(balance_, least_, wanted, begin.at, begin.held)) continue;
    if (!search_from(begin) || !(distance_square() < nearest)) continue;
    nearest = distance_square();
    best = {at_, held_};
  }
  at_ = best.at;
  held_ = best.held;
  return nearest < INFINITY;
}

// The cables that keep the shape from being nearer: those whose multiplier is more than that of the faint weight.
void PrestressSearch::find_binding() {
  binding_.clear();
  if (held_.empty()) return;
  balance_.hold(held_, least_.tension);
  const EqualityQpSolution step = balance_.nearer(at_, start_);
  if (!step.solved) return;
  const Eigen::VectorXd multiplier = balance_.held_multipliers(step);
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (multiplier[static_cast<long>(k)] < -least_hindrance) binding_.push_back(held_[k]);
  std::sort(binding_.begin(), binding_.end());
}

// The last rounding. Cables below their bound by less than the search can tell are held there as well, unless that
// cannot be.
void PrestressSearch::polish() {
  std::vector<int> held = held_;
  for (int cable = 0; too_loose().empty() && cable < static_cast<int>(model_.cables.size()); ++cable)
    if (least_.bounded[cable] && tension(cable) < least_.tension &&
        std::find(held_.begin(), held_.end(), cable) == held_.end())
      held.push_back(cable);
  const Candidate before = at_;
  const bool more = held.size() > held_.size();
  if (more && restore_balance(held, INFINITY) < 1e-13) return;
  at_ = before;
  restore_balance(held_, imbalance().lpNorm<Eigen::Infinity>());
}

// The least moves that balance, with wanted tensions and these cables kept, as long as less than `now` is left; what is
// left.
double PrestressSearch::restore_balance(const std::vector<int>& held, double now) {
  balance_.hold(held, least_.tension);
  for (int i = 0; i < 8 && now > 1e-15; ++i) {
    const EqualityQpSolution step = balance_.nearer(at_, at_.x);
    Candidate there;
    if (!step.solved || !balance_.take(at_, step, 1.0, there)) break;
    const double then = balance_.imbalance(there).lpNorm<Eigen::Infinity>();
    if (!(then < 0.5 * now)) break;
    at_ = there;
    now = then;
  }
  return now;
}

}  // namespace taut
