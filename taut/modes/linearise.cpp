#include "taut/modes/linearise.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <set>

#include "taut/base/error.h"
#include "taut/equilibrium/members.h"
#include "taut/forces/cable_tangent.h"
#include "taut/formulation/driven_length.h"
#include "taut/model/control_names.h"
#include "taut/modes/input_forces.h"
#include "taut/solve/dense.h"
#include "taut/solve/matrix_exponential.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Columns of the Jacobian over the states that change.
class Columns {
 public:
  Columns(const Dynamics& dynamics, const State& state)
      : nq_(state.nq),
        nv_(state.nv),
        gains_(dynamics.gains()),
        terms_(dynamics.make_terms()),
        names_(dynamics.formulation().facts().state_names) {
    for (int i = 0; i < nq_ + nv_; ++i)
      if (!names_[i].empty()) kept_.push_back(i);
    VectorXd rate = VectorXd::Zero(dynamics.size());
    dynamics.recall(state, terms_);
    dynamics.rhs(state.t, state.y.data(), rate.data(), terms_);
    tangent_ = dynamics.formulation().make_tangent(dynamics.cables());
    tangent_->evaluate(state.q(), state.v(), rate.data() + nq_, terms_);
  }

  long size() const { return static_cast<long>(kept_.size()); }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (int i : kept_) list.push_back(names_[i]);
    return list;
  }
  const Terms& terms() const { return terms_; }

  VectorXd by_state(long column) {
    VectorXd change = VectorXd::Zero(nq_ + nv_);
    change[kept_[column]] = 1.0;
    return multiply({.q = change.data(), .v = change.data() + nq_, .gains = gains_});
  }
  VectorXd by_force(const VectorXd& force) { return multiply({.force = force.data(), .gains = gains_}); }
  VectorXd by_torque(int velocity) {
    VectorXd torque = VectorXd::Zero(nv_);
    torque[velocity] = 1.0;
    return multiply({.gains = gains_, .torque = torque.data()});
  }
  VectorXd by_length(const VectorXd& length) { return multiply({.length = length.data(), .gains = gains_}); }
  VectorXd by_length_rate(const VectorXd& rate) { return multiply({.length_rate = rate.data(), .gains = gains_}); }

 private:
  VectorXd multiply(const Change& change) {
    VectorXd rate = VectorXd::Zero(nq_ + nv_), part(size());
    tangent_->multiply(change, rate.data(), rate.data() + nq_);
    for (long i = 0; i < size(); ++i) part[i] = rate[kept_[i]];
    return part;
  }

  int nq_, nv_;
  DriftGains gains_;
  Terms terms_;
  std::vector<std::string> names_;
  std::vector<int> kept_;
  std::unique_ptr<Tangent> tangent_;
};

// A zero that comes several times (a free motion, a direction that constraints forbid) would split by a root of
// rounding. Null vectors are taken out first, again and again: in a basis of them and of what is across, A has the
// blocks 0, * over 0, the rest.
Eigen::VectorXcd eigenvalues_of(MatrixXd A) {
  const long n = A.rows();
  while (A.rows() > 0) {
    PivotedQr qr(A.transpose());
    qr.set_tolerance(1e-13);
    const long rank = qr.rank();
    if (rank == A.rows()) break;
    const MatrixXd across = qr.basis(rank);
    A = (across.transpose() * (A * across)).eval();
  }
  Eigen::VectorXcd values = Eigen::VectorXcd::Zero(n);
  if (A.rows() > 0) values.head(A.rows()) = general_eigenvalues(A);
  return values;
}

void sort_eigenvalues(Eigen::VectorXcd& values) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return a.imag() != b.imag() ? a.imag() < b.imag() : a.real() < b.real();
  });
}

