// The bodies of RodFormulation, for the files that make it with their chart.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/formulation/rod_formulation.h"
#include "taut/formulation/rod_local.h"
#include "taut/solve/semidefinite.h"

namespace taut {

inline Vec3 at3(const double* p, int node) { return Vec3(p[4 * node], p[4 * node + 1], p[4 * node + 2]); }
inline void put3(double* p, int node, const Vec3& value) {
  for (int axis = 0; axis < 3; ++axis) p[4 * node + axis] = value[axis];
}

template <class Chart>
RodFormulation<Chart>::RodFormulation(const Model& model) : model_(&model), rods_(collect_rods(model, Chart::name)) {
  nq_ = rod_nq * static_cast<int>(rods_.rods.size());
  nv_ = rod_nv * static_cast<int>(rods_.rods.size());
  const State state = start();
  for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
    const Rod& rod = rods_.rods[r];
    if (!Chart::carries_spin && rod.spin != 0.0)
      throw InputError(fmt::format("formulation {}: bar \"{}\" spins about its axis; only quaternion has that motion",
                                   Chart::name, model.bars[rod.bar].name));
    if (rod.supports > 0 || rod.spin != 0.0) can_leap_ = false;
    if (rod.supports == 0) continue;
    double matrix[36], rhs[6] = {};
    Eigen::Matrix<double, Chart::nv, 3> unused;
    const double* const turning = state.q() + r * rod_nq + 3;
    const int rows =
        support_matrix<Chart::nv>(rods_, rod, Chart::inertia(rod, turning), Chart::turn(turning), matrix, unused);
    rank_ += solve_semidefinite(matrix, rhs, rows);
  }
}

template <class Chart>
int RodFormulation<Chart>::degrees_of_freedom() const {
  int count = -rank_;
  for (const Rod& rod : rods_.rods) count += Chart::carries_spin && !rod.thin() ? 6 : 5;
  return count;
}

template <class Chart>
State RodFormulation<Chart>::start() const {
  State state(nq_, nv_);
  double* q = state.q();
  double* v = state.v();
  for (const Rod& rod : rods_.rods) {
    const Node& a = model_->nodes[rod.a];
    const Node& b = model_->nodes[rod.b];
    const auto rate = [](const Node& node) {
      Vec3 free = node.velocity;
      for (int axis = 0; axis < 3; ++axis)
        if (node.fixed[axis]) free[axis] = 0.0;
      return free;
    };
    // The nearest motion of a rigid rod: no lengthening.
    const Vec3 u = (b.position - a.position).normalized(), relative = (rate(b) - rate(a)) / rod.length;
    Vec3::Map(q) = (rod.to_b * a.position + rod.to_a * b.position) / rod.length;
    Vec3::Map(v) = (rod.to_b * rate(a) + rod.to_a * rate(b)) / rod.length;
    Chart::start(rod, u, relative - u.dot(relative) * u, q + 3, v + 3);
    q += rod_nq;
    v += rod_nv;
  }
  return state;
}

template <class Chart>
Terms RodFormulation<Chart>::make_terms() const {
  Terms terms;
  for (AlignedDoubles* array : {&terms.x, &terms.xd, &terms.force}) array->assign(4 * model_->nodes.size(), 0.0);
  terms.multiplier.assign(model_->bars.size(), 0.0);
  terms.row_multiplier.assign(rods_.supports.size(), 0.0);
  for (int node : rods_.anchors) put3(terms.x.data(), node, model_->nodes[node].position);
  return terms;
}

template <class Chart>
void RodFormulation<Chart>::place_nodes(const double* q, const double* v, Terms& terms) const {
  double* const x = terms.x.data();
  double* const xd = terms.xd.data();
  for (const Rod& rod : rods_.rods) {
    Vec3 u, u_rate;
    Chart::motion(q + 3, v + 3, u, u_rate);
    const Vec3 c = Vec3::Map(q), c_rate = Vec3::Map(v);
    put3(x, rod.a, c - rod.to_a * u);
    put3(x, rod.b, c + rod.to_b * u);
    put3(xd, rod.a, c_rate - rod.to_a * u_rate);
    put3(xd, rod.b, c_rate + rod.to_b * u_rate);
    q += rod_nq;
    v += rod_nv;
  }
}

template <class Chart>
void RodFormulation<Chart>::coordinate_rates(const double* q, const double* v, double* q_rate) const {
  for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
    std::copy(v, v + 3, q_rate);
    Chart::rates(q + 3, v + 3, q_rate + 3);
    q += rod_nq;
    v += rod_nv;
    q_rate += rod_nq;
  }
}

