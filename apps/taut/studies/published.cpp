#include "apps/taut/studies/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace taut::reproduce {
namespace {

// Characters, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Components first to last, each as text, with spaces between.
std::string joined(std::size_t first, std::size_t last, const std::function<std::string(std::size_t)>& text) {
  std::string all;
  for (std::size_t i = first; i < last; ++i) all += (i > first ? " " : "") + text(i);
  return all;
}

// Components of a list that share a row.
constexpr std::size_t most_in_a_row = 4;

// Digits that every build of the program agrees on. What rounding leaves of an error is "< 1e-12", of a number "0".
std::string computed_text(double value, const Digits& digits, bool error) {
  if (std::abs(value) < digits.rounding) return error ? fmt::format("< {:.0e}", digits.rounding) : "0";
  if (std::abs(value) > digits.grown) return fmt::format("> {:g}", digits.grown);
  return std::abs(value) >= 1e-4 ? fmt::format("{:.5g}", value) : fmt::format("{:.1e}", value);
}

}  // namespace

std::string short_text(double value) {
  return value == 0.0 || std::abs(value) >= 1e-4 ? fmt::format("{:.7g}", value) : fmt::format("{:.2e}", value);
}

std::vector<PublishedRow> published_rows(const Study& study, const Findings& findings) {
  std::vector<PublishedRow> rows;
  for (const Number& number : findings.numbers) {
    if (number.published.empty() && number.words.empty()) continue;
    const std::size_t count = std::max({number.value.size(), number.published.size(), std::size_t{1}});
    const std::size_t together = count <= most_in_a_row ? count : 1;
    const std::string unit = number.unit == "1" ? "" : ", " + number.unit;
    const bool has_value = !number.value.empty(), has_published = !number.published.empty();
    const bool error = !has_published || number.words == at_most;
    for (std::size_t i = 0; i < count; i += together) {
      const auto printed = [&](std::size_t k) { return fmt::format("{:.6g}", number.published[k]); };
      const auto computed = [&](std::size_t k) { return computed_text(number.value[k], number.digits, error); };
      const auto ratio = [&](std::size_t k) {
        return number.published[k] == 0.0 ? "-" : fmt::format("{:.4g}", number.value[k] / number.published[k]);
      };
      const std::string what = number.quantity.empty() ? number.name : number.quantity;
      const std::string before = number.words.empty() || !has_published ? number.words : number.words + " ";
      rows.push_back({study.paper, count == together ? what + unit : fmt::format("{} {}{}", what, i + 1, unit),
                      has_published ? before + joined(i, i + together, printed) : before,
                      has_value ? joined(i, i + together, computed) : "none",
                      has_value && !error ? joined(i, i + together, ratio) : "-", number.gap});
    }
  }
  return rows;
}

std::string published_table(const std::vector<PublishedRow>& rows) {
  std::vector<PublishedRow> all = {{"paper", "quantity", "published", "computed", "ratio", "what filled the gap"}};
  all.insert(all.end(), rows.begin(), rows.end());
  std::vector<std::size_t> width(all.front().size(), 3);
  for (const PublishedRow& row : all)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], width_of(row[i]));
  std::string text;
  for (std::size_t r = 0; r < all.size(); ++r) {
    text += "|";
    for (std::size_t i = 0; i < width.size(); ++i)
      text += " " + all[r][i] + std::string(width[i] - width_of(all[r][i]), ' ') + " |";
    text += "\n";
    if (r > 0) continue;
    text += "|";
    for (const std::size_t columns : width) text += std::string(columns + 2, '-') + "|";
    text += "\n";
  }
  return text;
}

}  // namespace taut::reproduce
