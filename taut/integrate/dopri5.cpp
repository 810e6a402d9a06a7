// Dormand-Prince 5(4): adaptive steps, continuous output, slack switches located and stepped onto.
//
// Over a step the taut/slack flags of the cables are held, so the right-hand side is smooth. A cable whose switch
// value (Cables::switch_value) has the wrong sign at the end of a step, or dips through zero inside it, is located on
// the continuous extension (switch_search.h); the step is then repeated so that it ends there, and the flags of all
// that switch there are flipped. The step also ends where the cable of a pulley switches, or what a watch looks at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/forces/cable_yield.h"
#include "taut/integrate/methods.h"
#include "taut/integrate/settle_output.h"
#include "taut/integrate/stall.h"
#include "taut/integrate/switch_search.h"
#include "taut/integrate/tableaux.h"

namespace taut {

namespace {

class Dopri5 final : public Integrator {
 public:
  Dopri5(const Dynamics& dynamics, const IntegratorOptions& options)
      : Integrator(dynamics),
        tolerance_(options.tolerance),
        row_(dynamics.start()),
        guard_(dynamics, options.tolerance) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(dynamics.size());
    for (Eigen::VectorXd& k : k_) k = zero;
    end_ = stage_ = error_ = zero;
    has_switches_ = false;
    for (int s = 0; s < dynamics.cables().slots(); ++s) has_switches_ |= dynamics.cables().has_switch(s);
    terms_.cables.want_rates = has_switches_;
    const std::size_t slots = dynamics.cables().slots();
    holds_flags_ = has_switches_;
    make_room(dynamics.model().pulleys.size());
    slope_.assign(slots, 0.0);
    flips_here_.assign(slots, 0);
    row_.memory.taut.reserve(slots);
  }

  std::string_view name() const override { return "dopri5"; }

  void restart(const State& state) override {
    if (const std::size_t others = pulleys() + (watch != nullptr ? watch->functions() : 0); others != sides_.size())
      make_room(others);
    dynamics_.recall(state, terms_);
    // Flags by sign first, then held.
    terms_.cables.mode = SlackMode::by_sign;
    rhs(state.t, state.y.data(), k_[0].data());
    if (holds_flags_) {
      dynamics_.cables().classify(terms_.cables);
      // A step in a rest length switches cables at this very time.
      const std::vector<double>& before = state.memory.taut;
      for (std::size_t s = 0; s < before.size(); ++s)
        if (before[s] != terms_.cables.taut[s]) note_switch(state.t, static_cast<int>(s), terms_.cables.taut[s] != 0.0);
      terms_.cables.mode = SlackMode::held;
    }
    begin_pulleys(state);
    begin_bars(state);
    remember_values(state);
    previous_error_ = 1e-4;
    h_ = state.memory.next_step != 0.0 ? state.memory.next_step : first_step(state);
  }

  void advance(State& state, double t_end, Outputs& outputs) override {
    while (state.t < t_end && !outputs.stopped()) step(state, t_end, outputs);
    remember(state);
  }

  void forget(double t) override { guard_.begin(t); }

 private:
  double scaled_norm(const Eigen::VectorXd& v, const Eigen::VectorXd& y0, const Eigen::VectorXd& y1) const {
    double norm = 0.0;
    for (int i = 0; i < v.size(); ++i) {
      const double scale = tolerance_ * error_scale(i, std::max(std::abs(y0[i]), std::abs(y1[i])));
      norm = std::max(norm, std::abs(v[i]) / scale);
      if (std::isnan(v[i])) return v[i];
    }
    return norm;
  }

  void remember(State& state) const {
    state.memory.taut.assign(terms_.cables.taut.begin(), terms_.cables.taut.end());
    state.memory.next_step = h_;
    remember_control(state);
  }

