// Errors that reach the user. InputError: the input cannot be used (exit 2), with every problem that was
// found. RunError: a run that began had to stop (exit 1), with the time it had reached.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace taut {

struct Place {
  std::string file;
  int line = 0;  // 1-based; 0 = unknown, then left out of the text
  int column = 0;
};

struct Problem {
  Place place;
  std::string key;      // e.g. "cables[3].stiffness"; may be empty
  std::string message;  // what is wrong, what was expected
};

// "file:line:column: key: message", leaving out what is unknown.
std::string to_string(const Problem& problem);

class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(std::string message);  // a problem with no place in a file
  const std::vector<Problem>& problems() const { return problems_; }

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

}  // namespace taut
