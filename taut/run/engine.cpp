#include "taut/run/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/control/cable_command.h"
#include "taut/integrate/choose.h"
#include "taut/run/trust.h"

namespace taut {

namespace {

// An instant that differs from another time by less than this part of its period is there.
constexpr double rounding_part = 1e-9;
constexpr double most_rate = 1e9;  // 1/s; far beyond it time would not go on

Choice chosen(const Dynamics& dynamics, const std::string& integrator) {
  return integrator == "auto" ? choose_integrator(dynamics) : Choice{integrator, ""};
}

std::vector<double> jumps_of(const Dynamics& dynamics) {
  std::vector<double> times = dynamics.breakpoints(INFINITY);
  for (const double t : control_breakpoints(dynamics.model(), INFINITY)) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

Engine::Engine(const Scenario& scenario, std::string_view formulation)
    : asked_(scenario.simulation),
      dynamics_(scenario.model, formulation, asked_.constraints, {asked_.k_s, asked_.k_d}, asked_.corrections),
      choice_(chosen(dynamics_, asked_.integrator)),
      integrator_(make_integrator(choice_.integrator, dynamics_, {asked_.step, asked_.tolerance})),
      controllers_(dynamics_),
      jumps_(jumps_of(dynamics_)),
      probe_(dynamics_.make_terms()) {
  for (const std::string& warning :
       {dynamics_.formulation().facts().remark, friction_step_warning(dynamics_, choice_.integrator, asked_.step)})
    if (!warning.empty()) warnings_.push_back(warning);
  controllers_.rule(integrator_->terms());
}

void Engine::start() {
  state = dynamics_.start();
  const State asked = state;
  Terms terms = dynamics_.make_terms();
  dynamics_.rhs(0.0, state.y.data(), Eigen::VectorXd(Eigen::VectorXd::Zero(dynamics_.size())).data(), terms);
  const double moved = dynamics_.formulation().project(state.q(), state.v(), terms);
  double size = 0.0;
  for (const Node& node : dynamics_.model().nodes) size = std::max(size, node.position.cwiseAbs().maxCoeff());
  if (const double error = dynamics_.formulation().constraint_errors(state.q(), 0.0).length;
      moved < 0.0 || error > 1e-9 * (1.0 + size))
    throw RunError(0.0,
                   fmt::format("the constraints contradict each other at the start: one is off by {:.3g} m", error));
  const double change = (state.y - asked.y).cwiseAbs().maxCoeff();
  if (change > 1e-9)
    warnings_.push_back(fmt::format(
        "the start velocities stretch bars or break constraints; they were changed by up to {:.3g} m/s to fit",
        change));
  // Members that are stretched beyond their yield have yielded before the run: no energy of it is lost in that.
  if (dynamics_.cables().yields()) {
    dynamics_.recall(state, terms);
    dynamics_.forces(state.t, state.q(), state.v(), terms);
    dynamics_.settle_yield(state.t, state, terms);
    state.memory.yielded = 0.0;
  }
  for (std::string& warning : start_warnings(dynamics_, state)) warnings_.push_back(std::move(warning));
  controllers_.begin(state);
}

void Engine::advance(double t_end, Outputs& outputs) {
  make_room();
  while (true) {
    const bool last = !(state.t < t_end);
    if (!last) {
      cross();
      act(outputs);
    }
    if (outputs.next() <= state.t) outputs.emit(state);
    if (last || outputs.stopped()) return;
    // An instant that differs from a row by rounding is there.
    const double jump = std::min(next_jump(), t_end);
    double end = controllers_.next_before(jump, state);
    if (function_ && function_->next(state) < end - rounding_part / function_->rate) end = function_->next(state);
    if (std::abs(end - outputs.next()) < 1e-9 * outputs.step() && outputs.next() <= jump) end = outputs.next();
    integrator_->terms().segment_end = end;
    integrator_->restart(state);
    integrator_->advance(state, end, outputs);
    controllers_.remember(integrator_->terms(), state);
    if (outputs.stopped()) return;
  }
}

void Engine::advance_by(double dt) {
  kept_ = state;
  integrator_->forget(state.t);
  Outputs outputs(asked_.output_step, std::max(asked_.duration, state.t + dt), stop_flag());
  try {
    make_room();
    cross();
    act(outputs);
    advance(landmark_near(state.t + dt), outputs);
  } catch (const Stopped&) {
    if (std::exchange(stopped_at_instant_, false)) throw;
    take_back();
    throw;
  } catch (...) {
    take_back();
    throw;
  }
}

void Engine::take_back() {
  state = kept_;
  std::erase_if(integrator_->log.switches, [&](const Switch& s) { return s.time > state.t; });
  std::erase_if(integrator_->log.passes, [&](const BarPass& pass) { return pass.time > state.t; });
  std::erase_if(controllers_.log.events, [&](const ControlEvent& event) { return event.time > state.t; });
}

// Of signals and loads, or where a winch stops.
double Engine::next_jump() const {
  const auto jump = std::upper_bound(jumps_.begin(), jumps_.end(), state.t);
  double t = jump != jumps_.end() ? *jump : INFINITY;
  for (const Winch& winch : state.memory.winches)
    if (winch.until > state.t) t = std::min(t, winch.until);
  return t;
}

double Engine::landmark_near(double t) const {
  for (const double mark :
       {next_jump(), controllers_.next_before(INFINITY, state), function_ ? function_->next(state) : INFINITY})
    if (std::abs(mark - t) < 1e-9 * (t - state.t)) return mark;
  return t;
}

double Engine::stored_energy(double segment_end) {
  dynamics_.recall(state, probe_);
  probe_.segment_end = segment_end;
  dynamics_.forces(state.t, state.q(), state.v(), probe_);
  return dynamics_.cables().elastic_energy(probe_.cables);
}

bool Engine::before_jump() const {
  const auto jump = std::upper_bound(jumps_.begin(), jumps_.end(), state.memory.crossed);
  return jump != jumps_.end() && *jump <= state.t;
}

// A rest length that jumps changes the stored energy, an imposed speed that jumps is an impact; both are work of the
// drive.
void Engine::cross() {
  if (!before_jump()) return;
  state.memory.crossed = state.t;
  const double before = stored_energy(state.t);
  state.work() += stored_energy(INFINITY) - before;
  if (dynamics_.model().drives.empty() && !dynamics_.drives_rigid_bars()) return;
  const double left = std::nextafter(state.t, -INFINITY);
  const double kinetic = dynamics_.formulation().kinetic_energy(state.q(), state.v(), left);
  // The impact takes the masses and directions of this place.
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics_.size());
  dynamics_.rhs(state.t, state.y.data(), rate.data(), probe_);
  dynamics_.project(state, probe_);
  state.work() += dynamics_.formulation().kinetic_energy(state.q(), state.v(), state.t) - kinetic;
}

// A controller that finds no inputs, or is asked to stop, ends the run; the row of that time is kept.
void Engine::act(Outputs& outputs) {
  try {
    controllers_.act(state);
    if (function_ && state.t >= function_->next(state) - rounding_part / function_->rate) call_function();
  } catch (const Stopped&) {
    if (outputs.next() <= state.t) outputs.emit(state);
    throw;
  } catch (const RunError&) {
    if (outputs.next() <= state.t) outputs.emit(state);
    throw;
  }
}

Winch& Engine::winch_of(int cable, double rest_length) {
  for (Winch& winch : state.memory.winches)
    if (winch.cable == cable) return winch;
  return state.memory.winches.emplace_back(Winch{cable, rest_length, 0.0, state.t});
}

void Engine::hold(int velocity, double torque) {
  state.memory.torques.resize(static_cast<std::size_t>(state.nv), NAN);
  state.memory.torques[static_cast<std::size_t>(velocity)] = torque;
}

void Engine::command(std::span<const EngineInput> inputs, std::span<const double> values, double over) {
  const bool jumps = !(over > 0.0);
  const double before = stored_energy(INFINITY);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const EngineInput& input = inputs[i];
    if (input.cable < 0) {
      hold(input.velocity, values[i]);
      continue;
    }
    const auto slot = static_cast<std::size_t>(dynamics_.cables().slot_of_cable(input.cable));
    Winch& winch = winch_of(input.cable, probe_.cables.rest[slot]);
    if (jumps) {
      winch = {input.cable, values[i], 0.0, state.t};
    } else {
      wind(winch, state.t, values[i], over);
      winch.until = state.t + over;
    }
  }
  if (jumps) state.work() += stored_energy(INFINITY) - before;
}

void Engine::require_possible(const EngineInput& input, double value) const {
  if (!std::isfinite(value)) throw InputError(fmt::format("command: \"{}\" cannot be set to {}", input.name, value));
  if (input.cable < 0) return;
  const CableLaw& law = dynamics_.model().cables[static_cast<std::size_t>(input.cable)].law;
  if (!can_be_rest_length(law, value))
    throw InputError(
        fmt::format("command: the rest length of \"{}\" is {:g} m; expected more than 0", input.name, value));
}

bool Engine::takes(const State& s) const {
  const std::size_t size = s.memory.control.size(), own = controllers_.numbers();
  const bool functions = function_ && size == own + function_->numbers();
  if (size != own && !functions) return false;
  const double past = s.t - 1e-6 * (1.0 + std::abs(s.t));
  return controllers_.next_before(INFINITY, s) >= past && (!functions || function_->next(s) >= past);
}

void Engine::control(double rate, ControlFunction call, const ControlOptions& options,
                     std::vector<EngineInput> inputs) {
  if (!(rate > 0.0 && rate <= most_rate && options.speed > 0.0))
    throw InputError(fmt::format("control: rate {} 1/s and speed {} m/s; expected more than 0, and a rate up to {:g}",
                                 rate, options.speed, most_rate));
  state.memory.control.resize(controllers_.numbers());
  function_ = Function{rate, std::move(call), options, std::move(inputs), controllers_.numbers(), {}};
  make_room();
}

// A state from before the function was given has no numbers for it.
void Engine::make_room() {
  if (!function_ || state.memory.control.size() == function_->first + function_->numbers()) return;
  std::vector<double>& numbers = state.memory.control;
  numbers.resize(function_->first);
  numbers.insert(numbers.end(), {state.t, 0.0});
  numbers.resize(numbers.size() + function_->inputs.size(), NAN);
  numbers.resize(numbers.size() + function_->options.memory, 0.0);
}

void Engine::call_function() {
  Function& f = *function_;
  double* const numbers = state.memory.control.data() + f.first;
  f.before.assign(numbers, numbers + f.numbers());
  numbers[1] += 1.0;
  Commands commands{{numbers + 2, f.inputs.size()}, {numbers + 2 + f.inputs.size(), f.options.memory}};
  const Observation now = controllers_.look(state);
  try {
    f.call(now, commands);
  } catch (const Stopped&) {
    // It is asked again when the motion goes on.
    std::copy(f.before.begin(), f.before.end(), numbers);
    stopped_at_instant_ = true;
    throw;
  }
  for (std::size_t i = 0; i < f.inputs.size(); ++i) {
    const EngineInput& input = f.inputs[i];
    if (std::isnan(commands[i])) continue;
    try {
      require_possible(input, commands[i]);
    } catch (const InputError& error) {
      throw RunError(state.t, fmt::format("{} at t = {:g} s", error.what(), state.t));
    }
    if (input.cable >= 0)
      wind(winch_of(input.cable, now.rest[input.cable]), state.t, commands[i], 1.0 / f.rate, f.options.speed);
    else
      hold(input.velocity, commands[i]);
  }
}

void Engine::report(Summary& summary) const {
  const Model& model = dynamics_.model();
  const IntegratorLog& log = integrator_->log;
  summary.formulation = dynamics_.formulation().facts().name;
  summary.integrator = integrator_->name();
  summary.integrator_reason = choice_.reason;
  summary.warnings = warnings_;
  summary.steps = log.counts.steps;
  summary.rejected = log.counts.rejected;
  summary.rhs = log.counts.rhs;
  for (const Switch& s : log.switches) {
    const int cables = static_cast<int>(model.cables.size());
    const int cable = s.slot < 0 ? cables - 1 - s.slot : dynamics_.cables().cable_of_slot(s.slot);
    if (cable >= 0) summary.slack_events.push_back({s.time, cable, s.taut});
  }
  std::stable_sort(summary.slack_events.begin(), summary.slack_events.end(),
                   [](const SlackEvent& a, const SlackEvent& b) { return a.time < b.time; });
  summary.slack_events_dropped = log.switches_dropped;
  for (const FirstYield& first : state.memory.first_yields)
    if (first.slot >= 0)
      summary.yielded.push_back({dynamics_.cables().name(first.slot), first.time,
                                 state.memory.permanent[static_cast<std::size_t>(first.slot)]});
  for (const WindingEvent& event : log.windings)
    summary.warnings.push_back(fmt::format("pulley {}: from t = {:.6g} s on {}", model.pulleys[event.pulley].name,
                                           event.time,
                                           event.off ? "all of its cable is unwound, and there is none left to unwind"
                                                     : "its cable is wound past a full turn and lies upon itself"));
  if (std::string warning = passed_warning(model, log.passes); !warning.empty())
    summary.warnings.push_back(std::move(warning));
  summary.hard_contact = dynamics_.contact().rigid().any();
  summary.contact_residual = log.contact_residual;
  summary.contact_sweeps = log.contact_sweeps;
  summary.chart_switches = integrator_->terms().chart_switches;
}

}  // namespace taut
