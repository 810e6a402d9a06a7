#include "taut/control/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/formulation/multibody/multibody.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

// Instants that differ by less than this part of their distance are one.
constexpr double rounding_part = 1e-9;
constexpr double near = 1e-12;           // of a bound: as near is there
constexpr int fewest_instants = 10;      // while a path goes from end to end at its highest speed
constexpr int instants_of_freedom = 10;  // in a row, before an input counts as free again

// The velocity of the tree that a torque acts on.
int velocity_of(const Dynamics& dynamics, const ControlInput& input) {
  const std::string joint = fmt::format("joint \"{}\"", dynamics.model().joints[input.joint].name);
  const auto* mechanism = dynamic_cast<const Multibody*>(&dynamics.formulation());
  if (!mechanism)
    throw InputError(std::vector<Problem>{
        {{},
         joint,
         fmt::format("formulation {} has no joints that a controller could drive: expected multibody",
                     dynamics.formulation().name())}});
  const int first = mechanism->velocity_of_joint(input.joint);
  if (first < 0)
    throw InputError(std::vector<Problem>{
        {{}, joint, "closes a loop, and a controller drives joints of the tree only: give it role = \"tree\""}});
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

void Control::Torques::apply(const double* q, const double* v, multibody::SystemTerms& terms) {
  for (const Held& h : held) terms.applied[h.velocity] += h.torque;
  for (const Law& l : laws)
    if (terms.time >= l.start) l.law->apply(q, v, terms);
}

double Control::Loop::next() const {
  if (spec->rate == 0.0) return std::numeric_limits<double>::infinity();
  return spec->start + static_cast<double>(instants) / spec->rate;
}

double Control::Loop::rounding() const { return spec->rate == 0.0 ? 0.0 : rounding_part / spec->rate; }

Control::Control(const Dynamics& dynamics) : model_(dynamics.model()), names_(controller_names(model_)) {
  for (const ControllerSpec& spec : model_.controllers) {
    Loop loop;
    loop.spec = &spec;
    loop.targets = std::make_unique<Targets>(model_, spec);
    loop.controller = make_controller(dynamics, spec, *loop.targets);
    if (spec.kind == ControllerKind::near_rigid) loop.extra = model_.pulleys.size();
    wire(dynamics, loop);
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
      wire.place = winches_.size();
      winches_.push_back({input.cable, model_.cables[input.cable].rest_length, 0.0, 0.0});
      loop.commands.push_back(winches_.back().from);
    } else {
      wire.place = torques_.held.size();
      torques_.held.push_back({velocity_of(dynamics, input), 0.0});
      loop.commands.push_back(0.0);
    }
    loop.wires.push_back(std::move(wire));
  }
  loop.use.resize(loop.wires.size());
  if (multibody::TorqueLaw* law = loop.controller->law()) torques_.laws.push_back({law, loop.spec->start});
}

void Control::begin(const Observation& start) {
  for (Loop& loop : loops_) loop.targets->begin(start);
}

double Control::next_before(double end) const {
  double t = end;
  for (const Loop& loop : loops_)
    if (loop.next() < end - loop.rounding()) t = std::min(t, loop.next());
  return t;
}

bool Control::due(double t) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& loop) { return t >= loop.next() - loop.rounding(); });
}

bool Control::looks() const {
  return std::any_of(loops_.begin(), loops_.end(), [](const Loop& loop) { return !loop.controller->evaluates(); });
}

std::vector<ControlReport> Control::update(const Observation& now) {
  std::vector<ControlReport> reports;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    Loop& loop = loops_[i];
    if (now.t < loop.next() - loop.rounding()) continue;
    ++loop.instants;
    std::string what = loop.controller->update(now, loop.commands);
    if (!what.empty()) reports.push_back({now.t, static_cast<int>(i), std::move(what)});
    drive(static_cast<int>(i), now.t, reports);
  }
  return reports;
}

