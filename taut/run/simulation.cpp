#include "taut/run/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/run/commandable.h"
#include "taut/run/engine.h"
#include "taut/run/observe.h"
#include "taut/run/settle.h"
#include "taut/run/trust.h"

namespace taut {

namespace {

Scenario settled(Scenario scenario) {
  if (scenario.simulation.formulation == "all")
    throw InputError("simulation.formulation: \"all\" compares runs; expected one formulation to step in");
  if (!scenario.simulation.settle) return scenario;
  Settled found = settle(scenario, nullptr);
  if (!found.failure.empty()) throw RunError(0.0, found.failure);
  return std::move(found.scenario);
}

// Every list as long as this simulation has it, every number of an entity one of its own.
void require_fit(const Snapshot& s, const Snapshot& start, const Engine& engine) {
  const Model& model = engine.dynamics().model();
  const auto cables = std::ssize(model.cables), pulleys = std::ssize(model.pulleys), bars = std::ssize(model.bars);
  const int slots = engine.dynamics().cables().slots();
  const Memory& memory = s.state.memory;
  const auto in = [](long i, long first, long end) { return first <= i && i < end; };
  const auto none_or = [](const auto& list, long size) { return list.empty() || std::ssize(list) == size; };
  const auto every = [](const auto& list, const auto& fits) { return std::all_of(list.begin(), list.end(), fits); };
  const bool fits =
      s.state.nq == start.state.nq && s.state.nv == start.state.nv && s.state.y.size() == start.state.y.size() &&
      memory.permanent.size() == start.state.memory.permanent.size() &&
      memory.first_yields.size() == start.state.memory.first_yields.size() &&
      every(memory.first_yields, [&](const FirstYield& y) { return in(y.slot, -1, slots); }) &&
      every(memory.winches, [&](const Winch& w) { return in(w.cable, 0, cables); }) &&
      // Controllers know their winches and torques by number.
      memory.winches.size() >= start.state.memory.winches.size() &&
      std::equal(start.state.memory.winches.begin(), start.state.memory.winches.end(), memory.winches.begin(),
                 [](const Winch& a, const Winch& b) { return a.cable == b.cable; }) &&
      none_or(memory.torques, s.state.nv) && memory.torques.size() >= start.state.memory.torques.size() &&
      none_or(memory.taut, slots) && none_or(memory.stretched, slots) && none_or(memory.pulley_switch, pulleys) &&
      engine.takes(s.state) &&
      every(s.integrator.switches, [&](const Switch& w) { return in(w.slot, -pulleys, slots); }) &&
      every(s.integrator.windings, [&](const WindingEvent& w) { return in(w.pulley, 0, pulleys); }) &&
      every(s.integrator.passes, [&](const BarPass& p) { return in(p.a, 0, bars) && in(p.b, 0, bars); }) &&
      every(s.control.events,
            [&](const ControlEvent& e) { return in(e.controller, 0, std::ssize(model.controllers)); }) &&
      s.control.uses.size() == start.control.uses.size() && s.control.axes.size() == start.control.axes.size() &&
      s.frames.size() == start.frames.size() && std::isfinite(s.state.t) && s.state.y.allFinite();
  if (!fits)
    throw InputError("restore: the snapshot is of a simulation of another model, or under another control function");
}

}  // namespace

struct Simulation::Parts {
  Scenario scenario;
  Engine engine;
  Observer observer;
  RowChecks checks;
  std::vector<EngineInput> inputs;
  std::vector<std::string> names;
  Snapshot start;
  bool seen = false;  // the observer has seen the present state

  explicit Parts(Scenario given)
      : scenario(settled(std::move(given))),
        engine(scenario, scenario.simulation.formulation),
        observer(engine.dynamics(), INFINITY),
        checks(engine.dynamics()) {
    engine.controllers().rule(observer.terms());
    inputs = commandable_inputs(engine.dynamics());
    for (const EngineInput& input : inputs) names.push_back(input.name);
    engine.start();
    start = snapshot();
  }

  // Just before a jump that the next step will cross, its left side.
  const Sample& sample() {
    if (seen) return observer.sample();
    observer.terms().segment_end = engine.before_jump() ? engine.state.t : INFINITY;
    observer.observe(engine.state);
    seen = true;
    return observer.sample();
  }

  Snapshot snapshot() {
    return {engine.state, engine.integrator().log, engine.controllers().log, engine.integrator().terms().chart_switches,
            observer.frames().poses()};
  }

  void restore(const Snapshot& from) {
    if (from.state.t < engine.state.t) checks = RowChecks(engine.dynamics());
    engine.state = from.state;
    engine.integrator().log = from.integrator;
    engine.controllers().log = from.control;
    engine.integrator().terms().chart_switches = from.chart_switches;
    observer.frames().remember(from.frames);
    seen = false;
  }

