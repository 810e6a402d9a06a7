#include "taut/modes/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/base/error.h"
#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/members.h"
#include "taut/model/laws/bar_law.h"
#include "taut/modes/damping.h"
#include "taut/modes/lanczos.h"
#include "taut/modes/reduced.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

constexpr double noticed_asymmetry = 1e-9;

// The least stiffness that can be told from none, as a force over a length per node: forces out of balance by the
// rounding of a file (up to 1e-6 of the mean) turn with the whole.
VectorXd imbalance_stiffness(const Model& model) {
  const Balance balance = start_balance(model);
  double length = 0.0;
  for (const Bar& bar : model.bars) length += start_length(model, bar);
  for (const Cable& cable : model.cables) length += start_length(model, cable);
  length /= static_cast<double>(std::max<std::size_t>(model.bars.size() + model.cables.size(), 1));
  VectorXd result = VectorXd::Zero(static_cast<long>(model.nodes.size()));
  for (long i = 0; i < result.size() && length > 0.0; ++i)
    result[i] = 4.0 * std::min(balance.net_force[i].norm(), 1e-6 * balance.mean_force) / length;
  return result;
}

// (rad/s)²: where nothing has any stiffness rounding has nothing to be measured by; a period of 70 days counts as no motion.
constexpr double slowest = 1e-12;

// Squares that rounding or such an imbalance could have made are zero.
void clear_zeros(const VectorXd& imbalance, const VectorXd& rounding, ModalAnalysis& modes) {
  for (long k = 0; k < modes.count(); ++k) {
    double noise = rounding[k] + slowest;
    for (long i = 0; i < imbalance.size(); ++i)
      noise += imbalance[i] * modes.shapes.col(k).segment<3>(3 * i).squaredNorm();
    if (std::abs(modes.square[k]) <= noise) modes.square[k] = 0.0;
  }
}

// Where several modes have one frequency, those that the damping does not couple; where it does not tell them apart,
// one that takes part along x, one along y and z, one along z, and the rest. `weight` as in ReducedMotion.
template <class Damping>
void part_equal_modes(const VectorXd& square, const Damping& C, const MatrixXd& weight, MatrixXd& vectors) {
  const double scale = square.size() > 0 ? square.cwiseAbs().maxCoeff() : 0.0;
  const auto equal = [&](long i) { return square[i] - square[i - 1] <= 1e-9 * std::abs(square[i]) + 1e-13 * scale; };
  for (long first = 0, end; first < square.size(); first = end) {
    for (end = first + 1; end < square.size() && equal(end);) ++end;
    if (end - first < 2) continue;
    MatrixXd part = vectors.middleCols(first, end - first);
    const auto turn = [&] { times_householder_q(part.transpose() * weight, part); };
    turn();
    const MatrixXd D = part.transpose() * (C * part);
    const double mean = D.trace() / static_cast<double>(D.rows());
    const MatrixXd apart = D - mean * MatrixXd::Identity(D.rows(), D.rows());
    if (apart.cwiseAbs().maxCoeff() > 1e-9 * std::max(std::abs(mean), 1e-6 * std::sqrt(scale))) {
      const SymmetricEigen solver = symmetric_eigen(0.5 * (D + D.transpose()));
      part = (part * solver.vectors).eval();
    }
    vectors.middleCols(first, end - first) = part;
  }
}

// The largest part of every shape positive.
void fix_signs(ModalAnalysis& modes) {
  for (long k = 0; k < modes.count(); ++k) {
    const bool by_nodes = modes.shapes.rows() > 0 && modes.shapes.col(k).cwiseAbs().maxCoeff() > 0.0;
    const VectorXd shape = by_nodes ? modes.shapes.col(k) : VectorXd(modes.coordinate_shapes.col(k));
    if (shape.size() == 0) continue;
    long at = 0;
    const double size = shape.cwiseAbs().maxCoeff();
    while (std::abs(shape[at]) < (1.0 - 1e-6) * size) ++at;
    if (!(shape[at] < 0.0)) continue;
    modes.shapes.col(k) *= -1.0;
    modes.participation.row(k) *= -1.0;
    if (modes.coordinate_shapes.cols() > 0) modes.coordinate_shapes.col(k) *= -1.0;
  }
}

