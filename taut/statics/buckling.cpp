#include "taut/statics/buckling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "taut/equilibrium/stiffness/lu_entries.h"
#include "taut/equilibrium/stiffness/rigid_motions.h"
#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/forces/cable_tangent.h"
#include "taut/solve/spectrum.h"

namespace taut {

namespace {

// How the shape and the constraint forces answer to the load: (δx on all coordinates, δμ).
struct Response {
  Eigen::VectorXd move, multiplier;
};

// Where only rigid motions and the like are free of stiffness, this much of its bound keeps them.
constexpr double faint = 1e-10;
// Of the load: a structure that bears less bears nothing.
constexpr double least = 1e-6;
// Of the bound of the stiffness: less is no hold.
constexpr double held_by_members = 1e-8;

std::vector<SparseEntry> faint_diagonal(const TangentStiffness& stiffness) {
  std::vector<SparseEntry> entries;
  for (int k = 0; k < stiffness.unknowns(); ++k) entries.push_back({k, k, faint * stiffness.bound()[k]});
  return entries;
}

// By the factors of K where it is positive definite.
std::vector<double> solve_definite(const TangentStiffness::Factor& factor, std::vector<double> rhs) {
  std::vector<double> scratch(rhs.size());
  factor.saddle.solve(factor.numbers, rhs.data(), scratch.data());
  return rhs;
}

// By LU where it is not; empty where it has no inverse. Constraints that depend on others share what they carry.
std::vector<double> solve_indefinite(const StaticForces& statics, const TangentStiffness& stiffness,
                                     std::vector<double> rhs) {
  const int n = stiffness.unknowns(), rows = stiffness.constraints();
  LuEntries matrix;
  matrix.put_symmetric(stiffness.entries());
  matrix.put_symmetric(faint_diagonal(stiffness));
  const auto& pattern = statics.jacobian_pattern();
  matrix.put_constraints(n, pattern, statics.jacobian_values());
  std::vector<double> square(rows, 0.0), stiff(rows, 0.0);
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const double g = statics.jacobian_values()[k];
    square[pattern[k].row] += g * g;
    stiff[pattern[k].row] = std::max(stiff[pattern[k].row], stiffness.bound()[pattern[k].column]);
  }
  for (int k = 0; k < rows; ++k) matrix.put(n + k, n + k, stiff[k] > 0.0 ? -1e-13 * square[k] / stiff[k] : -1.0);
  SparseLu lu = matrix.matrix(n + rows);
  if (!lu.factorise()) return {};
  lu.solve(rhs.data());
  return std::all_of(rhs.begin(), rhs.end(), [](double x) { return std::isfinite(x); }) ? rhs : std::vector<double>();
}

std::optional<Response> response(const StaticForces& statics, const TangentStiffness& stiffness,
                                 const std::optional<TangentStiffness::Factor>& factor) {
  const int unknowns = stiffness.unknowns();
  std::vector<double> rhs(unknowns + statics.constraints(), 0.0);
  for (int k = 0; k < unknowns; ++k) rhs[k] = statics.external()[statics.unknowns()[k] / 3][statics.unknowns()[k] % 3];
  rhs = factor ? solve_definite(*factor, rhs) : solve_indefinite(statics, stiffness, rhs);
  if (rhs.empty()) return std::nullopt;
  Response r{Eigen::VectorXd::Zero(3 * static_cast<long>(statics.external().size())),
             Eigen::Map<const Eigen::VectorXd>(rhs.data() + unknowns, statics.constraints())};
  for (int k = 0; k < unknowns; ++k) r.move[statics.unknowns()[k]] = rhs[k];
  return r;
}

Vec3 direction(const CableTerms& terms, int piece) {
  return Vec3(terms.direction[4 * piece], terms.direction[4 * piece + 1], terms.direction[4 * piece + 2]);
}

// K_g of tensions (per slot) and constraint forces, on and above the diagonal.
std::vector<SparseEntry> geometric_stiffness(const StaticForces& statics, const std::vector<double>& tension,
                                             const Eigen::VectorXd& multiplier) {
  std::vector<SparseEntry> entries;
  const Cables& cables = statics.cables();
  for (int s = 0; s < cables.slots(); ++s)
    for (int p = cables.piece_begin(s); p < cables.piece_end(s) && tension[s] != 0.0; ++p)
      if (const Vec3 d = direction(statics.cable_terms(), p); d.norm() > 0.0) {
        const double l = d.norm();
        const Vec3 u = d / l;
        add_between(statics.unknown_of(), cables.piece_a(p), cables.piece_b(p),
                    tension[s] / l * (Mat3::Identity() - u * u.transpose()), entries);
      }
  for (int row = 0; row < statics.constraints(); ++row)
    if (const auto [a, b] = statics.ends_of_row(row); a >= 0)
      add_between(statics.unknown_of(), a, b, multiplier[row] * Mat3::Identity(), entries);
  sum_repeated(entries);
  return entries;
}

// K_g of the forces that grow with the load.
std::vector<SparseEntry> growing_stiffness(const StaticForces& statics, const Response& r) {
  const Cables& cables = statics.cables();
  const CableTerms& terms = statics.cable_terms();
  std::vector<double> more(cables.slots());
  for (int s = 0; s < cables.slots(); ++s) {
    double longer = 0.0;
    for (int p = cables.piece_begin(s); p < cables.piece_end(s); ++p)
      if (const Vec3 d = direction(terms, p); d.norm() > 0.0)
        longer += d.dot(r.move.segment<3>(3 * cables.piece_b(p)) - r.move.segment<3>(3 * cables.piece_a(p))) / d.norm();
    more[s] = tension_slopes(cables, terms, s).first * longer;
  }
  return geometric_stiffness(statics, more, r.multiplier);
}

// K(p), factorised if it is positive definite along the constraints.
std::optional<TangentStiffness::Factor> loaded_factor(const TangentStiffness& stiffness,
                                                      const std::vector<SparseEntry>& growing, double p) {
  std::vector<SparseEntry> more = faint_diagonal(stiffness);
  for (const SparseEntry& e : growing) more.push_back({e.row, e.column, (p - 1.0) * e.value});
  return stiffness.factorise(more);
}

double largest_of(const std::vector<SparseEntry>& entries) {
  double largest = 0.0;
  for (const SparseEntry& e : entries) largest = std::max(largest, std::abs(e.value));
  return largest;
}

// The softest motion of what was factorised, on the unknowns; empty: none. Motions of the whole are taken out on request.
Eigenpairs softest_of(const StaticForces& statics, const TangentStiffness::Factor& factor, bool without_rigid) {
  const int unknowns = static_cast<int>(statics.unknowns().size());
  const Parts parts = find_parts(statics.model());
  const std::vector<Vec3> none(statics.external().size(), Vec3::Zero());
  const Eigen::VectorXd x = statics.start();
  const auto remove_rigid = [&](Eigen::MatrixXd& X) {
    for (long j = 0; without_rigid && j < X.cols(); ++j) {
      Eigen::VectorXd all = Eigen::VectorXd::Zero(x.size());
      for (int k = 0; k < unknowns; ++k) all[statics.unknowns()[k]] = X(k, j);
      remove_rigid_motions(statics.model(), parts, none, x, all);
      for (int k = 0; k < unknowns; ++k) X(k, j) = all[statics.unknowns()[k]];
    }
  };
  EigenOperators of{unknowns, unknowns, 0.0, {}, {}, {}};
  of.solve = [&](Eigen::MatrixXd& X) {
    remove_rigid(X);
    for (long j = 0; j < X.cols(); ++j) {
      std::vector<double> rhs(unknowns + statics.constraints(), 0.0);
      std::copy_n(X.col(j).data(), unknowns, rhs.data());
      rhs = solve_definite(factor, rhs);
      X.col(j) = Eigen::Map<const Eigen::VectorXd>(rhs.data(), unknowns);
    }
    remove_rigid(X);
  };
  return nearest_eigenpair(of, many_directions(unknowns));
}

// Whether the members' stiffness alone resists every motion, those of the whole apart.
bool holds(const StaticForces& statics, const TangentStiffness& stiffness, const TangentStiffness::Factor& material) {
  const Eigenpairs softest = softest_of(statics, material, true);
  if (softest.values.size() == 0) return true;
  return softest.values[0] > held_by_members * *std::max_element(stiffness.bound().begin(), stiffness.bound().end());
}

// K_g of the growing forces, as the unloaded structure answers to the load: K(0) has none of it, so that it is found by
// repetition, from the answer of the members' stiffness alone where that holds the structure. Where it has no stiffness
// without its load, as the loaded one answers. Empty: it does not answer at all.
std::vector<SparseEntry> growth(const StaticForces& statics, const NetForce& net, const TangentStiffness& stiffness,
                                const std::optional<TangentStiffness::Factor>& factor) {
  const CableTerms& terms = statics.cable_terms();
  std::vector<SparseEntry> more = faint_diagonal(stiffness);
  for (SparseEntry e : geometric_stiffness(statics, {terms.tension.begin(), terms.tension.end()}, net.multiplier))
    more.push_back({e.row, e.column, -e.value});
  const std::optional<TangentStiffness::Factor> material = stiffness.factorise(more);
  // Where the shape is held by its forces, not by its members, the answer of the members alone would call all of the
  // forces the load's.
  const bool by_members = material && (!factor || holds(statics, stiffness, *material));
  const auto first = response(statics, stiffness, by_members ? material : factor);
  if (!first) return {};
  std::vector<SparseEntry> growing = growing_stiffness(statics, *first);
  // Beyond the buckling load it would go astray from what the members' stiffness gave.
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 50; ++pass) {
    const auto unloaded = loaded_factor(stiffness, growing, 0.0);
    if (!unloaded) break;
    const auto answer = response(statics, stiffness, unloaded);
    if (!answer) break;
    std::vector<SparseEntry> next = growing_stiffness(statics, *answer);
    double change = 0.0;
    for (std::size_t k = 0; k < next.size(); ++k) change = std::max(change, std::abs(next[k].value - growing[k].value));
    if (change <= 1e-8 * largest_of(growing) || change >= before) break;
    growing = std::move(next);
    before = change;
  }
  return growing;
}

