// Errors that reach the user. InputError: the input cannot be used (exit 2), with every problem that was
// found. RunError: a run that began had to stop (exit 1), with the time it had reached.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "taut/base/place.h"

namespace taut {

struct Problem {
  Place place;
  std::string key;      // e.g. "cables[3].stiffness"; may be empty
  std::string message;  // what is wrong, what was expected
};

// "file:line:column: key: message", leaving out what is unknown.
std::string to_string(const Problem& problem);

// A problem with an entity, found after reading: at its place in the file; else under its kind and name, as in
// `joint "hinge"`.
Problem problem_with(std::string_view kind, std::string_view name, const EntityPlace& place, std::string message);

// A place with the key that stands there.
struct KeyPlace : Place {
  std::string key;
};

class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(std::string message);  // a problem with no place in a file
  // A problem with the entity of that name, which the message names too.
  InputError(const EntityPlace& place, std::string_view name, std::string message);
  InputError(const InputError&);
  ~InputError() override;
  const std::vector<Problem>& problems() const { return problems_; }
  std::vector<KeyPlace> places() const;  // of the problems

 private:
  std::vector<Problem> problems_;
};

class RunError : public std::runtime_error {
 public:
  RunError(double time, const std::string& message) : std::runtime_error(message), time_(time) {}
  double time() const { return time_; }

 private:
  double time_;
};

// A text in quotes for a message, shortened and with control characters escaped.
std::string in_quotes(std::string_view text);

}  // namespace taut
