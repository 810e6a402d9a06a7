#include "taut/gradient/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/base/error.h"
#include "taut/formulation/tangent.h"

namespace taut {

namespace {

// How far results of order 6 and 5 may be apart over a part of a step, relative.
constexpr double agreement = 1e-11;
// What nearly switches does so within this relative change of a parameter.
constexpr double grazing = 1e-6;
// Over which part of a step slopes in time are taken.
constexpr double slope_part = 0.02;
constexpr int most_halvings = 44;

// What the ground would press a node with, N or its sign, if it could pull as well; 1 where it does not touch: its force
// has a kink where it would begin to pull.
double pressing(const NearbyModel& model, const Terms& terms, int node) {
  const auto [depth, gradient] = model.ground->depth_and_gradient(terms.x.data() + 4 * node);
  if (!(depth > 0.0)) return 1.0;
  const ContactLaw law = contact_law(*model.scenario->model.ground);
  const double rate = gradient.dot(Vec3(terms.xd.data() + 4 * node));
  if (law.kind == PressKind::hunt_crossley) return 1.0 + law.damping * rate;
  return elastic_press(law, depth).force + law.damping * onset(law, depth) * rate;
}

// Whether it presses.
bool presses(const NearbyModel& model, const Terms& terms, int node) {
  return model.ground->depth(terms.x.data() + 4 * node) > 0.0 && pressing(model, terms, node) > 0.0;
}

// A state of a model beside the one that runs, in the chart of a state of this one: angles of the same turn.
Eigen::VectorXd in_chart_of(const State& like, NearbyModel& model, const Eigen::VectorXd& y) {
  const Formulation& formulation = model.dynamics.formulation();
  const int nq = like.nq;
  if ((y - like.y).head(nq).cwiseAbs().maxCoeff() < 0.1 || formulation.leapfrog() == nullptr) return y;
  formulation.place_nodes(y.data(), y.data() + nq, model.terms);
  Eigen::VectorXd moved = like.y;
  formulation.leapfrog()->take_nodes(model.terms, moved.data(), moved.data() + nq);
  for (int i = 0; i < nq; ++i) {
    const double turn = 2.0 * std::numbers::pi, off = moved[i] - like.y[i];
    if (std::abs(off) > 0.5 * turn) moved[i] -= turn * std::round(off / turn);
  }
  moved.tail(2) = y.tail(2);
  return moved;
}

}  // namespace

ForwardSensitivity::ForwardSensitivity(NearbyModel& base, const std::vector<GradientParameter>& parameters,
                                       const IntegratorLog& log, bool powers)
    : base_(base),
      parameters_(parameters),
      log_(log),
      nq_(base.start.nq),
      nv_(base.start.nv),
      size_(nq_ + nv_),
      slots_(base.dynamics.cables().slots()),
      powers_(powers),
      touches_(base.ground != nullptr && base.scenario->model.ground->law != PressKind::smooth),
      tangent_(base.dynamics.formulation().make_tangent(base.dynamics.cables())) {
  const auto count = static_cast<Eigen::Index>(parameters.size());
  S_ = Matrix::Zero(size_ + 2, count);
  forcing_ = Matrix::Zero(size_, count);
  for (Eigen::Index p = 0; p < count; ++p) {
    const GradientParameter& parameter = parameters_[static_cast<std::size_t>(p)];
    S_.col(p) = parameter.derivative(
        [&](std::size_t k) { return in_chart_of(base_.start, *parameter.models[k], parameter.models[k]->start.y); });
  }
  S_.bottomRows(2).setZero();
  y_ = base_.start.y;
  rate_ = Vector::Zero(size_ + 2);
  largest_ = Vector::Zero(slots_ + static_cast<Eigen::Index>(base_.scenario->model.nodes.size()));
  grazed_.assign(static_cast<std::size_t>(largest_.size()) * parameters.size(), 0);
  Vector values;
  probes(base_, 0.0, y_, values);
  for (Eigen::Index i = slots_; i < values.size(); ++i) pressed_.push_back(values[i] > 0.0 ? 1 : 0);
  for (const GradientParameter& parameter : parameters_) {
    const auto moves = [&](const auto& model) {
      return touches_ && model->scenario->model.ground != base_.scenario->model.ground;
    };
    moves_ground_.push_back(std::any_of(parameter.models.begin(), parameter.models.end(), moves) ? 1 : 0);
  }
  // Which coordinates the tangent holds.
  rate_of(base_, 0.0, y_, rate_);
  tangent_->evaluate(y_.data(), y_.data() + nq_, rate_.data() + nq_, base_.terms);
  if (!tangent_->factorise(0.0)) throw RunError(0.0, "the masses and constraints at the start are singular");
  Vector probe(size_);
  for (int i = 0; i < nq_; ++i) {
    probe = Vector::Unit(size_, i);
    tangent_->solve(probe.data(), probe.data() + nq_);
    if (probe[i] == 0.0) still_.push_back(i);
  }
}

void ForwardSensitivity::hold(const Flags& flags, NearbyModel& model) const {
  CableTerms& terms = model.terms.cables;
  terms.mode = flags.mode;
  if (flags.taut.empty()) return;
  const Cables &ours = base_.dynamics.cables(), &its = model.dynamics.cables();
  for (std::size_t i = 0; i < base_.scenario->model.cables.size(); ++i)
    terms.taut[its.slot_of_cable(static_cast<int>(i))] = flags.taut[ours.slot_of_cable(static_cast<int>(i))];
}

void ForwardSensitivity::hold(const Flags& flags) {
  hold(flags, base_);
  for (const GradientParameter& parameter : parameters_)
    for (const auto& model : parameter.models) hold(flags, *model);
}

void ForwardSensitivity::rate_of(NearbyModel& model, double t, const Vector& y, Vector& rate) const {
  model.dynamics.rhs(model.time_between(t, segment_), y.data(), rate.data(), model.terms);
}

void ForwardSensitivity::probes(NearbyModel& model, double t, const Vector& y, Vector& values) const {
  model.dynamics.forces(model.time_between(t, segment_), y.data(), y.data() + nq_, model.terms);
  values.setZero(largest_.size());
  const Cables &ours = base_.dynamics.cables(), &its = model.dynamics.cables();
  for (int s = 0; s < slots_; ++s)
    if (ours.has_switch(s)) values[s] = its.switch_value(its.slot_of_cable(ours.cable_of_slot(s)), model.terms.cables);
  if (!touches_) return;
  for (const int node : base_.dynamics.contact().ground().nodes())
    values[slots_ + node] = model.ground->depth(model.terms.x.data() + 4 * node);
}

bool ForwardSensitivity::looked_at(int probe) const {
  if (probe < slots_) return base_.dynamics.cables().has_switch(probe);
  return touches_ && can_touch(base_.scenario->model.nodes[static_cast<std::size_t>(probe - slots_)]);
}

std::string ForwardSensitivity::probe_name(int probe) const {
  return probe < slots_ ? base_.dynamics.cables().name(probe)
                        : base_.scenario->model.nodes[static_cast<std::size_t>(probe - slots_)].name;
}

// --- Steps

void ForwardSensitivity::step(const StepPath& path, const CableTerms& cables) {
  const Flags flags{cables.mode, cables.taut};
  if (began_) {
    finish();
    cross(path, flags);
  }
  began_ = true;
  path_ = path;
  flags_ = flags;
  at_ = path.from;
  // Steps that are cut short by a switch are too short for slopes.
  usual_step_ = std::max(path.to - path.from, 0.7 * usual_step_);
  const std::vector<double>& jumps = base_.jumps;
  segment_ =
      static_cast<std::size_t>(std::upper_bound(jumps.begin(), jumps.end(), path.from * (1.0 + 1e-15)) - jumps.begin());
  hold(flags_);
  find_noise();
  find_marks();
}

int ForwardSensitivity::functions() const {
  return touches_ ? 2 * static_cast<int>(base_.dynamics.contact().ground().nodes().size()) : 0;
}

void ForwardSensitivity::values(const Terms& terms, double* g) const {
  for (const int node : base_.dynamics.contact().ground().nodes()) {
    *g++ = base_.ground->depth(terms.x.data() + 4 * node);
    *g++ = pressing(base_, terms, node);
  }
}

void ForwardSensitivity::advance_to(double t) {
  if (!began_) return;
  t = std::min(t, path_.to);
  while (!marks_.empty() && marks_.front().time <= t) {
    const Mark mark = marks_.front();
    marks_.erase(marks_.begin());
    if (mark.time > at_) integrate(at_, mark.time, 0);
    at_ = std::max(at_, mark.time);
    pass_mark(mark);
  }
  if (t > at_) integrate(at_, t, 0);
  at_ = std::max(at_, t);
}

void ForwardSensitivity::finish() {
  if (!began_) return;
  advance_to(path_.to);
  if (logged_ == log_.switches.size()) return;
  path_.at(path_.to, y_);
  rate_of(base_, path_.to, y_, rate_);
  note_switches(path_.to, slopes_at(path_.to, y_, rate_));
}

// What happens between two steps.
void ForwardSensitivity::cross(const StepPath& next, const Flags& after) {
  Vector before(size_ + 2), y(size_ + 2);
  path_.at(path_.to, before);
  next.at(next.from, y);
  const double t = next.from, moved = (y - before).head(size_).cwiseAbs().maxCoeff();
  if (moved > 1e-4) {
    take_chart(before, y);
    path_.at(path_.to, before);
  }
  if (powers_ && std::abs(y[size_ + 1] - before[size_ + 1]) > 1e-9 * (1.0 + std::abs(y[size_ + 1])))
    throw RunError(t, fmt::format("at t = {:.6g} s a rest length jumps, which is work at once: the energies work and "
                                  "balance have no gradient there",
                                  t));
  for (std::size_t i = 0; i < base_.jumps.size(); ++i)
    if (std::abs(base_.jumps[i] - t) <= 1e-12 * (1.0 + t)) return pass_jump(t, moved > 1e-4 ? y : before, after, i);
  if (after.taut != flags_.taut) pass_switches(t, before, after);
}

// The same motion in other coordinates.
void ForwardSensitivity::take_chart(const Vector& before, const Vector& after) {
  const Formulation& formulation = base_.dynamics.formulation();
  formulation.place_nodes(before.data(), before.data() + nq_, base_.terms);
  const AlignedDoubles x = base_.terms.x, xd = base_.terms.xd;
  formulation.place_nodes(after.data(), after.data() + nq_, base_.terms);
  double apart = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    apart = std::max({apart, std::abs(x[i] - base_.terms.x[i]), std::abs(xd[i] - base_.terms.xd[i])});
  if (apart > 1e-4 || formulation.leapfrog() == nullptr)
    throw RunError(path_.to, fmt::format("at t = {:.6g} s positions or speeds jump, by an imposed speed that jumps: "
                                         "there is no gradient through that",
                                         path_.to));
  State like(nq_, nv_);
  like.y = after;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const GradientParameter& parameter = parameters_[p];
    auto column = S_.col(static_cast<Eigen::Index>(p));
    const Vector changed = parameter.derivative(
        [&](std::size_t k) { return in_chart_of(like, *parameter.models[k], before + parameter.off(k) * column); });
    column.head(size_) = changed.head(size_);
  }
}

