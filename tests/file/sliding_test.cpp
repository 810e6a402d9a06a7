// `friction` of cables: what may be said, what is refused and where, groups and overrides, writing.
#include <gtest/gtest.h>

#include "taut/file/write/write_toml.h"
#include "tests/file/model_support.h"

namespace taut {
namespace {

using testing::problems_of;
using Strings = std::vector<std::string>;

// Line 8 is the friction.
std::string with(std::string_view friction, std::string_view nodes = R"(nodes = ["a", "b", "c"])") {
  return R"([nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], fixed = true }
c = { at = [1, 0, -1], mass = 1 }
[[cables]]
)" + std::string(nodes) +
         "\nstrain = 0.01\n" + std::string(friction) + "\nEA = 1e4\n";
}

SlidingFriction friction_of(const std::string& text, const Strings& overrides = {}, int cable = 0) {
  return read_scenario_text(text, "m.toml", overrides).model.cables[cable].friction;
}

TEST(ModelSliding, ReadsBothForms) {
  EXPECT_EQ(friction_of(with("")), SlidingFriction{});
  EXPECT_EQ(friction_of(with("friction = 0.25")), (SlidingFriction{SlidingKind::capstan, 0.25, 1e-3}));
  EXPECT_EQ(friction_of(with("friction = { coefficient = 1 }")), (SlidingFriction{SlidingKind::capstan, 1.0, 1e-3}));
  EXPECT_EQ(friction_of(with("friction = { law = \"capstan\", coefficient = 0.1, slip_speed = 1e-2 }")),
            (SlidingFriction{SlidingKind::capstan, 0.1, 1e-2}));
  EXPECT_EQ(friction_of(with("friction = { law = \"coulomb\", coefficient = 0.3 }")),
            (SlidingFriction{SlidingKind::coulomb, 0.3, 1e-3}));
}

TEST(ModelSliding, RefusesWhatCannotBe) {
  const auto expect = [](std::string_view friction, const std::string& problem) {
    EXPECT_EQ(problems_of(with(friction)), Strings{"m.toml:8:" + problem}) << friction;
  };
  expect("friction = -0.1", "12: cables[0].friction.coefficient: is negative (-0.1): expected 0 or more");
  expect("friction = 11", "12: cables[0].friction.coefficient: is 11: expected 10 or less");
  expect("friction = nan", "12: cables[0].friction: expected a finite number, got nan");
  expect("friction = \"much\"", "12: cables[0].friction: expected a coefficient or a table, got the text \"much\"");
  expect("friction = true", "12: cables[0].friction: expected a coefficient or a table, got true");
  expect("friction = {}", "12: cables[0].friction.coefficient: is missing: expected the coefficient of friction");
  expect("friction = { coefficient = -1 }", "28: cables[0].friction.coefficient: is negative (-1): expected 0 or more");
  expect("friction = { coefficient = 0.1, slip_speed = 0 }",
         "46: cables[0].friction.slip_speed: is 0: expected a number above 0");
  expect("friction = { coefficient = 0.1, slip_speed = -1 }",
         "46: cables[0].friction.slip_speed: is -1: expected a number above 0");
  expect("friction = { coefficient = 0.1, slip_speed = 1e-300 }",
         "46: cables[0].friction.slip_speed: is 1e-300: expected 1e-12 m/s or more");
  expect(
      "friction = { law = \"coulomb\", coefficient = 1 }",
      "45: cables[0].friction.coefficient: is 1: law coulomb needs a number below 1, above it a sharp turn holds any "
      "load");
  expect("friction = { law = \"capstn\", coefficient = 1 }",
         "20: cables[0].friction.law: \"capstn\" is not known: expected one of capstan, coulomb (did you mean "
         "\"capstan\"?)");
  expect("friction = { mu = 1, coefficient = 1 }", "14: cables[0].friction.mu: is not a known key");
}

constexpr const char* nothing_to_slide =
    "there is no inner node to slide through: expected a cable of three nodes or more";

TEST(ModelSliding, NeedsAnInnerNodeSomewhere) {
  EXPECT_EQ(problems_of(with("friction = 0.1", R"(nodes = ["a", "c"])")),
            Strings{"m.toml:8:12: cables[0].friction: " + std::string(nothing_to_slide)});
  EXPECT_EQ(problems_of(with("friction = 0.1", R"(paths = [["a", "c"], ["b", "c"]])")),
            Strings{"m.toml:8:12: cables[0].friction: " + std::string(nothing_to_slide)});
  EXPECT_EQ(problems_of(with("friction = 0", R"(nodes = ["a", "c"])")), Strings{});
  // In a group it concerns the cables that have one.
  const std::string group = with("friction = 0.1", R"(paths = [["a", "c"], ["a", "b", "c"]])");
  EXPECT_EQ(friction_of(group, {}, 0), SlidingFriction{});
  EXPECT_EQ(friction_of(group, {}, 1).coefficient, 0.1);
}

TEST(ModelSliding, Overrides) {
  const std::string group = with("", R"(paths = [["a", "c"], ["a", "b", "c"]])");
  EXPECT_EQ(friction_of(group, {"cables.a-b-c.friction=0.2"}, 1), (SlidingFriction{SlidingKind::capstan, 0.2, 1e-3}));
  EXPECT_EQ(friction_of(group, {"cables.*.friction=0.2"}, 1).coefficient, 0.2);
  EXPECT_EQ(friction_of(group, {"cables.*.friction=0.2"}, 0), SlidingFriction{});
  EXPECT_EQ(problems_of(group, {"cables.a-c.friction=0.2"}),
            Strings{"--set cables.a-c.friction=0.2: cables.a-c.friction: " + std::string(nothing_to_slide)});
  const std::string pair = with("", R"(nodes = ["a", "c"])");
  EXPECT_EQ(problems_of(pair, {"cables.*.friction=0.2"}),
            Strings{"--set cables.*.friction=0.2: cables.*.friction: " + std::string(nothing_to_slide)});
  // Single numbers of a table, and a number over a table.
  const std::string table = with("friction = { law = \"coulomb\", coefficient = 0.3, slip_speed = 0.1 }");
  EXPECT_EQ(friction_of(table, {"cables.0.friction.coefficient=0.4"}),
            (SlidingFriction{SlidingKind::coulomb, 0.4, 0.1}));
  EXPECT_EQ(friction_of(table, {"cables.0.friction=0.4"}), (SlidingFriction{SlidingKind::capstan, 0.4, 1e-3}));
  EXPECT_EQ(friction_of(with("friction = 0.3"), {"cables.0.friction.slip_speed=0.2"}),
            (SlidingFriction{SlidingKind::capstan, 0.3, 0.2}));
}

TEST(ModelSliding, IsWrittenAsItWasRead) {
  for (const char* friction : {"", "friction = 0.25", "friction = { coefficient = 0.1, slip_speed = 0.02 }",
                               "friction = { law = \"coulomb\", coefficient = 0.3 }"}) {
    const Scenario s = read_scenario_text(with(friction, R"(paths = [["a", "c"], ["a", "b", "c"]])"), "m.toml");
    const std::string text = to_toml(s);
    EXPECT_EQ(read_scenario_text(text, "m.toml"), s) << text;
    EXPECT_EQ(to_toml(read_scenario_text(text, "m.toml")), text);
    EXPECT_EQ(text.find("friction") != std::string::npos, *friction != '\0') << text;
  }
}

// A path that stays at a node says which cable and which node.
TEST(ModelSliding, TheSameNodeTwiceInARow) {
  EXPECT_EQ(problems_of(with("friction = 0.1", R"(nodes = ["a", "b", "b", "c"])")),
            Strings{"m.toml:6:9: cables[0].nodes: cable \"a-b-b-c\" names node \"b\" twice in a row: expected another "
                    "node after it"});
  EXPECT_EQ(problems_of(with("", R"(paths = [["a", "c"], ["a", "b", "b", "c"]])")),
            Strings{"m.toml:6:22: cables[0].paths[1]: cable \"a-b-b-c\" names node \"b\" twice in a row: expected "
                    "another node after it"});
}

}  // namespace
}  // namespace taut