// (A B; 0 0) with the rates of the lengths as inputs, which dampers of cables feel; torques stay as they are. Columns
// of B: cables, torques, bars.
void put_lengths_into_states(const MatrixXd& A, const MatrixXd& B, long cables, long bars, LinearModel& linear) {
  const long n = A.rows(), m = B.cols();
  std::vector<long> lengths;
  for (long j = 0; j < m; ++j)
    if (j < cables || j >= m - bars) lengths.push_back(j);
  const long states = static_cast<long>(lengths.size());
  linear.A = MatrixXd::Zero(n + states, n + states);
  linear.A.topLeftCorner(n, n) = A;
  linear.B = MatrixXd::Zero(n + states, m);
  linear.B.topRows(n) = B;
  for (long k = 0; k < states; ++k) {
    const long j = lengths[static_cast<std::size_t>(k)];
    linear.A.col(n + k).head(n) = B.col(j);
    linear.B.col(j).setZero();
    linear.B.col(j).head(n) = j < cables ? linear.B_rate.col(j) : linear.B_bar_rate.col(j - (m - bars));
    linear.B(n + k, j) = 1.0;
    std::string& name = linear.inputs[static_cast<std::size_t>(j)];
    linear.states.push_back(name + ".length");
    name += ".length_rate";
  }
  linear.B_rate.resize(0, 0);
  linear.B_bar_rate.resize(0, 0);
}

// The bars whose lengths can be inputs.
std::vector<int> bar_inputs(const Dynamics& dynamics) {
  const FormulationFacts& facts = dynamics.formulation().facts();
  const Model& model = dynamics.model();
  const std::vector<int> drives = drives_of_rigid_bars(model);
  if (!facts.bars_are_constraints && drives.empty())
    throw InputError(
        fmt::format("formulation {}: the length of a bar is not a constraint here, so it cannot be an input unless an "
                    "actuator drives it; nodal and point_mass can",
                    facts.name));
  if (facts.bars_are_constraints && !dynamics.gains().any())
    throw InputError(
        "bar lengths act through the drift correction: set simulation.constraints = \"baumgarte\" (k_s, k_d)");
  std::vector<int> bars;
  for (std::size_t i = 0; i < model.bars.size(); ++i)
    if (facts.bars_are_constraints ? !model.bars[i].elastic : drives[i] >= 0) bars.push_back(static_cast<int>(i));
  return bars;
}

// Columns of B by the lengths of bars, and by their rates.
void add_bar_inputs(const Dynamics& dynamics, Columns& columns, const std::vector<int>& bars,
                    std::vector<VectorXd>& inputs, LinearModel& linear) {
  const Model& model = dynamics.model();
  const std::vector<int> drives = drives_of_rigid_bars(model);
  linear.B_bar_rate.setZero(columns.size(), static_cast<long>(bars.size()));
  for (std::size_t k = 0; k < bars.size(); ++k) {
    VectorXd length = VectorXd::Zero(static_cast<long>(model.bars.size()));
    length[bars[k]] = 1.0;
    inputs.push_back(columns.by_length(length));
    linear.inputs.push_back(model.bars[bars[k]].name);
    if (!drives.empty() && drives[bars[k]] >= 0)
      linear.B_bar_rate.col(static_cast<long>(k)) = columns.by_length_rate(length);
  }
}

}  // namespace

std::vector<ControlInput> linear_inputs(const Dynamics& dynamics) {
  const Model& model = dynamics.model();
  std::vector<ControlInput> list;
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) list.push_back({i, -1, 0, {}});
  // Each once, in the order of the joints.
  std::set<std::pair<int, int>> driven;
  for (const JointDrive& drive : model.drives)
    if (!drive.imposed) driven.insert({drive.joint, drive.coordinate});
  for (const ControllerSpec& spec : model.controllers)
    for (const ControlInput& input : spec.steer.inputs)
      if (input.cable < 0) driven.insert({input.joint, input.coordinate});
  for (const auto& [joint, coordinate] : driven)
    if (const ControlInput input{-1, joint, coordinate, {}}; velocity_of(dynamics, input) >= 0) list.push_back(input);
  return list;
}