  void require_possible(const EngineInput& input, double value, double over) const {
    if (!(over >= 0.0) || !std::isfinite(over))
      throw InputError(fmt::format("command: \"{}\" cannot be set within {} s", input.name, over));
    engine.require_possible(input, value);
  }
};

Simulation::Simulation(Scenario scenario) : parts_(std::make_unique<Parts>(std::move(scenario))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const Scenario& Simulation::scenario() const { return parts_->scenario; }
const std::vector<std::string>& Simulation::inputs() const { return parts_->names; }

std::size_t Simulation::input(std::string_view name) const {
  const std::vector<std::string>& names = parts_->names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw InputError(fmt::format("there is no input \"{}\"{}", name, suggestion(name, {names.begin(), names.end()})));
}

void Simulation::command(std::size_t input, double value, double over) {
  if (input >= parts_->inputs.size())
    throw InputError(fmt::format("command: input {} of {}", input, parts_->inputs.size()));
  const EngineInput& to = parts_->inputs[input];
  parts_->require_possible(to, value, over);
  parts_->engine.command({&to, 1}, {&value, 1}, over);
  parts_->seen = false;
}

void Simulation::command_all(std::span<const double> values, double over) {
  const std::vector<EngineInput>& inputs = parts_->inputs;
  if (values.size() != inputs.size())
    throw InputError(
        fmt::format("command: got {} numbers for {} inputs; expected one for each", values.size(), inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) parts_->require_possible(inputs[i], values[i], over);
  parts_->engine.command(inputs, values, over);
  parts_->seen = false;
}

void Simulation::command_some(std::span<const std::size_t> inputs, std::span<const double> values, double over) {
  if (inputs.size() != values.size())
    throw InputError(
        fmt::format("command: got {} numbers for {} inputs; expected one for each", values.size(), inputs.size()));
  std::vector<EngineInput> some;
  some.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] >= parts_->inputs.size())
      throw InputError(fmt::format("command: input {} of {}", inputs[i], parts_->inputs.size()));
    parts_->require_possible(parts_->inputs[inputs[i]], values[i], over);
    some.push_back(parts_->inputs[inputs[i]]);
  }
  parts_->engine.command(some, values, over);
  parts_->seen = false;
}

void Simulation::command(std::string_view name, double value, double over) { command(input(name), value, over); }

void Simulation::control(double rate, ControlFunction function, const ControlOptions& options) {
  parts_->engine.control(rate, std::move(function), options, parts_->inputs);
}

void Simulation::advance(double dt) {
  if (!(dt > 0.0 && std::isfinite(dt))) throw InputError(fmt::format("advance: by {} s; expected more than 0", dt));
  parts_->seen = false;
  parts_->engine.advance_by(dt);
}

double Simulation::time() const { return parts_->engine.state.t; }

namespace {

Points points(const std::vector<double>& row) { return {row.data(), 3, static_cast<Eigen::Index>(row.size() / 3)}; }
Values values(const std::vector<double>& row) { return {row.data(), static_cast<Eigen::Index>(row.size())}; }

}  // namespace

Points Simulation::nodes() const { return points(sample().nodes); }
Points Simulation::velocities() const { return points(sample().velocities); }
Values Simulation::tensions() const { return values(sample().tensions); }
Values Simulation::lengths() const { return values(sample().lengths); }
Values Simulation::rest_lengths() const { return values(sample().rest_lengths); }
Values Simulation::bar_forces() const { return values(sample().bar_forces); }
Values Simulation::energy() const { return {sample().energy.data(), energy_columns}; }
const Sample& Simulation::sample() const { return parts_->sample(); }

Summary Simulation::summary() const {
  Summary summary;
  summary.simulated_s = time();
  parts_->engine.report(summary);
  parts_->checks.report(summary);
  parts_->engine.controllers().report(summary);
  return summary;
}

std::vector<Event> Simulation::events() const { return events_of(summary(), scenario().model); }

void Simulation::record(Recorder& recorder) {
  Sample row = sample();
  parts_->engine.controllers().record(state(), parts_->observer.terms(), row);
  parts_->checks.look(row, parts_->observer.bar_length_error());
  recorder.sample(row);
}

const State& Simulation::state() const { return parts_->engine.state; }
const Dynamics& Simulation::dynamics() const { return parts_->engine.dynamics(); }
Snapshot Simulation::snapshot() const { return parts_->snapshot(); }
void Simulation::reset() { parts_->restore(parts_->start); }

void Simulation::restore(const Snapshot& snapshot) {
  require_fit(snapshot, parts_->start, parts_->engine);
  parts_->restore(snapshot);
}

}  // namespace taut
