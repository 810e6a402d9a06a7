#include "taut/forces/cables.h"

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/base/vec4.h"
#include "taut/forces/cable_tangent.h"
#include "taut/model/laws/bar_law.h"
#include "taut/model/laws/yielding.h"

namespace taut {

namespace {

struct Slot {
  CableLaw law;
  std::vector<int> path;
  double rest;
  int cable, bar;  // one of them is -1
  const std::string* name;
  SlidingFriction friction{};
  bool packed() const {
    return path.size() == 2 && law.kind == LawKind::linear && law.clip && !taut::yields(law) && !vector_damped();
  }
  bool vector_damped() const { return law.damping_model == DampingModel::vector && law.damping > 0.0; }
};

std::vector<Slot> collect(const Model& model) {
  std::vector<Slot> slots;
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    const Cable& c = model.cables[i];
    const bool slides = c.friction.coefficient > 0.0 && c.path.size() > 2;
    slots.push_back({c.law, c.path, c.rest_length, i, -1, &c.name, slides ? c.friction : SlidingFriction{}});
  }
  for (int i = 0; i < static_cast<int>(model.bars.size()); ++i) {
    const Bar& b = model.bars[i];
    if (!b.elastic) continue;
    slots.push_back({law_of(b), {b.a, b.b}, b.rest_length, -1, i, &b.name});
  }
  // Packed slots first, filled up with empty ones.
  const auto general = std::stable_partition(slots.begin(), slots.end(), [](const Slot& s) { return s.packed(); });
  static const std::string nameless;
  const auto empty = static_cast<std::size_t>((4 - (general - slots.begin()) % 4) % 4);
  slots.insert(general, empty, Slot{{}, {0, 0}, 1.0, -1, -1, &nameless});
  return slots;
}

// Where the negatives begin in CableTerms::pull: on a boundary of four, whatever the number of pieces.
std::size_t negatives(std::size_t pieces) { return (pieces + 3) / 4 * 4; }

// Weights of l_n, l_{n-1}, ... from those of the differences.
void set_weights(RateMemory& m, const std::array<double, 4>& of_differences) {
  for (int j = 0; j < 5; ++j)
    m.weight[j] = ((j < 4 ? of_differences[j] : 0.0) - (j > 0 ? of_differences[j - 1] : 0.0)) / m.h;
}

// After an evaluation, which has left its lengths in the place of the oldest: all move on by one.
void advance(RateMemory& m) {
  for (int j = 3; j > 0; --j) m.past[j].swap(m.past[j - 1]);
  ++m.steps;
  if (m.steps == 1) set_weights(m, {1.5, -0.5, 0.0, 0.0});
  if (m.steps == 2) set_weights(m, {1.25, 0.0, -0.25, 0.0});
  if (m.steps == 3) set_weights(m, {1.1, 0.2, -0.2, -0.1});
}

}  // namespace