void take_damping(const DampedModes& damped, const VectorXd& own, ModalAnalysis& modes) {
  const long count = modes.count();
  modes.eigenvalues = damped.eigenvalues;
  modes.overdamped = damped.overdamped;
  modes.damping_residual = damped.residual;
  modes.damping = VectorXd::Constant(count, none);
  for (long k = 0; k < count; ++k) {
    const double square = modes.square[k];
    // Rounding of what dampers do to a motion that they do not feel.
    const bool drags = std::abs(own[k]) > 1e-9 * std::max(own.cwiseAbs().maxCoeff(), 1e-300);
    // Of one oscillator with this frequency and this slower root -r: r² - 2ζω r + ω² = 0.
    if (const double r = -modes.eigenvalues[k].real(), w = std::sqrt(std::max(square, 0.0)); modes.overdamped[k])
      modes.damping[k] = r > 0.0 ? 0.5 * (r / w + w / r) : none;
    else if (square > 0.0 && std::abs(modes.eigenvalues[k].real()) <= 1e-12 * std::abs(modes.eigenvalues[k]))
      modes.damping[k] = 0.0;
    else if (square > 0.0)
      modes.damping[k] = -modes.eigenvalues[k].real() / std::abs(modes.eigenvalues[k]);
    else if (square == 0.0 && !drags)
      modes.damping[k] = 0.0, modes.eigenvalues[k] = 0.0;
  }
}

int wanted(const ModeOptions& options, int freedoms) {
  if (options.count > 0) return std::min(options.count, freedoms);
  return freedoms <= few_freedoms ? freedoms : std::min(default_modes, freedoms);
}

// Where forces have no energy the squares are those of the matrix itself, as long as all are real; the shapes stay
// those of its symmetric part.
void take_true_squares(const MatrixXd& A, VectorXd& square) {
  Eigen::VectorXcd values = general_eigenvalues(A);
  if (values.imag().cwiseAbs().maxCoeff() > 1e-6 * values.cwiseAbs().maxCoeff()) return;
  square = values.real();
  std::sort(square.begin(), square.end());
}

ModalAnalysis dense_modes(const ReducedMotion& motion, const ModeOptions& options, const VectorXd& imbalance) {
  ModalAnalysis modes;
  modes.freedoms = motion.freedoms();
  const long d = motion.freedoms(), count = wanted(options, modes.freedoms);
  const Cholesky cholesky(motion.M);
  if (d > 0 && !cholesky.positive())
    throw InputError("a motion that the constraints allow has no mass; give every bar an inertia above 0");
  // L⁻¹ K L⁻ᵀ has the squares.
  MatrixXd A = cholesky.solve_lower(motion.K);
  A = cholesky.solve_lower(A.transpose()).transpose().eval();
  if (const double size = A.norm(); size > 0.0) modes.asymmetry = (A - A.transpose()).norm() / size;
  VectorXd square(0);
  MatrixXd vectors(d, 0);
  if (d > 0) {
    const SymmetricEigen solver = symmetric_eigen(0.5 * (A + A.transpose()));
    square = solver.values;
    if (modes.asymmetry > noticed_asymmetry) take_true_squares(A, square);
    vectors = cholesky.solve_upper(solver.vectors);
  }
  modes.square = square.head(count);
  modes.shapes = motion.to_nodes * vectors.leftCols(count);
  const double largest = d > 0 ? square.cwiseAbs().maxCoeff() : 0.0;
  clear_zeros(imbalance, VectorXd::Constant(count, 64.0 * epsilon * largest), modes);
  VectorXd cleared = square;
  cleared.head(count) = modes.square;
  part_equal_modes(cleared, motion.C, motion.weight, vectors);
  modes.shapes = motion.to_nodes * vectors.leftCols(count);
  modes.coordinates = motion.coordinates;
  if (motion.to_coordinates.size() > 0) modes.coordinate_shapes = motion.to_coordinates * vectors.leftCols(count);
  const MatrixXd all = vectors.transpose() * motion.weight;
  modes.participation = all.topRows(count);
  for (int axis = 0; axis < 3; ++axis) modes.moved_mass[axis] = all.col(axis).squaredNorm();
  if (count == 0) return modes;

  // Damping in the coordinates of the modes; of many, the space grows from the wanted ones.
  const MatrixXd D = vectors.transpose() * motion.C * vectors;
  QuadraticProblem problem;
  const bool conservative = modes.asymmetry <= noticed_asymmetry;
  const MatrixXd whole = conservative ? MatrixXd() : MatrixXd(vectors.transpose() * motion.K * vectors);
  problem.K = [&](const MatrixXd& X) -> MatrixXd {
    if (conservative) return cleared.asDiagonal() * X;
    return whole * X;
  };
  problem.M = [](const MatrixXd& X) -> MatrixXd { return X; };
  problem.C = [&](const MatrixXd& X) -> MatrixXd { return D * X; };
  const double shift = 1e-6 * largest + std::max(-2.0 * square[0], 0.0) + 1e-300;
  problem.solve = [&](const MatrixXd& X) -> MatrixXd {
    return (cleared.array() + shift).inverse().matrix().asDiagonal() * X;
  };
  const long basis = d <= few_freedoms ? d : std::min(d, count + 20);
  take_damping(damped_modes(problem, MatrixXd::Identity(d, basis), cleared.head(basis), count),
               D.diagonal().head(count), modes);
  fix_signs(modes);
  return modes;
}

