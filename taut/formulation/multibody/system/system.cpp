#include "taut/formulation/multibody/system/system.h"

#include <algorithm>
#include <limits>

namespace taut::multibody {

SystemTerms make_terms(const System& s) {
  SystemTerms t;
  t.tree = make_terms(s.tree);
  t.loops = make_terms(s.loops);
  const int nv = s.tree.nv, rows = s.loops.rows;
  if (s.method == Method::sparse) {
    t.composite.resize(s.tree.links.size());
    t.mass.assign(s.mass_pattern.size(), 0.0);
    t.factor = s.kkt.make_factor();
    t.x.assign(s.kkt.unknowns() + rows, 0.0);
  } else {
    t.articulated = make_articulated(s.tree);
    t.response.assign(static_cast<std::size_t>(rows) * nv, 0.0);
    t.range.assign(static_cast<std::size_t>(rows) * rows, 0.0);
    t.x.assign(nv, 0.0);
    t.unit.assign(rows, 0.0);
    t.range_off.assign(rows, 0);
  }
  t.bias.assign(nv, 0.0);
  t.applied = t.internal = t.torque = t.imposed_v = t.imposed_rate = t.v_rate = t.bias;
  t.imposed_q.assign(s.tree.nq, 0.0);
  t.lambda.assign(rows, 0.0);
  t.loop_torque.resize(s.loops.joints.size());
  return t;
}

void drive(const System& s, double time, SystemTerms& t) {
  t.time = time;
  std::fill(t.applied.begin(), t.applied.end(), 0.0);
  for (const Link& link : s.tree.links) {
    const Connection& c = s.machine.joints[link.joint];
    if (c.motion)
      c.motion(time, t.imposed_q.data() + link.q, t.imposed_v.data() + link.v, t.imposed_rate.data() + link.v);
    if (c.torque) c.torque(time, t.applied.data() + link.v);
  }
}

void place(const System& s, const double* q, const double* v, SystemTerms& t) {
  place(s.tree, q, v, t.tree);
  if (s.loops.rows > 0 || !s.loops.joints.empty()) {
    close(s.loops, s.tree, t.tree, s.inverse_inertia.data(), t.loops);
    loop_rates(s.loops, s.tree, t.tree, v, t.loops);
  }
}

namespace {

// Torques of springs, dampers, friction and cables, and of the user, in the tree and at the loops.
void joint_torques(const System& s, const double* q, const double* v, SystemTerms& t) {
  t.energy = t.dissipated = t.supplied = t.drive_power = 0.0;
  JointTorque torque;
  const auto count = [&](const JointTorque& of) {
    t.energy += of.energy;
    t.dissipated += of.dissipated;
    t.supplied += of.supplied;
  };
  for (std::size_t i = 0; i < s.tree.links.size(); ++i) {
    const Link& link = s.tree.links[i];
    if (!link.has_torque) continue;
    internal_torque(s.tree.joints[i], q + link.q, v + link.v, torque);
    count(torque);
    for (int c = 0; c < link.nv; ++c) t.internal[link.v + c] = torque.torque[c];
  }
  for (int c = 0; c < s.tree.nv; ++c) t.drive_power += t.applied[c] * v[c];
  for (std::size_t i = 0; i < s.loops.joints.size(); ++i) {
    const LoopJoint& loop = s.loops.joints[i];
    if (!loop.has_torque) continue;
    const LoopJointTerms& at = t.loops.joints[i];
    internal_torque(loop.joint, at.q.data(), at.v.data(), torque);
    count(torque);
    if (const auto& given = s.machine.joints[s.loops.groups[loop.group].index].torque) {
      double applied[6] = {};
      given(t.time, applied);
      for (int c = 0; c < velocities(loop.joint); ++c) {
        torque.torque[c] += applied[c];
        t.drive_power += applied[c] * at.v[c];
      }
    }
    add_loop_torque(s.loops, static_cast<int>(i), t.loops, torque.torque.data(), t.tree);
    t.loop_torque[i] = torque;
  }
}

// (K H⁻¹ Kᵀ) = L D Lᵀ in place, dependent rows left out.
void factorise_range(const System& s, SystemTerms& t) {
  constexpr double tolerance = 1e-12;
  const int m = s.loops.rows, nv = s.tree.nv;
  double* const A = t.range.data();
  for (int r = 0; r < m; ++r) {
    std::fill(t.x.begin(), t.x.end(), 0.0);
    std::fill(t.unit.begin(), t.unit.end(), 0.0);
    t.unit[r] = 1.0;
    add_transposed(s.loops, t.loops, t.unit.data(), t.x.data());
    solve(s.tree, t.tree, t.articulated, t.x.data(), false, t.response.data() + static_cast<std::size_t>(r) * nv);
    multiply(s.loops, t.loops, t.response.data() + static_cast<std::size_t>(r) * nv, A + static_cast<long>(r) * m);
  }
  t.left_out = 0;
  for (int k = 0; k < m; ++k) {
    double* const row = A + static_cast<long>(k) * m;
    for (int j = 0; j < k; ++j) {
      double sum = row[j];
      for (int i = 0; i < j; ++i) sum -= row[i] * A[static_cast<long>(j) * m + i];
      row[j] = sum;  // L D
    }
    double pivot = row[k];
    for (int j = 0; j < k; ++j) {
      const double l = t.range_off[j] ? 0.0 : row[j] / A[static_cast<long>(j) * m + j];
      pivot -= l * row[j];
      row[j] = l;
    }
    t.range_off[k] = !(pivot > tolerance * t.loops.size[k]);
    t.left_out += t.range_off[k];
    row[k] = pivot;
  }
}

void solve_range(const System& s, SystemTerms& t, double* rows) {
  const int m = s.loops.rows;
  const double* const A = t.range.data();
  for (int k = 0; k < m; ++k)
    for (int j = 0; j < k; ++j) rows[k] -= A[static_cast<long>(k) * m + j] * rows[j];
  for (int k = 0; k < m; ++k) rows[k] = t.range_off[k] ? 0.0 : rows[k] / A[static_cast<long>(k) * m + k];
  for (int k = m; k-- > 0;)
    for (int j = k + 1; j < m; ++j) rows[k] -= A[static_cast<long>(j) * m + k] * rows[j];
}

}  // namespace

void factorise(const System& s, SystemTerms& t) {
  if (s.method == Method::sparse) {
    mass_matrix(s.tree, t.tree, t.composite, t.mass.data());
    s.kkt.factorise(t.mass.data(), t.loops.K.data(), t.loops.size.data(), 0.0, t.factor);
    t.left_out = t.factor.left_out;
    t.singular = t.factor.singular >= 0;
  } else {
    articulate(s.tree, t.tree, s.least, t.articulated);
    t.singular = !t.articulated.undetermined.empty();
    if (s.loops.rows > 0) factorise_range(s, t);
  }
}

void solve(const System& s, SystemTerms& t, double* x, double* rows) {
  const int nv = s.tree.nv, m = s.loops.rows;
  if (s.method == Method::sparse) {
    const int n = s.kkt.unknowns();
    for (int c = 0; c < nv; ++c)
      if (const int u = s.unknown_of[c]; u >= 0) t.x[u] = x[c];
    std::copy_n(rows, m, t.x.data() + n);
    s.kkt.solve(t.factor, t.loops.K.data(), t.x.data());
    for (int c = 0; c < nv; ++c) x[c] = s.unknown_of[c] >= 0 ? t.x[s.unknown_of[c]] : 0.0;
    for (int r = 0; r < m; ++r) rows[r] = -t.x[n + r];
  } else {
    solve(s.tree, t.tree, t.articulated, x, false, t.x.data());
    std::copy_n(t.x.data(), nv, x);
    if (m > 0) {
      for (std::size_t i = 0; i < s.loops.pattern.size(); ++i)
        rows[s.loops.pattern[i].first] -= t.loops.K[i] * x[s.loops.pattern[i].second];
      solve_range(s, t, rows);
      for (int r = 0; r < m; ++r) {
        const double* const y = t.response.data() + static_cast<std::size_t>(r) * nv;
        for (int c = 0; c < nv; ++c) x[c] += rows[r] * y[c];
      }
    }
  }
  if (t.singular) std::fill_n(x, nv, std::numeric_limits<double>::quiet_NaN());
}

void equations(const System& s, const double* q, const double* v, const DriftGains& gains, SystemTerms& t) {
  joint_torques(s, q, v, t);
  accelerations(s.tree, s.has_motion ? t.imposed_rate.data() : nullptr, t.tree);
  const int nv = s.tree.nv, rows = s.loops.rows;
  if (rows > 0) {
    loop_bias(s.loops, s.tree, t.tree, t.loops);
    for (int r = 0; r < rows; ++r)
      t.lambda[r] = t.loops.k[r] - gains.position * t.loops.g[r] - gains.velocity * t.loops.rate[r];
  }
  joint_forces(s.tree, t.tree, t.bias.data());
  for (int c = 0; c < nv; ++c) t.bias[c] = t.applied[c] + t.internal[c] - t.bias[c];
}

void accelerate(const System& s, const double* q, const double* v, const DriftGains& gains, SystemTerms& t,
                double* v_rate) {
  equations(s, q, v, gains, t);
  factorise(s, t);
  std::copy(t.bias.begin(), t.bias.end(), v_rate);
  solve(s, t, v_rate, t.lambda.data());
  if (s.has_motion) find_imposed_torques(s, v, t, v_rate);
  std::copy_n(v_rate, s.tree.nv, t.v_rate.data());
}

void find_imposed_torques(const System& s, const double* v, SystemTerms& t, double* v_rate) {
  for (int c = 0; c < s.tree.nv; ++c)
    if (s.tree.imposed[c]) v_rate[c] = t.imposed_rate[c];
  inverse(s, v_rate, t.lambda.data(), t, t.torque.data());
  for (int c = 0; c < s.tree.nv; ++c) {
    if (!s.tree.imposed[c]) continue;
    t.torque[c] -= t.internal[c];
    t.drive_power += t.torque[c] * v[c];
  }
}

void inverse(const System& s, const double* v_rate, const double* lambda, SystemTerms& t, double* torque) {
  accelerations(s.tree, v_rate, t.tree);
  joint_forces(s.tree, t.tree, torque);
  for (std::size_t i = 0; i < s.loops.pattern.size(); ++i)
    torque[s.loops.pattern[i].second] -= t.loops.K[i] * lambda[s.loops.pattern[i].first];
}

}  // namespace taut::multibody