Cables::Cables(const Model& model) : slot_of_cable_(model.cables.size(), -1), slot_of_bar_(model.bars.size(), -1) {
  const std::vector<Slot> slots = collect(model);
  first_piece_.push_back(0);
  for (int s = 0; s < static_cast<int>(slots.size()); ++s) {
    const Slot& slot = slots[s];
    packed_ += slot.packed();
    empty_ += slot.cable < 0 && slot.bar < 0;
    laws_.push_back(slot.law);
    damping_.push_back(slot.law.damping);
    damped_ |= slot.law.damping > 0.0;
    friction_.push_back(slot.friction);
    slides_ |= slides(s);
    if (taut::yields(slot.law)) yielding_.push_back(s);
    if (slot.vector_damped()) vector_damped_.push_back(s);
    start_rest_.push_back(slot.rest);
    names_.push_back(*slot.name);
    cable_of_slot_.push_back(slot.cable);
    has_switch_.push_back(slot.law.kind == LawKind::linear && slot.cable >= 0);
    if (slot.cable >= 0) slot_of_cable_[slot.cable] = s;
    if (slot.bar >= 0) slot_of_bar_[slot.bar] = s;
    for (std::size_t k = 0; k + 1 < slot.path.size(); ++k) {
      a_.push_back(slot.path[k]);
      b_.push_back(slot.path[k + 1]);
    }
    first_piece_.push_back(static_cast<int>(a_.size()));
  }
  for (const Actuator& actuator : model.actuators)
    drives_.push_back({slot_of_cable_[actuator.cable], actuator.rest_length});
  for (const BarDrive& drive : model.bar_drives)
    if (slot_of_bar_[drive.bar] >= 0) drives_.push_back({slot_of_bar_[drive.bar], drive.length});
  // Which pieces pull on which node.
  const int second_half = static_cast<int>(negatives(a_.size()));
  std::vector<std::vector<Pull>> by_node(model.nodes.size());
  for (int s = 0; s < static_cast<int>(slots.size()); ++s)
    for (int p = first_piece_[s]; p < first_piece_[s + 1]; ++p) {
      if (slots[s].cable < 0 && slots[s].bar < 0) continue;
      by_node[a_[p]].push_back({4 * p, p});
      by_node[b_[p]].push_back({4 * p, second_half + p});
    }
  node_start_.push_back(0);
  for (const auto& list : by_node) {
    pulls_.insert(pulls_.end(), list.begin(), list.end());
    node_start_.push_back(static_cast<int>(pulls_.size()));
  }
}

CableTerms Cables::make_terms() const {
  CableTerms terms;
  const std::size_t pieces = a_.size(), n = laws_.size();
  terms.direction.assign(4 * pieces, 0.0);
  terms.pull.assign(2 * negatives(pieces), 0.0);
  terms.share.assign(pieces, 1.0);
  terms.slip.assign(pieces, 0.0);
  for (AlignedDoubles* array :
       {&terms.length, &terms.rate, &terms.rest_rate, &terms.stiffness, &terms.tension, &terms.permanent,
        &terms.memory.past[0], &terms.memory.past[1], &terms.memory.past[2], &terms.memory.past[3]})
    array->assign(n, 0.0);
  terms.taut.assign(n, 1.0);
  terms.settled.assign(2 * yielding_.size(), 0.0);
  terms.first_yields.resize(yielding_.size());
  terms.wound.assign(slot_of_cable_.size(), 0);
  terms.rest.assign(start_rest_.begin(), start_rest_.end());
  for (std::size_t s = 0; s < n; ++s) terms.stiffness[s] = stiffness_at(laws_[s], start_rest_[s]);
  return terms;
}

void Cables::apply(const double* x, const double* v, const double* base, double* f, CableTerms& terms) const {
  terms.dissipated_power = 0.0;
  terms.actuator_power = 0.0;
  terms.slack = -empty_;  // the empty slots always are
  const bool rates = damped_ || terms.want_rates;
  if (terms.mode == SlackMode::clipped)
    packed_tensions<true, false, SlackMode::clipped>(x, v, terms);
  else if (terms.mode == SlackMode::held && rates)
    packed_tensions<true, false, SlackMode::held>(x, v, terms);
  else if (terms.mode == SlackMode::held)
    packed_tensions<false, false, SlackMode::held>(x, v, terms);
  else if (!rates)
    packed_tensions<false, false, SlackMode::by_sign>(x, v, terms);
  else if (terms.rates == RateSource::lengths)
    packed_tensions<true, true, SlackMode::by_sign>(x, v, terms);
  else
    packed_tensions<true, false, SlackMode::by_sign>(x, v, terms);
  general_tensions(x, v, terms);
  if (terms.rates == RateSource::lengths) advance(terms.memory);
  gather(base, f, terms);
  if (vector_damped()) brake_across(v, f, terms);
  for (const RestDrive& drive : drives_)
    if (!wound(drive.slot, terms)) terms.actuator_power += winding_power(drive.slot, terms);
  for (const Winch& winch : terms.winches) terms.actuator_power += winding_power(slot_of_cable_[winch.cable], terms);
}

