#include "taut/answers/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"

namespace taut {

namespace rules {

NumberRule finite() {
  return {"a finite number", [](double x) { return std::isfinite(x); }};
}

NumberRule positive() {
  return {"a positive number", [](double x) { return std::isfinite(x) && x > 0.0; }};
}

NumberRule not_negative() {
  return {"a number of 0 or above", [](double x) { return std::isfinite(x) && x >= 0.0; }};
}

NumberRule between(double above, double most) {
  return {fmt::format("a number above {:g}, {:g} at most", above, most),
          [=](double x) { return x > above && x <= most; }};
}

NumberRule whole(long least, long most) {
  return {fmt::format("a whole number from {} to {}", least, most), [=](double x) {
            return x >= static_cast<double>(least) && x <= static_cast<double>(most) && x == std::floor(x);
          }};
}

}  // namespace rules

void require(const NumberRule& rule, double value, const std::string& option) {
  if (!rule.holds(value))
    throw InputError({Problem{{}, option, fmt::format("expected {}, not {}", rule.expected, value)}});
}

std::size_t index_of(const Words& words, std::string_view word, const std::string& option) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) throw InputError({Problem{{}, option, unknown_word(word, {words.begin(), words.end()})}});
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace taut