// --- Switches

ForwardSensitivity::Slopes ForwardSensitivity::slopes_at(double t, const Vector& y, const Vector& rate) {
  Slopes slopes{Matrix::Zero(largest_.size(), S_.cols()), Vector::Zero(largest_.size())};
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const GradientParameter& parameter = parameters_[p];
    const auto column = static_cast<Eigen::Index>(p);
    slopes.by.col(column) = parameter.derivative([&](std::size_t k) {
      Vector values;
      shifted_ = y + parameter.off(k) * S_.col(column);
      probes(*parameter.models[k], t, shifted_, values);
      return values;
    });
  }
  // In time: along the rates at the time held, and at the state held from the left, where no jump is near.
  const double dt = slope_part * usual_step_;
  const Stencil stencil = Stencil::both_sides();
  Vector values;
  for (std::size_t k = 0; k < stencil.points(); ++k) {
    shifted_ = y + stencil.offset[k] * dt * rate;
    probes(base_, t, shifted_, values);
    slopes.by_time += stencil.weight[k] / dt * values;
  }
  if (!base_.dynamics.driven()) return slopes;
  const Stencil left = Stencil::one_side(-1.0);
  for (std::size_t k = 0; k < left.points(); ++k) {
    probes(base_, t + left.offset[k] * dt, y, values);
    slopes.by_time += left.weight[k] / dt * values;
  }
  return slopes;
}

