// [[controllers]]: read, written and read again, refused with the place of what is wrong.
#include <gtest/gtest.h>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "tests/file/model_support.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using testing::problems_of;

// A six-bar over a ground; the controller begins in line 6.
const std::string robot =
    "[environment]\ngravity = [0, 0, -9.81]\nground = { height = -1 }\n[generate]\nkind = \"six_bar\"\n";

ControllerSpec read_one(const std::string& keys, const std::vector<std::string>& set = {}) {
  return read_scenario_text(robot + "[[controllers]]\nkind = \"roll\"\n" + keys, "m.toml", set).model.controllers.at(0);
}

void expect_problem(const std::string& keys, const std::string& problem) {
  EXPECT_EQ(problems_of(robot + "[[controllers]]\n" + keys), std::vector<std::string>{"m.toml:" + problem}) << keys;
}

TEST(Controllers, DefaultsAndEveryKey) {
  EXPECT_EQ(read_one(""), ControllerSpec{});
  const ControllerSpec spec = read_one(
      "name = \"legs\"\nrate = 50\nstart = 1.5\npolicy = \"two_cable\"\ndirection = [-1, 2]\nspeed = 0.7\nshortest = "
      "0.3\n"
      "longest = 1.4\n");
  EXPECT_EQ(spec.name, "legs");
  EXPECT_EQ(spec.rate, 50.0);
  EXPECT_EQ(spec.start, 1.5);
  EXPECT_EQ(spec.roll, (RollSettings{RollPolicy::two_cable, {-1.0, 2.0}, 0.7, 0.3, 1.4}));
}

TEST(Controllers, WrittenAndReadAgain) {
  for (const char* keys :
       {"", "name = \"a \\\"b\\\"\"\nrate = 12.5\nstart = 0.25\nspeed = 0.1\nshortest = 0.9\nlongest = 1\n",
        "policy = \"two_cable\"\ndirection = [0.1, -0.7]\n"}) {
    const Scenario s = read_scenario_text(robot + "[[controllers]]\nkind = \"roll\"\n" + keys, "m.toml");
    EXPECT_EQ(read_scenario_text(to_toml(s), "again.toml"), s) << keys;
  }
}

TEST(Controllers, OverridesByNameAndNumber) {
  EXPECT_EQ(read_one("name = \"legs\"\n", {"controllers.legs.speed=0.9"}).roll.speed, 0.9);
  EXPECT_EQ(read_one("", {"controllers.0.direction=[0, 1]"}).roll.direction, (std::array{0.0, 1.0}));
  EXPECT_EQ(problems_of(robot + "[[controllers]]\nkind = \"roll\"\nname = \"legs\"\n", {"controllers.lges.speed=1"}),
            std::vector<std::string>{"--set controllers.lges.speed=1: controllers.lges.speed: there is no controller "
                                     "\"lges\" (did you mean \"legs\"?)"});
}

TEST(Controllers, AFileThatBuildsOnAnotherReplacesByName) {
  const testing::ScratchFolder folder;
  testing::write_text(folder / "base.toml", robot + "[[controllers]]\nkind = \"roll\"\nname = \"legs\"\nspeed = 0.9\n");
  testing::write_text(folder / "top.toml",
                      "model = \"base.toml\"\n[[controllers]]\nkind = \"roll\"\nname = \"legs\"\nrate = 5\n");
  const Model model = read_scenario((folder / "top.toml").string()).model;
  ASSERT_EQ(model.controllers.size(), 1u);
  EXPECT_EQ(model.controllers[0].rate, 5.0);
  EXPECT_EQ(model.controllers[0].roll.speed, RollSettings{}.speed);
}

