// The motion of rods, in every chart.
#include "taut/formulation/rods/rod_formulation.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/formulation/node_arrays.h"
#include "taut/formulation/rods/polar_chart.h"
#include "taut/formulation/rods/quaternion_chart.h"
#include "taut/formulation/rods/rod_kinds.h"
#include "taut/solve/semidefinite.h"

namespace taut {

template <int nv>
int support_matrix(const Rods& rods, const Rod& rod, const Eigen::Matrix<double, 3, nv>& T,
                   const Eigen::Matrix<double, nv, 3>& turned_by, double* matrix) {
  const Eigen::Matrix3d by_turning = T * turned_by;
  const Support* const s = rods.supports.data() + rod.first_support;
  for (int i = 0; i < rod.supports; ++i)
    for (int j = 0; j < rod.supports; ++j)
      matrix[i * rod.supports + j] =
          (s[i].axis == s[j].axis ? 1.0 / rod.mass : 0.0) + s[i].side * s[j].side * by_turning(s[i].axis, s[j].axis);
  return rod.supports;
}

template int support_matrix<2>(const Rods&, const Rod&, const Eigen::Matrix<double, 3, 2>&,
                               const Eigen::Matrix<double, 2, 3>&, double*);
template int support_matrix<3>(const Rods&, const Rod&, const Eigen::Matrix<double, 3, 3>&,
                               const Eigen::Matrix<double, 3, 3>&, double*);

template <class Chart>
RodFormulation<Chart>::RodFormulation(const Model& model) : model_(&model), rods_(collect_rods(model, Chart::name)) {
  facts_.name = Chart::name;
  facts_.nq = rod_nq * static_cast<int>(rods_.rods.size());
  facts_.nv = rod_nv * static_cast<int>(rods_.rods.size());
  rod_of_node_.assign(model.nodes.size(), -1);
  for (std::size_t r = 0; r < rods_.rods.size(); ++r)
    for (const int node : {rods_.rods[r].a, rods_.rods[r].b}) rod_of_node_[node] = static_cast<int>(r);
  int rank = 0;  // of the supports at the start
  const State state = start();
  for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
    const Rod& rod = rods_.rods[r];
    if (!Chart::carries_spin && rod.spin != 0.0)
      throw InputError(model.bars[rod.bar].place, model.bars[rod.bar].name,
                       fmt::format("formulation {}: bar \"{}\" spins about its axis; only quaternion has that motion",
                                   Chart::name, model.bars[rod.bar].name));
    if (rod.supports > 0 || rod.spin != 0.0) can_leap_ = false;
    if (rod.supports == 0) continue;
    double matrix[36], rhs[6] = {};
    const double* const turning = state.q() + r * rod_nq + 3;
    const int rows =
        support_matrix<Chart::nv>(rods_, rod, Chart::turn(turning), Chart::turned_by(rod, turning), matrix);
    rank += solve_semidefinite(matrix, rhs, rows);
  }
  fill_facts(rank);
}

template <class Chart>
void RodFormulation<Chart>::fill_facts(int rank) {
  facts_.constraints = static_cast<int>(rods_.supports.size());
  facts_.redundant_constraints = facts_.constraints - rank;
  facts_.degrees_of_freedom = -rank;
  for (const Rod& rod : rods_.rods) facts_.degrees_of_freedom += Chart::carries_spin && !rod.thin ? 6 : 5;
  const auto add = [&](const auto& list, const char* const(&centre)[3]) {
    for (const Rod& rod : rods_.rods) {
      const std::string& bar = model_->bars[rod.bar].name;
      for (const char* name : centre) facts_.state_names.push_back(bar + name);
      for (const char* name : list) facts_.state_names.push_back(*name ? bar + name : std::string());
    }
  };
  add(Chart::coordinate_names, {".x", ".y", ".z"});
  add(Chart::velocity_names, {".vx", ".vy", ".vz"});
}

template <class Chart>
State RodFormulation<Chart>::start() const {
  State state(facts_.nq, facts_.nv);
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
  terms.lambda.assign(rods_.supports.size(), 0.0);
  Scratch& own = terms.own.emplace<Scratch>();
  own.push.assign(model_->bars.size(), 0.0);
  rods_at(0.0, own.now);
  for (int node : rods_.anchors) put3(terms.x.data(), node, model_->nodes[node].position);
  return terms;
}

template <class Chart>
const Rods& RodFormulation<Chart>::now(Terms& terms) const {
  if (rods_.driven.empty()) return rods_;
  Scratch& own = std::any_cast<Scratch&>(terms.own);
  if (own.at != terms.time) {
    set_lengths(*model_, rods_, terms.time, own.now);
    own.at = terms.time;
  }
  return own.now;
}

template <class Chart>
const Rods& RodFormulation<Chart>::rods_at(double t, Rods& room) const {
  if (rods_.driven.empty()) return rods_;
  room = rods_;
  set_lengths(*model_, rods_, t, room);
  return room;
}

