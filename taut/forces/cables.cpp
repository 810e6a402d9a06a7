#include "taut/forces/cables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "taut/base/error.h"
#include "taut/base/vec4.h"

namespace taut {

namespace {

struct Slot {
  CableLaw law;
  std::vector<int> path;
  double rest;
  int cable, bar;  // one of them is -1
  const std::string* name;
  bool packed() const { return path.size() == 2 && law.kind == LawKind::linear && law.clip; }
};

std::vector<Slot> collect(const Model& model) {
  std::vector<Slot> slots;
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    const Cable& c = model.cables[i];
    slots.push_back({c.law, c.path, c.rest_length, i, -1, &c.name});
  }
  for (int i = 0; i < static_cast<int>(model.bars.size()); ++i) {
    const Bar& b = model.bars[i];
    if (!b.elastic) continue;
    CableLaw law;
    law.kind = LawKind::spring;
    law.by_EA = true;
    law.stiffness = b.EA;
    slots.push_back({law, {b.a, b.b}, b.rest_length, -1, i, &b.name});
  }
  std::stable_partition(slots.begin(), slots.end(), [](const Slot& s) { return s.packed(); });
  return slots;
}

}  // namespace

Cables::Cables(const Model& model)
    : slot_of_cable_(model.cables.size(), -1), slot_of_bar_(model.bars.size(), -1), actuators_(model.actuators) {
  const std::vector<Slot> slots = collect(model);
  first_piece_.push_back(0);
  for (int s = 0; s < static_cast<int>(slots.size()); ++s) {
    const Slot& slot = slots[s];
    packed_ += slot.packed();
    laws_.push_back(slot.law);
    damping_.push_back(slot.law.damping);
    damped_ |= slot.law.damping > 0.0;
    start_rest_.push_back(slot.rest);
    names_.push_back(*slot.name);
    cable_of_slot_.push_back(slot.cable);
    has_switch_.push_back(slot.law.kind == LawKind::linear);
    if (slot.cable >= 0) slot_of_cable_[slot.cable] = s;
    if (slot.bar >= 0) slot_of_bar_[slot.bar] = s;
    for (std::size_t k = 0; k + 1 < slot.path.size(); ++k) {
      a_.push_back(slot.path[k]);
      b_.push_back(slot.path[k + 1]);
    }
    first_piece_.push_back(static_cast<int>(a_.size()));
  }
}

CableTerms Cables::make_terms() const {
  CableTerms terms;
  const std::size_t pieces = a_.size(), n = laws_.size();
  terms.direction.assign(4 * pieces, 0.0);
  terms.pull.assign(pieces, 0.0);
  for (AlignedDoubles* array : {&terms.length, &terms.rate, &terms.rest_rate, &terms.stiffness, &terms.tension})
    array->assign(n, 0.0);
  terms.taut.assign(n, 1.0);
  terms.rest.assign(start_rest_.begin(), start_rest_.end());
  for (std::size_t s = 0; s < n; ++s) terms.stiffness[s] = stiffness_at(laws_[s], start_rest_[s]);
  return terms;
}

void Cables::set_time(double t, CableTerms& terms) const {
  for (const Actuator& actuator : actuators_) {
    const int s = slot_of_cable_[actuator.cable];
    const double rest = value(actuator.rest_length, t);
    const bool zero_allowed = laws_[s].kind == LawKind::spring && !laws_[s].by_EA;
    if (!(rest > 0.0) && !(zero_allowed && rest == 0.0))
      throw RunError(t, fmt::format("the rest length of cable \"{}\" is driven to {:g} m at t = {:g} s; it must stay above 0",
                                    names_[s], rest, t));
    terms.rest[s] = rest;
    terms.rest_rate[s] = rate(actuator.rest_length, t);
    terms.stiffness[s] = stiffness_at(laws_[s], rest);
  }
}

void Cables::apply(const double* x, const double* v, double* f, CableTerms& terms) const {
  terms.dissipated_power = 0.0;
  terms.actuator_power = 0.0;
  const bool held = terms.mode == SlackMode::held;
  if (damped_ || terms.want_rates)
    held ? apply_packed<true, true>(x, v, f, terms) : apply_packed<true, false>(x, v, f, terms);
  else
    held ? apply_packed<false, true>(x, v, f, terms) : apply_packed<false, false>(x, v, f, terms);
  apply_general(x, v, f, terms);
  // Actuators: -(T - ∂U/∂L0) L̇0.
  for (const Actuator& actuator : actuators_) {
    const int s = slot_of_cable_[actuator.cable];
    const double e = terms.length[s] - terms.rest[s];
    terms.actuator_power -= (terms.tension[s] - energy_by_rest_length(laws_[s], e, terms.rest[s])) * terms.rest_rate[s];
  }
}