LinearModel linearise(const Dynamics& dynamics, const State& state, const LinearOptions& options) {
  const Model& model = dynamics.model();
  require_soft_ground(model);
  Columns columns(dynamics, state);
  LinearModel linear;
  linear.states = columns.names();
  const long n = columns.size();
  if (n > 4000)
    throw InputError(fmt::format(
        "a linear model of {} states would be a full matrix of {:.1f} GB; this is meant for up to 4000 states", n,
        8e-9 * static_cast<double>(n) * static_cast<double>(n)));
  MatrixXd A(n, n);
  for (long j = 0; j < n; ++j) A.col(j) = columns.by_state(j);
  // Inputs: rest lengths, torques, then bar lengths.
  std::vector<VectorXd> inputs;
  linear.B_rate.resize(n, static_cast<long>(model.cables.size()));
  for (const ControlInput& input : linear_inputs(dynamics)) {
    linear.inputs.push_back(input_name(model, input));
    if (input.cable < 0) {
      inputs.push_back(columns.by_torque(velocity_of(dynamics, input)));
      continue;
    }
    const Cables& cables = dynamics.cables();
    const CableTerms& terms = columns.terms().cables;
    const int slot = cables.slot_of_cable(input.cable);
    const double by_rate = -tension_slopes(cables, terms, slot).second;
    inputs.push_back(columns.by_force(force_by_rest_length(dynamics, columns.terms(), input.cable)));
    linear.B_rate.col(input.cable) = columns.by_force(force_of_cable(dynamics, columns.terms(), input.cable, by_rate));
  }
  const std::vector<int> bars = options.bar_lengths ? bar_inputs(dynamics) : std::vector<int>{};
  add_bar_inputs(dynamics, columns, bars, inputs, linear);
  const long m = static_cast<long>(inputs.size());
  MatrixXd B(n, m);
  for (long j = 0; j < m; ++j) B.col(j) = inputs[j];
  if (options.lengths_as_states)
    put_lengths_into_states(A, B, static_cast<long>(model.cables.size()), static_cast<long>(bars.size()), linear);
  else
    linear.A = std::move(A), linear.B = std::move(B);
  linear.eigenvalues = eigenvalues_of(linear.A);
  sort_eigenvalues(linear.eigenvalues);
  return linear;
}

std::vector<double> frequencies(const Eigen::VectorXcd& eigenvalues) {
  double largest = 0.0;
  for (const auto& value : eigenvalues) largest = std::max(largest, std::abs(value));
  // A zero that comes twice (a free motion) splits by the root of rounding.
  std::vector<double> list;
  for (const auto& value : eigenvalues)
    if (value.imag() > 1e-6 * largest) list.push_back(value.imag() / (2.0 * std::numbers::pi));
  std::sort(list.begin(), list.end());
  return list;
}

DiscreteModel discretise(const LinearModel& model, Discretisation method, double h) {
  const long n = model.A.rows(), m = model.B.cols();
  const MatrixXd I = MatrixXd::Identity(n, n);
  switch (method) {
    case Discretisation::euler:
      return {I + h * model.A, h * model.B};
    case Discretisation::trapezoid: {
      const Lu left(I - 0.5 * h * model.A);
      return {left.solve(MatrixXd(I + 0.5 * h * model.A)), left.solve(MatrixXd(h * model.B))};
    }
    case Discretisation::exact: {
      MatrixXd all = MatrixXd::Zero(n + m, n + m);
      all.topLeftCorner(n, n) = h * model.A;
      all.topRightCorner(n, m) = h * model.B;
      const MatrixXd power = matrix_exponential(all);
      constexpr double few_digits = 1e-3;
      if (power.allFinite() && !(exponential_error(all, power) < few_digits))
        throw RunError(0.0, fmt::format("over a step of {:g} s rounding grows until no digit of Ad is right; take a "
                                        "smaller step, or coordinates without redundance (minimal)",
                                        h));
      return {power.topLeftCorner(n, n), power.topRightCorner(n, m)};
    }
  }
  return {};
}

}  // namespace taut