template <class Chart>
void RodFormulation<Chart>::place_nodes(const double* q, const double* v, Terms& terms) const {
  double* const x = terms.x.data();
  double* const xd = terms.xd.data();
  for (const Rod& rod : now(terms).rods) {
    Vec3 u, u_rate;
    Chart::motion(q + 3, v + 3, u, u_rate);
    u_rate += rod.growth * u;  // 0 unless it is driven; to ask for that first makes an evaluation a sixth slower
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
  AlignedDoubles& pushes = push(terms);
  const Rods& rods = now(terms);
  for (const Rod& rod : rods.rods) {
    Vec3 fa = at3(terms.force.data(), rod.a);
    const Vec3 fb = at3(terms.force.data(), rod.b);
    Vec3::Map(v_rate) = (fa + fb) / rod.mass;
    Chart::accelerate(rod, q + 3, v + 3, rod.to_b * fb - rod.to_a * fa, v_rate + 3);
    if (rod.driven) Velocity::Map(v_rate + 3) -= 2.0 * rod.growth * Chart::turning(q + 3, v + 3);
    if (rod.supports > 0) {
      double* const multiplier = terms.lambda.data() + rod.first_support;
      hold(rods, rod, q, v, gains, v_rate, multiplier);
      for (int k = 0; k < rod.supports; ++k)
        if (const Support& s = rods.supports[rod.first_support + k]; s.node == rod.a) fa[s.axis] += multiplier[k];
    }
    pushes[rod.bar] = axial_push(rod, fa, Vec3::Map(v_rate), terms);
    if (rod.driven) terms.work_power += pushes[rod.bar] * rod.length * rod.length * rod.growth;
    q += rod_nq;
    v += rod_nv;
    v_rate += rod_nv;
  }
}

// Along the axis: m_aa ẍ_a + m_ab ẍ_b = f_a - push b, with ü·u = -|u̇|².
template <class Chart>
double RodFormulation<Chart>::axial_push(const Rod& rod, const Vec3& fa, const Vec3& centre, const Terms& terms) {
  const Vec3 b = at3(terms.x.data(), rod.b) - at3(terms.x.data(), rod.a),
             b_rate = at3(terms.xd.data(), rod.b) - at3(terms.xd.data(), rod.a);
  const double inverse = 1.0 / (rod.length * rod.length), along = centre.dot(b);
  double inward = b_rate.squaredNorm() / rod.length;
  if (rod.driven) inward -= rod.length * (rod.growth * rod.growth + rod.growth_rate);
  const double xa = along + rod.to_a * inward, xb = along - rod.to_b * inward;
  return (fa.dot(b) - rod.aa * xa - rod.ab * xb) * inverse;
}

// The rate of the axis as its ends feel it, u̇ + r u; and what adds to T ẇ in ü + 2r u̇ + k u.
template <class Chart>
Vec3 RodFormulation<Chart>::axis_rate(const Rod& rod, const double* q, const double* v) {
  const Vec3 rate = Chart::turn(q + 3) * Velocity::Map(v + 3);
  if (!rod.driven) return rate;
  Vec3 u, unused;
  Chart::motion(q + 3, v + 3, u, unused);
  return rate + rod.growth * u;
}

template <class Chart>
Vec3 RodFormulation<Chart>::axis_bias(const Rod& rod, const double* q, const double* v) {
  const Vec3 bias = Chart::turn_bias(q + 3, v + 3);
  if (!rod.driven) return bias;
  Vec3 u, u_rate;
  Chart::motion(q + 3, v + 3, u, u_rate);
  return bias + 2.0 * rod.growth * u_rate + rod.growth_rate * u;
}

// x = c ± l u with u̇ = T w, so that ü = T ẇ + t.
template <class Chart>
void RodFormulation<Chart>::node_accelerations(const double* q, const double* v, const double* v_rate, Terms& terms,
                                               double* a) const {
  for (const int node : rods_.anchors) put3(a, node, Vec3::Zero());
  for (const Rod& rod : now(terms).rods) {
    const Vec3 c = Vec3::Map(v_rate), u = Chart::turn(q + 3) * Velocity::Map(v_rate + 3) + axis_bias(rod, q, v);
    put3(a, rod.a, c - rod.to_a * u);
    put3(a, rod.b, c + rod.to_b * u);
    q += rod_nq;
    v += rod_nv;
    v_rate += rod_nv;
  }
}

template <class Chart>
double RodFormulation<Chart>::support_value(const Support& support, const double* q) {
  Vec3 u, unused;
  const double still[Chart::nv] = {};
  Chart::motion(q + 3, still, u, unused);
  return q[support.axis] + support.side * u[support.axis] - support.value;
}

template <class Chart>
void RodFormulation<Chart>::hold(const Rods& rods, const Rod& rod, const double* q, const double* v,
                                 const DriftGains& gains, double* v_rate, double* multiplier) const {
  double matrix[36];
  const auto T = Chart::turn(q + 3);
  const auto turned_by = Chart::turned_by(rod, q + 3);
  support_matrix<Chart::nv>(rods, rod, T, turned_by, matrix);
  const Vec3 second = T * Velocity::Map(v_rate + 3) + axis_bias(rod, q, v), first = axis_rate(rod, q, v);
  const Support* const s = rods.supports.data() + rod.first_support;
  for (int k = 0; k < rod.supports; ++k) {
    multiplier[k] = -(v_rate[s[k].axis] + s[k].side * second[s[k].axis]);
    if (gains.any())
      multiplier[k] -=
          gains.position * support_value(s[k], q) + gains.velocity * (v[s[k].axis] + s[k].side * first[s[k].axis]);
  }
  solve_semidefinite(matrix, multiplier, rod.supports);
  for (int k = 0; k < rod.supports; ++k) {
    v_rate[s[k].axis] += multiplier[k] / rod.mass;
    Velocity::Map(v_rate + 3) += s[k].side * multiplier[k] * turned_by.col(s[k].axis);
  }
}

// Newton on the held ends of one rod; it converges quadratically, so a second look at the smallest error ends it. Returns
// by how much of its length they were off at first, -1 when they cannot be met.
template <class Chart>
double RodFormulation<Chart>::project_position(const Rods& rods, const Rod& rod, double* q, int corrections) const {
  const Support* const s = rods.supports.data() + rod.first_support;
  double matrix[36], rhs[6], moved = 0.0, error = INFINITY;
  Eigen::Matrix<double, Chart::nv, 3> turned_by;
  const int rounds = corrections > 0 ? corrections + 1 : 20;
  for (int round = 0; round < rounds; ++round) {
    double worst = 0.0;
    for (int k = 0; k < rod.supports; ++k) {
      rhs[k] = -support_value(s[k], q);
      worst = std::max(worst, std::abs(rhs[k]));
    }
    if (!(worst < 1e3)) return -1.0;
    if (round == 0) moved = worst / rod.length;
    if (corrections > 0 ? round == corrections : !(worst < 0.5 * error) || worst == 0.0) break;
    error = worst;
    turned_by = Chart::turned_by(rod, q + 3);
    support_matrix<Chart::nv>(rods, rod, Chart::turn(q + 3), turned_by, matrix);
    solve_semidefinite(matrix, rhs, rod.supports);
    Velocity turned = Velocity::Zero();
    for (int k = 0; k < rod.supports; ++k) {
      q[s[k].axis] += rhs[k] / rod.mass;
      turned += s[k].side * rhs[k] * turned_by.col(s[k].axis);
    }
    double change[Chart::nq];
    Chart::rates(q + 3, turned.data(), change);
    for (int i = 0; i < Chart::nq; ++i) q[3 + i] += change[i];
  }
  return moved;
}

// The held ends do not move.
template <class Chart>
void RodFormulation<Chart>::project_velocity(const Rods& rods, const Rod& rod, const double* q, double* v) const {
  const Support* const s = rods.supports.data() + rod.first_support;
  double matrix[36], rhs[6];
  const auto turned_by = Chart::turned_by(rod, q + 3);
  const Vec3 u_rate = axis_rate(rod, q, v);
  for (int k = 0; k < rod.supports; ++k) rhs[k] = -(v[s[k].axis] + s[k].side * u_rate[s[k].axis]);
  support_matrix<Chart::nv>(rods, rod, Chart::turn(q + 3), turned_by, matrix);
  solve_semidefinite(matrix, rhs, rod.supports);
  for (int k = 0; k < rod.supports; ++k) {
    v[s[k].axis] += rhs[k] / rod.mass;
    Velocity::Map(v + 3) += s[k].side * rhs[k] * turned_by.col(s[k].axis);
  }
}

template <class Chart>
double RodFormulation<Chart>::project(double* q, double* v, Terms& terms) const {
  double moved = 0.0;
  const Rods& rods = now(terms);
  for (const Rod& rod : rods.rods) {
    if (rod.supports > 0) {
      const double off = project_position(rods, rod, q, terms.corrections);
      if (off < 0.0) return -1.0;
      moved = std::max(moved, off);
    }
    moved = std::max(moved, Chart::tidy(rod, q + 3, v + 3));
    if (rod.supports > 0) project_velocity(rods, rod, q, v);
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

template class RodFormulation<PolarChart<false>>;
template class RodFormulation<PolarChart<true>>;
template class RodFormulation<QuaternionChart>;

std::unique_ptr<Formulation> make_minimal(const Model& model) {
  return std::make_unique<RodFormulation<PolarChart<false>>>(model);
}

std::unique_ptr<Formulation> make_minimal_bounded(const Model& model) {
  return std::make_unique<RodFormulation<PolarChart<true>>>(model);
}

std::unique_ptr<Formulation> make_quaternion(const Model& model) {
  return std::make_unique<RodFormulation<QuaternionChart>>(model);
}

}  // namespace taut
