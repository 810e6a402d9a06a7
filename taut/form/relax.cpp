#include "taut/form/relax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/find_equilibrium.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/equilibrium/supports.h"
#include "taut/form/kinetic_damping.h"
#include "taut/form/relax_machine.h"
#include "taut/model/shape/move_nodes.h"

namespace taut {

namespace {

// Below this residual a start is only polished.
constexpr double nearly_balanced = 1e-3;

// After each of these residuals, or steps if they come first, Newton steps are tried.
struct Stage {
  double residual;
  long steps;
};
constexpr Stage stages[] = {{1e-2, 1'000}, {1e-3, 4'000}, {1e-5, 16'000}, {1e-7, 64'000}, {0.0, 1'000'000'000}};

std::string unsupported_text(const Model& model, const Parts& parts, const Unsupported& u) {
  const std::string what =
      parts.count > 1 ? fmt::format("the part with node \"{}\"", model.nodes[u.node].name) : "the structure";
  const bool loaded =
      std::any_of(model.loads.begin(), model.loads.end(), [](const Load& l) { return l.from <= 0.0 && l.to > 0.0; });
  if (!loaded)
    return fmt::format(
        "nothing holds {} against gravity: it falls freely and has no equilibrium; fix a node, or set "
        "environment.gravity = [0, 0, 0]",
        what);
  return fmt::format(
      "weight and loads on {} add up to ({:.4g}, {:.4g}, {:.4g}) N along axes that nothing holds: it has "
      "no equilibrium; fix a node, or balance the loads",
      what, u.force[0], u.force[1], u.force[2]);
}

class Relaxation {
 public:
  Relaxation(const Model& model, const RelaxOptions& options, bool softened = false)
      : model_(model), options_(options), softened_(softened), statics_(model), x_(statics_.start()) {}

  RelaxResult run() {
    const Parts parts = find_parts(model_);
    const Unsupported unsupported = find_unsupported(model_, parts, statics_.external());
    const bool fits = statics_.project(x_);
    if (!fits) x_ = statics_.start();
    best_ = x_;
    result_.start_residual = best_residual_ = statics_.net_force(x_).residual;
    if (unsupported.part >= 0) {
      result_.reason = unsupported_text(model_, parts, unsupported);
    } else if (!fits) {
      result_.reason = "the constraints contradict each other at the start";
    } else if (!(best_residual_ <= nearly_balanced && polish())) {
      damp();
    }
    describe();
    judge();
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }

  void keep_best(const Eigen::VectorXd& x, double residual) {
    if (residual < best_residual_) best_ = x, best_residual_ = residual;
  }

  // Newton steps from x_; true when they end in equilibrium. Where they do not, they count only if they have gained.
  bool polish() {
    const double before = statics_.net_force(x_).residual;
    EquilibriumOptions options;
    options.tolerance = options_.tolerance;
    options.stop = options_.stop;
    const Equilibrium equilibrium = find_equilibrium(statics_, x_, options);
    result_.newton_steps += equilibrium.iterations;
    result_.stable = equilibrium.stable;
    result_.converged = equilibrium.found;
    keep_best(equilibrium.x, equilibrium.net.residual);
    if (equilibrium.found) best_ = equilibrium.x;
    if (equilibrium.net.residual < before) x_ = equilibrium.x;
    return equilibrium.found;
  }

  void damp() {
    KineticDamping damping(statics_, x_);
    statics_.set_level(0.0);
    damping.restart(x_);
    damping.ramp(std::min(options_.ramp, options_.steps));
    statics_.set_level(1.0);
    for (const Stage& stage : stages) {
      const long last = std::min(damping.steps() + stage.steps, options_.steps);
      double residual = INFINITY;
      while (residual > stage.residual && !stopped() && damping.to_peak(last - damping.steps())) {
        residual = statics_.net_force(damping.position()).residual;
        keep_best(damping.position(), residual);
        if (options_.progress) options_.progress(damping.steps(), residual);
      }
      result_.steps = damping.steps();
      result_.peaks = damping.peaks();
      if (stopped()) {
        result_.reason = "interrupted";
        return;
      }
      if (damping.ran_away()) {
        result_.reason = "the nodes run away: weight and loads find nothing that stops them";
        return;
      }
      x_ = damping.position();
      if (polish() || damping.forceless() || damping.steps() >= options_.steps) break;
      damping.restart(x_);
    }
    if (!result_.converged && !stopped() && soften()) return;
    if (!result_.converged)
      result_.reason = fmt::format("no equilibrium within {} steps{}", result_.steps, drawn_together(model_, x_));
  }

  // Cables and bars so stiff that waves in them die out before anything moves: first with soft ones that the loads
  // stretch by a tenth, then by Newton steps with ever stiffer ones, from one equilibrium to the next.
  bool soften() {
    double load = 0.0, stiffest = 0.0;
    for (const Vec3& force : statics_.external()) load += force.norm();
    for (const Cable& cable : model_.cables)
      stiffest = std::max(stiffest, stiffness_at(cable.law, cable.rest_length) * cable.rest_length);
    for (const Bar& bar : model_.bars) stiffest = std::max(stiffest, bar.EA);
    double part = 10.0 * load / stiffest;
    if (softened_ || !(part > 0.0 && part < 0.1)) return false;
    const Model softest = softer(part);
    const RelaxResult soft = Relaxation(softest, options_, true).run();
    result_.newton_steps += soft.newton_steps;
    if (!soft.converged) return false;
    result_.steps += soft.steps;
    result_.peaks += soft.peaks;
    x_ = positions(soft.model);
    while (part < 1.0) {
      part = std::min(1.0, 3.0 * part);
      const Model stiffer = softer(part);
      StaticForces statics(stiffer);
      const Equilibrium next = find_equilibrium(statics, x_);
      result_.newton_steps += next.iterations;
      if (!next.found || stopped()) return false;
      x_ = next.x;
    }
    return polish();
  }

  Model softer(double part) const {
    Model soft = model_;
    for (Cable& cable : soft.cables) {
      cable.law.stiffness *= part;
      for (double& force : cable.law.force) force *= part;
    }
    for (Bar& bar : soft.bars) bar.EA *= part;
    return soft;
  }

  void describe() {
    const NetForce net = statics_.net_force(best_);
    result_.residual = net.residual;
    result_.mean_force = net.mean;
    result_.worst_node = net.worst_node;
    result_.net_force = net.largest;
    result_.model = model_;
    move_nodes(result_.model, best_);
    // A structure that is just slack: its forces are rounding, and become 0.
    const bool forceless =
        only_rounding(statics_.cables(), statics_.cable_terms(), best_.cwiseAbs().maxCoeff(), net.mean, net.largest);
    if (forceless) result_.residual = result_.mean_force = result_.net_force = 0.0, result_.worst_node = -1;
    for (std::size_t i = 0; i < model_.cables.size(); ++i) {
      const LawKind kind = model_.cables[i].law.kind;
      const int slot = statics_.cables().slot_of_cable(static_cast<int>(i));
      const bool one_sided = kind == LawKind::linear || kind == LawKind::table;
      if (one_sided && (forceless || !(statics_.cable_terms().tension[slot] > 0.0)))
        result_.slack.push_back(static_cast<int>(i));
    }
    // A structure without any force has no shape of its own.
    if (!result_.converged || !forceless) return;
    result_.reason = shrunk_members(model_, positions(model_), best_);
    if (result_.reason.empty() && !result_.slack.empty())
      result_.reason = "it collapses: every cable is slack and nothing carries any force; shorten the rest lengths";
    result_.converged = result_.reason.empty();
  }

  void judge() {
    if (!result_.converged) return;
    result_.free = free_motion(statics_, best_);
    result_.stable = result_.stable && result_.free.empty();
  }

  const Model& model_;
  const RelaxOptions& options_;
  const bool softened_;
  StaticForces statics_;
  Eigen::VectorXd x_, best_;
  double best_residual_ = 0.0;
  RelaxResult result_;
};

}  // namespace

RelaxResult relax(const Model& model, const RelaxOptions& options) {
  if (has_joints(model)) return relax_machine(model, options);
  RelaxResult result = Relaxation(model, options).run();
  // A heavy cable over several nodes shares its mass among its pieces by their lengths, which have changed: once more,
  // with the weights of the shape that was found, until it stays.
  const bool shared = std::any_of(model.cables.begin(), model.cables.end(),
                                  [](const Cable& c) { return c.mass > 0.0 && c.path.size() > 2; });
  for (int pass = 0; shared && result.converged && pass < 50; ++pass) {
    const RelaxResult before = std::move(result);
    result = Relaxation(before.model, options).run();
    const bool stays = result.start_residual <= options.tolerance;
    result.start_residual = before.start_residual;
    result.steps += before.steps;
    result.peaks += before.peaks;
    result.newton_steps += before.newton_steps;
    if (stays) break;
  }
  measure_move(model, result);
  const Balance balance = start_balance(result.model);
  result.tensions = balance.cable_tension;
  result.bar_forces = balance.bar_force;
  return result;
}

}  // namespace taut
