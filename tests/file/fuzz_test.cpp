// Thousands of damaged files: each is a Scenario or an InputError, never anything else.
#include <gtest/gtest.h>

#include <random>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "tests/file/model_support.h"

namespace taut {
namespace {

constexpr std::string_view rich_model = R"(# everything once
name = "rich"
[environment]
gravity = [0, 0, -9.81]
ground = { height = -1.0, stiffness = 1e5, damping = 3e2, friction = 0.8, heights = { spacing = [1, 2], rows = [[0, 0.5], [0, 0.25]] } }
collision = { law = "exponential", stiffness = 1e4, length = 0.02 }
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = [0, 0, 1]
"c.d" = { at = [1, 0, 1], mass = 0.5, velocity = [0.5, 0, 0], fixed = ["y"] }
e = { at = [0.1, 0, 0.5], contact = false }
p = [2, 0, 1]
q = [3, 0, 1]
r = [2, 1, 1]
[[bars]]
nodes = ["a", "b"]
mass = 2
com = 0.25
attached = ["e"]
[[bars]]
pairs = [["a", "c.d"]]
EA = 1e5
pretension = -5.0
[[bodies]]
name = "plate"
nodes = ["p", "q", "r"]
outline = ["r", "p", "q"]
shape = "plate"
thickness = 0.01
density = 100
angular_velocity = [0, 0, 1]
[[bodies]]
name = "ball"
nodes = ["p"]
mass = 3
centre = [2, 0.5, 1]
inertia = [1, 2, 2.5, 0.1, 0, 0]
[[cables]]
nodes = ["b", "c.d"]
name = "driven"
stiffness = 100
damping = 0x1F
rest_length = 0.9
law = "softplus"
beta = 1e-3
[[cables]]
paths = [["a", "c.d"], ["a", "b", "c.d", "a"]]
friction = { law = "coulomb", coefficient = 0.2, slip_speed = 0.01 }
law = { kind = "table", strain = [0, 0.1, 0.2], force = [0, 10, 15] }
strain = 0.05
[[constraints]]
sum = [["b", 1.0], ["a", -2.0]]
value = [0, 0, 1]
axes = ["x", "z"]
[[actuators]]
cable = "driven"
rest_length = { kind = "sine", mean = 0.9, amplitude = 0.01, period = 7.0, phase = 0.5, ramp = 2.0 }
[[loads]]
node = "b"
force = [0, 0, -10]
from = 0.5
to = 1_000.5
[[outputs]]
frame = "plate"
nodes = ["a", "b", "c.d"]
relative_to = "other"
[[outputs]]
frame = "other"
nodes = ["b", "c.d", "a"]
[[controllers]]
kind = "pid"
name = "hands"
inputs = ["a-c.d"]
targets = ["c.d.x"]
bounds = [[0.1, inf]]
speed = 0.5
path = { t = [0, 0.5], values = [[1], [1.1]], slopes = [0, 0.1] }
position_gain = [0.5]
integral_gain = 2
[[controllers]]
kind = "lqr"
rate = 50
inputs = ["a-b-c.d-a"]
targets = ["plate.yaw", "driven.tension"]
path = { t = [0, 0.5, 2], values = [[1, 0], [1.1, 0.2], [3, 4]] }
position_weight = [1, 2]
input_weight = 0.1
bias = 3.0
[simulation]
integrator = 'rk4'
step = 1e-3
)";

// True if it was read, false if it was refused; anything else fails the test.
bool read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    const Scenario s = read_scenario_text(text, "m.toml", overrides);
    EXPECT_EQ(read_scenario_text(to_toml(s), "m.toml"), s);  // what is accepted can be written
    return true;
  } catch (const InputError& error) {
    EXPECT_FALSE(error.problems().empty());
    for (const Problem& problem : error.problems()) EXPECT_FALSE(problem.message.empty());
  }
  return false;
}

TEST(Fuzz, TheRichModelIsSound) { EXPECT_EQ(testing::problems_of(rich_model), std::vector<std::string>{}); }

TEST(Fuzz, DamagedCharacters) {
  std::mt19937 engine(1);
  const auto pick = [&](size_t n) { return static_cast<size_t>(engine() % n); };
  static const std::string alphabet = "[]{}=.,\"'#\n\r\t _-+:eE0123456789abinfx\\\x01\x7f\xc3\xa9\xff";
  int good = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text(rich_model);
    for (size_t edits = 1 + pick(3); edits > 0; --edits) {
      const size_t at = pick(text.size()), length = std::min(1 + pick(6), text.size() - at);
      const size_t digit = text.find_first_of("0123456789", at);
      switch (pick(5)) {
        case 0:
          text[at] = alphabet[pick(alphabet.size())];
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          if (digit != std::string::npos) text[digit] = static_cast<char>('0' + pick(10));
          break;
        case 3:
          text.insert(at, 1 + pick(4), alphabet[pick(alphabet.size())]);
          break;
        default:
          text.insert(at, text.substr(pick(text.size()), length));
          break;
      }
    }
    good += read(text) ? 1 : 0;
  }
  EXPECT_GT(good, 200);  // the damage is of a kind that also leaves readable files
  EXPECT_LT(good, 3900);
}

