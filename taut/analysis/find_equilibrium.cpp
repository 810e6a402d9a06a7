#include "taut/analysis/find_equilibrium.h"

#include <algorithm>
#include <cmath>

#include "taut/analysis/supports.h"
#include "taut/analysis/tangent_stiffness.h"

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
  double sum = 0.0;
  int count = 0;
  const auto piece = [&](int a, int b) { sum += (x.segment<3>(3 * b) - x.segment<3>(3 * a)).norm(), ++count; };
  for (const Bar& bar : model.bars) piece(bar.a, bar.b);
  for (const Cable& cable : model.cables)
    for (std::size_t k = 0; k + 1 < cable.path.size(); ++k) piece(cable.path[k], cable.path[k + 1]);
  return count > 0 ? 0.1 * sum / count : INFINITY;
}

}  // namespace

Equilibrium find_equilibrium(StaticForces& statics, const Eigen::VectorXd& start, const EquilibriumOptions& options) {
  statics.set_level(1.0);
  const Model& model = statics.model();
  const Parts parts = find_parts(model);
  Equilibrium best;
  Eigen::VectorXd x = start, forces, forces_there;
  if (!statics.project(x)) x = start;
  NetForce net = statics.net_force(x);
  best.x = x;
  best.net = net;
  const auto within = [&](double tolerance) {
    return best.net.residual <= std::max(tolerance, 32.0 * statics.rounding(best.net));
  };
  double damping = std::clamp(1e-2 * net.residual, least_damping, 1e-2);
  int idle = 0;  // steps since the residual last fell by half, or a good step was as long as it may be
  const auto patience = [&] { return within(1e-14) ? 2 : within(options.tolerance) ? 6 : 30; };
  double reach = 1.0;  // steps may be so many times as long as at first: it grows as long ones turn out well
  for (; best.iterations < options.iterations && net.residual > 0.0 && idle < patience(); ++best.iterations) {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) break;
    statics.forces(x, forces);
    const TangentStiffness stiffness(statics, net);
    Eigen::VectorXd step, there;
    NetForce net_there;
    bool gained = false, limited = false;
    for (; !gained && damping <= most_damping; damping = gained ? damping : std::max(10.0 * damping, 1e-8)) {
      if (!newton_step(stiffness, damping, statics, net, &step)) continue;
      if (!model.ground) remove_rigid_motions(model, parts, statics.external(), x, step);
      const double largest = step.cwiseAbs().maxCoeff(), limit = reach * longest_step(model, x);
      limited = largest > limit;
      if (limited) step *= limit / largest;
      there = x + step;
      if (!statics.project(there)) continue;
      statics.forces(there, forces_there);
      const double work = 0.5 * (forces + forces_there).dot(there - x);
      net_there = statics.net_force(there);
      // Near the end the work drowns in rounding, and the net force decides.
      const bool less = net.residual < 1e-4 && net_there.residual < 0.9 * net.residual;
      gained = std::isfinite(net_there.residual) && (work > 1e-3 * net.net.dot(step) || less);
      // A step as good as promised: less damping next time.
      const bool good = gained && work > 0.25 * net.net.dot(step);
      if (good && !limited) damping = std::max(0.1 * damping, least_damping);
      reach = good && limited ? std::min(2.0 * reach, most_reach) : good ? reach : std::max(0.5 * reach, 1.0);
      limited = limited && good;
      if (gained && net_there.residual < 1e-4) damping = std::clamp(1e-4 * net_there.residual, least_damping, damping);
    }
    if (!gained) break;
    x = there;
    net = net_there;
    idle = limited || net.residual <= 0.5 * best.net.residual ? 0 : idle + 1;
    if (net.residual < best.net.residual) best.x = x, best.net = net;
  }
  best.found = within(options.tolerance);
  best.net = statics.net_force(best.x);
  best.stable = newton_step(TangentStiffness(statics, best.net), 1e-9, statics, best.net, nullptr);
  return best;
}

}  // namespace taut
