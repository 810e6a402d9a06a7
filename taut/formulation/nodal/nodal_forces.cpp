// Forces that the constraints of the nodal formulation exert: in bars and at supports.
#include <algorithm>

#include "taut/formulation/nodal/nodal.h"
#include "taut/solve/dense.h"

namespace taut {

void Nodal::bar_forces(const Terms& terms, double* forces) const {
  std::fill_n(forces, model_->bars.size(), 0.0);
  for (const RigidBar& bar : rigid_)
    if (bar.bar >= 0) forces[bar.bar] = -terms.lambda[bar.row] * length_of(bar, terms.time).length;
  for (const RigidGroup& group : rigid_groups_) rigid_group_forces(group, terms, forces);
}

// M v̇ - f - Gᵀλ along the fixed axes.
void Nodal::support_forces(const Terms& terms, const double* v_rate, double* forces) const {
  std::vector<double> total(facts_.nq, 0.0);
  for (int i = 0; i < facts_.nq; ++i) total[i] = node_mass_[i / 3] * v_rate[i] - terms.force[place(i, 4)];
  for (const MassPair& pair : mass_pairs_)
    for (int axis = 0; axis < 3; ++axis) {
      total[3 * pair.a + axis] += pair.mass * v_rate[3 * pair.b + axis];
      total[3 * pair.b + axis] += pair.mass * v_rate[3 * pair.a + axis];
    }
  for (const RigidBar& bar : rigid_)
    for (int axis = 0; axis < 3; ++axis) {
      const double push = terms.lambda[bar.row] * (terms.x[4 * bar.b + axis] - terms.x[4 * bar.a + axis]);
      total[3 * bar.b + axis] -= push;
      total[3 * bar.a + axis] += push;
    }
  for (const LinearRow& row : group_rows_)
    for (const auto& [coordinate, coefficient] : row.terms) total[coordinate] -= coefficient * terms.lambda[row.row];
  for (std::size_t i = 0; i < model_->nodes.size(); ++i) {
    const Axes& fixed = model_->nodes[i].fixed;
    if (fixed == Axes{}) continue;
    for (int axis = 0; axis < 3; ++axis) *forces++ = fixed[axis] ? total[3 * i + axis] : 0.0;
  }
}

// A bar with nodes attached: forces on those count for its ends by the law of the lever, as their weight does. Tension
// is what pulls on the end a.
double Nodal::lever_force(const Bar& bar, const RigidGroup& group, const Eigen::VectorXd& total,
                          const Terms& terms) const {
  const auto at = [&](int node) { return Vec3(terms.x[4 * node], terms.x[4 * node + 1], terms.x[4 * node + 2]); };
  const Vec3 b = at(bar.b) - at(bar.a);
  double force = 0.0;
  for (std::size_t i = 0; i < group.nodes.size(); ++i) {
    const double along = b.dot(at(group.nodes[i]) - at(bar.a)) / b.squaredNorm();
    force += (1.0 - along) * b.normalized().dot(total.segment<3>(3 * static_cast<long>(i)));
  }
  return force;
}

// Inside a rigid group only the sum of forces on each node is determined; of all bar forces that give it, the smallest
// are reported (what no bar force can give, such as bending of a flat plate, is left out).
void Nodal::rigid_group_forces(const RigidGroup& group, const Terms& terms, double* forces) const {
  if (group.bars.empty()) return;
  const int count = static_cast<int>(group.nodes.size());
  const auto index_of = [&](int node) {
    return static_cast<int>(std::find(group.nodes.begin(), group.nodes.end(), node) - group.nodes.begin());
  };
  const auto at = [&](int node) { return Vec3(terms.x[4 * node], terms.x[4 * node + 1], terms.x[4 * node + 2]); };
  Eigen::VectorXd total = Eigen::VectorXd::Zero(3 * count);
  for (const RigidBar& bar : rigid_) {
    const int a = index_of(bar.a), b = index_of(bar.b);
    if (bar.bar >= 0 || a >= group.base || b >= group.base) continue;
    const Vec3 push = terms.lambda[bar.row] * (at(bar.b) - at(bar.a));
    total.segment<3>(3 * b) += push;
    total.segment<3>(3 * a) -= push;
  }
  for (const LinearRow& row : group_rows_) {
    const int node = index_of(row.terms.front().first / 3);
    if (node >= count || node < group.base || row.rigid_group != &group - rigid_groups_.data()) continue;
    for (const auto& [coordinate, weight] : row.terms)
      total[3 * index_of(coordinate / 3) + coordinate % 3] += weight * terms.lambda[row.row];
  }
  if (const Bar& only = model_->bars[group.bars.front()]; group.bars.size() == 1 && !only.attached.empty()) {
    forces[group.bars.front()] = lever_force(only, group, total, terms);
    return;
  }
  Eigen::MatrixXd pull = Eigen::MatrixXd::Zero(3 * count, static_cast<int>(group.bars.size()));
  for (int k = 0; k < static_cast<int>(group.bars.size()); ++k) {
    const Bar& bar = model_->bars[group.bars[k]];
    const Vec3 u = (at(bar.b) - at(bar.a)).normalized();
    pull.block<3, 1>(3 * index_of(bar.a), k) = u;
    pull.block<3, 1>(3 * index_of(bar.b), k) = -u;
  }
  LeastSquares least(1e-9);
  least.compute(pull);
  const Eigen::VectorXd axial = least.solve(total);
  for (int k = 0; k < static_cast<int>(group.bars.size()); ++k) forces[group.bars[k]] = axial[k];
}

}  // namespace taut
