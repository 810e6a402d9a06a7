// Leapfrog with bar lengths kept exactly (SHAKE, velocities by RATTLE), order 2, one force evaluation per step:
//
//   v(n+½) = v(n-½) + h M⁻¹(f(x_n, ṽ_n) + Gᵀλ),   x(n+1) = x_n + h v(n+½),   λ such that |b(n+1)| = L.
//
// Damping takes the rate of each cable from its last lengths (RateMemory), which is second order and costs nothing;
// loads, drag, damped contacts, cables that slide with friction and drives of bars see ṽ_n = 1.5 v(n-½) - 0.5 v(n-3/2).
// Without damping the map is symplectic and time-reversible: energy stays bounded, momenta are kept to rounding. At rows
// the velocity at the full step is v(n-½) plus half a kick, projected on G v = 0, from the force that the next step uses
// anyway. From a row the steps begin anew, so that its state is all they go on from: half a kick back, and where forces
// depend on velocities one evaluation more.
//
// Hard contact (forces/rigid_ground.h) corrects each leap, and kicks where it does not change what contact has brought to
// rest: with the half kick v -> v + δ(v) that contact has had its say in, a row has v + δ forward, and steps begin from
// it with v - δ.
#include <algorithm>
#include <utility>

#include "taut/base/error.h"
#include "taut/formulation/node_coordinates.h"
#include "taut/integrate/fixed_step.h"
#include "taut/integrate/methods.h"

namespace taut {

namespace {

class Symplectic final : public Integrator {
 public:
  Symplectic(const Dynamics& dynamics, const IntegratorOptions& options)
      : Integrator(dynamics),
        leapfrog_(dynamics.formulation().leapfrog()),
        step_(options.step),
        hard_(dynamics.contact().rigid().any()),
        needs_velocity_(dynamics.needs_velocities()),
        only_positions_(!needs_velocity_ && !dynamics.cables().damped() && !dynamics.cables().yields() &&
                        nodes_are_coordinates(dynamics.formulation())) {
    if (!leapfrog_)
      throw InputError(
          "simulation.integrator: symplectic cannot integrate joints, nor bars that spin or are held at an end in this "
          "formulation; expected another integrator, or formulation nodal where there are no joints");
  }

  std::string_view name() const override { return "symplectic"; }

  void restart(const State& state) override {
    evaluate_anew(state);
    begin_crossings(state);
  }

  void advance(State& state, double t_end, Outputs& outputs) override {
    advance_fixed(
        state, t_end, step_, outputs, [&](double h, double after) { step(state, h, after); },
        [&] {
          synchronise(state);
          h_ = 0.0;
          if (!only_positions_ && state.t < t_end) evaluate_anew(state);
          end_crossings(state);
        });
    end_crossings(state);
  }

 private:
  // terms_ holds x_n, v(n-½) and the forces at x_n when this begins, and the same one step later when it ends.
  void step(State& state, double h, double after) {
    if (h != h_) begin(state, h);
    if (needs_velocity_) before_ = terms_.xd;
    if (hard_) remember_nodes();
    leapfrog_->leap(h, terms_);
    if (hard_) state.dissipated() += press(h, true);
    if (needs_velocity_) {
      // Loads, drag, contacts and sliding friction see the extrapolated velocity.
      half_ = terms_.xd;
      for (std::size_t i = 0; i < half_.size(); ++i) terms_.xd[i] = 1.5 * half_[i] - 0.5 * before_[i];
      evaluate(after);
      terms_.xd.swap(half_);
    } else {
      evaluate(after);
    }
    const auto [dissipated, work] = power();
    state.dissipated() += 0.5 * h * (dissipated + last_power_.first);
    state.work() += 0.5 * h * (work + last_power_.second);
    last_power_ = {dissipated, work};
    // A tension that this makes jump is felt from the next evaluation on.
    if (dynamics_.cables().yields()) dynamics_.settle_yield(after, state, terms_);
    note_crossings(after, h);
    watch_bars(after, terms_.x.data());
    ++log.counts.steps;
  }

