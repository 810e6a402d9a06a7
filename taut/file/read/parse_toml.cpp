#include "taut/file/read/parse_toml.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "taut/base/error.h"
#include "taut/base/inputs.h"

namespace taut {

struct TomlAssertion {};

[[noreturn]] static void throw_toml_assertion() { throw TomlAssertion{}; }

}  // namespace taut

// toml++, here and nowhere else. Two settings matter. Numbers go through std::from_chars: exact, and half of the parse
// time. And the parser's own assertions, which some malformed texts do reach ("[[[", "a=[}"), throw TomlAssertion
// instead of being an abort in debug builds and undefined behaviour in release builds.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_FLOAT_CHARCONV 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expression)                        \
  do {                                                 \
    if (!(expression)) ::taut::throw_toml_assertion(); \
  } while (false)
#define TOML_ASSERT_ASSUME(expression) TOML_ASSERT(expression)
#include <toml++/toml.h>

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

Mark mark(const toml::source_region& region, const Source& source) {
  return {&source, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Value to_value(const toml::node& node, const Source& source);

// toml++ sorts a table by its keys; ours has the order of the file.
Table to_table(const toml::table& from, const Source& source) {
  Table table{{}, from.is_inline(), mark(from.source(), source)};
  table.items.reserve(from.size());
  for (const auto& [key, value] : from)
    table.items.push_back({std::string(key.str()), to_value(value, source), mark(key.source(), source)});
  const auto place = [](const Item& item) { return std::pair(item.at.line, item.at.column); };
  std::stable_sort(table.items.begin(), table.items.end(),
                   [&](const Item& a, const Item& b) { return place(a) < place(b); });
  return table;
}

Value to_value(const toml::node& node, const Source& source) {
  Value value{{}, mark(node.source(), source)};
  switch (node.type()) {
    case toml::node_type::table:
      value.data = to_table(*node.as_table(), source);
      break;
    case toml::node_type::array: {
      List list;
      list.reserve(node.as_array()->size());
      for (const toml::node& element : *node.as_array()) list.push_back(to_value(element, source));
      value.data = std::move(list);
      break;
    }
    case toml::node_type::string:
      value.data = node.as_string()->get();
      break;
    case toml::node_type::integer:
      value.data = node.as_integer()->get();
      break;
    case toml::node_type::floating_point:
      value.data = node.as_floating_point()->get();
      break;
    case toml::node_type::boolean:
      value.data = node.as_boolean()->get();
      break;
    case toml::node_type::date:
      value.data = Moment::date;
      break;
    case toml::node_type::time:
      value.data = Moment::time;
      break;
    case toml::node_type::date_time:
    case toml::node_type::none:
      value.data = Moment::date_time;
      break;
  }
  return value;
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

// A pipe is opened at once and read when its writer has come: at the latest after five seconds, or it has none. A
// writer that is there may take its time. The first byte, where it came just then.
std::string wait_for_writer(int descriptor, const std::string& file) {
  std::string first;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode)) {
    constexpr int patience_ms = 5000;
    pollfd pipe{descriptor, POLLIN, 0};
    char byte = 0;
    if (::poll(&pipe, 1, patience_ms) == 0) {
      // End of file: no writer. An error, "try again": one that is not ready yet.
      const ssize_t count = ::read(descriptor, &byte, 1);
      if (count == 0) refuse(file, 0, 0, "is a pipe that nobody writes to: expected a file");
      if (count == 1) first = byte;
    }
  }
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return first;
}

}  // namespace

std::string read_text_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) refuse(file, 0, 0, "is a folder: expected a file");
  const Descriptor stream{::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (stream.number < 0) refuse(file, 0, 0, fmt::format("cannot be opened: {}", std::strerror(errno)));
  note_input(file);

  // In pieces, so that a device or pipe without end is noticed too.
  std::string text = wait_for_writer(stream.number, file);
  std::vector<char> piece(size_t{1} << 20);
  for (;;) {
    const ssize_t count = ::read(stream.number, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(file, 0, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (count == 0) return text;
    text.append(piece.data(), static_cast<size_t>(count));
    if (text.size() > largest_file) refuse(file, 0, 0, fmt::format("is larger than {} MB", largest_file >> 20));
  }
}

Table parse_toml(std::string_view text, const Source& source) {
  const std::string& file = *source.name;
  refuse_hostile_text(text, file);
  try {
    return to_table(toml::parse(text, std::string_view{}), source);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    refuse(file, static_cast<int>(at.line), static_cast<int>(at.column), shortened(error.description()));
  } catch (const TomlAssertion&) {
    const auto [line, column] = place_of_byte(text, breaking_byte(text));
    refuse(file, line, column, "Error while parsing: a character that cannot stand here");
  }
}

}  // namespace taut
