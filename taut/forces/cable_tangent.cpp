#include "taut/forces/cable_tangent.h"

#include <algorithm>
#include <cmath>

#include "taut/model/laws/yielding.h"

namespace taut {

CableTangent::CableTangent(const Cables& cables) {
  for (int s = 0; s < cables.slots(); ++s) {
    std::vector<int> nodes;
    for (int p = cables.piece_begin(s); p < cables.piece_end(s); ++p)
      for (int node : {cables.piece_a(p), cables.piece_b(p)})
        if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    for (int i : nodes)
      for (int j : nodes) blocks_.emplace_back(i, j);
    nodes_.push_back(std::move(nodes));
  }
}

std::pair<double, double> tension_slopes(const Cables& cables, const CableTerms& terms, int slot) {
  const CableLaw& law = cables.law(slot);
  const double e = terms.length[slot] - terms.rest[slot];
  const bool whole = law.damping_model == DampingModel::vector;  // never clipped
  const auto pulls = [&] {
    return whole ? elastic_tension(law, e, terms.rest[slot], terms.permanent[slot]) > 0.0 : terms.tension[slot] > 0.0;
  };
  switch (law.kind) {
    case LawKind::linear:
      if (terms.mode == SlackMode::by_sign ? !(cables.switch_value(slot, terms) > 0.0) : terms.taut[slot] == 0.0)
        return {0.0, 0.0};
      if (terms.mode == SlackMode::clipped && law.clip && !(terms.tension[slot] > 0.0)) return {0.0, 0.0};
      if (yields(law) && e > terms.permanent[slot])
        return {elastic_slope(law, e, terms.rest[slot], terms.permanent[slot]), law.damping};
      return {terms.stiffness[slot], law.damping};
    case LawKind::spring:
      if (yields(law)) return {elastic_slope(law, e, terms.rest[slot], terms.permanent[slot]), law.damping};
      return {terms.stiffness[slot], law.damping};
    case LawKind::softplus:
      if (!pulls()) return {0.0, 0.0};
      // The damping factor s'(e) depends on e as well.
      return {elastic_slope(law, e, terms.rest[slot]) + law.damping * softstep_slope(e, law.beta) * terms.rate[slot],
              law.damping * softstep(e, law.beta)};
    case LawKind::table:
      if (!pulls()) return {0.0, 0.0};
      return {elastic_slope(law, e, terms.rest[slot], terms.permanent[slot]), law.damping};
  }
  return {0.0, 0.0};
}

Vec3 across_by_length(const Cables& cables, const CableTerms& terms, const double* v, int slot) {
  const CableLaw& law = cables.law(slot);
  if (law.damping_model == DampingModel::axial || law.kind != LawKind::softplus) return Vec3::Zero();
  const int p = cables.piece_begin(slot);
  const Vec3 u = Vec3(terms.direction.data() + 4 * p) / std::max(terms.length[slot], 1e-300),
             apart = Vec3(v + 4 * cables.piece_b(p)) - Vec3(v + 4 * cables.piece_a(p));
  return -law.damping * softstep_slope(terms.length[slot] - terms.rest[slot], law.beta) * (apart - u.dot(apart) * u);
}

double tension_by_rest_length(const Cables& cables, const CableTerms& terms, int slot) {
  const CableLaw& law = cables.law(slot);
  const double rest = terms.rest[slot], e = terms.length[slot] - rest,
               slope = tension_slopes(cables, terms, slot).first;
  // T_e ∂e/∂L0, and the stiffness that follows the rest length.
  if (slope == 0.0) return 0.0;
  const double p = terms.permanent[slot];
  if (law.kind == LawKind::table) {
    // On the way back by the elongation left, else by the whole.
    const bool back = yields(law) && unloading_tension(law, e, rest, p) < elastic_tension(law, e, rest);
    return -slope - elastic_slope(law, e, rest, p) * (back ? e - p : e) / rest;
  }
  if (!law.by_EA) return -slope;
  // k (e - p), or h k e beyond the yield.
  const bool beyond = yields(law) && slope < terms.stiffness[slot];
  return -slope - (beyond ? slope * e : terms.stiffness[slot] * (e - p)) / rest;
}

void CableTangent::evaluate(const Cables& cables, const CableTerms& terms, const double* v,
                            std::vector<double>& by_position, std::vector<double>& by_velocity,
                            std::vector<double>* turning) const {
  if (turning != nullptr) turning->clear();
  by_position.assign(9 * blocks_.size(), 0.0);
  by_velocity.assign(9 * blocks_.size(), 0.0);
  std::size_t first = 0;
  std::vector<Vec3> gradient, pulled, turned;  // Σ ±u, Σ ±ρ u, H ẋ
  for (int s = 0; s < cables.slots(); ++s) {
    const std::vector<int>& nodes = nodes_[s];
    const int count = static_cast<int>(nodes.size());
    const auto index_of = [&](int node) {
      return static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
    };
    const auto block = [&](std::vector<double>& values, int i, int j) {
      return values.data() + 9 * (first + i * count + j);
    };
    const auto [by_length, slope_by_rate] = tension_slopes(cables, terms, s);
    // Vector damping is linear in the velocities, whichever way the cable turns.
    const bool whole = cables.law(s).damping_model == DampingModel::vector;
    const double by_rate = whole ? 0.0 : slope_by_rate;
    gradient.assign(count, Vec3::Zero());
    pulled.assign(count, Vec3::Zero());
    turned.assign(count, Vec3::Zero());
    // Pieces: g, H ẋ and -T H.
    for (int p = cables.piece_begin(s); p < cables.piece_end(s); ++p) {
      const int ia = index_of(cables.piece_a(p)), ib = index_of(cables.piece_b(p));
      const Vec3 d(terms.direction[4 * p], terms.direction[4 * p + 1], terms.direction[4 * p + 2]);
      const double length = std::max(d.norm(), 1e-300);
      const Vec3 u = d / length;
      const Vec3 relative =
          Eigen::Map<const Vec3>(v + 4 * cables.piece_b(p)) - Eigen::Map<const Vec3>(v + 4 * cables.piece_a(p));
      // Nodes that a constraint holds together: nothing swings.
      Eigen::Matrix3d across = Eigen::Matrix3d::Zero();
      if (length > 1e-12) across = (Eigen::Matrix3d::Identity() - u * u.transpose()) / length;
      gradient[ia] -= u;
      gradient[ib] += u;
      pulled[ia] -= terms.share[p] * u;
      pulled[ib] += terms.share[p] * u;
      const double tension = terms.share[p] * terms.tension[s] - (whole ? slope_by_rate * u.dot(relative) : 0.0);
      const Vec3 swing = across * relative;
      turned[ia] -= swing;
      turned[ib] += swing;
      for (int i : {ia, ib})
        for (int j : {ia, ib}) {
          const double sign = i == j ? 1.0 : -1.0;
          double* k = block(by_position, i, j);
          for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) k[3 * r + c] -= sign * tension * across(r, c);
        }
    }
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) {
        double* k = block(by_position, i, j);
        double* d = block(by_velocity, i, j);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) {
            k[3 * r + c] -= pulled[i][r] * (by_length * gradient[j][c] + by_rate * turned[j][c]);
            d[3 * r + c] -= by_rate * pulled[i][r] * gradient[j][c];
          }
      }
    for (int i = 0; turning != nullptr && i < count; ++i) {
      const Vec3 pull = by_rate * pulled[i];
      turning->insert(turning->end(), pull.data(), pull.data() + 3);
      turning->insert(turning->end(), turned[i].data(), turned[i].data() + 3);
    }
    if (whole) add_whole(cables, terms, v, s, first, by_position, by_velocity);
    if (cables.slides(s) && terms.tension[s] > 0.0) add_sliding(cables, terms, v, s, first, by_position, by_velocity);
    first += static_cast<std::size_t>(count) * count;
  }
}

