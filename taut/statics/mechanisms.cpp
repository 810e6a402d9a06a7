#include "taut/statics/mechanisms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/text/text.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/model/words.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_unknowns_to_follow = 400, most_to_follow = 30, more_to_follow = 12, most_states_to_try = 20;

// What is still open, and what a self-stress says of it: a semidefinite K_g blocks the directions that it moves.
// `doubt`: times the usual tolerance for zero, where rounded coordinates leave the mechanisms that uncertain.
void block(const StaticRows& rows, const VectorXd& forces, double doubt, MatrixXd& open,
           std::vector<Mechanism>& decided) {
  if (open.cols() == 0 || forces.isZero(0.0)) return;
  const Stiffening s = stiffening(rows, forces, open);
  const double none = doubt * stiffening_zero(rows, forces);
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

// What mechanisms stretch, |G d| at most: rounding, of exact coordinates.
double stretch(const StaticRows& rows, const MatrixXd& mechanisms) {
  MatrixXd rates = MatrixXd::Zero(static_cast<long>(rows.rows.size()), mechanisms.cols());
  for (const SparseEntry& e : free_gradients(rows, rows.start)) rates.row(e.row) += e.value * mechanisms.row(e.column);
  return rates.size() > 0 ? rates.cwiseAbs().maxCoeff() : 0.0;
}

// A direction for another attempt, the same every time.
VectorXd scattered(const MatrixXd& basis, int attempt) {
  VectorXd c(basis.cols());
  for (long j = 0; j < c.size(); ++j)
    c[j] = std::sin(1.0 + 2.7 * attempt + 7.3 * static_cast<double>(j * (attempt + 1)));
  return (basis * c).normalized();
}

// Follows what is open: first its columns, then directions between them and the motions that were found, which may
// cross where one sets out. Those are left out of the next search, which is for what goes beyond them.
void follow(const StaticRows& rows, const StaticSpaces& spaces, const MatrixXd& open, std::vector<Mechanism>& decided) {
  MatrixXd left = orthonormal_columns(open);
  const MatrixXd space = left;
  MatrixXd found(open.rows(), 0);
  const long columns = std::min<long>(open.cols(), most_to_follow);
  const bool too_many = open.cols() > most_to_follow;
  bool doubtful = too_many;
  for (long attempt = 0; attempt < columns + more_to_follow && left.cols() > 0; ++attempt) {
    VectorXd motion;
    if (attempt < columns) {
      motion = left * (left.transpose() * open.col(attempt));
      if (motion.norm() < 1e-3) continue;  // found already
      motion.normalize();
    } else {
      // The only direction there is has been tried.
      if (left.cols() == 1 && found.cols() == 0) break;
      motion = scattered(left, static_cast<int>(attempt - columns));
      if (found.cols() > 0) motion += scattered(found, static_cast<int>(attempt));
    }
    const Followed followed = follow_mechanism(rows, spaces.rigid, space, left, motion);
    doubtful = doubtful || (attempt < columns && followed.kind == MechanismKind::undecided);
    if (followed.kind != MechanismKind::finite) continue;
    doubtful = too_many;
    decided.push_back({MechanismKind::finite, followed.tangent, 0.0});
    found.conservativeResize(Eigen::NoChange, found.cols() + 1);
    found.rightCols(1) = followed.tangent;
    // The rest of the basis, across what was found.
    const MatrixXd along = left.transpose() * followed.tangent;
    const MatrixXd q = householder_q(along);
    left = left * q.rightCols(left.cols() - 1);
  }
  for (long j = 0; j < left.cols(); ++j)
    decided.push_back({doubtful ? MechanismKind::undecided : MechanismKind::infinitesimal, left.col(j), 0.0});
}

// What belongs to one connected part. Of a structure in one piece that is everything.
struct PartOf {
  bool all = false;
  std::vector<int> unknowns;
  std::vector<char> row;  // empty where all is true

  PartOf(const StaticRows& rows, const WholeMotions& rigid, std::size_t part)
      : all(rigid.parts.size() == 1), unknowns(rigid.parts[part].unknowns) {
    if (all) return;
    std::vector<char> own(rows.unknowns(), 0);
    for (int i : unknowns) own[i] = 1;
    row.assign(rows.rows.size(), 0);
    for (const SparseEntry& e : free_gradients(rows, rows.start))
      if (own[e.column]) row[e.row] = 1;
  }
  VectorXd forces(VectorXd of) const {
    for (long k = 0; k < of.size() && !all; ++k)
      if (!row[k]) of[k] = 0.0;
    return of;
  }
  MatrixXd mechanisms(const MatrixXd& of) const {
    if (all) return of;
    MatrixXd own(static_cast<long>(unknowns.size()), of.cols());
    for (std::size_t i = 0; i < unknowns.size(); ++i) own.row(static_cast<long>(i)) = of.row(unknowns[i]);
    const PivotedQr qr(own);
    const VectorXd pivots = qr.pivots();
    long rank = 0;  // the columns were of length 1
    while (rank < std::min(own.rows(), own.cols()) && pivots[rank] > dependent_direction) ++rank;
    const MatrixXd basis = qr.basis(rank);
    MatrixXd result = MatrixXd::Zero(of.rows(), rank);
    for (std::size_t i = 0; i < unknowns.size(); ++i) result.row(unknowns[i]) = basis.row(static_cast<long>(i));
    return result;
  }
};

// States of self-stress to judge by: those of the structure, and what bodies and constraints do among themselves.
MatrixXd all_states(const StaticRows& rows, const StaticSpaces& spaces) {
  const long members = static_cast<long>(rows.members.size()), inner = rows.inner();
  std::vector<SparseEntry> entries;
  for (const SparseEntry& e : free_gradients(rows, rows.start))
    if (e.row >= members) entries.push_back({e.column, static_cast<int>(e.row - members), e.value});
  const bool few = rows.unknowns() <= most_unknowns_to_follow && inner > 0;
  const MatrixXd kept =
      few ? SparseQr(rows.unknowns(), static_cast<int>(inner), entries, dependent_direction).null_space()
          : MatrixXd(inner, 0);
  MatrixXd states = MatrixXd::Zero(members + inner, spaces.self_stress.cols() + kept.cols());
  if (spaces.self_stress.cols() > 0) states.leftCols(spaces.self_stress.cols()) = spaces.self_stress;
  states.bottomRightCorner(inner, kept.cols()) = kept;
  return states;
}

void judge_part(const StaticRows& rows, const StaticSpaces& spaces, const MatrixXd& states, const PartOf& part,
                const VectorXd& forces, std::vector<Mechanism>& list) {
  MatrixXd open = part.mechanisms(spaces.mechanism);
  if (open.cols() == 0) return;
  const double doubt = std::max(1.0, 1e10 * stretch(rows, open));
  block(rows, forces, doubt, open, list);
  VectorXd mixed = forces;
  int tried = 0;
  for (long j = 0; j < states.cols() && tried < most_states_to_try; ++j) {
    const VectorXd state = part.forces(states.col(j));
    if (state.isZero(0.0)) continue;
    ++tried;
    if (mixed.isZero(0.0)) mixed = state;
    block(rows, state, doubt, open, list);
  }
  if (open.cols() > 0 && !mixed.isZero(0.0)) mix_signs(rows, mixed, open);
  // Of bodies and constraints, too: two in line are stretched although no member is.
  const bool independent = spaces.rank == static_cast<int>(rows.rows.size());
  if (!independent && open.cols() > 0 && rows.unknowns() <= most_unknowns_to_follow) {
    follow(rows, spaces, open, list);
  } else {
    const MechanismKind kind = independent ? MechanismKind::finite : MechanismKind::undecided;
    for (long j = 0; j < open.cols(); ++j) list.push_back({kind, open.col(j), 0.0});
  }
}

}  // namespace

std::vector<Mechanism> find_mechanisms(const StaticRows& rows, const StaticSpaces& spaces, const VectorXd& forces) {
  std::vector<Mechanism> list;
  if (spaces.mechanism.cols() > 0) {
    const MatrixXd states = all_states(rows, spaces);
    for (std::size_t p = 0; p < spaces.rigid.parts.size(); ++p) {
      const PartOf part(rows, spaces.rigid, p);
      judge_part(rows, spaces, states, part, part.forces(forces), list);
    }
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
  std::vector<std::string> names;
  for (const NodeMove& move : moves) names.push_back(model.nodes[move.node].name);
  Vec3 along = moves.front().move.normalized();
  for (double& a : along)
    if (std::abs(a) < 0.005) a = 0.0;
  return fmt::format("{} move{},{} along ({:.2g}, {:.2g}, {:.2g})", listed(names, 4, " and "),
                     moves.size() == 1 ? "s" : "", moves.size() == 1 ? "" : " " + names.front(), along[0], along[1],
                     along[2]);
}

}  // namespace taut
