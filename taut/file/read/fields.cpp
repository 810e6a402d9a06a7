#include "taut/file/read/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/text/suggest.h"
#include "taut/base/text/toml_text.h"

namespace taut {

namespace {

void expected(Problems& problems, const Value& got, const std::string& key, std::string_view what) {
  problems.add(got.at, key, fmt::format("expected {}, got {}", what, describe(got)));
}

// The key is written only for a message.
template <typename Key>
std::optional<double> finite_number(Problems& problems, const Value& value, const Key& key) {
  const std::optional<double> number = value.number();
  if (number && std::isfinite(*number)) return number;
  expected(problems, value, key(), number ? "a finite number" : "a number");
  return std::nullopt;
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

std::string describe(const Value& value) {
  if (value.table()) return "a table";
  if (const List* list = value.list())
    return list->empty() ? "an empty list" : fmt::format("a list of {}", list->size());
  if (const std::string* text = value.text()) return fmt::format("the text {}", in_quotes(*text));
  if (const bool* truth = value.truth()) return *truth ? "true" : "false";
  if (const double* real = std::get_if<double>(&value.data)) return fmt::format("{}", *real);
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *whole);
  switch (std::get<Moment>(value.data)) {
    case Moment::date:
      return "a date";
    case Moment::time:
      return "a time of day";
    case Moment::date_time:
      break;
  }
  return "a date and time";
}

bool is_override(const Value& value) { return value.at.source && value.at.source->kind == Source::Kind::option; }

bool replaces_whole(const Value& value) {
  const Table* table = value.table();
  return !table || (table->whole && is_override(value));
}

std::optional<double> to_number(Problems& problems, const Value& value, const std::string& key) {
  return finite_number(problems, value, [&] { return key; });
}

std::optional<Vec3> to_vector(Problems& problems, const Value& node, const std::string& key) {
  const List* list = node.list();
  if (!list || list->size() != 3) {
    expected(problems, node, key, "three numbers [x, y, z]");
    return std::nullopt;
  }
  Vec3 result = Vec3::Zero();
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    const auto number = finite_number(problems, (*list)[i], [&] { return fmt::format("{}[{}]", key, i); });
    if (number) result[i] = *number;
    good = good && number;
  }
  return good ? std::optional(result) : std::nullopt;
}

bool lay_components(Problems& problems, const Table& table, const std::string& key, Vec3& vector) {
  bool good = true;
  for (const auto& [component, value, at] : table.items) {
    const std::size_t axis = component.size() == 1 ? std::string_view("xyz").find(component) : std::string_view::npos;
    if (axis == std::string_view::npos) {
      problems.add(value.at, key, fmt::format("{} is not a component: expected x, y or z", in_quotes(component)));
      good = false;
    } else if (const auto number = to_number(problems, value, fmt::format("{}.{}", key, component))) {
      vector[static_cast<Eigen::Index>(axis)] = *number;
    } else {
      good = false;
    }
  }
  return good;
}

std::optional<Axes> to_axes(Problems& problems, const Value& node, const std::string& key) {
  const List* list = node.list();
  if (!list) {
    expected(problems, node, key, "a list of axes such as [\"x\", \"z\"]");
    return std::nullopt;
  }
  Axes axes = {false, false, false};
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const Value& element = (*list)[i];
    const std::string name = element.text() ? *element.text() : "";
    const size_t axis = name.size() == 1 ? std::string_view("xyz").find(name) : std::string_view::npos;
    if (axis == std::string_view::npos) {
      expected(problems, element, fmt::format("{}[{}]", key, i), "\"x\", \"y\" or \"z\"");
      good = false;
    } else if (axes[axis]) {
      problems.add(element.at, fmt::format("{}[{}]", key, i), fmt::format("names axis {} twice", name));
      good = false;
    } else {
      axes[axis] = true;
    }
  }
  return good ? std::optional(axes) : std::nullopt;
}

Fields::Fields(Problems& problems, KeyPath path, Levels levels, const Mark& self)
    : problems_(problems), path_(std::move(path)), levels_(std::move(levels)), self_(self) {}

const Value* Fields::find(std::string_view key) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (const Value* node = (*level)->find(key)) return node;
  }
  return nullptr;
}

