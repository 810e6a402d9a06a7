// CVODE (SUNDIALS): backward differentiation formulas of variable order and step for stiff cables, with the
// formulation's own sparse Jacobian and projection onto the constraints. Slack switches by CVODE's root finding; after
// the switch of a damped cable, whose tension jumps, the method starts anew.
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "taut/base/error.h"
#include "taut/integrate/methods.h"

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
        tangent_(dynamics.formulation().make_tangent(dynamics.cables())) {
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
    CVodeSetMinStep(memory_, 1e-13);  // below, time itself is rounded away
    make_matrix();
    tangent_->error_share = 0.05;  // an old c alone misses by more
    check(CVodeSetLinearSolver(memory_, solver_, matrix_), "CVodeSetLinearSolver");
    check(CVodeSetJacFn(memory_, on_jacobian), "CVodeSetJacFn");
    if (dynamics.constraint_method() == ConstraintMethod::projection) {
      check(CVodeSetProjFn(memory_, on_project), "CVodeSetProjFn");
      CVodeSetProjErrEst(memory_, 0);
    }
    if (!switch_slots_.empty())
      check(CVodeRootInit(memory_, static_cast<int>(switch_slots_.size()), on_roots), "CVodeRootInit");
    found_.assign(switch_slots_.size(), 0);
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
    // Cables that a jump of a rest length has switched.
    dynamics_.forces(state.t, state.q(), state.v(), terms_);
    dynamics_.cables().classify(terms_.cables);
    if (!flags_.empty())
      for (int s : switch_slots_)
        if (flags_[s] != terms_.cables.taut[s]) note_switch(state.t, s, terms_.cables.taut[s] != 0.0);
    flags_.assign(terms_.cables.taut.begin(), terms_.cables.taut.end());
  }

  void advance(State& state, double t_end, Outputs& outputs) override {
    CVodeSetStopTime(memory_, t_end);
    while (state.t < t_end && !outputs.stopped()) {
      double t = state.t;
      if (dynamics_.contact().any()) CVodeSetMaxStep(memory_, dynamics_.contact().longest_step(terms_.xd.data()));
      const int flag = CVode(memory_, t_end, y_, &t, CV_ONE_STEP);
      if (flag < 0) {
        count_steps();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        throw RunError(state.t, fmt::format("cvode: the step failed at t = {:.9g} s ({})", state.t, message_));
      }
      // The model ends close ahead (a rest length driven to zero): no use in creeping up to it.
      if (failure_ && t - state.t < 1e-9) std::rethrow_exception(std::exchange(failure_, nullptr));
      failure_ = nullptr;
      const double reached = flag == CV_TSTOP_RETURN ? t_end : t;
      while (outputs.next() <= reached && outputs.next() < t_end) {
        emit_row(outputs);
        if (outputs.stopped()) {
          state = row_;
          count_steps();
          return;
        }
      }
      std::copy_n(NV_DATA_S(y_), state.y.size(), state.y.data());
      state.t = reached;
      require_finite(dynamics_, state);
      if (flag == CV_ROOT_RETURN) take_switches(state);
      if (dynamics_.formulation().rechart(state.q(), state.v(), terms_)) {
        std::copy_n(state.y.data(), state.y.size(), NV_DATA_S(y_));
        begin(state.t);
      }
    }
    count_steps();
    if (state.t == t_end) dynamics_.stabilise(state, terms_);
  }

 private:
  static void check(int flag, const char* what) {
    if (flag < 0) throw std::runtime_error(fmt::format("cvode: {} failed with {}", what, flag));
  }

  void begin(double t) {
    count_steps();
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
  void emit_row(Outputs& outputs) {
    row_.t = outputs.next();
    N_Vector at = N_VMake_Serial(row_.y.size(), row_.y.data(), context_);
    check(CVodeGetDky(memory_, row_.t, 0, at), "CVodeGetDky");
    N_VDestroy(at);
    dynamics_.project(row_, terms_);
    outputs.emit(row_);
  }

  void take_switches(const State& state) {
    CVodeGetRootInfo(memory_, found_.data());
    bool jump = false;
    for (std::size_t k = 0; k < switch_slots_.size(); ++k) {
      if (found_[k] == 0) continue;
      const int slot = switch_slots_[k];
      if ((flags_[slot] != 0.0) == (found_[k] > 0)) continue;  // it came back before it had left
      flags_[slot] = found_[k] > 0 ? 1.0 : 0.0;
      note_switch(state.t, slot, found_[k] > 0);
      jump |= dynamics_.cables().law(slot).damping > 0.0;
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
    (void)t;
    if (me.dynamics_.formulation().project(c, c + me.row_.nq, me.terms_) < 0.0) return 1;
    for (long i = 0; i < NV_LENGTH_S(y); ++i) c[i] -= NV_Ith_S(y, i);
    return 0;
  }

  static int on_roots(double t, N_Vector y, double* values, void* self) {
    auto& me = *static_cast<Cvode*>(self);
    return me.guarded([&] {
      me.dynamics_.forces(t, NV_DATA_S(y), NV_DATA_S(y) + me.row_.nq, me.terms_);
      // A dead band as wide as the rounding of a length, on the side that the cable comes from.
      const CableTerms& cables = me.terms_.cables;
      for (std::size_t k = 0; k < me.switch_slots_.size(); ++k) {
        const int s = me.switch_slots_[k];
        const double noise = 1e-12 * cables.stiffness[s] * cables.length[s];
        values[k] = me.dynamics_.cables().switch_value(s, cables) + (me.flags_[s] != 0.0 ? noise : -noise);
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
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  std::vector<int> switch_slots_, found_;
  std::vector<double> flags_;
  std::exception_ptr failure_;
  std::string message_;
  long counted_steps_ = 0, counted_failures_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> make_cvode(const Dynamics& dynamics, const IntegratorOptions& options) {
  return std::make_unique<Cvode>(dynamics, options);
}

}  // namespace taut
