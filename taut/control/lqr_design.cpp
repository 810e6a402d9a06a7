#include "taut/control/lqr_design.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/MatrixFunctions>

#include "taut/analysis/linearise.h"
#include "taut/base/error.h"
#include "taut/control/pid.h"
#include "taut/control/targets.h"
#include "taut/model/control_names.h"
#include "taut/solve/riccati.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr long most_states = 400;        // a dense eigenvalue problem of this size takes a second
constexpr double small_step = 1e-5;      // of differences: the error of central ones is its square, rounding 1e-11
constexpr double rank_tolerance = 1e-7;  // of singular values: above what differences leave

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw InputError(fmt::format("controller {}: {}", name, why));
}

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
    terms.cables.winches = {{cable, dynamics_.model().cables[cable].rest_length + change, 0.0, 0.0}};
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
    targets_.measure(sight_.look(state, terms), value, rate);
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

// The linear model on what constraints allow, with the targets.
struct Plant {
  MatrixXd A, B, B_rate;  // ξ by ξ, by inputs, by rates of rest lengths (0 for torques)
  MatrixXd C, C_rate, D;  // targets by ξ, their rates by ξ, targets by inputs
  VectorXd f;             // ξ̇ at the start
};

VectorXd entries(const VectorXd& all, const std::vector<int>& kept) {
  VectorXd part(static_cast<long>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i) part[static_cast<long>(i)] = all[kept[i]];
  return part;
}

Plant make_plant(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets, const std::string& name,
                 LqrDesign& design) {
  const std::vector<std::string> names = dynamics.formulation().state_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty()) design.kept.push_back(static_cast<int>(i));
  const long n = static_cast<long>(design.kept.size());
  if (n == 0) refuse(name, "nothing of the structure can move");
  if (n > most_states)
    refuse(name, fmt::format("lqr is for up to {} states; formulation {} has {}", most_states,
                             dynamics.formulation().name(), n));
  Probe probe(dynamics, targets);
  const State& start = probe.start();
  design.start = start.y.head(start.nq + start.nv);
  const LinearModel linear = linearise(dynamics, start);
  if (!linear.A.allFinite() || !linear.B.allFinite()) refuse(name, "the linear model at the start is not finite");

  // What projection leaves of every direction spans what constraints allow.
  MatrixXd allowed(n, n), shown(2 * targets.size(), n);
  for (long j = 0; j < n; ++j) {
    const int entry = design.kept[static_cast<std::size_t>(j)];
    const double h = small_step;
    allowed.col(j) = entries(probe.projected(entry, h) - probe.projected(entry, -h), design.kept) / (2.0 * h);
    shown.col(j) = (probe.seen(entry, h) - probe.seen(entry, -h)) / (2.0 * h);
  }
  if (!allowed.allFinite() || !shown.allFinite()) refuse(name, "the targets cannot be followed near the start");
  const Eigen::BDCSVD<MatrixXd> svd(allowed, Eigen::ComputeThinU);
  const long rank = (svd.singularValues().array() > 1e-4 * svd.singularValues()[0]).count();
  design.Z = svd.matrixU().leftCols(rank);
  const MatrixXd& Z = design.Z;

  Plant plant;
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
      refuse(name, fmt::format("the joint of its input {} closes a loop: give it role = \"tree\"",
                               input_name(dynamics.model(), input)));
    plant.B.col(k) = Z.transpose() * linear.B.col(found - columns.begin());
    if (input.cable < 0) continue;
    plant.B_rate.col(k) = Z.transpose() * linear.B_rate.col(input.cable);
    const double h = small_step * dynamics.model().cables[input.cable].rest_length;
    plant.D.col(k) =
        (probe.seen_with_rest(input.cable, h) - probe.seen_with_rest(input.cable, -h)).head(targets.size()) / (2.0 * h);
    design.cable_inputs.push_back(static_cast<int>(k));
  }
  design.target_start = probe.seen(design.kept.front(), 0.0).head(targets.size());
  return plant;
}

// z = (ξ, δL) from instant to instant.
struct Sampled {
  MatrixXd A, B, C;  // C: weighted targets and rates
};

