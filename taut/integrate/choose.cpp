#include "taut/integrate/choose.h"

#include <fmt/format.h>

#include <cmath>

namespace taut {

namespace {

// Largest eigenvalue of the map direction -> -(v̇(y + ε direction) - v̇(y)) / ε, by power iteration.
double largest_rate(const Dynamics& dynamics, const State& state, Terms& terms, bool along_velocity) {
  const int nv = state.nv, offset = along_velocity ? state.nq : 0;
  Eigen::VectorXd base = Eigen::VectorXd::Zero(dynamics.size()), moved = base, y = state.y;
  dynamics.rhs(0.0, state.y.data(), base.data(), terms);
  // A start direction with parts along every mode.
  Eigen::VectorXd direction(nv);
  for (int i = 0; i < nv; ++i) direction[i] = std::sin(1.0 + 7.3 * i);
  const double epsilon = along_velocity ? 1e-6 : 1e-7;
  double rate = 0.0;
  for (int pass = 0; pass < 40; ++pass) {
    const double norm = direction.norm();
    if (!(norm > 0.0)) return 0.0;
    direction /= norm;
    y = state.y;
    if (along_velocity) y.segment(offset, nv) += epsilon * direction;
    else {
      dynamics.formulation().coordinate_rates(state.q(), direction.data(), moved.data());
      y.head(state.nq) += epsilon * moved.head(state.nq);
    }
    dynamics.rhs(0.0, y.data(), moved.data(), terms);
    direction = (base - moved).segment(state.nq, nv) / epsilon;
    const double next = direction.norm();
    if (std::abs(next - rate) < 1e-3 * next) return next;
    rate = next;
  }
  return rate;
}

}  // namespace

Stiffness estimate_stiffness(const Dynamics& dynamics) {
  const State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  return {std::sqrt(largest_rate(dynamics, state, terms, false)), largest_rate(dynamics, state, terms, true)};
}

Choice choose_integrator(const Dynamics& dynamics) {
  const Stiffness s = estimate_stiffness(dynamics);
  // An explicit method must resolve 1/damping although nothing moves that fast; the oscillation it has to follow anyway.
  if (s.damping > 10.0 * s.oscillation && s.damping > 1e3)
    return {"cvode", fmt::format("stiff: fastest damping {:.2g} 1/s, fastest oscillation {:.2g} rad/s", s.damping, s.oscillation)};
  return {"dopri5", fmt::format("not stiff: fastest damping {:.2g} 1/s, fastest oscillation {:.2g} rad/s", s.damping, s.oscillation)};
}

}  // namespace taut
