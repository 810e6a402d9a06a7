#include "taut/control/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

// Instants that differ by less than this part of their distance are one.
constexpr double rounding_part = 1e-9;
constexpr double near = 1e-12;           // of a bound: as near is there
constexpr int fewest_instants = 10;      // while a path goes from end to end at its highest speed
constexpr int instants_of_freedom = 10;  // in a row, before an input counts as free again

// The velocity that a torque acts on.
int velocity_of(const Dynamics& dynamics, const ControlInput& input) {
  const auto refuse = [&](std::string message) {
    const JointSpec& joint = dynamics.model().joints[input.joint];
    throw InputError({problem_with("joint", joint.name, joint.place, std::move(message))});
  };
  const JointSide* joints = dynamics.formulation().joints();
  if (!joints)
    refuse(fmt::format("formulation {} has no joints that a controller could drive: expected multibody",
                       dynamics.formulation().facts().name));
  const int first = joints->joint_indices(input.joint).v;
  if (first < 0) refuse("closes a loop, and a controller drives joints of the tree only: give it role = \"tree\"");
  return first + input.coordinate;
}

// The first knot that comes within a period after another and about which the path turns: that is further from the line
// between half a period before and after than a hundredth of the whole range. 0: there is none.
std::size_t hidden_knot(const ControlPath& path, double period) {
  const std::vector<double>& times = path.times;
  if (times.size() < 2) return 0;
  const long width = static_cast<long>(path.values.size() / times.size());
  const TimedPath timed(path, static_cast<int>(width));
  const auto rows = Eigen::MatrixXd::Map(path.values.data(), width, static_cast<long>(times.size()));
  const Eigen::VectorXd range = rows.rowwise().maxCoeff() - rows.rowwise().minCoeff();
  Eigen::VectorXd before, at, after;
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (times[k] - times[k - 1] >= period * (1.0 - near)) continue;
    timed.evaluate(times[k] - 0.5 * period, 0, before);
    timed.evaluate(times[k], 0, at);
    timed.evaluate(times[k] + 0.5 * period, 0, after);
    if (((at - 0.5 * (before + after)).cwiseAbs().array() > 1e-2 * range.array()).any()) return k;
  }
  return 0;
}

// How long a path would take over its whole range at its highest speed, s.
double time_scale(const ControlPath& path) {
  if (path.times.size() < 2) return INFINITY;
  const long width = static_cast<long>(path.values.size() / path.times.size());
  const TimedPath timed(path, static_cast<int>(width));
  const auto rows = Eigen::MatrixXd::Map(path.values.data(), width, static_cast<long>(path.times.size()));
  const Eigen::VectorXd range = rows.rowwise().maxCoeff() - rows.rowwise().minCoeff();
  Eigen::VectorXd fastest = Eigen::VectorXd::Zero(width), rate;
  for (std::size_t k = 1; k < path.times.size(); ++k)
    for (const double part : {0.0, 0.5, 1.0}) {
      timed.evaluate(path.times[k - 1] + part * (path.times[k] - path.times[k - 1]), 1, rate);
      fastest = fastest.cwiseMax(rate.cwiseAbs());
    }
  double scale = INFINITY;
  for (long i = 0; i < width; ++i)
    if (fastest[i] > 0.0 && range[i] > 0.0) scale = std::min(scale, range[i] / fastest[i]);
  return scale;
}

}  // namespace

Control::Limit Control::limit_of(double value, const Bounds& bounds, ControllerKind kind) {
  // Near-rigid control keeps its bounds before it lets the strains follow, which shifts torques by a little.
  const double part = kind == ControllerKind::near_rigid ? 2e-3 : near;
  const auto slack = [&](double bound) { return std::isfinite(bound) ? part * std::abs(bound) : 0.0; };
  if (value >= bounds.most - slack(bounds.most)) return Limit::most;
  return value <= bounds.least + slack(bounds.least) ? Limit::least : Limit::none;
}

void Control::Laws::apply(const double* q, const double* v, Terms& terms) {
  std::fill(terms.torque.begin(), terms.torque.end(), 0.0);
  for (const Law& l : list)
    if (terms.time >= l.start) l.law->apply(q, v, terms);
}

double Control::Loop::next(const Memory& memory) const {
  if (spec->rate == 0.0) return std::numeric_limits<double>::infinity();
  return spec->start + memory.control[first] / spec->rate;
}

double Control::Loop::rounding() const { return spec->rate == 0.0 ? 0.0 : rounding_part / spec->rate; }