// Those that the run has noted since the last look, all at t.
void ForwardSensitivity::note_switches(double t, const Slopes& slopes) {
  for (; logged_ < log_.switches.size(); ++logged_) {
    const Switch& s = log_.switches[logged_];
    if (s.slot < 0) continue;
    SwitchTime event;
    event.kind = s.taut ? SwitchTime::Kind::taut : SwitchTime::Kind::slack;
    event.time = t;
    event.name = probe_name(s.slot);
    event.by = -slopes.by.row(s.slot).transpose() / slopes.by_time[s.slot];
    event.cable = base_.dynamics.cables().cable_of_slot(s.slot);
    switches.push_back(std::move(event));
  }
}

void ForwardSensitivity::pass_switches(double t, const Vector& y, const Flags& after) {
  std::vector<int> group;
  for (int s = 0; s < slots_; ++s)
    if (looked_at(s) && flags_.taut[s] != after.taut[s]) group.push_back(s);
  if (group.empty()) return;
  Vector before = Vector::Zero(size_ + 2), one = before, all = before;
  rate_of(base_, t, y, before);
  const Slopes slopes = slopes_at(t, y, before);
  // Each by itself: forces add up, and so do their accelerations.
  Matrix change = Matrix::Zero(size_ + 2, S_.cols());
  double jump = 0.0;
  for (const int s : group) {
    double& flag = base_.terms.cables.taut[s];
    flag = after.taut[s];
    rate_of(base_, t, y, one);
    flag = flags_.taut[s];
    jump = std::max(jump, (before - one).cwiseAbs().maxCoeff());
    change -= (before - one) * slopes.by.row(s) / slopes.by_time[s];
  }
  if (group.size() > 1 && jump > 1e-9 * (1.0 + before.cwiseAbs().maxCoeff())) {
    hold(after, base_);
    rate_of(base_, t, y, all);
    check_group(t, group, slopes, slopes_at(t, y, all));
    hold(flags_, base_);
  }
  S_ += change;
}

