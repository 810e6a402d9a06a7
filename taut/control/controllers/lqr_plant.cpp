#include "taut/control/controllers/lqr_plant.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/error.h"
#include "taut/control/targets/targets.h"
#include "taut/model/control_names.h"
#include "taut/modes/linearise.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr long most_states = 400;    // a dense eigenvalue problem of this size takes a second
constexpr double small_step = 1e-4;  // of differences of fourth order: their error is that of rounding, 1e-12

// Moves and looks, for differences about the start.
class Probe {
 public:
  Probe(const Dynamics& dynamics, Targets& targets)
      : dynamics_(dynamics),
        targets_(targets),
        terms_(dynamics.make_terms()),
        sight_(dynamics),
        rate_(VectorXd::Zero(dynamics.size())),
        start_(dynamics.start()) {}

  const State& start() const { return start_; }

  // The start with one entry changed, back on the constraints.
  VectorXd projected(int entry, double step) {
    State state = start_;
    state.y[entry] += step;
    evaluate(state, terms_);
    dynamics_.formulation().project(state.q(), state.v(), terms_);
    return state.y.head(state.nq + state.nv);
  }
  // Targets over their rates.
  VectorXd seen(int entry, double step) {
    State state = start_;
    state.y[entry] += step;
    evaluate(state, terms_);
    return look(state, terms_);
  }
  VectorXd seen_with_rest(int cable, double change) {
    Terms terms = dynamics_.make_terms();
    dynamics_.cables().set_winches({{cable, dynamics_.model().cables[cable].rest_length + change}}, terms.cables);
    evaluate(start_, terms);
    return look(start_, terms);
  }
  VectorXd rates() {
    evaluate(start_, terms_);
    return rate_.head(start_.nq + start_.nv);
  }

 private:
  void evaluate(const State& state, Terms& terms) { dynamics_.rhs(state.t, state.y.data(), rate_.data(), terms); }
  VectorXd look(const State& state, Terms& terms) {
    VectorXd value, rate, both(2 * targets_.size());
    targets_.measure(sight_.look(state, terms), nullptr, value, rate);
    both << value, rate;
    return both;
  }

  const Dynamics& dynamics_;
  Targets& targets_;
  Terms terms_;
  Sight sight_;
  VectorXd rate_;
  State start_;
};

template <class F>
VectorXd slope(double h, const F& f) {
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}

VectorXd entries(const VectorXd& all, const std::vector<int>& kept) {
  VectorXd part(static_cast<long>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i) part[static_cast<long>(i)] = all[kept[i]];
  return part;
}

}  // namespace

void refuse_lqr(const std::string& name, const std::string& why) {
  throw InputError(fmt::format("controller {}: {}", name, why));
}

VectorXd LqrDesign::reduced(const State& state) const {
  return Z.transpose() * (entries(state.y, kept) - entries(start, kept));
}

LqrPlant make_plant(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets, const std::string& name,
                    LqrDesign& design) {
  const std::vector<std::string> names = dynamics.formulation().facts().state_names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty()) design.kept.push_back(static_cast<int>(i));
  const long n = static_cast<long>(design.kept.size());
  if (n == 0) refuse_lqr(name, "nothing of the structure can move");
  if (n > most_states)
    refuse_lqr(name, fmt::format("lqr is for up to {} states; formulation {} has {}", most_states,
                                 dynamics.formulation().facts().name, n));
  Probe probe(dynamics, targets);
  const State& start = probe.start();
  design.start = start.y.head(start.nq + start.nv);
  const LinearModel linear = linearise(dynamics, start);
  if (!linear.A.allFinite() || !linear.B.allFinite()) refuse_lqr(name, "the linear model at the start is not finite");

  // What projection leaves of every direction spans what constraints allow.
  MatrixXd allowed(n, n), shown(2 * targets.size(), n);
  for (long j = 0; j < n; ++j) {
    const int entry = design.kept[static_cast<std::size_t>(j)];
    allowed.col(j) = entries(slope(small_step, [&](double h) { return probe.projected(entry, h); }), design.kept);
    shown.col(j) = slope(small_step, [&](double h) { return probe.seen(entry, h); });
  }
  if (!allowed.allFinite() || !shown.allFinite()) refuse_lqr(name, "the targets cannot be followed near the start");
  PivotedQr range(allowed);
  range.set_tolerance(1e-4);
  const long rank = range.rank();
  design.Z = range.basis(rank);
  const MatrixXd& Z = design.Z;

  LqrPlant plant;
  const long inputs = static_cast<long>(spec.steer.inputs.size());
  plant.A = Z.transpose() * linear.A * Z;
  plant.B.resize(rank, inputs);
  plant.B_rate = MatrixXd::Zero(rank, inputs);
  plant.D = MatrixXd::Zero(targets.size(), inputs);
  plant.f = Z.transpose() * entries(probe.rates(), design.kept);
  plant.C = shown.topRows(targets.size()) * Z;
  plant.C_rate = shown.bottomRows(targets.size()) * Z;
  const std::vector<ControlInput> columns = linear_inputs(dynamics);
  for (long k = 0; k < inputs; ++k) {
    const ControlInput& input = spec.steer.inputs[static_cast<std::size_t>(k)];
    const auto same = [&](const ControlInput& c) {
      return c.cable == input.cable && c.joint == input.joint && c.coordinate == input.coordinate;
    };
    const auto found = std::find_if(columns.begin(), columns.end(), same);
    if (found == columns.end())
      refuse_lqr(name, fmt::format("the joint of its input {} closes a loop: give it role = \"tree\"",
                                   input_name(dynamics.model(), input)));
    plant.B.col(k) = Z.transpose() * linear.B.col(found - columns.begin());
    if (input.cable < 0) continue;
    plant.B_rate.col(k) = Z.transpose() * linear.B_rate.col(input.cable);
    plant.D.col(k) = slope(small_step * dynamics.model().cables[input.cable].rest_length, [&](double h) {
                       return probe.seen_with_rest(input.cable, h);
                     }).head(targets.size());
    design.cable_inputs.push_back(static_cast<int>(k));
  }
  design.target_start = probe.seen(design.kept.front(), 0.0).head(targets.size());
  return plant;
}

}  // namespace taut
