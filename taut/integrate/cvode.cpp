// CVODE (SUNDIALS): backward differentiation formulas of variable order and step for stiff cables, with the
// formulation's own sparse Jacobian and projection onto the constraints. Slack switches by CVODE's root finding.
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

#include "taut/base/error.h"
#include "taut/forces/cable_yield.h"
#include "taut/integrate/methods.h"
#include "taut/integrate/settle_row.h"
#include "taut/integrate/stall.h"

namespace taut {

namespace {

class Cvode;

// The matrix I - cJ as CVODE sees it: only c; the numbers are in the Tangent. And its direct solver.
struct MatrixContent {
  Cvode* owner;
  double scale;  // A = I + scale J after scaleaddi
};

class Cvode final : public Integrator {
 public:
  Cvode(const Dynamics& dynamics, const IntegratorOptions& options)
      : Integrator(dynamics),
        tolerance_(options.tolerance),
        row_(dynamics.start()),
        tangent_(dynamics.formulation().make_tangent(dynamics.cables())),
        guard_(dynamics, options.tolerance) {
    for (int s = 0; s < dynamics.cables().slots(); ++s)
      if (dynamics.cables().has_switch(s)) switch_slots_.push_back(s);
    terms_.cables.want_rates = !switch_slots_.empty();
    check(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
    y_ = N_VNew_Serial(dynamics.size(), context_);
    memory_ = CVodeCreate(CV_BDF, context_);
    CVodeSetErrHandlerFn(memory_, on_message, this);
    check(CVodeInit(memory_, on_rhs, 0.0, y_), "CVodeInit");
    CVodeSetUserData(memory_, this);
    check(CVodeWFtolerances(memory_, on_weights), "CVodeWFtolerances");
    CVodeSetMaxNumSteps(memory_, -1);
    make_matrix();
    tangent_->error_share = 0.05;  // an old c alone misses by more
    check(CVodeSetLinearSolver(memory_, solver_, matrix_), "CVodeSetLinearSolver");
    check(CVodeSetJacFn(memory_, on_jacobian), "CVodeSetJacFn");
    if (dynamics.constraint_method() == ConstraintMethod::projection) {
      check(CVodeSetProjFn(memory_, on_project), "CVodeSetProjFn");
      CVodeSetProjErrEst(memory_, 0);
    }
    if (!switch_slots_.empty())
      check(CVodeRootInit(memory_, 2 * static_cast<int>(switch_slots_.size()), on_roots), "CVodeRootInit");
    found_.assign(2 * switch_slots_.size(), 0);
  }

  ~Cvode() override {
    CVodeFree(&memory_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  std::string_view name() const override { return "cvode"; }

  void restart(const State& state) override {
    std::copy_n(state.y.data(), state.y.size(), NV_DATA_S(y_));
    begin(state.t);
    dynamics_.recall(state, terms_);
    dynamics_.forces(state.t, state.q(), state.v(), terms_);
    CableTerms& cables = terms_.cables;
    if (cables.mode == SlackMode::by_sign) {
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
    try {
      step_to(state, t_end, outputs);
    } catch (...) {
      count_steps();
      throw;
    }
    count_steps();
  }

 private:
  static void check(int flag, const char* what) {
    if (flag < 0) throw std::runtime_error(fmt::format("cvode: {} failed with {}", what, flag));
  }

  void step_to(State& state, double t_end, Outputs& outputs) {
    CVodeSetStopTime(memory_, t_end);
    while (state.t < t_end && !outputs.stopped()) {
      double t = state.t;
      if (dynamics_.contact().any()) CVodeSetMaxStep(memory_, dynamics_.contact().longest_step(terms_.xd.data()));
      // What an actuator does to a member that yields is not in the state, and so not in the error of a step.
      else if (dynamics_.cables().yields() && !dynamics_.model().actuators.empty())
        CVodeSetMaxStep(memory_, outputs.step());
      int flag = CVode(memory_, t_end, y_, &t, CV_ONE_STEP);
      if (flag < 0) {
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        throw RunError(state.t, fmt::format("cvode: the step failed at t = {:.9g} s ({}){}", state.t, message_,
                                            guard_.likely_cause(terms_.cables)));
      }
      // The model ends close ahead (a rest length driven to zero): no use in creeping up to it.
      if (failure_ && t - state.t < 1e-9) std::rethrow_exception(std::exchange(failure_, nullptr));
      failure_ = nullptr;
      double reached = flag == CV_TSTOP_RETURN ? t_end : t;
      const bool turned = dynamics_.cables().yields() && back_to_turn(state, reached);
      if (turned) flag = CV_SUCCESS;
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
      guard_.step(state.t, outputs.duration(), terms_.cables);
      if (flag == CV_ROOT_RETURN) take_switches(state);
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
    return first_time(state.t, reached, turned);
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
    counts_.steps += steps - counted_steps_;
    counts_.rejected += error_failures + solver_failures - counted_failures_;
    counted_steps_ = steps;
    counted_failures_ = error_failures + solver_failures;
  }

  // Rows come from CVODE's interpolant, put back on the constraints.
  void emit_row(const State& state, Outputs& outputs) {
    row_.t = outputs.next();
    N_Vector at = N_VMake_Serial(row_.y.size(), row_.y.data(), context_);
    check(CVodeGetDky(memory_, row_.t, 0, at), "CVodeGetDky");
    N_VDestroy(at);
    row_.permanent = state.permanent;
    row_.yielded = state.yielded;
    dynamics_.project(row_, terms_);
    settle_row(dynamics_, row_, terms_);
    outputs.emit(row_);
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
    return std::min(stretched(slot), elastic + law.damping * (terms.rate[slot] + sign * rate_error(slot)));
  }

  // δė: three times the tolerance for the speeds of the cable's nodes.
  double rate_error(int slot) const {
    const Cables& cables = dynamics_.cables();
    double fastest = 0.0;
    for (int p = cables.piece_begin(slot); p < cables.piece_end(slot); ++p)
      for (int node : {cables.piece_a(p), cables.piece_b(p)})
        fastest = std::max(fastest, Vec3(terms_.xd.data() + 4 * node).cwiseAbs().maxCoeff());
    return 3.0 * tolerance_ * (1.0 + fastest);
  }

  void note(double t, int slot) {
    noted_[slot] = 1.0 - noted_[slot];
    note_switch(t, slot, noted_[slot] != 0.0);
    guard_.switched(slot);
  }

  void take_switches(const State& state) {
    CVodeGetRootInfo(memory_, found_.data());
    dynamics_.forces(state.t, state.q(), state.v(), terms_);
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
    static_cast<MatrixContent*>(matrix->content)->scale = 1.0;
    return me.guarded([&] {
      const int nq = me.row_.nq;
      me.rhs(t, NV_DATA_S(y), NV_DATA_S(y_rate));
      me.tangent_->evaluate(NV_DATA_S(y), NV_DATA_S(y) + nq, NV_DATA_S(y_rate) + nq, me.terms_);
    });
  }

  static int on_project(double t, N_Vector y, N_Vector correction, double, N_Vector, void* self) {
    auto& me = *static_cast<Cvode*>(self);
    double* const c = NV_DATA_S(correction);
    std::copy_n(NV_DATA_S(y), NV_LENGTH_S(y), c);
    me.terms_.time = t;
    if (me.dynamics_.formulation().project(c, c + me.row_.nq, me.terms_) < 0.0) return 1;
    for (long i = 0; i < NV_LENGTH_S(y); ++i) c[i] -= NV_Ith_S(y, i);
    return 0;
  }

  static int on_roots(double t, N_Vector y, double* values, void* self) {
    auto& me = *static_cast<Cvode*>(self);
    return me.guarded([&] {
      me.dynamics_.forces(t, NV_DATA_S(y), NV_DATA_S(y) + me.row_.nq, me.terms_);
      for (std::size_t k = 0; k < me.switch_slots_.size(); ++k) {
        values[2 * k] = me.stretched(me.switch_slots_[k]);
        values[2 * k + 1] = me.pulling(me.switch_slots_[k]);
      }
    });
  }

  static void on_message(int, const char*, const char*, char* text, void* self) {
    static_cast<Cvode*>(self)->message_ = text;
  }

  // The custom matrix and its solver.
  void make_matrix() {
    matrix_ = SUNMatNewEmpty(context_);
    matrix_->content = new MatrixContent{this, 0.0};
    matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    matrix_->ops->clone = [](SUNMatrix a) {
      SUNMatrix copy = SUNMatNewEmpty(a->sunctx);
      copy->content = new MatrixContent(*static_cast<MatrixContent*>(a->content));
      SUNMatCopyOps(a, copy);
      return copy;
    };
    matrix_->ops->destroy = [](SUNMatrix a) {
      delete static_cast<MatrixContent*>(a->content);
      a->content = nullptr;
      SUNMatFreeEmpty(a);
    };
    matrix_->ops->zero = [](SUNMatrix a) { return static_cast<MatrixContent*>(a->content)->scale = 0.0, 0; };
    matrix_->ops->copy = [](SUNMatrix a, SUNMatrix b) {
      *static_cast<MatrixContent*>(b->content) = *static_cast<MatrixContent*>(a->content);
      return 0;
    };
    matrix_->ops->scaleaddi = [](double c, SUNMatrix a) {
      return static_cast<MatrixContent*>(a->content)->scale *= c, 0;
    };
    solver_ = SUNLinSolNewEmpty(context_);
    solver_->content = this;
    solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    solver_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
    solver_->ops->initialize = [](SUNLinearSolver) { return 0; };
    solver_->ops->setup = [](SUNLinearSolver s, SUNMatrix a) {
      auto& me = *static_cast<Cvode*>(s->content);
      return me.tangent_->factorise(-static_cast<MatrixContent*>(a->content)->scale) ? 0 : 1;
    };
    solver_->ops->solve = [](SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, double) {
      auto& me = *static_cast<Cvode*>(s->content);
      N_VScale(1.0, b, x);
      me.tangent_->solve(NV_DATA_S(x), NV_DATA_S(x) + me.row_.nq);
      return 0;
    };
    solver_->ops->free = [](SUNLinearSolver s) {
      s->content = nullptr;
      SUNLinSolFreeEmpty(s);
      return 0;
    };
  }

  double tolerance_;
  State row_;
  std::unique_ptr<Tangent> tangent_;
  StallGuard guard_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  std::vector<int> switch_slots_, found_;
  std::vector<double> noted_;  // per slot: 1 noted as taut, 0 as slack
  std::exception_ptr failure_;
  std::string message_;
  long counted_steps_ = 0, counted_failures_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_cvode(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(dynamics, options);
}

}  // namespace taut
