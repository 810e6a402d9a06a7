#include "taut/integrate/integrator.h"

#include <fmt/format.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/integrate/methods.h"

namespace taut {

const std::vector<IntegratorKind>& integrator_kinds() {
  static const std::vector<IntegratorKind> kinds = {
      {"euler", "explicit Euler, fixed step: for comparison only", make_euler},
      {"rk4", "classical Runge-Kutta of order 4, fixed step", make_rk4},
      {"dopri5", "Dormand-Prince 5(4), adaptive, slack switches located", make_dopri5},
      {"symplectic", "leapfrog with exact bar lengths, order 2, fixed step, one force evaluation", make_symplectic},
      {"cvode", "backward differentiation (SUNDIALS), adaptive, for stiff cables", make_cvode},
  };
  return kinds;
}

std::unique_ptr<Integrator> make_integrator(std::string_view name, const Dynamics& dynamics, const IntegratorOptions& options) {
  std::string names = "auto";
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (kind.name == name) return kind.make(dynamics, options);
    names += fmt::format(", {}", kind.name);
  }
  throw InputError(fmt::format("simulation.integrator: \"{}\" is not known; expected one of {}", name, names));
}

void Integrator::begin_crossings(double t) {
  const int slots = dynamics_.cables().slots();
  const bool first = switch_value_.empty();
  switch_value_.resize(slots);
  switch_before_.resize(slots);
  if (first) dynamics_.cables().switch_values(terms_.cables, switch_value_.data());
  else note_crossings(t, 0.0);
}

void Integrator::note_crossings(double t, double h) {
  switch_before_.swap(switch_value_);
  double* const now = switch_value_.data();
  const double* const before = switch_before_.data();
  const int slots = static_cast<int>(switch_value_.size());
  dynamics_.cables().switch_values(terms_.cables, now);
  int changed = 0;
  for (int s = 0; s < slots; ++s) changed += (before[s] > 0.0) != (now[s] > 0.0);
  if (changed == 0) return;
  for (int s = 0; s < slots; ++s) {
    if ((before[s] > 0.0) == (now[s] > 0.0)) continue;
    // Closer to zero than the rounding of its length, a cable keeps its side.
    const double noise = 1e-13 * terms_.cables.stiffness[s] * terms_.cables.length[s];
    if (std::abs(now[s]) <= noise) now[s] = before[s];
    else note_switch(t - h * now[s] / (now[s] - before[s]), s, now[s] > 0.0);
  }
}

void require_finite(const Dynamics& dynamics, const State& state) {
  if (state.y.allFinite()) return;
  Terms terms = dynamics.make_terms();
  dynamics.formulation().place_nodes(state.q(), state.v(), terms);
  std::string where;
  for (std::size_t i = 0; i < dynamics.model().nodes.size() && where.empty(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (!std::isfinite(terms.x[4 * i + axis]) || !std::isfinite(terms.xd[4 * i + axis])) {
        where = fmt::format(", first at node \"{}\"", dynamics.model().nodes[i].name);
        break;
      }
  throw RunError(state.t, fmt::format("the motion diverged at t = {:g} s{}; a smaller step or an adaptive integrator may help", state.t, where));
}

}  // namespace taut
