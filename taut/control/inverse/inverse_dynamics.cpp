#include "taut/control/inverse/inverse_dynamics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "taut/base/error.h"
#include "taut/control/cable_command.h"

namespace taut {

using Eigen::VectorXd;

namespace {

constexpr double rounding = 1e-9;  // of accelerations, relative to those of the whole model

const CableLaw& law_of(const Model& model, const ControlInput& input) {
  return model.cables[static_cast<std::size_t>(input.cable)].law;
}

}  // namespace

InverseDynamics::InverseDynamics(const Dynamics& dynamics, InverseTask task)
    : dynamics_(&dynamics),
      task_(std::move(task)),
      targets_(dynamics, task_.targets),
      response_(dynamics, task_.inputs, task_.forces) {
  check_task();
  const long n = static_cast<long>(task_.inputs.size()), forces = static_cast<long>(task_.forces.size());
  winding_.setZero(n);
  sides_.resize(task_.inputs.size());
  problem_.weight.setOnes(n);
  for (std::size_t j = 0; j < task_.weights.size(); ++j) problem_.weight[static_cast<long>(j)] = task_.weights[j];
  problem_.lower.setZero(n);
  problem_.upper.setZero(n);
  problem_.least.resize(forces);
  problem_.most.resize(forces);
  command_.rest_length.setConstant(n, NAN);
}

void InverseDynamics::check_task() const {
  if (task_.targets.empty()) throw InputError("inverse dynamics: there is no target; expected at least one");
  if (task_.inputs.empty()) throw InputError("inverse dynamics: there is no input; expected at least one");
  const auto fits = [&](std::size_t size, const char* what) {
    if (size != 0 && size != task_.inputs.size())
      throw InputError(fmt::format("inverse dynamics: {} {} for {} inputs", size, what, task_.inputs.size()));
  };
  fits(task_.input_bounds.size(), "bounds");
  fits(task_.weights.size(), "weights");
  for (std::size_t j = 0; j < task_.inputs.size(); ++j) {
    const std::string& name = response_.input_names()[j];
    const auto ordered = [&](const Bounds& bounds, const char* what) {
      if (!(bounds.least <= bounds.most))
        throw InputError(fmt::format("{}: the bounds {:g} and {:g}{} cross", name, bounds.least, bounds.most, what));
    };
    const bool cable = task_.inputs[j].cable >= 0;
    ordered(task_.inputs[j].bounds, cable ? " of its rest length" : "");
    if (cable && !(task_.inputs[j].bounds.most > 0.0))
      throw InputError(fmt::format("{}: a rest length of at most {:g} m; expected a positive one", name,
                                   task_.inputs[j].bounds.most));
    if (!task_.input_bounds.empty()) ordered(task_.input_bounds[j], "");
    if (cable && !task_.input_bounds.empty() && task_.input_bounds[j].most < 0.0 &&
        law_of(dynamics_->model(), task_.inputs[j]).kind != LawKind::spring)
      throw InputError(fmt::format("{}: at most {:g} N; a cable cannot push", name, task_.input_bounds[j].most));
    if (!task_.weights.empty() && !(task_.weights[j] > 0.0 && std::isfinite(task_.weights[j])))
      throw InputError(fmt::format("{}: weight {:g}; expected a positive number", name, task_.weights[j]));
  }
}

void InverseDynamics::place(double t, const double* q, const double* v) {
  evaluated_ = false;
  response_.place(t, q, v);
  misplaced_ = targets_.place(response_.q(), response_.v(), response_.terms());
}

InverseDynamics::CableMotion InverseDynamics::cable_motion(std::size_t input) const {
  const Terms& terms = response_.terms();
  const int slot = dynamics_->cables().slot_of_cable(task_.inputs[input].cable);
  const auto at = static_cast<std::size_t>(slot);
  return {terms.cables.length[at], dynamics_->cables().length_rate(slot, terms.cables, terms.xd.data()),
          terms.cables.rest[at]};
}

void InverseDynamics::evaluate() {
  if (evaluated_) return;
  response_.evaluate(targets_, a0_, problem_.A, c0_, problem_.C, size_);
  set_bounds();
  evaluated_ = true;
}

const VectorXd& InverseDynamics::drift() {
  evaluate();
  return a0_;
}

const Eigen::MatrixXd& InverseDynamics::response() {
  evaluate();
  return problem_.A;
}

void InverseDynamics::set_bounds() {
  for (std::size_t j = 0; j < task_.inputs.size(); ++j) {
    Bounds bounds = task_.input_bounds.empty() ? Bounds{} : task_.input_bounds[j];
    sides_[j] = {};
    if (task_.inputs[j].cable >= 0) {
      bound_tension(j, bounds.least, bounds.most, sides_[j]);
    } else {
      bounds.least = std::max(bounds.least, task_.inputs[j].bounds.least);
      bounds.most = std::min(bounds.most, task_.inputs[j].bounds.most);
    }
    problem_.lower[static_cast<long>(j)] = bounds.least;
    problem_.upper[static_cast<long>(j)] = bounds.most;
  }
  for (std::size_t i = 0; i < task_.forces.size(); ++i) {
    const long k = static_cast<long>(i);
    problem_.least[k] = task_.forces[i].bounds.least - c0_[k];
    problem_.most[k] = task_.forces[i].bounds.most - c0_[k];
  }
}

// A shorter rest length is more tension: its least is the tension's most.
void InverseDynamics::bound_tension(std::size_t j, double& least, double& most, Sides& sides) {
  const ControlInput& input = task_.inputs[j];
  const CableLaw& law = law_of(dynamics_->model(), input);
  const Terms& terms = response_.terms();
  const int slot = dynamics_->cables().slot_of_cable(input.cable);
  const double length = terms.cables.length[static_cast<std::size_t>(slot)];
  const double rate =
      dynamics_->cables().length_rate(slot, terms.cables, terms.xd.data()) - winding_[static_cast<long>(j)];
  const auto raise = [&](double value, Source source) {
    if (value > least) least = value, sides.least = source;
  };
  const auto lower = [&](double value, Source source) {
    if (value < most) most = value, sides.most = source;
  };
  const Bounds range = tension_range(law, length, rate);
  raise(range.least, Source::law);
  lower(range.most, Source::law);
  const double shortest = input.bounds.least, longest = input.bounds.most;
  if (shortest > 0.0) lower(tension(law, length - shortest, rate, shortest), Source::rest_length);
  if (std::isfinite(longest)) raise(tension(law, length - longest, rate, longest), Source::rest_length);
}

const InverseCommand& InverseDynamics::command(const VectorXd& accelerations, InverseMethod method) {
  InverseCommand& c = command_;
  c.possible = false;
  c.problem = misplaced_;
  if (accelerations.size() != targets_.size())
    throw InputError(
        fmt::format("inverse dynamics: {} accelerations for {} targets", accelerations.size(), targets_.size()));
  evaluate();
  const bool finite = a0_.allFinite() && problem_.A.allFinite() && c0_.allFinite() && problem_.C.allFinite();
  if (c.problem.empty() && !accelerations.allFinite()) c.problem = "the accelerations asked for are not finite";
  if (c.problem.empty() && !finite) c.problem = "the accelerations of the model are not finite in this state";
  if (c.problem.empty()) {
    problem_.b = accelerations - a0_;
    problem_.rounding = rounding * (accelerations.cwiseAbs() + size_);
    c.possible = solver_.solve(problem_, method);
    c.input = solver_.u();
    c.rank = solver_.rank();
    if (!c.possible) c.problem = solver_.trouble().empty() ? conflict_in_words(accelerations) : solver_.trouble();
  } else {
    c.input = VectorXd::Zero(problem_.lower.size()).cwiseMax(problem_.lower).cwiseMin(problem_.upper);
    c.rank = 0;
  }
  c.acceleration = a0_;
  c.acceleration.noalias() += problem_.A * c.input;
  c.force = c0_;
  c.force.noalias() += problem_.C * c.input;
  set_rest_lengths();
  return c;
}

void InverseDynamics::set_rest_lengths() {
  const Terms& terms = response_.terms();
  for (std::size_t j = 0; j < task_.inputs.size(); ++j) {
    const ControlInput& input = task_.inputs[j];
    if (input.cable < 0) continue;
    const long k = static_cast<long>(j);
    const CableLaw& law = law_of(dynamics_->model(), input);
    const int slot = dynamics_->cables().slot_of_cable(input.cable);
    const double length = terms.cables.length[static_cast<std::size_t>(slot)];
    const double rate = dynamics_->cables().length_rate(slot, terms.cables, terms.xd.data()) - winding_[k];
    double& rest = command_.rest_length[k];
    rest = rest_length_for_tension(law, length, rate, command_.input[k]);
    if (std::isfinite(rest)) continue;
    rest = terms.cables.rest[static_cast<std::size_t>(slot)];
    if (!command_.possible) continue;
    command_.possible = false;
    command_.problem = fmt::format("{} = {:.6g} N: {}", response_.input_names()[j], command_.input[k],
                                   why_no_rest_length(law, length, rate, command_.input[k]));
  }
}

std::string InverseDynamics::side_in_words(int input, bool lower) const {
  const auto j = static_cast<std::size_t>(input);
  const double side = lower ? problem_.lower[input] : problem_.upper[input];
  std::string words =
      fmt::format("{} {} {:.6g} {}", response_.input_names()[j], lower ? "≥" : "≤", side, response_.input_units()[j]);
  const Source source = lower ? sides_[j].least : sides_[j].most;
  if (source == Source::rest_length)
    words += fmt::format(" (its rest length {} {:.6g} m)", lower ? "≤" : "≥",
                         lower ? task_.inputs[j].bounds.most : task_.inputs[j].bounds.least);
  if (source == Source::law) {
    const LawKind kind = law_of(dynamics_->model(), task_.inputs[j]).kind;
    words += !lower || kind == LawKind::spring ? " (whatever its rest length)"
             : kind == LawKind::softplus       ? " (it is never slack)"
             : side > 0.0                      ? " (what its damping alone makes)"
                                               : " (a cable cannot push)";
  }
  return words;
}

std::string InverseDynamics::conflict_in_words(const VectorXd& accelerations) const {
  std::vector<std::string> terms;
  std::vector<QpConflict> conflict = solver_.conflict();
  // What was asked for, then what is in its way.
  std::sort(conflict.begin(), conflict.end(), [](const QpConflict& a, const QpConflict& b) {
    return std::tie(a.kind, a.index) < std::tie(b.kind, b.index);
  });
  for (const QpConflict& c : conflict) {
    const auto i = static_cast<std::size_t>(c.index);
    const bool lower = c.side == QpSide::lower;
    switch (c.kind) {
      case QpKind::equality:
        terms.push_back(fmt::format("acceleration of {} = {:.6g} {}", targets_.names()[i], accelerations[c.index],
                                    targets_.unit(c.index)));
        break;
      case QpKind::row:
        terms.push_back(fmt::format("{} {} {:.6g} N", response_.force_names()[i], lower ? "≥" : "≤",
                                    lower ? task_.forces[i].bounds.least : task_.forces[i].bounds.most));
        break;
      case QpKind::bound:
        terms.push_back(side_in_words(c.index, lower));
        break;
    }
  }
  if (terms.empty()) return "the inputs cannot make the accelerations asked for";
  if (terms.size() > 1) return fmt::format("{} exclude each other", fmt::join(terms, ", "));
  const QpConflict& only = solver_.conflict().front();
  if (only.kind != QpKind::equality) return fmt::format("{} cannot be met", terms.front());
  return fmt::format("{} cannot be met: no input acts on it, and it is {:.6g} {}", terms.front(), a0_[only.index],
                     targets_.unit(only.index));
}

}  // namespace taut
