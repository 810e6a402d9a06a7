#include "taut/analysis/linearise.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <numbers>
#include <unsupported/Eigen/MatrixFunctions>

#include "taut/base/error.h"
#include "taut/forces/cable_tangent.h"

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
        names_(dynamics.formulation().state_names()) {
    for (int i = 0; i < nq_ + nv_; ++i)
      if (!names_[i].empty()) kept_.push_back(i);
    VectorXd rate = VectorXd::Zero(dynamics.size());
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
  VectorXd by_length(const VectorXd& length) { return multiply({.length = length.data(), .gains = gains_}); }

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

// Force on the nodes when the rest length of a cable grows.
VectorXd force_by_rest_length(const Dynamics& dynamics, const Terms& terms, int cable) {
  const Cables& cables = dynamics.cables();
  const int slot = cables.slot_of_cable(cable);
  const double slope = tension_by_rest_length(cables, terms.cables, slot);
  VectorXd force = VectorXd::Zero(3 * static_cast<long>(dynamics.model().nodes.size()));
  for (int p = cables.piece_begin(slot); p < cables.piece_end(slot); ++p) {
    const Vec3 d(terms.cables.direction[4 * p], terms.cables.direction[4 * p + 1], terms.cables.direction[4 * p + 2]);
    const Vec3 pull = slope * terms.cables.share[p] * d / std::max(d.norm(), 1e-300);
    force.segment<3>(3 * cables.piece_a(p)) += pull;
    force.segment<3>(3 * cables.piece_b(p)) -= pull;
  }
  return force;
}

void sort_eigenvalues(Eigen::VectorXcd& values) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return a.imag() != b.imag() ? a.imag() < b.imag() : a.real() < b.real();
  });
}

}  // namespace

LinearModel linearise(const Dynamics& dynamics, const State& state, const LinearOptions& options) {
  const Model& model = dynamics.model();
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
  // Inputs: rest lengths, then bar lengths.
  std::vector<VectorXd> inputs;
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    inputs.push_back(columns.by_force(force_by_rest_length(dynamics, columns.terms(), i)));
    linear.inputs.push_back(model.cables[i].name);
  }
  if (options.bar_lengths) {
    const std::string_view name = dynamics.formulation().name();
    if (name != "nodal" && name != "point_mass")
      throw InputError(
          fmt::format("formulation {}: the length of a bar is not a constraint here, so it cannot be an input; "
                      "nodal and point_mass can",
                      name));
    if (!dynamics.gains().any())
      throw InputError(
          "bar lengths act through the drift correction: set simulation.constraints = \"baumgarte\" (k_s, k_d)");
    for (int i = 0; i < static_cast<int>(model.bars.size()); ++i) {
      if (model.bars[i].elastic) continue;
      VectorXd length = VectorXd::Zero(static_cast<long>(model.bars.size()));
      length[i] = 1.0;
      inputs.push_back(columns.by_length(length));
      linear.inputs.push_back(model.bars[i].name);
    }
  }
  const long m = static_cast<long>(inputs.size());
  MatrixXd B(n, m);
  for (long j = 0; j < m; ++j) B.col(j) = inputs[j];
  if (options.lengths_as_states) {
    // (A B; 0 0) with the rates of the lengths as inputs.
    linear.A = MatrixXd::Zero(n + m, n + m);
    linear.A.topLeftCorner(n, n) = A;
    linear.A.topRightCorner(n, m) = B;
    linear.B = MatrixXd::Zero(n + m, m);
    linear.B.bottomRows(m).setIdentity();
    for (std::string& name : linear.inputs) {
      linear.states.push_back(name + ".length");
      name += ".length_rate";
    }
  } else {
    linear.A = std::move(A);
    linear.B = std::move(B);
  }
  linear.eigenvalues = Eigen::EigenSolver<MatrixXd>(linear.A, false).eigenvalues();
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
      const Eigen::PartialPivLU<MatrixXd> left(I - 0.5 * h * model.A);
      return {left.solve(I + 0.5 * h * model.A), left.solve(h * model.B)};
    }
    case Discretisation::exact: {
      MatrixXd all = MatrixXd::Zero(n + m, n + m);
      all.topLeftCorner(n, n) = h * model.A;
      all.topRightCorner(n, m) = h * model.B;
      const MatrixXd power = all.exp();
      return {power.topLeftCorner(n, n), power.topRightCorner(n, m)};
    }
  }
  return {};
}

}  // namespace taut
