// [environment] in a model file: the ground in all its forms, collisions, and everything that can be wrong with them.
#include <gtest/gtest.h>

#include "taut/file/write/write_toml.h"
#include "tests/file/model_support.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using testing::problems_of;
using Texts = std::vector<std::string>;

const std::string nodes = "[nodes]\na = { at = [0, 0, 1], mass = 1 }\nb = { at = [0, 0.5, 2], mass = 1 }\n";

std::string with(const std::string& environment) { return "[environment]\n" + environment + "\n" + nodes; }

void expect(const std::string& environment, const std::string& problem) {
  const Texts found = problems_of(with(environment));
  ASSERT_EQ(found.size(), 1u) << environment << (found.empty() ? "" : "\n" + found[0]);
  EXPECT_NE(found[0].find(problem), std::string::npos) << found[0];
}

TEST(Environment, GroundKeysAndDefaultsByLaw) {
  const auto ground = [](const std::string& text) {
    return *read_scenario_text(with("ground = " + text), "m.toml", {}).model.ground;
  };
  EXPECT_EQ(ground("{}"), Ground{});
  const Ground smooth = ground("{ law = \"smooth\" }");
  EXPECT_EQ(smooth.law, PressKind::smooth);
  EXPECT_EQ(smooth.beta, 1e-3);
  EXPECT_EQ(smooth.damping, 3e2);
  const Ground hunt = ground("{ law = \"hunt_crossley\", exponent = 2, damping = 0.1 }");
  EXPECT_EQ(hunt.stiffness, 1e6);
  EXPECT_EQ(hunt.exponent, 2.0);
  EXPECT_EQ(hunt.damping, 0.1);
  const Ground rest = ground("{ slip_speed = 0.01, viscous = 2, radius = 0.1, normal = [0, 1, 2] }");
  EXPECT_EQ(rest.slip_speed, 0.01);
  EXPECT_EQ(rest.viscous, 2.0);
  EXPECT_EQ(rest.radius, 0.1);
  EXPECT_EQ(rest.normal, Vec3(0, 1, 2));
}

TEST(Environment, HeightsFromTheFileAndInPlace) {
  const testing::ScratchFolder folder;
  testing::write_text(folder / "hill.csv", "# a hill\n0,0.1,0\r\n0, 0.2 ,0\n\n");
  testing::write_text(
      folder / "m.toml",
      with("ground = { height = -1, heights = { file = \"hill.csv\", origin = [-1, 2], spacing = [0.5, 0.25] } }"));
  const HeightGrid grid = read_scenario((folder / "m.toml").string()).model.ground->heights;
  const HeightGrid expected{-1.0, 2.0, 0.5, 0.25, 3, 2, {0, 0.1, 0, 0, 0.2, 0}};
  EXPECT_EQ(grid, expected);
  const Scenario in_place = read_scenario_text(
      with("ground = { heights = { rows = [[0, 0.1, 0], [0, 0.2, 0]], origin = [-1, 2], spacing = [0.5, 0.25] } }"),
      "m.toml", {});
  EXPECT_EQ(in_place.model.ground->heights, expected);
  EXPECT_EQ(read_scenario_text(to_toml(in_place), "again.toml", {}), in_place);
}