template <class Chart>
void RodFormulation<Chart>::accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                                       double* v_rate) const {
  const double* const x = terms.x.data();
  const double* const xd = terms.xd.data();
  for (const Rod& rod : rods_.rods) {
    Vec3 fa = at3(terms.force.data(), rod.a);
    const Vec3 fb = at3(terms.force.data(), rod.b);
    Vec3::Map(v_rate) = (fa + fb) / rod.mass;
    Chart::accelerate(rod, q + 3, v + 3, rod.to_b * fb - rod.to_a * fa, v_rate + 3);
    if (rod.supports > 0) {
      double* const multiplier = terms.row_multiplier.data() + rod.first_support;
      hold(rod, q, v, gains, v_rate, multiplier);
      for (int k = 0; k < rod.supports; ++k)
        if (const Support& s = rods_.supports[rod.first_support + k]; s.node == rod.a) fa[s.axis] += multiplier[k];
    }
    // Along the axis: m_aa ẍ_a + m_ab ẍ_b = f_a - λ b, with ü·u = -|u̇|².
    const Vec3 b = at3(x, rod.b) - at3(x, rod.a), b_rate = at3(xd, rod.b) - at3(xd, rod.a);
    const double inverse = 1.0 / (rod.length * rod.length), along = Vec3::Map(v_rate).dot(b),
                 inward = b_rate.squaredNorm() / rod.length;
    const double xa = along + rod.to_a * inward, xb = along - rod.to_b * inward;
    terms.multiplier[rod.bar] = (fa.dot(b) - rod.aa * xa - rod.ab * xb) * inverse;
    q += rod_nq;
    v += rod_nv;
    v_rate += rod_nv;
  }
}

template <class Chart>
double RodFormulation<Chart>::support_value(const Support& support, const double* q) const {
  Vec3 u, unused;
  const double still[Chart::nv] = {};
  Chart::motion(q + 3, still, u, unused);
  return q[support.axis] + support.side * u[support.axis] - support.value;
}

template <class Chart>
void RodFormulation<Chart>::hold(const Rod& rod, const double* q, const double* v, const DriftGains& gains,
                                 double* v_rate, double* multiplier) const {
  double matrix[36];
  Eigen::Matrix<double, Chart::nv, 3> turn_inverse;
  const auto T = Chart::turn(q + 3);
  support_matrix<Chart::nv>(rods_, rod, Chart::inertia(rod, q + 3), T, matrix, turn_inverse);
  using Velocity = Eigen::Matrix<double, Chart::nv, 1>;
  const Vec3 second = T * Velocity::Map(v_rate + 3) + Chart::turn_bias(q + 3, v + 3), first = T * Velocity::Map(v + 3);
  const Support* const s = rods_.supports.data() + rod.first_support;
  for (int k = 0; k < rod.supports; ++k) {
    multiplier[k] = -(v_rate[s[k].axis] + s[k].side * second[s[k].axis]);
    if (gains.any())
      multiplier[k] -=
          gains.position * support_value(s[k], q) + gains.velocity * (v[s[k].axis] + s[k].side * first[s[k].axis]);
  }
  solve_semidefinite(matrix, multiplier, rod.supports);
  for (int k = 0; k < rod.supports; ++k) {
    v_rate[s[k].axis] += multiplier[k] / rod.mass;
    Velocity::Map(v_rate + 3) += s[k].side * multiplier[k] * turn_inverse.col(s[k].axis);
  }
}

template <class Chart>
double RodFormulation<Chart>::project(double* q, double* v, Terms& terms) const {
  using Velocity = Eigen::Matrix<double, Chart::nv, 1>;
  double moved = 0.0;
  for (const Rod& rod : rods_.rods) {
    const Support* const s = rods_.supports.data() + rod.first_support;
    double matrix[36], rhs[6];
    Eigen::Matrix<double, Chart::nv, 3> turn_inverse;
    // Newton on the held ends; it converges quadratically, so a second look at the smallest error ends it.
    double error = INFINITY;
    const int rounds = terms.corrections > 0 ? terms.corrections + 1 : 20;
    for (int round = 0; rod.supports > 0 && round < rounds; ++round) {
      double worst = 0.0;
      for (int k = 0; k < rod.supports; ++k) {
        rhs[k] = -support_value(s[k], q);
        worst = std::max(worst, std::abs(rhs[k]));
      }
      if (!(worst < 1e3)) return -1.0;
      if (round == 0) moved = std::max(moved, worst / rod.length);
      if (terms.corrections > 0 ? round == terms.corrections : !(worst < 0.5 * error) || worst == 0.0) break;
      error = worst;
      support_matrix<Chart::nv>(rods_, rod, Chart::inertia(rod, q + 3), Chart::turn(q + 3), matrix, turn_inverse);
      solve_semidefinite(matrix, rhs, rod.supports);
      Velocity turned = Velocity::Zero();
      for (int k = 0; k < rod.supports; ++k) {
        q[s[k].axis] += rhs[k] / rod.mass;
        turned += s[k].side * rhs[k] * turn_inverse.col(s[k].axis);
      }
      double change[Chart::nq];
      Chart::rates(q + 3, turned.data(), change);
      for (int i = 0; i < Chart::nq; ++i) q[3 + i] += change[i];
    }
    moved = std::max(moved, Chart::tidy(rod, q + 3, v + 3));
    if (rod.supports > 0) {
      const Vec3 u_rate = Chart::turn(q + 3) * Velocity::Map(v + 3);
      for (int k = 0; k < rod.supports; ++k) rhs[k] = -(v[s[k].axis] + s[k].side * u_rate[s[k].axis]);
      support_matrix<Chart::nv>(rods_, rod, Chart::inertia(rod, q + 3), Chart::turn(q + 3), matrix, turn_inverse);
      solve_semidefinite(matrix, rhs, rod.supports);
      for (int k = 0; k < rod.supports; ++k) {
        v[s[k].axis] += rhs[k] / rod.mass;
        Velocity::Map(v + 3) += s[k].side * rhs[k] * turn_inverse.col(s[k].axis);
      }
    }
    if (!(std::isfinite(q[0]) && std::isfinite(q[3]))) return -1.0;
    q += rod_nq;
    v += rod_nv;
  }
  return moved;
}

