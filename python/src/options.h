// Keyword arguments of one call, as a dict without those that are None: each is read as what it must be. Texts and lists
// of texts are taken as the command line has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "python/src/bindings.h"
#include "taut/answers/form/form.h"
#include "taut/base/error.h"

namespace taut::python {

class Options {
 public:
  explicit Options(py::dict given) : given_(std::move(given)) {}

  bool has(const char* name) const { return given_.contains(name); }
  std::vector<std::string> names() const;  // as options of the command line, "--min-tension"

  // Nothing where it is not given. Each throws TypeError that names the argument, for what is of another kind.
  std::optional<double> number(const char* name) const;
  std::optional<long> whole(const char* name) const;
  std::optional<std::string> word(const char* name) const;
  bool flag(const char* name) const;                              // false where it is not given
  std::vector<double> numbers(const char* name) const;            // one, or a sequence
  std::vector<std::string> words(const char* name) const;         // one, or a sequence
  std::vector<std::string> members(const char* name) const;       // likewise; a sequence of names within is one entry
  std::vector<MembersNumber> by_members(const char* name) const;  // a dict; throws InputError for what is not finite

 private:
  py::handle entry(const char* name) const { return given_[name]; }

  py::dict given_;
};

// What the library says of options of the command line, in words of Python: "--min-tension" is min_tension.
std::string python_words(const std::string& text);
InputError in_python(const InputError& error);

}  // namespace taut::python