// The node that moves furthest in the softest motion.
int softest_node(const StaticForces& statics, const TangentStiffness::Factor& factor) {
  const Eigenpairs softest = softest_of(statics, factor, false);
  if (softest.vectors.size() == 0) return -1;
  std::vector<double> square(statics.external().size(), 0.0);
  for (long k = 0; k < softest.vectors.rows(); ++k)
    square[statics.unknowns()[k] / 3] += softest.vectors(k, 0) * softest.vectors(k, 0);
  return static_cast<int>(std::max_element(square.begin(), square.end()) - square.begin());
}

}  // namespace

Buckling find_buckling(const Model& model, double most) {
  StaticForces statics(model);
  Buckling result;
  Vec3 total = Vec3::Zero();
  double loads = 0.0;
  for (const Vec3& force : statics.external()) total += force, loads += force.norm();
  result.loaded = loads > 0.0;
  result.load = total.norm();
  const NetForce net = statics.net_force(statics.start());
  const TangentStiffness stiffness(statics, net);
  auto factor = stiffness.factorise(faint_diagonal(stiffness));
  result.stable = factor.has_value();
  if (!result.loaded) return result;
  const std::vector<SparseEntry> growing = growth(statics, net, stiffness, factor);
  if (growing.empty()) return result;
  // Between a load that it bears, its own or none, and one that it does not.
  double low = 0.0, high = 1.0;
  if (result.stable) {
    for (low = 1.0, high = 1.1; high < most; low = high, high += high - 1.0)
      if (auto next = loaded_factor(stiffness, growing, high))
        factor = std::move(next);
      else {
        result.found = true;
        break;
      }
  } else {
    factor = loaded_factor(stiffness, growing, 0.0);
    result.found = factor.has_value();
  }
  while (result.found && high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    if (auto next = loaded_factor(stiffness, growing, middle))
      low = middle, factor = std::move(next);
    else
      high = middle;
    // Without a load something is already on the edge: it bears no part of it.
    result.found = high > least;
  }
  if (!result.stable && !result.found) return result;
  result.factor = result.found ? low : most;
  result.load = result.factor * total.norm();
  if (result.found) result.softest_node = softest_node(statics, *factor);
  return result;
}

}  // namespace taut
