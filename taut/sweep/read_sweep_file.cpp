#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "taut/file/override.h"
#include "taut/file/read/documents.h"
#include "taut/file/read/fields.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/sweep/draw/read_distribution.h"
#include "taut/sweep/expression/run_names.h"
#include "taut/sweep/study.h"

namespace taut {

namespace {

constexpr double most_runs = 1e9;

// The tables of [[section]].
std::vector<Fields> entries(Problems& problems, const Table& root, std::string_view section) {
  std::vector<Fields> list;
  const Value* node = root.find(section);
  if (!node) return list;
  const List* tables = node->list();
  if (!tables) {
    problems.add(node->at, std::string(section),
                 fmt::format("expected entries that start with [[{}]], got {}", section, describe(*node)));
    return list;
  }
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const Table* table = (*tables)[i].table();
    const KeyPath path{section, static_cast<int>(i)};
    if (table)
      list.emplace_back(problems, path, Levels{table}, table->at);
    else
      problems.add((*tables)[i].at, path.text(""), fmt::format("expected a table, got {}", describe((*tables)[i])));
  }
  return list;
}

Place place_of(const Fields& fields, std::string_view key) {
  const Value* value = fields.find(key);
  return taut::place_of(value ? value->at : fields.self());
}

// A whole number of at least `least`.
std::optional<long> whole(const Fields& fields, std::string_view key, long least) {
  const std::optional<double> value = fields.number(key);
  if (!value) return std::nullopt;
  if (*value != std::round(*value) || *value < static_cast<double>(least) || *value > most_runs) {
    fields.say(key, fmt::format("expected a whole number from {} to 1e9, got {:g}", least, *value));
    return std::nullopt;
  }
  return static_cast<long>(*value);
}

// Texts of a list; what is none is reported.
std::vector<std::string> texts(const Fields& fields, std::string_view key) {
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

void check_key(const Fields& fields, std::string_view name, const std::string& key) {
  const std::vector<std::string> path = parse_key_path(key);
  if (path.empty())
    fields.say(name, fmt::format("{}: expected the path of a key of the model, such as \"cables.*.stiffness\"",
                                 in_quotes(key)));
  else if (path.front() == "model")
    fields.say(name, "the files that a model builds on cannot vary: expected a key inside of it");
}

// Whether everything that key `a` names is named by `b` as well.
bool covers(const std::string& b, const std::string& a) {
  const std::vector<std::string> wide = parse_key_path(b), narrow = parse_key_path(a);
  if (wide.empty() || wide.size() > narrow.size()) return false;
  for (std::size_t i = 0; i < wide.size(); ++i)
    if (wide[i] != narrow[i] && !(i == 1 && wide[i] == "*")) return false;
  return true;
}

std::vector<std::string> read_keys(const Fields& fields, bool needed) {
  const std::string_view given = fields.one_of({"key", "keys"});
  std::vector<std::string> keys;
  if (given == "key") {
    if (const auto key = fields.text("key")) keys.push_back(*key);
  } else if (given == "keys") {
    keys = texts(fields, "keys");
    if (keys.empty()) fields.say("keys", "expected one path or more, such as [\"cables.*.stiffness\"]");
  } else if (needed) {
    fields.say("key", "is missing: expected the path of a key of the model, such as \"cables.*.stiffness\"");
  }
  for (const std::string& key : keys) check_key(fields, given, key);
  return keys;
}

// [from, to, count] as the list of its values; the ends to the last bit.
void read_range(const Fields& fields, std::string_view key, SweepParameter& parameter) {
  const std::optional<std::vector<double>> given = fields.numbers(key);
  if (!given) return;
  parameter.logarithmic = key == "log_range";
  if (given->size() < 2 || given->size() > 3)
    return fields.say(key, fmt::format("expected [from, to, count], got {} numbers", given->size()));
  const double from = (*given)[0], to = (*given)[1], count = given->size() == 3 ? (*given)[2] : 0.0;
  if (given->size() == 3 && (count != std::round(count) || count < 1.0 || count > 1e7))
    return fields.say(key, fmt::format("expected a whole number from 1 to 1e7 as the count, got {:g}", count));
  if (parameter.logarithmic && !(from > 0.0 && to > 0.0))
    return fields.say(key, fmt::format("expected ends above 0, got {:g} and {:g}", from, to));
  if (!std::isfinite(to - from)) return fields.say(key, "expected ends that are not so far apart");
  parameter.low = from;
  parameter.high = to;
  const long n = static_cast<long>(count);
  for (long i = 0; i < n; ++i) {
    const auto k = static_cast<double>(i), parts = static_cast<double>(std::max(1L, n - 1));
    double value = parameter.logarithmic ? std::pow(10.0, ((parts - k) * std::log10(from) + k * std::log10(to)) / parts)
                                         : from + (to - from) * k / parts;
    if (i == 0) value = from;
    if (i > 0 && i == n - 1) value = to;
    parameter.numbers.push_back(value);
  }
}

void read_values(const Fields& fields, SweepParameter& parameter) {
  const List* list = fields.find("values")->list();
  if (!list) return fields.say("values", fmt::format("expected a list, got {}", describe(*fields.find("values"))));
  if (list->empty()) return fields.say("values", "is empty: expected one value or more");
  const bool plain =
      std::all_of(list->begin(), list->end(), [](const Value& node) { return node.number().has_value(); });
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (plain) {
      if (const auto value =
              to_number(fields.problems(), (*list)[i], fmt::format("{}[{}]", fields.path().text("values"), i)))
        parameter.numbers.push_back(*value);
    } else {
      const Value& value = (*list)[i];
      parameter.numbers.push_back(static_cast<double>(i));
      parameter.values.push_back(value);
      parameter.labels.push_back(value.text() ? *value.text() : toml_value(value));
      if (std::holds_alternative<Moment>(value.data))
        fields.say("values", fmt::format("entry {} is {}, which no key takes", i, describe(value)));
    }
  }
}

SweepParameter read_parameter(const Fields& fields) {
  static constexpr std::string_view known[] = {"name",      "key",    "keys",       "values",  "range",
                                               "log_range", "random", "expression", "together"};
  fields.refuse_unknown(known);
  SweepParameter parameter;
  parameter.place = place_of(fields, fields.has("key") ? "key" : "keys");
  const std::string_view how = fields.one_of({"values", "range", "log_range", "random", "expression"});
  parameter.keys = read_keys(fields, how != "expression" && !fields.has("name"));
  parameter.name = fields.text("name").value_or(parameter.keys.empty() ? "" : parameter.keys.front());
  parameter.together = fields.text("together").value_or("");
  if (how.empty())
    fields.say("values", "is missing: expected values, range, log_range, random or expression");
  else if (how == "values")
    read_values(fields, parameter);
  else if (how == "range" || how == "log_range")
    read_range(fields, how, parameter);
  else if (how == "random") {
    parameter.kind = ParameterKind::drawn;
    parameter.distribution = read_distribution(fields.table("random"));
  } else {
    parameter.kind = ParameterKind::derived;
    parameter.expression = fields.text("expression").value_or("0");
    parameter.place = place_of(fields, "expression");
  }
  if (!parameter.together.empty() && parameter.kind != ParameterKind::list)
    fields.say("together", "is for lists and ranges");
  return parameter;
}

Imperfection read_imperfection(const Fields& fields) {
  static constexpr std::string_view known[] = {"key", "relative", "absolute"};
  fields.refuse_unknown(known);
  Imperfection imperfection;
  imperfection.place = place_of(fields, "key");
  if (fields.require("key", "the path of a key, such as \"cables.*.rest_length\""))
    imperfection.key = fields.text("key").value_or("");
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
  bisect.place = place_of(fields, "holds");
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
  bisect.scan = static_cast<int>(std::min(whole(fields, "scan", 1).value_or(1), 1'000'000L));
  if (fields.require("holds", "a condition on the run, such as \"count(slack_events) == 0\""))
    bisect.holds = fields.text("holds").value_or("");
  return bisect;
}

// Two columns of one name, or of a name that the table has already.
void refuse_double_names(Problems& problems, const SweepFile& sweep) {
  std::map<std::string, std::string> seen = {
      {"run", "the number of the run"}, {"status", "how the run ended"}, {"reason", "why it did not"}};
  if (sweep.repeats > 1) seen["repeat"] = "which of the repeats it is";
  const std::string record = "a record";
  const auto take = [&](const std::string& name, const Place& place, const char* key, const std::string& what) {
    if (name.empty()) return problems.add(place, key, "is missing: expected a name for the column");
    const bool odd = std::any_of(name.begin(), name.end(), [](char c) { return c == '/' || (c >= 0 && c < ' '); });
    if (odd || name == "." || name == "..")
      return problems.add(
          place, key,
          fmt::format("{} cannot be the name of a column: give a name without \"/\" and control characters",
                      in_quotes(name)));
    if (what != record && is_name_of_run(name))
      return problems.add(place, key,
                          fmt::format("{} means something in expressions: take another name", in_quotes(name)));
    const auto [found, fresh] = seen.emplace(name, what);
    if (!fresh)
      problems.add(place, key,
                   fmt::format("{} is the name of two columns: {} and {}", in_quotes(name), found->second, what));
  };
  for (const SweepParameter& p : sweep.parameters) take(p.name, p.place, "parameters.name", "a parameter");
  if (sweep.bisect) take(sweep.bisect->name, sweep.bisect->place, "bisect.name", "the limit");
  for (const SweepRecord& r : sweep.records) take(r.name, r.place, "record.name", record);
}

// A key that a later one sets as well: its column would say what is not so.
void refuse_covered_keys(Problems& problems, const SweepFile& sweep) {
  std::vector<std::pair<std::string, std::string>> before;  // key, and whose it is
  const auto take = [&](const std::vector<std::string>& keys, const std::string& name, const Place& place) {
    for (const std::string& key : keys)
      for (const auto& [earlier, owner] : before)
        if (covers(key, earlier))
          problems.add(place, name, fmt::format("sets {} once more, which {} has set", in_quotes(earlier), owner));
    for (const std::string& key : keys) before.emplace_back(key, name);
  };
  for (const SweepParameter& p : sweep.parameters) take(p.keys, p.name, p.place);
  if (sweep.bisect) take(sweep.bisect->keys, sweep.bisect->name, sweep.bisect->place);
}

// Which parameters a design takes, and how many runs that is.
void check_design(const Fields& top, SweepFile& sweep, bool runs_given) {
  const bool drawn = std::any_of(sweep.parameters.begin(), sweep.parameters.end(),
                                 [](const SweepParameter& p) { return p.kind == ParameterKind::drawn; });
  const bool filling = sweep.design != SweepDesign::grid;
  if ((filling || drawn) && !runs_given)
    top.say("runs", fmt::format("is missing: expected the number of runs{}", filling ? "" : " that are drawn"));
  if (!filling && !drawn && runs_given)
    top.say("runs", "is for draws, and nothing is drawn: a grid has its own number");
  for (SweepParameter& p : sweep.parameters) {
    if (p.kind != ParameterKind::list) continue;
    if (!filling && p.low && p.numbers.empty())
      top.problems().add(p.place, p.name, "has a range without a count: expected [from, to, count] in a grid");
    if (filling && !p.together.empty()) top.problems().add(p.place, p.name, "together is for grids");
    // A range is drawn evenly between its ends, a list by its entries.
    if (!filling) continue;
    if (p.low) {
      p.distribution.kind = p.logarithmic ? DistributionKind::log_uniform : DistributionKind::uniform;
      p.distribution.low = std::min(*p.low, *p.high);
      p.distribution.high = std::max(*p.low, *p.high);
    } else {
      p.distribution.kind = DistributionKind::choice;
      p.distribution.values = p.numbers;
    }
    if (const std::string fault = fault_of(p.distribution); !fault.empty()) top.problems().add(p.place, p.name, fault);
  }
}

}  // namespace

