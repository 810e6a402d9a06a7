#include "taut/equilibrium/find_equilibrium.h"

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/rigid_motions.h"
#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/equilibrium/tolerances.h"

namespace taut {

namespace {

constexpr double least_damping = 1e-10, most_damping = 1e3, most_reach = 64.0;

// δx for a damping σ, false if the matrix is not positive definite along the constraints. Without a step: only that.
bool newton_step(const TangentStiffness& stiffness, double damping, const StaticForces& statics, const NetForce& at,
                 Eigen::VectorXd* step) {
  const int unknowns = stiffness.unknowns();
  std::vector<SparseEntry> damped;
  for (int k = 0; k < unknowns; ++k) damped.push_back({k, k, damping * stiffness.bound()[k]});
  const auto factor = stiffness.factorise(damped);
  if (!factor) return false;
  if (step == nullptr) return true;
  std::vector<double> rhs(unknowns + stiffness.constraints(), 0.0), scratch(rhs.size());
  for (int k = 0; k < unknowns; ++k) rhs[k] = at.net[statics.unknowns()[k]];
  factor->saddle.solve(factor->numbers, rhs.data(), scratch.data());
  step->setZero(at.net.size());
  for (int k = 0; k < unknowns; ++k) (*step)[statics.unknowns()[k]] = rhs[k];
  return step->allFinite();
}

// No coordinate may move further in one step: a tenth of the mean length of members.
double longest_step(const Model& model, const Eigen::VectorXd& x) {
  const bool any = !model.bars.empty() || !model.cables.empty();
  return any ? 0.1 * mean_piece_length(model, x) : INFINITY;
}

// Where the search is, and how boldly it goes on from there.
struct Search {
  StaticForces& statics;
  const Parts parts;
  Eigen::VectorXd x;
  NetForce net;  // at x
  double damping;
  double reach = 1.0;    // steps may be so many times as long as at first: it grows as long ones turn out well
  bool limited = false;  // the last step was good, and as long as it may be
};

// The step for the damping of the search, no longer than it may be; false if there is none. `limited`: it was shortened.
bool find_step(const Search& at, const TangentStiffness& stiffness, Eigen::VectorXd& step, bool& limited) {
  const Model& model = at.statics.model();
  if (!newton_step(stiffness, at.damping, at.statics, at.net, &step)) return false;
  if (!model.ground) remove_rigid_motions(model, at.parts, at.statics.external(), at.x, step);
  const double largest = step.cwiseAbs().maxCoeff(), limit = at.reach * longest_step(model, at.x);
  limited = largest > limit;
  if (limited) step *= limit / largest;
  return true;
}

// Moves on along the forces: one step, damped more until it gains work. False if none does.
bool move_on(Search& at) {
  StaticForces& statics = at.statics;
  Eigen::VectorXd forces, forces_there, step, there;
  statics.forces(at.x, forces);
  const TangentStiffness stiffness(statics, at.net);
  at.limited = false;
  for (; at.damping <= most_damping; at.damping = std::max(10.0 * at.damping, 1e-8)) {
    if (!find_step(at, stiffness, step, at.limited)) continue;
    there = at.x + step;
    if (!statics.project(there)) continue;
    statics.forces(there, forces_there);
    const double work = 0.5 * (forces + forces_there).dot(there - at.x);
    const NetForce net_there = statics.net_force(there);
    // Near the end the work is rounding: the net force decides.
    const bool less = at.net.residual < 1e-4 && net_there.residual < 0.9 * at.net.residual;
    const bool gained = std::isfinite(net_there.residual) && (work > 1e-3 * at.net.net.dot(step) || less);
    // A step as good as promised: less damping next time.
    const bool good = gained && work > 0.25 * at.net.net.dot(step);
    if (good && !at.limited) at.damping = std::max(0.1 * at.damping, least_damping);
    if (!good) at.reach = std::max(0.5 * at.reach, 1.0);
    if (good && at.limited) at.reach = std::min(2.0 * at.reach, most_reach);
    at.limited = at.limited && good;
    if (!gained) continue;
    if (net_there.residual < 1e-4) at.damping = std::clamp(1e-4 * net_there.residual, least_damping, at.damping);
    at.x = there;
    at.net = net_there;
    return true;
  }
  return false;
}

}  // namespace

Equilibrium find_equilibrium(StaticForces& statics, const Eigen::VectorXd& start, const EquilibriumOptions& options) {
  statics.set_level(1.0);
  Equilibrium best;
  Eigen::VectorXd x = start;
  if (!statics.project(x)) x = start;
  best.x = x;
  best.net = statics.net_force(x);
  const auto within = [&](double tolerance) {
    return best.net.residual <= std::max(tolerance, rounding_allowed * statics.rounding(best.net));
  };
  Search at{statics, find_parts(statics.model()), x, best.net,
            std::clamp(1e-2 * best.net.residual, least_damping, 1e-2)};
  int idle = 0;  // steps since the residual last fell by half, or a good step was as long as it may be
  const auto patience = [&] { return within(1e-14) ? 2 : within(options.tolerance) ? 6 : 30; };
  for (; best.iterations < options.iterations && at.net.residual > 0.0 && idle < patience(); ++best.iterations) {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) break;
    if (!move_on(at)) break;
    idle = at.limited || at.net.residual <= 0.5 * best.net.residual ? 0 : idle + 1;
    if (at.net.residual < best.net.residual) best.x = at.x, best.net = at.net;
  }
  best.found = within(options.tolerance);
  best.net = statics.net_force(best.x);
  best.stable = newton_step(TangentStiffness(statics, best.net), faint_stiffness, statics, best.net, nullptr);
  return best;
}

}  // namespace taut
