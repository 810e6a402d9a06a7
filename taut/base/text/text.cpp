#include "taut/base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace taut {

namespace {

constexpr std::size_t longest_number = 32;  // characters; the longest has 24: -2.2250738585072014e-308

}  // namespace

std::string shortest_number(double value) {
  char digits[longest_number];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string exact_number(double value) {
  std::string text;
  append_exact(text, value);
  return text;
}

void append_exact(std::string& text, double value) {
  char digits[longest_number];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 17).ptr);
}

std::string plural(long n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string listed(const std::vector<std::string>& names, std::size_t most, std::string_view last) {
  const std::size_t count = names.size(), shown = std::min(count, most);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == count ? last : ", ";
    text += names[i];
  }
  return shown < count ? text + fmt::format(" and {} more", count - shown) : text;
}

}  // namespace taut
