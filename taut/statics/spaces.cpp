#include "taut/statics/spaces.h"

#include <algorithm>

#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::MatrixXd;

// Beyond these the dense lists would take minutes or more memory than there may be.
constexpr double most_state_work = 2e10, most_mechanism_entries = 4e7;
constexpr int most_states = 500;  // that a dense programme chooses from

// The dimension of what inner rows can do among themselves.
int inner_redundancy(const StaticRows& rows, const std::vector<SparseEntry>& gradient, double tolerance) {
  if (rows.inner() == 0) return 0;
  const int members = static_cast<int>(rows.members.size());
  std::vector<SparseEntry> inner;
  for (const SparseEntry& e : gradient)
    if (e.row >= members) inner.push_back({e.column, e.row - members, e.value});
  return rows.inner() - SparseQr(rows.unknowns(), rows.inner(), inner, tolerance).rank();
}

// Combinations of null vectors whose members' parts are orthonormal.
MatrixXd orthonormal_states(const MatrixXd& null, long members, int states) {
  const PivotedQr qr(null.topRows(members));
  const std::vector<int> order = qr.order();
  MatrixXd chosen(null.rows(), states);
  for (int j = 0; j < states; ++j) chosen.col(j) = null.col(order[j]);
  const MatrixXd R = qr.R();
  R.topLeftCorner(states, states).triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(chosen);
  return chosen;
}

// Of orthonormal motions those that are orthogonal to the rigid ones among them.
MatrixXd without_rigid(const MatrixXd& motions, const WholeMotions& rigid, int mechanisms) {
  if (rigid.count == 0) return motions;
  MatrixXd turned = motions;
  times_householder_q(rigid.along(motions).transpose(), turned);
  return turned.rightCols(mechanisms);
}

}  // namespace

StaticSpaces static_spaces(const Model& model, const StaticRows& rows, const Parts& parts, double tolerance) {
  StaticSpaces spaces;
  const std::vector<SparseEntry> gradient = free_gradients(rows, rows.start);
  const int all = static_cast<int>(rows.rows.size()), n = rows.unknowns();
  spaces.equilibrium = std::make_shared<SparseQr>(n, all, transposed(gradient), tolerance);
  spaces.rigid = whole_motions(model, parts, WholeKind::rigid);
  spaces.rank = spaces.equilibrium->rank();
  spaces.mechanisms = std::max(0, n - spaces.rank - spaces.rigid.count);
  const int null = all - spaces.rank;
  const long members = static_cast<long>(rows.members.size());
  spaces.states = std::max(0, null - inner_redundancy(rows, gradient, tolerance));

  spaces.self_stress = MatrixXd::Zero(all, 0);
  spaces.states_listed = null <= most_states && 1.0 * all * null * null <= most_state_work;
  if (spaces.states > 0 && spaces.states_listed)
    spaces.self_stress = orthonormal_states(spaces.equilibrium->null_space(), members, spaces.states);
  spaces.mechanism = MatrixXd::Zero(n, 0);
  spaces.mechanisms_listed = 1.0 * n * (n - spaces.rank) <= most_mechanism_entries;
  if (spaces.mechanisms > 0 && spaces.mechanisms_listed)
    spaces.mechanism = without_rigid(spaces.equilibrium->left_null_space(), spaces.rigid, spaces.mechanisms);
  return spaces;
}

}  // namespace taut