Sampled sample(const Plant& plant, const ControllerSpec& spec, const std::vector<int>& cables) {
  const long n = plant.A.rows(), m = plant.B.cols(), l = static_cast<long>(cables.size());
  const double T = 1.0 / spec.rate;
  // (ξ, u, u̇) with ü = 0 over a period.
  MatrixXd all = MatrixXd::Zero(n + 2 * m, n + 2 * m);
  all.topLeftCorner(n, n) = T * plant.A;
  all.block(0, n, n, m) = T * plant.B;
  all.topRightCorner(n, m) = T * plant.B_rate;
  all.block(n, n + m, m, m) = T * MatrixXd::Identity(m, m);
  const MatrixXd power = all.exp();
  const MatrixXd by_input = power.block(0, n, n, m), by_rate = power.topRightCorner(n, m) / T;

  Sampled s;
  s.A = MatrixXd::Zero(n + l, n + l);
  s.B = MatrixXd::Zero(n + l, m);
  s.A.topLeftCorner(n, n) = power.topLeftCorner(n, n);
  s.B.topRows(n) = by_input;
  const long t = plant.C.rows();
  s.C = MatrixXd::Zero(2 * t, n + l);
  s.C.topLeftCorner(t, n) = plant.C;
  s.C.bottomLeftCorner(t, n) = plant.C_rate;
  for (long i = 0; i < l; ++i) {
    const long k = cables[static_cast<std::size_t>(i)];
    // From L to u in a straight line: u̇ = (u - L)/T.
    s.A.col(n + i).head(n) = by_input.col(k) - by_rate.col(k);
    s.B.col(k).head(n) = by_rate.col(k);
    s.B(n + i, k) = 1.0;
    s.C.col(n + i).head(t) = plant.D.col(k);
  }
  const auto weight = [&](const std::vector<double>& list, long k, double standard) {
    return std::sqrt(list.empty() ? standard : list[static_cast<std::size_t>(k)]);
  };
  for (long k = 0; k < t; ++k) {
    s.C.row(k) *= weight(spec.steer.position_weight, k, 1.0);
    s.C.row(t + k) *= weight(spec.steer.velocity_weight, k, 0.0);
  }
  return s;
}

// The motion that stands in the way: of those that do not die down, the one that the inputs reach least.
std::string unreached(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, double T, const Model& model,
                      const ControllerSpec& spec) {
  const Eigen::EigenSolver<MatrixXd> left(A.transpose()), right(A);
  std::complex<double> worst = 0.0;
  double least = INFINITY;
  for (long i = 0; i < A.rows(); ++i) {
    if (std::abs(left.eigenvalues()[i]) < 1.0 - 1e-7) continue;
    const Eigen::VectorXcd w = left.eigenvectors().col(i);
    const double reach = (B.transpose() * w).norm() / w.norm();
    if (reach < least) least = reach, worst = left.eigenvalues()[i];
  }
  if (std::isinf(least)) return "the inputs do not stabilise what its targets show";
  // Where it shows most.
  long target = 0;
  double most = -1.0;
  for (long i = 0; i < A.rows(); ++i) {
    if (std::abs(right.eigenvalues()[i] - worst) > 1e-5) continue;
    const VectorXd shows = (C * right.eigenvectors().col(i)).cwiseAbs();
    long row = 0;
    if (const double size = shows.maxCoeff(&row); size > most) most = size, target = row;
  }
  target %= static_cast<long>(spec.steer.targets.size());
  const std::complex<double> rate = std::log(worst) / T;
  const double frequency = std::abs(rate.imag()) / (2.0 * std::numbers::pi);
  return fmt::format(
      "its inputs cannot stabilise a motion that \"{}\" shows: {} that {}",
      target_name(model, spec.steer.targets[static_cast<std::size_t>(target)]),
      frequency > 1e-6 ? fmt::format("one of {:.3g} Hz", frequency) : "one",
      rate.real() > 1e-6 ? fmt::format("grows by e in {:.3g} s", 1.0 / rate.real()) : "does not die down");
}

void find_gain(const Plant& plant, const Dynamics& dynamics, const ControllerSpec& spec, const std::string& name,
               LqrDesign& design) {
  const Sampled s = sample(plant, spec, design.cable_inputs);
  const long inputs = s.B.cols();
  // What the weighted targets do not show costs nothing: it is left alone.
  const MatrixXd V = observable_basis(s.A, s.C);
  MatrixXd R = MatrixXd::Identity(inputs, inputs);
  for (long k = 0; k < inputs && !spec.steer.input_weight.empty(); ++k)
    R(k, k) = spec.steer.input_weight[static_cast<std::size_t>(k)];
  const MatrixXd A = V.transpose() * s.A * V, B = V.transpose() * s.B, C = s.C * V;
  const Feedback feedback = optimal_feedback(A, B, C.transpose() * C, R);
  if (!feedback.converged || !(feedback.spectral_radius < 1.0))
    refuse(name, unreached(A, B, C, 1.0 / spec.rate, dynamics.model(), spec));
  design.K = feedback.K * V.transpose();
  design.spectral_radius = feedback.spectral_radius;
}