TEST(Environment, AHeightFieldWithHolesIsRefusedWithLineAndColumn) {
  const testing::ScratchFolder folder;
  const auto problem = [&](const std::string& csv) {
    testing::write_text(folder / "hill.csv", csv);
    testing::write_text(folder / "m.toml", with("ground = { heights = { file = \"hill.csv\" } }"));
    try {
      read_scenario((folder / "m.toml").string());
    } catch (const InputError& error) {
      EXPECT_EQ(error.problems().size(), 1u);
      EXPECT_EQ(error.problems()[0].key, "environment.ground.heights.file");
      EXPECT_EQ(error.problems()[0].place.line, 2);
      return error.problems()[0].message;
    }
    return std::string("none");
  };
  const auto expect_in = [&](const std::string& csv, const std::string& part) {
    const std::string found = problem(csv);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect_in("0,0,0\n0,,0\n", "line 2, column 2: is empty");
  expect_in("0,0,0\n0,0,0\n0,0,\n", "line 3, column 3: is empty");
  expect_in("0,0\n0,nan\n", "line 2, column 2: is nan");
  expect_in("0,inf\n0,0\n", "line 1, column 2: is inf");
  expect_in("0,0,0\n0,0\n", "line 2, column 3: the row has 2 heights, the first one has 3");
  expect_in("0,0\n0,hill\n", "line 2, column 2: is \"hill\"");
  expect_in("0,0\n\n0,0\n", "line 2, column 1: the line is empty");
  expect_in("", "has no rows of heights");
  EXPECT_EQ(problem("0,1\n1,0\n"), "none");
}

TEST(Environment, WhatCanBeWrongWithAGround) {
  expect("ground = { stiffness = 0 }", "environment.ground.stiffness: is 0: expected a number above 0");
  expect("ground = { stiffness = -1e5 }", "environment.ground.stiffness: is -100000: expected a number above 0");
  expect("ground = { friction = -0.1 }", "environment.ground.friction: is negative");
  expect("ground = { damping = -1 }", "environment.ground.damping: is negative");
  expect("ground = { slip_speed = 0 }", "environment.ground.slip_speed: is 0");
  expect("ground = { viscous = -1 }", "environment.ground.viscous: is negative");
  expect("ground = { radius = -1 }", "environment.ground.radius: is negative");
  expect("ground = { law = \"smooth\", beta = 0 }", "environment.ground.beta: is 0");
  expect("ground = { law = \"hunt_crosley\" }", "did you mean \"hunt_crossley\"?");
  expect("ground = { law = \"hunt_crossley\", exponent = 0.5 }",
         "environment.ground.exponent: is 0.5: expected 1 or more");
  expect("ground = { exponent = 2 }", "belongs to law = \"hunt_crossley\" only");
  expect("ground = { normal = [1, 0, 0] }", "expected a direction that points up");
  expect("ground = { normal = [0, 0, 1], heights = { rows = [[0, 0], [0, 0]] } }",
         "environment.ground.normal: is given beside heights");
  expect("ground = { heights = {} }", "environment.ground.heights.file: is missing");
  expect("ground = { heights = { rows = [[0, 0], [0]] } }",
         "environment.ground.heights.rows[1]: has 1 heights, the first row has 2");
  expect("ground = { heights = { rows = [[0, 0]] } }", "environment.ground.heights: has 1 rows of 2: expected 2 by 2");
  expect("ground = { heights = { rows = [[0, 0], [0, 0]], spacing = 0 } }", "environment.ground.heights.spacing: is 0");
  expect("ground = { heights = { rows = [[0, 0], [0, nan]] } }",
         "environment.ground.heights.rows[1][1]: expected a finite number");
  expect("ground = { heights = { file = \"nowhere.csv\" } }", "nowhere.csv");
  expect("ground = { heights = { rows = [[0, 0], [0, 0]], spacing = [1, 2, 3] } }", "expected a number or two numbers");
}

TEST(Environment, AStructureThatStartsBelowTheGroundIsNamedNodeByNode) {
  const Texts found = problems_of(with("ground = { height = 1.25 }"));
  EXPECT_EQ(found, (Texts{"m.toml:2:10: environment.ground: the structure starts below the ground: node \"a\" by 0.25 "
                          "m; expected every free "
                          "node above it: lower the ground or raise the structure"}));
  const Texts both = problems_of(with("ground = { height = 3, radius = 0.5 }"));
  ASSERT_EQ(both.size(), 1u);
  EXPECT_NE(both[0].find("nodes \"a\" by 2.5 m, \"b\" by 1.5 m"), std::string::npos) << both[0];
  // On it, or pressed in by its own weight, it may be; a node that is held in place may be anywhere.
  EXPECT_EQ(problems_of(with("ground = { height = 1 }")), Texts{});
  EXPECT_EQ(problems_of(with("ground = { height = 1.00009, stiffness = 1e5 }")), Texts{});
  EXPECT_EQ(problems_of("[environment]\nground = {}\n[nodes]\na = { at = [0, 0, -1], fixed = true }\n"), Texts{});
  // A hill under one node.
  EXPECT_NE(problems_of(with("ground = { heights = { rows = [[1.5, 0], [0, 0]] } }")), Texts{});
}

const std::string cross =
    "[nodes]\na = [-1, 0, 0]\nb = [1, 0, 0]\nc = [0, -1, 0.015]\nd = [0, 1, 0.015]\ne = [0, 0, 1]\n"
    "[[bars]]\npairs = [[\"a\", \"b\"], [\"c\", \"d\"], [\"a\", \"e\"]]\nmass = 1\n";

TEST(Environment, Collisions) {
  const Scenario s = read_scenario_text(
      with("collision = { law = \"exponential\", stiffness = 1e3, damping = 1, length = 0.1 }"), "m.toml", {});
  EXPECT_EQ(*s.model.collision, (Collision{PressKind::exponential, 1e3, 1.0, 1e-4, 0.1}));
  EXPECT_EQ(read_scenario_text(to_toml(s), "again.toml", {}), s);
  const Scenario rough = read_scenario_text(with("collision = { friction = 0.4, slip_speed = 2e-3 }"), "m.toml", {});
  EXPECT_EQ(rough.model.collision->friction, 0.4);
  EXPECT_EQ(rough.model.collision->slip_speed, 2e-3);
  EXPECT_EQ(read_scenario_text(to_toml(rough), "again.toml", {}), rough);
  expect("collision = { friction = -1 }", "environment.collision.friction: is negative");
  expect("collision = { slip_speed = 0 }", "environment.collision.slip_speed: is 0");
  expect("collision = { stiffness = 0 }", "environment.collision.stiffness: is 0");
  expect("collision = { damping = -1 }", "environment.collision.damping: is negative");
  expect("collision = { law = \"smooth\" }", "expected one of linear, exponential");
  expect("collision = { length = 1 }", "belongs to law = \"exponential\" only");
  expect("collision = { rubbing = 1 }", "environment.collision.rubbing: is not a known key");
  EXPECT_EQ(problems_of(cross), Texts{});  // nobody asked
  EXPECT_EQ(problems_of("[environment]\ncollision = {}\n" + cross),
            (Texts{"m.toml:2:13: environment.collision: bars \"a-b\" and \"c-d\" start 0.005 m inside each other (axes "
                   "0.015 m apart, radii 0.01 m and "
                   "0.01 m): expected bars that do not cross"}));
  EXPECT_EQ(problems_of("[environment]\ncollision = {}\n" + cross, {"bars.*.radius=0.005"}), Texts{});
  EXPECT_EQ(problems_of("[environment]\ncollision = { law = \"exponential\", length = 1e-5 }\n" + cross,
                        {"bars.*.radius=0.005"})
                .size(),
            1u);
}

}  // namespace
}  // namespace taut