// Whether the derivatives depend on who of a group switches first: only where the switch of one jerks another, whose
// time moves otherwise.
void ForwardSensitivity::check_group(double t, const std::vector<int>& group, const Slopes& before,
                                     const Slopes& after) {
  for (const int s : group) {
    if (std::abs(after.by_time[s] - before.by_time[s]) <= 1e-6 * std::abs(before.by_time[s])) continue;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      const auto column = static_cast<Eigen::Index>(p);
      double least = INFINITY, most = -INFINITY;
      for (const int other : group) {
        const double by = -before.by(other, column) / before.by_time[other];
        least = std::min(least, by);
        most = std::max(most, by);
      }
      if (most - least > 1e-6 * std::max(std::abs(most), std::abs(least)))
        add_graze(t, s, p, "switches together with others, and the motion depends on which is first");
    }
  }
}

// A jump of signals or loads, whose time moves by itself.
void ForwardSensitivity::pass_jump(double t, const Vector& y, const Flags& after, std::size_t jump) {
  Vector by(S_.cols());
  for (std::size_t p = 0; p < parameters_.size(); ++p) by[static_cast<Eigen::Index>(p)] = parameters_[p].jump_by[jump];
  for (; logged_ < log_.switches.size(); ++logged_)
    if (const Switch& s = log_.switches[logged_]; s.slot >= 0)
      switches.push_back({s.taut ? SwitchTime::Kind::taut : SwitchTime::Kind::slack, t, probe_name(s.slot), by,
                          base_.dynamics.cables().cable_of_slot(s.slot)});
  if (by.isZero(0.0)) return;
  Vector before = Vector::Zero(size_ + 2), behind = before;
  rate_of(base_, t, y, before);
  hold(after, base_);
  ++segment_;
  rate_of(base_, t, y, behind);
  --segment_;
  S_ += (before - behind) * by.transpose();
}