SlidingCable Cables::sliding(int slot, const CableTerms& terms, const double* v) const {
  const int first = first_piece_[slot];
  const double rest = terms.rest[slot];
  return {friction_[slot],
          first_piece_[slot + 1] - first,
          terms.direction.data() + 4 * first,
          a_.data() + first,
          b_.data() + first,
          v,
          rest > 0.0 ? terms.rest_rate[slot] / rest : 0.0};
}

// -(T - ∂U/∂L0) L̇0, and what a winch has to overcome in friction.
double Cables::winding_power(int s, const CableTerms& terms) const {
  if (terms.rest_rate[s] == 0.0) return 0.0;
  const double e = terms.length[s] - terms.rest[s];
  const double power =
      -(terms.tension[s] - energy_by_rest_length(laws_[s], e, terms.rest[s], terms.permanent[s])) * terms.rest_rate[s];
  if (!slides(s)) return power;
  const double more = terms.tension[s] * (terms.share[first_piece_[s]] - 1.0);
  return power - more * terms.length[s] * sliding(s, terms, nullptr).reel;
}

// One pass with all in registers: most of its branches the compiler decides, and pieces of it would hide the order.
template <bool rates, bool memory, SlackMode mode>
// NOLINTNEXTLINE(readability-function-cognitive-complexity)
void Cables::packed_tensions(const double* x, const double* v, CableTerms& terms) const {
  const int* const a = a_.data();
  const int* const b = b_.data();
  double* const direction = terms.direction.data();
  double* const length = terms.length.data();
  double* const rate_of = terms.rate.data();
  const double* const k = terms.stiffness.data();
  const double* const c = damping_.data();
  const double* const rest = terms.rest.data();
  const double* const rest_rate = terms.rest_rate.data();
  const double* const taut = terms.taut.data();
  const double* const past0 = terms.memory.past[0].data();
  const double* const past1 = terms.memory.past[1].data();
  const double* const past2 = terms.memory.past[2].data();
  double* const past3 = terms.memory.past[3].data();
  const std::array<double, 5> w = terms.memory.weight;
  double* const tension_of = terms.tension.data();
  double* const pull = terms.pull.data();
  double* const push = pull + negatives(a_.size());
  const Vec4 zero{}, least = zero + 1e-280;
  auto slack = zero > zero;  // minus the number of slack cables, per lane
  Vec4 dissipated{};
  for (int i = 0; i < packed_; i += 4) {
    // Four pieces: difference vectors and their products.
    Vec4 d[4], square[4], along[4];
    for (int j = 0; j < 4; ++j) {
      d[j] = load4(x + 4 * b[i + j]) - load4(x + 4 * a[i + j]);
      store4(direction + 4 * (i + j), d[j]);
      square[j] = d[j] * d[j];
      if constexpr (rates && !memory) along[j] = d[j] * (load4(v + 4 * b[i + j]) - load4(v + 4 * a[i + j]));
    }
    // Nodes that coincide: a length of nothing, but not zero.
    const Vec4 sums = lane_sums(square[0], square[1], square[2], square[3]);
    const Vec4 l = square_root(sums > least ? sums : least);
    const Vec4 inverse = 1.0 / l;
    // The law.
    const Vec4 e = l - load4(rest + i);
    const Vec4 elastic = load4(k + i) * e;
    Vec4 t = elastic, rate{}, damping{};
    if constexpr (rates) {
      if constexpr (memory) {
        rate = w[0] * l + w[1] * load4(past0 + i) + w[2] * load4(past1 + i) + w[3] * load4(past2 + i) +
               w[4] * load4(past3 + i);
        store4(past3 + i, l);
      } else {
        rate = lane_sums(along[0], along[1], along[2], along[3]) * inverse;
      }
      rate -= load4(rest_rate + i);
      store4(rate_of + i, rate);
      damping = load4(c + i) * rate;
      t += damping;
    }
    if constexpr (mode != SlackMode::held) t = t > zero ? t : zero;
    if constexpr (mode == SlackMode::by_sign)
      t = e > zero ? t : zero;
    else
      t = load4(taut + i) != zero ? t : zero;
    store4(length + i, l);
    store4(tension_of + i, t);
    const Vec4 density = t * inverse;
    store4(pull + i, density);
    store4(push + i, -density);
    // T - T_elastic is c ė while taut; a cable that damping has made slack gives its elastic energy away.
    const auto off = t == zero;
    slack += off;
    if constexpr (rates) dissipated += (off ? (e > zero ? -elastic : zero) : damping) * rate;
  }
  terms.slack -= static_cast<int>(slack[0] + slack[1] + slack[2] + slack[3]);
  if constexpr (rates) terms.dissipated_power += dissipated[0] + dissipated[1] + dissipated[2] + dissipated[3];
}

