// Explicit Runge-Kutta methods with a fixed step, from their tableaux.
#include "taut/dynamics/constraints_lost.h"
#include "taut/forces/cable_yield.h"
#include "taut/integrate/choose.h"
#include "taut/integrate/fixed_step.h"
#include "taut/integrate/methods.h"
#include "taut/integrate/tableaux.h"

namespace taut {

namespace {

template <int stages>
class RungeKutta final : public Integrator {
 public:
  RungeKutta(const Dynamics& dynamics, const IntegratorOptions& options, const Tableau<stages>& tableau)
      : Integrator(dynamics), step_(options.step), tableau_(tableau), stage_(Eigen::VectorXd::Zero(dynamics.size())) {
    for (Eigen::VectorXd& k : k_) k = stage_;
  }

  std::string_view name() const override { return tableau_.name; }

  void restart(const State& state) override {
    dynamics_.recall(state, terms_);
    dynamics_.forces(state.t, state.q(), state.v(), terms_);
    begin_yield(dynamics_.cables(), state.t, terms_.cables);
    begin_crossings(state);
    begin_pulleys(state);
    begin_bars(state);
    last_h_ = 0.0;
  }

  void advance(State& state, double t_end, Outputs& outputs) override {
    advance_fixed(
        state, t_end, step_, outputs, [&](double h, double after) { step(state, h, after); },
        [&] {
          require_finite(dynamics_, state, name(), step_);
          // Which cables the last step has switched is looked at in the next one: the row leaves it open.
          state.memory.taut.clear();
          remember_control(state);
        });
    if (state.t == t_end) {
      dynamics_.forces(state.t, state.q(), state.v(), terms_);
      note_crossings(state.t, last_h_);
      end_crossings(state);
    }
  }

 private:
  void step(State& state, double h, double after) {
    for (int i = 0; i < stages; ++i) {
      if (i == 0) {
        rhs(state.t, state.y.data(), k_[0].data());
        if (last_h_ > 0.0) note_crossings(state.t, last_h_);
        continue;
      }
      stage_ = state.y;
      for (int j = 0; j < i; ++j)
        if (tableau_.a[i][j] != 0.0) stage_ += (h * tableau_.a[i][j]) * k_[j];
      rhs(tableau_.c[i] == 1.0 ? after : state.t + tableau_.c[i] * h, stage_.data(), k_[i].data());
    }
    for (int i = 0; i < stages; ++i)
      if (tableau_.b[i] != 0.0) state.y += (h * tableau_.b[i]) * k_[i];
    state.t = after;
    try {
      dynamics_.stabilise(state, terms_);
    } catch (const ConstraintsLost& lost) {
      throw RunError(lost.time(), lost.what() + step_advice(dynamics_, name(), step_));
    }
    watch_pulleys(state);
    watch_bars(state);
    last_h_ = h;
    ++log.counts.steps;
  }

  double step_, last_h_ = 0.0;
  const Tableau<stages>& tableau_;
  Eigen::VectorXd stage_;
  std::array<Eigen::VectorXd, stages> k_;
};

}  // namespace

std::unique_ptr<Integrator> make_euler(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<RungeKutta<1>>(dynamics, options, euler_tableau);
}

std::unique_ptr<Integrator> make_rk4(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<RungeKutta<4>>(dynamics, options, rk4_tableau);
}

}  // namespace taut
