#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "taut/file/keys.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/read/read_sections.h"

namespace taut {

namespace {

struct SignalName {
  SignalKind kind;
  std::span<const std::string_view> keys;
};

constexpr auto signal_kinds = std::to_array<SignalName>({{SignalKind::constant, keys::signal_constant},
                                                         {SignalKind::step, keys::signal_step},
                                                         {SignalKind::ramp, keys::signal_ramp},
                                                         {SignalKind::cosine, keys::signal_cosine},
                                                         {SignalKind::sine, keys::signal_sine},
                                                         {SignalKind::table, keys::signal_table},
                                                         {SignalKind::hermite, keys::signal_hermite}});

const SignalName* signal_of(const Fields& table) {
  std::vector<std::string_view> known;
  for (const SignalName& signal : signal_kinds) known.emplace_back(taut::name(signal.kind));
  if (!table.require("kind", fmt::format("one of {}", fmt::join(known, ", ")))) return nullptr;
  const std::optional<std::string> given = table.text("kind");
  if (!given) return nullptr;
  for (const SignalName& signal : signal_kinds) {
    if (*given == taut::name(signal.kind)) return &signal;
  }
  table.say_unknown_word("kind", *given, known);
  return nullptr;
}

void required(const Fields& table, const char* key, double& value) {
  if (table.require(key, "a number")) value = table.number(key).value_or(value);
}

void required(const Fields& table, const char* key, std::vector<double>& values) {
  if (table.require(key, "a list of numbers")) values = table.numbers(key).value_or(values);
}

// `file` beside the model file, or `t` and `values` in place.
void read_rows(const Fields& table, const std::string& model_file, Signal& signal) {
  if (!table.has("file")) {
    if (!table.has("t") && !table.has("values")) return table.say("file", "is missing: expected file, or t and values");
    required(table, "t", signal.times);
    return required(table, "values", signal.values);
  }
  if (table.has("t") || table.has("values")) {
    return table.say("file", "is given beside t and values: expected one or the other");
  }
  const std::optional<std::string> file = table.text("file");
  if (!file) return;
  const std::string path = path_of_file(table, "file", *file, model_file);
  try {
    read_signal_file(path, signal);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      const std::string line = problem.place.line > 0 ? fmt::format(", line {}", problem.place.line) : "";
      table.say("file", fmt::format("{}{}: {}", in_quotes(path), line, problem.message));
    }
  }
}

void read_kind(const Fields& table, const std::string& model_file, Signal& signal) {
  switch (signal.kind) {
    case SignalKind::constant:
      return required(table, "value", signal.value);
    case SignalKind::step:
      required(table, "before", signal.before);
      required(table, "after", signal.after);
      return required(table, "at", signal.at);
    case SignalKind::ramp:
    case SignalKind::cosine:
      required(table, "from", signal.from);
      required(table, "to", signal.to);
      signal.start = table.number("start").value_or(0.0);
      signal.end = signal.start + 1.0;  // stands in for a faulty one
      return required(table, "end", signal.end);
    case SignalKind::sine:
      required(table, "mean", signal.mean);
      required(table, "amplitude", signal.amplitude);
      required(table, "period", signal.period);
      signal.phase = table.number("phase").value_or(0.0);
      signal.ramp = table.number("ramp").value_or(0.0);
      return;
    case SignalKind::table:
      return read_rows(table, model_file, signal);
    case SignalKind::hermite:
      required(table, "t", signal.times);
      required(table, "values", signal.values);
      return required(table, "slopes", signal.slopes);
  }
}

}  // namespace

std::string path_of_file(const Fields& table, std::string_view key, const std::string& file,
                         const std::string& model_file) {
  const Value& named = *table.find(key);
  return path_beside(is_override(named) ? model_file : *named.at.source->name, file);
}

bool parse_cell(std::string_view text, double& value) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  if (first == std::string_view::npos) return false;
  text = text.substr(first, last - first + 1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_signal(const Fields& owner, std::string_view key, const std::string& model_file, Signal& signal) {
  const size_t before = owner.problems().size();
  const Value* number = nullptr;
  const Fields table = owner.table(key, &number);
  if (number && !number->number()) {
    owner.say(key, fmt::format("expected a number or a table with kind = \"...\", got {}", describe(*number)));
  } else if (number && !table.has("kind")) {
    signal.value = to_number(owner.problems(), *number, owner.path().text(key)).value_or(1.0);
    table.refuse_unknown(keys::signal_constant, "a constant signal");
    signal.value = table.number("value").value_or(signal.value);
  } else if (const SignalName* kind = signal_of(table)) {
    signal.kind = kind->kind;
    table.refuse_unknown(kind->keys, fmt::format("a {} signal", name(kind->kind)));
    read_kind(table, model_file, signal);
  }
  return owner.problems().size() == before;
}

void read_signal_file(const std::string& file, Signal& signal) {
  const std::string text = read_text_file(file);
  const auto refuse = [&](int line, std::string message) {
    throw InputError(std::vector<Problem>{{{file, line, 1}, "", std::move(message)}});
  };
  int line = 0;
  bool first = true;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const size_t comma = row.find(',');
    double t = 0.0, value = 0.0;
    const bool time_given = parse_cell(row.substr(0, comma), t);
    const bool header = first && !time_given;
    first = false;
    if (header) continue;
    const bool value_given = comma != std::string_view::npos && parse_cell(row.substr(comma + 1), value);
    if (!time_given || !value_given || !std::isfinite(t) || !std::isfinite(value))
      refuse(line, fmt::format("expected two finite numbers t,value, got {}", in_quotes(row)));
    if (!signal.times.empty() && !(t > signal.times.back())) {
      refuse(line, fmt::format("time {} does not come after {}", t, signal.times.back()));
    }
    signal.times.push_back(t);
    signal.values.push_back(value);
  }
  if (signal.times.empty()) refuse(0, "has no rows t,value");
}

}  // namespace taut
