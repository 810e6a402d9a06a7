#include "taut/base/error.h"

#include <fmt/format.h>

namespace taut {

namespace {

constexpr size_t longest_key = 300, longest_message = 2000;  // bytes: more than a screen of text tells nobody anything

// Cut between characters.
std::string shortened(std::string text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text + "...";
}

std::vector<Problem> shortened(std::vector<Problem> problems) {
  for (Problem& p : problems) {
    p.key = shortened(std::move(p.key), longest_key);
    p.message = shortened(std::move(p.message), longest_message);
  }
  return problems;
}

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

Problem problem_with(std::string_view kind, std::string_view name, const EntityPlace& place, std::string message) {
  std::string title = fmt::format("{} \"{}\"", kind, name);
  if (!place.known()) return {{}, std::move(title), std::move(message)};
  return {place.where(), place.key(name), fmt::format("{}: {}", title, message)};
}

InputError::InputError(const InputError&) = default;
InputError::~InputError() = default;

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems = shortened(std::move(problems)))), problems_(std::move(problems)) {}

InputError::InputError(std::string message) : InputError(std::vector<Problem>{{{}, {}, std::move(message)}}) {}

InputError::InputError(const EntityPlace& place, std::string_view name, std::string message)
    : InputError(std::vector<Problem>{{place.where(), place.key(name), std::move(message)}}) {}

std::vector<KeyPlace> InputError::places() const {
  std::vector<KeyPlace> list;
  for (const Problem& problem : problems_) list.push_back({problem.place, problem.key});
  return list;
}

std::string in_quotes(std::string_view text) {
  constexpr size_t longest = 60;
  std::string result = "\"";
  for (const char c : text) {
    if (result.size() > longest && (static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      result += "...";
      break;
    }
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace taut