void Cables::general_tensions(const double* x, const double* v, CableTerms& terms) const {
  for (int s = packed_; s < slots(); ++s) {
    const CableLaw& law = laws_[s];
    // Length and rate along the path.
    double l = 0.0, l_rate = 0.0;
    for (int p = first_piece_[s]; p < first_piece_[s + 1]; ++p) {
      const Vec4 d = load4(x + 4 * b_[p]) - load4(x + 4 * a_[p]);
      store4(terms.direction.data() + 4 * p, d);
      const double piece = std::max(std::sqrt(dot(d, d)), 1e-300);
      terms.pull[p] = 1.0 / piece;
      l += piece;
      l_rate += dot(d, load4(v + 4 * b_[p]) - load4(v + 4 * a_[p])) / piece;
    }
    if (terms.rates == RateSource::lengths) {
      RateMemory& m = terms.memory;
      l_rate = m.weight[0] * l;
      for (int j = 0; j < 4; ++j) l_rate += m.weight[j + 1] * m.past[j][s];
      m.past[3][s] = l;
    }
    const double e = l - terms.rest[s], e_rate = l_rate - terms.rest_rate[s];
    // Tension; a held switch overrides the law's own.
    double t;
    if (terms.mode != SlackMode::by_sign && has_switch_[s]) {
      const double elastic = taut::yields(law) && e > terms.permanent[s]
                                 ? elastic_tension(law, e, terms.rest[s], terms.permanent[s])
                                 : terms.stiffness[s] * (e - terms.permanent[s]);
      t = terms.taut[s] != 0.0 ? elastic + law.damping * e_rate : 0.0;
      if (terms.mode == SlackMode::clipped && law.clip) t = std::max(t, 0.0);
    } else {
      t = tension(law, e, e_rate, terms.rest[s], terms.permanent[s]);
    }
    terms.length[s] = l;
    terms.rate[s] = e_rate;
    terms.tension[s] = t;
    terms.dissipated_power += (t - elastic_tension(law, e, terms.rest[s], terms.permanent[s])) * e_rate;
    if (has_switch_[s] && !(switch_value(s, terms) > 0.0)) ++terms.slack;
    if (slides(s)) slide_pieces(s, v, terms);
    for (int p = first_piece_[s]; p < first_piece_[s + 1]; ++p) {
      terms.pull[p] *= t;
      terms.pull[negatives(a_.size()) + p] = -terms.pull[p];
    }
  }
}

// A cable that pulls loses tension where it slides; one that pushes or is slack touches nothing.
void Cables::slide_pieces(int slot, const double* v, CableTerms& terms) const {
  const int first = first_piece_[slot], end = first_piece_[slot + 1];
  if (terms.tension[slot] > 0.0) {
    const double loss = slide(sliding(slot, terms, v), terms.share.data() + first, terms.slip.data() + first);
    terms.dissipated_power += terms.tension[slot] * loss;
    for (int p = first; p < end; ++p) terms.pull[p] *= terms.share[p];
  } else {
    std::fill(terms.share.begin() + first, terms.share.begin() + end, 1.0);
    std::fill(terms.slip.begin() + first, terms.slip.begin() + end, 0.0);
  }
}

