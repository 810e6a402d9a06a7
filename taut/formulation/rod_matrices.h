// What RodFormulation answers to analyses and samples: energies, errors, forces and the matrices of the seam.
#pragma once

#include "taut/formulation/rod_formulation_impl.h"

namespace taut {

template <class Chart>
std::vector<std::string> RodFormulation<Chart>::state_names() const {
  std::vector<std::string> names;
  const auto add = [&](const auto& list, const char* const(&centre)[3]) {
    for (const Rod& rod : rods_.rods) {
      for (const char* name : centre) names.push_back(model_->bars[rod.bar].name + name);
      for (const char* name : list) names.push_back(*name ? model_->bars[rod.bar].name + name : std::string());
    }
  };
  add(Chart::coordinate_names, {".x", ".y", ".z"});
  add(Chart::velocity_names, {".vx", ".vy", ".vz"});
  return names;
}

template <class Chart>
double RodFormulation<Chart>::kinetic_energy(const double* q, const double* v) const {
  double sum = 0.0;
  for (const Rod& rod : rods_.rods) {
    const auto w = Eigen::Matrix<double, Chart::nv, 1>::Map(v + 3);
    sum += 0.5 * rod.mass * Vec3::Map(v).squaredNorm() + 0.5 * w.dot(Chart::inertia(rod, q + 3) * w);
    q += rod_nq;
    v += rod_nv;
  }
  return sum;
}

template <class Chart>
double RodFormulation<Chart>::constraint_error(const double* q) const {
  double error = 0.0;
  for (std::size_t r = 0; r < rods_.rods.size(); ++r)
    for (int k = 0; k < rods_.rods[r].supports; ++k)
      error = std::max(error, std::abs(support_value(rods_.supports[rods_.rods[r].first_support + k], q + r * rod_nq)));
  return error;
}

// From the ends as they are placed: rounding, since the rod's length is not a coordinate.
template <class Chart>
double RodFormulation<Chart>::bar_length_error(const double* q) const {
  double error = 0.0;
  const double still[Chart::nv] = {};
  for (const Rod& rod : rods_.rods) {
    Vec3 u, unused;
    Chart::motion(q + 3, still, u, unused);
    const Vec3 c = Vec3::Map(q), b = (c + rod.to_b * u) - (c - rod.to_a * u);
    error = std::max(error, std::abs(b.norm() / rod.length - 1.0));
    q += rod_nq;
  }
  return error;
}

template <class Chart>
void RodFormulation<Chart>::bar_forces(const Terms& terms, double* forces) const {
  for (const Rod& rod : rods_.rods) forces[rod.bar] = -terms.multiplier[rod.bar] * rod.length;
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
      if (rods_.supports[k].node == node) forces[3 * i + rods_.supports[k].axis] = terms.row_multiplier[k];
  }
}

template <class Chart>
SparseMatrix RodFormulation<Chart>::mass_matrix(const double* q) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
    const int first = static_cast<int>(r) * rod_nv;
    for (int i = 0; i < 3; ++i) entries.emplace_back(first + i, first + i, rods_.rods[r].mass);
    const auto W = Chart::inertia(rods_.rods[r], q + r * rod_nq + 3);
    for (int i = 0; i < Chart::nv; ++i)
      for (int j = 0; j < Chart::nv; ++j) entries.emplace_back(first + 3 + i, first + 3 + j, W(i, j));
  }
  SparseMatrix matrix(nv_, nv_);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

template <class Chart>
Eigen::VectorXd RodFormulation<Chart>::velocity_forces(const double* q, const double* v) const {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(nv_);
  for (std::size_t r = 0; r < rods_.rods.size(); ++r)
    all.segment<Chart::nv>(static_cast<long>(r) * rod_nv + 3) =
        Chart::velocity_force(rods_.rods[r], q + r * rod_nq + 3, v + r * rod_nv + 3);
  return all;
}

template <class Chart>
SparseMatrix RodFormulation<Chart>::constraint_jacobian(const double* q) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
    const int first = static_cast<int>(r) * rod_nv;
    const auto T = Chart::turn(q + r * rod_nq + 3);
    for (int k = rods_.rods[r].first_support; k < rods_.rods[r].first_support + rods_.rods[r].supports; ++k) {
      const Support& s = rods_.supports[k];
      entries.emplace_back(k, first + s.axis, 1.0);
      for (int i = 0; i < Chart::nv; ++i) entries.emplace_back(k, first + 3 + i, s.side * T(s.axis, i));
    }
  }
  SparseMatrix matrix(constraints(), nv_);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

template <class Chart>
Eigen::VectorXd RodFormulation<Chart>::constraint_values(const double* q) const {
  Eigen::VectorXd values = Eigen::VectorXd::Zero(constraints());
  for (std::size_t r = 0; r < rods_.rods.size(); ++r)
    for (int k = rods_.rods[r].first_support; k < rods_.rods[r].first_support + rods_.rods[r].supports; ++k)
      values[k] = support_value(rods_.supports[k], q + r * rod_nq);
  return values;
}

template <class Chart>
Eigen::VectorXd RodFormulation<Chart>::constraint_bias(const double* q, const double* v) const {
  Eigen::VectorXd gamma = Eigen::VectorXd::Zero(constraints());
  for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
    if (rods_.rods[r].supports == 0) continue;
    const Vec3 t = Chart::turn_bias(q + r * rod_nq + 3, v + r * rod_nv + 3);
    for (int k = rods_.rods[r].first_support; k < rods_.rods[r].first_support + rods_.rods[r].supports; ++k)
      gamma[k] = -rods_.supports[k].side * t[rods_.supports[k].axis];
  }
  return gamma;
}

template <class Chart>
SparseMatrix RodFormulation<Chart>::node_map(const double* q) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
    const Rod& rod = rods_.rods[r];
    const int first = static_cast<int>(r) * rod_nv;
    const auto T = Chart::turn(q + r * rod_nq + 3);
    for (const auto& [node, side] : {std::pair{rod.a, -rod.to_a}, std::pair{rod.b, rod.to_b}})
      for (int axis = 0; axis < 3; ++axis) {
        entries.emplace_back(3 * node + axis, first + axis, 1.0);
        for (int i = 0; i < Chart::nv; ++i) entries.emplace_back(3 * node + axis, first + 3 + i, side * T(axis, i));
      }
  }
  SparseMatrix matrix(3 * static_cast<int>(model_->nodes.size()), nv_);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace taut
