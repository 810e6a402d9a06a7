#include "taut/model/parse_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "taut/base/error.h"

namespace taut {

namespace {

[[noreturn]] void refuse(const std::string& file, int line, int column, std::string message) {
  throw InputError(std::vector<Problem>{{{file, line, column}, "", std::move(message)}});
}

// Line and column of a byte; columns count characters, as toml++ does.
std::pair<int, int> place_of_byte(std::string_view text, size_t byte) {
  int line = 1, column = 1;
  for (const char c : text.substr(0, byte)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++column;
    }
  }
  return {line, column};
}

// The end of the string that starts at `i`: just past its closing quote, or the end of the text or line.
size_t skip_string(std::string_view text, size_t i) {
  const char quote = text[i];
  const bool escapes = quote == '"';
  const std::string_view triple = escapes ? "\"\"\"" : "'''";
  const bool multiline = text.substr(i, 3) == triple;
  i += multiline ? 3 : 1;
  for (; i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (multiline) {
      if (text.substr(i, 3) != triple) continue;
      // Up to two quotes may stand before the three that close it.
      for (i += 3; i < text.size() && text[i] == quote;) ++i;
      return i;
    } else if (text[i] == quote || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

// Refuses zero bytes, and nesting (brackets and dotted keys together) that would exhaust the parser's stack.
void refuse_hostile_text(std::string_view text, const std::string& file) {
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) {
    const auto [line, column] = place_of_byte(text, zero);
    refuse(file, line, column, "holds a zero byte: expected a text file");
  }
  std::vector<int> open;  // for each open bracket, the dots on the way to it
  int dots = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '#':
        i = std::min(text.find('\n', i), text.size()) - 1;
        break;
      case '"':
      case '\'':
        i = skip_string(text, i) - 1;
        break;
      case '[':
      case '{':
        open.push_back(dots);
        break;
      case ']':
      case '}':
        if (!open.empty()) {
          dots = open.back();
          open.pop_back();
        }
        break;
      case ',':
      case '\n':
        dots = open.empty() ? 0 : open.back();
        break;
      case '.':
        ++dots;
        break;
      default:
        continue;
    }
    if (dots + static_cast<int>(open.size()) > deepest_nesting) {
      const auto [line, column] = place_of_byte(text, i);
      refuse(file, line, column, fmt::format("is nested more than {} levels deep", deepest_nesting));
    }
  }
}

bool breaks_parser(std::string_view text) {
  try {
    const toml::table tree = toml::parse(text, std::string_view{});
    return false;
  } catch (const TomlAssertion&) {
    return true;
  } catch (const toml::parse_error&) {
    return false;
  }
}

// Where an assertion of the parser was hit: the end of the shortest beginning of the text that hits it.
size_t breaking_byte(std::string_view text) {
  size_t good = 0, bad = 1;
  while (bad < text.size() && !breaks_parser(text.substr(0, bad))) {
    good = bad;
    bad = std::min(2 * bad, text.size());
  }
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    (breaks_parser(text.substr(0, middle)) ? bad : good) = middle;
  }
  return bad - 1;
}

// toml++ quotes what it saw, which may be a whole line: keep the beginning, cut between characters.
std::string shortened(std::string_view text) {
  constexpr size_t longest = 300;
  if (text.size() <= longest) return std::string(text);
  size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

std::string read_text_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) refuse(file, 0, 0, "is a folder: expected a file");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, 0, 0, fmt::format("cannot be opened: {}", std::strerror(errno)));

  // In pieces, so that a device or pipe without end is noticed too.
  std::string text;
  std::vector<char> piece(size_t{1} << 20);
  while (stream) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece.data(), static_cast<size_t>(stream.gcount()));
    if (text.size() > largest_file) refuse(file, 0, 0, fmt::format("is larger than {} MB", largest_file >> 20));
  }
  if (stream.bad()) refuse(file, 0, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  return text;
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  refuse_hostile_text(text, file);
  try {
    return toml::parse(text, std::string_view(file));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    refuse(file, static_cast<int>(at.line), static_cast<int>(at.column), shortened(error.description()));
  } catch (const TomlAssertion&) {
    const auto [line, column] = place_of_byte(text, breaking_byte(text));
    refuse(file, line, column, "Error while parsing: a character that cannot stand here");
  }
}

}  // namespace taut
