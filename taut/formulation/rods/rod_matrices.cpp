// What rods answer to analyses and samples, in every chart: energy, errors, forces and the matrices of the seam.
#include <algorithm>
#include <cmath>

#include "taut/formulation/matrices.h"
#include "taut/formulation/node_arrays.h"
#include "taut/formulation/rods/polar_chart.h"
#include "taut/formulation/rods/quaternion_chart.h"
#include "taut/formulation/rods/rod_formulation.h"

namespace taut {

using Entries = std::vector<Eigen::Triplet<double>>;

template <class Chart>
double RodFormulation<Chart>::kinetic_energy(const double* q, const double* v, double t) const {
  double sum = 0.0;
  Rods room;
  for (const Rod& rod : rods_at(t, room).rods) {
    const auto w = Velocity::Map(v + 3);
    sum += 0.5 * rod.mass * Vec3::Map(v).squaredNorm() + 0.5 * w.dot(Chart::inertia(rod, q + 3) * w) +
           0.5 * rod.inertia * rod.growth * rod.growth;
    q += rod_nq;
    v += rod_nv;
  }
  return sum;
}

// Lengths from the ends as they are placed: rounding, since the rod's length is not a coordinate.
template <class Chart>
ConstraintErrors RodFormulation<Chart>::constraint_errors(const double* q, double t) const {
  ConstraintErrors error;
  const double still[Chart::nv] = {};
  Rods room;
  const Rods& rods = rods_at(t, room);
  for (const Rod& rod : rods.rods) {
    for (int k = 0; k < rod.supports; ++k)
      error.length = std::max(error.length, std::abs(support_value(rods.supports[rod.first_support + k], q)));
    Vec3 u, unused;
    Chart::motion(q + 3, still, u, unused);
    const Vec3 c = Vec3::Map(q), b = (c + rod.to_b * u) - (c - rod.to_a * u);
    error.bars = std::max(error.bars, std::abs(b.norm() / rod.length - 1.0));
    q += rod_nq;
  }
  return error;
}

template <class Chart>
void RodFormulation<Chart>::bar_forces(const Terms& terms, double* forces) const {
  const AlignedDoubles& pushes = std::any_cast<const Scratch&>(terms.own).push;
  for (const Rod& rod : rods(terms).rods) forces[rod.bar] = -pushes[rod.bar] * rod.length;
}

// Anchors: minus what pulls on them; rods: the multipliers.
template <class Chart>
void RodFormulation<Chart>::support_forces(const Terms& terms, const double*, double* forces) const {
  std::fill_n(forces, 3 * rods_.supported.size(), 0.0);
  for (std::size_t i = 0; i < rods_.supported.size(); ++i) {
    const int node = rods_.supported[i];
    if (std::find(rods_.anchors.begin(), rods_.anchors.end(), node) != rods_.anchors.end())
      Vec3::Map(forces + 3 * i) = -at3(terms.force.data(), node);
    for (std::size_t k = 0; k < rods_.supports.size(); ++k)
      if (rods_.supports[k].node == node) forces[3 * i + rods_.supports[k].axis] = terms.lambda[k];
  }
}

namespace {

// What one rod adds to M, from its first velocity on.
template <class Chart>
void add_mass(const Rod& rod, const double* q, int first, Entries& mass) {
  for (int i = 0; i < 3; ++i) mass.emplace_back(first + i, first + i, rod.mass);
  const auto W = Chart::inertia(rod, q + 3);
  for (int i = 0; i < Chart::nv; ++i)
    for (int j = 0; j < Chart::nv; ++j) mass.emplace_back(first + 3 + i, first + 3 + j, W(i, j));
}

// A row of G or X: the coordinate of a point on the rod's axis along one of the world's, T being how the axis turns.
template <class Turn>
void add_point_row(int row, int first, int axis, double side, const Turn& T, Entries& entries) {
  entries.emplace_back(row, first + axis, 1.0);
  for (int i = 0; i < T.cols(); ++i) entries.emplace_back(row, first + 3 + i, side * T(axis, i));
}

}  // namespace

template <class Chart>
SeamMatrices RodFormulation<Chart>::matrices(const double* q, const double* v, const MatrixChoice& wanted,
                                             double t) const {
  const std::vector<double> rest(v ? 0 : facts_.nv, 0.0);
  if (!v) v = rest.data();
  SeamMatrices m;
  Entries mass, jacobian, map;
  m.h.setZero(wanted.h ? facts_.nv : 0);
  m.g.setZero(wanted.g ? facts_.constraints : 0);
  m.gamma.setZero(wanted.gamma ? facts_.constraints : 0);
  int first = 0;  // of the rod's velocities
  Rods room;
  const Rods& rods = rods_at(t, room);
  for (const Rod& rod : rods.rods) {
    const auto T = Chart::turn(q + 3);
    if (wanted.M) add_mass<Chart>(rod, q, first, mass);
    if (wanted.h) m.h.template segment<Chart::nv>(first + 3) = Chart::velocity_force(rod, q + 3, v + 3);
    if (wanted.h && rod.driven)
      m.h.template segment<Chart::nv>(first + 3) -=
          2.0 * rod.growth * Chart::inertia(rod, q + 3) * Chart::turning(q + 3, v + 3);
    const Vec3 bias = axis_bias(rod, q, v);
    for (int k = rod.first_support; k < rod.first_support + rod.supports; ++k) {
      const Support& s = rods.supports[k];
      add_point_row(k, first, s.axis, s.side, T, jacobian);
      if (wanted.g) m.g[k] = support_value(s, q);
      if (wanted.gamma) m.gamma[k] = -s.side * bias[s.axis];
    }
    for (const auto& [node, side] : {std::pair{rod.a, -rod.to_a}, std::pair{rod.b, rod.to_b}})
      for (int axis = 0; axis < 3 && wanted.X; ++axis) add_point_row(3 * node + axis, first, axis, side, T, map);
    first += rod_nv;
    q += rod_nq;
    v += rod_nv;
  }
  const auto fill = [&](bool asked, int rows, const Entries& entries, SparseMatrix& matrix) {
    if (!asked) return;
    matrix.resize(rows, facts_.nv);
    matrix.setFromTriplets(entries.begin(), entries.end());
  };
  fill(wanted.M, facts_.nv, mass, m.M);
  fill(wanted.G, facts_.constraints, jacobian, m.G);
  fill(wanted.X, 3 * static_cast<int>(model_->nodes.size()), map, m.X);
  m.constant.assign(wanted.G ? facts_.constraints : 0, 0);
  return m;
}

template class RodFormulation<PolarChart<false>>;
template class RodFormulation<PolarChart<true>>;
template class RodFormulation<QuaternionChart>;

}  // namespace taut