  // The forces of a state, as if nothing had been before.
  void evaluate_anew(const State& state) {
    h_ = 0.0;
    terms_.cables.rates = RateSource::velocities;
    dynamics_.recall(state, terms_);
    terms_.time = state.t;
    dynamics_.formulation().place_nodes(state.q(), state.v(), terms_);
    evaluate(state.t);
    last_power_ = power();
    begin_bars(state.t, terms_.x.data());
  }

  // From the synchronised velocity of the state: half a kick back.
  void begin(State& state, double h) {
    terms_.time = state.t;
    dynamics_.formulation().place_nodes(state.q(), state.v(), terms_);
    if (hard_) remember_nodes();
    leapfrog_->kick(-0.5 * h, terms_);
    if (hard_) state.dissipated() -= take_back(h);
    dynamics_.cables().begin_memory(h, terms_.cables);
    h_ = h;
  }

  // Half a kick forward gives the state; the half-step velocity stays for the next step.
  void synchronise(State& state) {
    half_ = terms_.xd;
    if (hard_) {
      mean_force(state);
      remember_nodes();
    }
    leapfrog_->kick(0.5 * h_, terms_);
    if (hard_) state.dissipated() += press(0.5 * h_, false);
    leapfrog_->take_nodes(terms_, state.q(), state.v());
    terms_.xd.swap(half_);
    require_finite(dynamics_, state, name(), step_);
  }

  void remember_nodes() {
    std::copy(terms_.x.begin(), terms_.x.end(), terms_.contact.rigid.x.begin());
    std::copy(terms_.xd.begin(), terms_.xd.end(), terms_.contact.rigid.v.begin());
  }

  // Hard contact in the leap or kick over h that has just been. Returns what it dissipated.
  double press(double h, bool moves) {
    RigidTerms& rigid = terms_.contact.rigid;
    if (pressed_) std::fill(rigid.impulse.begin(), rigid.impulse.end(), 0.0);
    rigid.dissipated = rigid.residual = 0.0;
    rigid.sweeps = 0;
    leapfrog_->press(dynamics_.contact().rigid(), h, moves, terms_);
    pressed_ = !rigid.touches.empty();
    log.contact_residual = std::max(log.contact_residual, rigid.residual);
    log.contact_sweeps = std::max(log.contact_sweeps, rigid.sweeps);
    return rigid.dissipated;
  }

  // After half a kick back from the state: where contact acts, v - δ instead. Returns what δ dissipates.
  double take_back(double h) {
    RigidTerms& rigid = terms_.contact.rigid;
    const AlignedDoubles& v = rigid.v;
    half_ = terms_.xd;
    terms_.xd = v;
    leapfrog_->kick(0.5 * h, terms_);
    free_ = terms_.xd;
    press(0.5 * h, false);
    double dissipated = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (terms_.xd[i] != free_[i]) half_[i] = 2.0 * v[i] - terms_.xd[i];
      dissipated -= 0.5 * rigid.impulse[i] * (half_[i] + v[i]);
    }
    terms_.xd.swap(half_);
    return dissipated;
  }

  // What contact has done to each node in the last step, for the row.
  void mean_force(State& state) const {
    const AlignedDoubles& impulse = terms_.contact.rigid.impulse;
    for (std::size_t k = 0; k < state.memory.pressed.size(); ++k) state.memory.pressed[k] = impulse[k + k / 3] / h_;
  }

  void evaluate(double t) {
    ++log.counts.rhs;
    dynamics_.node_forces(t, terms_);
    if (dynamics_.drives_rigid_bars()) terms_.work_power += leapfrog_->drive_power(terms_);
  }
  std::pair<double, double> power() const { return {terms_.dissipated_power, terms_.work_power}; }

  const Leapfrog* leapfrog_;
  double step_, h_ = 0.0;
  bool hard_;  // whether there is hard ground
  bool needs_velocity_;
  bool only_positions_;  // what the forces depend on
  std::pair<double, double> last_power_;
  AlignedDoubles half_, before_, free_;  // v(n+½), v(n-½), v after a kick without contact
  bool pressed_ = true;                  // whether hard ground pressed last: impulses are not all 0
};

}  // namespace

std::unique_ptr<Integrator> make_symplectic(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<Symplectic>(dynamics, options);
}

}  // namespace taut
