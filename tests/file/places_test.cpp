// Every entity of a model knows where it stands in its file; options are values that errors name as they were typed.
#include <gtest/gtest.h>

#include <fstream>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/formulation/formulation.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

const char* const text = R"([nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], mass = 1 }
c = { at = [0, 1, 0], mass = 1 }
"d.e" = { at = [0, 0, 1], mass = 1 }
[[bars]]
pairs = [["a", "b"],
         ["a", "c"]]
mass = 1
[[cables]]
nodes = ["b", "c"]
stiffness = 10
rest_length = 1
[[cables]]
name = "long"
nodes = ["c", "d.e"]
stiffness = 10
rest_length = 1
[[actuators]]
cable = "long"
rest_length = 2
[[constraints]]
name = "level"
sum = [["b", 1.0]]
value = [0, 0, 0]
axes = ["z"]
[[loads]]
node = "b"
force = [0, 0, -1]
[[outputs]]
frame = "f"
nodes = ["a", "b", "c"]
[[targets]]
cables = ["long"]
tension = 3
[[controllers]]
kind = "table"
name = "wave"
inputs = ["b-c"]
path = { t = [0, 1], values = [1, 2] }
)";

void expect_place(const EntityPlace& place, std::string_view name, int line, int column, const std::string& key) {
  ASSERT_TRUE(place.known()) << key;
  EXPECT_EQ(*place.file, "m.toml") << key;
  EXPECT_EQ(place.line, line) << key;
  EXPECT_EQ(place.column, column) << key;
  EXPECT_EQ(place.key(name), key);
}

TEST(Places, OfEveryEntity) {
  const Model model = read_scenario_text(text, "m.toml").model;
  expect_place(model.nodes[1].place, "b", 3, 5, "nodes.b");
  expect_place(model.nodes[3].place, "d.e", 5, 9, "nodes.\"d.e\"");
  expect_place(model.bars[0].place, "a-b", 7, 10, "bars[0].pairs[0]");
  expect_place(model.bars[1].place, "a-c", 8, 10, "bars[0].pairs[1]");
  expect_place(model.cables[0].place, "b-c", 10, 1, "cables[0]");
  expect_place(model.cables[1].place, "long", 15, 8, "cables[1]");
  expect_place(model.actuators[0].place, "", 19, 1, "actuators[0]");
  expect_place(model.constraints[0].place, "level", 23, 8, "constraints[0]");
  expect_place(model.loads[0].place, "", 27, 1, "loads[0]");
  expect_place(model.frames[0].place, "f", 30, 1, "outputs[0]");
  expect_place(model.wanted_tensions[0].place, "", 33, 1, "targets[0]");
  expect_place(model.controllers[0].place, "wave", 38, 8, "controllers[0]");
}

// A file that builds on another, and one that generates.
TEST(Places, OfOtherFilesAndOfGenerators) {
  const ScratchFolder folder;
  std::ofstream(folder / "base.toml") << "\n[nodes]\na = { at = [0, 0, 0], mass = 1 }\n";
  const Model built =
      read_scenario_text("model = \"base.toml\"\n[nodes]\nb = { at = [1, 0, 0], mass = 1 }\n", folder / "m.toml").model;
  EXPECT_EQ(*built.nodes[0].place.file, folder / "base.toml");
  EXPECT_EQ(built.nodes[0].place.line, 3);
  EXPECT_EQ(*built.nodes[1].place.file, folder / "m.toml");
  const Model made = read_scenario_text("name = \"x\"\n[generate]\nkind = \"prism\"\n", "m.toml").model;
  for (const Cable& cable : made.cables) {
    EXPECT_EQ(*cable.place.file, "m.toml");
    EXPECT_EQ(cable.place.line, 2);
  }
}

TEST(Places, OfLateProblems) {
  const Model model = read_scenario_text(text, "m.toml").model;
  try {
    make_formulation("minimal", model);
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.places().size(), 1u);
    EXPECT_EQ(error.places()[0].file, "m.toml");
    EXPECT_EQ(error.places()[0].line, 23);
    EXPECT_EQ(error.places()[0].column, 8);
    EXPECT_EQ(error.places()[0].key, "constraints[0]");
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("m.toml:23:8: constraints[0]: formulation minimal: constraint \"level\" couples nodes "
                                 "of different bars"))
        << error.what();
  }
}

TEST(Options, AreValuesNamedAsTyped) {
  const auto read = [](const std::vector<std::string>& set, const std::vector<Override>& options) {
    return read_scenario_text(text, "m.toml", set, options);
  };
  // They win over --set, with any text in them.
  EXPECT_EQ(read({"simulation.duration=3"}, {override_value("simulation.duration", {2.0}, "--duration 2")})
                .simulation.duration,
            2.0);
  EXPECT_EQ(read({}, {override_value("name", {"true"}, "--name true")}).model.name, "true");
  const auto complaint = [&](const Override& option) -> std::string {
    try {
      read({}, {option});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(override_value("simulation.duration", {-1.0}, "--duration -1")),
            "--duration -1: simulation.duration: is -1: expected a number above 0");
  EXPECT_EQ(
      complaint(override_value("simulation.constraints", {"magic"}, "--constraints magic")),
      "--constraints magic: simulation.constraints: \"magic\" is not known: expected one of projection, baumgarte, "
      "none");
}

}  // namespace
}  // namespace taut::testing
