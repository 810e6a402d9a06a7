#include "taut/base/error.h"

#include <fmt/format.h>

namespace taut {

namespace {

std::string join(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& p : problems) {
    if (!text.empty()) text += '\n';
    text += to_string(p);
  }
  return text;
}

}  // namespace

std::string to_string(const Problem& problem) {
  std::string text = problem.place.file;
  if (problem.place.line > 0) text += fmt::format(":{}:{}", problem.place.line, problem.place.column);
  if (!text.empty()) text += ": ";
  if (!problem.key.empty()) text += problem.key + ": ";
  return text + problem.message;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems)) {}

InputError::InputError(std::string message) : InputError(std::vector<Problem>{{{}, {}, std::move(message)}}) {}

}  // namespace taut
