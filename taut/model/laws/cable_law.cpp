#include "taut/model/laws/cable_law.h"

#include <algorithm>
#include <limits>

#include "taut/base/text/enum_name.h"
#include "taut/model/laws/table_law.h"
#include "taut/model/laws/yielding.h"

namespace taut {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// ∫ max(0, F) dε over [a, b] inside one segment, where F runs from fa to fb.
double positive_area(double a, double b, double fa, double fb) {
  if (fa <= 0.0 && fb <= 0.0) return 0.0;
  if (fa >= 0.0 && fb >= 0.0) return 0.5 * (fa + fb) * (b - a);
  const double top = std::max(fa, fb);
  return 0.5 * top * (b - a) * (top / std::abs(fb - fa));
}

// Φ(ε) = ∫ max(0, F) from 0 to ε, segment by segment.
double table_area(const CableLaw& law, double strain) {
  const double low = std::min(0.0, strain), high = std::max(0.0, strain);
  double area = 0.0, a = low, fa = table::force(law, low);
  const size_t last = table::segment_of(law, high);
  for (size_t i = table::segment_of(law, low); i < last; ++i) {
    area += positive_area(a, law.strain[i + 1], fa, law.force[i + 1]);
    a = law.strain[i + 1];
    fa = law.force[i + 1];
  }
  area += positive_area(a, high, fa, table::force(law, high));
  return strain < 0.0 ? -area : area;
}

// The smallest strain at which the table carries T > 0; for T = 0 the largest at which it carries nothing.
double table_strain(const CableLaw& law, double tension) {
  const auto& f = law.force;
  const size_t n = f.size();
  if (tension > 0.0 && f.front() == tension) return law.strain.front();
  const auto at = tension > 0.0 ? std::lower_bound(f.begin() + 1, f.end() - 1, tension)
                                : std::upper_bound(f.begin() + 1, f.end() - 1, tension);
  const size_t i = std::min(static_cast<size_t>(at - f.begin()), n - 1) - 1;
  const double slope = table::slope(law, i);
  return slope > 0.0 ? law.strain[i] + (tension - f[i]) / slope : none;
}

}  // namespace

double elastic_tension(const CableLaw& law, double e, double rest_length, double p) {
  if (yields(law)) return yielding_tension(law, e, rest_length, p);
  switch (law.kind) {
    case LawKind::linear:
      return e > 0.0 ? stiffness_at(law, rest_length) * e : 0.0;
    case LawKind::softplus:
      return stiffness_at(law, rest_length) * softplus(e, law.beta);
    case LawKind::spring:
      return stiffness_at(law, rest_length) * e;
    case LawKind::table:
      return std::max(0.0, table::force(law, e / rest_length));
  }
  return none;
}

double elastic_slope(const CableLaw& law, double e, double rest_length, double p) {
  if (yields(law)) return yielding_slope(law, e, rest_length, p);
  switch (law.kind) {
    case LawKind::linear:
      return e > 0.0 ? stiffness_at(law, rest_length) : 0.0;
    case LawKind::softplus:
      return stiffness_at(law, rest_length) * softstep(e, law.beta);
    case LawKind::spring:
      return stiffness_at(law, rest_length);
    case LawKind::table: {
      const double strain = e / rest_length;
      return table::force(law, strain) > 0.0 ? table::slope(law, table::segment_of(law, strain)) / rest_length : 0.0;
    }
  }
  return none;
}

double elastic_energy(const CableLaw& law, double e, double rest_length, double p) {
  if (yields(law)) return yielding_energy(law, e, rest_length, p);
  switch (law.kind) {
    case LawKind::linear:
      return e > 0.0 ? 0.5 * stiffness_at(law, rest_length) * e * e : 0.0;
    case LawKind::softplus: {
      // ∫ s de = (e² + e √(e² + β²) + β² asinh(e/β)) / 4
      const double b = law.beta;
      const double area = 0.25 * (e * (e + std::sqrt(e * e + b * b)) + b * b * std::asinh(e / b));
      return stiffness_at(law, rest_length) * area;
    }
    case LawKind::spring:
      return 0.5 * stiffness_at(law, rest_length) * e * e;
    case LawKind::table:
      return rest_length * table_area(law, e / rest_length);
  }
  return none;
}