Control::Control(const Dynamics& dynamics) : model_(dynamics.model()), names_(controller_names(model_)) {
  for (const ControllerSpec& spec : model_.controllers) {
    Loop loop;
    loop.spec = &spec;
    loop.targets = std::make_unique<Targets>(model_, spec);
    loop.controller = make_controller(dynamics, spec, *loop.targets);
    if (spec.kind == ControllerKind::near_rigid) loop.extra = model_.pulleys.size();
    loop.first_axis = start_log_.axes.size();
    start_log_.axes.resize(loop.first_axis + static_cast<std::size_t>(loop.targets->memory()));
    loop.targets->begin_memory(start_log_.axes.data() + loop.first_axis);
    loop.first_use = start_log_.uses.size();
    start_log_.uses.resize(loop.first_use + loop.controller->inputs().size());
    loop.first = start_.control.size();
    start_.control.push_back(0.0);
    wire(dynamics, loop);
    start_.control.resize(start_.control.size() + static_cast<std::size_t>(loop.controller->memory()), 0.0);
    const std::span<double> own = loop.own(start_.control);
    loop.controller->begin(own);
    const auto first = static_cast<std::size_t>(own.data() - start_.control.data());
    if (TorqueLaw* law = loop.controller->law(first)) laws_.list.push_back({law, spec.start, first, own.size()});
    loops_.push_back(std::move(loop));
  }
}

void Control::wire(const Dynamics& dynamics, Loop& loop) {
  for (const ControlInput& input : loop.controller->inputs()) {
    Wire wire;
    wire.winch = input.cable >= 0;
    wire.name = input_name(model_, input);
    wire.unit = unit(model_, input);
    if (wire.winch) {
      wire.place = start_.winches.size();
      start_.winches.push_back({input.cable, model_.cables[input.cable].rest_length});
      start_.control.push_back(start_.winches.back().from);
    } else {
      wire.place = static_cast<std::size_t>(velocity_of(dynamics, input));
      start_.torques.resize(static_cast<std::size_t>(dynamics.formulation().facts().nv), NAN);
      start_.torques[wire.place] = 0.0;
      start_.control.push_back(0.0);
    }
    loop.wires.push_back(std::move(wire));
  }
}

void Control::begin(const Observation& start, State& state) {
  for (Loop& loop : loops_) loop.targets->begin(start);
  state.memory.winches = start_.winches;
  state.memory.torques = start_.torques;
  state.memory.control = start_.control;
}

double Control::next_before(double end, const State& state) const {
  double t = end;
  for (const Loop& loop : loops_)
    if (const double next = loop.next(state.memory); next < end - loop.rounding()) t = std::min(t, next);
  return t;
}

bool Control::due(const State& state) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& loop) { return state.t >= loop.next(state.memory) - loop.rounding(); });
}

bool Control::looks() const {
  return std::any_of(loops_.begin(), loops_.end(), [](const Loop& loop) { return !loop.controller->evaluates(); });
}

void Control::update(const Observation& now, State& state, ControlLog& log) {
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    Loop& loop = loops_[i];
    if (now.t < loop.next(state.memory) - loop.rounding()) continue;
    state.memory.control[loop.first] += 1.0;
    std::string what = loop.controller->update(now, loop.own(state.memory.control), loop.commands(state.memory));
    if (!what.empty()) log.note(now.t, static_cast<int>(i), std::move(what));
    drive(static_cast<int>(i), now.t, state, log);
  }
}

void Control::remember(const Terms& terms, State& state) const {
  for (const Laws::Law& law : laws_.list)
    std::copy_n(terms.control.begin() + static_cast<long>(law.first), law.count,
                state.memory.control.begin() + static_cast<long>(law.first));
}

// Commands within their bounds, to winches no faster than they can, and to joints.
void Control::drive(int index, double t, State& state, ControlLog& log) {
  Loop& loop = loops_[index];
  const std::span<double> commands = loop.commands(state.memory);
  const double period = 1.0 / loop.spec->rate, fastest = loop.controller->speed();
  for (std::size_t k = 0; k < loop.wires.size(); ++k) {
    const Wire& wire = loop.wires[k];
    const Bounds& bounds = loop.controller->inputs()[k].bounds;
    if (!std::isfinite(commands[k]))
      throw RunError(
          t, fmt::format("controller {}: its input {} is {} at t = {:g} s", names_[index], wire.name, commands[k], t));
    Limit reached = limit_of(commands[k], bounds, loop.spec->kind);
    const double command = std::clamp(commands[k], bounds.least, bounds.most);
    if (wire.winch) {
      Winch& winch = state.memory.winches[wire.place];
      if (wind(winch, t, command, period, fastest)) reached = Limit::speed;
    } else {
      state.memory.torques[wire.place] = command;
    }
    // A robot that rolls always winds as fast as it can.
    if (loop.spec->kind != ControllerKind::roll) note(index, k, reached, t, period, log);
  }
}

