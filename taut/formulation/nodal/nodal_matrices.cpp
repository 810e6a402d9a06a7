// The matrices of the nodal formulation: M constant, rows of G the distances b and the linear constraints, X = 1, h = 0.
#include "taut/formulation/matrices.h"
#include "taut/formulation/nodal/nodal.h"

namespace taut {

void Nodal::fill_mass(SeamMatrices& m) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < facts_.nv; ++i) entries.emplace_back(i, i, node_mass_[i / 3]);
  for (const MassPair& pair : mass_pairs_)
    for (int axis = 0; axis < 3; ++axis) {
      entries.emplace_back(3 * pair.a + axis, 3 * pair.b + axis, pair.mass);
      entries.emplace_back(3 * pair.b + axis, 3 * pair.a + axis, pair.mass);
    }
  m.M.resize(facts_.nv, facts_.nv);
  m.M.setFromTriplets(entries.begin(), entries.end());
}

void Nodal::fill_jacobian(const double* q, SeamMatrices& m) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (const RigidBar& bar : rigid_)
    for (int axis = 0; axis < 3; ++axis) {
      const double b = q[3 * bar.b + axis] - q[3 * bar.a + axis];
      entries.emplace_back(bar.row, 3 * bar.a + axis, -b);
      entries.emplace_back(bar.row, 3 * bar.b + axis, b);
    }
  for (const LinearRow& linear : linear_)
    for (const auto& [coordinate, coefficient] : linear.terms)
      entries.emplace_back(linear.row, coordinate, coefficient);
  m.G.resize(facts_.constraints, facts_.nv);
  m.G.setFromTriplets(entries.begin(), entries.end());
  m.constant.assign(facts_.constraints, 1);
  std::fill_n(m.constant.begin(), rigid_.size(), 0);
}

SeamMatrices Nodal::matrices(const double* q, const double* v, const MatrixChoice& wanted, double t) const {
  SeamMatrices m;
  if (wanted.M) fill_mass(m);
  if (wanted.h) m.h.setZero(facts_.nv);
  if (wanted.G) fill_jacobian(q, m);
  if (wanted.g) {
    m.g.resize(facts_.constraints);
    for (const RigidBar& bar : rigid_) {
      const Vec4 b = load3(q + 3 * bar.b) - load3(q + 3 * bar.a);
      const double length = length_of(bar, t).length;
      m.g[bar.row] = 0.5 * (dot(b, b) - length * length);
    }
    for (const LinearRow& linear : linear_) {
      double g = -linear.value;
      for (const auto& [coordinate, coefficient] : linear.terms) g += coefficient * q[coordinate];
      m.g[linear.row] = g;
    }
  }
  if (wanted.gamma) {
    m.gamma.setZero(facts_.constraints);
    for (const RigidBar& bar : rigid_) {
      m.gamma[bar.row] = length_of(bar, t).momentum_rate();
      if (!v) continue;
      const Vec4 b_rate = load3(v + 3 * bar.b) - load3(v + 3 * bar.a);
      m.gamma[bar.row] -= dot(b_rate, b_rate);
    }
  }
  if (wanted.X) {
    m.X.resize(facts_.nv, facts_.nv);
    m.X.setIdentity();
  }
  return m;
}

}  // namespace taut
