#include "taut/file/override.h"

#include <fmt/format.h>

#include <charconv>

#include "taut/base/error.h"
#include "taut/file/read/parse_toml.h"

namespace taut {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A single TOML value from text; nothing if it is none.
std::optional<Value> parse_value(std::string_view text, const Source& source) {
  try {
    Table table = parse_toml(fmt::format("value = {}", text), source);
    if (table.items.size() == 1 && table.items.front().key == "value") return std::move(table.items.front().value);
  } catch (const InputError&) {
  }
  return std::nullopt;
}

// Just past a quoted part that starts at `i`; npos if it does not end.
size_t end_of_quotes(std::string_view text, size_t i) {
  const char quote = text[i];
  for (++i; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Splits `cables."a.b".mass=2` into parts and value. False if a part is empty, quotes stay open or "=" is missing.
bool split(std::string_view text, std::vector<std::string>& parts, std::string_view& key, std::string_view& value) {
  for (size_t i = 0;;) {
    i = text.find_first_not_of(" \t", i);
    if (i == std::string_view::npos) return false;
    size_t end = 0;
    if (text[i] == '"' || text[i] == '\'') {
      end = end_of_quotes(text, i);
      if (end == std::string_view::npos) return false;
      const auto unquoted = parse_value(text.substr(i, end - i), Source{.name = std::make_shared<const std::string>()});
      if (!unquoted || !unquoted->text()) return false;
      parts.push_back(*unquoted->text());
      end = text.find_first_not_of(" \t", end);
      if (end == std::string_view::npos) return false;
    } else {
      end = text.find_first_of(".=", i);
      if (end == std::string_view::npos) return false;
      parts.emplace_back(trimmed(text.substr(i, end - i)));
    }
    if (parts.back().empty() || (text[end] != '.' && text[end] != '=')) return false;
    if (text[end] == '=') {
      key = trimmed(text.substr(0, end));
      value = trimmed(text.substr(end + 1));
      return true;
    }
    i = end + 1;
  }
}

// A TOML value, a number that TOML writes differently (".5"), or a bare word.
std::optional<Value> value_of(std::string_view text, const Source& source) {
  if (auto value = parse_value(text, source)) return value;
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return Value{number};
  if (text.empty() || std::string_view("[{\"'").find(text.front()) != std::string_view::npos) return std::nullopt;
  return Value{std::string(text)};
}

Override nested(std::shared_ptr<const Source> source, std::vector<std::string> path, Value value) {
  const Mark at{source.get()};
  set_source(value, *source);
  for (std::size_t i = path.size(); i > 1; --i) {
    Table table{{}, false, at};
    table.add(path[i - 1], std::move(value));
    value = Value{std::move(table), at};
  }
  Override result{std::move(source), std::move(path), Table{{}, false, at}};
  result.tree.add(result.path.front(), std::move(value));
  return result;
}

}  // namespace

std::optional<Override> parse_override(const std::string& text, Problems& problems) {
  const auto name = std::make_shared<const std::string>(set_prefix + text);
  std::vector<std::string> path;
  std::string_view key, given;
  if (!split(text, path, key, given)) {
    problems.add(Place{*name, 0, 0}, "", "expected key=value, such as simulation.duration=2");
    return std::nullopt;
  }
  auto source = std::make_shared<const Source>(Source{Source::Kind::option, name, std::string(key)});
  const auto refuse = [&](std::string message) {
    problems.add(Mark{source.get()}, "", std::move(message));
    return std::nullopt;
  };
  std::optional<Value> value = value_of(given, *source);
  if (!value) return refuse(given.empty() ? "has no value" : "the value cannot be read as TOML");
  if (path.size() > deepest_nesting) return refuse(fmt::format("is nested more than {} levels deep", deepest_nesting));
  return nested(std::move(source), std::move(path), std::move(*value));
}

std::vector<std::string> parse_key_path(std::string_view text) {
  std::vector<std::string> path;
  std::string_view key, value;
  const std::string assigned = std::string(text) + "=";
  if (!split(assigned, path, key, value) || !value.empty()) path.clear();
  return path;
}

Override override_value(const std::string& key, Value value, std::string typed) {
  std::vector<std::string> path = parse_key_path(key);
  if (path.size() > deepest_nesting)
    throw InputError(
        {Problem{{}, "", fmt::format("{:.60}...: is nested more than {} levels deep", typed, deepest_nesting)}});
  auto name = std::make_shared<const std::string>(std::move(typed));
  auto source = std::make_shared<const Source>(Source{Source::Kind::option, std::move(name), key});
  return nested(std::move(source), std::move(path), std::move(value));
}

}  // namespace taut
