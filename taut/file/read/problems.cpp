#include "taut/file/read/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "taut/base/text/suggest.h"
#include "taut/base/text/text.h"

namespace taut {

namespace {

constexpr size_t most_told = 100;  // one fault in a long file is often a thousand problems

}  // namespace

void Problems::add(Place place, std::string key, std::string message) {
  problems_.push_back({std::move(place), std::move(key), std::move(message)});
}

void Problems::add(const Mark& at, std::string key, std::string message) {
  const bool option = at.source && at.source->kind == Source::Kind::option;
  add(place_of(at), option ? at.source->key : std::move(key), std::move(message));
}

void Problems::add(const InputError& error) {
  problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
}

std::string Problems::did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  budget_ -= static_cast<long>(candidates.size() * (word.size() + 1));
  if (budget_ < 0 || word.size() > 100) return "";
  return suggestion(word, candidates);
}

void Problems::announce_file(const std::string& file) { rank(file); }

int Problems::rank(const std::string& file) {
  return files_.emplace(file, static_cast<int>(files_.size())).first->second;
}

void Problems::throw_if_any() {
  if (problems_.empty()) return;
  std::vector<std::tuple<int, int, int, size_t>> order;
  for (size_t i = 0; i < problems_.size(); ++i) {
    const Place& place = problems_[i].place;
    order.emplace_back(rank(place.file), place.line, place.column, i);
  }
  std::sort(order.begin(), order.end());

  // Members of a group share their keys: the same words at the same place are said once.
  std::vector<Problem> sorted;
  for (const auto& [file, line, column, i] : order) {
    const auto same = [&](const Problem& p) {
      return p.key == problems_[i].key && p.message == problems_[i].message &&
             p.place.file == problems_[i].place.file && p.place.line == line && p.place.column == column;
    };
    bool told = false;
    for (size_t j = sorted.size(); j > 0 && !told && sorted[j - 1].place.line == line && sorted.size() - j < 20; --j) {
      told = same(sorted[j - 1]);
    }
    if (!told) sorted.push_back(problems_[i]);
  }
  if (sorted.size() > most_told) {
    const size_t more = sorted.size() - most_told;
    sorted.resize(most_told);
    sorted.push_back({{}, "", fmt::format("and {}; mend these first", plural(more, "more problem", "more problems"))});
  }
  throw InputError(std::move(sorted));
}

}  // namespace taut