ModalAnalysis sparse_modes(const MotionMatrices& m, int count, const Model& model, const VectorXd& imbalance) {
  LowestModes lowest = lanczos_modes(m, count);
  ModalAnalysis modes;
  modes.freedoms = lowest.freedoms;
  modes.asymmetry = m.asymmetry;
  modes.complete = lowest.complete;
  const long found = std::min<long>(count, lowest.square.size());
  modes.square = lowest.square.head(found);
  modes.shapes = MatrixXd::Zero(3 * static_cast<long>(model.nodes.size()), found);
  const auto place = [&] {
    for (int i = 0; i < m.unknowns(); ++i) modes.shapes.row(m.coordinates[i]) = lowest.shapes.row(i).head(found);
  };
  place();
  VectorXd rounding(found);
  for (long k = 0; k < found; ++k) rounding[k] = 64.0 * epsilon * m.bound.dot(lowest.shapes.col(k).cwiseAbs2());
  clear_zeros(imbalance, rounding, modes);
  lowest.square.head(found) = modes.square;
  part_equal_modes(VectorXd(lowest.square.head(found)), m.C, m.weight, lowest.shapes);
  place();
  modes.participation = lowest.shapes.leftCols(found).transpose() * m.weight;
  // The moved mass is that of all modes: w·M⁻¹w along the constraints.
  const Saddle saddle(m.unknowns(), m.constraints, m.mass, m.pattern);
  SaddleFactor factor = saddle.make_factor();
  saddle.factorise(m.jacobian.data(), factor);
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> rhs(m.unknowns() + m.constraints, 0.0), scratch(rhs.size());
    std::copy_n(m.weight.col(axis).data(), m.unknowns(), rhs.data());
    saddle.solve(factor, rhs.data(), scratch.data());
    modes.moved_mass[axis] = m.weight.col(axis).dot(Eigen::Map<const VectorXd>(rhs.data(), m.unknowns()));
  }

  QuadraticProblem problem;
  problem.K = [&](const MatrixXd& X) -> MatrixXd { return m.K * X; };
  problem.M = [&](const MatrixXd& X) -> MatrixXd { return m.M * X; };
  problem.C = [&](const MatrixXd& X) -> MatrixXd { return m.C * X; };
  problem.solve = [&](const MatrixXd& X) -> MatrixXd {
    MatrixXd result = X;
    lowest.factor.solve(result);
    return result;
  };
  problem.back = [&](const MatrixXd& X) -> MatrixXd {
    MatrixXd result = m.K * X + lowest.shift * (m.M * X);
    lowest.factor.solve(result);
    return result;
  };
  const VectorXd own =
      lowest.shapes.leftCols(found).cwiseProduct(m.C * lowest.shapes.leftCols(found)).colwise().sum().transpose();
  take_damping(damped_modes(problem, lowest.shapes, lowest.square, found), own, modes);
  fix_signs(modes);
  return modes;
}

}  // namespace