template <class Chart>
bool RodFormulation<Chart>::rechart(double* q, double* v, Terms& terms) const {
  bool changed = false;
  for (std::size_t r = 0; r < rods_.rods.size(); ++r)
    if (Chart::rechart(q + r * rod_nq + 3, v + r * rod_nv + 3)) {
      ++terms.chart_switches;
      changed = true;
    }
  return changed;
}

// u += h u̇ with u̇ += h g/J + μ u such that |u| stays 1 (SHAKE on the sphere); the centre is a free particle.
template <class Chart>
void RodFormulation<Chart>::leap(double h, Terms& terms) const {
  double* const x = terms.x.data();
  double* const xd = terms.xd.data();
  for (const Rod& rod : rods_.rods) {
    const Vec3 xa = at3(x, rod.a), xb = at3(x, rod.b), va = at3(xd, rod.a), vb = at3(xd, rod.b);
    const Vec3 fa = at3(terms.force.data(), rod.a), fb = at3(terms.force.data(), rod.b);
    const Vec3 u = (xb - xa) / rod.length;
    const Vec3 c_rate = (rod.to_b * va + rod.to_a * vb) / rod.length + h * (fa + fb) / rod.mass;
    Vec3 u_rate = (vb - va) / rod.length + h * (rod.to_b * fb - rod.to_a * fa) / rod.inertia;
    // The small root of |d + μ u|² = 1.
    const Vec3 d = u + h * u_rate;
    const double square = u.squaredNorm(), half = d.dot(u), excess = d.squaredNorm() - 1.0;
    const double mu = -excess / (half + std::copysign(std::sqrt(half * half - square * excess), half));
    u_rate += mu / h * u;
    const Vec3 c = (rod.to_b * xa + rod.to_a * xb) / rod.length + h * c_rate, turned = u + h * u_rate;
    put3(x, rod.a, c - rod.to_a * turned);
    put3(x, rod.b, c + rod.to_b * turned);
    put3(xd, rod.a, c_rate - rod.to_a * u_rate);
    put3(xd, rod.b, c_rate + rod.to_b * u_rate);
  }
}

template <class Chart>
void RodFormulation<Chart>::kick(double h, Terms& terms) const {
  double* const xd = terms.xd.data();
  for (const Rod& rod : rods_.rods) {
    const Vec3 va = at3(xd, rod.a), vb = at3(xd, rod.b);
    const Vec3 fa = at3(terms.force.data(), rod.a), fb = at3(terms.force.data(), rod.b);
    const Vec3 u = (at3(terms.x.data(), rod.b) - at3(terms.x.data(), rod.a)) / rod.length;
    const Vec3 c_rate = (rod.to_b * va + rod.to_a * vb) / rod.length + h * (fa + fb) / rod.mass;
    Vec3 u_rate = (vb - va) / rod.length + h * (rod.to_b * fb - rod.to_a * fa) / rod.inertia;
    u_rate -= u.dot(u_rate) * u;
    put3(xd, rod.a, c_rate - rod.to_a * u_rate);
    put3(xd, rod.b, c_rate + rod.to_b * u_rate);
  }
}

template <class Chart>
void RodFormulation<Chart>::take_nodes(const Terms& terms, double* q, double* v) const {
  for (const Rod& rod : rods_.rods) {
    const Vec3 xa = at3(terms.x.data(), rod.a), xb = at3(terms.x.data(), rod.b);
    const Vec3 va = at3(terms.xd.data(), rod.a), vb = at3(terms.xd.data(), rod.b);
    const Vec3 u = (xb - xa).normalized(), relative = (vb - va) / rod.length;
    Vec3::Map(q) = (rod.to_b * xa + rod.to_a * xb) / rod.length;
    Vec3::Map(v) = (rod.to_b * va + rod.to_a * vb) / rod.length;
    Chart::take(u, relative - u.dot(relative) * u, q + 3, v + 3);
    q += rod_nq;
    v += rod_nv;
  }
}

}  // namespace taut
