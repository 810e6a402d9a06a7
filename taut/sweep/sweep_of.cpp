// A sweep from keys that a program gives.
#include <fmt/format.h>

#include "taut/base/text/toml_text.h"
#include "taut/file/draft.h"
#include "taut/file/write/write_toml.h"
#include "taut/sweep/read_sweep.h"

namespace taut {

namespace {

// Entry by entry a line, so that two of them can be compared.
std::string text_of(const Table& keys) {
  std::string text;
  for (const Item& item : keys.items) {
    const std::string key = toml_key(item.key);
    if (const Table* table = item.value.table())
      for (const Item& entry : table->items)
        text += fmt::format("{}.{} = {}\n", key, toml_key(entry.key), toml_value(entry.value));
    else if (const List* list = item.value.list())
      for (const Value& entry : *list) text += fmt::format("{} = {}\n", key, toml_value(entry));
    else
      text += fmt::format("{} = {}\n", key, toml_value(item.value));
  }
  return text;
}

// As { ... } in a file: a value that is a table replaces what there is.
void make_whole(Value& value) {
  if (Table* table = std::get_if<Table>(&value.data)) {
    table->whole = true;
    for (Item& item : table->items) make_whole(item.value);
  }
  if (List* list = std::get_if<List>(&value.data))
    for (Value& entry : *list) make_whole(entry);
}

}  // namespace

SweepFile sweep_of(const Draft& model, Table keys) {
  SweepFile sweep;
  sweep.draft = std::make_shared<const Draft>(model);
  sweep.model = model.name();
  sweep.text = text_of(keys);
  const auto source = std::make_shared<const Source>(
      Source{.kind = Source::Kind::generated, .name = std::make_shared<const std::string>()});
  sweep.sources = {source};
  set_source(keys, *source);
  for (Item& item : keys.items) make_whole(item.value);
  Problems problems;
  const Fields top(problems, KeyPath{""}, {&keys}, keys.at);
  read_sweep(top, {}, sweep);
  check_sweep(top, sweep);
  problems.throw_if_any();
  return sweep;
}

}  // namespace taut
