// After a step: members keep what they have yielded.
#include "taut/forces/cable_yield.h"

#include <algorithm>
#include <cmath>

#include "taut/model/laws/yielding.h"
#include "taut/solve/first_root.h"

namespace taut {

namespace {

// p after a step of length h that ends with e and its rate, e0 and rate0 at its beginning.
double permanent_after(const CableLaw& law, double rest, double p, double h, double e0, double rate0, double e,
                       double rate) {
  // A turning point inside the step, on the cubic through both ends and their rates: h ė = a x² + 2 b x + c.
  if (h > 0.0 && rate0 * rate < 0.0) {
    const double a = 3.0 * (h * (rate0 + rate) - 2.0 * (e - e0)), b = 3.0 * (e - e0) - h * (2.0 * rate0 + rate),
                 c = h * rate0, root = std::sqrt(std::max(0.0, b * b - a * c)),
                 x = c / (rate0 > 0.0 ? root - b : -root - b);
    if (x > 0.0 && x < 1.0) p = permanent_elongation(law, e0 + x * (c + x * (b + x * a / 3.0)), rest, p);
  }
  return permanent_elongation(law, e, rest, p);
}

// The part of a step after which a member first keeps something, on the same cubic; 1 where only its end does.
double first_yield(const CableLaw& law, double rest, double p, double h, double e0, double rate0, double e,
                   double rate) {
  if (!(h > 0.0)) return 1.0;
  const double a = 3.0 * (h * (rate0 + rate) - 2.0 * (e - e0)), b = 3.0 * (e - e0) - h * (2.0 * rate0 + rate),
               c = h * rate0;
  const auto yielded = [&](double x) {
    return permanent_elongation(law, e0 + x * (c + x * (b + x * a / 3.0)), rest, p) != p;
  };
  return first_holding(0.0, 1.0, 1e-15, yielded);
}

}  // namespace

double Cables::settle_yield(double t, CableTerms& terms, bool& jump) const {
  const double h = t - terms.settled_at;
  double lost = 0.0;
  for (std::size_t i = 0; i < yielding_.size(); ++i) {
    const int s = yielding_[i];
    const CableLaw& law = laws_[s];
    const double rest = terms.rest[s], e = terms.length[s] - rest, rate = terms.rate[s], before = terms.permanent[s];
    const double e0 = terms.settled[2 * i], rate0 = terms.settled[2 * i + 1];
    const double p = permanent_after(law, rest, before, h, e0, rate0, e, rate);
    terms.settled[2 * i] = e;
    terms.settled[2 * i + 1] = rate;
    if (p == before) continue;
    lost += taut::elastic_energy(law, e, rest, before) - taut::elastic_energy(law, e, rest, p);
    const double was = elastic_tension(law, e, rest, before), is = elastic_tension(law, e, rest, p);
    jump |= std::abs(was - is) > 1e-12 * std::abs(was);
    terms.permanent[s] = p;
    const auto place = std::find_if(terms.first_yields.begin(), terms.first_yields.end(),
                                    [s](const FirstYield& first) { return first.slot == s || first.slot < 0; });
    if (place->slot < 0) {
      const double part = first_yield(law, rest, before, h, e0, rate0, e, rate);
      *place = {h > 0.0 ? t - (1.0 - part) * h : t, s};
    }
  }
  terms.settled_at = t;
  return lost;
}

void begin_yield(const Cables& cables, double t, CableTerms& terms) {
  const std::vector<int>& yielding = cables.yielding();
  for (std::size_t i = 0; i < yielding.size(); ++i) {
    const int s = yielding[i];
    terms.settled[2 * i] = terms.length[s] - terms.rest[s];
    terms.settled[2 * i + 1] = terms.rate[s];
  }
  terms.settled_at = t;
}

double yield_error(const Cables& cables, double t, const CableTerms& terms) {
  double largest = 0.0;
  std::size_t i = 0;
  for (int s = 0; s < cables.slots(); ++s) {
    const CableLaw& law = cables.law(s);
    if (!yields(law)) continue;
    const double rest = terms.rest[s], e = terms.length[s] - rest, before = terms.permanent[s];
    const double after = permanent_after(law, rest, before, t - terms.settled_at, terms.settled[2 * i],
                                         terms.settled[2 * i + 1], e, terms.rate[s]);
    ++i;
    if (after == before) continue;
    const double was = elastic_tension(law, e, rest, before), is = elastic_tension(law, e, rest, after);
    largest = std::max(largest, std::abs(was - is) / std::max(std::abs(was), std::abs(is)));
  }
  return largest;
}

}  // namespace taut