TEST(Controllers, WrongKeysAndValues) {
  const auto roll = [](const std::string& key, const std::string& problem) {
    expect_problem("kind = \"roll\"\n" + key + "\n", "8:" + problem);
  };
  expect_problem("rate = 5\n",
                 "6:1: controllers[0].kind: is missing: expected one of roll, table, pid, lqr, computed_torque, "
                 "near_rigid, process");
  expect_problem(
      "kind = \"rol\"\n",
      "7:8: controllers[0].kind: \"rol\" is not known: expected one of roll, table, pid, lqr, computed_torque, "
      "near_rigid, process (did you mean \"roll\"?)");
  roll("polcy = 1", "1: controllers[0].polcy: is not a key of a roll controller (did you mean \"policy\"?)");
  roll("policy = \"two_cables\"",
       "10: controllers[0].policy: \"two_cables\" is not known: expected one of two_cable, all_cables (did you mean "
       "\"two_cable\"?)");
  roll("rate = 0", "8: controllers[0].rate: is 0: expected a number above 0");
  roll("rate = 1e7", "8: controllers[0].rate: is 10000000: expected at most 1e+06 instants per second");
  roll("start = -1", "9: controllers[0].start: is negative (-1): expected 0 or more");
  roll("speed = -1", "9: controllers[0].speed: is -1: expected a number above 0");
  roll("speed = nan", "9: controllers[0].speed: expected a finite number, got nan");
  roll("direction = [0, 0]", "13: controllers[0].direction: is [0, 0]: expected a direction, such as [1, 0]");
  roll("direction = [1, 0, 0]", "13: controllers[0].direction: expected two numbers [x, y], got a list of 3");
  roll("shortest = 1", "12: controllers[0].shortest: is 1: expected a fraction of the rest length above 0 and below 1");
  roll("longest = 0.9", "11: controllers[0].longest: is 0.9: expected 1 or more, as a multiple of the rest length");
}

TEST(Controllers, WhatCannotRollIsRefused) {
  const auto expect = [](const std::string& model, const std::string& message) {
    const std::vector<std::string> problems = problems_of(model + "[[controllers]]\nkind = \"roll\"\n");
    ASSERT_FALSE(problems.empty()) << message;
    EXPECT_NE(problems.front().find(message), std::string::npos) << problems.front();
  };
  expect("[generate]\nkind = \"six_bar\"\n", "controllers[0].kind: \"roll\" needs a ground: give environment.ground");
  expect("[environment]\nground = { height = -9 }\ngravity = [0, 0, 0]\n[generate]\nkind = \"six_bar\"\n",
         "\"roll\" needs a gravity that points down");
  const std::string four =
      "[environment]\nground = { height = -9 }\n[nodes]\na = { at = [0, 0, 0], mass = 1, fixed = true }\n"
      "b = { at = [1, 0, 0], mass = 1 }\nc = { at = [0, 1, 0], mass = 1 }\nd = { at = [0, 0, 1], mass = 1 }\n"
      "[[cables]]\nnodes = [\"a\", \"b\"]\nstiffness = 1\nrest_length = 1\n";
  expect(four, "\"roll\" needs a robot that is free: node \"a\" is fixed");
  expect(robot + "[[constraints]]\nsum = [[\"n1\", 1]]\nvalue = [0.5, 0.25, 0]\n",
         "\"roll\" needs a robot that is free: remove the constraints");
  expect("[environment]\nground = { height = -9 }\n[nodes]\na = { at = [0, 0, 0], mass = 1 }\n",
         "\"roll\" needs cables to drive (\"two_cable\": two), and four nodes or more");
  expect(robot + "[[actuators]]\ncable = \"n1-n5\"\nrest_length = 0.5\n",
         "\"roll\" drives every cable, but \"n1-n5\" has an actuator");
  expect(robot + "[[controllers]]\nkind = \"roll\"\n", "controllers[1].kind: \"roll\" drives every cable, and so does");
  EXPECT_EQ(
      problems_of(robot + "[[controllers]]\nkind = \"roll\"\nname = \"a\"\n[[controllers]]\nkind = \"roll\"\nname = "
                          "\"a\"\n")
          .size(),
      2u);
}

}  // namespace
}  // namespace taut