SweepFile read_sweep_file(const std::string& file) {
  SweepFile sweep;
  sweep.file = file;
  sweep.text = read_text_file(file);
  Problems problems;
  problems.announce_file(file);
  sweep.source = std::make_shared<const Source>(Source{.name = std::make_shared<const std::string>(file)});
  const Table root = parse_toml(sweep.text, *sweep.source);
  const Fields top(problems, KeyPath{""}, {&root}, root.at);
  static constexpr std::string_view known[] = {"name",   "model",  "set",     "design",     "scramble",
                                               "runs",   "seed",   "repeats", "parameters", "imperfections",
                                               "bisect", "record", "stop"};
  top.refuse_unknown(known);

  sweep.title = top.text("name").value_or(std::filesystem::path(file).stem().string());
  if (top.require("model", "the path of a model file"))
    if (const auto model = top.text("model")) sweep.model = path_beside(file, *model);
  sweep.model_place = place_of(top, "model");
  sweep.set_place = place_of(top, "set");
  sweep.set = texts(top, "set");
  sweep.design = top.word<SweepDesign>("design", {{"grid", SweepDesign::grid},
                                                  {"random", SweepDesign::random},
                                                  {"latin_hypercube", SweepDesign::latin_hypercube},
                                                  {"sobol", SweepDesign::sobol}})
                     .value_or(SweepDesign::grid);
  sweep.scramble =
      top.word<Scramble>("scramble", {{"owen", Scramble::owen}, {"shift", Scramble::shift}, {"none", Scramble::none}})
          .value_or(Scramble::owen);
  if (top.has("scramble") && sweep.design != SweepDesign::sobol) top.say("scramble", "is for design = \"sobol\"");
  sweep.draws = whole(top, "runs", 1).value_or(1);
  sweep.repeats = static_cast<int>(whole(top, "repeats", 1).value_or(1));
  sweep.seed = static_cast<std::uint64_t>(whole(top, "seed", 0).value_or(0));
  for (const Fields& fields : entries(problems, root, "parameters")) sweep.parameters.push_back(read_parameter(fields));
  for (const Fields& fields : entries(problems, root, "imperfections"))
    sweep.imperfections.push_back(read_imperfection(fields));
  if (top.has("bisect")) {
    sweep.bisect = read_bisection(top.table("bisect"));
    const bool derived = std::any_of(sweep.parameters.begin(), sweep.parameters.end(),
                                     [](const SweepParameter& p) { return p.kind == ParameterKind::derived; });
    if (sweep.bisect->keys.empty() && !derived)
      top.table("bisect").say("key", "is missing: expected the path of a key, or parameters with an expression");
  }
  for (const Fields& fields : entries(problems, root, "record")) {
    static constexpr std::string_view record_keys[] = {"name", "value"};
    fields.refuse_unknown(record_keys);
    fields.require("name", "the name of a column");
    fields.require("value", "what to record, such as \"count(slack_events)\"");
    sweep.records.push_back(
        {fields.text("name").value_or(""), fields.text("value").value_or("0"), place_of(fields, "value")});
  }
  sweep.stop = top.text("stop").value_or("");
  sweep.stop_place = place_of(top, "stop");
  if (problems.empty()) check_design(top, sweep, top.has("runs"));
  if (problems.empty()) refuse_double_names(problems, sweep);
  if (problems.empty()) refuse_covered_keys(problems, sweep);
  if (problems.empty() && sweep.repeats > 1 && sweep.imperfections.empty())
    top.say("repeats", "would repeat the same run: expected [[imperfections]] beside it");
  problems.throw_if_any();
  return sweep;
}

}  // namespace taut
