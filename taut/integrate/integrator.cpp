#include "taut/integrate/integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/integrate/choose.h"
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

namespace {

// Impulses belong into the leapfrog's step; forces are all that the others know.
void require_hard_contact(const Dynamics& dynamics, std::string_view name) {
  if (!dynamics.contact().rigid().any()) return;
  if (name != "symplectic")
    throw InputError(
        fmt::format("simulation.integrator: {} takes no hard contact (environment.ground.law = \"rigid\"): expected "
                    "symplectic, or a law that gives: linear, smooth or hunt_crossley",
                    name));
  if (!dynamics.formulation().leapfrog())
    throw InputError(fmt::format(
        "environment.ground.law: rigid works by the steps of symplectic, which formulation {} does not have "
        "for this model: expected nodal, or a law that gives: linear, smooth or hunt_crossley",
        dynamics.formulation().facts().name));
}

}  // namespace

std::unique_ptr<Integrator> make_integrator(std::string_view name, const Dynamics& dynamics,
                                            const IntegratorOptions& options) {
  std::vector<std::string_view> names = {"auto"};
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (kind.name == name) {
      require_hard_contact(dynamics, name);
      return kind.make(dynamics, options);
    }
    names.push_back(kind.name);
  }
  throw InputError("simulation.integrator: " + unknown_word(name, names));
}

double Integrator::longest_member(const Model& model) {
  double longest = 0.0;
  for (const Bar& bar : model.bars) longest = std::max(longest, start_length(model, bar));
  for (const Cable& cable : model.cables) longest = std::max(longest, start_length(model, cable));
  return longest;
}

void Integrator::begin_crossings(const State& state) {
  if (!state.memory.taut.empty()) {
    taut_ = state.memory.taut;
    last_slack_ = state.memory.slack;
    note_crossings(state.t, 0.0);
    return;
  }
  taut_.assign(dynamics_.cables().slots(), 1.0);
  for (int s = 0; s < dynamics_.cables().slots(); ++s)
    if (dynamics_.cables().has_switch(s))
      taut_[s] = dynamics_.cables().switch_value(s, terms_.cables) > 0.0 ? 1.0 : 0.0;
  last_slack_ = terms_.cables.slack;
}

void Integrator::end_crossings(State& state) const {
  state.memory.taut = taut_;
  state.memory.slack = last_slack_;
}

void Integrator::note_crossings(double t, double h) {
  // All taut before and now: nothing to look for.
  const CableTerms& terms = terms_.cables;
  if (std::exchange(last_slack_, terms.slack) == 0 && terms.slack == 0) return;
  const Cables& cables = dynamics_.cables();
  for (int s = 0; s < cables.slots(); ++s) {
    if (!cables.has_switch(s)) continue;
    const double now = cables.switch_value(s, terms);
    if (!std::isfinite(now)) continue;  // the motion has diverged: that is no switch
    if ((taut_[s] != 0.0) == (now > 0.0)) continue;
    // Closer to zero than the rounding of its length, a cable keeps its side.
    if (std::abs(now) <= 1e-13 * terms.stiffness[s] * terms.length[s]) continue;
    taut_[s] = now > 0.0 ? 1.0 : 0.0;
    const double slope = terms.stiffness[s] * (cables.length_rate(s, terms, terms_.xd.data()) - terms.rest_rate[s]);
    const double since = std::isfinite(slope) && slope != 0.0 ? std::clamp(now / slope, 0.0, h) : 0.0;
    note_switch(t - since, s, now > 0.0);
  }
}

void Integrator::pulley_values(const double* q, const double* v, double* values) {
  if (found_.empty()) return;
  dynamics_.formulation().joints()->joint_cables(q, v, found_.data());
  for (const JointCable& cable : found_) *values++ = cable.switch_value;
}

void Integrator::begin_pulleys(const State& state) {
  if (!state.memory.pulley_switch.empty()) return;
  first_pulleys_.resize(found_.size());
  pulley_values(state.q(), state.v(), first_pulleys_.data());
  first_look_ = state.t;
}

void Integrator::watch_pulleys(State& state) {
  if (found_.empty()) return;
  dynamics_.formulation().joints()->joint_cables(state.q(), state.v(), found_.data());
  Memory& memory = state.memory;
  if (memory.pulley_switch.empty()) {
    memory.pulley_switch = first_pulleys_;
    memory.pulleys_seen = first_look_;
  }
  const auto note_winding = [&](int pulley, bool off) {
    const auto known = [&](const WindingEvent& event) { return event.pulley == pulley && event.off == off; };
    if (std::none_of(log.windings.begin(), log.windings.end(), known)) log.windings.push_back({state.t, pulley, off});
  };
  for (int i = 0; i < static_cast<int>(found_.size()); ++i) {
    const double before = memory.pulley_switch[i], now = found_[i].switch_value;
    if (std::isfinite(before) && std::isfinite(now) && (before > 0.0) != (now > 0.0)) {
      const double part = before / (before - now);
      note_switch(memory.pulleys_seen + std::clamp(part, 0.0, 1.0) * (state.t - memory.pulleys_seen), -1 - i,
                  now > 0.0);
    }
    if (found_[i].wound_up)
      throw RunError(state.t,
                     fmt::format("pulley \"{}\": its cable is wound up at t = {:.6g} s, no free length is left",
                                 dynamics_.model().pulleys[i].name, state.t));
    if (found_[i].overlaps) note_winding(i, false);
    if (found_[i].off_pulley) note_winding(i, true);
    memory.pulley_switch[i] = now;
  }
  memory.pulleys_seen = state.t;
}

void require_finite(const Dynamics& dynamics, const State& state, std::string_view integrator, double step) {
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
  throw RunError(state.t, fmt::format("the motion diverged at t = {:g} s{}{}", state.t, where,
                                      step_advice(dynamics, integrator, step)));
}

}  // namespace taut