  // Hairer's guess from the sizes of y, ẏ and the change of ẏ over a small Euler step.
  double first_step(const State& state) {
    const double d0 = scaled_norm(state.y, state.y, state.y), d1 = scaled_norm(k_[0], state.y, state.y);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    // Near rest the guess grows without bound; what the model does beyond this segment is none of its business.
    h0 = std::min({h0, 1e-2, 0.5 * (terms_.segment_end - state.t)});
    stage_ = state.y + h0 * k_[0];
    rhs(state.t + h0, stage_.data(), k_[1].data());
    error_ = (k_[1] - k_[0]) / h0;
    const double d2 = scaled_norm(error_, state.y, state.y), d = std::max(d1, d2);
    const double h1 = d <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / d, 0.2);
    return std::min(100.0 * h0, h1);
  }

  // Stages 2 to 7 and the fifth-order result in end_; k_[6] is ẏ there.
  void stages(const State& state, double h, double after) {
    const auto& tableau = dopri5_tableau;
    for (int i = 1; i < 7; ++i) {
      stage_ = state.y;
      for (int j = 0; j < i; ++j)
        if (tableau.a[i][j] != 0.0) stage_ += (h * tableau.a[i][j]) * k_[j];
      rhs(tableau.c[i] == 1.0 ? after : state.t + tableau.c[i] * h, stage_.data(), k_[i].data());
    }
    end_ = stage_;
  }

  // A step that is being tried.
  struct Trial {
    double h, after;  // its length and the time at its end
    double target;    // where the steps are to land
    bool reaches;     // it ends there
    double error = 0.0;
    bool switched = false;  // it ends on a switch, of search_.group
  };

  // Lands on the end of the segment, and on rows where they are sparse beside the steps.
  Trial plan(const State& state, double t_end, const Outputs& outputs) {
    if (dynamics_.contact().any()) h_ = std::min(h_, dynamics_.contact().longest_step(terms_.xd.data()));
    // What an actuator does to a member that yields is not in the state, and so not in the error of a step.
    if (dynamics_.cables().yields() && dynamics_.driven()) h_ = std::min(h_, outputs.step());
    double h = h_;
    const bool land = outputs.step() >= 4.0 * h_;
    const double target = land ? std::min(t_end, outputs.next() > state.t ? outputs.next() : t_end) : t_end;
    bool reaches = false;
    if (state.t + 1.01 * h >= target) {
      h = target - state.t;
      reaches = true;
    } else if (state.t + 2.0 * h > target) {
      h = 0.5 * (target - state.t);
    }
    const double after = reaches ? target : state.t + h;
    if (!(after > state.t))
      throw RunError(
          state.t,
          fmt::format(
              "dopri5: the step became too small at t = {:.9g} s; the forces are too stiff or not smooth there{}",
              state.t, guard_.likely_cause(terms_.cables)));
    return {h, after, target, reaches};
  }

  // Another try, with the step h_.
  bool reject(double h) {
    ++log.counts.rejected;
    h_ = h;
    return false;
  }

  // A stage may lie past a time at which the model ends (a rest length driven to zero): come closer to it.
  bool try_stages(const State& state, const Trial& trial) {
    try {
      stages(state, trial.h, trial.after);
    } catch (const RunError&) {
      if (trial.h < 1e-9) throw;
      return reject(0.1 * trial.h);
    }
    return true;
  }

  // Whether the error of the embedded method is within the tolerance.
  bool is_accurate(const State& state, Trial& trial) {
    error_.setZero();
    for (int i = 0; i < 7; ++i)
      if (dopri5_error[i] != 0.0) error_ += (trial.h * dopri5_error[i]) * k_[i];
    const double norm = trial.error = scaled_norm(error_, state.y, end_);
    if (norm <= 1.0) return true;
    reject(std::isfinite(norm) ? trial.h * std::max(0.2, 0.9 * std::pow(norm, -0.2)) : 0.1 * trial.h);
    if (h_ < 1e-14 * std::max(1.0, std::abs(state.t))) {
      require_finite(dynamics_, state);
      throw RunError(state.t, fmt::format("dopri5: the step became too small at t = {:.9g} s; the motion diverges or "
                                          "the forces are not smooth there{}",
                                          state.t, guard_.likely_cause(terms_.cables)));
    }
    return false;
  }

