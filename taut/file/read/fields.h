// Typed access to the keys of one table of a model file. A table may have levels, weakest first: the file that
// is built on, the file, the overrides; the strongest level that has a key wins. A getter that finds something
// else than it expects reports it and returns nothing, so that reading goes on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taut/base/types.h"
#include "taut/file/read/problems.h"
#include "taut/file/value.h"

namespace taut {

using Levels = std::vector<const Table*>;

// Names a table in messages: environment, nodes.a1, cables[2], cables[2].paths[5].
struct KeyPath {
  std::string_view section;
  int index = -1;
  std::string_view name{};   // for tables of named tables
  std::string_view group{};  // "pairs" or "paths", for one member of a group
  int item = -1;
  std::string below{};  // e.g. "law"

  std::string text(std::string_view key) const;
  std::string item_text() const;  // down to the member of a group
};

// What a value is, for "expected ..., got ...".
std::string describe(const Value& node);

class Fields {
 public:
  Fields(Problems& problems, KeyPath path, Levels levels, const Mark& self);

  const Value* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  int level_of(std::string_view key) const;  // -1: absent
  bool empty() const { return levels_.empty(); }
  // Where the table itself stands, in the weakest level.
  const Mark& self() const { return levels_.empty() ? self_ : levels_.front()->at; }
  const KeyPath& path() const { return path_; }
  Problems& problems() const { return problems_; }

  // Reports at the key's value if it is given, else at the table itself. `key` may be dotted.
  void say(std::string_view key, std::string message) const;
  void say_unknown_word(std::string_view key, std::string_view given, const std::vector<std::string_view>& known) const;

  // `owner` says whose keys these are ("a sine"); nothing needs saying where the section does.
  void refuse_unknown(std::span<const std::string_view> known, std::string_view owner = {}) const;
  // Which of several keys is given, by the strongest level that has one; reports two in one level.
  std::string_view one_of(std::initializer_list<std::string_view> keys) const;
  bool require(std::string_view key, std::string_view what) const;

  std::optional<double> number(std::string_view key) const;
  std::optional<bool> truth(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  // An override may give single components, key.z=1, of what is in the file, or of `unless_given`.
  std::optional<Vec3> vector(std::string_view key, const std::optional<Vec3>& unless_given = {}) const;
  std::optional<std::vector<double>> numbers(std::string_view key) const;
  std::optional<Axes> axes(std::string_view key) const;

  // One of a few words.
  template <typename Value>
  std::optional<Value> word(std::string_view key, std::initializer_list<std::pair<const char*, Value>> words) const {
    const std::optional<std::string> given = text(key);
    if (!given) return std::nullopt;
    std::vector<std::string_view> known;
    for (const auto& [name, value] : words) {
      if (*given == name) return value;
      known.emplace_back(name);
    }
    say_unknown_word(key, *given, known);
    return std::nullopt;
  }

  // The table under a key, level by level; without levels if there is none. A value that is not a table goes to
  // `shorthand` (law = "spring" for law = { kind = "spring" }), or is reported where there is no such thing.
  Fields table(std::string_view key, const Value** shorthand = nullptr) const;

 private:
  Problems& problems_;
  KeyPath path_;
  Levels levels_;
  Mark self_;
};

// Reads one value; each reports what is wrong with it as `key`.
std::optional<double> to_number(Problems& problems, const Value& node, const std::string& key);
std::optional<Vec3> to_vector(Problems& problems, const Value& node, const std::string& key);
// Lays a table of components, { z = 1 }, over a vector. False if something was reported.
bool lay_components(Problems& problems, const Table& table, const std::string& key, Vec3& vector);
std::optional<Axes> to_axes(Problems& problems, const Value& node, const std::string& key);

bool is_override(const Value& node);  // given by --set
// A value given by --set as a whole table replaces what is below it instead of adding to it.
bool replaces_whole(const Value& node);

}  // namespace taut
