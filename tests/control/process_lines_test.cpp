// The lines of a controller that is another program: every double comes back, names of any kind arrive, and answers of
// any bytes are read or refused.
#include "taut/control/controllers/process_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"

namespace taut::testing {
namespace {

using nlohmann::json;

// A model of one rope between two nodes, and a controller of it.
Model rope(const std::string& name = "rope") {
  Model model = empty_scenario().model;
  add_node(model, {0, 0, 1}, 0.0, all_fixed);
  add_node(model, {0, 0, 0}, 1.0);
  add_cable(model, {0, 1}, linear_law(100.0), 0.9);
  model.cables[0].name = name;
  ControllerSpec spec;
  spec.kind = ControllerKind::process;
  spec.steer.inputs = {{0, -1, 0, {}}};
  spec.steer.command = {"policy"};
  spec.steer.memory = 3;
  model.controllers = {spec};
  return model;
}

std::string instant_of(const Model& model, const std::vector<double>& x, const std::vector<double>& memory,
                       double tension) {
  const std::vector<double> zero(8, 0.0);
  Observation now;
  now.t = 0.1;
  now.x = x.data();
  now.v = zero.data();
  now.length = now.length_rate = now.rest = zero.data();
  now.tension = &tension;
  std::string text;
  ProcessLines(model, model.controllers[0]).instant(now, memory, {&tension, 1}, text);
  return text;
}

TEST(LinesOfProcess, EveryDoubleComesBack) {
  const Model model = rope();
  const std::vector<double> x = {-0.0, 1e22, 5e-324, 9.0, 0.1, 1.0 / 3.0, -1.7976931348623157e308, 9.0};
  const std::string line = instant_of(model, x, {1.0, -0.0, 123456789012345680.0}, NAN);
  EXPECT_EQ(line,
            "{\"time\":0.1,\"nodes\":[[-0.0,1e+22,5e-324],[0.1,0.3333333333333333,-1.7976931348623157e+308]],"
            "\"velocities\":[[0.0,0.0,0.0],[0.0,0.0,0.0]],\"lengths\":[0.0],\"length_rates\":[0.0],"
            "\"tensions\":[null],\"rest_lengths\":[0.0],\"joints\":[],\"commands\":[null],"
            "\"memory\":[1.0,-0.0,123456789012345680.0]}\n");
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::ldexp(random.between(-1.0, 1.0), random.below(2000) - 1000);
    const json now = json::parse(instant_of(model, {value, 0, 0, 0, 0, 0, 0, 0}, {}, 0.0));
    ASSERT_EQ(now["nodes"][0][0].get<double>(), value);
  }
}

TEST(LinesOfProcess, NamesOfAnyKind) {
  for (const std::string name : {"a \"b\"\\\n\t\x01", "ξ.é", "\xff\xfe"}) {
    const Model model = rope(name);
    std::string text;
    ProcessLines(model, model.controllers[0]).header(text);
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    const json header = json::parse(text);
    EXPECT_TRUE(name[0] == '\xff' || header["inputs"][0] == name) << text;
    EXPECT_EQ(header["bounds"], json::parse("[[null, null]]"));
    EXPECT_EQ(header["speed"], nullptr);
  }
}

TEST(LinesOfProcess, AnswersInEveryForm) {
  const Model model = rope();
  const ProcessLines lines(model, model.controllers[0]);
  const auto command = [&](const char* line) { return lines.read(line).commands.at(0); };
  EXPECT_EQ(command("[0.5]"), 0.5);
  EXPECT_EQ(command(" [ 1 ] \r"), 1.0);
  EXPECT_EQ(command("{\"commands\": [5e-1]}"), 0.5);
  EXPECT_EQ(command("{\"commands\": {\"rope\": 0.5}}"), 0.5);
  for (const char* line : {"[null]", "{}", "{\"commands\": null}", "{\"commands\": {}}", "{\"commands\": [null]}",
                           "{\"commands\": {\"rope\": null}}", "{\"note\": null, \"memory\": null}"})
    EXPECT_TRUE(std::isnan(command(line))) << line;
  EXPECT_EQ(lines.read("{\"memory\": [1, 2.5, -0.0]}").memory, (std::vector<double>{1.0, 2.5, 0.0}));
  EXPECT_TRUE(std::signbit(lines.read("{\"memory\": [1, 2.5, -0.0]}").memory[2]));
  EXPECT_TRUE(lines.read("{}").memory.empty());
  EXPECT_EQ(lines.read("{\"note\": \"two\\nlines\\u0007 é\"}").note, "two lines  é");
  EXPECT_EQ(lines.read("{\"note\": \"" + std::string(5000, 'x') + "\"}").note, std::string(1000, 'x') + "...");
  std::string wide;
  for (int i = 0; i < 999; ++i) wide += "é";
  const std::string cut = lines.read("{\"note\": \"x" + wide + "\"}").note;
  EXPECT_NO_THROW(json(cut).dump());  // cut between characters
}

// Whatever comes is read or refused; a sanitizer sees the rest.
TEST(LinesOfProcess, AnswersOfAnyBytes) {
  const Model model = rope();
  const ProcessLines lines(model, model.controllers[0]);
  const std::string sound = R"({"commands": {"rope": 0.25}, "memory": [1, 2, 3e0], "note": "\u00e9 é"})";
  const std::string pieces = std::string("[]{}:,\"0123456789.eE+-nulltruefalse \\u\xc3\xa9\xff\t") + '\0';
  Random random(11);
  int read = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string line = sound;
    for (int changes = random.below(4); changes >= 0; --changes) {
      const auto at = static_cast<std::size_t>(random.below(static_cast<int>(line.size())));
      const char piece = pieces[static_cast<std::size_t>(random.below(static_cast<int>(pieces.size())))];
      if (random.chance(0.4))
        line[at] = piece;
      else if (random.chance(0.5))
        line.insert(at, 1, piece);
      else
        line.erase(at, 1 + static_cast<std::size_t>(random.below(8)));
      if (line.empty()) line = "0";
    }
    try {
      const ProcessAnswer answer = lines.read(line);
      EXPECT_EQ(answer.commands.size(), 1U);
      EXPECT_FALSE(std::isinf(answer.commands[0])) << line;
      EXPECT_TRUE(answer.memory.empty() || answer.memory.size() == 3U);
      ++read;
    } catch (const BadAnswer& bad) {
      EXPECT_NO_THROW(json(bad.what()).dump()) << line;
      ++refused;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace taut::testing
