#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/taut/studies/study.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"

namespace taut::reproduce {
namespace {

// What is wrong with a value; empty: nothing, and it is in `number`.
std::string number_fault(const std::string& text, Check check, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return fmt::format("expected a number, got \"{}\"", text);
  if (check == Check::positive && number <= 0.0) return fmt::format("expected a number above 0, got {}", text);
  if (check == Check::not_negative && number < 0.0) return fmt::format("expected 0 or more, got {}", text);
  return "";
}

// "[1, 2, 3]" into as many numbers as there are; what is wrong, or nothing.
std::string vector_fault(std::string text, std::vector<double>& numbers) {
  const std::string wish = fmt::format("expected a list of {} numbers, [a, b, ...], got \"{}\"", numbers.size(), text);
  std::erase(text, ' ');
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return wish;
  std::size_t at = 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t end = i + 1 < numbers.size() ? text.find(',', at) : text.size() - 1;
    if (end == std::string::npos || !number_fault(text.substr(at, end - at), Check::any, numbers[i]).empty())
      return wish;
    at = end + 1;
  }
  return "";
}

}  // namespace

Settings::Settings(std::string_view study, const std::vector<Setting>& known, const std::vector<std::string>& given) {
  std::vector<std::string_view> keys;
  for (const Setting& setting : known) {
    keys.push_back(setting.key);
    if (!setting.vector.empty())
      vectors_[setting.key] = setting.vector;
    else if (setting.word.empty())
      numbers_[setting.key] = setting.number;
    else
      words_[setting.key] = setting.word;
  }

  std::vector<Problem> problems;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const auto say = [&](const std::string& what) { problems.push_back({{"--set " + text, 0, 0}, "", what}); };
    const auto setting = std::find_if(known.begin(), known.end(), [&](const Setting& s) { return s.key == key; });
    if (setting == known.end()) {
      say(fmt::format("{}: {}", study, unknown_word(key, keys)));
    } else if (equals == std::string::npos) {
      say(fmt::format("expected {}=VALUE", key));
    } else if (const std::string value = text.substr(equals + 1); !setting->vector.empty()) {
      if (const std::string fault = vector_fault(value, vectors_[key]); !fault.empty()) say(fault);
    } else if (setting->word.empty()) {
      if (const std::string fault = number_fault(value, setting->check, numbers_[key]); !fault.empty()) say(fault);
    } else if (std::find(setting->words.begin(), setting->words.end(), value) != setting->words.end()) {
      words_[key] = value;
    } else {
      say(unknown_word(value, setting->words));
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

double Settings::number(std::string_view key) const { return numbers_.find(key)->second; }
const std::vector<double>& Settings::vector(std::string_view key) const { return vectors_.find(key)->second; }
const std::string& Settings::word(std::string_view key) const { return words_.find(key)->second; }

}  // namespace taut::reproduce