int Fields::level_of(std::string_view key) const {
  for (size_t i = levels_.size(); i > 0; --i) {
    if (levels_[i - 1]->find(key)) return static_cast<int>(i) - 1;
  }
  return -1;
}

void Fields::say(std::string_view key, std::string message) const {
  const size_t dot = key.find('.');
  if (dot != std::string_view::npos && has(key.substr(0, dot))) {
    const Value* scalar = nullptr;
    const Fields below = table(key.substr(0, dot), &scalar);
    const std::string_view rest = key.substr(dot + 1);
    if (below.has(rest.substr(0, rest.find('.')))) return below.say(rest, std::move(message));
    return problems_.add(find(key.substr(0, dot))->at, path_.text(key), std::move(message));
  }
  const Value* value = key.empty() ? nullptr : find(key);
  problems_.add(value ? value->at : self_, path_.text(key), std::move(message));
}

void Fields::refuse_unknown(std::span<const std::string_view> known, std::string_view owner) const {
  for (const Table* level : levels_) {
    for (const auto& [name, value, at] : level->items) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string hint = problems_.did_you_mean(name, {known.begin(), known.end()});
      const std::string what = owner.empty() ? "is not a known key" : fmt::format("is not a key of {}", owner);
      problems_.add(at, path_.text(toml_key(name)), what + hint);
    }
  }
}

std::string_view Fields::one_of(std::initializer_list<std::string_view> keys) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    std::string_view first;
    for (const std::string_view key : keys) {
      if (!(*level)->find(key)) continue;
      if (first.empty()) {
        first = key;
      } else {
        problems_.add((*level)->find(key)->at, path_.text(key),
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
  const Value* value = find(key);
  return value ? finite_number(problems_, *value, [&] { return path_.text(key); }) : std::nullopt;
}

std::optional<bool> Fields::truth(std::string_view key) const {
  const Value* node = find(key);
  if (!node) return std::nullopt;
  if (!node->truth()) expected(problems_, *node, path_.text(key), "true or false");
  return node->truth() ? std::optional(*node->truth()) : std::nullopt;
}

std::optional<std::string> Fields::text(std::string_view key) const {
  const Value* node = find(key);
  if (!node) return std::nullopt;
  if (!node->text()) expected(problems_, *node, path_.text(key), "a text in quotes");
  return node->text() ? std::optional(*node->text()) : std::nullopt;
}

std::optional<Vec3> Fields::vector(std::string_view key, const std::optional<Vec3>& unless_given) const {
  // Components come from overrides alone, on top of a whole vector.
  std::vector<const Table*> components;  // the strongest first
  const Value* whole = nullptr;
  for (auto level = levels_.rbegin(); level != levels_.rend() && !whole; ++level) {
    const Value* node = (*level)->find(key);
    if (node && is_override(*node) && node->table() && !replaces_whole(*node))
      components.push_back(node->table());
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
  const Value* node = find(key);
  return node ? to_axes(problems_, *node, path_.text(key)) : std::nullopt;
}

std::optional<std::vector<double>> Fields::numbers(std::string_view key) const {
  const Value* node = find(key);
  if (!node) return std::nullopt;
  const List* list = node->list();
  if (!list) {
    expected(problems_, *node, path_.text(key), "a list of numbers");
    return std::nullopt;
  }
  std::vector<double> values;
  for (size_t i = 0; i < list->size(); ++i) {
    const auto number = finite_number(problems_, (*list)[i], [&] { return fmt::format("{}[{}]", path_.text(key), i); });
    if (!number) return std::nullopt;
    values.push_back(*number);
  }
  return values;
}

Fields Fields::table(std::string_view key, const Value** shorthand) const {
  Levels below;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const Value* node = (*level)->find(key);
    if (!node) continue;
    if (const Table* table = node->table()) {
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
  const Value* self = find(key);
  return {problems_, std::move(path), std::move(below), self ? self->at : self_};
}

void Fields::say_unknown_word(std::string_view key, std::string_view given,
                              const std::vector<std::string_view>& known) const {
  say(key, unknown_word(given, known, problems_.did_you_mean(given, known)));
}

}  // namespace taut
