#include "taut/statics/follow_mechanism.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Amplitudes and what is left, in sizes of the structure.
constexpr double first_amplitude = 2e-5, amplitude_growth = 3.0, last_amplitude = 0.04;
constexpr double least_rounding = 1e-13;
constexpr double far_enough = 4e-3;     // a motion of sixth order would leave 1e-13 there
constexpr double blocked_share = 1e-2;  // of a²: no higher order leaves that much
constexpr double noticeable = 1e-6;     // of a: what coordinates of seven digits leave is less

// Largest extent of the start shape.
double size_of(const StaticRows& rows) {
  Vec3 low = rows.start.head<3>(), high = low;
  for (long i = 0; i < rows.start.size() / 3; ++i) {
    low = low.cwiseMin(rows.start.segment<3>(3 * i));
    high = high.cwiseMax(rows.start.segment<3>(3 * i));
  }
  return (high - low).norm();
}

// How large what moves is: three times the mean length of the pieces at nodes that move, if that is less.
double moving_size(const StaticRows& rows, const VectorXd& motion, double furthest) {
  std::vector<char> moves(rows.start.size() / 3, 0);
  for (int k = 0; k < rows.unknowns(); ++k)
    if (std::abs(motion[k]) > 0.1 * furthest) moves[rows.coordinate_of[k] / 3] = 1;
  double sum = 0.0;
  int count = 0;
  for (const StaticRow& row : rows.rows)
    each_piece(row.path, rows.start, [&](int a, int b, const Vec3&, double l) {
      if (moves[a] || moves[b]) sum += l, ++count;
    });
  return count > 0 ? std::min(3.0 * sum / count, size_of(rows)) : size_of(rows);
}

// How far the node goes that goes furthest.
double furthest_of(const StaticRows& rows, const VectorXd& motion) {
  VectorXd square = VectorXd::Zero(rows.start.size() / 3);
  for (int k = 0; k < rows.unknowns(); ++k) square[rows.coordinate_of[k] / 3] += motion[k] * motion[k];
  return std::sqrt(square.maxCoeff());
}

class Follower {
 public:
  // `size`: of what moves. Far from the origin, or in a structure that is much larger, lengths are rounded more.
  Follower(const StaticRows& rows, const WholeMotions& rigid, const MatrixXd& among, double size)
      : rows_(rows),
        among_(among),
        rigid_(rigid.dense(rows.unknowns())),
        values_(row_values(rows, rows.start)),
        size_(size),
        rounding_(least_rounding * std::max(1.0, 0.01 * rows.start.cwiseAbs().maxCoeff() / size)) {}

  double rounding() const { return rounding_; }

  // Levenberg and Marquardt from `moved`, which is changed. Returns what is left of the rows, in sizes.
  double solve(double amplitude, VectorXd& moved) const {
    VectorXd r = residual(amplitude, moved);
    // Second-order rows change by the amplitude: the damping must not hide them.
    const double least = 1e-6 * std::pow(amplitude / size_, 2.0);
    double damping = 1e3 * least;
    for (int pass = 0; pass < 60 && left(r) > rounding_; ++pass) {
      const MatrixXd J = jacobian(amplitude, moved);
      MatrixXd normal = J.transpose() * J;
      normal.diagonal().array() += damping;
      const VectorXd next = moved - solve_symmetric(normal, J.transpose() * r), there = residual(amplitude, next);
      if (!there.allFinite()) break;
      if (there.norm() < r.norm()) {
        const bool slow = there.norm() > (1.0 - 1e-6) * r.norm();
        moved = next, r = there;
        if (slow && damping <= least) break;
        damping = std::max(least, 0.01 * damping);
      } else if ((damping *= 100.0) > 1e4) {
        break;
      }
    }
    return left(r);
  }

 private:
  double left(const VectorXd& r) const { return r.cwiseAbs().maxCoeff() / size_; }

  VectorXd place(const VectorXd& d) const {
    VectorXd x = rows_.start;
    for (int i = 0; i < rows_.unknowns(); ++i) x[rows_.coordinate_of[i]] += d[i];
    return x;
  }

  VectorXd residual(double amplitude, const VectorXd& d) const {
    const double square = (among_.transpose() * d).squaredNorm();
    VectorXd r(values_.size() + rigid_.cols() + 1);
    r << row_values(rows_, place(d)) - values_, rigid_.transpose() * d,
        0.5 * (square - amplitude * amplitude) / amplitude;
    return r;
  }

  MatrixXd jacobian(double amplitude, const VectorXd& d) const {
    MatrixXd J = MatrixXd::Zero(values_.size() + rigid_.cols() + 1, rows_.unknowns());
    for (const SparseEntry& e : free_gradients(rows_, place(d))) J(e.row, e.column) += e.value;
    J.middleRows(values_.size(), rigid_.cols()) = rigid_.transpose();
    J.bottomRows(1) = (among_ * (among_.transpose() * d) / amplitude).transpose();
    return J;
  }

  const StaticRows& rows_;
  const MatrixXd& among_;
  MatrixXd rigid_;
  VectorXd values_;
  double size_, rounding_;
};

}  // namespace

const char* name(MechanismKind kind) {
  return kind == MechanismKind::infinitesimal ? "infinitesimal"
         : kind == MechanismKind::finite      ? "finite"
                                              : "undecided";
}

Followed follow_mechanism(const StaticRows& rows, const WholeMotions& rigid, const MatrixXd& space,
                          const MatrixXd& among, const VectorXd& motion) {
  const double furthest = furthest_of(rows, motion), size = moving_size(rows, motion, furthest);
  if (!(furthest > 0.0) || !(size > 0.0)) return {};
  const Follower follower(rows, rigid, among, size);
  VectorXd moved = motion;
  double before = 1.0, reached = 0.0, last_left = 0.0;
  bool grows = true;
  std::vector<VectorXd> directions;  // at the amplitudes that were reached
  std::vector<double> amplitudes;
  for (double part = first_amplitude; part <= last_amplitude; part *= amplitude_growth) {
    const double amplitude = part * size / furthest;
    moved *= amplitude / before;
    before = amplitude;
    const double left = follower.solve(amplitude, moved);
    if (left <= 10.0 * follower.rounding()) {
      reached = part;
      directions.push_back(space.transpose() * moved / amplitude);
      amplitudes.push_back(part);
    } else if (left >= std::max(blocked_share * part * part, noticeable * part) && reached == 0.0) {
      return {MechanismKind::infinitesimal, {}};
    } else if (reached >= far_enough) {
      break;
    }
    const double noise = 10.0 * follower.rounding();
    grows = grows && (left >= last_left || left <= noise);
    // From rounding to this at once no power leads: it goes on, but not straight on.
    if (last_left <= noise && left > 1e4 * noise && reached > 0.0) grows = false;
    last_left = left;
  }
  if (reached >= far_enough) {
    // The direction at no amplitude, from the first two.
    VectorXd at_start = directions[0];
    if (directions.size() > 1)
      at_start = (amplitudes[1] * directions[0] - amplitudes[0] * directions[1]) / (amplitudes[1] - amplitudes[0]);
    return {MechanismKind::finite, (space * at_start).normalized()};
  }
  return {grows && last_left >= noticeable * last_amplitude ? MechanismKind::infinitesimal : MechanismKind::undecided,
          {}};
}

}  // namespace taut
