#include "taut/dynamics/dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/base/error.h"
#include "taut/dynamics/constraints_lost.h"

namespace taut {

namespace {

// At the end of a segment the limit from the left.
double side_of(double t, const Terms& terms) {
  return t >= terms.segment_end ? std::nextafter(t, -std::numeric_limits<double>::infinity()) : t;
}

}  // namespace

Dynamics::Dynamics(const Model& model, std::string_view formulation, ConstraintMethod method, const DriftGains& gains,
                   int corrections)
    : model_(&model),
      formulation_(make_formulation(formulation, model)),
      cables_(model),
      drag_(model),
      contact_(model),
      drives_rigid_bars_(taut::drives_rigid_bars(model)),
      method_(method),
      corrections_(corrections) {
  if (method == ConstraintMethod::baumgarte) gains_ = gains;
  // Weight of each node: its share of everything attached to it.
  total_mass_ = taut::total_mass(model);
  const std::vector<double> mass = node_masses(model);
  weight_.assign(4 * model.nodes.size(), 0.0);
  for (std::size_t i = 0; i < mass.size() && !formulation_->facts().weighs_itself; ++i) {
    for (int axis = 0; axis < 3; ++axis) weight_[4 * i + axis] = mass[i] * model.gravity[axis];
  }
}

Dynamics::Dynamics(Dynamics&&) noexcept = default;
Dynamics::~Dynamics() = default;

State Dynamics::start() const {
  State state = formulation_->start();
  if (contact_.rigid().any()) state.memory.pressed.assign(3 * model_->nodes.size(), 0.0);
  if (!cables_.yields()) return state;
  state.memory.permanent.assign(cables_.slots(), 0.0);
  state.memory.first_yields.resize(cables_.yielding().size());
  return state;
}

void Dynamics::recall(const State& state, Terms& terms) const {
  const Memory& memory = state.memory;
  cables_.set_winches(memory.winches, terms.cables);
  terms.held = memory.torques;
  terms.control = memory.control;
  if (terms.contact.keep_forces) terms.contact.rigid.pressed.assign(memory.pressed.begin(), memory.pressed.end());
  if (memory.permanent.empty()) return;
  terms.cables.permanent.assign(memory.permanent.begin(), memory.permanent.end());
  terms.cables.first_yields = memory.first_yields;
  terms.cables.settled_at = std::numeric_limits<double>::quiet_NaN();
}

bool Dynamics::settle_yield(double t, State& state, Terms& terms) const {
  bool jump = false;
  state.memory.yielded += cables_.settle_yield(t, terms.cables, jump);
  state.memory.permanent.assign(terms.cables.permanent.begin(), terms.cables.permanent.end());
  state.memory.first_yields = terms.cables.first_yields;
  return jump;
}

Terms Dynamics::make_terms() const {
  Terms terms = formulation_->make_terms();
  terms.cables = cables_.make_terms();
  terms.contact = contact_.make_terms();
  terms.corrections = corrections_;
  return terms;
}

void Dynamics::forces(double t, const double* q, const double* v, Terms& terms) const {
  terms.time = side_of(t, terms);
  formulation_->place_nodes(q, v, terms);
  node_forces(t, terms);
}

void Dynamics::node_forces(double t, Terms& terms) const {
  const double side = terms.time = side_of(t, terms);
  if (cables_.driven() || !terms.cables.winches.empty()) cables_.set_time(side, terms.cables);
  cables_.apply(terms.x.data(), terms.xd.data(), weight_.data(), terms.force.data(), terms.cables);
  terms.dissipated_power = terms.cables.dissipated_power;
  terms.work_power = terms.cables.actuator_power;
  if (drag_.any()) terms.dissipated_power += drag_.apply(terms.xd.data(), terms.force.data());
  if (contact_.any() || (terms.contact.keep_forces && contact_.rigid().any())) {
    contact_.apply(terms.x.data(), terms.xd.data(), terms.force.data(), terms.contact);
    terms.dissipated_power += terms.contact.dissipated_power;
  }
  for (const Load& load : model_->loads) {
    if (side < load.from || side >= load.to) continue;
    for (int axis = 0; axis < 3; ++axis) {
      terms.force[4 * load.node + axis] += load.force[axis];
      terms.work_power += load.force[axis] * terms.xd[4 * load.node + axis];
    }
  }
}

void Dynamics::rhs(double t, const double* y, double* y_rate, Terms& terms) const {
  const int nq = formulation_->facts().nq, nv = formulation_->facts().nv;
  const double* q = y;
  const double* v = y + nq;
  forces(t, q, v, terms);
  if (terms.law) terms.law->apply(q, v, terms);
  formulation_->coordinate_rates(q, v, y_rate);
  formulation_->accelerate(q, v, gains_, terms, y_rate + nq);
  y_rate[nq + nv] = terms.dissipated_power;
  y_rate[nq + nv + 1] = terms.work_power;
}

// The bar that is driven to next to nothing.
std::string Dynamics::shrunk_bar(double t) const {
  for (const BarDrive& drive : model_->bar_drives) {
    const Bar& bar = model_->bars[drive.bar];
    const double length = value(drive.length, t);
    if (!bar.elastic && length < 1e-3 * bar.rest_length)
      return fmt::format("; the length of bar \"{}\" is driven to {:.3g} m", bar.name, length);
  }
  return "";
}

double Dynamics::project(State& state, Terms& terms) const {
  if (method_ != ConstraintMethod::projection) return 0.0;
  terms.time = side_of(state.t, terms);
  const double moved = formulation_->project(state.q(), state.v(), terms);
  if (!(moved >= 0.0)) {
    const JointSide* joints = formulation_->joints();
    std::string why = joints ? joints->open_loop(state.q(), terms.time) : "";
    why = why.empty() ? shrunk_bar(terms.time) : "; " + why;
    const std::string message = fmt::format(
        "the bars and joints cannot be put back on their constraints at t = {:g} s: the motion has diverged or the "
        "constraints contradict each other{}",
        state.t, why);
    if (!why.empty()) throw RunError(state.t, message);
    throw ConstraintsLost(state.t, message);
  }
  return moved;
}

double Dynamics::stabilise(State& state, Terms& terms) const {
  const double moved = project(state, terms);
  bool changed = formulation_->rechart(state.q(), state.v(), terms);
  if (cables_.yields()) {
    forces(state.t, state.q(), state.v(), terms);
    changed |= settle_yield(state.t, state, terms);
  }
  return changed ? std::numeric_limits<double>::infinity() : moved;
}

double Dynamics::gravity_energy(const Terms& terms) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < model_->nodes.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) sum -= weight_[4 * i + axis] * terms.x[4 * i + axis];
  return sum;
}

double Dynamics::contact_energy(const Terms& terms) const {
  return contact_.any() ? contact_.energy(terms.x.data(), terms.contact) : 0.0;
}

std::vector<double> Dynamics::breakpoints(double duration) const {
  std::vector<double> times;
  for (const Actuator& actuator : model_->actuators)
    for (double t : taut::breakpoints(actuator.rest_length)) times.push_back(t);
  for (const BarDrive& drive : model_->bar_drives)
    for (double t : taut::breakpoints(drive.length, !model_->bars[drive.bar].elastic)) times.push_back(t);
  for (const JointDrive& drive : model_->drives)
    for (double t : taut::breakpoints(drive.signal, drive.imposed)) times.push_back(t);
  for (const Load& load : model_->loads) {
    times.push_back(load.from);
    times.push_back(load.to);
  }
  std::erase_if(times, [&](double t) { return !(t > 0.0 && t < duration); });
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace taut
