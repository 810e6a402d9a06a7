// The equilibrium nearest to a measured shape, and what is said about it.
#include <algorithm>
#include <cmath>

#include "taut/answers/form/methods.h"
#include "taut/base/stop.h"
#include "taut/equilibrium/machine/machine_equilibrium.h"
#include "taut/equilibrium/parts.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/modes/lowest_modes.h"
#include "taut/modes/modes.h"

namespace taut {

namespace {

// Squares without the motions of the whole that nothing holds: those are the nearest to zero.
void take_frequencies(const Eigen::VectorXd& all, Judgement& judgement) {
  std::vector<double> squares(all.data(), all.data() + all.size());
  for (int k = 0; k < judgement.rigid_motions && !squares.empty(); ++k)
    squares.erase(
        std::min_element(squares.begin(), squares.end(), [](double x, double y) { return std::abs(x) < std::abs(y); }));
  // Squares that rounding has made are zeros.
  double most = 0.0;
  for (double square : squares) most = std::max(most, std::abs(square));
  for (double square : squares)
    judgement.frequencies.push_back(std::abs(square) <= 1e-12 * std::max(1.0, most) ? 0.0 : frequency(square));
}

Judgement judge_machine(const Model& model) {
  Judgement judgement;
  MachineForces forces(model);
  forces.net_force(forces.start());
  judgement.rigid_motions = static_cast<int>(forces.free_motions().whole.cols());
  MachineEquilibrium here;
  judge_stability(forces, here);
  judgement.stable = here.stable;
  judgement.free = here.free;
  take_frequencies(find_modes(model, {6 + judgement.rigid_motions, "multibody"}).square, judgement);
  return judgement;
}

Judgement judge(const Model& model) {
  if (has_joints(model)) return judge_machine(model);
  Judgement judgement;
  judgement.rigid_motions = find_parts(model).total_rigid_motions();
  const Modes modes = lowest_modes(model, 6 + judgement.rigid_motions);
  take_frequencies(modes.square, judgement);
  judgement.buckling = find_buckling(model);
  StaticForces statics(model);
  judgement.free = free_motion(statics, statics.start());
  judgement.stable = judgement.buckling.stable && judgement.free.empty();
  return judgement;
}

}  // namespace

PrestressAnswer form_by_prestress(const Model& model, const FormSettings& settings) {
  PrestressOptions how;
  how.reach = settings.reach;
  how.least_tension = settings.least_tension;
  how.progress = settings.relaxing;
  how.stop = stop_flag();
  PrestressAnswer answer{find_prestress(model, how), {}};
  if (answer.converged) answer.judgement = judge(answer.model);
  return answer;
}

}  // namespace taut