// Commands within their bounds, to winches no faster than they can, and to joints.
void Control::drive(int index, double t, std::vector<ControlReport>& reports) {
  Loop& loop = loops_[index];
  const double period = 1.0 / loop.spec->rate, fastest = loop.controller->speed();
  for (std::size_t k = 0; k < loop.wires.size(); ++k) {
    const Wire& wire = loop.wires[k];
    const Bounds& bounds = loop.controller->inputs()[k].bounds;
    if (!std::isfinite(loop.commands[k]))
      throw RunError(t, fmt::format("controller {}: its input {} is {} at t = {:g} s", names_[index], wire.name,
                                    loop.commands[k], t));
    Limit reached = limit_of(loop.commands[k], bounds, loop.spec->kind);
    const double command = std::clamp(loop.commands[k], bounds.least, bounds.most);
    if (wire.winch) {
      Winch& winch = winches_[wire.place];
      const double now = winch.from + winch.rate * (t - winch.since), rate = (command - now) / period;
      if (std::abs(rate) > fastest * (1.0 + near)) reached = Limit::speed;
      winch = {winch.cable, now, std::clamp(rate, -fastest, fastest), t};
    } else {
      torques_.held[wire.place].torque = command;
    }
    // A robot that rolls always winds as fast as it can.
    if (loop.spec->kind != ControllerKind::roll) note(index, k, reached, t, period, reports);
  }
}

// An input that is at a limit from now on, or no longer.
void Control::note(int index, std::size_t input, Limit reached, double t, double lasting,
                   std::vector<ControlReport>& reports) {
  Loop& loop = loops_[index];
  Wire& wire = loop.wires[input];
  if (reached == wire.limit) {
    wire.free = 0;
    if (reached != Limit::none) loop.use[input].saturated_s += lasting;
    return;
  }
  if (reached == Limit::none) {
    if (wire.free == 0) wire.free_since = t;
    if (++wire.free < instants_of_freedom) return;
    wire.limit = Limit::none;
    wire.free = 0;
    reports.push_back({wire.free_since, index, fmt::format("input {} free again", wire.name)});
    return;
  }
  wire.limit = reached;
  wire.free = 0;
  ++loop.use[input].saturations;
  loop.use[input].saturated_s += lasting;
  const Bounds& bounds = loop.controller->inputs()[input].bounds;
  reports.push_back(
      {t, index,
       reached == Limit::speed
           ? fmt::format("input {} at the speed of its winch, {:g} m/s", wire.name, loop.controller->speed())
           : fmt::format("input {} at its bound {:g} {}", wire.name,
                         reached == Limit::most ? bounds.most : bounds.least, wire.unit)});
}

std::vector<ControlReport> Control::record(const Observation& now, std::vector<double>& row) {
  std::vector<ControlReport> reports;
  row.clear();
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    Loop& loop = loops_[i];
    if (loop.spec->kind == ControllerKind::roll) continue;
    for (std::size_t k = 0; k < loop.wires.size(); ++k) {
      const Wire& wire = loop.wires[k];
      row.push_back(wire.winch ? now.rest[winches_[wire.place].cable]
                               : (*now.terms->multibody).applied[torques_.held[wire.place].velocity]);
      // Without instants, rows are when limits are looked at.
      if (loop.spec->rate == 0.0 && now.t >= loop.spec->start)
        note(static_cast<int>(i), k, limit_of(row.back(), loop.controller->inputs()[k].bounds, loop.spec->kind), now.t,
             now.t - loop.last_row, reports);
    }
    loop.last_row = now.t;
    loop.targets->measure(now, value_, rate_);
    loop.targets->wanted(now.t, 0, wanted_);
    for (long k = 0; k < value_.size(); ++k) row.insert(row.end(), {wanted_[k], wanted_[k] - value_[k]});
    row.resize(row.size() + loop.extra);
    loop.controller->record(now, row.data() + row.size() - loop.extra);
  }
  return reports;
}

std::vector<double> control_breakpoints(const Model& model, double duration) {
  std::vector<double> times;
  for (const ControllerSpec& spec : model.controllers)
    if (spec.rate == 0.0)
      for (const double t : spec.steer.path.times)
        if (t > 0.0 && t < duration) times.push_back(t);
  return times;
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
