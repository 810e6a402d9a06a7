// taut statics as a program: its object, its sentences, its exit codes.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

using Json = nlohmann::json;

const char* const planar_x = R"(name = "planar X"
environment.gravity = [0, 0, 0]
bars = [{ pairs = [["a", "c"], ["b", "d"]], mass = 1.0 }]
cables = [{ paths = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]], stiffness = 100.0, rest_length = 1.0 }]
loads = [
  { node = "c", force = [0, -1, 0] },
  { node = "d", force = [0, -1, 0] },
]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], fixed = ["y", "z"] }
c = { at = [1, 1, 0], fixed = ["z"] }
d = { at = [0, 1, 0], fixed = ["z"] }
)";

struct StaticsProgram : ::testing::Test {
  ScratchFolder folder;
  void SetUp() override { write("x.toml", planar_x); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder.path() / name) << text; }
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), "statics");
    return run_program(words, folder.path());
  }
};

TEST_F(StaticsProgram, PrintsTheObjectOfN3) {
  const Outcome outcome = run({"x.toml", "--json", "--matrices", "--compliance", "c", "--min-tension", "0"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const Json object = Json::parse(outcome.out);
  EXPECT_EQ(object["self_stress_states"], 1);
  EXPECT_EQ(object["mechanisms"], 0);
  EXPECT_EQ(object["rigid_motions"], 0);
  EXPECT_EQ(object["stability"], "super-stable");
  const auto near = [&](const Json& value, double expected) { EXPECT_NEAR(value.get<double>(), expected, 1e-12); };
  const Json& q = object["force_densities"];
  near(q["a-b"], 1), near(q["c-d"], 1), near(q["b-c"], 0), near(q["d-a"], 0), near(q["a-c"], -1), near(q["b-d"], -1);
  near(object["member_forces"]["a-c"], -std::sqrt(2.0));
  for (const char* node : {"a", "b"}) near(object["reactions"][node][0], 0), near(object["reactions"][node][1], 1);
  ASSERT_EQ(object["self_stress"].size(), 1u);
  near(object["self_stress"][0]["b-c"], 1), near(object["self_stress"][0]["b-d"], -1);
  EXPECT_TRUE(object.contains("min_stiffness_eigenvalue"));
  EXPECT_EQ(object["matrices"]["coordinates"].size(), 5u);
}

TEST_F(StaticsProgram, SpeaksInSentences) {
  write("push.toml", R"([environment]
gravity = [0, 0, 0]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], mass = 1, fixed = ["y", "z"] }
c = { at = [1, 1, 0], mass = 1, fixed = ["z"] }
d = { at = [0, 1, 0], mass = 1, fixed = ["z"] }
[[cables]]
paths = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"], ["a", "c"], ["b", "d"]]
stiffness = 100.0
rest_length = 1.0
)");
  const Outcome outcome = run({"push.toml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("No self-stress keeps all cables in tension; cables a-c and b-d would have to push."),
            std::string::npos)
      << outcome.out;
}

TEST_F(StaticsProgram, RefusesWhatItCannotUse) {
  EXPECT_EQ(run({"x.toml", "--forces", "least"}).exit_code, 2);
  EXPECT_EQ(run({"x.toml", "--compliance", "z"}).exit_code, 2);
  EXPECT_EQ(run({"none.toml"}).exit_code, 2);
}

// A machine: forces of members and torques of drives, and the matrices behind them.
TEST_F(StaticsProgram, Machines) {
  write("legs.toml", "[generate]\nkind = \"three_dof_mechanism\"\n");
  const Outcome outcome = run({"legs.toml", "--json", "--matrices", "--compliance", "c1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const Json found = Json::parse(outcome.out);
  EXPECT_EQ(found["self_stress_states"], 3);
  EXPECT_EQ(found["mechanisms"], 0);
  EXPECT_NEAR(found["member_forces"]["cable1"].get<double>(), 1000.0 * std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(std::abs(found["torques"]["knee1"].get<double>()), 4000.0, 1e-6);
  EXPECT_EQ(found["matrices"]["coordinates"].size(), 12u);
  EXPECT_GT(found["compliance"]["c1"][0][0].get<double>(), 0.0);
  EXPECT_NE(run({"legs.toml"}).out.find("The start is in balance"), std::string::npos);
}

TEST_F(StaticsProgram, SaysWhichForcesItsVerdictIsAbout) {
  write("column.toml", R"(environment.gravity = [0, 0, 0]
bars = [{ nodes = ["o", "t"], mass = 0.1 }]
cables = [{ paths = [["l", "t"], ["r", "t"]], stiffness = 50, pretension = 10.0 }]
loads = [{ node = "t", force = [0, 0, -300] }]
[nodes]
o = { at = [0, 0, 0], fixed = true }
t = { at = [0, 0, 1], mass = 0.1, fixed = ["y"] }
l = { at = [-1, 0, 1], fixed = true }
r = { at = [1, 0, 1], fixed = true }
)");
  const Json object = Json::parse(run({"column.toml", "--json"}).out);
  EXPECT_EQ(object["stability"], "unstable");
  EXPECT_EQ(object["stability_of"], "member_forces");
  EXPECT_EQ(object["self_stress_stability"], "super-stable");
  EXPECT_FALSE(object["stable_with_forces"].get<bool>());
  EXPECT_NEAR(object["buckling_factor"].get<double>(), 1.0 / 3.0, 1e-8);
  const std::string text = run({"column.toml"}).out;
  EXPECT_NE(text.find("It is unstable under weight and loads"), std::string::npos) << text;
  EXPECT_NE(text.find("Without loads, with a self-stress as small as need be, it is super-stable"), std::string::npos)
      << text;
  EXPECT_NE(text.find("It has buckled: it bears 0.3333 of the load, node t gives way."), std::string::npos) << text;
}

TEST_F(StaticsProgram, ForcesThatCannotBeAreNotStable) {
  write("push.toml", R"(environment.gravity = [0, 0, 0]
bars = [{ nodes = ["a", "c"], mass = 0.1 }]
cables = [{ paths = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"], ["b", "d"]], stiffness = 1000, strain = 0.0 }]
[nodes]
a = { at = [0, 0, 0], mass = 0.1 }
b = { at = [1, 0, 0], mass = 0.1 }
c = { at = [1, 1, 0], mass = 0.1 }
d = { at = [0, 1, 0], mass = 0.1 }
)");
  const Json object = Json::parse(run({"push.toml", "--json"}).out);
  EXPECT_FALSE(object["stable_with_forces"].get<bool>());
  EXPECT_TRUE(object["stability_of"].is_null());
  const Outcome huge = run({"x.toml", "--min-tension", "1e308"});
  EXPECT_EQ(huge.exit_code, 2);
  EXPECT_TRUE(huge.out.empty());
  EXPECT_NE(huge.error.find("more than 1e+100 N"), std::string::npos) << huge.error;
}

TEST_F(StaticsProgram, FixedNodesAndTensionThatNothingHoldsHaveTheirWords) {
  write("fixed.toml", R"(environment.gravity = [0, 0, 0]
cables = [{ nodes = ["a", "b"], stiffness = 1000, pretension = 5.0 }]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], fixed = true }
)");
  const std::string fixed = run({"fixed.toml"}).out;
  EXPECT_NE(fixed.find("All its nodes are fixed: nothing can move"), std::string::npos) << fixed;
  EXPECT_EQ(fixed.find("prestress-stable"), std::string::npos) << fixed;
  write("loose.toml", R"(environment.gravity = [0, 0, 0]
cables = [{ nodes = ["a", "b"], stiffness = 1000, pretension = 5.0 }]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], mass = 1 }
)");
  const Outcome loose = run({"loose.toml"});
  EXPECT_NE(loose.out.find("No self-stress reaches cable a-b: nothing holds the tension wanted there."),
            std::string::npos)
      << loose.out;
  EXPECT_FALSE(Json::parse(run({"loose.toml", "--json"}).out)["forces_feasible"].get<bool>());
}

TEST_F(StaticsProgram, ACableWithoutLengthIsSaid) {
  write("short.toml", R"(environment.gravity = [0, 0, 0]
cables = [{ nodes = ["a", "b"], stiffness = 1, rest_length = 1 }]
[nodes]
a = { at = [0, 0, 0], mass = 1 }
b = { at = [0, 0, 0], mass = 1 }
)");
  const Outcome outcome = run({"short.toml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("cable a-b has no length and so no direction"), std::string::npos) << outcome.out;
}

TEST_F(StaticsProgram, OptionsThatCannotBeAreRefused) {
  write("string.toml", R"(environment.gravity = [0, 0, 0]
cables = [{ paths = [["a", "b"], ["b", "c"]], stiffness = 1000, pretension = 5.0 }]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], mass = 1 }
c = { at = [2, 0, 0], fixed = true }
)");
  const Outcome bounds = run({"string.toml", "--min-tension", "9", "--max-tension", "5"});
  EXPECT_EQ(bounds.exit_code, 2);
  EXPECT_NE(bounds.error.find("--min-tension: is 9 N, more than --max-tension allows, 5 N"), std::string::npos)
      << bounds.error;
  const Outcome tolerance = run({"string.toml", "--tolerance", "2"});
  EXPECT_EQ(tolerance.exit_code, 2);
  EXPECT_NE(tolerance.error.find("expected a number above 0, 0.1 at most, not \"2\""), std::string::npos)
      << tolerance.error;
  // A node asked for twice is listed once.
  const std::string twice = run({"string.toml", "--compliance", "b", "--compliance", "b"}).out;
  EXPECT_EQ(twice.find("Node b gives way"), twice.rfind("Node b gives way")) << twice;
}

}  // namespace
}  // namespace taut::testing
