// CVODE (SUNDIALS): backward differentiation formulas of variable order and step for stiff cables, with the
// formulation's own sparse Jacobian and projection onto the constraints. Slack switches by CVODE's root finding, which
// brackets the first of all switches on its interpolant as first_root.h does, and tells all that cross there; what is
// due within the error that the tolerance leaves switches with them (switch_search.h).
// Whether a cable is longer than its rest length is held over a step, and where a damped one comes to be, so that its
// tension jumps, the method starts anew: a step across the jump would have to be as short as the tension takes to
// change a velocity by the tolerance. That a damper lets go (k e + c ė < 0) is only noted: there the tension has no
// jump.
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>

#include "taut/base/error.h"
#include "taut/forces/cable_yield.h"
#include "taut/integrate/cvode_tangent.h"
#include "taut/integrate/methods.h"
#include "taut/integrate/settle_output.h"
#include "taut/integrate/stall.h"
#include "taut/solve/first_root.h"

namespace taut {

namespace {

constexpr int steps_between_looks = 2000;
constexpr double creeping = 1e-4;  // of the duration, in that many steps

class Cvode final : public Integrator {
 public:
  Cvode(const Dynamics& dynamics, const IntegratorOptions& options)
      : Integrator(dynamics),
        tolerance_(options.tolerance),
        row_(dynamics.start()),
        guard_(dynamics, options.tolerance) {
    for (int s = 0; s < dynamics.cables().slots(); ++s)
      if (dynamics.cables().has_switch(s)) switch_slots_.push_back(s);
    terms_.cables.want_rates = !switch_slots_.empty();
    check(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
    y_ = N_VNew_Serial(dynamics.size(), context_);
    later_ = N_VNew_Serial(dynamics.size(), context_);
    memory_ = CVodeCreate(CV_BDF, context_);
    CVodeSetErrHandlerFn(memory_, on_message, this);
    check(CVodeInit(memory_, on_rhs, 0.0, y_), "CVodeInit");
    CVodeSetUserData(memory_, this);
    check(CVodeWFtolerances(memory_, on_weights), "CVodeWFtolerances");
    CVodeSetMaxNumSteps(memory_, -1);
    solver_.emplace(context_, row_.nq, &failure_);
    make_tangent();
    check(CVodeSetLinearSolver(memory_, solver_->solver, solver_->matrix), "CVodeSetLinearSolver");
    check(CVodeSetJacFn(memory_, on_jacobian), "CVodeSetJacFn");
    if (dynamics.constraint_method() == ConstraintMethod::projection) {
      check(CVodeSetProjFn(memory_, on_project), "CVodeSetProjFn");
      CVodeSetProjErrEst(memory_, 0);
    }
    pulley_side_.assign(dynamics.model().pulleys.size(), 1.0);
    found_.assign(2 * switch_slots_.size() + dynamics.model().pulleys.size(), 0);
    here_.assign(found_.size(), 0.0);
    ahead_ = here_;
    if (!found_.empty()) check(CVodeRootInit(memory_, static_cast<int>(found_.size()), on_roots), "CVodeRootInit");
  }

  ~Cvode() override {
    CVodeFree(&memory_);
    solver_.reset();
    N_VDestroy(y_);
    N_VDestroy(later_);
    SUNContext_Free(&context_);
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  std::string_view name() const override { return "cvode"; }

  void restart(const State& state) override {
    std::copy_n(state.y.data(), state.y.size(), NV_DATA_S(y_));
    begin(state.t);
    failure_ = nullptr;
    steps_since_ = 0;
    looked_at_ = state.t;
    dynamics_.recall(state, terms_);
    recall_switches(state.memory);
    begin_pulleys(state);
    begin_bars(state);
    pulley_values(state.q(), state.v(), pulley_side_.data());
    for (double& side : pulley_side_) side = side > 0.0 ? 1.0 : -1.0;
    look(state.t, state.q(), state.v());
    CableTerms& cables = terms_.cables;
    if (state.memory.taut.empty()) {
      dynamics_.cables().classify(cables);
      noted_.assign(cables.taut.begin(), cables.taut.end());
      for (int s : switch_slots_) cables.taut[s] = !jumps(s) || elongation(s) > 0.0 ? 1.0 : 0.0;
      if (!switch_slots_.empty()) cables.mode = SlackMode::clipped;
      return;
    }
    // Cables that a jump of a rest length has switched.
    for (int s : switch_slots_) {
      if ((cables.taut[s] != 0.0) != (stretched(s) > 0.0)) cables.taut[s] = 1.0 - cables.taut[s];
      if ((noted_[s] != 0.0) != (pulling(s) > 0.0)) note(state.t, s);
    }
  }

  void advance(State& state, double t_end, Outputs& outputs) override {
    used_ = true;
    try {
      step_to(state, t_end, outputs);
    } catch (...) {
      count_steps();
      throw;
    }
    count_steps();
    remember(state);
  }

  void forget(double t) override {
    if (used_) make_tangent();
    used_ = false;
    guard_.begin(t);
  }

 private:
  static void check(int flag, const char* what) {
    if (flag < 0) throw std::runtime_error(fmt::format("cvode: {} failed with {}", what, flag));
  }

  void make_tangent() {
    solver_->tangent = dynamics_.formulation().make_tangent(dynamics_.cables());
    solver_->tangent->error_share = 0.05;  // an old c alone misses by more
  }

  void remember(State& state) const {
    state.memory.taut = noted_;
    state.memory.stretched.assign(terms_.cables.taut.begin(), terms_.cables.taut.end());
    remember_control(state);
  }

  void recall_switches(const Memory& memory) {
    CableTerms& cables = terms_.cables;
    cables.mode = memory.taut.empty() || switch_slots_.empty() ? SlackMode::by_sign : SlackMode::clipped;
    if (memory.taut.empty()) return;
    noted_ = memory.taut;
    cables.taut.assign(memory.stretched.begin(), memory.stretched.end());
  }

  void limit_step(const Outputs& outputs) {
    if (dynamics_.contact().any()) CVodeSetMaxStep(memory_, dynamics_.contact().longest_step(terms_.xd.data()));
    // What an actuator does to a member that yields is not in the state, and so not in the error of a step.
    else if (dynamics_.cables().yields() && dynamics_.driven())
      CVodeSetMaxStep(memory_, outputs.step());
  }

  // One step of CVODE, to y_ at t. Throws what the right-hand side threw when there was no way on.
  int cvode_step(double from, double t_end, double& t) {
    const int flag = CVode(memory_, t_end, y_, &t, CV_ONE_STEP);
    if (flag < 0) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      throw RunError(from, fmt::format("cvode: the step failed at t = {:.9g} s ({}){}", from, message_,
                                       guard_.likely_cause(terms_.cables)));
    }
    // The model ends close ahead (a rest length driven to zero): no use in creeping up to it.
    if (failure_ && t - from < 1e-9) std::rethrow_exception(std::exchange(failure_, nullptr));
    failure_ = nullptr;
    return flag;
  }

  // Steps that a history from the other side of a switch keeps tiny begin anew.
  void look_for_creeping(double t, double duration) {
    if (++steps_since_ != steps_between_looks) return;
    if (t - looked_at_ < creeping * duration) begin(t);
    steps_since_ = 0;
    looked_at_ = t;
  }

  void step_to(State& state, double t_end, Outputs& outputs) {
    CVodeSetStopTime(memory_, t_end);
    while (state.t < t_end && !outputs.stopped()) {
      double t = state.t;
      limit_step(outputs);
      int flag = cvode_step(state.t, t_end, t);
      double reached = flag == CV_TSTOP_RETURN ? t_end : t;
      const bool turned = dynamics_.cables().yields() && back_to_turn(state, reached);
      if (turned) flag = CV_SUCCESS;
      if (watch != nullptr && reached > state.t) tell(state.t, reached);
      while (outputs.next() <= reached && outputs.next() < t_end) {
        emit_row(state, outputs);
        if (outputs.stopped()) {
          state = row_;
          return;
        }
      }
      std::copy_n(NV_DATA_S(y_), state.y.size(), state.y.data());
      state.t = reached;
      if (dynamics_.cables().yields()) {
        dynamics_.forces(state.t, state.q(), state.v(), terms_);
        if (dynamics_.settle_yield(state.t, state, terms_) || turned) begin(state.t);
      }
      require_finite(dynamics_, state);
      watch_pulleys(state);
      watch_bars(state);
      guard_.step(state.t, outputs.duration(), terms_.cables);
      if (flag == CV_ROOT_RETURN) take_switches(state);
      look_for_creeping(state.t, outputs.duration());
      if (dynamics_.formulation().rechart(state.q(), state.v(), terms_)) {
        std::copy_n(state.y.data(), state.y.size(), NV_DATA_S(y_));
        begin(state.t);
      }
    }
    if (state.t == t_end) dynamics_.stabilise(state, terms_);
  }

  // A member that stops yielding inside the step has yielded on since: y_ and `reached` go back to where it turns.
  bool back_to_turn(const State& state, double& reached) {
    const auto turned = [&](double t) {
      check(CVodeGetDky(memory_, t, 0, y_), "CVodeGetDky");
      dynamics_.forces(t, NV_DATA_S(y_), NV_DATA_S(y_) + state.nq, terms_);
      return yield_error(dynamics_.cables(), t, terms_.cables) > std::sqrt(0.01 * tolerance_);
    };
    if (!turned(reached)) return false;
    reached = first_holding(state.t, reached, 1e-9 * (reached - state.t), turned);
    return true;
  }

  void begin(double t) {
    count_steps();
    // Shorter steps would be rounded away in the time. A hard damper that is struck asks for very short first ones.
    CVodeSetMinStep(memory_, 1e-15 * std::max(1.0, 4.0 * std::abs(t)));
    check(CVodeReInit(memory_, t, y_), "CVodeReInit");
    counted_steps_ = counted_failures_ = 0;
  }

  void count_steps() {
    long steps = 0, error_failures = 0, solver_failures = 0;
    CVodeGetNumSteps(memory_, &steps);
    CVodeGetNumErrTestFails(memory_, &error_failures);
    CVodeGetNumNonlinSolvConvFails(memory_, &solver_failures);
    log.counts.steps += steps - counted_steps_;
    log.counts.rejected += error_failures + solver_failures - counted_failures_;
    counted_steps_ = steps;
    counted_failures_ = error_failures + solver_failures;
  }

  // Rows come from CVODE's interpolant, put back on the constraints.
  void emit_row(const State& state, Outputs& outputs) {
    row_.t = outputs.next();
    N_Vector at = N_VMake_Serial(row_.y.size(), row_.y.data(), context_);
    check(CVodeGetDky(memory_, row_.t, 0, at), "CVodeGetDky");
    N_VDestroy(at);
    row_.memory = state.memory;
    remember(row_);
    dynamics_.project(row_, terms_);
    settle_output(dynamics_, row_, terms_);
    outputs.emit(row_);
  }

  // The polynomial of the last step, by its derivatives at the end.
  void tell(double from, double to) {
    int order = 0;
    double h = 0.0;
    CVodeGetLastOrder(memory_, &order);
    CVodeGetLastStep(memory_, &h);
    CVodeGetCurrentTime(memory_, &path_.origin);
    path_.from = from;
    path_.to = to;
    path_.scale = h;
    path_.degree = order;
    double factor = 1.0;
    for (int k = 0; k <= order; ++k) {
      check(CVodeGetDky(memory_, path_.origin, k, later_), "CVodeGetDky");
      path_.c[k] = factor * Eigen::Map<const Eigen::VectorXd>(NV_DATA_S(later_), NV_LENGTH_S(later_));
      factor *= h / (k + 1);
    }
    watch->step(path_, terms_.cables);
  }

  double elongation(int slot) const {
    const CableTerms& terms = terms_.cables;
    return terms.length[slot] - terms.rest[slot] - terms.permanent[slot];
  }

  // Whether the tension jumps where the cable becomes longer than its rest length.
  bool jumps(int slot) const {
    const CableLaw& law = dynamics_.cables().law(slot);
    return law.damping > 0.0 || !law.clip;
  }

  // k e with a dead band on the side that the cable comes from: as wide as the rounding of a length, and for one that
  // is stretched as wide as the tolerance allows, or the errors of the steps would have a hard damper struck anew all
  // the time. A cable without a jump has nothing to hold.
  double stretched(int slot) const {
    if (!jumps(slot)) return 1.0;
    const CableTerms& terms = terms_.cables;
    const double e = elongation(slot), rounding = 1e-12 * terms.length[slot];
    const double band =
        terms.taut[slot] != 0.0 ? std::max(rounding, 3.0 * tolerance_ * (1.0 + terms.length[slot])) : -rounding;
    return terms.stiffness[slot] * (e + band);
  }

  // The switch value in the same way; for the damper's part the band is the tension c δė that the tolerated error of
  // its rate makes.
  double pulling(int slot) const {
    const CableLaw& law = dynamics_.cables().law(slot);
    const CableTerms& terms = terms_.cables;
    const double k = terms.stiffness[slot], sign = noted_[slot] != 0.0 ? 1.0 : -1.0, elastic = k * elongation(slot);
    if (!jumps(slot)) return elastic + sign * 1e-12 * k * terms.length[slot];
    if (!law.clip) return stretched(slot);
    return std::min(stretched(slot), elastic + law.damping * (terms.rate[slot] + sign * rate_error()));
  }

  // δė: three times the tolerance for the speed of the fastest node, so that cables that a symmetry maps onto each other
  // have the same band, whichever way the structure flies.
  double rate_error() const { return 3.0 * tolerance_ * (1.0 + fastest_); }

  // Forces at (t, y), and what the bands need.
  void look(double t, const double* q, const double* v) {
    dynamics_.forces(t, q, v, terms_);
    double square = 0.0;
    if (dynamics_.cables().damped())
      for (std::size_t i = 0; i < terms_.xd.size(); i += 4)
        square = std::max(square, Vec3(terms_.xd.data() + i).squaredNorm());
    fastest_ = std::sqrt(square);
  }

  // What CVODE looks for roots of.
  void root_values(double t, const double* y, double* values) {
    const double* const v = y + row_.nq;
    look(t, y, v);
    for (int slot : switch_slots_) {
      *values++ = stretched(slot);
      *values++ = pulling(slot);
    }
    pulley_values(y, v, values);
    for (std::size_t i = 0; i < pulley_side_.size(); ++i)
      values[i] += 10.0 * pulley_side_[i] * pulley_noise(static_cast<int>(i));
  }

  void note(double t, int slot) {
    noted_[slot] = 1.0 - noted_[slot];
    note_switch(t, slot, noted_[slot] != 0.0);
    guard_.switched(slot);
  }

  // Cables that cross within a thousandth of the step, and are no farther from it than the tolerance's error, are of
  // those found at t. Leaves the forces there.
  void find_companions(const State& state) {
    double tn = 0.0, h = 0.0;
    CVodeGetCurrentTime(memory_, &tn);
    CVodeGetLastStep(memory_, &h);
    const double t = std::min(tn, state.t + 1e-3 * h);
    check(CVodeGetDky(memory_, t, 0, later_), "CVodeGetDky");
    root_values(t, NV_DATA_S(later_), ahead_.data());
    root_values(state.t, state.q(), here_.data());
    for (std::size_t i = 0; i < 2 * switch_slots_.size(); ++i) {
      if (found_[i] != 0 || (here_[i] > 0.0) == (ahead_[i] > 0.0)) continue;
      const int slot = switch_slots_[i / 2];
      const double error = terms_.cables.stiffness[slot] * 3.0 * tolerance_ * (1.0 + terms_.cables.length[slot]) +
                           dynamics_.cables().law(slot).damping * rate_error();
      if (std::abs(here_[i]) <= error) found_[i] = ahead_[i] > 0.0 ? 1 : -1;
    }
  }

  void take_switches(const State& state) {
    CVodeGetRootInfo(memory_, found_.data());
    find_companions(state);
    CableTerms& cables = terms_.cables;
    bool jump = false;
    for (std::size_t k = 0; k < switch_slots_.size(); ++k) {
      const int slot = switch_slots_[k], stretch = found_[2 * k], pull = found_[2 * k + 1];
      // Unless it came back before it had left.
      const bool flips = stretch != 0 && (cables.taut[slot] != 0.0) != (stretch > 0);
      if (flips) cables.taut[slot] = stretch > 0 ? 1.0 : 0.0;
      const bool pulls = pull != 0 ? pull > 0 : flips ? pulling(slot) > 0.0 : noted_[slot] != 0.0;
      if ((noted_[slot] != 0.0) != pulls) note(state.t, slot);
      jump |= flips && (stretch > 0 || !dynamics_.cables().law(slot).clip);
    }
    // The force of a pulley's cable follows the sign by itself, with a jump where it is damped.
    for (std::size_t i = 0; i < pulley_side_.size(); ++i) {
      const int crossed = found_[2 * switch_slots_.size() + i];
      if (crossed != 0) pulley_side_[i] = crossed > 0 ? 1.0 : -1.0;
      jump |= crossed != 0;
    }
    if (jump) begin(state.t);
  }

  // Callbacks: an exception must not pass through C; it waits in failure_.
  template <class F>
  int guarded(F f) {
    try {
      f();
      return 0;
    } catch (const RunError&) {
      failure_ = std::current_exception();  // kept for when smaller steps do not help either
      return 1;
    } catch (...) {
      failure_ = std::current_exception();
      return -1;
    }
  }

  static int on_rhs(double t, N_Vector y, N_Vector y_rate, void* self) {
    auto& me = *static_cast<Cvode*>(self);
    return me.guarded([&] { me.rhs(t, NV_DATA_S(y), NV_DATA_S(y_rate)); });
  }

  static int on_weights(N_Vector y, N_Vector weights, void* self) {
    const auto& me = *static_cast<Cvode*>(self);
    for (long i = 0; i < NV_LENGTH_S(y); ++i)
      NV_Ith_S(weights, i) = 1.0 / (me.tolerance_ * me.error_scale(i, NV_Ith_S(y, i)));
    return 0;
  }

  static int on_jacobian(double t, N_Vector y, N_Vector, SUNMatrix matrix, void* self, N_Vector y_rate, N_Vector,
                         N_Vector) {
    auto& me = *static_cast<Cvode*>(self);
    CvodeTangent::evaluated(matrix);
    return me.guarded([&] {
      const int nq = me.row_.nq;
      me.rhs(t, NV_DATA_S(y), NV_DATA_S(y_rate));
      me.solver_->tangent->evaluate(NV_DATA_S(y), NV_DATA_S(y) + nq, NV_DATA_S(y_rate) + nq, me.terms_);
    });
  }

  static int on_project(double t, N_Vector y, N_Vector correction, double, N_Vector, void* self) {
    auto& me = *static_cast<Cvode*>(self);
    double* const c = NV_DATA_S(correction);
    std::copy_n(NV_DATA_S(y), NV_LENGTH_S(y), c);
    // At the end of a segment the limit from the left, as forces have it.
    const double end = me.terms_.segment_end;
    me.terms_.time = t >= end ? std::nextafter(end, -INFINITY) : t;
    double moved = -1.0;
    const int failed = me.guarded([&] { moved = me.dynamics_.formulation().project(c, c + me.row_.nq, me.terms_); });
    if (failed != 0 || moved < 0.0) return failed != 0 ? failed : 1;
    for (long i = 0; i < NV_LENGTH_S(y); ++i) c[i] -= NV_Ith_S(y, i);
    return 0;
  }

  static int on_roots(double t, N_Vector y, double* values, void* self) {
    auto& me = *static_cast<Cvode*>(self);
    return me.guarded([&] { me.root_values(t, NV_DATA_S(y), values); });
  }

  static void on_message(int, const char*, const char*, char* text, void* self) {
    static_cast<Cvode*>(self)->message_ = text;
  }

  double tolerance_;
  State row_;
  StallGuard guard_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, later_ = nullptr;
  void* memory_ = nullptr;
  std::optional<CvodeTangent> solver_;
  std::vector<int> switch_slots_, found_;
  std::vector<double> here_, ahead_;  // root values
  std::vector<double> noted_;         // per slot: 1 noted as taut, 0 as slack
  std::vector<double> pulley_side_;   // 1: taut, -1: slack
  double fastest_ = 0.0;              // m/s, speed of any node
  std::exception_ptr failure_;
  std::string message_;
  long counted_steps_ = 0, counted_failures_ = 0;
  bool used_ = false;  // the tangent has been
  int steps_since_ = 0;
  double looked_at_ = 0.0;
};

}  // namespace

std::unique_ptr<Integrator> make_cvode(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(dynamics, options);
}

}  // namespace taut