template <bool damped, bool held>
void Cables::apply_packed(const double* x, const double* v, double* f, CableTerms& terms) const {
  const int n = packed_;
  double* const direction = terms.direction.data();
  double* const length = terms.length.data();
  double* const rate_of = terms.rate.data();
  // Pieces: difference vectors and their products.
  for (int i = 0; i < n; ++i) {
    const int a = a_[i], b = b_[i];
    const Vec4 d = load3(x + 3 * b) - load3(x + 3 * a);
    store4(direction + 4 * i, d);
    length[i] = dot(d, d);
    if constexpr (damped) rate_of[i] = dot(d, load3(v + 3 * b) - load3(v + 3 * a));
  }
  // The law, in packs. The rate of an undamped cable stays 0.
  double dissipated = 0.0;
  const double* const k = terms.stiffness.data();
  const double* const c = damping_.data();
  const double* const rest = terms.rest.data();
  const double* const rest_rate = terms.rest_rate.data();
  const double* const taut = terms.taut.data();
  double* const tension_of = terms.tension.data();
  double* const pull = terms.pull.data();
#pragma GCC ivdep
  for (int i = 0; i < n; ++i) {
    const double l = std::sqrt(length[i]);
    const double inverse = 1.0 / (l > 1e-300 ? l : 1e-300);
    const double e = l - rest[i];
    const double elastic = k[i] * e;
    double t = elastic;
    if constexpr (damped) {
      rate_of[i] = rate_of[i] * inverse - rest_rate[i];
      t += c[i] * rate_of[i];
    }
    if constexpr (held) {
      t = taut[i] != 0.0 ? t : 0.0;
    } else {
      t = t > 0.0 ? t : 0.0;
      t = e > 0.0 ? t : 0.0;
    }
    length[i] = l;
    tension_of[i] = t;
    pull[i] = t * inverse;
  }
  if constexpr (damped) {
    for (int i = 0; i < n; ++i) {
      // T - T_elastic is c ė while taut; a cable that damping has made slack gives its elastic energy away.
      const double e = length[i] - rest[i];
      const double lost = tension_of[i] != 0.0 ? c[i] * rate_of[i] : -k[i] * (e > 0.0 ? e : 0.0);
      dissipated += lost * rate_of[i];
    }
  }
  terms.dissipated_power += dissipated;
  // Forces.
  for (int i = 0; i < n; ++i) {
    const Vec4 force = pull[i] * load4(direction + 4 * i);
    double* const fa = f + 4 * a_[i];
    double* const fb = f + 4 * b_[i];
    store4(fa, load4(fa) + force);
    store4(fb, load4(fb) - force);
  }
}

void Cables::apply_general(const double* x, const double* v, double* f, CableTerms& terms) const {
  for (int s = packed_; s < slots(); ++s) {
    const CableLaw& law = laws_[s];
    // Length and rate along the path.
    double l = 0.0, l_rate = 0.0;
    for (int p = first_piece_[s]; p < first_piece_[s + 1]; ++p) {
      const Vec4 d = load3(x + 3 * b_[p]) - load3(x + 3 * a_[p]);
      store4(terms.direction.data() + 4 * p, d);
      const double piece = std::max(std::sqrt(dot(d, d)), 1e-300);
      terms.pull[p] = 1.0 / piece;
      l += piece;
      l_rate += dot(d, load3(v + 3 * b_[p]) - load3(v + 3 * a_[p])) / piece;
    }
    const double e = l - terms.rest[s], e_rate = l_rate - terms.rest_rate[s];
    // Tension; a held switch overrides the law's own.
    double t;
    if (terms.mode == SlackMode::held && has_switch_[s])
      t = terms.taut[s] != 0.0 ? terms.stiffness[s] * e + law.damping * e_rate : 0.0;
    else
      t = tension(law, e, e_rate, terms.rest[s]);
    terms.length[s] = l;
    terms.rate[s] = e_rate;
    terms.tension[s] = t;
    terms.dissipated_power += (t - elastic_tension(law, e, terms.rest[s])) * e_rate;
    for (int p = first_piece_[s]; p < first_piece_[s + 1]; ++p) {
      terms.pull[p] *= t;
      const Vec4 force = terms.pull[p] * load4(terms.direction.data() + 4 * p);
      double* const fa = f + 4 * a_[p];
      double* const fb = f + 4 * b_[p];
      store4(fa, load4(fa) + force);
      store4(fb, load4(fb) - force);
    }
  }
}

double Cables::switch_value(int slot, const CableTerms& terms) const {
  const CableLaw& law = laws_[slot];
  const double elastic = terms.stiffness[slot] * (terms.length[slot] - terms.rest[slot]);
  return law.clip ? std::min(elastic, elastic + law.damping * terms.rate[slot]) : elastic;
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
  for (int s = 0; s < slots(); ++s) sum += taut::elastic_energy(laws_[s], terms.length[s] - terms.rest[s], terms.rest[s]);
  return sum;
}

}  // namespace taut
