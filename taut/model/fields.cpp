#include "taut/model/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/model/toml_text.h"

namespace taut {

namespace {

void expected(Problems& problems, const toml::node& got, const std::string& key, std::string_view what) {
  problems.add(got.source(), key, fmt::format("expected {}, got {}", what, describe(got)));
}

}  // namespace

std::string KeyPath::text(std::string_view key) const {
  std::string result(section);
  const auto append = [&result](std::string_view part) {
    if (part.empty()) return;
    if (!result.empty()) result += '.';
    result += part;
  };
  if (index >= 0) result += fmt::format("[{}]", index);
  if (!name.empty()) append(toml_key(name));
  append(below);
  append(key);
  return result;
}

std::string KeyPath::item_text() const {
  const std::string whole = text(group);
  return item >= 0 ? fmt::format("{}[{}]", whole, item) : whole;
}

std::string describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array: {
      const size_t n = node.as_array()->size();
      return n == 0 ? "an empty list" : fmt::format("a list of {}", n);
    }
    case toml::node_type::string:
      return fmt::format("the text {}", in_quotes(node.as_string()->get()));
    case toml::node_type::integer:
      return fmt::format("{}", node.as_integer()->get());
    case toml::node_type::floating_point:
      return fmt::format("{}", node.as_floating_point()->get());
    case toml::node_type::boolean:
      return node.as_boolean()->get() ? "true" : "false";
    case toml::node_type::date:
      return "a date";
    case toml::node_type::time:
      return "a time of day";
    case toml::node_type::date_time:
      return "a date and time";
    case toml::node_type::none:
      break;
  }
  return "nothing";
}

bool is_override(const toml::node& node) {
  return node.source().path && node.source().path->starts_with(override_prefix);
}

bool replaces_whole(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table) return true;
  return table->is_inline() && is_override(node);
}

std::optional<double> to_number(Problems& problems, const toml::node& node, const std::string& key) {
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  if (const auto* value = node.as_floating_point(); value && std::isfinite(value->get())) return value->get();
  expected(problems, node, key, node.is_number() ? "a finite number" : "a number");
  return std::nullopt;
}

std::optional<Vec3> to_vector(Problems& problems, const toml::node& node, const std::string& key) {
  const toml::array* list = node.as_array();
  if (!list || list->size() != 3) {
    expected(problems, node, key, "three numbers [x, y, z]");
    return std::nullopt;
  }
  Vec3 result = Vec3::Zero();
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    const toml::node& element = (*list)[i];
    if (const auto* number = element.as_floating_point(); number && std::isfinite(number->get())) {
      result[i] = number->get();
    } else if (const auto value = to_number(problems, element, fmt::format("{}[{}]", key, i))) {
      result[i] = *value;
    } else {
      good = false;
    }
  }
  return good ? std::optional(result) : std::nullopt;
}

bool lay_components(Problems& problems, const toml::table& table, const std::string& key, Vec3& vector) {
  bool good = true;
  for (const auto& [name, value] : table) {
    const std::string_view component = name.str();
    const std::size_t axis = component.size() == 1 ? std::string_view("xyz").find(component) : std::string_view::npos;
    if (axis == std::string_view::npos) {
      problems.add(value.source(), key, fmt::format("{} is no component: expected x, y or z", in_quotes(component)));
      good = false;
    } else if (const auto number = to_number(problems, value, fmt::format("{}.{}", key, component))) {
      vector[static_cast<Eigen::Index>(axis)] = *number;
    } else {
      good = false;
    }
  }
  return good;
}

std::optional<Axes> to_axes(Problems& problems, const toml::node& node, const std::string& key) {
  const toml::array* list = node.as_array();
  if (!list) {
    expected(problems, node, key, "a list of axes such as [\"x\", \"z\"]");
    return std::nullopt;
  }
  Axes axes = {false, false, false};
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const toml::node& element = (*list)[i];
    const std::string name = element.value<std::string>().value_or("");
    const size_t axis = name.size() == 1 ? std::string_view("xyz").find(name) : std::string_view::npos;
    if (axis == std::string_view::npos) {
      expected(problems, element, fmt::format("{}[{}]", key, i), "\"x\", \"y\" or \"z\"");
      good = false;
    } else if (axes[axis]) {
      problems.add(element.source(), fmt::format("{}[{}]", key, i), fmt::format("names axis {} twice", name));
      good = false;
    } else {
      axes[axis] = true;
    }
  }
  return good ? std::optional(axes) : std::nullopt;
}

Fields::Fields(Problems& problems, KeyPath path, Levels levels, const toml::node* self)
    : problems_(problems), path_(std::move(path)), levels_(std::move(levels)), self_(self) {}

const toml::node* Fields::find(std::string_view key) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (const toml::node* node = (*level)->get(key)) return node;
  }
  return nullptr;
}

int Fields::level_of(std::string_view key) const {
  for (size_t i = levels_.size(); i > 0; --i) {
    if (levels_[i - 1]->get(key)) return static_cast<int>(i) - 1;
  }
  return -1;
}