double energy_by_rest_length(const CableLaw& law, double e, double rest_length, double p) {
  if (yields(law)) return yielding_energy_by_rest_length(law, e, rest_length, p);
  if (law.kind == LawKind::table) {
    // U = L0 Φ(e/L0), so ∂U/∂L0 = Φ - ε T
    const double strain = e / rest_length;
    return table_area(law, strain) - strain * std::max(0.0, table::force(law, strain));
  }
  return law.by_EA ? -elastic_energy(law, e, rest_length) / rest_length : 0.0;
}

double tension(const CableLaw& law, double e, double e_rate, double rest_length, double p) {
  const double elastic = elastic_tension(law, e, rest_length, p);
  const double least = law.damping_model == DampingModel::vector ? -std::numeric_limits<double>::infinity() : 0.0;
  switch (law.kind) {
    case LawKind::linear: {
      if (!(e > p)) return 0.0;
      const double sum = elastic + law.damping * e_rate;
      return law.clip ? std::max(0.0, sum) : sum;
    }
    case LawKind::softplus:
      return std::max(least, elastic + law.damping * softstep(e, law.beta) * e_rate);
    case LawKind::spring:
      return elastic + law.damping * e_rate;
    case LawKind::table:
      return elastic > 0.0 ? std::max(least, elastic + law.damping * e_rate) : 0.0;
  }
  return none;
}

double rest_length_for_tension(const CableLaw& law, double length, double tension) {
  if (law.yield > 0.0 && std::abs(tension) > law.yield) {
    // On the line of hardening, T = Y + h (k e - Y): the elastic tension k e with the same elongation.
    if (!(law.hardening > 0.0)) return none;
    tension = std::copysign(law.yield + (std::abs(tension) - law.yield) / law.hardening, tension);
  }
  if (law.kind != LawKind::spring && !(tension >= 0.0)) return none;
  double rest_length = none;
  switch (law.kind) {
    case LawKind::linear:
    case LawKind::spring:
      if (tension == 0.0) {
        rest_length = length;
      } else if (law.by_EA) {
        // T = EA (l - L0) / L0
        rest_length = law.stiffness + tension > 0.0 ? law.stiffness * length / (law.stiffness + tension) : none;
      } else {
        rest_length = law.stiffness > 0.0 ? length - tension / law.stiffness : none;
      }
      break;
    case LawKind::softplus: {
      if (!(tension > 0.0 && law.stiffness > 0.0)) return none;
      const double ratio = tension / law.stiffness;
      if (law.by_EA) {
        // s = τ L0 with τ = T/EA and e = s - β²/(4 s): (1 + τ) L0² - l L0 - β²/(4 τ) = 0
        const double root = std::sqrt(length * length + (1.0 + ratio) * law.beta * law.beta / ratio);
        rest_length = 0.5 * (length + root) / (1.0 + ratio);
      } else {
        rest_length = length - (ratio - 0.25 * law.beta * law.beta / ratio);
      }
      break;
    }
    case LawKind::table: {
      const double strain = table_strain(law, tension);
      rest_length = strain > -1.0 ? length / (1.0 + strain) : none;
      break;
    }
  }
  const bool zero_allowed = law.kind == LawKind::spring && !law.by_EA;
  return rest_length > 0.0 || (zero_allowed && rest_length == 0.0) ? rest_length : none;
}

const char* name(LawKind kind) { return enum_name<LawKind::table>(kind, {"linear", "softplus", "spring", "table"}); }

const char* name(DampingModel model) { return enum_name<DampingModel::vector>(model, {"axial", "vector"}); }

}  // namespace taut
