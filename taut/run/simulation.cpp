#include "taut/run/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/model/control_names.h"
#include "taut/run/engine.h"
#include "taut/run/observe.h"
#include "taut/run/settle.h"

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

// What the model drives by signals, or else whatever could be driven; but for what controllers have.
std::vector<ControlInput> inputs_of(const Model& model) {
  std::vector<ControlInput> inputs;
  for (const Actuator& actuator : model.actuators) inputs.push_back({actuator.cable, -1, 0, {}});
  for (const JointDrive& drive : model.drives)
    if (!drive.imposed) inputs.push_back({-1, drive.joint, drive.coordinate, {}});
  if (inputs.empty()) {
    for (int i = 0; i < std::ssize(model.cables); ++i) inputs.push_back({i, -1, 0, {}});
    for (int i = 0; i < std::ssize(model.joints); ++i)
      for (int k = 0; k < joint_velocities(model.joints[static_cast<std::size_t>(i)].type); ++k)
        inputs.push_back({-1, i, k, {}});
  }
  std::erase_if(inputs, [&](const ControlInput& input) {
    return std::any_of(model.controllers.begin(), model.controllers.end(), [&](const ControllerSpec& spec) {
      const auto same = [&](const ControlInput& driven) {
        return driven.cable == input.cable && driven.joint == input.joint && driven.coordinate == input.coordinate;
      };
      return spec.kind == ControllerKind::roll && spec.steer.inputs.empty()
                 ? input.cable >= 0
                 : std::any_of(spec.steer.inputs.begin(), spec.steer.inputs.end(), same);
    });
  });
  return inputs;
}

}  // namespace

struct Simulation::Parts {
  Scenario scenario;
  Engine engine;
  Observer observer;
  std::vector<EngineInput> inputs;
  std::vector<std::string> names;
  Snapshot start;
  bool seen = false;  // the observer has seen the present state

  explicit Parts(Scenario given)
      : scenario(settled(std::move(given))),
        engine(scenario, scenario.simulation.formulation),
        observer(engine.dynamics(), INFINITY) {
    engine.controllers().rule(observer.terms());
    for (const ControlInput& input : inputs_of(scenario.model)) {
      const int velocity = input.cable < 0 ? driven_velocity(engine.dynamics(), input) : -1;
      if (input.cable < 0 && velocity < 0) continue;
      names.push_back(input_name(scenario.model, input));
      inputs.push_back({names.back(), input.cable, velocity});
    }
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
            observer.frames()};
  }

  void restore(const Snapshot& from) {
    engine.state = from.state;
    engine.integrator().log = from.integrator;
    engine.controllers().log = from.control;
    engine.integrator().terms().chart_switches = from.chart_switches;
    observer.frames() = from.frames;
    seen = false;
  }

  void require_rest_length(const EngineInput& input, double value) const {
    const CableLaw& law = scenario.model.cables[static_cast<std::size_t>(input.cable)].law;
    const bool zero_allowed = law.kind == LawKind::spring && !law.by_EA;
    if (!(value > 0.0) && !(zero_allowed && value == 0.0))
      throw InputError(
          fmt::format("command: the rest length of \"{}\" is {:g} m; expected more than 0", input.name, value));
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
  if (!std::isfinite(value) || !(over >= 0.0) || !std::isfinite(over))
    throw InputError(fmt::format("command: \"{}\" cannot be set to {} within {} s", to.name, value, over));
  if (to.cable >= 0) parts_->require_rest_length(to, value);
  parts_->engine.command(to, value, over);
  parts_->seen = false;
}

void Simulation::command(std::string_view name, double value, double over) { command(input(name), value, over); }

void Simulation::control(double rate, ControlFunction function, const ControlOptions& options) {
  if (!(rate > 0.0 && std::isfinite(rate) && options.speed > 0.0))
    throw InputError(fmt::format("control: rate {} 1/s and speed {} m/s; expected more than 0", rate, options.speed));
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
  parts_->engine.controllers().report(summary);
  return summary;
}

std::vector<Event> Simulation::events() const { return events_of(summary(), scenario().model); }

const State& Simulation::state() const { return parts_->engine.state; }
Snapshot Simulation::snapshot() const { return parts_->snapshot(); }
void Simulation::restore(const Snapshot& snapshot) { parts_->restore(snapshot); }
void Simulation::reset() { restore(parts_->start); }

}  // namespace taut