// Of a cable of two nodes: -c ẋ, and where c depends on e what that makes of the force across it.
void CableTangent::add_whole(const Cables& cables, const CableTerms& terms, const double* v, int slot,
                             std::size_t first, std::vector<double>& by_position,
                             std::vector<double>& by_velocity) const {
  const Vec3 u = Vec3(terms.direction.data() + 4 * cables.piece_begin(slot)) / std::max(terms.length[slot], 1e-300),
             across = across_by_length(cables, terms, v, slot);
  const double c = tension_slopes(cables, terms, slot).second;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const double sign = i == j ? 1.0 : -1.0;
      const std::size_t at = 9 * (first + 2 * i + j);
      for (int r = 0; r < 3; ++r) {
        by_velocity[at + 4 * r] -= sign * c;
        for (int k = 0; k < 3; ++k) by_position[at + 3 * r + k] += sign * across[r] * u[k];
      }
    }
}

void CableTangent::add_sliding(const Cables& cables, const CableTerms& terms, const double* v, int slot,
                               std::size_t first, std::vector<double>& by_position,
                               std::vector<double>& by_velocity) const {
  const std::vector<int>& nodes = nodes_[slot];
  const int begin = cables.piece_begin(slot), end = cables.piece_end(slot), count = static_cast<int>(nodes.size());
  const auto index_of = [&](int node) {
    return static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  };
  const SlidingTangent tangent =
      slide_tangent(cables.sliding(slot, terms, v), terms.share.data() + begin, terms.slip.data() + begin);
  for (int p = begin; p < end; ++p) {
    const Vec3 pull = terms.pull[p] * Vec3(terms.direction.data() + 4 * p);
    const int row_a = index_of(cables.piece_a(p)), row_b = index_of(cables.piece_b(p));
    for (int o = begin; o < end; ++o) {
      const Mat3 moved = pull * tangent.by_position.block<1, 3>(p - begin, 3 * (o - begin)),
                 swept = pull * tangent.by_velocity.block<1, 3>(p - begin, 3 * (o - begin));
      const int column_a = index_of(cables.piece_a(o)), column_b = index_of(cables.piece_b(o));
      for (const auto& [i, row_sign] : {std::pair{row_a, 1.0}, {row_b, -1.0}})
        for (const auto& [j, sign] : {std::pair{column_a, -row_sign}, {column_b, row_sign}}) {
          const std::size_t at = 9 * (first + i * count + j);
          for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
              by_position[at + 3 * r + c] += sign * moved(r, c);
              by_velocity[at + 3 * r + c] += sign * swept(r, c);
            }
        }
    }
  }
}

}  // namespace taut
