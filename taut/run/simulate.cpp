#include "taut/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "taut/base/error.h"
#include "taut/integrate/choose.h"
#include "taut/integrate/integrator.h"
#include "taut/run/compare.h"
#include "taut/run/control_loop.h"
#include "taut/run/observe.h"
#include "taut/run/settle.h"

namespace taut {

namespace {

// Rows on their way to the recorders, with the extremes that the summary reports.
class Rows {
 public:
  Rows(const Dynamics& dynamics, double duration, const std::vector<Recorder*>& recorders, const RunHooks& hooks)
      : observer_(dynamics, duration),
        recorders_(recorders),
        hooks_(hooks),
        actuated_(!dynamics.model().actuators.empty()) {
    for (const Node& node : dynamics.model().nodes)
      reach_ = std::max(reach_, (node.position - dynamics.model().nodes.front().position).norm());
  }

  void operator()(const State& state) {
    if (!hooks_.rows) {
      reached_ = state.t;
      return;
    }
    Sample& sample = observer_.observe(state);
    if (control_) control_->record(state, sample);
    for (Recorder* recorder : recorders_) recorder->sample(sample);
    const auto& e = sample.energy;
    if (first_) balance_ = e[balance], gravity_ = e[gravity], first_ = false;
    drift_ = std::max(drift_, std::abs(e[balance] - balance_));
    for (double part : e) largest_ = std::max(largest_, std::abs(part));
    scale_ =
        std::max(scale_, e[kinetic] + e[elastic] + e[dissipated] + std::abs(e[work]) + std::abs(e[gravity] - gravity_));
    bar_error_ = std::max(bar_error_, observer_.bar_length_error());
    if (sample.constraint_error > constraint_error_) constraint_error_ = sample.constraint_error, open_at_ = state.t;
    reached_ = state.t;
    // A structure whose cables all hang loose has no shape of its own any more.
    const bool loose = sample.joints.empty() && sample.tensions.size() > 2 &&
                       std::all_of(sample.tensions.begin(), sample.tensions.end(), [](double t) { return t == 0.0; });
    if (!loose) was_taut_ = true;
    if (loose && (was_taut_ || actuated_) && std::isnan(loose_since_)) loose_since_ = state.t;
    if (hooks_.progress) hooks_.progress(state.t);
  }

  Terms& terms() { return observer_.terms(); }
  void add_controls(ControlLoop& control) { control_ = &control; }

  void report(Summary& summary) const {
    summary.max_bar_length_error = bar_error_;
    // A structure at rest has nothing in play but the rounding of its potential energy.
    const double scale = std::max(scale_, 1e-9 * largest_);
    summary.energy_drift = scale > 0.0 ? drift_ / scale : 0.0;
    summary.simulated_s = reached_;
    if (summary.energy_drift > 0.05)
      summary.warnings.push_back(
          fmt::format("the balance of energy is off by {:.0f} % of the energy in play: take a smaller "
                      "step or tolerance",
                      100.0 * summary.energy_drift));
    if (constraint_error_ > 1e-3 * reach_)
      summary.warnings.push_back(
          fmt::format("constraints are off by up to {:.3g} m, at t = {:g} s: the motion is not the "
                      "structure's; constraints = \"projection\" keeps them, or says why not",
                      constraint_error_, open_at_));
    if (!std::isnan(loose_since_))
      summary.warnings.push_back(
          fmt::format("every cable is slack at t = {:g} s: nothing holds the shape there", loose_since_));
  }

