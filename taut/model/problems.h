// Collects everything that is wrong with an input, to be thrown at once in the order of the files' lines.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taut/base/error.h"
#include "taut/model/toml.h"

namespace taut {

class Problems {
 public:
  // `at` also settles what the place is called: text from --set and from a generator has no line of its own.
  void add(const toml::source_region& at, std::string key, std::string message);
  void add(Place place, std::string key, std::string message);
  void add(const InputError& error);

  Place place_of(const toml::source_region& at) const;

  // " (did you mean "x"?)", or nothing. Long lists are searched only while a budget of work lasts.
  std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

  // Problems come in the order in which files are announced; others follow.
  void announce_file(const std::string& file);
  // A source that is a --set text: its problems are named by its own key path.
  void announce_override(const std::string& source, const std::string& key);
  // Where problems with generated members are shown: the place of `[generate]`.
  void set_generated(Place place) { generated_ = std::move(place); }
  const Place& generated() const { return generated_; }

  bool empty() const { return problems_.empty(); }
  size_t size() const { return problems_.size(); }
  void throw_if_any();

 private:
  int rank(const std::string& file);

  std::vector<Problem> problems_;
  std::unordered_map<std::string, int> files_;
  std::unordered_map<std::string, std::string> overrides_;
  Place generated_;
  long budget_ = 20'000'000;  // characters compared, a fraction of a second
};

// What sources of override texts start with, and the source name of generated text.
inline constexpr const char* override_prefix = "--set ";
inline constexpr const char* generated_source = "[generate]";

// A text in quotes for a message, shortened and with control characters escaped.
std::string in_quotes(std::string_view text);

}  // namespace taut
