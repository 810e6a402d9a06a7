// A model file as a tree of values, each with the place where it stands. Options of the command line and what
// [generate] makes have the same form, so that one reader takes all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "taut/base/place.h"

namespace taut {

// Where values come from.
struct Source {
  enum class Kind { file, option, generated };

  Kind kind = Kind::file;
  std::shared_ptr<const std::string> name;  // of the file; an option as it was typed
  std::string key{};                        // option: the path of its key, by which every problem with it is named
  int line = 0, column = 0;                 // generated: of [generate] in the file
};

struct Mark {
  const Source* source = nullptr;  // belongs to the document or the option
  int line = 0, column = 0;
};

// Only a value of a file has a line of its own.
Place place_of(const Mark& mark);

struct Value;
struct Item;
using List = std::vector<Value>;

struct Table {
  std::vector<Item> items;  // in the order of the file
  bool whole = false;       // { ... }: as an option it replaces what there is, instead of adding to it
  Mark at{};

  const Value* find(std::string_view key) const;
  Value& add(std::string key, Value value);
};

enum class Moment { date, time, date_time };  // TOML has them, no key takes them

struct Value {
  std::variant<Table, List, std::string, std::int64_t, double, bool, Moment> data;
  Mark at{};

  const Table* table() const { return std::get_if<Table>(&data); }
  const List* list() const { return std::get_if<List>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  const bool* truth() const { return std::get_if<bool>(&data); }
  std::optional<double> number() const;  // whole or not, finite or not
};

struct Item {
  std::string key;
  Value value;
  Mark at{};
};

// Makes the value and all below it come from there.
void set_source(Value& value, const Source& source);
void set_source(Table& table, const Source& source);

// The same values, number for number (a zero keeps its sign), wherever they stand.
bool same(const Value& a, const Value& b);

}  // namespace taut
