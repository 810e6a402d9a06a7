#include "taut/integrate/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/model/shape/ground_points.h"

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
    if (along_velocity)
      y.segment(offset, nv) += epsilon * direction;
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

Stiffness at_state(const Dynamics& dynamics, const State& state) {
  Terms terms = dynamics.make_terms();
  return {std::sqrt(largest_rate(dynamics, state, terms, false)), largest_rate(dynamics, state, terms, true)};
}

Stiffness at_start(const Dynamics& dynamics) { return at_state(dynamics, dynamics.start()); }

// As at the start, with cables that are slack there pulling: they will, one day.
Stiffness all_taut(const Dynamics& dynamics) {
  Terms terms = dynamics.make_terms();
  terms.cables.mode = SlackMode::held;
  std::fill(terms.cables.taut.begin(), terms.cables.taut.end(), 1.0);
  const State state = dynamics.start();
  return {std::sqrt(largest_rate(dynamics, state, terms, false)), largest_rate(dynamics, state, terms, true)};
}

bool any_slack(const Dynamics& dynamics) {
  Terms terms = dynamics.make_terms();
  const State state = dynamics.start();
  dynamics.forces(0.0, state.q(), state.v(), terms);
  return terms.cables.slack > 0;
}

// As at the start, but nothing moves: sliding friction is stiffest there.
Stiffness at_rest(const Dynamics& dynamics) {
  State state = dynamics.start();
  std::fill_n(state.v(), state.nv, 0.0);
  return at_state(dynamics, state);
}

// The model at rest with the ground raised until its deepest point carries the whole weight.
Model touching(const Dynamics& dynamics) {
  Model model = dynamics.model();
  Ground& ground = *model.ground;
  const GroundSurface surface(ground);
  double clearance = std::numeric_limits<double>::infinity();
  for (Node& node : model.nodes) {
    node.velocity.setZero();
    if (can_touch(node))
      clearance =
          std::min(clearance, node.position.z() - ground.radius - surface.height(node.position.x(), node.position.y()));
  }
  each_ground_point(model, surface, [&](EntityKind, int, const Vec3& at, double reach) {
    clearance = std::min(clearance, at.z() - reach - ground.radius - surface.height(at.x(), at.y()));
  });
  const double load = std::max(1e-3, dynamics.total_mass()) * std::max(1.0, model.gravity.norm());
  const double sinking = load / ground.stiffness;
  if (std::isfinite(clearance))
    ground.height +=
        clearance + (ground.law == PressKind::hunt_crossley ? std::pow(sinking, 1.0 / ground.exponent) : sinking);
  return model;
}

// Two bars of the smallest mass that meet with their ends: each yields like a mass of m/4.
Stiffness of_collisions(const Model& model) {
  double lightest = std::numeric_limits<double>::infinity();
  for (const Bar& bar : model.bars)
    if (bar.mass > 0.0) lightest = std::min(lightest, bar.mass);
  // At rest friction is a damper of 2 μ N/v_s; one contact carries the whole weight.
  const Collision& law = *model.collision;
  const double load = std::max(1e-3, total_mass(model)) * std::max(1.0, model.gravity.norm());
  return {std::sqrt(8.0 * law.stiffness / lightest),
          8.0 * (law.damping + 2.0 * law.friction * load / law.slip_speed) / lightest};
}

}  // namespace

Stiffness estimate_stiffness(const Dynamics& dynamics) {
  Stiffness s = at_start(dynamics);
  const auto include = [&](const Stiffness& other) {
    s.oscillation = std::max(s.oscillation, other.oscillation);
    s.damping = std::max(s.damping, other.damping);
  };
  if (dynamics.contact().ground().any()) {
    const Model model = touching(dynamics);
    include(at_start(Dynamics(model, dynamics.formulation().facts().name, dynamics.constraint_method())));
  }
  if (dynamics.contact().collision().any()) include(of_collisions(dynamics.model()));
  if (any_slack(dynamics)) include(all_taut(dynamics));
  const auto& joints = dynamics.model().joints;
  const bool rubs = std::any_of(joints.begin(), joints.end(), [](const JointSpec& joint) {
    return std::any_of(joint.friction.begin(), joint.friction.end(), [](double f) { return f > 0.0; });
  });
  if (dynamics.cables().slides() || rubs) include(at_rest(dynamics));
  return s;
}

Choice choose_integrator(const Dynamics& dynamics) {
  if (dynamics.contact().rigid().any()) return {"symplectic", "hard contact, which acts by impulses in its steps"};
  const Stiffness s = estimate_stiffness(dynamics);
  // An explicit method must resolve 1/damping although nothing moves that fast; the oscillation it has to follow
  // anyway.
  if (s.damping > 10.0 * s.oscillation && s.damping > 1e3)
    return {"cvode", fmt::format("stiff: fastest damping {:.2g} 1/s, fastest oscillation {:.2g} rad/s", s.damping,
                                 s.oscillation)};
  return {"dopri5", fmt::format("not stiff: fastest damping {:.2g} 1/s, fastest oscillation {:.2g} rad/s", s.damping,
                                s.oscillation)};
}

double stable_step(const Stiffness& s, std::string_view integrator) {
  // λ² + damping λ + oscillation² = 0: overdamped to -damping, else |λ| = oscillation.
  const double fastest = std::max(s.damping, s.oscillation);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!(fastest > 0.0)) return infinity;
  // The region of rk4 holds the half disc of this radius.
  if (integrator == "rk4") return 2.6 / fastest;
  if (integrator == "symplectic") return std::min(2.0 / s.oscillation, 1.0 / s.damping);
  // Damping that differences cannot tell from none would ask for a million steps per radian.
  if (integrator == "euler")
    return s.damping > 1e-6 * s.oscillation ? std::min(2.0 / s.damping, s.damping / (s.oscillation * s.oscillation))
                                            : 0.0;
  return infinity;
}

std::string step_advice(const Dynamics& dynamics, std::string_view integrator, double step) {
  const double stable = stable_step(estimate_stiffness(dynamics), integrator);
  if (!std::isfinite(stable)) return "; a smaller tolerance may help";
  if (!(stable > 0.0))
    return fmt::format("; {} grows at any step without damping: take an adaptive integrator (auto)", integrator);
  if (stable >= step) return fmt::format("; a step far below {:g} s may help, or an adaptive integrator (auto)", step);
  return fmt::format(
      "; {} is stable here with a step of {:.2g} s or less, not {:g} s, or take an adaptive integrator "
      "(auto)",
      integrator, stable, step);
}

std::string friction_step_warning(const Dynamics& dynamics, std::string_view integrator, double step) {
  // How far along the negative real axis each method is stable.
  const double reach = integrator == "euler"        ? 2.0
                       : integrator == "rk4"        ? 2.78
                       : integrator == "symplectic" ? 1.0
                                                    : 0.0;
  const bool slides = dynamics.cables().slides();
  if (reach == 0.0 || (!dynamics.contact().damped() && !slides)) return {};
  const double rate = estimate_stiffness(dynamics).damping;
  if (step * rate <= reach) return {};
  return fmt::format(
      "damping and friction of {} are as fast as {:.2g} 1/s at rest: the step of {:g} s is too long for {}; take "
      "{:.1g} s or less, a larger {}.slip_speed, or cvode",
      slides ? "cables and contact" : "contact", rate, step, integrator, reach / rate,
      slides                              ? "friction"
      : dynamics.contact().ground().any() ? "ground"
                                          : "collision");
}

}  // namespace taut
