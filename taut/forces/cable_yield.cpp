// After a step: members keep what they have yielded.
#include <algorithm>
#include <cmath>

#include "taut/forces/cables.h"
#include "taut/model/yielding.h"

namespace taut {

double Cables::settle_yield(double t, CableTerms& terms, bool& jump) const {
  const double h = t - terms.settled_at;
  double lost = 0.0;
  for (std::size_t i = 0; i < yielding_.size(); ++i) {
    const int s = yielding_[i];
    const CableLaw& law = laws_[s];
    const double rest = terms.rest[s], e = terms.length[s] - rest, rate = terms.rate[s], before = terms.permanent[s];
    double p = before;
    // A turning point inside the step, on the cubic through both ends and their rates: h ė = a x² + 2 b x + c.
    const double e0 = terms.settled[2 * i], rate0 = terms.settled[2 * i + 1];
    if (h > 0.0 && rate0 * rate < 0.0) {
      const double a = 3.0 * (h * (rate0 + rate) - 2.0 * (e - e0)), b = 3.0 * (e - e0) - h * (2.0 * rate0 + rate),
                   c = h * rate0, root = std::sqrt(std::max(0.0, b * b - a * c)),
                   x = c / (rate0 > 0.0 ? root - b : -root - b);
      if (x > 0.0 && x < 1.0) p = permanent_elongation(law, e0 + x * (c + x * (b + x * a / 3.0)), rest, p);
    }
    p = permanent_elongation(law, e, rest, p);
    terms.settled[2 * i] = e;
    terms.settled[2 * i + 1] = rate;
    if (p == before) continue;
    lost += taut::elastic_energy(law, e, rest, before) - taut::elastic_energy(law, e, rest, p);
    const double was = elastic_tension(law, e, rest, before), is = elastic_tension(law, e, rest, p);
    jump |= std::abs(was - is) > 1e-12 * std::abs(was);
    terms.permanent[s] = p;
    const auto known = [s](const std::pair<double, int>& event) { return event.second == s; };
    if (std::none_of(terms.yielded.begin(), terms.yielded.end(), known)) terms.yielded.emplace_back(t, s);
  }
  terms.settled_at = t;
  return lost;
}

}  // namespace taut
