#include "taut/control/controllers/process_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/base/text/text.h"
#include "taut/base/text/xml_text.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

using Json = nlohmann::json;

constexpr int deepest = 3;                     // {"commands": {"name": 0.1}}
constexpr std::size_t longest_text = 1 << 20;  // bytes of an answer, and
constexpr std::size_t longest_number = 64;     // of each number or name in it
constexpr std::size_t longest_note = 1000;     // characters
constexpr std::size_t shown_inputs = 12;       // in messages

// A line of JSON, an object.
class Line {
 public:
  explicit Line(std::string& text) : text_(text) { text_ += '{'; }

  void whole(const char* key, int value) {
    begin(key);
    text_ += std::to_string(value);
  }
  void number(const char* key, double value) {
    begin(key);
    add(value);
  }
  void numbers(const char* key, std::span<const double> values) {
    begin(key);
    add(values);
  }
  // `count` vectors of three numbers each.
  void vectors(const char* key, const double* values, std::size_t count, std::size_t stride) {
    begin(key);
    list(count, [&](std::size_t i) { add(std::span(values + stride * i, 3)); });
  }
  void pairs(const char* key, const std::vector<std::array<double, 2>>& values) {
    begin(key);
    list(values.size(), [&](std::size_t i) { add(std::span(values[i])); });
  }
  void name(const char* key, const std::string& value) {
    begin(key);
    add(value);
  }
  void names(const char* key, const std::vector<std::string>& values) {
    begin(key);
    list(values.size(), [&](std::size_t i) { add(values[i]); });
  }
  void end() { text_ += "}\n"; }

 private:
  void begin(const char* key) {
    if (text_.back() != '{') text_ += ',';
    text_ += '"';
    text_ += key;
    text_ += "\":";
  }
  template <class F>
  void list(std::size_t count, const F& element) {
    text_ += '[';
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text_ += ',';
      element(i);
    }
    text_ += ']';
  }
  // Always with a point or an exponent: "-0" would lose its sign in programs that have whole numbers.
  void add(double value) {
    if (!std::isfinite(value)) {
      text_ += "null";
      return;
    }
    std::array<char, 32> digits{};  // the longest has 24
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view written(digits.data(), static_cast<std::size_t>(end - digits.data()));
    text_ += written;
    if (written.find_first_of(".e") == std::string_view::npos) text_ += ".0";
  }
  void add(std::span<const double> values) {
    list(values.size(), [&](std::size_t i) { add(values[i]); });
  }
  void add(const std::string& value) { text_ += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace); }

  std::string& text_;
};

template <class Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

Json parsed(std::string_view line) {
  const auto shallow = [](int depth, Json::parse_event_t event, const Json&) {
    const bool opens = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= deepest) throw BadAnswer(fmt::format("a line with more than {} levels of brackets", deepest));
    return true;
  };
  try {
    return Json::parse(line.begin(), line.end(), shallow);
  } catch (const Json::parse_error& error) {
    const bool no_number = line.find("NaN") != line.npos || line.find("Infinity") != line.npos;
    throw BadAnswer(quoted_line(line) + (no_number ? ", which is not JSON: that has no NaN and no Infinity"
                                                   : fmt::format(", which is not JSON (at byte {}): a line holds an "
                                                                 "answer and nothing else, other text belongs on "
                                                                 "standard error",
                                                                 error.byte)));
  } catch (const Json::exception&) {
    throw BadAnswer(fmt::format("{}, which has a number that is too large", quoted_line(line)));
  }
}

std::string shown(const Json& value) { return in_quotes(value.dump(-1, ' ', false, Json::error_handler_t::replace)); }

// A number, or null.
double number_or_null(const Json& value, const std::string& of) {
  if (value.is_null()) return NAN;
  if (!value.is_number()) throw BadAnswer(fmt::format("{} for {}: expected a number or null", shown(value), of));
  return value.get<double>();
}

// Of one line, and not too long; the text of a message in the results.
std::string note_of(const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) throw BadAnswer(fmt::format("{} for \"note\": expected a text", shown(value)));
  std::string note = value.get<std::string>();
  std::replace_if(
      note.begin(), note.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  if (note.size() <= longest_note) return note;
  std::size_t end = longest_note;
  while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xC0U) == 0x80U) --end;
  return note.substr(0, end) + "...";
}

// By name, or in the order of the inputs.
std::vector<double> commands_of(const Json& given, const std::vector<std::string>& inputs) {
  std::vector<double> commands(inputs.size(), NAN);
  if (given.is_array()) {
    if (given.size() != inputs.size())
      throw BadAnswer(fmt::format("{}, expected {}: {}", plural(given.size(), "command", "commands"), inputs.size(),
                                  listed(inputs, shown_inputs)));
    for (std::size_t i = 0; i < inputs.size(); ++i) commands[i] = number_or_null(given[i], in_quotes(inputs[i]));
    return commands;
  }
  if (given.is_null()) return commands;
  if (!given.is_object())
    throw BadAnswer(
        fmt::format("{} for \"commands\": expected a list of numbers, or names with numbers", shown(given)));
  for (const auto& [name, value] : given.items()) {
    const auto input = std::find(inputs.begin(), inputs.end(), name);
    if (input == inputs.end())
      throw BadAnswer(fmt::format("a command for {}, which is not an input{}", in_quotes(name),
                                  suggestion(name, {inputs.begin(), inputs.end()})));
    commands[static_cast<std::size_t>(input - inputs.begin())] = number_or_null(value, in_quotes(name));
  }
  return commands;
}

