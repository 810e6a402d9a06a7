#include "apps/taut/value_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "taut/answers/rules.h"
#include "taut/base/text/suggest.h"
#include "taut/formulation/formulation.h"

namespace taut {

namespace {

template <class Number>
ValueCheck number_check(NumberRule rule) {
  return [rule = std::move(rule)](const std::string& text) {
    Number value = 0;
    const bool fine = read_number(text, value) && rule.holds(static_cast<double>(value));
    return fine ? std::string() : fmt::format("expected {}, not \"{}\"", rule.expected, text);
  };
}

}  // namespace

ValueCheck finite_number() { return number_check<double>(rules::finite()); }
ValueCheck positive_number() { return number_check<double>(rules::positive()); }
ValueCheck number_not_negative() { return number_check<double>(rules::not_negative()); }
ValueCheck number_between(double above, double most) { return number_check<double>(rules::between(above, most)); }
ValueCheck whole_number(long least, long most) { return number_check<long>(rules::whole(least, most)); }

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