// Whole values exchanged for others of every kind: valid TOML throughout, so that the reader itself is reached.
TEST(Fuzz, ExchangedValues) {
  std::mt19937 engine(2);
  const auto pick = [&](size_t n) { return static_cast<size_t>(engine() % n); };
  const std::vector<std::string> values = {"0",
                                           "-1",
                                           "1e400",
                                           "nan",
                                           "-inf",
                                           "\"\"",
                                           "\"a\"",
                                           "\"b\"",
                                           "true",
                                           "[]",
                                           "{}",
                                           "[[]]",
                                           "1e308",
                                           "-1e308",
                                           "1e-320",
                                           "9223372036854775807",
                                           "[1, 2, 3]",
                                           "[\"a\", \"b\"]",
                                           "[[\"a\", \"b\"]]",
                                           "[\"x\"]",
                                           "1979-05-27",
                                           "{ kind = \"table\" }",
                                           "{ kind = \"spring\" }",
                                           "\"table\"",
                                           "[nan, 1, 1]"};
  std::vector<std::pair<size_t, size_t>> places;  // of the values after "key = " at the starts of lines
  for (size_t at = rich_model.find(" = "); at != std::string_view::npos; at = rich_model.find(" = ", at + 1)) {
    const size_t line = rich_model.rfind('\n', at), end = rich_model.find('\n', at);
    if (rich_model.substr(line, at - line).find('=') == std::string_view::npos)
      places.emplace_back(at + 3, end - at - 3);
  }
  ASSERT_GT(places.size(), 25u);
  for (int i = 0; i < 3000; ++i) {
    std::string text(rich_model);
    const auto [at, length] = places[pick(places.size())];
    text.replace(at, length, values[pick(values.size())]);
    read(text);
  }
}

TEST(Fuzz, Lines) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < rich_model.size();) {
    const size_t end = rich_model.find('\n', begin) + 1;
    lines.emplace_back(rich_model.substr(begin, end - begin));
    begin = end;
  }
  // Every line left out, doubled, and cut in the middle.
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string without, doubled, cut;
    for (size_t j = 0; j < lines.size(); ++j) {
      if (j != i) without += lines[j];
      doubled += lines[j] + (j == i ? lines[j] : "");
      cut += j == i ? lines[j].substr(0, lines[j].size() / 2) + "\n" : lines[j];
    }
    read(without);
    read(doubled);
    read(cut);
  }
  // Every beginning of the file.
  for (size_t length = 0; length <= rich_model.size(); ++length) read(std::string(rich_model.substr(0, length)));
}

TEST(Fuzz, Overrides) {
  std::mt19937 engine(3);
  const auto pick = [&](size_t n) { return static_cast<size_t>(engine() % n); };
  const std::vector<std::string> sections = {
      "name",       "environment", "nodes", "bars", "cables", "constraints", "actuators", "loads",       "generate",
      "simulation", "model",       "x",     "\"\"", "a\"b",   "*",           "",          "controllers", "bodies"};
  const std::vector<std::string> selectors = {
      "*",  "0",       "1",   "99999999999999999999", "driven", "b", "plate", "\"c.d\"", "ground", "step", "-1", "",
      "'x", "gravity", "kind"};
  const std::vector<std::string> keys = {
      "mass",    "nodes",  "law",      "rest_length", "at",       "sum",
      "force",   "x",      "pairs",    "name",        "law.kind", "rest_length.period",
      "cable",   "node",   "axes",     "EA",          "strain",   "shape",
      "inertia", "radius", "attached", "density",     "outline",  "centre"};
  const std::vector<std::string> values = {"1",
                                           "-1",
                                           "nan",
                                           "x",
                                           "[",
                                           "[]",
                                           "[1, 2, 3]",
                                           "{}",
                                           "{ a = 1 }",
                                           "\"b\"",
                                           "",
                                           "=",
                                           "true",
                                           "[\"a\", \"b\"]",
                                           "[[\"a\", 1]]",
                                           "prism",
                                           "spring",
                                           "sphere",
                                           "1\n2",
                                           "\xff"};
  for (int i = 0; i < 4000; ++i) {
    std::string text = sections[pick(sections.size())];
    if (pick(6) > 0) text += "." + selectors[pick(selectors.size())];
    if (pick(4) > 0) text += "." + keys[pick(keys.size())];
    if (pick(20) > 0) text += "=" + values[pick(values.size())];
    read(std::string(rich_model), {text});
  }
}

}  // namespace
}  // namespace taut