std::vector<double> memory_of(const Json& given, std::size_t count) {
  std::vector<double> memory;
  if (given.is_null()) return memory;
  if (!given.is_array() || given.size() != count)
    throw BadAnswer(fmt::format("{} for \"memory\": expected a list of {}, which is the key memory of the controller",
                                shown(given), plural(count, "number", "numbers")));
  for (const Json& value : given) {
    if (!value.is_number()) throw BadAnswer(fmt::format("{} in \"memory\": expected numbers", shown(value)));
    memory.push_back(value.get<double>());
  }
  return memory;
}

}  // namespace

std::string quoted_line(std::string_view line) {
  constexpr std::size_t enough = 240;  // bytes: more than in_quotes() shows
  return in_quotes(valid_utf8(line.substr(0, enough)));
}

ProcessLines::ProcessLines(const Model& model, const ControllerSpec& spec)
    : model_(model), spec_(spec), joints_(joint_columns(model)) {
  for (const ControlInput& input : spec.steer.inputs) inputs_.push_back(input_name(model, input));
}

void ProcessLines::header(std::string& text) const {
  const SteerSettings& steer = spec_.steer;
  std::vector<std::string> units;
  std::vector<std::array<double, 2>> bounds;
  std::vector<double> rests, positions, commands;
  for (const ControlInput& input : steer.inputs) {
    units.emplace_back(unit(model_, input));
    bounds.push_back({input.bounds.least, input.bounds.most});
    commands.push_back(input.cable >= 0 ? model_.cables[static_cast<std::size_t>(input.cable)].rest_length : 0.0);
  }
  for (const Cable& cable : model_.cables) rests.push_back(cable.rest_length);
  for (const Node& node : model_.nodes) positions.insert(positions.end(), node.position.begin(), node.position.end());
  const std::vector<std::string> names = controller_names(model_);

  Line line(text);
  line.name("taut", "controller");
  line.whole("format", process_format);
  line.name("controller", names[static_cast<std::size_t>(&spec_ - model_.controllers.data())]);
  line.name("model", model_.name);
  line.number("rate", spec_.rate);
  line.number("start", spec_.start);
  line.number("speed", steer.speed);
  line.whole("memory", steer.memory);
  line.names("inputs", inputs_);
  line.names("units", units);
  line.pairs("bounds", bounds);
  line.names("nodes", names_of(model_.nodes));
  line.names("cables", names_of(model_.cables));
  line.names("joints", joints_);
  line.vectors("start_nodes", positions.data(), model_.nodes.size(), 3);
  line.numbers("start_rest_lengths", rests);
  line.numbers("start_commands", commands);
  line.end();
}

void ProcessLines::instant(const Observation& now, std::span<const double> memory, std::span<const double> commands,
                           std::string& text) const {
  const std::size_t nodes = model_.nodes.size(), cables = model_.cables.size();
  Line line(text);
  line.number("time", now.t);
  line.vectors("nodes", now.x, nodes, 4);
  line.vectors("velocities", now.v, nodes, 4);
  line.numbers("lengths", {now.length, cables});
  line.numbers("length_rates", {now.length_rate, cables});
  line.numbers("tensions", {now.tension, cables});
  line.numbers("rest_lengths", {now.rest, cables});
  line.numbers("joints", {now.joints, joints_.size()});
  if (now.contact != nullptr) line.vectors("contact", now.contact, nodes, 4);
  line.numbers("commands", commands);
  line.numbers("memory", memory);
  line.end();
}

std::size_t ProcessLines::longest_answer() const {
  return longest_text + longest_number * (inputs_.size() + static_cast<std::size_t>(spec_.steer.memory));
}

ProcessAnswer ProcessLines::read(std::string_view line) const {
  const Json json = parsed(line);
  ProcessAnswer answer;
  if (json.is_array()) {
    answer.commands = commands_of(json, inputs_);
    return answer;
  }
  if (!json.is_object())
    throw BadAnswer(fmt::format("{}: expected a list of {}, or an object such as {{\"commands\": [...]}}", shown(json),
                                plural(inputs_.size(), "command", "commands")));
  answer.commands.assign(inputs_.size(), NAN);
  for (const auto& [key, value] : json.items()) {
    if (key == "commands")
      answer.commands = commands_of(value, inputs_);
    else if (key == "memory")
      answer.memory = memory_of(value, static_cast<std::size_t>(spec_.steer.memory));
    else if (key == "note")
      answer.note = note_of(value);
    else
      throw BadAnswer("an object in which " + unknown_word(key, {"commands", "memory", "note"}));
  }
  return answer;
}

}  // namespace taut