  // A member that stops yielding inside, and yields on in the stages: come closer to where it turns.
  bool meets_turn(const Trial& trial) {
    if (!dynamics_.cables().yields()) return true;
    const double off = yield_error(dynamics_.cables(), trial.after, terms_.cables), most = std::sqrt(0.01 * tolerance_);
    if (!(off > most && trial.h > 1e-9)) return true;
    return reject(trial.h * std::clamp(0.9 * std::sqrt(most / off), 0.1, 0.7));
  }

  // Rows inside the step; false if the outputs stop there, where the state then is.
  bool emit_rows(State& state, const Trial& trial, double t_end, Outputs& outputs) {
    while (outputs.next() < trial.after && outputs.next() < t_end) {
      interpolate(state, trial.h, (outputs.next() - state.t) / trial.h, row_.y);
      row_.t = outputs.next();
      row_.memory = state.memory;
      remember(row_);
      dynamics_.project(row_, terms_);
      settle_output(dynamics_, row_, terms_);
      outputs.emit(row_);
      if (outputs.stopped()) {
        state = row_;
        return false;
      }
    }
    return true;
  }

  void step(State& state, double t_end, Outputs& outputs) {
    Trial trial = plan(state, t_end, outputs);
    if (!try_stages(state, trial) || !is_accurate(state, trial) || !meets_turn(trial)) return;
    end_on_switch(state, trial);
    if (watch != nullptr && trial.h > 0.0) tell(state, trial);
    if (!emit_rows(state, trial, t_end, outputs)) return;
    std::swap(state.y, end_);
    state.t = trial.after;
    const double moved = dynamics_.stabilise(state, terms_);
    watch_pulleys(state);
    watch_bars(state);
    ++log.counts.steps;
    if (trial.switched) flip(state, trial.h > 0.0);
    // The last stage is the next first one, unless the state or the forces were changed.
    if (trial.switched || moved > tolerance_)
      rhs(state.t, state.y.data(), k_[0].data());
    else
      std::swap(k_[0], k_[6]);
    remember_values(state);
    if (outputs.next() == state.t && state.t < t_end) {
      remember(state);
      outputs.emit(state);
    }
    guard_.step(state.t, outputs.duration(), terms_.cables);
    // Step control with memory (PI).
    const double factor = 0.9 * std::pow(std::max(trial.error, 1e-10), -0.17) * std::pow(previous_error_, 0.04);
    previous_error_ = std::max(trial.error, 1e-4);
    const double grown = std::min(5.0, std::max(0.2, factor)) * trial.h;
    h_ = trial.reaches || trial.switched ? std::max(h_, grown) : grown;
  }

  // y at a fraction θ of the step, from the stages.
  void interpolate(const State& state, double h, double theta, Eigen::VectorXd& y) {
    const double rest = 1.0 - theta;
    // r1 + θ(r2 + θ'(r3 + θ(r4 + θ' r5))) with r2 = Δ, r3 = h k1 - Δ, r4 = Δ - h k7 - r3.
    error_ = dopri5_dense[0] * k_[0];
    for (int i = 2; i < 7; ++i) error_ += dopri5_dense[i] * k_[i];
    y = state.y + theta * ((end_ - state.y) +
                           rest * ((h * k_[0] - (end_ - state.y)) +
                                   theta * ((2.0 * (end_ - state.y) - h * k_[6] - h * k_[0]) + (rest * h) * error_)));
  }

  // The same as powers of θ, for the watch: y = y0 + θ r2 + θθ' r3 + θ²θ' r4 + θ²θ'² r5.
  void tell(const State& state, const Trial& trial) {
    const double h = trial.h;
    path_.from = path_.origin = state.t;
    path_.to = trial.after;
    path_.scale = h;
    path_.degree = 4;
    const Eigen::VectorXd change = end_ - state.y, r3 = h * k_[0] - change, r4 = change - h * k_[6] - r3;
    error_ = dopri5_dense[0] * k_[0];
    for (int i = 2; i < 7; ++i) error_ += dopri5_dense[i] * k_[i];
    path_.c[0] = state.y;
    path_.c[1] = change + r3;
    path_.c[2] = r4 - r3 + h * error_;
    path_.c[3] = -r4 - 2.0 * h * error_;
    path_.c[4] = h * error_;
    watch->step(path_, terms_.cables);
  }