void ForwardSensitivity::add_graze(double t, int probe, std::size_t parameter, const std::string& reason) {
  char& known = grazed_[static_cast<std::size_t>(probe) * parameters_.size() + parameter];
  if (known != 0) return;
  known = 1;
  grazes.push_back({t, probe_name(probe), parameters_[parameter].key, reason});
}

// --- Marks

double ForwardSensitivity::probe_on_path(double t, int probe) {
  Vector values;
  path_.at(t, y_);
  probes(base_, t, y_, values);
  return values[probe];
}

void ForwardSensitivity::find_marks() {
  marks_.clear();
  Vector values[3];
  for (int i = 0; i < 3; ++i) {
    const double t = path_.from + 0.5 * i * (path_.to - path_.from);
    path_.at(t, y_);
    probes(base_, t, y_, values[i]);
  }
  for (int probe = 0; probe < largest_.size(); ++probe) {
    if (!looked_at(probe)) continue;
    const double a = values[0][probe], b = values[1][probe], c = values[2][probe];
    largest_[probe] = std::max({largest_[probe], std::abs(a), std::abs(b), std::abs(c)});
    mark_extreme(probe, a, b, c);
    if (probe < slots_) continue;
    // A step that ends on a touch ends on either side of it by rounding: what counts is where it leads.
    char& pressed = pressed_[static_cast<std::size_t>(probe - slots_)];
    const double led_to = c + 1e-9 * (c - b);
    if ((pressed != 0) == (led_to > 0.0)) continue;
    pressed = led_to > 0.0 ? 1 : 0;
    mark_touch(probe, a, led_to);
  }
  std::sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) { return a.time < b.time; });
}

// The zero of a depth, by halving and chords in turns.
void ForwardSensitivity::mark_touch(int probe, double at_from, double at_to) {
  double low = path_.from, high = path_.to;
  if ((at_from > 0.0) == (at_to > 0.0)) high = low;
  for (int i = 0; i < 200 && high - low > 1e-15 * (1.0 + high); ++i) {
    const double t = i % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * at_from / (at_from - at_to);
    if (!(t > low && t < high)) break;
    const double value = probe_on_path(t, probe);
    ((value > 0.0) == (at_from > 0.0) ? low : high) = t;
    ((value > 0.0) == (at_from > 0.0) ? at_from : at_to) = value;
  }
  marks_.push_back({Mark::Kind::touch, high, probe});
}

// Where a probe turns near zero.
void ForwardSensitivity::mark_extreme(int probe, double v0, double v1, double v2) {
  double begin = path_.from, width = path_.to - path_.from, t = begin, value = v0;
  for (int pass = 0; pass < 3; ++pass) {
    const double bend = 2.0 * (v0 - 2.0 * v1 + v2), slope = 4.0 * v1 - 3.0 * v0 - v2;
    const double theta = bend != 0.0 ? -0.5 * slope / bend : 0.0;
    if (slope == 0.0 && bend == 0.0 && v0 != 0.0) return;
    if (pass == 0 && !(theta > -0.01 && theta <= 1.01)) return;
    t = std::clamp(begin + theta * width, path_.from, path_.to);
    value = v0 + theta * (slope + theta * bend);
    if (std::abs(value) > 1e-3 * largest_[probe]) return;
    if (pass == 2 || bend == 0.0) break;
    width *= 0.05;
    begin = std::clamp(t - 0.5 * width, path_.from, path_.to - width);
    v0 = probe_on_path(begin, probe);
    v1 = probe_on_path(begin + 0.5 * width, probe);
    v2 = probe_on_path(begin + width, probe);
  }
  marks_.push_back({Mark::Kind::extreme, t, probe});
}

