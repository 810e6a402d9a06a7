// A parameter of a sweep: which values it takes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/file/write/write_toml.h"
#include "taut/sweep/draw/read_distribution.h"
#include "taut/sweep/read_sweep.h"

namespace taut {

namespace {

constexpr double most_values = 1e7;

// The values of a range; its ends to the last bit. Without a count none.
void fill_range(const Fields& fields, std::string_view key, double from, double to, long count,
                SweepParameter& parameter) {
  if (parameter.logarithmic && !(from > 0.0 && to > 0.0))
    return fields.say(key, fmt::format("expected ends above 0, got {:g} and {:g}", from, to));
  if (!std::isfinite(to - from)) return fields.say(key, "expected ends that are not so far apart");
  parameter.low = from;
  parameter.high = to;
  for (long i = 0; i < count; ++i) {
    const auto k = static_cast<double>(i), parts = static_cast<double>(std::max(1L, count - 1));
    double value = parameter.logarithmic ? std::pow(10.0, ((parts - k) * std::log10(from) + k * std::log10(to)) / parts)
                                         : from + (to - from) * k / parts;
    if (i == 0) value = from;
    if (i > 0 && i == count - 1) value = to;
    parameter.numbers.push_back(value);
  }
}

// [from, to, count], or [from, to].
void read_range(const Fields& fields, std::string_view key, SweepParameter& parameter) {
  const std::optional<std::vector<double>> given = fields.numbers(key);
  if (!given) return;
  parameter.logarithmic = key == "log_range";
  if (given->size() < 2 || given->size() > 3)
    return fields.say(key, fmt::format("expected [from, to, count], got {} numbers", given->size()));
  const double count = given->size() == 3 ? (*given)[2] : 0.0;
  if (given->size() == 3 && (count != std::round(count) || count < 1.0 || count > most_values))
    return fields.say(key, fmt::format("expected a whole number from 1 to 1e7 as the count, got {:g}", count));
  fill_range(fields, key, (*given)[0], (*given)[1], static_cast<long>(count), parameter);
}

// The same in words: from, to, count, log.
void read_ends(const Fields& fields, SweepParameter& parameter) {
  const bool ends = fields.require("from", "the first value, beside to, and count in a grid") &&
                    fields.require("to", "the last value, beside from, and count in a grid");
  const std::optional<double> from = fields.number("from"), to = fields.number("to");
  const std::optional<long> count = fields.has("count") ? read_whole(fields, "count", 1, most_values) : 0;
  parameter.logarithmic = fields.truth("log").value_or(false);
  if (ends && from && to && count) fill_range(fields, "from", *from, *to, *count, parameter);
}

void read_values(const Fields& fields, SweepParameter& parameter) {
  const List* list = fields.find("values")->list();
  if (!list) return fields.say("values", fmt::format("expected a list, got {}", describe(*fields.find("values"))));
  if (list->empty()) return fields.say("values", "is empty: expected one value or more");
  const bool plain =
      std::all_of(list->begin(), list->end(), [](const Value& node) { return node.number().has_value(); });
  parameter.whole = std::all_of(list->begin(), list->end(),
                                [](const Value& node) { return std::holds_alternative<std::int64_t>(node.data); });
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

// A distribution without a table of its own: what is left of the parameter's.
Distribution read_own_distribution(const Fields& fields, const Table& given) {
  Table rest{{}, true, given.at};
  for (const Item& item : given.items)
    if (item.key != "name" && item.key != "key" && item.key != "keys") rest.items.push_back(item);
  return read_distribution(Fields(fields.problems(), fields.path(), Levels{&rest}, rest.at));
}

// What says which values it takes, of a distribution that stands in the parameter itself, ends in words, and the others.
std::string_view how_given(const Fields& fields) {
  if (fields.has("distribution")) return "distribution";
  const bool ends = fields.has("from") || fields.has("to");
  const std::string_view other = fields.one_of({"values", "range", "log_range", "random", "expression"});
  if (!other.empty() && ends) fields.say("from", fmt::format("is given beside {}: expected one of them", other));
  if (ends) return "from";
  for (const char* key : {"count", "log"})
    if (fields.has(key)) fields.say(key, "is for a range that is given by from and to");
  if (other.empty()) fields.say("values", "is missing: expected values, range, log_range, random or expression");
  return other;
}

}  // namespace

SweepParameter read_parameter(const Fields& fields, const Table& given) {
  static constexpr std::string_view known[] = {"name",      "key",    "keys",       "values",   "range",
                                               "log_range", "random", "expression", "together", "from",
                                               "to",        "count",  "log"};
  const std::string_view how = how_given(fields), called = fields.path().name;
  if (how != "distribution") fields.refuse_unknown(known);
  SweepParameter parameter;
  parameter.place = key_place(fields, fields.has("key") ? "key" : fields.has("keys") ? "keys" : "");
  parameter.keys = read_keys(fields, how != "expression" && !fields.has("name") && called.empty());
  const std::string usual = !called.empty() || parameter.keys.empty() ? std::string(called) : parameter.keys.front();
  parameter.name = fields.text("name").value_or(usual);
  if (how != "distribution") parameter.together = fields.text("together").value_or("");
  if (how == "values") {
    read_values(fields, parameter);
  } else if (how == "from") {
    read_ends(fields, parameter);
  } else if (how == "range" || how == "log_range") {
    read_range(fields, how, parameter);
  } else if (how == "expression") {
    parameter.kind = ParameterKind::derived;
    parameter.expression = fields.text("expression").value_or("0");
    parameter.place = key_place(fields, "expression");
  } else if (!how.empty()) {
    parameter.kind = ParameterKind::drawn;
    parameter.distribution =
        how == "random" ? read_distribution(fields.table("random")) : read_own_distribution(fields, given);
  }
  if (!parameter.together.empty() && parameter.kind != ParameterKind::list)
    fields.say("together", "is for lists and ranges");
  return parameter;
}

}  // namespace taut
