#include "taut/sweep/read_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "taut/file/override.h"
#include "taut/sweep/draw/read_distribution.h"

namespace taut {

namespace {

// Calls for each entry of a section: of [[section]], or of [section] under its name. An entry that is no table is made
// one, where it can be; else it is a problem.
void each_entry(const Fields& top, std::string_view section,
                const std::function<std::optional<Table>(const Value&, bool named)>& made,
                const std::function<void(const Fields&, const Table&)>& take) {
  const auto one = [&](const KeyPath& path, const Value& value) {
    const std::optional<Table> in_words = value.table() ? std::nullopt : made(value, path.index < 0);
    const Table* table = in_words ? &*in_words : value.table();
    if (!table)
      top.problems().add(value.at, path.text(""), fmt::format("expected a table, got {}", describe(value)));
    else
      take(Fields(top.problems(), path, Levels{table}, table->at), *table);
  };
  const Value* node = top.find(section);
  if (!node) return;
  if (const List* list = node->list())
    for (std::size_t i = 0; i < list->size(); ++i) one({.section = section, .index = static_cast<int>(i)}, (*list)[i]);
  else if (const Table* table = node->table())
    for (const Item& item : table->items) one({.section = section, .name = item.key}, item.value);
  else
    top.say(section, fmt::format("expected entries that start with [[{}]], got {}", section, describe(*node)));
}

Table table_with(const char* key, Value value) {
  Table table{{}, true, value.at};
  table.add(key, std::move(value));
  return table;
}

// What a list, an expression or a single value means as a parameter.
std::optional<Table> short_parameter(const Value& value, bool named) {
  if (!named) return std::nullopt;
  if (value.text()) return table_with("expression", value);
  return table_with("values", value.list() ? value : Value{List{value}, value.at});
}

// An expression that is recorded, under its own words where it has no name.
std::optional<Table> short_record(const Value& value, bool named) {
  if (!value.text()) return std::nullopt;
  Table table = table_with("value", value);
  if (!named) table.add("name", value);
  return table;
}

void check_key(const Fields& fields, std::string_view name, const std::string& key) {
  const std::vector<std::string> path = parse_key_path(key);
  if (path.empty())
    fields.say(name, fmt::format("{}: expected the path of a key of the model, such as \"cables.*.stiffness\"",
                                 in_quotes(key)));
  else if (path.front() == "model")
    fields.say(name, "the files that a model builds on cannot vary: expected a key inside of it");
}

Imperfection read_imperfection(const Fields& fields) {
  static constexpr std::string_view known[] = {"key", "relative", "absolute"};
  fields.refuse_unknown(known);
  Imperfection imperfection;
  imperfection.place = key_place(fields, "key");
  const std::string_view called = fields.path().name;
  if (!called.empty() || fields.require("key", "the path of a key, such as \"cables.*.rest_length\""))
    imperfection.key = fields.text("key").value_or(std::string(called));
  check_key(fields, "key", imperfection.key);
  const std::string_view how = fields.one_of({"relative", "absolute"});
  if (how.empty()) {
    fields.say("relative", "is missing: expected relative or absolute = { distribution = \"normal\", std = 0.01 }");
    return imperfection;
  }
  imperfection.relative = how == "relative";
  imperfection.distribution = read_distribution(fields.table(how));
  return imperfection;
}

Bisection read_bisection(const Fields& fields) {
  static constexpr std::string_view known[] = {"name", "key", "keys", "range", "tolerance", "find", "holds", "scan"};
  fields.refuse_unknown(known);
  Bisection bisect;
  bisect.place = key_place(fields, "holds");
  bisect.keys = read_keys(fields, false);
  bisect.name = fields.text("name").value_or("limit");
  if (fields.require("range", "the interval [low, high] that is searched")) {
    const auto ends = fields.numbers("range");
    if (ends && (ends->size() != 2 || !((*ends)[0] < (*ends)[1])))
      fields.say("range", "expected [low, high] with low below high");
    else if (ends)
      bisect.low = (*ends)[0], bisect.high = (*ends)[1];
  }
  bisect.tolerance = fields.number("tolerance").value_or(1e-6 * (bisect.high - bisect.low));
  if (!(bisect.tolerance > 0.0) && bisect.high > bisect.low) fields.say("tolerance", "expected a number above 0");
  bisect.largest = fields.word<bool>("find", {{"largest", true}, {"smallest", false}}).value_or(true);
  bisect.scan = static_cast<int>(std::min(read_whole(fields, "scan", 1).value_or(1), 1'000'000L));
  if (fields.require("holds", "a condition on the run, such as \"count(slack_events) == 0\""))
    bisect.holds = fields.text("holds").value_or("");
  return bisect;
}

SweepRecord read_record(const Fields& fields) {
  static constexpr std::string_view known[] = {"name", "value"};
  fields.refuse_unknown(known);
  const std::string_view called = fields.path().name;
  if (called.empty()) fields.require("name", "the name of a column");
  fields.require("value", "what to record, such as \"count(slack_events)\"");
  return {fields.text("name").value_or(std::string(called)), fields.text("value").value_or("0"),
          key_place(fields, "value")};
}

}  // namespace

KeyPlace key_place(const Fields& fields, std::string_view key) {
  const Value* value = fields.find(key);
  const Mark& at = value ? value->at : fields.self();
  const bool by_name = !fields.path().name.empty() || (at.source && at.source->kind == Source::Kind::generated);
  return {place_of(at), by_name ? fields.path().text(key) : ""};
}

std::optional<long> read_whole(const Fields& fields, std::string_view key, long least, double most) {
  const std::optional<double> value = fields.number(key);
  if (!value) return std::nullopt;
  if (*value != std::round(*value) || *value < static_cast<double>(least) || *value > most) {
    fields.say(key,
               fmt::format("expected a whole number from {} to 1e{:g}, got {:g}", least, std::log10(most), *value));
    return std::nullopt;
  }
  return static_cast<long>(*value);
}

std::vector<std::string> read_keys(const Fields& fields, bool needed) {
  const std::string_view given = fields.one_of({"key", "keys"});
  std::vector<std::string> keys;
  if (given == "key") {
    if (const auto key = fields.text("key")) keys.push_back(*key);
  } else if (given == "keys") {
    keys = read_texts(fields, "keys");
    if (keys.empty()) fields.say("keys", "expected one path or more, such as [\"cables.*.stiffness\"]");
  } else if (fields.path().name.find('.') != std::string_view::npos) {
    keys.emplace_back(fields.path().name);
  } else if (needed) {
    fields.say("key", "is missing: expected the path of a key of the model, such as \"cables.*.stiffness\"");
  }
  for (const std::string& key : keys) check_key(fields, given, key);
  return keys;
}

std::vector<std::string> read_texts(const Fields& fields, std::string_view key) {
  std::vector<std::string> list;
  const Value* node = fields.find(key);
  if (!node) return list;
  const List* array = node->list();
  if (!array) fields.say(key, fmt::format("expected a list of texts, got {}", describe(*node)));
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    if (const std::string* text = (*array)[i].text())
      list.push_back(*text);
    else
      fields.say(key, fmt::format("expected a list of texts; entry {} is {}", i, describe((*array)[i])));
  }
  return list;
}

