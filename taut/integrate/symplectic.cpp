// Leapfrog with bar lengths kept exactly (SHAKE, velocities by RATTLE), order 2, one force evaluation per step:
//
//   v(n+½) = v(n-½) + h M⁻¹(f(x_n, ṽ_n) + Gᵀλ),   x(n+1) = x_n + h v(n+½),   λ such that |b(n+1)| = L,
//
// where damping uses the extrapolated velocity ṽ_n = 1.5 v(n-½) - 0.5 v(n-3/2). Without damping the map is
// symplectic and time-reversible: energy stays bounded, momenta are kept to rounding. At rows the velocity at the full
// step is v(n-½) plus half a kick, projected on G v = 0, from the force that the next step uses anyway.
#include <utility>

#include "taut/base/error.h"
#include "taut/integrate/fixed_step.h"
#include "taut/integrate/methods.h"

namespace taut {

namespace {

class Symplectic final : public Integrator {
 public:
  Symplectic(const Dynamics& dynamics, const IntegratorOptions& options)
      : Integrator(dynamics), step_(options.step), needs_velocity_(dynamics.cables().damped() || !dynamics.model().loads.empty()) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(dynamics.formulation().velocities());
    half_ = older_ = ahead_ = zero;
    State probe = dynamics.start();
    if (!dynamics.formulation().kick(0.0, probe.q(), probe.v(), terms_))
      throw InputError("simulation.integrator: symplectic needs a formulation with a constant mass matrix, such as nodal");
  }

  std::string_view name() const override { return "symplectic"; }

  // Exact half kicks from the state's own velocity.
  void restart(const State& state) override {
    h_ = 0.0;
    rhs_forces(state.t, state.q(), state.v());
    begin_crossings();
    last_power_ = power();
  }

  void advance(State& state, double t_end, Outputs& outputs) override {
    advance_fixed(
        state, t_end, step_, outputs, [&](double h, double after) { step(state, h, after); }, [&] { synchronise(state); });
  }

 private:
  // The forces at state.t are in terms_ when this begins, and again when it ends.
  void step(State& state, double h, double after) {
    const Formulation& formulation = dynamics_.formulation();
    double* const q = state.q();
    if (h != h_) {
      // Half a kick from the synchronised velocity, the rest of the step like any other.
      half_ = Eigen::Map<const Eigen::VectorXd>(state.v(), state.nv);
      formulation.kick(-0.5 * h, q, half_.data(), terms_);
      h_ = h;
    }
    if (needs_velocity_) older_ = half_;
    formulation.leap(h, q, half_.data(), terms_);
    // Velocity for damping and power at the new place.
    const double* velocity = half_.data();
    if (needs_velocity_) {
      ahead_ = 1.5 * half_ - 0.5 * older_;
      velocity = ahead_.data();
    }
    rhs_forces(after, q, velocity);
    const auto [dissipated, work] = power();
    state.dissipated() += 0.5 * h * (dissipated + last_power_.first);
    state.work() += 0.5 * h * (work + last_power_.second);
    last_power_ = {dissipated, work};
    note_crossings(after, h);
    ++counts_.steps;
  }

  void synchronise(State& state) {
    Eigen::Map<Eigen::VectorXd>(state.v(), state.nv) = half_;
    dynamics_.formulation().kick(0.5 * h_, state.q(), state.v(), terms_);
    require_finite(dynamics_, state);
  }

  void rhs_forces(double t, const double* q, const double* v) {
    ++counts_.rhs;
    dynamics_.forces(t, q, v, terms_);
  }
  std::pair<double, double> power() const {
    return {terms_.cables.dissipated_power, terms_.cables.actuator_power + terms_.load_power};
  }

  double step_, h_ = 0.0;
  bool needs_velocity_;
  std::pair<double, double> last_power_;
  Eigen::VectorXd half_, older_, ahead_;  // v(n+½), v(n-½), ṽ
};

}  // namespace

std::unique_ptr<Integrator> make_symplectic(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<Symplectic>(dynamics, options);
}

}  // namespace taut
