#include "taut/formulation/multibody/system/stabilise.h"

#include <algorithm>

namespace taut::multibody {

namespace {

constexpr double still_open =
    1e-8;  // times the system's length: what is further apart after corrections does not close

// -K† of rows, which come in terms.lambda, into terms.bias.
void pull_back(const System& s, SystemTerms& t) {
  std::fill(t.bias.begin(), t.bias.end(), 0.0);
  solve(s, t, t.bias.data(), t.lambda.data());
}

// v -= K† K v with the factors there are.
void filter(const System& s, double* v, SystemTerms& t) {
  multiply(s.loops, t.loops, v, t.lambda.data());
  for (double& r : t.lambda) r = -r;
  pull_back(s, t);
  for (int c = 0; c < s.tree.nv; ++c) v[c] += t.bias[c];
}

// Largest row, angles times the length.
double largest(const System& s, const AlignedDoubles& rows) {
  double most = 0.0;
  for (int r = 0; r < s.loops.rows; ++r) {
    const double size = std::abs(rows[r]) * (s.loops.is_turn[r] ? s.length : 1.0);
    if (!(size <= most)) most = size;  // NaN stays
  }
  return most;
}

}  // namespace

double impose(const System& s, const SystemTerms& t, double* q, double* v) {
  double moved = 0.0;
  for (std::size_t i = 0; i < s.tree.links.size(); ++i) {
    const Link& link = s.tree.links[i];
    if (!link.imposed) continue;
    double step[6];
    difference(s.tree.joints[i], q + link.q, t.imposed_q.data() + link.q, step);
    for (int c = 0; c < link.nv; ++c) moved = std::max(moved, std::abs(step[c]) * s.length);
    std::copy_n(t.imposed_q.data() + link.q, link.nq, q + link.q);
    std::copy_n(t.imposed_v.data() + link.v, link.nv, v + link.v);
  }
  return moved;
}

double loop_error(const System& s, const SystemTerms& t) { return largest(s, t.loops.g); }

double correct_configuration(const System& s, int times, double* q, const double* v, SystemTerms& t) {
  place(s, q, v, t);
  const double first = loop_error(s, t);
  for (int i = 0; i < times && s.loops.rows > 0; ++i) {
    if (i > 0) place(s, q, v, t);
    factorise(s, t);
    for (int r = 0; r < s.loops.rows; ++r) t.lambda[r] = -t.loops.g[r];
    pull_back(s, t);
    retract(s.tree, q, t.bias.data());
  }
  return first;
}

void filter_velocities(const System& s, const double* q, double* v, SystemTerms& t) {
  place(s, q, v, t);
  if (s.loops.rows == 0) return;
  factorise(s, t);
  filter(s, v, t);
}

double project(const System& s, double* q, double* v, SystemTerms& t, int corrections) {
  constexpr int most_corrections = 20;
  const double rounding = 1e-15 * s.length;
  double moved = s.has_motion ? impose(s, t, q, v) : 0.0;
  moved = std::max(moved, normalise(s.tree, q) * s.length);
  if (s.loops.rows == 0) return moved / s.length;
  if (corrections > 0) {
    moved = std::max(moved, correct_configuration(s, corrections, q, v, t));
    filter_velocities(s, q, v, t);
    // Motions that do not fit the loops leave them open whatever the number of corrections.
    if (corrections > 3 && !(loop_error(s, t) <= still_open * s.length)) return -1.0;
    return std::all_of(v, v + s.tree.nv, [](double x) { return std::isfinite(x); }) ? moved / s.length : -1.0;
  }
  // Newton converges quadratically: an error that is not halved is rounding.
  bool factorised = false;
  double before = INFINITY, left = 0.0;
  for (int i = 0; i < most_corrections; ++i) {
    place(s, q, v, t);
    const double error = loop_error(s, t);
    if (!(error < 1e3 * s.length)) return -1.0;
    if (i == 0) moved = std::max(moved, error);
    left = error;
    if (error <= rounding || !(error < 0.5 * before)) break;
    before = error;
    factorise(s, t);
    factorised = true;
    for (int r = 0; r < s.loops.rows; ++r) t.lambda[r] = -t.loops.g[r];
    pull_back(s, t);
    retract(s.tree, q, t.bias.data());
    if (i + 1 == most_corrections) return -1.0;
  }
  if (!(left <= still_open * s.length)) return -1.0;
  // Factors of the last correction serve as well: what they miss is a product of two small moves, taken out by a second
  // pass.
  multiply(s.loops, t.loops, v, t.lambda.data());
  const double drift = largest(s, t.lambda);
  if (drift > rounding) {
    if (!factorised) factorise(s, t);
    filter(s, v, t);
    if (factorised) filter(s, v, t);
  }
  for (int c = 0; c < s.tree.nv; ++c)
    if (!std::isfinite(v[c])) return -1.0;
  return moved / s.length;
}

}  // namespace taut::multibody
