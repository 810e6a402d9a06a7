#include "taut/file/write/write_toml.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/text/toml_text.h"
#include "taut/file/write/tree.h"

namespace taut {

namespace {

bool is_list_of(const Value& value, bool (*fits)(const Value&)) {
  const List* list = value.list();
  return list && !list->empty() && std::all_of(list->begin(), list->end(), fits);
}

// Lists of names, as of the members of a group, stand one to a line.
bool is_tall(const Value& value) {
  return is_list_of(value, [](const Value& row) {
    return is_list_of(row, [](const Value& element) { return element.text() != nullptr; });
  });
}

void write_lines(const Table& table, std::string& text) {
  for (const auto& [key, value, at] : table.items) {
    text += toml_key(key) + " = ";
    if (is_tall(value)) {
      text += "[\n";
      for (const Value& row : *value.list()) text += "  " + toml_value(row) + ",\n";
      text += "]\n";
    } else {
      text += toml_value(value) + "\n";
    }
  }
}

}  // namespace

std::string toml_value(const Value& value) {
  if (const std::string* text = value.text()) return toml_string(*text);
  if (const bool* truth = value.truth()) return *truth ? "true" : "false";
  if (const double* real = std::get_if<double>(&value.data)) return toml_number(*real);
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *whole);
  std::string text;
  if (const List* list = value.list()) {
    for (const Value& element : *list) text += (text.empty() ? "" : ", ") + toml_value(element);
    return "[" + text + "]";
  }
  if (const Table* table = value.table()) {
    for (const auto& [key, below, at] : table->items)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", toml_key(key), toml_value(below));
    return text.empty() ? "{}" : "{ " + text + " }";
  }
  return "";
}

std::string to_toml(const Scenario& scenario) {
  std::string text;
  for (const auto& [key, value, at] : tree_of(scenario).items) {
    if (const Table* table = value.table()) {
      text += fmt::format("\n[{}]\n", key);
      write_lines(*table, text);
    } else if (is_list_of(value, [](const Value& entry) { return entry.table() != nullptr; })) {
      for (const Value& entry : *value.list()) {
        text += fmt::format("\n[[{}]]\n", key);
        write_lines(*entry.table(), text);
      }
    } else {
      text += fmt::format("{} = {}\n", key, toml_value(value));
    }
  }
  return text;
}

}  // namespace taut
