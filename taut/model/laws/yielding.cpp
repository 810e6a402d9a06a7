#include "taut/model/laws/yielding.h"

#include <algorithm>

#include "taut/model/laws/table_law.h"

namespace taut {

namespace {

// A bilinear member at rest length L0.
struct Bilinear {
  double k, yield, h;
  bool both;  // pushes as well

  Bilinear(const CableLaw& law, double rest_length)
      : k(stiffness_at(law, rest_length)), yield(law.yield), h(law.hardening), both(law.kind == LawKind::spring) {}

  double tension(double e, double p) const {
    const double upper = yield + h * (k * e - yield), lower = both ? -yield + h * (k * e + yield) : 0.0;
    return std::max(lower, std::min(k * (e - p), upper));
  }
  // What the hardening keeps of the work of yielding, ½ H p² with H = h k/(1 - h), and gives back on the way back: a
  // cable never yields backwards, there it is lost.
  double kept(double p) const { return both ? 0.5 * h * k / (1.0 - h) * p * p : 0.0; }
  // Where k (e - p) meets the bound that e is beyond; e itself between them.
  double inside(double e, double p) const {
    const double middle = p / (1.0 - h), reach = yield / k;
    return std::min(std::max(e, both ? middle - reach : p), middle + reach);
  }
};

// A table at strain ε with the permanent strain π: the line k (ε - ε₀ - π) and where it meets F.
struct Unloading {
  const CableLaw& law;
  double k, zero;  // N per strain, and ε₀, where F leaves zero

  explicit Unloading(const CableLaw& of) : law(of) {
    const std::size_t i = table::first_pulling(of);
    k = table::slope(of, i);
    zero = of.strain[i] - of.force[i] / k;
  }
  double line(double strain, double permanent) const { return k * (strain - zero - permanent); }
  double tension(double strain, double permanent) const {
    return std::max(0.0, std::min(line(strain, permanent), table::force(law, strain)));
  }
  // Ψ = ∫ T dε from where the line is zero; no later segment is steeper than the line, so that they meet once.
  double area(double strain, double permanent) const {
    const double from = zero + permanent;
    if (strain <= from) return 0.0;
    double sum = 0.0;
    for (double a = from; a < strain;) {
      const std::size_t i = table::segment_of(law, a);
      const double end = i + 2 < law.strain.size() ? law.strain[i + 1] : strain, b = std::min(end, strain);
      const double fa = law.force[i] + table::slope(law, i) * (a - law.strain[i]),
                   fb = law.force[i] + table::slope(law, i) * (b - law.strain[i]), la = line(a, permanent),
                   lb = line(b, permanent);
      if (la >= fa) {
        sum += 0.5 * (fa + fb) * (b - a);
      } else if (lb <= fb) {
        sum += 0.5 * (la + lb) * (b - a);
      } else {
        const double part = (fa - la) / ((fa - la) + (lb - fb)), middle = la + part * (lb - la);
        sum += 0.5 * (b - a) * (part * (la + middle) + (1.0 - part) * (middle + fb));
      }
      if (b == strain) break;
      a = b;
    }
    return sum;
  }
  // ∂Ψ/∂π = -k times how far the line goes before it meets F, or ends at ε: -(T there).
  double area_by_permanent(double strain, double permanent) const {
    double low = zero + permanent, high = strain;
    if (high <= low) return 0.0;
    if (line(high, permanent) <= table::force(law, high)) return -line(high, permanent);
    for (int i = 0; i < 100 && low < high; ++i) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) break;
      (line(middle, permanent) <= table::force(law, middle) ? low : high) = middle;
    }
    return -line(low, permanent);
  }
};

}  // namespace

double yielding_tension(const CableLaw& law, double e, double rest_length, double p) {
  if (law.kind == LawKind::table) return Unloading(law).tension(e / rest_length, p / rest_length);
  return Bilinear(law, rest_length).tension(e, p);
}

double yielding_slope(const CableLaw& law, double e, double rest_length, double p) {
  if (law.kind == LawKind::table) {
    const Unloading u(law);
    const double strain = e / rest_length, line = u.line(strain, p / rest_length);
    if (line <= 0.0) return 0.0;
    const bool unloading = line < table::force(law, strain);
    return (unloading ? u.k : table::slope(law, table::segment_of(law, strain))) / rest_length;
  }
  const Bilinear b(law, rest_length);
  if (!b.both && e <= p) return 0.0;
  return b.inside(e, p) == e ? b.k : b.h * b.k;
}

double yielding_energy(const CableLaw& law, double e, double rest_length, double p) {
  if (law.kind == LawKind::table) return rest_length * Unloading(law).area(e / rest_length, p / rest_length);
  const Bilinear b(law, rest_length);
  if (!b.both && e <= p) return 0.0;
  const double inside = b.inside(e, p);
  return 0.5 * b.k * (inside - p) * (inside - p) + 0.5 * (b.tension(inside, p) + b.tension(e, p)) * (e - inside) +
         b.kept(p);
}

double yielding_energy_by_rest_length(const CableLaw& law, double e, double rest_length, double p) {
  if (law.kind == LawKind::table) {
    // U = L0 Ψ(e/L0, p/L0)
    const Unloading u(law);
    const double strain = e / rest_length, permanent = p / rest_length;
    return u.area(strain, permanent) - strain * u.tension(strain, permanent) -
           permanent * u.area_by_permanent(strain, permanent);
  }
  const Bilinear b(law, rest_length);
  if (!law.by_EA || (!b.both && e <= p)) return 0.0;
  // ∂U/∂k ∂k/∂L0
  const double inside = b.inside(e, p);
  return -b.k / rest_length * (0.5 * (inside - p) * (inside - p) + 0.5 * b.h * (e * e - inside * inside)) -
         b.kept(p) / rest_length;
}

double permanent_elongation(const CableLaw& law, double e, double rest_length, double p) {
  if (law.kind == LawKind::table) {
    const Unloading u(law);
    const double strain = e / rest_length, force = table::force(law, strain);
    return u.line(strain, p / rest_length) > force && force > 0.0 ? e - rest_length * (u.zero + force / u.k) : p;
  }
  const Bilinear b(law, rest_length);
  if (!b.both && e <= p) return p;
  return b.inside(e, p) == e ? p : e - b.tension(e, p) / b.k;
}

double unloading_tension(const CableLaw& law, double e, double rest_length, double p) {
  if (law.kind == LawKind::table) return Unloading(law).line(e / rest_length, p / rest_length);
  return stiffness_at(law, rest_length) * (e - p);
}

}  // namespace taut
