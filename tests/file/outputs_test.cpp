// [[outputs]]: frames in model files, problems reported with line and column, and frames written as they are read.
#include <gtest/gtest.h>

#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"
#include "taut/model/check/check.h"
#include "taut/model/model.h"
#include "tests/file/model_support.h"
#include "tests/support/complaint.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using testing::problems_of;
using testing::small_model;
using Strings = std::vector<std::string>;

// The nodes a, b, c of the small model span a triangle; its lines end with 16.
std::string with(std::string_view more) { return std::string(small_model) + std::string(more); }

constexpr std::string_view two_frames = R"([[outputs]]
frame = "plate"
nodes = ["c", "a", "b"]
relative_to = "base"
[[outputs]]
frame = "base"
nodes = ["a", "b", "c"]
)";

void expect_problem(std::string_view more, const std::string& problem) {
  EXPECT_EQ(problems_of(with(more)), Strings{"m.toml:" + problem}) << more;
}

TEST(Outputs, FramesAreReadInTheirOrderAndMayNameLaterOnes) {
  const Scenario s = read_scenario_text(with(two_frames), "m.toml");
  ASSERT_EQ(s.model.frames.size(), 2u);
  EXPECT_EQ(s.model.frames[0], (Frame{"plate", {2, 0, 1}, 1}));
  EXPECT_EQ(s.model.frames[1], (Frame{"base", {0, 1, 2}, -1}));
}

TEST(Outputs, ChainsAndCirclesOfBasesAreFine) {
  const Scenario s = read_scenario_text(with(R"([[outputs]]
frame = "A"
nodes = ["a", "b", "c"]
relative_to = "B"
[[outputs]]
frame = "B"
nodes = ["b", "c", "a"]
relative_to = "A"
[[outputs]]
frame = "W"
nodes = ["b", "c", "a"]
relative_to = "world"
)"),
                                        "m.toml");
  EXPECT_EQ(s.model.frames[0].relative_to, 1);
  EXPECT_EQ(s.model.frames[1].relative_to, 0);
  EXPECT_EQ(s.model.frames[2].relative_to, -1);
}

TEST(Outputs, ProblemsHaveTheirPlace) {
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\", \"c\"]\nrelativ_to = \"G\"\n",
                 "20:1: outputs[0].relativ_to: is not a known key (did you mean \"relative_to\"?)");
  expect_problem("[[outputs]]\nnodes = [\"a\", \"b\", \"c\"]\n",
                 "17:1: outputs[0].frame: is missing: expected the name of the frame");
  expect_problem("[[outputs]]\nframe = 1\nnodes = [\"a\", \"b\", \"c\"]\n",
                 "18:9: outputs[0].frame: expected a text in quotes, got 1");
  expect_problem("[[outputs]]\nframe = \"\"\nnodes = [\"a\", \"b\", \"c\"]\n",
                 "18:9: outputs[0].frame: is empty: expected a name");
  expect_problem("[[outputs]]\nframe = \"world\"\nnodes = [\"a\", \"b\", \"c\"]\n",
                 "18:9: outputs[0].frame: \"world\" is the frame that stands still: expected another name");
  expect_problem("[[outputs]]\nframe = \"F\"\n",
                 "17:1: outputs[0].nodes: is missing: expected the names of three nodes");
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = \"a\"\n",
                 "19:9: outputs[0].nodes: expected a list of node names, got the text \"a\"");
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\"]\n",
                 "19:9: outputs[0].nodes: expected three nodes, got a list of 2");
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\", \"c\", \"a\"]\n",
                 "19:9: outputs[0].nodes: expected three nodes, got a list of 4");
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\", \"a\"]\n",
                 "19:9: outputs[0].nodes: names \"a\" twice: expected three nodes");
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\", \"C\"]\n",
                 "19:20: outputs[0].nodes[2]: there is no node \"C\" (did you mean \"c\"?)");
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = [\"a\", 2, \"c\"]\n",
                 "19:15: outputs[0].nodes[1]: expected the name of a node in quotes, got 2");
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\", \"c\"]\nrelative_to = \"F\"\n",
                 "20:15: outputs[0].relative_to: is the frame itself: expected another one, or \"world\"");
  expect_problem("[[outputs]]\nframe = \"F1\"\nnodes = [\"a\", \"b\", \"c\"]\nrelative_to = \"F2\"\n",
                 "20:15: outputs[0].relative_to: there is no frame \"F2\" (did you mean \"F1\"?)");
  expect_problem("[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\", \"c\"]\nrelative_to = 3\n",
                 "20:15: outputs[0].relative_to: expected a text in quotes, got 3");
  expect_problem(
      "[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\", \"c\"]\n[[outputs]]\nframe = \"F\"\nnodes = [\"b\", \"c\", "
      "\"a\"]\n",
      "21:9: outputs[1].frame: a second frame is called \"F\"");
  expect_problem("[outputs]\nframe = \"F\"\n",
                 "17:1: outputs: expected entries that start with [[outputs]], got a table");
}

// A frame that is faulty itself is no reason to complain about those that name it.
TEST(Outputs, OneMistakeOneProblem) {
  expect_problem(
      "[[outputs]]\nframe = \"F\"\nnodes = [\"a\", \"b\", \"x\"]\n[[outputs]]\nframe = \"G\"\nnodes = [\"a\", \"b\", "
      "\"c\"]\nrelative_to = \"F\"\n",
      "19:20: outputs[0].nodes[2]: there is no node \"x\"");
}