 private:
  Observer observer_;
  ControlLoop* control_ = nullptr;
  const std::vector<Recorder*>& recorders_;
  const RunHooks& hooks_;
  bool first_ = true;
  double balance_ = 0.0, gravity_ = 0.0, drift_ = 0.0, scale_ = 0.0, largest_ = 0.0, bar_error_ = 0.0, reached_ = 0.0;
  double constraint_error_ = 0.0, open_at_ = 0.0, reach_ = 0.0;  // m, s, m
  bool was_taut_ = false, actuated_;                             // a model without actuators may begin loose: no news
  double loose_since_ = NAN;
};

// A rest length that jumps changes the stored energy at once: that is work of the actuator.
double stored_energy(const Dynamics& dynamics, const State& state, const std::vector<Winch>& winches,
                     double segment_end) {
  Terms terms = dynamics.make_terms();
  dynamics.recall(state, terms);
  terms.cables.winches = winches;
  terms.segment_end = segment_end;
  dynamics.forces(state.t, state.q(), state.v(), terms);
  return dynamics.cables().elastic_energy(terms.cables);
}

// An imposed speed that jumps is an impact, whose work is that of the drive.
void take_impact(const Dynamics& dynamics, State& state) {
  if (dynamics.model().drives.empty()) return;
  Terms terms = dynamics.make_terms();
  const double before = dynamics.formulation().kinetic_energy(state.q(), state.v());
  dynamics.project(state, terms);
  state.work() += dynamics.formulation().kinetic_energy(state.q(), state.v()) - before;
}

State prepare_start(const Dynamics& dynamics, Summary& summary) {
  State state = dynamics.start();
  const State asked = state;
  Terms terms = dynamics.make_terms();
  dynamics.rhs(0.0, state.y.data(), Eigen::VectorXd(Eigen::VectorXd::Zero(dynamics.size())).data(), terms);
  const double moved = dynamics.formulation().project(state.q(), state.v(), terms);
  double size = 0.0;
  for (const Node& node : dynamics.model().nodes) size = std::max(size, node.position.cwiseAbs().maxCoeff());
  if (const double error = dynamics.formulation().constraint_error(state.q());
      moved < 0.0 || error > 1e-9 * (1.0 + size))
    throw RunError(0.0,
                   fmt::format("the constraints contradict each other at the start: one is off by {:.3g} m", error));
  const double change = (state.y - asked.y).cwiseAbs().maxCoeff();
  if (change > 1e-9)
    summary.warnings.push_back(fmt::format(
        "the start velocities stretch bars or break constraints; they were changed by up to {:.3g} m/s to fit",
        change));
  return state;
}

// Members that are strung beyond their yield have yielded before the run: no energy of it is lost in that.
void settle_start(const Dynamics& dynamics, State& state, Terms& terms) {
  if (!dynamics.cables().yields()) return;
  dynamics.recall(state, terms);
  dynamics.forces(state.t, state.q(), state.v(), terms);
  dynamics.settle_yield(state.t, state, terms);
  state.yielded = 0.0;
}

void note_switches(Integrator& integrator, const Dynamics& dynamics, Summary& summary) {
  for (const Switch& s : integrator.switches()) {
    const int cables = static_cast<int>(dynamics.model().cables.size());
    const int cable = s.slot < 0 ? cables - 1 - s.slot : dynamics.cables().cable_of_slot(s.slot);
    if (cable >= 0) summary.slack_events.push_back({s.time, cable, s.taut});
  }
  std::stable_sort(summary.slack_events.begin(), summary.slack_events.end(),
                   [](const SlackEvent& a, const SlackEvent& b) { return a.time < b.time; });
  summary.slack_events_dropped = integrator.switches_dropped();
  const CableTerms& terms = integrator.terms().cables;
  for (const auto& [time, slot] : terms.yielded)
    summary.yielded.push_back({dynamics.cables().name(slot), time, terms.permanent[slot]});
  for (const WindingEvent& event : integrator.winding_events()) {
    const std::string what = event.off ? "all of its cable is unwound, and there is none left to unwind"
                                       : "its cable is wound past a full turn and lies upon itself";
    summary.warnings.push_back(fmt::format("pulley {}: from t = {:.6g} s on {}",
                                           dynamics.model().pulleys[event.pulley].name, event.time, what));
  }
}

}  // namespace

Summary run_motion(const Scenario& scenario, std::string_view formulation, const std::vector<Recorder*>& recorders,
                   const RunHooks& hooks) {
  const Simulation& asked = scenario.simulation;
  const Dynamics dynamics(scenario.model, formulation, asked.constraints, {asked.k_s, asked.k_d}, asked.corrections);
  Summary summary;
  summary.formulation = dynamics.formulation().name();
  if (const std::string remark = dynamics.formulation().remark(); !remark.empty()) summary.warnings.push_back(remark);
  std::string method = asked.integrator;
  if (method == "auto") {
    const Choice choice = choose_integrator(dynamics);
    method = choice.integrator;
    summary.integrator_reason = choice.reason;
  }
  const auto integrator = make_integrator(method, dynamics, {asked.step, asked.tolerance});
  summary.integrator = integrator->name();
  if (const std::string warning = friction_step_warning(dynamics, method, asked.step); !warning.empty())
    summary.warnings.push_back(warning);
  Rows rows(dynamics, asked.duration, recorders, hooks);
  ControlLoop control(dynamics, integrator->terms(), rows.terms());
  rows.add_controls(control);
  for (Recorder* recorder : recorders) recorder->begin(scenario);

  std::vector<double> ends = dynamics.breakpoints(asked.duration);
  for (const double t : control_breakpoints(scenario.model, asked.duration)) ends.push_back(t);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  Outputs outputs(
      asked.output_step, asked.duration, [&](const State& s) { rows(s); }, hooks.stop, ends);
  ends.push_back(asked.duration);
  const auto clock = std::chrono::steady_clock::now();
  try {
    State state = prepare_start(dynamics, summary);
    control.begin(state);
    // A controller that finds no inputs ends the run; the row of that time is kept.
    const auto act = [&] {
      try {
        control.act(state);
      } catch (const RunError&) {
        if (outputs.next() <= state.t) outputs.emit(state);
        throw;
      }
    };
    act();
    settle_start(dynamics, state, integrator->terms());
    outputs.emit(state);
    for (std::size_t next = 0; next < ends.size() && !outputs.stopped();) {
      // An instant that differs from a row by rounding is there.
      double end = control.next_before(ends[next]);
      if (std::abs(end - outputs.next()) < 1e-9 * asked.output_step && outputs.next() <= ends[next])
        end = outputs.next();
      integrator->terms().segment_end = end;
      integrator->restart(state);
      integrator->advance(state, end, outputs);
      if (outputs.stopped()) break;
      // Over the discontinuity, over the control instant, or to the last row.
      if (end == ends[next] && ++next < ends.size()) {
        state.work() += stored_energy(dynamics, state, control.winches(), INFINITY) -
                        stored_energy(dynamics, state, control.winches(), end);
        take_impact(dynamics, state);
      }
      if (end < asked.duration) act();
      if (outputs.next() == end) outputs.emit(state);
    }
    if (outputs.stopped()) {
      summary.status = "interrupted";
      summary.reason = fmt::format("interrupted at t = {:g} s", state.t);
    }
  } catch (const RunError& error) {
    summary.status = "failed";
    summary.reason = error.what() + control.worst_error();
  }
  summary.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  summary.steps = integrator->counts().steps;
  summary.rejected = integrator->counts().rejected;
  summary.rhs = integrator->counts().rhs;
  note_switches(*integrator, dynamics, summary);
  summary.chart_switches = integrator->terms().chart_switches;
  rows.report(summary);
  control.report(summary);
  return summary;
}

Summary simulate(const Scenario& scenario, const std::vector<Recorder*>& recorders, const RunHooks& hooks) {
  Settled settled;
  if (scenario.simulation.settle) settled = settle(scenario, hooks.stop);
  const Scenario& start = scenario.simulation.settle ? settled.scenario : scenario;
  Summary summary;
  if (!settled.failure.empty()) {
    for (Recorder* recorder : recorders) recorder->begin(scenario);
    summary.formulation = scenario.simulation.formulation;
    summary.integrator = scenario.simulation.integrator;
    summary.status = settled.interrupted ? "interrupted" : "failed";
    summary.reason = settled.failure;
  } else {
    summary = scenario.simulation.formulation == "all"
                  ? compare_formulations(start, recorders, hooks)
                  : run_motion(start, start.simulation.formulation, recorders, hooks);
  }
  if (!settled.note.empty()) summary.warnings.insert(summary.warnings.begin(), settled.note);
  for (Recorder* recorder : recorders) recorder->finish(summary);
  return summary;
}

}  // namespace taut