  std::size_t pulleys() const { return dynamics_.model().pulleys.size(); }

  // For the switches of cables, and others of which only the sign counts: of pulleys, and what the watch looks at.
  void make_room(std::size_t others) {
    has_switches_ = holds_flags_ || others > 0;
    sides_.assign(others, 1.0);
    search_.resize(dynamics_.cables().slots() + others);
  }

  // g of all switches (switch_search.h): of cables and watch from the last forces, of the pulleys at (q, v).
  void sided_values(const double* q, const double* v, double* g) {
    const Cables& cables = dynamics_.cables();
    const int slots = cables.slots();
    cables.switch_values(terms_.cables, g);
    for (int s = 0; s < slots; ++s)
      if (terms_.cables.taut[s] == 0.0 && cables.has_switch(s)) g[s] = -g[s];
    if (!sides_.empty()) sided_other_values(q, v, g + slots);
  }

  void sided_other_values(const double* q, const double* v, double* g) {
    pulley_values(q, v, g);
    if (sides_.size() > pulleys()) watch->values(terms_, g + pulleys());
    for (std::size_t i = 0; i < sides_.size(); ++i) g[i] *= sides_[i];
  }

  // Everything about the switches at the beginning of a step, with the forces there.
  void remember_values(const State& state) {
    if (!has_switches_) return;
    const int slots = dynamics_.cables().slots();
    std::fill(sides_.begin(), sides_.end(), 1.0);
    sided_values(state.q(), state.v(), search_.at_begin.data());
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      double& value = search_.at_begin[slots + i];
      sides_[i] = value > 0.0 ? 1.0 : -1.0;
      value = std::abs(value);
    }
    const double *const stiffness = terms_.cables.stiffness.data(), *const rate = terms_.cables.rate.data();
    for (int s = 0; s < slots; ++s) slope_[s] = stiffness[s] * rate[s];
  }

  double other_noise(int i) const { return i < static_cast<int>(pulleys()) ? pulley_noise(i) : 0.0; }

  // Which switches may lie inside the step; the cable terms hold its end.
  void find_suspects(double h) {
    const Cables& cables = dynamics_.cables();
    const CableTerms& terms = terms_.cables;
    const int slots = cables.slots();
    double* const at_end = search_.at_end.data();
    cables.switch_values(terms, at_end);
    if (!sides_.empty()) sided_other_values(end_.data(), end_.data() + row_.nq, at_end + slots);
    search_.suspects.clear();
    for (int s = 0; s < slots; ++s) {
      if (!cables.has_switch(s)) continue;
      const double sign = terms.taut[s] != 0.0 ? 1.0 : -1.0, a = search_.at_begin[s], b = at_end[s] *= sign;
      // Closer to zero than the rounding of its length, a cable is left as it is.
      const double noise = search_.noise[s] = length_rounding * terms.stiffness[s] * terms.length[s];
      if (b < -noise) {
        search_.suspects.push_back({s, h});
        continue;
      }
      // A dip: the cubic through both values and slopes (elastic part) has its minimum inside, near or below zero.
      const double da = sign * h * slope_[s], db = sign * h * terms.stiffness[s] * terms.rate[s];
      if (da < 0.0 && db > 0.0) {
        const double theta = da / (da - db);
        const double low =
            a + theta * (da + theta * ((3.0 * (b - a) - 2.0 * da - db) + theta * (da + db - 2.0 * (b - a))));
        if (low < 0.1 * std::min(a, b) && std::min(a, b) > noise) search_.suspects.push_back({s, theta * h});
      }
    }
    // The forces of a pulley's cable follow the sign by themselves: the step ends where it has changed.
    for (int i = 0; i < static_cast<int>(sides_.size()); ++i)
      if (search_.at_begin[slots + i] > 0.0 && search_.at_end[slots + i] < -other_noise(i))
        search_.suspects.push_back({slots + i, h});
    // Far from the origin positions are rounded more coarsely than lengths.
    if (search_.suspects.empty()) return;
    double far = 0.0;
    for (double x : terms_.x) far = std::max(far, std::abs(x));
    for (int s = 0; s < slots; ++s) {
      search_.noise[s] = std::max(search_.noise[s], 8.0 * epsilon * far * terms.stiffness[s]);
      search_.together[s] = 3.0 * tolerance_ * (1.0 + terms.length[s]) * terms.stiffness[s];
    }
    std::erase_if(search_.suspects, [&](const SwitchSearch::Suspect& suspect) {
      return suspect.x == h && search_.at_end[suspect.function] >= -search_.noise[suspect.function];
    });
  }

  // A switch inside: repeats the step so that it ends there, with search_.group as what switches. Leaves the stages, end_
  // and the forces of the step that is taken.
  void end_on_switch(const State& state, Trial& trial) {
    if (!has_switches_) return;
    search_.group.clear();
    find_suspects(trial.h);
    if (search_.suspects.empty()) return;
    const double h = trial.h;
    const auto on_output = [&](double x, double* g) {
      interpolate(state, h, x / h, stage_);
      dynamics_.forces(state.t + x, stage_.data(), stage_.data() + row_.nq, terms_);
      ++log.counts.rhs;
      sided_values(stage_.data(), stage_.data() + row_.nq, g);
    };
    const auto on_steps = [&](double x, double* g) {
      stages(state, x, state.t + x);
      sided_values(end_.data(), end_.data() + row_.nq, g);
    };
    double x = search_.first(state.t, h, on_output);
    // No suspect has held: the forces go back to the end of the step.
    if (search_.group.empty()) return rhs(trial.after, end_.data(), k_[6].data());
    // On the wrong side from the beginning: a step of no length.
    if (x == 0.0) stages(state, 0.0, state.t);
    if (x > 0.0 && !search_.refine(x, on_steps)) return stages(state, h, trial.after);
    trial.switched = true;
    trial.h = x;
    trial.after = state.t + x;
    trial.reaches = trial.reaches && trial.after == trial.target;
  }

  // Cables of the group change sides.
  void flip(const State& state, bool moved) {
    if (moved) std::fill(flips_here_.begin(), flips_here_.end(), 0);
    for (int slot : search_.group) {
      if (slot >= dynamics_.cables().slots()) continue;
      if (++flips_here_[slot] > 2)
        throw RunError(state.t,
                       fmt::format("dopri5: cable \"{}\" switches back and forth at t = {:.9g} s",
                                   dynamics_.model().cables[dynamics_.cables().cable_of_slot(slot)].name, state.t));
      double& flag = terms_.cables.taut[slot];
      flag = flag != 0.0 ? 0.0 : 1.0;
      note_switch(state.t, slot, flag != 0.0);
      guard_.switched(slot);
    }
  }

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double length_rounding = 1e-13;  // of a length, relative: what sums of some hundred roundings leave

  double tolerance_, h_ = 0.0, previous_error_ = 1e-4;
  State row_;
  StallGuard guard_;
  bool has_switches_, holds_flags_;
  std::array<Eigen::VectorXd, 7> k_;
  Eigen::VectorXd end_, stage_, error_;
  SwitchSearch search_;          // of the slots of the cables, of the pulleys, of the watch
  std::vector<double> slope_;    // per slot, N/s, of the elastic part at the beginning of a step
  std::vector<double> sides_;    // of pulleys 1: taut, -1: slack; of what the watch looks at its sign
  std::vector<int> flips_here_;  // per slot, at this very time
};

}  // namespace

std::unique_ptr<Integrator> make_dopri5(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<Dopri5>(dynamics, options);
}

}  // namespace taut
