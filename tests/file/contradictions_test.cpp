// Linear constraints that cannot be met: which ones, against what, by how much. Redundant ones that agree are fine.
#include <gtest/gtest.h>

#include <fstream>

#include "taut/formulation/formulation.h"
#include "tests/apps/program.h"
#include "tests/file/model_support.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

using Strings = std::vector<std::string>;

// Two fixed nodes, a bar, a lone node in its middle.
const std::string base = R"([nodes]
p = { at = [0, 0, 0], fixed = true }
q = { at = [2, 0, 0], fixed = true }
a = [0, 0, 1]
b = [2, 0, 1]
m = { at = [1, 0, 1], mass = 1 }
[[bars]]
nodes = ["a", "b"]
mass = 1
)";  // nine lines

std::string constraint(const std::string& name, const std::string& sum, const std::string& value = "") {
  return "[[constraints]]\nname = \"" + name + "\"\nsum = " + sum + "\n" +
         (value.empty() ? "" : "value = " + value + "\n");
}
const std::string middle = R"([["a", 1], ["b", 1], ["m", -2]])";

void expect_problems(const std::string& constraints, const Strings& wanted) {
  Strings lines;
  for (const std::string& line : wanted) lines.push_back("m.toml:" + line);
  EXPECT_EQ(problems_of(base + constraints), lines);
}

TEST(Contradictions, TwoMidpointsWithDifferentValues) {
  expect_problems(constraint("first", middle) + constraint("second", middle, "[0.1, 0, 0]"),
                  {"15:7: constraints[1].sum: cannot be met together with constraint \"first\": off by 0.1 m along x, "
                   "wherever the nodes are"});
  // Twice the first is off by twice as much where it is written so.
  expect_problems(
      constraint("first", middle) + constraint("second", R"([["m", 4], ["a", -2], ["b", -2]])", "[0, 0.3, -0.2]"),
      {"15:7: constraints[1].sum: cannot be met together with constraint \"first\": off by 0.3 m along y, wherever the "
       "nodes are",
       "15:7: constraints[1].sum: cannot be met together with constraint \"first\": off by 0.2 m along z, wherever the "
       "nodes are"});
  // Neither is met: the first might be, by other positions; the second never beside it.
  expect_problems(constraint("first", middle, "[0, 0.2, 0]") + constraint("second", middle, "[0, 0.3, 0]"),
                  {"12:7: constraints[0].sum: is not met by the start positions: off by -0.2 m along y",
                   "16:7: constraints[1].sum: cannot be met together with constraint \"first\": off by 0.1 m along y, "
                   "wherever the nodes are"});
}

// A chain of three that does not close; without a name a constraint goes by its number.
TEST(Contradictions, AChainNamesAllItsLinks) {
  expect_problems("[[constraints]]\nsum = [[\"a\", 1], [\"m\", -1]]\nvalue = [-1, 0, 0]\n" +
                      constraint("two", R"([["m", 1], ["b", -1]])", "[-1, 0, 0]") +
                      constraint("three", R"([["a", 1], ["b", -1]])", "[-2.5, 0, 0]"),
                  {"19:7: constraints[2].sum: cannot be met together with constraints[0] and constraint \"two\": off "
                   "by 0.5 m along x, wherever the nodes are"});
}

TEST(Contradictions, FixedNodes) {
  expect_problems(constraint("c", R"([["p", 1], ["q", -1]])"),
                  {"12:7: constraints[0].sum: cannot be met together with the fixed node \"p\" and the fixed node "
                   "\"q\": off by 2 m along x, wherever the nodes are"});
  // Through a node that moves: m is held to p and to q.
  expect_problems(constraint("c", R"([["p", 1], ["m", -1]])", "[-1, 0, -1]") +
                      constraint("d", R"([["m", 1], ["q", -1]])", "[-1, 0, 1.5]"),
                  {"16:7: constraints[1].sum: cannot be met together with constraint \"c\", the fixed node \"p\" and "
                   "the fixed node \"q\": off by 0.5 m along z, wherever the nodes are"});
  // One that holds is fine, and binds nothing.
  EXPECT_EQ(problems_of(base + constraint("c", R"([["p", 1], ["q", -1]])", "[-2, 0, 0]")), Strings{});
}

