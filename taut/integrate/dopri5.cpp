// Dormand-Prince 5(4): adaptive steps, continuous output, slack switches located and stepped onto.
//
// Over a step the taut/slack flags of the cables are held, so the right-hand side is smooth. A cable whose switch
// value (Cables::switch_value) has the wrong sign at the end of a step, or dips through zero inside it, is located on
// the continuous extension; the step is then repeated so that it ends there, and the flag is flipped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/forces/cable_yield.h"
#include "taut/integrate/methods.h"
#include "taut/integrate/settle_row.h"
#include "taut/integrate/stall.h"
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
    value_.assign(dynamics.cables().slots(), 0.0);
    slope_ = end_value_ = value_;
    candidates_.reserve(value_.size());
  }

  std::string_view name() const override { return "dopri5"; }

  void restart(const State& state) override {
    dynamics_.recall(state, terms_);
    // Flags by sign first, then held.
    terms_.cables.mode = SlackMode::by_sign;
    rhs(state.t, state.y.data(), k_[0].data());
    if (has_switches_) {
      dynamics_.cables().classify(terms_.cables);
      // A step in a rest length switches cables at this very time.
      if (!flags_.empty())
        for (std::size_t s = 0; s < flags_.size(); ++s)
          if (flags_[s] != terms_.cables.taut[s])
            note_switch(state.t, static_cast<int>(s), terms_.cables.taut[s] != 0.0);
      terms_.cables.mode = SlackMode::held;
    }
    remember_values();
    previous_error_ = 1e-4;
    if (h_ == 0.0) h_ = first_step(state);
  }

  void advance(State& state, double t_end, Outputs& outputs) override {
    while (state.t < t_end && !outputs.stopped()) step(state, t_end, outputs);
    flags_.assign(terms_.cables.taut.begin(), terms_.cables.taut.end());
  }

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

  void step(State& state, double t_end, Outputs& outputs) {
    // Land on the end of the segment, and on rows where they are sparse beside the steps.
    if (dynamics_.contact().any()) h_ = std::min(h_, dynamics_.contact().longest_step(terms_.xd.data()));
    // What an actuator does to a member that yields is not in the state, and so not in the error of a step.
    if (dynamics_.cables().yields() && !dynamics_.model().actuators.empty()) h_ = std::min(h_, outputs.step());
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
    double after = reaches ? target : state.t + h;
    if (!(after > state.t))
      throw RunError(
          state.t,
          fmt::format(
              "dopri5: the step became too small at t = {:.9g} s; the forces are too stiff or not smooth there{}",
              state.t, guard_.likely_cause(terms_.cables)));
    // A stage may lie past a time at which the model ends (a rest length driven to zero): come closer to it.
    try {
      stages(state, h, after);
    } catch (const RunError&) {
      if (h < 1e-9) throw;
      ++counts_.rejected;
      h_ = 0.1 * h;
      return;
    }

    // Error of the embedded method.
    error_.setZero();
    for (int i = 0; i < 7; ++i)
      if (dopri5_error[i] != 0.0) error_ += (h * dopri5_error[i]) * k_[i];
    const double norm = scaled_norm(error_, state.y, end_);
    if (!(norm <= 1.0)) {
      ++counts_.rejected;
      h_ = std::isfinite(norm) ? h * std::max(0.2, 0.9 * std::pow(norm, -0.2)) : 0.1 * h;
      if (h_ < 1e-14 * std::max(1.0, std::abs(state.t))) {
        require_finite(dynamics_, state);
        throw RunError(state.t, fmt::format("dopri5: the step became too small at t = {:.9g} s; the motion diverges or "
                                            "the forces are not smooth there{}",
                                            state.t, guard_.likely_cause(terms_.cables)));
      }
      return;
    }

    // A member that stops yielding inside, and yields on in the stages: come closer to where it turns.
    if (dynamics_.cables().yields()) {
      const double off = yield_error(dynamics_.cables(), after, terms_.cables), most = std::sqrt(0.01 * tolerance_);
      if (off > most && h > 1e-9) {
        ++counts_.rejected;
        h_ = h * std::clamp(0.9 * std::sqrt(most / off), 0.1, 0.7);
        return;
      }
    }

    // A switch inside: end the step on it.
    int flipped = -1;
    if (has_switches_) {
      const double theta = first_switch(state, h, flipped);
      if (flipped >= 0) {
        after = locate(state, h, theta, flipped);
        h = after - state.t;
        reaches = reaches && after == target;
      }
    }

    // Rows inside the step.
    while (outputs.next() < after && outputs.next() < t_end) {
      interpolate(state, h, (outputs.next() - state.t) / h, row_.y);
      row_.t = outputs.next();
      row_.permanent = state.permanent;
      row_.yielded = state.yielded;
      dynamics_.project(row_, terms_);
      settle_row(dynamics_, row_, terms_);
      outputs.emit(row_);
      if (outputs.stopped()) {
        state = row_;
        return;
      }
    }
    std::swap(state.y, end_);
    state.t = after;
    const double moved = dynamics_.stabilise(state, terms_);
    watch_pulleys(state);
    ++counts_.steps;
    if (flipped >= 0) {
      double& flag = terms_.cables.taut[flipped];
      flag = flag != 0.0 ? 0.0 : 1.0;
      note_switch(state.t, flipped, flag != 0.0);
      guard_.switched(flipped);
      just_flipped_ = flipped;
    } else {
      just_flipped_ = -1;
    }
    // The last stage is the next first one, unless the state or the forces were changed.
    if (flipped >= 0 || stale_ || moved > tolerance_)
      rhs(state.t, state.y.data(), k_[0].data());
    else
      std::swap(k_[0], k_[6]);
    stale_ = false;
    remember_values();
    if (outputs.next() == state.t && state.t < t_end) outputs.emit(state);
    guard_.step(state.t, outputs.duration(), terms_.cables);
    // Step control with memory (PI).
    const double factor = 0.9 * std::pow(std::max(norm, 1e-10), -0.17) * std::pow(previous_error_, 0.04);
    previous_error_ = std::max(norm, 1e-4);
    const double grown = std::min(5.0, std::max(0.2, factor)) * h;
    h_ = reaches || flipped >= 0 ? std::max(h_, grown) : grown;
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

  void remember_values() {
    if (!has_switches_) return;
    dynamics_.cables().switch_values(terms_.cables, value_.data());
    for (std::size_t s = 0; s < slope_.size(); ++s) slope_[s] = terms_.cables.stiffness[s] * terms_.cables.rate[s];
  }

  double value_at(const State& state, double h, double theta, int slot) {
    interpolate(state, h, theta, stage_);
    dynamics_.forces(state.t + theta * h, stage_.data(), stage_.data() + row_.nq, terms_);
    ++counts_.rhs;
    stale_ = true;
    return dynamics_.cables().switch_value(slot, terms_.cables);
  }

  // The fraction of the step at which the first cable switches, and that cable; flipped = -1 if none does. The cable
  // terms hold the end of the step.
  double first_switch(const State& state, double h, int& flipped) {
    const Cables& cables = dynamics_.cables();
    cables.switch_values(terms_.cables, end_value_.data());
    candidates_.clear();
    for (int s = 0; s < cables.slots(); ++s) {
      if (!cables.has_switch(s)) continue;
      const double sign = terms_.cables.taut[s] != 0.0 ? 1.0 : -1.0;
      const double a = sign * value_[s], b = sign * end_value_[s];
      // Closer to zero than the rounding of its length, a cable is left as it is.
      const double noise = 1e-13 * terms_.cables.stiffness[s] * terms_.cables.length[s];
      if (b < -noise) {
        candidates_.push_back({s, 1.0});
        continue;
      }
      // A dip: the cubic through both values and slopes (elastic part) has its minimum inside, near or below zero.
      const double da = sign * h * slope_[s], db = sign * h * terms_.cables.stiffness[s] * terms_.cables.rate[s];
      if (da < 0.0 && db > 0.0) {
        const double theta = da / (da - db);
        const double low =
            a + theta * (da + theta * ((3.0 * (b - a) - 2.0 * da - db) + theta * (da + db - 2.0 * (b - a))));
        if (low < 0.1 * std::min(a, b) && std::min(a, b) > noise) candidates_.push_back({s, theta});
      }
    }
    flipped = -1;
    double first = 2.0;
    for (const auto& [s, theta_end] : candidates_) {
      const double sign = terms_.cables.taut[s] != 0.0 ? 1.0 : -1.0;
      double high = theta_end, high_value = high == 1.0 ? sign * end_value_[s] : sign * value_at(state, h, high, s);
      if (high < 1.0 && high_value >= 0.0) continue;  // it does not reach zero after all
      double low = 0.0, low_value = sign * value_[s];
      if (low_value <= 0.0) {
        // It begins on the switch (just flipped, or by rounding): look for where it has left it.
        low = 1e-3;
        low_value = sign * value_at(state, h, low, s);
        if (low_value <= 0.0) {
          // It has not: the flag is wrong from the start, unless it was flipped a moment ago.
          if (first > 0.0) first = 0.0, flipped = s;
          continue;
        }
      }
      const double theta =
          root(low, low_value, high, high_value, [&](double x) { return sign * value_at(state, h, x, s); });
      if (theta < first) first = theta, flipped = s;
    }
    return first;
  }

  // Regula falsi (Illinois) between a positive and a non-positive value.
  template <class F>
  static double root(double low, double low_value, double high, double high_value, F value) {
    int side = 0;
    for (int pass = 0; pass < 60 && high - low > 1e-15; ++pass) {
      double x = (high * low_value - low * high_value) / (low_value - high_value);
      if (!(x > low && x < high)) x = 0.5 * (low + high);
      const double y = value(x);
      if (y == 0.0) return x;
      if (y > 0.0) {
        low = x, low_value = y;
        if (side == 1) high_value *= 0.5;
        side = 1;
      } else {
        high = x, high_value = y;
        if (side == -1) low_value *= 0.5;
        side = -1;
      }
      if (std::abs(y) < 1e-15) break;
    }
    return high;
  }

  // Repeats the step so that it ends where the cable switches: secant on the step's length, from the interpolant's
  // answer. Leaves stages and end_ of that step; returns its end time.
  double locate(const State& state, double h, double theta, int slot) {
    if (theta <= 0.0) {
      stages(state, 0.0, state.t);
      if (slot == just_flipped_)
        throw RunError(state.t,
                       fmt::format("dopri5: cable \"{}\" switches back and forth at t = {:.9g} s",
                                   dynamics_.model().cables[dynamics_.cables().cable_of_slot(slot)].name, state.t));
      return state.t;
    }
    double x0 = 0.0, f0 = value_[slot], x = theta * h;
    for (int pass = 0; pass < 4; ++pass) {
      stages(state, x, state.t + x);
      const double f = dynamics_.cables().switch_value(slot, terms_.cables);
      const double slope = pass == 0 ? terms_.cables.stiffness[slot] * terms_.cables.rate[slot] : (f - f0) / (x - x0);
      const double change = slope != 0.0 ? -f / slope : 0.0;
      if (!(std::abs(change) > 1e-14 * std::max(1.0, state.t)) || !(x + change > 0.0) || !(x + change < 1.001 * h))
        break;
      x0 = x, f0 = f;
      x += change;
      if (pass == 3) stages(state, x, state.t + x);
    }
    return state.t + x;
  }

  struct Candidate {
    int slot;
    double theta;  // a place where the sign is wrong
  };

  double tolerance_, h_ = 0.0, previous_error_ = 1e-4;
  State row_;
  StallGuard guard_;
  bool has_switches_;
  bool stale_ = false;  // the cable terms are not those at the end of the step
  int just_flipped_ = -1;
  std::array<Eigen::VectorXd, 7> k_;
  Eigen::VectorXd end_, stage_, error_;
  std::vector<double> value_, slope_, end_value_, flags_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::unique_ptr<Integrator> make_dopri5(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<Dopri5>(dynamics, options);
}

}  // namespace taut
