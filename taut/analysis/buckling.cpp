#include "taut/analysis/buckling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/analysis/tangent_stiffness.h"
#include "taut/forces/cable_tangent.h"

namespace taut {

namespace {

// How the shape and the constraint forces answer to the load: (δx on all coordinates, δμ).
struct Response {
  Eigen::VectorXd move, multiplier;
};

// Where only rigid motions and the like are free of stiffness, this much of its bound keeps them.
constexpr double faint = 1e-10;

std::vector<SparseEntry> faint_diagonal(const TangentStiffness& stiffness) {
  std::vector<SparseEntry> entries;
  for (int k = 0; k < stiffness.unknowns(); ++k) entries.push_back({k, k, faint * stiffness.bound()[k]});
  return entries;
}

Response response(const StaticForces& statics, const TangentStiffness::Factor& factor, int unknowns) {
  std::vector<double> rhs(unknowns + statics.constraints(), 0.0), scratch(rhs.size());
  for (int k = 0; k < unknowns; ++k) rhs[k] = statics.external()[statics.unknowns()[k] / 3][statics.unknowns()[k] % 3];
  factor.saddle.solve(factor.numbers, rhs.data(), scratch.data());
  Response r{Eigen::VectorXd::Zero(3 * static_cast<long>(statics.external().size())),
             Eigen::Map<const Eigen::VectorXd>(rhs.data() + unknowns, statics.constraints())};
  for (int k = 0; k < unknowns; ++k) r.move[statics.unknowns()[k]] = rhs[k];
  return r;
}

// K_g of the growing forces, on and above the diagonal.
std::vector<SparseEntry> growing_stiffness(const StaticForces& statics, const Response& r) {
  std::vector<int> unknown_of(r.move.size(), -1);
  for (int i = 0; i < static_cast<int>(statics.unknowns().size()); ++i) unknown_of[statics.unknowns()[i]] = i;
  std::vector<SparseEntry> entries;
  const auto add = [&](int a, int b, int i, int j, double value) {
    const int row = unknown_of[3 * a + i], column = unknown_of[3 * b + j];
    if (row >= 0 && column >= 0 && row <= column) entries.push_back({row, column, value});
  };
  const auto add_pair = [&](int a, int b, const Mat3& block) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        add(a, a, i, j, block(i, j)), add(b, b, i, j, block(i, j));
        add(a, b, i, j, -block(i, j)), add(b, a, i, j, -block(i, j));
      }
  };
  const Cables& cables = statics.cables();
  const CableTerms& terms = statics.cable_terms();
  const auto direction = [&](int piece) {
    return Vec3(terms.direction[4 * piece], terms.direction[4 * piece + 1], terms.direction[4 * piece + 2]);
  };
  for (int s = 0; s < cables.slots(); ++s) {
    double longer = 0.0;
    for (int p = cables.piece_begin(s); p < cables.piece_end(s); ++p)
      if (const double l = direction(p).norm(); l > 0.0)
        longer +=
            direction(p).dot(r.move.segment<3>(3 * cables.piece_b(p)) - r.move.segment<3>(3 * cables.piece_a(p))) / l;
    const double more = tension_slopes(cables, terms, s).first * longer;
    for (int p = cables.piece_begin(s); p < cables.piece_end(s) && more != 0.0; ++p)
      if (const double l = direction(p).norm(); l > 0.0) {
        const Vec3 u = direction(p) / l;
        add_pair(cables.piece_a(p), cables.piece_b(p), more / l * (Mat3::Identity() - u * u.transpose()));
      }
  }
  for (int row = 0; row < statics.constraints(); ++row)
    if (const auto [a, b] = statics.ends_of_row(row); a >= 0) add_pair(a, b, r.multiplier[row] * Mat3::Identity());
  sum_repeated(entries);
  return entries;
}

// K + q K_g, factorised if it is positive definite along the constraints.
std::optional<TangentStiffness::Factor> loaded_factor(const TangentStiffness& stiffness,
                                                      const std::vector<SparseEntry>& growing, double q) {
  std::vector<SparseEntry> more = faint_diagonal(stiffness);
  for (const SparseEntry& e : growing) more.push_back({e.row, e.column, q * e.value});
  return stiffness.factorise(more);
}

// The node that moves furthest in the softest motion: inverse iteration.
int softest_node(const StaticForces& statics, const TangentStiffness::Factor& factor, int unknowns) {
  std::vector<double> motion(unknowns + statics.constraints()), scratch(motion.size());
  for (std::size_t i = 0; i < motion.size(); ++i) motion[i] = std::sin(1.0 + 7.3 * static_cast<double>(i));
  for (int pass = 0; pass < 30; ++pass) {
    std::fill(motion.begin() + unknowns, motion.end(), 0.0);
    factor.saddle.solve(factor.numbers, motion.data(), scratch.data());
    double norm = 0.0;
    for (int k = 0; k < unknowns; ++k) norm = std::max(norm, std::abs(motion[k]));
    if (!(norm > 0.0)) return -1;
    for (double& m : motion) m /= norm;
  }
  std::vector<double> square(statics.external().size(), 0.0);
  for (int k = 0; k < unknowns; ++k) square[statics.unknowns()[k] / 3] += motion[k] * motion[k];
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
  const TangentStiffness stiffness(statics, statics.net_force(statics.start()));
  auto factor = stiffness.factorise(faint_diagonal(stiffness));
  result.stable = factor.has_value();
  if (!result.loaded || !result.stable) return result;
  const std::vector<SparseEntry> growing = growing_stiffness(statics, response(statics, *factor, stiffness.unknowns()));
  // Up to the first load that it does not bear, then between the two.
  double low = 0.0, high = 0.1;
  for (; high < most - 1.0; low = high, high *= 2.0)
    if (auto next = loaded_factor(stiffness, growing, high))
      factor = std::move(next);
    else {
      result.found = true;
      break;
    }
  while (result.found && high - low > 1e-9 * (1.0 + low)) {
    const double middle = 0.5 * (low + high);
    if (auto next = loaded_factor(stiffness, growing, middle))
      low = middle, factor = std::move(next);
    else
      high = middle;
  }
  result.factor = result.found ? 1.0 + low : most;
  result.load = result.factor * total.norm();
  if (result.found) result.softest_node = softest_node(statics, *factor, stiffness.unknowns());
  return result;
}

}  // namespace taut