TEST(Contradictions, CoincidenceOfTheEndsOfABar) {
  expect_problems(constraint("c", R"([["a", 1], ["b", -1]])"),
                  {"12:7: constraints[0].sum: cannot be met: it puts nodes \"a\" and \"b\" 0 m apart, and bar \"a-b\" "
                   "keeps them 2 m apart"});
  // Along one axis only, and too far.
  expect_problems("[[constraints]]\nsum = [[\"a\", 1], [\"b\", -1]]\nvalue = [0, 3, 0]\naxes = [\"y\"]\n",
                  {"11:7: constraints[0].sum: cannot be met: it puts nodes \"a\" and \"b\" at least 3 m apart, and bar "
                   "\"a-b\" keeps them 2 m apart"});
  // With another: m is in the middle already.
  expect_problems(constraint("mid", middle) + constraint("c", R"([["a", 1], ["m", -1]])", "[0, 0, 0.5]"),
                  {"15:7: constraints[1].sum: cannot be met (with constraint \"mid\"): it puts nodes \"a\" and \"b\" 1 "
                   "m apart, and bar \"a-b\" keeps them 2 m apart"});
}

const std::string body = R"([nodes]
a = [0, 0, 0]
b = [1, 0, 0]
c = [0, 1, 0]
m = [0.5, 0, 0]
[[bodies]]
name = "plate"
nodes = ["a", "b", "c", "m"]
shape = "plate"
mass = 1
)";

TEST(Contradictions, Bodies) {
  EXPECT_EQ(problems_of(body + constraint("c", middle)), Strings{});
  EXPECT_EQ(problems_of(body + constraint("c", middle, "[0, 0, 0.01]")),
            Strings{"m.toml:13:7: constraints[0].sum: cannot be met together with body \"plate\": off by 0.01 m along "
                    "z, wherever the nodes are"});
  EXPECT_EQ(problems_of(body + constraint("c", R"([["b", 1], ["c", -1]])", "[1, 0, 0]")),
            Strings{"m.toml:13:7: constraints[0].sum: cannot be met: it puts nodes \"b\" and \"c\" 1 m apart, and body "
                    "\"plate\" keeps them 1.41421 m apart"});
}

// What could be met, from another start, is said as before.
TEST(Contradictions, OnlyNotMet) {
  expect_problems(constraint("c", R"([["a", 1], ["m", -1]])", "[-1, 0, 0.5]"),
                  {"12:7: constraints[0].sum: is not met by the start positions: off by -0.5 m along z"});
}

TEST(Contradictions, ManyRedundantOnesThatAgree) {
  std::string text = base;
  for (int i = 0; i < 500; ++i)
    text += constraint("c" + std::to_string(i), i % 2 == 0 ? middle : R"([["m", 4], ["a", -2], ["b", -2]])");
  const Model model = read_scenario_text(text, "m.toml").model;
  const auto nodal = make_formulation("nodal", model);
  EXPECT_EQ(nodal->facts().degrees_of_freedom, 5);  // the bar
  EXPECT_EQ(nodal->facts().redundant_constraints, 3 * 499);
  // One among them that does not agree.
  EXPECT_EQ(problems_of(text + constraint("bad", middle, "[0, 0, 1]")),
            Strings{"m.toml:1512:7: constraints[500].sum: cannot be met together with constraint \"c0\": off by 1 m "
                    "along z, wherever the nodes are"});
}

TEST(Contradictions, OnTheCommandLine) {
  const ScratchFolder folder;
  std::ofstream(folder / "m.toml") << base + constraint("first", middle) + constraint("second", middle, "[0.1, 0, 0]");
  for (const char* command : {"check", "run"}) {
    const Outcome outcome = run_program({command, "m.toml"}, folder.path());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.error.find("m.toml:15:7: constraints[1].sum: cannot be met together with constraint \"first\""),
              std::string::npos)
        << outcome.error;
  }
  std::ofstream(folder / "good.toml") << base + constraint("first", middle) + constraint("second", middle);
  const Outcome good = run_program({"check", "good.toml"}, folder.path());
  EXPECT_EQ(good.exit_code, 0) << good.error;
  EXPECT_NE(good.out.find("3 of its bars, bodies and constraints repeat what"), std::string::npos) << good.out;
}

// Bodies of a machine need no nodes, and then nothing of them is in a constraint.
TEST(Contradictions, MachineWithABodyWithoutNodes) {
  const std::string machine = R"([[bodies]]
name = "drum"
centre = [0, 0, 3]
mass = 1
shape = "sphere"
radius = 0.1
[[bodies]]
name = "block"
nodes = ["m"]
mass = 0
[[joints]]
name = "axle"
kind = "revolute"
bodies = ["ground", "drum"]
at = [0, 0, 3]
axis = [0, 0, 1]
)";
  expect_problems(machine + constraint("c", R"([["a", 1], ["m", -1]])"),
                  {"28:7: constraints[0].sum: is not met by the start positions: off by -1 m along x"});
  expect_problems(machine + constraint("c", R"([["p", 1], ["q", -1]])", "[-1, 0, 0]"),
                  {"28:7: constraints[0].sum: cannot be met together with the fixed node \"p\" and the fixed node "
                   "\"q\": off by 1 m along x, wherever the nodes are"});
}

}  // namespace
}  // namespace taut::testing