void read_sweep(const Fields& top, std::span<const std::string_view> beside, SweepFile& sweep) {
  std::vector<std::string_view> known = {"name",    "design",     "scramble",      runs_key(sweep), "seed",
                                         "repeats", "parameters", "imperfections", "bisect",        "record",
                                         "stop",    "engine",     "device"};
  known.insert(known.end(), beside.begin(), beside.end());
  top.refuse_unknown(known);
  sweep.title = top.text("name").value_or("");
  sweep.design = top.word<SweepDesign>("design", {{"grid", SweepDesign::grid},
                                                  {"random", SweepDesign::random},
                                                  {"latin_hypercube", SweepDesign::latin_hypercube},
                                                  {"sobol", SweepDesign::sobol}})
                     .value_or(SweepDesign::grid);
  sweep.scramble =
      top.word<Scramble>("scramble", {{"owen", Scramble::owen}, {"shift", Scramble::shift}, {"none", Scramble::none}})
          .value_or(Scramble::owen);
  if (top.has("scramble") && sweep.design != SweepDesign::sobol) top.say("scramble", "is for design = \"sobol\"");
  sweep.draws = read_whole(top, runs_key(sweep), 1).value_or(1);
  sweep.repeats = static_cast<int>(read_whole(top, "repeats", 1).value_or(1));
  sweep.seed = static_cast<std::uint64_t>(read_whole(top, "seed", 0).value_or(0));
  each_entry(top, "parameters", short_parameter, [&](const Fields& fields, const Table& given) {
    sweep.parameters.push_back(read_parameter(fields, given));
  });
  const auto no_short_form = [](const Value&, bool) { return std::nullopt; };
  each_entry(top, "imperfections", no_short_form,
             [&](const Fields& fields, const Table&) { sweep.imperfections.push_back(read_imperfection(fields)); });
  if (top.has("bisect")) {
    sweep.bisect = read_bisection(top.table("bisect"));
    const bool derived = std::any_of(sweep.parameters.begin(), sweep.parameters.end(),
                                     [](const SweepParameter& p) { return p.kind == ParameterKind::derived; });
    if (sweep.bisect->keys.empty() && !derived)
      top.table("bisect").say("key", "is missing: expected the path of a key, or parameters with an expression");
  }
  each_entry(top, "record", short_record,
             [&](const Fields& fields, const Table&) { sweep.records.push_back(read_record(fields)); });
  sweep.stop = top.text("stop").value_or("");
  sweep.stop_place = key_place(top, "stop");
  sweep.engine =
      top.word<SweepEngine>(
             "engine", {{"auto", SweepEngine::automatic}, {"run", SweepEngine::run}, {"batch", SweepEngine::batch}})
          .value_or(SweepEngine::automatic);
  sweep.engine_place = key_place(top, "engine");
  sweep.on_card = top.word<bool>("device", {{"cpu", false}, {"cuda", true}}).value_or(false);
  sweep.device_place = key_place(top, "device");
  if (sweep.on_card && sweep.engine == SweepEngine::run) top.say("device", "is for batches, and engine is \"run\"");
}

}  // namespace taut