TEST(Outputs, NodesInOneLineAreRefused) {
  const std::string line =
      "[nodes.d]\nat = [0, 0, 3]\nmass = 1\n[[outputs]]\nframe = \"F\"\nnodes = [\"d\", \"a\", \"b\"]\n";
  expect_problem(line,
                 "22:9: outputs[0].nodes: the three nodes lie in one line at the start: expected the corners of a "
                 "triangle");
  const std::string same =
      "[nodes.d]\nat = [1, 0, 1]\nmass = 1\n[[outputs]]\nframe = \"F\"\nnodes = [\"d\", \"a\", \"c\"]\n";
  expect_problem(
      same,
      "22:9: outputs[0].nodes: \"c\" and \"d\" are at the same position at the start: expected the corners of "
      "a triangle");
}

TEST(Outputs, ValidateJudgesModelsMadeByHand) {
  const auto complaint = [](const std::vector<Frame>& frames) {
    Scenario s = read_scenario_text(small_model, "m.toml");
    s.model.frames = frames;
    return testing::complaint([&] { validate(s.model); });
  };
  EXPECT_EQ(complaint({{"F", {0, 1, 2}, -1}, {"G", {2, 1, 0}, 0}}), "");
  EXPECT_EQ(complaint({{"F", {0, 1, 3}, -1}}), "outputs[0].nodes: refers to number 3 of 3");
  EXPECT_EQ(complaint({{"F", {-1, 1, 2}, -1}}), "outputs[0].nodes: refers to number -1 of 3");
  EXPECT_EQ(complaint({{"F", {0, 1, 2}, 1}}), "outputs[0].relative_to: refers to number 1 of 1");
  EXPECT_EQ(complaint({{"F", {0, 1, 2}, -2}}), "outputs[0].relative_to: refers to number -2 of 1");
}

TEST(Outputs, WhatIsWrittenIsReadBack) {
  Scenario s = read_scenario_text(with(two_frames), "m.toml");
  s.model.frames.push_back({"\"quoted\", =\n🎪", {1, 2, 0}, 0});
  EXPECT_EQ(read_scenario_text(to_toml(s), "again.toml"), s);
}

TEST(Outputs, OverridesReachThem) {
  const auto frames = [](const Strings& overrides) {
    return read_scenario_text(with(two_frames), "m.toml", overrides).model.frames;
  };
  EXPECT_EQ(frames({"outputs.plate.relative_to=world"})[0], (Frame{"plate", {2, 0, 1}, -1}));
  EXPECT_EQ(frames({"outputs.1.nodes=[\"b\", \"c\", \"a\"]"})[1], (Frame{"base", {1, 2, 0}, -1}));
  EXPECT_EQ(frames({"outputs.base.frame=ground", "outputs.plate.relative_to=ground"})[0].relative_to, 1);
  EXPECT_EQ(
      problems_of(with(two_frames), {"outputs.plat.nodes=[]"}),
      Strings{"--set outputs.plat.nodes=[]: outputs.plat.nodes: there is no frame \"plat\" (did you mean \"plate\"?)"});
  EXPECT_EQ(
      problems_of(with(two_frames), {"outputs.base.nodes=[\"a\", \"b\"]"}),
      Strings{"--set outputs.base.nodes=[\"a\", \"b\"]: outputs.base.nodes: expected three nodes, got a list of 2"});
  EXPECT_EQ(problems_of(with(two_frames), {"outputs=1"}),
            Strings{"--set outputs=1: outputs: expected outputs.NAME.key=value, outputs.NUMBER.key=value or "
                    "outputs.*.key=value"});
}

TEST(Outputs, GeneratedStructuresHaveThemToo) {
  const Scenario s = read_scenario_text(
      "[generate]\nkind = \"prism\"\n[[outputs]]\nframe = \"top\"\nnodes = [\"b1\", \"b2\", \"b3\"]\nrelative_to = "
      "\"foot\"\n[[outputs]]\nframe = \"foot\"\nnodes = [\"a1\", \"a2\", \"a3\"]\n",
      "m.toml");
  ASSERT_EQ(s.model.frames.size(), 2u);
  EXPECT_EQ(s.model.nodes[s.model.frames[0].nodes[2]].name, "b3");
  EXPECT_EQ(s.model.frames[0].relative_to, 1);
  EXPECT_EQ(read_scenario_text(to_toml(s), "again.toml"), s);
}

// A file that builds on another adds frames, and replaces those of the same name.
TEST(Outputs, FilesBuildOnEachOther) {
  const testing::ScratchFolder folder;
  testing::write_text(folder / "base.toml", with(two_frames));
  const std::string text =
      "model = \"base.toml\"\n[[outputs]]\nframe = \"base\"\nnodes = [\"b\", \"c\", \"a\"]\n[[outputs]]\nframe = "
      "\"more\"\nnodes = [\"a\", \"c\", \"b\"]\nrelative_to = \"plate\"\n";
  const Scenario s = read_scenario_text(text, (folder / "m.toml").string());
  ASSERT_EQ(s.model.frames.size(), 3u);
  EXPECT_EQ(s.model.frames[0], (Frame{"plate", {2, 0, 1}, 1}));
  EXPECT_EQ(s.model.frames[1], (Frame{"base", {1, 2, 0}, -1}));
  EXPECT_EQ(s.model.frames[2], (Frame{"more", {0, 2, 1}, 0}));
}

}  // namespace
}  // namespace taut