// All (ξ, δu) that move as asked, and of those the one whose targets are nearest and whose inputs are smallest.
class Following {
 public:
  Following(const Plant& plant, const ControllerSpec& spec) : n_(plant.A.rows()), m_(plant.B.cols()) {
    // Inputs in the measure of their weights; of states only rounding is kept small.
    scale_ = VectorXd::Constant(n_ + m_, 1.0);
    for (long k = 0; k < m_ && !spec.steer.input_weight.empty(); ++k)
      scale_[n_ + k] = 1.0 / std::sqrt(spec.steer.input_weight[static_cast<std::size_t>(k)]);
    MatrixXd motion(n_, n_ + m_), output(plant.C.rows(), n_ + m_);
    motion << plant.A, plant.B;
    output << plant.C, plant.D;
    motion = motion * scale_.asDiagonal();
    output = output * scale_.asDiagonal();
    // Rows of the same size, so that one rank fits all.
    row_ = VectorXd::Ones(n_);
    for (long i = 0; i < n_; ++i)
      if (const double size = motion.row(i).norm(); size > 0.0) row_[i] = 1.0 / size;
    motion_.setThreshold(rank_tolerance);
    motion_.compute(row_.asDiagonal() * motion);
    const long rank = motion_.rank();
    const Eigen::BDCSVD<MatrixXd> svd(row_.asDiagonal() * motion, Eigen::ComputeFullV);
    free_ = svd.matrixV().rightCols(n_ + m_ - rank);
    output_ = output;
    shown_.setThreshold(rank_tolerance);
    shown_.compute(output * free_);
  }

  VectorXd find(const VectorXd& motion, const VectorXd& output) const {
    const VectorXd w = motion_.solve(row_.cwiseProduct(motion));
    return scale_.cwiseProduct(w + free_ * shown_.solve(output - output_ * w));
  }

 private:
  long n_, m_;
  VectorXd scale_, row_;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> motion_, shown_;
  MatrixXd free_, output_;
};

void find_following(const Plant& plant, const ControllerSpec& spec, const VectorXd& bias, LqrDesign& design) {
  const long n = plant.A.rows(), t = plant.C.rows();
  const Following following(plant, spec);
  // From the bias: the smallest change.
  const VectorXd none = VectorXd::Zero(n), still = VectorXd::Zero(t);
  design.rest = following.find(-plant.f - plant.B * bias, -plant.D * bias);
  design.rest.tail(bias.size()) += bias;
  const VectorXd left = plant.A * design.rest.head(n) + plant.B * design.rest.tail(bias.size()) + plant.f;
  design.imbalance = n > 0 ? left.cwiseAbs().maxCoeff() : 0.0;
  const auto columns = [&](auto&& right) {
    MatrixXd all(n + bias.size(), t);
    for (long k = 0; k < t; ++k) all.col(k) = right(k);
    return all;
  };
  design.by_value = columns([&](long k) { return following.find(none, VectorXd::Unit(t, k)); });
  design.by_rate = columns([&](long k) { return following.find(design.by_value.col(k).head(n), still); });
  design.by_second = columns([&](long k) { return following.find(design.by_rate.col(k).head(n), still); });
}

}  // namespace

VectorXd LqrDesign::reduced(const State& state) const {
  return Z.transpose() * (entries(state.y, kept) - entries(start, kept));
}

LqrDesign design_lqr(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets, const std::string& name) {
  LqrDesign design;
  try {
    const Plant plant = make_plant(dynamics, spec, targets, name, design);
    const long inputs = plant.B.cols();
    ControllerSpec plain = spec;
    plain.steer.bias.clear();
    const std::vector<double> at_start = input_bias(dynamics.model(), plain),
                              wished = input_bias(dynamics.model(), spec);
    design.input_start = VectorXd::Map(at_start.data(), inputs);
    find_gain(plant, dynamics, spec, name, design);
    find_following(plant, spec, VectorXd::Map(wished.data(), inputs) - design.input_start, design);
  } catch (const RunError& error) {
    refuse(name, fmt::format("the start cannot be evaluated: {}", error.what()));
  }
  return design;
}

}  // namespace taut
