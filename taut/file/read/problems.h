// Collects everything that is wrong with an input, to be thrown at once in the order of the files' lines.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taut/base/error.h"
#include "taut/file/value.h"

namespace taut {

class Problems {
 public:
  // A problem with an option is named by the option's own key.
  void add(const Mark& at, std::string key, std::string message);
  void add(Place place, std::string key, std::string message);
  void add(const InputError& error);

  // " (did you mean "x"?)", or nothing. Long lists are searched only while a budget of work lasts.
  std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

  // Problems come in the order in which files are announced; others follow.
  void announce_file(const std::string& file);

  bool empty() const { return problems_.empty(); }
  size_t size() const { return problems_.size(); }
  void throw_if_any();

 private:
  int rank(const std::string& file);

  std::vector<Problem> problems_;
  std::unordered_map<std::string, int> files_;
  long budget_ = 20'000'000;  // characters compared, a fraction of a second
};

}  // namespace taut