ModalAnalysis find_modes(const Model& model, const ModeOptions& options) {
  require_soft_ground(model);
  ModalAnalysis modes;
  const std::string_view formulation = natural_formulation(model, options.formulation);
  if (formulation != "nodal") {
    const Model still = options.at ? model : at_rest(model);
    const Dynamics dynamics(still, formulation, ConstraintMethod::none);
    if (const int freedoms = dynamics.formulation().facts().degrees_of_freedom; freedoms > most_freedoms)
      throw InputError(
          fmt::format("formulation {}: modes of {} degrees of freedom would need full matrices; nodal has sparse ones",
                      formulation, freedoms));
    modes = dense_modes(reduce(dynamics, options.at ? *options.at : dynamics.start()), options,
                        has_joints(model) ? VectorXd(VectorXd::Zero(0)) : imbalance_stiffness(still));
  } else {
    const MotionMatrices matrices = motion_matrices(model);
    if (!matrices.bound.allFinite() ||
        !Eigen::Map<const VectorXd>(matrices.K.valuePtr(), matrices.K.nonZeros()).allFinite())
      throw RunError(0.0, "the stiffness at the start shape is not finite: two nodes joined by a member coincide");
    const VectorXd imbalance = imbalance_stiffness(model);
    const int at_most = matrices.unknowns();
    const int count = options.count > 0 ? options.count : default_modes;
    // Densely where it is quick, or where most of the modes are wanted.
    if (at_most <= options.dense_up_to || (at_most <= most_freedoms && 4 * count > at_most))
      modes = dense_modes(reduce(matrices, model.nodes.size()), options, imbalance);
    else
      modes = sparse_modes(matrices, count, model, imbalance);
    modes.asymmetry = matrices.asymmetry;
  }
  modes.mass = total_mass(model);
  return modes;
}

Model with_prestress(const Model& model, double factor) {
  Model scaled = model;
  const Dynamics dynamics(model, natural_formulation(model), ConstraintMethod::none);
  Terms terms = dynamics.make_terms();
  State state = dynamics.start();
  std::fill_n(state.v(), state.nv, 0.0);
  dynamics.forces(0.0, state.q(), state.v(), terms);
  const auto refuse = [&](const char* kind, const auto& member, double tension, const char* expected) {
    throw InputError({problem_with(kind, member.name, member.place,
                                   fmt::format("no rest length gives it {:g} times its tension, {:.4g} N, at its "
                                               "present length: expected a {} factor",
                                               factor, tension, expected))});
  };
  for (std::size_t i = 0; i < model.cables.size(); ++i) {
    const int slot = dynamics.cables().slot_of_cable(static_cast<int>(i));
    const double tension = terms.cables.tension[slot];
    if (tension == 0.0 || factor == 1.0) continue;  // slack
    const double rest = rest_length_for_tension(model.cables[i].law, terms.cables.length[slot], factor * tension);
    if (!(rest > 0.0)) refuse("cable", model.cables[i], tension, "smaller");
    const double carried = elastic_tension(model.cables[i].law, terms.cables.length[slot] - rest, rest);
    if (std::abs(carried - factor * tension) > 1e-3 * std::abs(factor * tension))
      refuse("cable", model.cables[i], tension, "larger");
    scaled.cables[i].rest_length = rest;
    // An actuator that drives it would bring the old one back.
    std::erase_if(scaled.actuators, [&](const Actuator& a) { return a.cable == static_cast<int>(i); });
  }
  for (std::size_t i = 0; i < model.bars.size(); ++i) {
    if (!model.bars[i].elastic || factor == 1.0) continue;
    const double length = start_length(model, model.bars[i]), own = model.bars[i].rest_length;
    const CableLaw law = law_of(model.bars[i]);
    const double tension = elastic_tension(law, length - own, own);
    const double rest = rest_length_for_tension(law, length, factor * tension);
    if (!(rest > 0.0)) refuse("bar", model.bars[i], tension, "smaller");
    scaled.bars[i].rest_length = rest;
    std::erase_if(scaled.bar_drives, [&](const BarDrive& d) { return d.bar == static_cast<int>(i); });
  }
  return scaled;
}

}  // namespace taut