void ForwardSensitivity::pass_mark(const Mark& mark) {
  Vector y(size_ + 2);
  path_.at(mark.time, y);
  rate_of(base_, mark.time, y, rate_);
  const Slopes slopes = slopes_at(mark.time, y, rate_);
  if (mark.kind == Mark::Kind::touch) {
    SwitchTime event;
    const double slope = slopes.by_time[mark.probe];
    event.kind = slope > 0.0 ? SwitchTime::Kind::touch : SwitchTime::Kind::lift;
    event.time = mark.time;
    event.name = probe_name(mark.probe);
    event.by = -slopes.by.row(mark.probe).transpose() / slope;
    switches.push_back(std::move(event));
    return;
  }
  const double value = std::abs(probe_on_path(mark.time, mark.probe));
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const double by = std::abs(slopes.by(mark.probe, static_cast<Eigen::Index>(p)));
    if (by == 0.0 || value > grazing * parameters_[p].scale * by) continue;
    add_graze(mark.time, mark.probe, p,
              mark.probe < slots_ ? "comes to the edge of slack and turns back" : "just grazes the ground");
  }
}

// --- Between switches

void ForwardSensitivity::find_noise() {
  path_.at(path_.from, y_);
  rate_of(base_, path_.from, y_, rate_);
  for (int i = 0; i < size_; ++i) y_[i] *= 1.0 + (i % 2 == 0 ? 2.3e-16 : -2.3e-16);
  shifted_ = rate_;
  rate_of(base_, path_.from, y_, shifted_);
  shifted_ -= rate_;
  const auto largest = [&](int first, int count) {
    return std::max(shifted_.segment(first, count).cwiseAbs().maxCoeff(),
                    2.3e-16 * rate_.segment(first, count).cwiseAbs().maxCoeff());
  };
  noise_q_ = std::max(noise_q_, largest(0, nq_));
  noise_v_ = std::max(noise_v_, largest(nq_, nv_));
}

void ForwardSensitivity::evaluate(double t) {
  path_.at(t, y_);
  rate_of(base_, t, y_, rate_);
  tangent_->evaluate(y_.data(), y_.data() + nq_, rate_.data() + nq_, base_.terms);
  if (t == middle_time_) {
    forcing_ = middle_;
    return;
  }
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const GradientParameter& parameter = parameters_[p];
    const auto column = static_cast<Eigen::Index>(p);
    // What is held by the tangent still moves with the parameter, and pulls at the rest.
    const auto rate_beside = [&](std::size_t k) {
      Vector rate = Vector::Zero(size_ + 2);
      shifted_ = y_;
      for (const int i : still_) shifted_[i] += parameter.off(k) * S_(i, column);
      rate_of(*parameter.models[k], t, shifted_, rate);
      return rate;
    };
    const int side = moves_ground_[p] != 0 ? side_of_ground(parameter) : 0;
    if (side == 0) {
      forcing_.col(column) = parameter.derivative(rate_beside).head(size_);
    } else {
      const std::size_t near = side > 0 ? 2 : 1, far = side > 0 ? 3 : 0;
      const Vector first = rate_beside(near) - rate_, second = rate_beside(far) - rate_;
      forcing_.col(column) = (side / parameter.step) * (2.0 * first - 0.5 * second).head(size_);
    }
  }
}

// Models whose ground is a little higher or harder touch and let go a little earlier or later. On which side of the run
// the ground presses on the same nodes as in it; 0: on both, or it cannot be told. At the nodes last placed.
int ForwardSensitivity::side_of_ground(const GradientParameter& parameter) const {
  if (parameter.stencil.points() != 4) return 0;
  std::array<bool, 4> alike = {true, true, true, true};
  for (const int node : base_.dynamics.contact().ground().nodes()) {
    const bool now = presses(base_, base_.terms, node);
    for (std::size_t k = 0; k < 4; ++k) alike[k] = alike[k] && presses(*parameter.models[k], base_.terms, node) == now;
  }
  const bool below = alike[0] && alike[1], above = alike[2] && alike[3];
  return below == above ? 0 : above ? 1 : -1;
}

