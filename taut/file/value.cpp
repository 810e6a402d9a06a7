#include "taut/file/value.h"

#include <algorithm>
#include <bit>

namespace taut {

Place place_of(const Mark& mark) {
  if (!mark.source) return {};
  switch (mark.source->kind) {
    case Source::Kind::file:
      return {*mark.source->name, mark.line, mark.column};
    case Source::Kind::option:
      return {*mark.source->name, 0, 0};
    case Source::Kind::generated:
      return {*mark.source->name, mark.source->line, mark.source->column};
  }
  return {};
}

const Value* Table::find(std::string_view key) const {
  for (const Item& item : items)
    if (item.key == key) return &item.value;
  return nullptr;
}

Value& Table::add(std::string key, Value value) {
  return items.emplace_back(Item{std::move(key), std::move(value), at}).value;
}

std::optional<double> Value::number() const {
  if (const double* real = std::get_if<double>(&data)) return *real;
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&data)) return static_cast<double>(*whole);
  return std::nullopt;
}

void set_source(Table& table, const Source& source) {
  table.at.source = &source;
  for (Item& item : table.items) {
    item.at.source = &source;
    set_source(item.value, source);
  }
}

void set_source(Value& value, const Source& source) {
  value.at.source = &source;
  if (Table* table = std::get_if<Table>(&value.data)) set_source(*table, source);
  if (List* list = std::get_if<List>(&value.data))
    for (Value& element : *list) set_source(element, source);
}

bool same(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  if (const Table* table = a.table())
    return std::equal(table->items.begin(), table->items.end(), b.table()->items.begin(), b.table()->items.end(),
                      [](const Item& x, const Item& y) { return x.key == y.key && same(x.value, y.value); });
  if (const List* list = a.list())
    return std::equal(list->begin(), list->end(), b.list()->begin(), b.list()->end(), same);
  if (const double* real = std::get_if<double>(&a.data))
    return std::bit_cast<std::uint64_t>(*real) == std::bit_cast<std::uint64_t>(std::get<double>(b.data));
  if (const std::string* text = a.text()) return *text == *b.text();
  if (const bool* truth = a.truth()) return *truth == *b.truth();
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&a.data)) return *whole == std::get<std::int64_t>(b.data);
  return std::get<Moment>(a.data) == std::get<Moment>(b.data);
}

}  // namespace taut
