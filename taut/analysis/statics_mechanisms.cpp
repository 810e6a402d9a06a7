#include "taut/analysis/statics_mechanisms.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "taut/model/words.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_unknowns_to_follow = 400, most_to_follow = 30, most_states_to_try = 20;

// What is still open, and what a self-stress says of it: a semidefinite K_g blocks the directions that it moves.
void block(const StaticRows& rows, const VectorXd& forces, MatrixXd& open, std::vector<Mechanism>& decided) {
  if (open.cols() == 0 || forces.isZero(0.0)) return;
  const Stiffening s = stiffening(rows, forces, open);
  const double none = stiffening_zero(rows, forces);
  const bool falls = s.values[0]<-none, rises = s.values[s.values.size() - 1]> none;
  if (falls == rises) return;
  std::vector<long> left;
  for (long j = 0; j < s.values.size(); ++j)
    if (std::abs(s.values[j]) > none)
      decided.push_back({MechanismKind::infinitesimal, s.shapes.col(j), 0.0});
    else
      left.push_back(j);
  MatrixXd rest(open.rows(), static_cast<long>(left.size()));
  for (std::size_t k = 0; k < left.size(); ++k) rest.col(static_cast<long>(k)) = s.shapes.col(left[k]);
  open = rest;
}

// Where K_g has both signs, the directions between them to which it says nothing: d_i/√|λ_i| ± d_j/√|λ_j|.
void mix_signs(const StaticRows& rows, const VectorXd& forces, MatrixXd& open) {
  const Stiffening s = stiffening(rows, forces, open);
  const double none = stiffening_zero(rows, forces);
  open = s.shapes;
  for (long i = 0, j = s.values.size() - 1; i < j && s.values[i] < -none && s.values[j] > none; ++i, --j) {
    const VectorXd a = s.shapes.col(i) / std::sqrt(-s.values[i]), b = s.shapes.col(j) / std::sqrt(s.values[j]);
    open.col(i) = (a + b).normalized();
    open.col(j) = (a - b).normalized();
  }
}

}  // namespace

const char* name(MechanismKind kind) {
  return kind == MechanismKind::infinitesimal ? "infinitesimal"
         : kind == MechanismKind::finite      ? "finite"
                                              : "undecided";
}

bool goes_on(const StaticRows& rows, const WholeMotions& rigid, const VectorXd& motion) {
  const int n = rows.unknowns();
  const long all = static_cast<long>(rows.rows.size());
  const VectorXd values = row_values(rows, rows.start);
  Vec3 low = rows.start.head<3>(), high = low;
  for (long i = 0; i < rows.start.size() / 3; ++i) {
    low = low.cwiseMin(rows.start.segment<3>(3 * i));
    high = high.cwiseMax(rows.start.segment<3>(3 * i));
  }
  const double size = (high - low).norm();
  double furthest = 0.0;
  for (const NodeMove& m : largest_moves(rows, motion, 1.0)) furthest = m.move.norm();
  if (!(furthest > 0.0) || !(size > 0.0)) return false;
  const double amplitude = 0.05 * size / furthest;
  const MatrixXd R = rigid.dense(n);

  // Levenberg and Marquardt: rows, no rigid motion, the amplitude as it is.
  VectorXd moved = amplitude * motion;
  const auto place = [&](const VectorXd& d) {
    VectorXd x = rows.start;
    for (int i = 0; i < n; ++i) x[rows.coordinate_of[i]] += d[i];
    return x;
  };
  const auto residual = [&](const VectorXd& d) {
    VectorXd r(all + R.cols() + 1);
    r << row_values(rows, place(d)) - values, R.transpose() * d, motion.dot(d) - amplitude;
    return r;
  };
  VectorXd r = residual(moved);
  double damping = 1e-6;
  for (int pass = 0; pass < 100; ++pass) {
    if (r.cwiseAbs().maxCoeff() <= 1e-11 * size) return true;
    MatrixXd J = MatrixXd::Zero(r.size(), n);
    for (const SparseEntry& e : free_gradients(rows, place(moved))) J(e.row, e.column) += e.value;
    J.middleRows(all, R.cols()) = R.transpose();
    J.bottomRows(1) = motion.transpose();
    MatrixXd normal = J.transpose() * J;
    normal.diagonal().array() += damping;
    const VectorXd next = moved - normal.ldlt().solve(J.transpose() * r), there = residual(next);
    if (!there.allFinite()) return false;
    if (there.norm() < r.norm()) {
      moved = next, r = there;
      damping = std::max(1e-14, 0.1 * damping);
    } else {
      damping *= 10.0;
      if (damping > 1e3) break;
    }
  }
  return r.cwiseAbs().maxCoeff() <= 1e-10 * size;
}

