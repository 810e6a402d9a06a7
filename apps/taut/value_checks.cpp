#include "apps/taut/value_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/text/suggest.h"
#include "taut/formulation/formulation.h"

namespace taut {

namespace {

// A check for numbers of which `good` holds; `expected` ends the sentence "expected ...".
template <class Number, class Good>
ValueCheck number_check(std::string expected, Good good) {
  return [expected = std::move(expected), good](const std::string& text) {
    Number value = 0;
    const bool fine = read_number(text, value) && good(value);
    return fine ? std::string() : fmt::format("expected {}, not \"{}\"", expected, text);
  };
}

}  // namespace

ValueCheck finite_number() {
  return number_check<double>("a finite number", [](double x) { return std::isfinite(x); });
}

ValueCheck positive_number() {
  return number_check<double>("a positive number", [](double x) { return std::isfinite(x) && x > 0.0; });
}

ValueCheck number_not_negative() {
  return number_check<double>("a number of 0 or above", [](double x) { return std::isfinite(x) && x >= 0.0; });
}

ValueCheck number_between(double above, double most) {
  return number_check<double>(fmt::format("a number above {:g}, {:g} at most", above, most),
                              [=](double x) { return x > above && x <= most; });
}

ValueCheck whole_number(long least, long most) {
  return number_check<long>(fmt::format("a whole number from {} to {}", least, most),
                            [=](long x) { return x >= least && x <= most; });
}

ValueCheck one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    return unknown_word(text, {words.begin(), words.end()});
  };
}

ValueCheck a_formulation() {
  const auto& names = formulation_names();
  return one_of({names.begin(), names.end()});
}

}  // namespace taut
