#include "taut/base/text/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "taut/base/error.h"

namespace taut {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

int edit_distance(std::string_view a, std::string_view b, int limit) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  if (std::abs(n - m) > limit) return limit + 1;

  // Three rows of the usual table: the current one and the two before it (for swaps).
  std::vector<int> before(m + 1), last(m + 1), row(m + 1);
  for (int j = 0; j <= m; ++j) last[j] = j;
  for (int i = 1; i <= n; ++i) {
    row[0] = i;
    int least = i;
    for (int j = 1; j <= m; ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[m];
}

std::string_view nearest_word(std::string_view word, const std::vector<std::string_view>& candidates) {
  int limit = std::max(1, static_cast<int>(word.size()) / 3);
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate, limit);
    // A word of one letter is as near to every other one: those say nothing.
    if (distance > limit || distance >= static_cast<int>(std::max(word.size(), candidate.size()))) continue;
    best = candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view near = nearest_word(word, candidates);
  return near.empty() ? "" : fmt::format(" (did you mean {}?)", in_quotes(near));
}

std::string unknown_word(std::string_view word, const std::vector<std::string_view>& known) {
  return unknown_word(word, known, suggestion(word, known));
}

std::string unknown_word(std::string_view word, const std::vector<std::string_view>& known, const std::string& hint) {
  return fmt::format("{} is not known: expected one of {}{}", in_quotes(word), fmt::join(known, ", "), hint);
}

}  // namespace taut