// An input that is at a limit from now on, or no longer.
void Control::note(int index, std::size_t input, Limit reached, double t, double lasting, ControlLog& log) {
  const Loop& loop = loops_[index];
  const Wire& wire = loop.wires[input];
  InputUse& use = log.uses[loop.first_use + input];
  if (reached == use.limit) {
    use.free = 0;
    if (reached != Limit::none) use.saturated_s += lasting;
    return;
  }
  if (reached == Limit::none) {
    if (use.free == 0) use.free_since = t;
    if (++use.free < instants_of_freedom) return;
    use.limit = Limit::none;
    use.free = 0;
    log.note(use.free_since, index, fmt::format("input {} free again", wire.name));
    return;
  }
  use.limit = reached;
  use.free = 0;
  ++use.saturations;
  use.saturated_s += lasting;
  const Bounds& bounds = loop.controller->inputs()[input].bounds;
  log.note(t, index,
           reached == Limit::speed
               ? fmt::format("input {} at the speed of its winch, {:g} m/s", wire.name, loop.controller->speed())
               : fmt::format("input {} at its bound {:g} {}", wire.name,
                             reached == Limit::most ? bounds.most : bounds.least, wire.unit));
}

void Control::record(const Observation& now, ControlLog& log, std::vector<double>& row) {
  row.clear();
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    Loop& loop = loops_[i];
    if (loop.spec->kind == ControllerKind::roll) continue;
    for (std::size_t k = 0; k < loop.wires.size(); ++k) {
      const Wire& wire = loop.wires[k];
      row.push_back(wire.winch               ? now.rest[loop.controller->inputs()[k].cable]
                    : loop.spec->rate == 0.0 ? now.terms->torque[wire.place]
                                             : now.terms->held[wire.place]);
      // Without instants, rows are when limits are looked at.
      if (loop.spec->rate == 0.0 && now.t >= loop.spec->start)
        note(static_cast<int>(i), k, limit_of(row.back(), loop.controller->inputs()[k].bounds, loop.spec->kind), now.t,
             now.t - log.last_row, log);
    }
    loop.targets->measure(now, log.axes.data() + loop.first_axis, value_, rate_);
    loop.targets->wanted(now.t, 0, wanted_);
    for (long k = 0; k < value_.size(); ++k) row.insert(row.end(), {wanted_[k], wanted_[k] - value_[k]});
    row.resize(row.size() + loop.extra);
    loop.controller->record(now, loop.own(now.terms->control), row.data() + row.size() - loop.extra);
  }
  log.last_row = now.t;
}

int driven_velocity(const Dynamics& dynamics, const ControlInput& input) {
  const JointSide* joints = dynamics.formulation().joints();
  const int first = joints ? joints->joint_indices(input.joint).v : -1;
  return first < 0 ? -1 : first + input.coordinate;
}

std::vector<double> control_breakpoints(const Model& model, double duration) {
  std::vector<double> times;
  for (const ControllerSpec& spec : model.controllers)
    if (spec.rate == 0.0)
      for (const double t : spec.steer.path.times)
        if (t > 0.0 && t < duration) times.push_back(t);
  return times;
}

std::vector<std::string> Control::shortfalls(const Observation& end, State& state) const {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const std::string what = loops_[i].controller->shortfall(end, loops_[i].own(state.memory.control));
    if (!what.empty()) list.push_back(fmt::format("controller {} {}", names_[i], what));
  }
  return list;
}

std::vector<std::string> Control::warnings() const {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const ControllerSpec& spec = *loops_[i].spec;
    if (spec.kind == ControllerKind::roll || spec.rate == 0.0) continue;
    const double period = 1.0 / spec.rate;
    // Knots that come and go between two instants.
    const std::vector<double>& times = spec.steer.path.times;
    if (const std::size_t k = hidden_knot(spec.steer.path, period); k > 0)
      list.push_back(fmt::format(
          "controller {}: its path has knots at t = {:g} s and {:g} s, but its instants are {:g} s apart: it cannot "
          "follow; rate = {:.4g} could",
          names_[i], times[k - 1], times[k], period, std::ceil((1.0 - 1e-9) / (times[k] - times[k - 1]))));
    else if (const double scale = time_scale(spec.steer.path); fewest_instants * period > scale)
      list.push_back(
          fmt::format("controller {}: its rate of {:g} 1/s is slow beside its path, which goes from end to end as fast "
                      "as in {:.3g} "
                      "s: expected {:.3g} or more",
                      names_[i], spec.rate, scale, std::ceil(fewest_instants / scale)));
    // Gains on accelerations: with more than this an error changes its sign within a period.
    if (spec.kind != ControllerKind::computed_torque && spec.kind != ControllerKind::near_rigid) continue;
    const auto too_fast = [&](const char* key, const char* unit, double gain, double product) {
      if (!(product > 1.0)) return false;
      list.push_back(fmt::format(
          "controller {}: {} {:g} {} is too much for its period of {:g} s: an error changes its sign within a period; "
          "take a higher rate or lower gains",
          names_[i], key, gain, unit, period));
      return true;
    };
    for (const double gain : spec.steer.velocity_gain)
      if (too_fast("velocity_gain", "1/s", gain, gain * period)) break;
    if (spec.kind == ControllerKind::near_rigid)
      too_fast("strain_gain", "1/s", spec.steer.strain_gain, spec.steer.strain_gain * period);
    for (const double gain : spec.steer.position_gain)
      if (too_fast("position_gain", "1/s²", gain, std::sqrt(gain) * period)) break;
  }
  return list;
}

}  // namespace taut