// Of what is dissipated and put in, with the sensitivities W_ in the middle of a part.
void ForwardSensitivity::add_powers(double t, double h, Matrix& result) {
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const GradientParameter& parameter = parameters_[p];
    const auto column = static_cast<Eigen::Index>(p);
    const Vector by = parameter.derivative([&](std::size_t k) {
      Vector rate = Vector::Zero(size_ + 2);
      shifted_ = y_;
      shifted_.head(size_) += parameter.off(k) * W_.col(column);
      rate_of(*parameter.models[k], t, shifted_, rate);
      return rate;
    });
    result.col(column).tail(2) += h * by.tail(2);
  }
}

void ForwardSensitivity::middles(double a, double b, int parts, Matrix& result) {
  result = S_;
  const double h = (b - a) / parts;
  for (int i = 0; i < parts; ++i) {
    // The middle of all is that of one part and the second of three.
    const double t = 2 * i + 1 == parts ? 0.5 * (a + b) : a + (i + 0.5) * h;
    evaluate(t);
    if (parts == 1) {
      middle_ = forcing_;
      middle_time_ = t;
    }
    if (!tangent_->factorise(0.5 * h))
      throw RunError(t, fmt::format("the sensitivities cannot go on at t = {:.6g} s: a matrix is singular", t));
    W_ = result.topRows(size_) + 0.5 * h * forcing_;
    for (Eigen::Index p = 0; p < W_.cols(); ++p) tangent_->solve(W_.col(p).data(), W_.col(p).data() + nq_);
    for (const int j : still_) W_.row(j) = result.row(j);
    if (powers_) add_powers(t, h, result);
    result.topRows(size_) = 2.0 * W_ - result.topRows(size_);
  }
}

// To a part of the sensitivities themselves, where an error of a speed counts by what it moves until the end; or to what
// rounding leaves of ∂f/∂p.
bool ForwardSensitivity::agree(const Matrix& more, const Matrix& less, double h) const {
  const double duration = base_.scenario->simulation.duration;
  for (Eigen::Index p = 0; p < more.cols(); ++p) {
    const double share = 4.0 * h / parameters_[static_cast<std::size_t>(p)].step;
    const auto off = [&](int first, int count) {
      return (more.col(p) - less.col(p)).segment(first, count).cwiseAbs().maxCoeff();
    };
    const auto size = [&](int first, int count) {
      return std::max(more.col(p).segment(first, count).cwiseAbs().maxCoeff(),
                      S_.col(p).segment(first, count).cwiseAbs().maxCoeff());
    };
    const double q = size(0, nq_), v = size(nq_, nv_);
    if (!(off(0, nq_) <= agreement * std::max(q, v * h) + share * (noise_q_ + h * noise_v_))) return false;
    if (!(off(nq_, nv_) <= agreement * std::max(v, q / duration) + share * noise_v_)) return false;
  }
  return true;
}

void ForwardSensitivity::integrate(double a, double b, int depth) {
  const double h = b - a;
  middle_time_ = NAN;
  middles(a, b, 1, T1_);
  middles(a, b, 3, T3_);
  middle_time_ = NAN;
  middles(a, b, 2, T2_);
  // Errors go with even powers of the part: orders 4, 4 and 6.
  const Matrix first = T2_ + (T2_ - T1_) / 3.0;
  T3_ += (T3_ - T2_) / 1.25;
  T2_ = T3_ + (T3_ - first) / 8.0;
  if (!T2_.allFinite()) throw RunError(a, fmt::format("the sensitivities are no numbers from t = {:.6g} s on", a));
  if (depth < most_halvings && h > 1e-14 * (1.0 + std::abs(b)) && !agree(T2_, T3_, h)) {
    integrate(a, a + 0.5 * h, depth + 1);
    integrate(a + 0.5 * h, b, depth + 1);
    return;
  }
  S_ = T2_;
}

}  // namespace taut
