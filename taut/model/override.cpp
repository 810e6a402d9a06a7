#include "taut/model/override.h"

#include <fmt/format.h>

#include <charconv>

#include "taut/model/parse_toml.h"
#include "taut/model/toml_text.h"

namespace taut {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A single TOML value from text; nothing if it is none.
std::optional<toml::table> parse_value(std::string_view text) {
  try {
    toml::table table = parse_toml(fmt::format("value = {}", text), "");
    if (table.size() == 1 && table.contains("value")) return table;
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
      const auto unquoted = parse_value(text.substr(i, end - i));
      if (!unquoted) return false;
      parts.push_back(unquoted->get("value")->value_or(std::string()));
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

// The value as TOML text: itself, a number that TOML writes differently (".5"), or a bare word put in quotes.
std::optional<std::string> value_text(std::string_view value) {
  if (parse_value(value)) return std::string(value);
  double number = 0.0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) return toml_number(number);
  if (value.empty() || std::string_view("[{\"'").find(value.front()) != std::string_view::npos) return std::nullopt;
  return toml_string(value);
}

}  // namespace

std::optional<Override> parse_override(const std::string& text, Problems& problems) {
  Override result;
  result.source = override_prefix + text;
  const auto refuse = [&](std::string key, std::string message) {
    problems.add(Place{result.source, 0, 0}, std::move(key), std::move(message));
    return std::nullopt;
  };
  std::string_view key, value;
  if (!split(text, result.path, key, value)) return refuse("", "expected key=value, such as simulation.duration=2");
  result.key = key;
  problems.announce_override(result.source, result.key);

  const std::optional<std::string> toml = value_text(value);
  if (!toml) return refuse(result.key, value.empty() ? "has no value" : "the value cannot be read as TOML");
  std::string line;
  for (const std::string& part : result.path) line += (line.empty() ? "" : ".") + toml_string(part);
  try {
    result.tree = parse_toml(line + " = " + *toml, result.source);
  } catch (const InputError& error) {
    return refuse(result.key, error.problems().front().message);
  }
  return result;
}

}  // namespace taut
