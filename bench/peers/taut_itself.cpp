// taut in the comparison: its dynamics and its integrators, rows of output only at the end.
#include "bench/peers/peer.h"
#include "bench/timing.h"
#include "taut/integrate/integrator.h"
#include "taut/run/observe.h"

namespace taut::bench {
namespace {

bool adaptive(std::string_view integrator) { return integrator == "dopri5" || integrator == "cvode"; }

class TautSession : public Session {
 public:
  TautSession(const Model& model, const std::string& method, double effort, double duration)
      : method_(method),
        options_{.step = duration / effort, .tolerance = 1.0 / effort},
        duration_(duration),
        dynamics_(model, "nodal", ConstraintMethod::projection) {}

  double run() override {
    state_ = dynamics_.start();
    const auto integrator = make_integrator(method_, dynamics_, options_);
    Outputs outputs(duration_, duration_, [](const State&) {});
    outputs.emit(state_);
    const double start = core_seconds();
    integrator->restart(state_);
    integrator->advance(state_, duration_, outputs);
    const double seconds = core_seconds() - start;
    steps_ = integrator->log.counts.steps;
    return seconds;
  }

  std::vector<Vec3> nodes() const override {
    Observer observer(dynamics_, duration_);
    const std::vector<double>& x = observer.observe(state_).nodes;
    std::vector<Vec3> result;
    for (std::size_t i = 0; i < x.size(); i += 3) result.emplace_back(x[i], x[i + 1], x[i + 2]);
    return result;
  }

  long steps() const override { return steps_; }

 private:
  std::string method_;
  IntegratorOptions options_;
  double duration_;
  Dynamics dynamics_;
  State state_;
  long steps_ = 0;
};

}  // namespace

Peer taut_itself() {
  Peer peer;
  peer.name = "taut";
  for (const IntegratorKind& kind : integrator_kinds()) {
    peer.methods.push_back({.name = std::string(kind.name), .adaptive = adaptive(kind.name)});
  }
  peer.open = [](const Model& model, const std::string& method, double effort,
                 double duration) -> std::unique_ptr<Session> {
    return std::make_unique<TautSession>(model, method, effort, duration);
  };
  return peer;
}

}  // namespace taut::bench