void Fields::say(std::string_view key, std::string message) const {
  const size_t dot = key.find('.');
  if (dot != std::string_view::npos && has(key.substr(0, dot))) {
    const toml::node* scalar = nullptr;
    const Fields below = table(key.substr(0, dot), &scalar);
    const std::string_view rest = key.substr(dot + 1);
    if (below.has(rest.substr(0, rest.find('.')))) return below.say(rest, std::move(message));
    return problems_.add(find(key.substr(0, dot))->source(), path_.text(key), std::move(message));
  }
  const toml::node* at = key.empty() ? nullptr : find(key);
  if (!at) at = self_;
  if (at) return problems_.add(at->source(), path_.text(key), std::move(message));
  problems_.add(Place{}, path_.text(key), std::move(message));
}

void Fields::refuse_unknown(std::span<const std::string_view> known, std::string_view owner) const {
  for (const toml::table* level : levels_) {
    for (const auto& [key, value] : *level) {
      const std::string_view name = key.str();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string hint = problems_.did_you_mean(name, {known.begin(), known.end()});
      const std::string what = owner.empty() ? "is not a known key" : fmt::format("is not a key of {}", owner);
      problems_.add(key.source(), path_.text(toml_key(name)), what + hint);
    }
  }
}

std::string_view Fields::one_of(std::initializer_list<std::string_view> keys) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    std::string_view first;
    for (const std::string_view key : keys) {
      if (!(*level)->get(key)) continue;
      if (first.empty()) {
        first = key;
      } else {
        problems_.add((*level)->get(key)->source(), path_.text(key),
                      fmt::format("is given beside {}: expected one of {}", first, fmt::join(keys, ", ")));
      }
    }
    if (!first.empty()) return first;
  }
  return {};
}

bool Fields::require(std::string_view key, std::string_view what) const {
  if (has(key)) return true;
  say(key, fmt::format("is missing: expected {}", what));
  return false;
}

std::optional<double> Fields::number(std::string_view key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (const auto* value = node->as_floating_point(); value && std::isfinite(value->get())) return value->get();
  return to_number(problems_, *node, path_.text(key));
}

std::optional<bool> Fields::truth(std::string_view key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_boolean()) expected(problems_, *node, path_.text(key), "true or false");
  return node->is_boolean() ? std::optional(node->as_boolean()->get()) : std::nullopt;
}

std::optional<std::string> Fields::text(std::string_view key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  if (!node->is_string()) expected(problems_, *node, path_.text(key), "a text in quotes");
  return node->is_string() ? std::optional(node->as_string()->get()) : std::nullopt;
}

std::optional<Vec3> Fields::vector(std::string_view key, const std::optional<Vec3>& unless_given) const {
  // Components come from overrides alone, on top of a whole vector.
  std::vector<const toml::table*> components;  // the strongest first
  const toml::node* whole = nullptr;
  for (auto level = levels_.rbegin(); level != levels_.rend() && !whole; ++level) {
    const toml::node* node = (*level)->get(key);
    if (node && is_override(*node) && node->is_table() && !replaces_whole(*node))
      components.push_back(node->as_table());
    else if (node)
      whole = node;
  }
  if (components.empty()) return whole ? to_vector(problems_, *whole, path_.text(key)) : std::nullopt;
  std::optional<Vec3> result = whole ? to_vector(problems_, *whole, path_.text(key)) : unless_given;
  if (!whole && !result) say(key, "is not given in the file: expected all three numbers [x, y, z]");
  for (auto table = components.rbegin(); table != components.rend() && result; ++table)
    if (!lay_components(problems_, **table, path_.text(key), *result)) return std::nullopt;
  return result;
}

std::optional<Axes> Fields::axes(std::string_view key) const {
  const toml::node* node = find(key);
  return node ? to_axes(problems_, *node, path_.text(key)) : std::nullopt;
}

std::optional<std::vector<double>> Fields::numbers(std::string_view key) const {
  const toml::node* node = find(key);
  if (!node) return std::nullopt;
  const toml::array* list = node->as_array();
  if (!list) {
    expected(problems_, *node, path_.text(key), "a list of numbers");
    return std::nullopt;
  }
  std::vector<double> values;
  for (size_t i = 0; i < list->size(); ++i) {
    const toml::node& element = (*list)[i];
    if (const auto* number = element.as_floating_point(); number && std::isfinite(number->get())) {
      values.push_back(number->get());
    } else if (const auto value = to_number(problems_, element, fmt::format("{}[{}]", path_.text(key), i))) {
      values.push_back(*value);
    } else {
      return std::nullopt;
    }
  }
  return values;
}

Fields Fields::table(std::string_view key, const toml::node** shorthand) const {
  Levels below;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const toml::node* node = (*level)->get(key);
    if (!node) continue;
    if (const toml::table* table = node->as_table()) {
      below.insert(below.begin(), table);
    } else if (shorthand) {
      *shorthand = node;
    } else {
      expected(problems_, *node, path_.text(key), "a table");
    }
    if (replaces_whole(*node)) break;
  }
  KeyPath path = path_;
  path.below = path.below.empty() ? std::string(key) : path.below + "." + std::string(key);
  const toml::node* self = find(key);
  return {problems_, std::move(path), std::move(below), self ? self : self_};
}

void Fields::say_unknown_word(std::string_view key, std::string_view given,
                              const std::vector<std::string_view>& known) const {
  const std::string hint = problems_.did_you_mean(given, known);
  say(key, fmt::format("{} is not known: expected one of {}{}", in_quotes(given), fmt::join(known, ", "), hint));
}

}  // namespace taut