std::vector<Mechanism> find_mechanisms(const StaticRows& rows, const StaticSpaces& spaces, const VectorXd& forces) {
  std::vector<Mechanism> list;
  MatrixXd open = spaces.mechanism;
  block(rows, forces, open, list);
  for (long j = 0; j < std::min<long>(spaces.self_stress.cols(), most_states_to_try); ++j)
    block(rows, spaces.self_stress.col(j), open, list);
  if (open.cols() > 0 && spaces.states > 0 && spaces.self_stress.cols() > 0)
    mix_signs(rows, forces.isZero(0.0) ? VectorXd(spaces.self_stress.col(0)) : forces, open);
  const bool small = rows.unknowns() <= most_unknowns_to_follow;
  for (long j = 0; j < open.cols(); ++j) {
    Mechanism m{MechanismKind::undecided, open.col(j), 0.0};
    if (spaces.states == 0)
      m.kind = MechanismKind::finite;
    else if (small && j < most_to_follow)
      m.kind = goes_on(rows, spaces.rigid, m.shape) ? MechanismKind::finite : MechanismKind::infinitesimal;
    list.push_back(std::move(m));
  }
  for (Mechanism& m : list) m.stiffening = forces.dot(curvatures(rows, m.shape));
  std::stable_sort(list.begin(), list.end(),
                   [](const Mechanism& a, const Mechanism& b) { return a.stiffening < b.stiffening; });
  return list;
}

std::vector<NodeMove> largest_moves(const StaticRows& rows, const VectorXd& motion, double down_to) {
  std::vector<NodeMove> moves(rows.unknown_of.size() / 3);
  double furthest = 0.0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    moves[i].node = static_cast<int>(i);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (const int k = rows.unknown_of[3 * i + axis]; k >= 0) moves[i].move[static_cast<long>(axis)] = motion[k];
    furthest = std::max(furthest, moves[i].move.norm());
  }
  std::erase_if(moves, [&](const NodeMove& m) { return !(m.move.norm() >= down_to * furthest) || furthest == 0.0; });
  // Equal moves keep the order of the nodes, whatever rounding says.
  std::stable_sort(moves.begin(), moves.end(), [&](const NodeMove& a, const NodeMove& b) {
    return std::round(1e6 * a.move.norm() / furthest) > std::round(1e6 * b.move.norm() / furthest);
  });
  return moves;
}

std::string motion_text(const Model& model, const StaticRows& rows, const VectorXd& motion) {
  const std::vector<NodeMove> moves = largest_moves(rows, motion);
  if (moves.empty()) return "nothing moves";
  constexpr std::size_t shown = 4;
  std::string names;
  const std::size_t count = std::min(moves.size(), shown);
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count && moves.size() <= shown;
    names += (i == 0 ? "" : last ? " and " : ", ") + model.nodes[moves[i].node].name;
  }
  if (moves.size() > shown) names += fmt::format(" and {} more", moves.size() - shown);
  Vec3 along = moves.front().move.normalized();
  for (double& a : along)
    if (std::abs(a) < 0.005) a = 0.0;
  return fmt::format("{} move{},{} along ({:.2g}, {:.2g}, {:.2g})", names, moves.size() == 1 ? "s" : "",
                     moves.size() == 1 ? "" : " " + model.nodes[moves.front().node].name, along[0], along[1], along[2]);
}

}  // namespace taut
