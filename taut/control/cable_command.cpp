#include "taut/control/cable_command.h"

#include <fmt/format.h>

#include <cmath>

namespace taut {

namespace {

constexpr double shortest = 1e-6;  // of rest lengths, in lengths
constexpr double longest = 1e6;
constexpr double barely = 1e-12;  // a strain at which a cable is taut, and elastic forces are nothing
constexpr double away = 1e3;      // in β: where a softplus cable counts as slack

double tension_at(const CableLaw& law, double length, double rate, double rest) {
  return tension(law, length - rest, rate, rest);
}

double damped_softplus(const CableLaw& law, double length, double rate, double wanted) {
  // T falls from `low` to `high`, which are rest lengths.
  double low = shortest * length, high = length + law.beta;
  if (!(tension_at(law, length, rate, low) >= wanted)) return NAN;
  for (int i = 0; tension_at(law, length, rate, high) > wanted; ++i) {
    if (i == 60) return NAN;
    high = length + 2.0 * (high - length);
  }
  while (true) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) return middle;
    (tension_at(law, length, rate, middle) > wanted ? low : high) = middle;
  }
}

}  // namespace

bool can_be_rest_length(const CableLaw& law, double rest_length) {
  return rest_length > 0.0 || (rest_length == 0.0 && law.kind == LawKind::spring && !law.by_EA);
}

double rest_length_for_tension(const CableLaw& law, double length, double rate, double wanted) {
  const double damping = law.damping * rate;
  switch (law.kind) {
    case LawKind::linear:
    case LawKind::table:
      if (wanted == 0.0) return rest_length_for_tension(law, length, 0.0);
      if (!(wanted > 0.0) || !(wanted > damping)) return NAN;
      return rest_length_for_tension(law, length, wanted - damping);
    case LawKind::spring:
      return rest_length_for_tension(law, length, wanted - damping);
    case LawKind::softplus:
      if (!(wanted > 0.0)) return NAN;
      return damping == 0.0 ? rest_length_for_tension(law, length, wanted) : damped_softplus(law, length, rate, wanted);
  }
  return NAN;
}

std::string why_no_rest_length(const CableLaw& law, double length, double rate, double wanted) {
  if (!std::isfinite(rest_length_for_tension(law, length, rate, wanted))) {
    const bool pulls = law.kind != LawKind::spring;
    if (!std::isfinite(wanted + length + rate)) return "its length or tension is not finite";
    if (pulls && wanted < 0.0) return "a cable cannot push";
    if (pulls && law.kind != LawKind::softplus && wanted <= law.damping * rate)
      return fmt::format("damping alone makes {:.6g} N while it lengthens at {:.6g} m/s", law.damping * rate, rate);
    if (law.kind == LawKind::softplus && wanted <= 0.0) return "a softplus cable is never without tension";
    return fmt::format("at a length of {:.6g} m it cannot carry {:.6g} N, however short its rest length", length,
                       wanted);
  }
  return "";
}

Bounds tension_range(const CableLaw& law, double length, double rate) {
  const auto at = [&](double rest) { return tension_at(law, length, rate, rest); };
  Bounds range;
  switch (law.kind) {
    case LawKind::spring:
      return {at(longest * length), law.by_EA ? at(shortest * length) : at(0.0)};
    case LawKind::softplus:
      return {at(length + away * law.beta), at(shortest * length)};
    case LawKind::linear:
    case LawKind::table: {
      range = {0.0, at(shortest * length)};
      const double slack = rest_length_for_tension(law, length, 0.0);
      if (law.damping * rate > 0.0 && slack > 0.0) range.least = at(slack * (1.0 - barely));
    }
  }
  range.most = std::max(range.most, 0.0);
  return range;
}

}  // namespace taut
