// Numbers as text that brings them back, and words for people: counts and lists of names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taut {

// The shortest text that reads back to the same number: "2", "0.1", "1e+300", "nan", "-inf".
std::string shortest_number(double value);
// 17 significant digits, as printf's %.17g: they bring back the same number.
std::string exact_number(double value);
void append_exact(std::string& text, double value);

// "1 cable", "3 cables".
std::string plural(long n, std::string_view one, std::string_view many);
inline std::string plural(std::size_t n, std::string_view one, std::string_view many) {
  return plural(static_cast<long>(n), one, many);
}
inline std::string plural(int n, std::string_view one, std::string_view many) {
  return plural(static_cast<long>(n), one, many);
}

// "a, b, c", or "a, b and 7 more" where there are more than `most`. `last` stands before the last of all names.
std::string listed(const std::vector<std::string>& names, std::size_t most, std::string_view last = ", ");

}  // namespace taut
