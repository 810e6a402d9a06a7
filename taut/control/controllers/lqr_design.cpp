#include "taut/control/controllers/lqr_design.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "taut/base/error.h"
#include "taut/control/controllers/lqr_plant.h"
#include "taut/control/controllers/pid.h"
#include "taut/model/control_names.h"
#include "taut/solve/dense.h"
#include "taut/solve/matrix_exponential.h"
#include "taut/solve/riccati.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rank_tolerance = 1e-7;  // above what differences leave
constexpr double faint = 1e-8;           // what shows by less is rounding: of differences, 1e-12 and what motion adds
constexpr double standing = 1e-9;        // of a motion from one instant to the next: it does not die down

// z = (ξ, δL) from instant to instant.
struct Sampled {
  MatrixXd A, B, C;  // C: weighted targets and rates
};

Sampled sample(const LqrPlant& plant, const ControllerSpec& spec, const std::vector<int>& cables) {
  const long n = plant.A.rows(), m = plant.B.cols(), l = static_cast<long>(cables.size());
  const double T = 1.0 / spec.rate;
  // (ξ, u, u̇) with ü = 0 over a period.
  MatrixXd all = MatrixXd::Zero(n + 2 * m, n + 2 * m);
  all.topLeftCorner(n, n) = T * plant.A;
  all.block(0, n, n, m) = T * plant.B;
  all.topRightCorner(n, m) = T * plant.B_rate;
  all.block(n, n + m, m, m) = T * MatrixXd::Identity(m, m);
  const MatrixXd power = matrix_exponential(all);
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

// An orthonormal basis of what the targets show, or their rates; with `weighted` only those that have a weight.
MatrixXd shown_basis(const LqrPlant& plant, const Sampled& s, bool weighted) {
  constexpr double nothing = 1e-9;  // of differences, in the target's unit per m or rad
  const long n = plant.A.rows(), t = plant.C.rows();
  MatrixXd rows(2 * t, n);
  rows << plant.C, plant.C_rate;
  // Each target counts alike, whatever its unit and weight.
  for (long k = 0; k < 2 * t; ++k) {
    const double size = rows.row(k).norm();
    const bool counts = size > nothing && !(weighted && s.C.row(k).isZero(0.0));
    rows.row(k) *= counts ? 1.0 / size : 0.0;
  }
  return observable_basis(s.A.topLeftCorner(n, n), rows, faint);
}

// The motion that stands in the way: of those that do not die down, the one that the inputs reach least.
std::string unreached(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, double T, const Model& model,
                      const ControllerSpec& spec) {
  const GeneralEigen left = general_eigen(A.transpose()), right = general_eigen(A);
  std::complex<double> worst = 0.0;
  double least = INFINITY;
  for (long i = 0; i < A.rows(); ++i) {
    if (std::abs(left.values[i]) < 1.0 - 1e-7) continue;
    const Eigen::VectorXcd w = left.vectors.col(i);
    const double reach = (B.transpose() * w).norm() / w.norm();
    if (reach < least) least = reach, worst = left.values[i];
  }
  if (least > rank_tolerance * B.norm())  // or there is none
    return "no feedback can be computed for its weights at this rate: expected weights that are closer in size";
  // Where it shows most.
  long target = 0;
  double most = -1.0;
  for (long i = 0; i < A.rows(); ++i) {
    if (std::abs(right.values[i] - worst) > 1e-5) continue;
    const VectorXd shows = (C * right.vectors.col(i)).cwiseAbs();
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

void find_gain(const LqrPlant& plant, const Sampled& s, const Dynamics& dynamics, const ControllerSpec& spec,
               const std::string& name, LqrDesign& design) {
  const long inputs = s.B.cols();
  // What the weighted targets do not show costs nothing: it is left alone. Rest lengths die down by themselves.
  const long n = plant.A.rows(), lengths = s.A.rows() - n;
  MatrixXd R = MatrixXd::Identity(inputs, inputs);
  for (long k = 0; k < inputs && !spec.steer.input_weight.empty(); ++k)
    R(k, k) = spec.steer.input_weight[static_cast<std::size_t>(k)];
  const MatrixXd shown = shown_basis(plant, s, true);
  if (shown.cols() == 0)
    refuse_lqr(name,
               "no motion of the structure shows in a target with a weight: expected a target that moves, with a "
               "position_weight or velocity_weight above 0");
  MatrixXd V = MatrixXd::Zero(n + lengths, shown.cols() + lengths);
  V.topLeftCorner(n, shown.cols()) = shown;
  V.bottomRightCorner(lengths, lengths).setIdentity();
  const MatrixXd A = V.transpose() * s.A * V, B = V.transpose() * s.B, C = s.C * V;
  if (const double growth = general_eigenvalues(A).cwiseAbs().maxCoeff(); growth > 1e8)
    refuse_lqr(name,
               fmt::format("a motion grows {:.1g}-fold between two instants, too much to steer: expected a higher "
                           "rate",
                           growth));
  const Feedback feedback = optimal_feedback(A, B, C.transpose() * C, R);
  if (!feedback.converged || !(feedback.spectral_radius < 1.0 - standing))
    refuse_lqr(name, unreached(A, B, C, 1.0 / spec.rate, dynamics.model(), spec));
  design.K = feedback.K * V.transpose();
  design.spectral_radius = feedback.spectral_radius;
}

// Of all (ξ, δu) that move as asked those whose targets are nearest, and of those the one with the smallest inputs.
class Following {
 public:
  Following(const LqrPlant& plant, const ControllerSpec& spec) : n_(plant.A.rows()), m_(plant.B.cols()) {
    // Inputs in the measure of their weights.
    scale_ = VectorXd::Ones(n_ + m_);
    for (long k = 0; k < m_ && !spec.steer.input_weight.empty(); ++k)
      scale_[n_ + k] = 1.0 / std::sqrt(spec.steer.input_weight[static_cast<std::size_t>(k)]);
    MatrixXd motion(n_, n_ + m_);
    motion << plant.A, plant.B;
    motion = motion * scale_.asDiagonal();
    output_.resize(plant.C.rows(), n_ + m_);
    output_ << plant.C, plant.D;
    output_ = output_ * scale_.asDiagonal();
    // Rows of the same size, so that one rank fits all.
    row_ = VectorXd::Ones(n_);
    for (long i = 0; i < n_; ++i)
      if (const double size = motion.row(i).norm(); size > 0.0) row_[i] = 1.0 / size;
    moves_ = Solver(row_.asDiagonal() * motion);
    shows_ = Solver(output_ * moves_.free);
    drives_ = Solver((moves_.free * shows_.free).bottomRows(m_));
  }

  VectorXd find(const VectorXd& motion, const VectorXd& output) const {
    VectorXd w = moves_.solve(row_.cwiseProduct(motion));
    w += moves_.free * shows_.solve(output - output_ * w);
    w -= moves_.free * (shows_.free * drives_.solve(w.tail(m_)));
    return scale_.cwiseProduct(w);
  }

 private:
  // Least squares, and what they leave free.
  struct Solver {
    MatrixXd inverse, free;

    Solver() = default;
    explicit Solver(const MatrixXd& matrix)
        : inverse(MatrixXd::Zero(matrix.cols(), matrix.rows())),
          free(MatrixXd::Identity(matrix.cols(), matrix.cols())) {
      if (matrix.size() == 0) return;
      LeastSquares parts(rank_tolerance);
      parts.compute(matrix);
      inverse = parts.pseudo_inverse();
      free = parts.free();
    }
    VectorXd solve(const VectorXd& right) const { return inverse * right; }
  };

  long n_, m_;
  VectorXd scale_, row_;
  MatrixXd output_;
  Solver moves_, shows_, drives_;
};

void find_following(const LqrPlant& whole, const Sampled& s, const ControllerSpec& spec, const VectorXd& bias,
                    LqrDesign& design) {
  // Only what the targets show, which is the same in all coordinates.
  const MatrixXd V = shown_basis(whole, s, false);
  LqrPlant plant;
  plant.A = V.transpose() * whole.A * V;
  plant.B = V.transpose() * whole.B;
  plant.C = whole.C * V;
  plant.D = whole.D;
  plant.f = V.transpose() * whole.f;
  const long n = plant.A.rows(), t = plant.C.rows(), m = bias.size();
  const Following following(plant, spec);
  const VectorXd none = VectorXd::Zero(n), still = VectorXd::Zero(t);
  // From the bias: the smallest change.
  VectorXd rest = following.find(-plant.f - plant.B * bias, -plant.D * bias);
  rest.tail(m) += bias;
  const VectorXd left = plant.A * rest.head(n) + plant.B * rest.tail(m) + plant.f;
  design.imbalance = n > 0 ? left.cwiseAbs().maxCoeff() : 0.0;
  const auto columns = [&](auto&& right) {
    MatrixXd all(n + m, t);
    for (long k = 0; k < t; ++k) all.col(k) = right(k);
    return all;
  };
  const MatrixXd by_value = columns([&](long k) { return following.find(none, VectorXd::Unit(t, k)); });
  const MatrixXd by_rate = columns([&](long k) { return following.find(by_value.col(k).head(n), still); });
  const MatrixXd by_second = columns([&](long k) { return following.find(by_rate.col(k).head(n), still); });
  const auto lifted = [&](const MatrixXd& w) {
    MatrixXd all(V.rows() + m, w.cols());
    all << V * w.topRows(n), w.bottomRows(m);
    return all;
  };
  design.rest = lifted(rest);
  design.by_value = lifted(by_value);
  design.by_rate = lifted(by_rate);
  design.by_second = lifted(by_second);
}

// Loads that end, without which the structure is to rest: they disturb it.
Model without_passing_loads(Model model) {
  std::erase_if(model.loads, [](const Load& load) { return std::isfinite(load.to); });
  return model;
}

}  // namespace

LqrDesign design_lqr(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets, const std::string& name) {
  LqrDesign design;
  const Model lasting = without_passing_loads(dynamics.model());
  const Dynamics steady(lasting, dynamics.formulation().facts().name, dynamics.constraint_method(), dynamics.gains());
  try {
    const LqrPlant plant = make_plant(steady, spec, targets, name, design);
    const long inputs = plant.B.cols();
    ControllerSpec plain = spec;
    plain.steer.bias.clear();
    const std::vector<double> at_start = input_bias(dynamics.model(), plain),
                              wished = input_bias(dynamics.model(), spec);
    design.input_start = VectorXd::Map(at_start.data(), inputs);
    const Sampled sampled = sample(plant, spec, design.cable_inputs);
    find_gain(plant, sampled, steady, spec, name, design);
    find_following(plant, sampled, spec, VectorXd::Map(wished.data(), inputs) - design.input_start, design);
  } catch (const RunError& error) {
    refuse_lqr(name, fmt::format("the start cannot be evaluated: {}", error.what()));
  }
  return design;
}

}  // namespace taut
