#include "taut/form/relax_machine.h"

#include <algorithm>
#include <utility>

#include "taut/equilibrium/machine/machine_equilibrium.h"
#include "taut/formulation/multibody/move_model.h"

namespace taut {

namespace {

// Whether a cable, or, numbered on from the cables, that of a pulley, only pulls and has no tension.
bool is_slack(const Model& model, std::size_t i, double tension) {
  if (tension > 0.0) return false;
  if (i >= model.cables.size()) return true;
  const LawKind kind = model.cables[i].law.kind;
  return kind == LawKind::linear || kind == LawKind::table;
}

RelaxResult find(const Model& model, const MachineSearch& search) {
  MachineForces forces(model);
  RelaxResult result;
  result.start_residual = forces.net_force(forces.start()).residual;
  const MachineEquilibrium found = find_equilibrium(forces, search);
  result.converged = found.found;
  result.reason = found.reason;
  result.stable = found.stable;
  result.free = found.free;
  result.residual = found.net.residual;
  result.net_force = found.net.largest;
  result.mean_force = found.net.mean;
  result.newton_steps = result.iterations = static_cast<int>(found.iterations);
  if (found.net.worst >= 0) result.worst_joint = velocity_title(forces.system(), found.net.worst);
  MachineTensions tensions = forces.tensions();
  result.bar_forces = std::move(tensions.bars);
  result.tensions = std::move(tensions.cables);
  result.tensions.insert(result.tensions.end(), tensions.pulleys.begin(), tensions.pulleys.end());
  for (std::size_t i = 0; i < result.tensions.size(); ++i)
    if (is_slack(model, i, result.tensions[i])) result.slack.push_back(static_cast<int>(i));
  result.model = found.found ? drawn_at(model, forces.system(), found.q.data()) : model;
  measure_move(model, result);
  return result;
}

}  // namespace

RelaxResult relax_machine(const Model& model, const RelaxOptions& options) {
  MachineSearch search;
  search.tolerance = options.tolerance;
  search.iterations = std::min(options.steps, search.iterations);
  search.stop = options.stop;
  return find(model, search);
}

FormResult newton_machine(const Model& model, double tolerance) {
  MachineSearch search;
  search.tolerance = tolerance;
  search.falls = false;
  FormResult result = find(model, search);
  if (!result.converged) result.reason += "; --method relax comes from further away";
  return result;
}

}  // namespace taut
