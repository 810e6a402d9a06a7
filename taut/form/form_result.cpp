#include "taut/form/form_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/find_equilibrium.h"
#include "taut/equilibrium/machine/machine_forces.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/model/laws/bar_law.h"
#include "taut/model/shape/move_nodes.h"

namespace taut {

namespace {

double cable_mean(const Model& model, const Eigen::VectorXd& forces) {
  return model.cables.empty() ? 0.0 : forces.head(static_cast<long>(model.cables.size())).mean();
}

// Cables that would have to push, or members without length; empty: none.
std::string impossible_members(const Model& model, const Eigen::VectorXd& x, const Eigen::VectorXd& forces) {
  std::vector<int> pushing, vanished;
  const double force = forces.cwiseAbs().mean(), length = mean_member_length(model, x);
  for (int m = 0; m < member_count(model); ++m) {
    if (must_pull(model, m) && forces[m] < -no_force * force) pushing.push_back(m);
    if (!(member_length(model, m, x) > no_length * length)) vanished.push_back(m);
  }
  if (!vanished.empty())
    return fmt::format("the shape collapses: {} shrink{} to nothing", list_names(model, vanished),
                       vanished.size() == 1 ? "s" : "");
  if (!pushing.empty())
    return fmt::format("{} would have to push: {}",
                       pushing.size() == 1 ? "a cable" : fmt::format("{} cables", pushing.size()),
                       list_names(model, pushing));
  return {};
}

void set_bar_lengths(Model& model) {
  for (Bar& bar : model.bars) {
    if (bar.elastic) continue;
    const double length = start_length(model, bar);
    if (bar.rest_length > 0.0) bar.inertia *= length * length / (bar.rest_length * bar.rest_length);
    bar.rest_length = length;
    for (BarDrive& drive : model.bar_drives)
      if (&model.bars[drive.bar] == &bar) drive.length = shifted(drive.length, length);
  }
}

// A reason where a member cannot carry its force; empty: all can.
std::string set_rest_lengths(const Eigen::VectorXd& forces, Model& model) {
  for (int m = 0; m < member_count(model); ++m) {
    if (is_cable(model, m)) {
      Cable& cable = model.cables[m];
      const double length = start_length(model, cable);
      const double tension = must_pull(model, m) ? std::max(0.0, forces[m]) : forces[m];
      const double rest = rest_length_for_tension(cable.law, length, tension);
      if (!std::isfinite(rest) || rest < 0.0 || (rest == 0.0 && cable.law.kind != LawKind::spring))
        return fmt::format("cable \"{}\" cannot carry {:.4g} N at {:.4g} m: its rest length would not be positive",
                           cable.name, tension, length);
      cable.rest_length = rest;
      for (Actuator& actuator : model.actuators)
        if (actuator.cable == m) actuator.rest_length = shifted(actuator.rest_length, rest);
      continue;
    }
    Bar& bar = model.bars[m - static_cast<int>(model.cables.size())];
    if (!bar.elastic) continue;
    if (!(forces[m] > -bar.EA))
      return fmt::format("bar \"{}\" cannot carry {:.4g} N: more than its EA of {:.4g} N", bar.name, forces[m], bar.EA);
    const double rest = rest_length_for_tension(law_of(bar), start_length(model, bar), forces[m]);
    if (!(rest > 0.0))
      return fmt::format("bar \"{}\" cannot carry {:.4g} N: it yields at {:.4g} N", bar.name, forces[m], bar.yield);
    bar.rest_length = rest;
    for (BarDrive& drive : model.bar_drives)
      if (&model.bars[drive.bar] == &bar) drive.length = shifted(drive.length, rest);
  }
  return {};
}

}  // namespace

void measure_move(const Model& from, FormResult& result) {
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    const double moved = (result.model.nodes[i].position - from.nodes[i].position).norm();
    if (moved > result.largest_move) result.largest_move = moved, result.moved_node = static_cast<int>(i);
  }
}

void take_balance(const Model& model, FormResult& result) {
  if (has_joints(model)) {
    MachineForces forces(model);
    const MachineNet net = forces.net_force(forces.start());
    result.net_force = net.largest;
    result.mean_force = net.mean;
    result.residual = net.residual;
    MachineTensions carried = forces.tensions();
    result.tensions = std::move(carried.cables);
    result.tensions.insert(result.tensions.end(), carried.pulleys.begin(), carried.pulleys.end());
    result.bar_forces = std::move(carried.bars);
    return;
  }
  const Balance balance = start_balance(model);
  result.net_force = 0.0;
  for (const Vec3& force : balance.net_force) result.net_force = std::max(result.net_force, force.norm());
  result.mean_force = balance.mean_force;
  result.residual = balance.imbalance;
  result.tensions = balance.cable_tension;
  result.bar_forces = balance.bar_force;
}

double wanted_pretension(const Model& model, double given) {
  if (given > 0.0) return given;
  const std::vector<double> present = start_balance(model).cable_tension;
  double sum = 0.0;
  for (double tension : present) sum += tension;
  if (!(sum > 0.0))
    throw InputError(
        "the cables carry nothing at the start: expected --pretension N, "
        "the mean tension of all cables");
  return sum / static_cast<double>(present.size());
}

double pretension_factor(const Model& model, const Eigen::VectorXd& forces, double pretension) {
  const double mean = cable_mean(model, forces);
  return mean > 0.0 ? pretension / mean : 1.0;
}

void finish_form(const Model& start, const Eigen::VectorXd& x, const Eigen::VectorXd& forces, bool weightless,
                 FormResult& result) {
  result.model = start;
  result.reason = impossible_members(start, x, forces);
  if (!result.reason.empty()) return;
  Model formed = start;
  move_nodes(formed, x);
  set_bar_lengths(formed);
  result.reason = set_rest_lengths(forces, formed);
  if (!result.reason.empty()) return;

  // The last rounding: Newton steps with these rest lengths.
  Model still = at_rest(formed);
  if (weightless) still.gravity.setZero();
  StaticForces statics(still);
  EquilibriumOptions options;
  options.tolerance = exactly_balanced;
  options.iterations = 20;
  const Equilibrium equilibrium = find_equilibrium(statics, x, options);
  move_nodes(formed, equilibrium.x);
  move_nodes(still, equilibrium.x);
  set_bar_lengths(formed);
  set_bar_lengths(still);
  result.free = free_motion(statics, equilibrium.x);
  result.stable = equilibrium.stable && result.free.empty();

  // The proof: the model as it will be read.
  take_balance(still, result);
  // As far as the rounding of positions lets stiff members be.
  result.converged =
      result.residual <= std::max(equilibrium_found, rounding_allowed * statics.rounding(equilibrium.net));
  // Lengths tell a thickness by its square only.
  if (dimension(equilibrium.x, flat_found) < dimension(positions(start), flat_found))
    result.notes.push_back(
        "the shape that was found lies in one plane, though the start does not: nothing but its members holds it "
        "there; "
        "other lengths or densities give one in space");
  result.model = std::move(formed);
  measure_move(start, result);
  if (!result.converged) result.reason = fmt::format("the search ended {:.2g} N out of balance", result.net_force);
}

}  // namespace taut