// Each node sums what pulls on it: no two nodes write to the same place.
void Cables::gather(const double* base, double* f, const CableTerms& terms) const {
  const double* const direction = terms.direction.data();
  const double* const pull = terms.pull.data();
  const Pull* const pulls = pulls_.data();
  const int nodes = static_cast<int>(node_start_.size()) - 1;
  int k = 0;
  for (int i = 0; i < nodes; ++i) {
    Vec4 sum = load4(base + 4 * i);
    for (const int end = node_start_[i + 1]; k < end; ++k)
      sum += pull[pulls[k].pull] * load4(direction + pulls[k].direction);
    store4(f + 4 * i, sum);
  }
}

// What vector damping does besides the tension.
void Cables::brake_across(const double* v, double* f, CableTerms& terms) const {
  for (const int s : vector_damped_) {
    const int p = first_piece_[s], a = a_[p], b = b_[p];
    const double c = tension_slopes(*this, terms, s).second;
    const Vec4 u = load4(terms.direction.data() + 4 * p) / std::max(terms.length[s], 1e-300);
    const Vec4 apart = load4(v + 4 * b) - load4(v + 4 * a), across = apart - dot(u, apart) * u;
    store4(f + 4 * a, load4(f + 4 * a) + c * across);
    store4(f + 4 * b, load4(f + 4 * b) - c * across);
    terms.dissipated_power += c * dot(across, across);
  }
}

void Cables::begin_memory(double h, CableTerms& terms) const {
  terms.rates = RateSource::lengths;
  RateMemory& m = terms.memory;
  m.steps = 0;
  m.h = h;
  m.past[0] = terms.length;
  for (int s = 0; s < slots(); ++s) m.past[1][s] = terms.rate[s] + terms.rest_rate[s];
  m.weight = {2.0 / h, -2.0 / h, -1.0, 0.0, 0.0};
}

double Cables::switch_value(int slot, const CableTerms& terms) const {
  const CableLaw& law = laws_[slot];
  const double elastic = terms.stiffness[slot] * (terms.length[slot] - terms.rest[slot] - terms.permanent[slot]);
  return law.clip ? std::min(elastic, elastic + law.damping * terms.rate[slot]) : elastic;
}

double Cables::length_rate(int slot, const CableTerms& terms, const double* v) const {
  double sum = 0.0;
  for (int p = first_piece_[slot]; p < first_piece_[slot + 1]; ++p) {
    const Vec4 d = load4(terms.direction.data() + 4 * p);
    sum += dot(d, load4(v + 4 * b_[p]) - load4(v + 4 * a_[p])) / std::max(std::sqrt(dot(d, d)), 1e-300);
  }
  return sum;
}

void Cables::switch_values(const CableTerms& terms, double* values) const {
  const double* const k = terms.stiffness.data();
  const double* const l = terms.length.data();
  const double* const rest = terms.rest.data();
  const double* const c = damping_.data();
  const double* const e_rate = terms.rate.data();
  for (int s = 0; s < packed_; ++s) {
    const double elastic = k[s] * (l[s] - rest[s]), damping = c[s] * e_rate[s];
    values[s] = elastic + (damping < 0.0 ? damping : 0.0);
  }
  for (int s = packed_; s < slots(); ++s) values[s] = has_switch_[s] ? switch_value(s, terms) : 1.0;
}

void Cables::classify(CableTerms& terms) const {
  for (int s = 0; s < slots(); ++s)
    if (has_switch_[s]) terms.taut[s] = switch_value(s, terms) > 0.0 ? 1.0 : 0.0;
}

double Cables::elastic_energy(const CableTerms& terms) const {
  double sum = 0.0;
  for (int s = 0; s < slots(); ++s)
    sum += taut::elastic_energy(laws_[s], terms.length[s] - terms.rest[s], terms.rest[s], terms.permanent[s]);
  return sum;
}

}  // namespace taut
