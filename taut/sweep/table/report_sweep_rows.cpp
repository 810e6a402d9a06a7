#include "taut/sweep/table/report_sweep_rows.h"

#include <algorithm>
#include <iterator>

#include "taut/sweep/expression/lexer.h"
#include "taut/sweep/table/report_sweep.h"

namespace taut {
namespace {

constexpr std::size_t longest_reason = 400;  // bytes

// Numbers that look random, from numbers in sequence (splitmix64, Steele et al. 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

bool drawn_before(const KeptRow& a, const KeptRow& b) { return a.draw < b.draw; }

// The `count` rows with the least draws, out of a heap.
void move_least(std::vector<KeptRow> from, std::size_t count, std::vector<KeptRow>& to) {
  std::sort_heap(from.begin(), from.end(), drawn_before);
  const auto end = from.begin() + static_cast<std::ptrdiff_t>(std::min(count, from.size()));
  std::move(from.begin(), end, std::back_inserter(to));
}

// The text with each number (digits, points, exponents) replaced by one sign.
std::string without_numbers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      out += text[i++];
      continue;
    }
    while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
    // An exponent belongs to it.
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
      std::size_t j = i + 1;
      if (j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
      const std::size_t first = j;
      while (j < text.size() && is_digit(text[j])) ++j;
      if (j > first) i = j;
    }
    if (!out.empty() && out.back() == '-') out.pop_back();
    out += '\1';
  }
  return out;
}

}  // namespace

void RowSample::take(long run, const std::vector<double>& values, int status, const std::string& reason) {
  const std::uint64_t draw = mixed(static_cast<std::uint64_t>(run));
  std::vector<KeptRow>& heap = status == sweep_failed || status == sweep_refused ? bad_ : good_;
  if (heap.size() == most_) {
    if (draw >= heap.front().draw) return;
    std::pop_heap(heap.begin(), heap.end(), drawn_before);
    heap.pop_back();
  }
  heap.push_back({draw, run, status, values, clipped(reason, longest_reason)});
  std::push_heap(heap.begin(), heap.end(), drawn_before);
}

std::vector<KeptRow> RowSample::rows() const {
  std::size_t bad = bad_.size();
  if (good_.size() + bad > most_) bad = std::min(bad, std::max(most_ / 10, most_ - good_.size()));
  std::vector<KeptRow> out;
  move_least(bad_, bad, out);
  move_least(good_, most_ - bad, out);
  std::sort(out.begin(), out.end(), [](const KeptRow& a, const KeptRow& b) { return a.run < b.run; });
  return out;
}

void ReasonList::take(long run, int status, const std::string& reason) {
  const std::string text = clipped(reason, longest_reason);
  const std::string key = static_cast<char>('0' + status) + without_numbers(text);
  auto place = groups_.find(key);
  if (place == groups_.end()) {
    if (groups_.size() == most) {
      ++others_;
      return;
    }
    place = groups_.emplace(key, ReasonGroup{text, status, 0, run, false}).first;
  }
  ReasonGroup& group = place->second;
  ++group.count;
  if (group.text != text) group.alike = true;
}

std::vector<ReasonGroup> ReasonList::groups() const {
  std::vector<ReasonGroup> out;
  for (const auto& [key, group] : groups_) out.push_back(group);
  std::stable_sort(out.begin(), out.end(), [](const ReasonGroup& a, const ReasonGroup& b) {
    return a.count != b.count ? a.count > b.count : a.run < b.run;
  });
  return out;
}

std::string clipped(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace taut
