// What is wrong with a file is said with line, column, key and words; all of it at once, in the order of lines.
#include <gtest/gtest.h>

#include "tests/file/model_support.h"

namespace taut {
namespace {

using testing::problems_of;
using Strings = std::vector<std::string>;

// The small model with one text replaced by another.
std::string broken(std::string_view from, std::string_view to) {
  std::string text(testing::small_model);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_one(std::string_view from, std::string_view to, const std::string& problem) {
  EXPECT_EQ(problems_of(broken(from, to)), Strings{"m.toml:" + problem});
}

std::string with(std::string_view more) { return std::string(testing::small_model) + std::string(more); }

// The same, with text added at the end; lines count from 17.
void expect_added(std::string_view more, const std::string& problem) {
  EXPECT_EQ(problems_of(with(more)), Strings{"m.toml:" + problem});
}

TEST(ReadErrors, TheSmallModelIsSound) { EXPECT_EQ(problems_of(testing::small_model), Strings{}); }

TEST(ReadErrors, UnknownKeys) {
  expect_one("name =", "nmae =", "1:1: nmae: is not a known key (did you mean \"name\"?)");
  expect_one("[[bars]]", "[[bras]]", "6:3: bras: is not a known key (did you mean \"bars\"?)");
  expect_one("stiffness = 100", "stiffness = 100\nstifness = 100",
             "12:1: cables[0].stifness: is not a known key (did you mean \"stiffness\"?)");
  expect_one("fixed = true", "fixd = true, mass = 1",
             "3:23: nodes.a.fixd: is not a known key (did you mean \"fixed\"?)");
  expect_one("name = \"small\"", "gravity = [0, 0, 0]",
             "1:1: gravity: is not a known key here: it belongs in [environment]");
  expect_one("name = \"small\"", "step = 1", "1:1: step: is not a known key here: it belongs in [simulation]");
  expect_one("mass = 2", "mass = 2\nzebra = 1", "9:1: bars[0].zebra: is not a known key");
  expect_added("[simulation]\nduratoin = 1\n",
               "18:1: simulation.duratoin: is not a known key (did you mean \"duration\"?)");
  expect_added("[environment]\ngrvity = 1\n",
               "18:1: environment.grvity: is not a known key (did you mean \"gravity\"?)");
  expect_added("[environment]\nground = { hight = 1 }\n",
               "18:12: environment.ground.hight: is not a known key (did you mean \"height\"?)");
  expect_added("[[loads]]\nnode = \"b\"\nforce = [0, 0, 1]\nform = 1\n",
               "20:1: loads[0].form: is not a known key (did you mean \"from\"?)");
  expect_added("[[constraints]]\nsum = [[\"a\", 1]]\naxis = [\"x\"]\n",
               "19:1: constraints[0].axis: is not a known key (did you mean \"axes\"?)");
  expect_added("[[actuators]]\ncable = \"b-c\"\nrest_length = 1\nkind = 1\n",
               "20:1: actuators[0].kind: is not a known key");
}

TEST(ReadErrors, NumbersOfMembersWithUnknownNodesAreJudgedToo) {
  EXPECT_EQ(problems_of("[nodes]\na = [0, 0, 0]\nb = [1, 0, 0]\n[[cables]]\nnodes = [\"a\", \"q\"]\nstiffness = -1\n"
                        "rest_length = nan\n[[bars]]\nnodes = [\"a\", \"p\"]\nmass = -2\n"),
            (Strings{"m.toml:5:15: cables[0].nodes[1]: there is no node \"q\"",
                     "m.toml:6:13: cables[0].stiffness: is negative (-1): expected 0 or more",
                     "m.toml:7:15: cables[0].rest_length: expected a finite number, got nan",
                     "m.toml:9:15: bars[0].nodes[1]: there is no node \"p\"",
                     "m.toml:10:8: bars[0].mass: is negative (-2): expected 0 or more"}));
}

TEST(ReadErrors, WrongTypes) {
  expect_one("name = \"small\"", "name = 5", "1:8: name: expected a text in quotes, got 5");
  expect_one("mass = 2", "mass = \"2\"", "8:8: bars[0].mass: expected a number, got the text \"2\"");
  expect_one("stiffness = 100", "stiffness = true", "11:13: cables[0].stiffness: expected a number, got true");
  expect_one("stiffness = 100", "stiffness = [1, 2]", "11:13: cables[0].stiffness: expected a number, got a list of 2");
  expect_one("stiffness = 100", "stiffness = 1979-05-27", "11:13: cables[0].stiffness: expected a number, got a date");
  expect_one("b = [0, 0, 1]", "b = [0, 0]", "4:5: nodes.b: expected three numbers [x, y, z], got a list of 2");
  expect_one("b = [0, 0, 1]", "b = [0, \"0\", 1]", "4:9: nodes.b[1]: expected a number, got the text \"0\"");
  expect_one("b = [0, 0, 1]", "b = 3", "4:5: nodes.b: expected a position [x, y, z] or a table with `at`, got 3");
  expect_one("b = [0, 0, 1]", "b = {}", "4:5: nodes.b.at: is missing: expected a position [x, y, z]");
  expect_one("[0, 0, 0], fixed", "{}, fixed", "3:12: nodes.a.at: expected three numbers [x, y, z], got a table");
  expect_one("fixed = true", "fixed = \"x\"",
             "3:31: nodes.a.fixed: expected true, false or a list of axes such as [\"x\", \"z\"], got the text \"x\"");
  expect_one("fixed = true", "fixed = [\"w\"]",
             "3:32: nodes.a.fixed[0]: expected \"x\", \"y\" or \"z\", got the text \"w\"");
  expect_one("fixed = true", "fixed = [\"x\", \"x\"]", "3:37: nodes.a.fixed[1]: names axis x twice");
  expect_one("nodes = [\"b\", \"c\"]", "nodes = \"b\"",
             "10:9: cables[0].nodes: expected a list of node names, got the text \"b\"");
  expect_one("nodes = [\"b\", \"c\"]", "nodes = [\"b\", 3]",
             "10:15: cables[0].nodes[1]: expected the name of a node in quotes, got 3");
  expect_one("paths = [[\"a\", \"c\"], [\"a\", \"b\", \"c\"]]", "paths = 3",
             "14:9: cables[1].paths: expected a list of node lists, got 3");
  expect_added("[simulation]\nstep = \"fast\"\n", "18:8: simulation.step: expected a number, got the text \"fast\"");
  expect_added("[simulation]\nintegrator = 4\n", "18:14: simulation.integrator: expected a text in quotes, got 4");
  expect_added("[environment]\ngravity = 9.81\n",
               "18:11: environment.gravity: expected three numbers [x, y, z], got 9.81");
  expect_added("[environment]\nground = true\n", "18:10: environment.ground: expected a table, got true");
  expect_added("[loads]\nnode = \"b\"\n", "17:1: loads: expected entries that start with [[loads]], got a table");
  const Strings list = problems_of("bars = 5\nnodes = [1]\nsimulation = 3\n");
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[1], "m.toml:1:8: bars: expected entries that start with [[bars]], got 5");
  EXPECT_EQ(list[2], "m.toml:2:9: nodes: expected a table [nodes] with lines name = [x, y, z], got a list of 1");
  EXPECT_EQ(list[3], "m.toml:3:14: simulation: expected a table, got 3");
}

TEST(ReadErrors, NumbersThatAreNone) {
  expect_one("b = [0, 0, 1]", "b = [0, nan, 1]", "4:9: nodes.b[1]: expected a finite number, got nan");
  expect_one("stiffness = 100", "stiffness = inf", "11:13: cables[0].stiffness: expected a finite number, got inf");
  expect_one("mass = 2", "mass = -inf", "8:8: bars[0].mass: expected a finite number, got -inf");
  expect_added("[simulation]\nduration = nan\n", "18:12: simulation.duration: expected a finite number, got nan");
  expect_added("[[loads]]\nnode = \"b\"\nforce = [0, inf, 0]\n",
               "19:13: loads[0].force[1]: expected a finite number, got inf");
}

TEST(ReadErrors, Signs) {
  expect_one("mass = 2", "mass = -2", "8:8: bars[0].mass: is negative (-2): expected 0 or more");
  expect_one("mass = 0.5", "mass = -0.5", "5:30: nodes.c.mass: is negative (-0.5): expected 0 or more");
  expect_one("mass = 2", "mass = 2\ninertia = -1", "9:11: bars[0].inertia: is negative (-1): expected 0 or more");
  expect_one("mass = 2", "mass = 2\nradius = 0", "9:10: bars[0].radius: is 0: expected a number above 0");
  expect_one("mass = 2", "mass = 2\ncom = 1.5",
             "9:7: bars[0].com: is 1.5: expected a fraction of the length from 0 to 1");
  expect_one("mass = 2", "mass = 2\nEA = 0", "9:6: bars[0].EA: is 0: expected a number above 0");
  expect_one("stiffness = 100", "stiffness = -1", "11:13: cables[0].stiffness: is negative (-1): expected 0 or more");
  expect_one("stiffness = 100", "EA = -1", "11:6: cables[0].EA: is negative (-1): expected 0 or more");
  expect_one("stiffness = 100", "stiffness = 1\ndamping = -1",
             "12:11: cables[0].damping: is negative (-1): expected 0 or more");
  expect_one("stiffness = 100", "stiffness = 1\nmass = -1",
             "12:8: cables[0].mass: is negative (-1): expected 0 or more");
  expect_one("rest_length = 0.9", "rest_length = 0", "12:15: cables[0].rest_length: is 0: expected a number above 0");
  expect_one("rest_length = 0.9", "rest_length = -1", "12:15: cables[0].rest_length: is -1: expected a number above 0");
  for (const std::string key : {"step", "tolerance", "duration", "output_step"}) {
    expect_added("[simulation]\n" + key + " = 0\n",
                 "18:" + std::to_string(key.size() + 4) + ": simulation." + key + ": is 0: expected a number above 0");
  }
  expect_added("[environment]\nground = { stiffness = 0 }\n",
               "18:24: environment.ground.stiffness: is 0: expected a number above 0");
  expect_added("[environment]\nground = { friction = -1 }\n",
               "18:23: environment.ground.friction: is negative (-1): expected 0 or more");
}

TEST(ReadErrors, Nodes) {
  expect_one("[\"a\", \"b\"]", "[\"a\", \"bb\"]",
             "7:15: bars[0].nodes[1]: there is no node \"bb\" (did you mean \"b\"?)");
  expect_one("[\"b\", \"c\"]", "[\"b\", \"C\"]",
             "10:15: cables[0].nodes[1]: there is no node \"C\" (did you mean \"c\"?)");
  expect_one("\"b\", \"c\"]]", "\"b\", \"node\"]]", "14:33: cables[1].paths[1][2]: there is no node \"node\"");
  expect_one("[0, 0, 1]", "{ at = [0, 0, 1], velocity = [0, 0, 1], fixed = [\"z\"] }",
             "4:34: nodes.b.velocity: is 1 m/s along z, where the node is fixed: expected 0");
  EXPECT_EQ(problems_of("[nodes]\ntower_top = [0, 0, 0]\n[[loads]]\nnode = \"towertop\"\nforce = [0, 0, 0]\n")[0],
            "m.toml:4:8: loads[0].node: there is no node \"towertop\" (did you mean \"tower_top\"?)");
  EXPECT_EQ(problems_of("[nodes]\n\"\" = { at = [0, 0, 0], mass = 1 }\n"),
            Strings{"m.toml:2:13: nodes.name: is empty: expected a name"});
}

TEST(ReadErrors, Masses) {
  expect_one(", mass = 0.5", "",
             "5:12: nodes.c: node \"c\" has no mass: give it a mass, or attach a bar or a cable that has one");
  expect_one("mass = 2", "mass = 0",
             "4:5: nodes.b: node \"b\" has no mass: give it a mass, or attach a bar or a cable that has one");
  expect_one("mass = 2\n", "", "6:1: bars[0].mass: is missing: expected the mass of the bar in kg");
  // A mass that is fixed along all axes but one still has to move along that one.
  EXPECT_EQ(
      problems_of("[nodes]\na = { at = [0, 0, 0], fixed = [\"x\", \"y\"] }\n"),
      Strings{"m.toml:2:12: nodes.a: node \"a\" has no mass: give it a mass, or attach a bar or a cable that has one"});
  // A cable's mass counts.
  EXPECT_EQ(problems_of(broken(", mass = 0.5", "") + "mass = 0.1\n"), Strings{});
  // All the mass of this bar is at its first node, and it has no inertia.
  expect_one("mass = 2", "mass = 2\ncom = 0\ninertia = 0",
             "4:5: nodes.b: node \"b\" has no mass: give it a mass, or attach a bar or a cable that has one");
  EXPECT_EQ(problems_of(broken("mass = 2", "mass = 2\ncom = 1\ninertia = 0")), Strings{});
  // Without inertia the bar's mass is one point; with one end held the other one carries it, else none does.
  EXPECT_EQ(problems_of(broken("mass = 2", "mass = 2\ninertia = 0")), Strings{});
  EXPECT_EQ(
      problems_of("[nodes]\na = [0, 0, 0]\nb = [1, 0, 0]\n[[bars]]\nnodes = [\"a\", \"b\"]\nmass = 1\ninertia = 0\n")
          .size(),
      2u);
}

TEST(ReadErrors, Bars) {
  expect_one("[\"a\", \"b\"]", "[\"a\", \"a\"]", "7:9: bars[0].nodes: the bar runs from node \"a\" to itself");
  expect_one("b = [0, 0, 1]", "b = [0, 0, 0]",
             "7:9: bars[0].nodes: the bar has no length: \"a\" and \"b\" are at the same position");
  expect_one("[\"a\", \"b\"]", "[\"a\", \"b\", \"c\"]",
             "7:9: bars[0].nodes: expected two nodes, the ends of the bar, got a list of 3");
  expect_one("nodes = [\"a\", \"b\"]", "pairs = [[\"a\", \"b\"], [\"a\"]]",
             "7:22: bars[0].pairs[1]: expected two nodes, the ends of the bar, got a list of 1");
  expect_one("nodes = [\"a\", \"b\"]", "", "6:1: bars[0].nodes: is missing: expected nodes or pairs");
  // The group key of the other section, and a misspelt one.
  expect_one("nodes = [\"a\", \"b\"]", "paths = [[\"a\", \"b\"]]",
             "7:9: bars[0].paths: is not a known key of [[bars]]: expected nodes or pairs");
  expect_one("nodes = [\"b\", \"c\"]", "pairs = [[\"b\", \"c\"]]",
             "10:9: cables[0].pairs: is not a known key of [[cables]]: expected nodes or paths");
  EXPECT_EQ(problems_of(broken("nodes = [\"a\", \"b\"]", "noeds = [\"a\", \"b\"]"))[1],
            "m.toml:7:1: bars[0].noeds: is not a known key (did you mean \"nodes\"?)");
  expect_one("mass = 2", "mass = 2\npairs = [[\"a\", \"c\"]]",
             "9:9: bars[0].pairs: is given beside nodes: expected one of nodes, pairs");
  expect_one("nodes = [\"a\", \"b\"]", "pairs = [[\"a\", \"b\"]]\nname = \"x\"",
             "8:8: bars[0].name: belongs to a single member, not to pairs");
  for (const std::string key : {"rest_length", "pretension", "strain"}) {
    expect_one("mass = 2", "mass = 2\n" + key + " = 1",
               "9:" + std::to_string(key.size() + 4) + ": bars[0]." + key +
                   ": belongs to elastic bars only: give EA as well, or leave it out");
  }
  expect_one("mass = 2", "mass = 2\nEA = 5\ninertia = 1",
             "10:11: bars[0].inertia: belongs to rigid bars only (this one has EA)");
  expect_one("mass = 2", "mass = 2\nEA = 5\npretension = -5",
             "10:14: bars[0].pretension: no rest length above 0 gives -5 N at the start length of 1 m");
  expect_one("mass = 2", "mass = 2\nEA = 5\nmass_model = \"lump\"",
             "10:14: bars[0].mass_model: \"lump\" is not known: expected one of consistent, lumped");
}

TEST(ReadErrors, Cables) {
  expect_one("[\"b\", \"c\"]", "[\"b\"]", "10:9: cables[0].nodes: expected two nodes or more, got a list of 1");
  expect_one("[\"b\", \"c\"]", "[]", "10:9: cables[0].nodes: expected two nodes or more, got a list of 0");
  expect_one("[\"b\", \"c\"]", "[\"b\", \"c\", \"c\"]",
             "10:9: cables[0].nodes: cable \"b-c-c\" names node \"c\" twice in a row: expected another node after it");
  expect_one("stiffness = 100\n", "", "9:1: cables[0].stiffness: is missing: expected stiffness (N/m) or EA (N)");
  expect_one("stiffness = 100", "stiffness = 100\nEA = 5",
             "12:6: cables[0].EA: is given beside stiffness: expected one of stiffness, EA");
  expect_one("rest_length = 0.9\n", "",
             "9:1: cables[0].rest_length: is missing: expected one of rest_length, pretension, strain");
  expect_one("rest_length = 0.9", "rest_length = 0.9\nstrain = 0.1",
             "13:10: cables[0].strain: is given beside rest_length: expected one of rest_length, pretension, strain");
  expect_one("rest_length = 0.9", "strain = -1", "12:10: cables[0].strain: is -1: expected a number above -1");
  expect_one("rest_length = 0.9", "pretension = -1",
             "12:14: cables[0].pretension: is negative (-1 N): a cable only pulls");
  expect_one("rest_length = 0.9", "pretension = 100",
             "12:14: cables[0].pretension: no rest length above 0 gives 100 N at the start length of 1 m");
  expect_one("c = { at = [1, 0, 1]", "c = { at = [0, 0, 0]",
             "16:14: cables[1].pretension: cannot be met: the member has no length at the start");
}

TEST(ReadErrors, Names) {
  expect_one("nodes = [\"b\", \"c\"]", "nodes = [\"b\", \"c\"]\nname = \"\"",
             "11:8: cables[0].name: is empty: expected a name");
  EXPECT_EQ(problems_of(with("[[cables]]\nnodes = [\"b\", \"c\"]\nname = \"x\"\nstiffness = 1\nrest_length = 1\n"
                             "[[cables]]\nnodes = [\"b\", \"c\"]\nname = \"x\"\nstiffness = 1\nrest_length = 1\n")),
            Strings{"m.toml:24:8: cables[3].name: a second cable is called \"x\""});
  EXPECT_EQ(problems_of(with("[[bars]]\nnodes = [\"b\", \"c\"]\nname = \"x\"\nmass = 1\n"
                             "[[bars]]\nnodes = [\"a\", \"c\"]\nname = \"x\"\nmass = 1\n")),
            Strings{"m.toml:23:8: bars[2].name: a second bar is called \"x\""});
  // The parser itself refuses a key that is given twice.
  EXPECT_EQ(problems_of("[nodes]\na = [0, 0, 0]\na = [1, 0, 0]\n")[0].substr(0, 10), "m.toml:3:5");
}

TEST(ReadErrors, Laws) {
  const auto law = [](std::string_view keys, const std::string& problem) {
    expect_one("stiffness = 100\nrest_length = 0.9", std::string(keys), problem);
  };
  law("stiffness = 1\nrest_length = 1\nlaw = \"sofplus\"",
      "13:7: cables[0].law: \"sofplus\" is not known: expected one of linear, softplus, spring, table (did you mean "
      "\"softplus\"?)");
  law("stiffness = 1\nrest_length = 1\nlaw = 5",
      "13:7: cables[0].law: expected one of linear, softplus, spring, table, got 5");
  law("stiffness = 1\nrest_length = 1\nlaw = {}",
      "13:7: cables[0].law.kind: is missing: expected one of linear, softplus, spring, table");
  law("stiffness = 1\nrest_length = 1\nbeta = 1", "13:8: cables[0].beta: has no meaning for law linear");
  law("stiffness = 1\nrest_length = 1\nlaw = \"spring\"\nclip = false",
      "14:8: cables[0].clip: has no meaning for law spring");
  law("stiffness = 1\nrest_length = 1\nlaw = \"softplus\"\nbeta = 0",
      "14:8: cables[0].beta: is 0: expected a number above 0");
  law("stiffness = 1\nrest_length = 1\nlaw = { kind = \"softplus\", beta = -1 }",
      "13:35: cables[0].law.beta: is -1: expected a number above 0");
  law("stiffness = 1\nrest_length = 1\nlaw = { kind = \"softplus\", clip = true }",
      "13:28: cables[0].law.clip: is not a key of law softplus");
  law("stiffness = 1\nrest_length = 1\nbeta = 1\nlaw = { kind = \"softplus\", beta = 1 }",
      "13:8: cables[0].beta: is given in law as well: expected it once");
  EXPECT_EQ(problems_of(broken("stiffness = 100\n", "law = \"table\"\n")),
            (Strings{"m.toml:11:7: cables[0].law.strain: is missing: expected a list of strains",
                     "m.toml:11:7: cables[0].law.force: is missing: expected a list of forces (N)"}));
  law("rest_length = 1\nstiffness = 1\nlaw = { kind = \"table\", strain = [0, 1], force = [0, 1] }",
      "12:13: cables[0].stiffness: has no meaning beside law table, which holds the force itself");
  const auto table = [&](const std::string& lists, const std::string& problem) {
    law("rest_length = 1\nlaw = { kind = \"table\", " + lists + " }", "12:" + problem);
  };
  table("strain = [0, 1]", "7: cables[0].law.force: is missing: expected a list of forces (N)");
  table("strain = [0, 1], force = [0]", "50: cables[0].law.force: has 1 values, law.strain has 2: expected as many");
  table("strain = [0], force = [0]", "34: cables[0].law.strain: expected two points or more");
  table("strain = [1, 0], force = [0, 1]", "34: cables[0].law.strain: does not ascend: 0 after 1");
  table("strain = [0, 1], force = [3, 1]", "50: cables[0].law.force: falls: 1 after 3");
  table("strain = [0, 1], force = [0, 0]", "50: cables[0].law.force: is never above 0, so the cable would never pull");
  table("strain = [0, 1], force = [0, \"x\"]", "54: cables[0].law.force[1]: expected a number, got the text \"x\"");
}

TEST(ReadErrors, Constraints) {
  const auto one = [](const std::string& keys, const std::string& problem) {
    expect_added("[[constraints]]\n" + keys, problem);
  };
  one("value = [0, 0, 0]\n", "17:1: constraints[0].sum: is missing: expected a list of [\"node\", coefficient]");
  one("sum = []\n", "18:7: constraints[0].sum: has no terms: expected [\"node\", coefficient] once or more");
  one("sum = 3\n", "18:7: constraints[0].sum: expected a list of [\"node\", coefficient], got 3");
  one("sum = [\"a\"]\n", "18:8: constraints[0].sum[0]: expected [\"node\", coefficient], got the text \"a\"");
  one("sum = [[\"a\", 0]]\n",
      "18:7: constraints[0].sum: the coefficient of \"a\" is 0: expected a finite number that is not 0");
  one("sum = [[\"a\", 1], [\"a\", 2]]\n", "18:7: constraints[0].sum: names \"a\" twice");
  one("sum = [[\"d\", 1]]\n", "18:9: constraints[0].sum[0][0]: there is no node \"d\"");
  one("sum = [[\"a\", \"1\"]]\n", "18:14: constraints[0].sum[0][1]: expected a number, got the text \"1\"");
  one("sum = [[\"a\", 1]]\naxes = []\n", "19:8: constraints[0].axes: is empty: expected one of x, y, z or more");
  one("sum = [[\"a\", 1]]\naxes = [\"u\"]\n",
      "19:9: constraints[0].axes[0]: expected \"x\", \"y\" or \"z\", got the text \"u\"");
  one("sum = [[\"c\", 2], [\"b\", -1]]\naxes = [\"y\", \"z\"]\n",
      "18:7: constraints[0].sum: is not met by the start positions: off by 1 m along z");
  // A part in 1e9 of the structure's size is rounding.
  EXPECT_EQ(problems_of(with("[[constraints]]\nsum = [[\"c\", 1]]\nvalue = [1.0000000009, 0, 1]\n")), Strings{});
  EXPECT_EQ(problems_of(with("[[constraints]]\nsum = [[\"c\", 1]]\nvalue = [1.0000000011, 0, 1]\n")).size(), 1u);
}

TEST(ReadErrors, Actuators) {
  const auto one = [](const std::string& signal, const std::string& problem) {
    expect_added("[[actuators]]\ncable = \"b-c\"\nrest_length = " + signal + "\n", problem);
  };
  expect_added("[[actuators]]\ncable = \"b-d\"\nrest_length = 1\n",
               "18:9: actuators[0].cable: there is no cable \"b-d\" (did you mean \"b-c\"?)");
  expect_added("[[actuators]]\nrest_length = 1\n",
               "17:1: actuators[0].cable: is missing: expected the name of a cable");
  expect_added("[[actuators]]\ncable = \"b-c\"\n",
               "17:1: actuators[0].rest_length: is missing: expected a number or a table with kind = \"...\"");
  expect_added("[[actuators]]\ncable = \"b-c\"\nrest_length = 1\n[[actuators]]\ncable = \"b-c\"\nrest_length = 1\n",
               "21:9: actuators[1].cable: \"b-c\" has an actuator already");
  one("0", "19:15: actuators[0].rest_length: is 0 m at t = 0: expected a length above 0");
  one("nan", "19:15: actuators[0].rest_length: expected a finite number, got nan");
  one("\"x\"", "19:15: actuators[0].rest_length: expected a number or a table with kind = \"...\", got the text \"x\"");
  one("{ kind = \"sine\", mean = 0.1, amplitude = 0.2, period = 1, phase = -1.5707963267948966 }",
      "19:15: actuators[0].rest_length: is -0.1 m at t = 0: expected a length above 0");
  one("{ value = 1 }",
      "19:15: actuators[0].rest_length.kind: is missing: expected one of constant, step, ramp, cosine, sine, table, "
      "hermite");
  one("{ kind = \"sin\" }",
      "19:24: actuators[0].rest_length.kind: \"sin\" is not known: expected one of constant, step, "
      "ramp, cosine, sine, table, hermite (did you mean \"sine\"?)");
  one("{ kind = \"step\", before = 1, after = 2 }",
      "19:15: actuators[0].rest_length.at: is missing: expected a number");
  one("{ kind = \"step\", before = 1, after = 2, at = 1, period = 3 }",
      "19:63: actuators[0].rest_length.period: is not a key of a step signal");
  one("{ kind = \"ramp\", from = 1, to = 2, start = 3, end = 3 }",
      "19:67: actuators[0].rest_length.end: is 3: expected a time after start (3)");
  one("{ kind = \"sine\", mean = 1, amplitude = 1, period = 0 }",
      "19:66: actuators[0].rest_length.period: is 0: expected a number above 0");
  one("{ kind = \"sine\", mean = 1, amplitude = 1, period = 1, ramp = -1 }",
      "19:76: actuators[0].rest_length.ramp: is negative (-1): expected 0 or more");
  one("{ kind = \"table\" }", "19:15: actuators[0].rest_length.file: is missing: expected file, or t and values");
  one("{ kind = \"table\", t = [0, 1], values = [1] }",
      "19:54: actuators[0].rest_length.values: has 1 values for 2 times");
  one("{ kind = \"table\", t = [], values = [] }", "19:37: actuators[0].rest_length.t: has no rows");
  one("{ kind = \"table\", t = [1, 1], values = [1, 1] }",
      "19:37: actuators[0].rest_length.t: does not ascend: 1 after 1");
  one("{ kind = \"hermite\", t = [1, 2], values = [1, 1], slopes = [0] }",
      "19:73: actuators[0].rest_length.slopes: has 1 slopes for 2 times");
  one("{ kind = \"table\", file = \"no such.csv\" }",
      "19:40: actuators[0].rest_length.file: \"no such.csv\": cannot be opened: No such file or directory");
  one("{ kind = \"table\", file = \"x.csv\", t = [0] }",
      "19:40: actuators[0].rest_length.file: is given beside t and values: expected one or the other");
}

TEST(ReadErrors, Loads) {
  expect_added("[[loads]]\nforce = [0, 0, 1]\n", "17:1: loads[0].node: is missing: expected the name of a node");
  expect_added("[[loads]]\nnode = \"b\"\n", "17:1: loads[0].force: is missing: expected a force [x, y, z] in N");
  expect_added("[[loads]]\nnode = \"b\"\nforce = [0, 0, 1]\nfrom = 2\nto = 1\n",
               "21:6: loads[0].to: is 1 s, before from (2 s)");
}

TEST(ReadErrors, SimulationWords) {
  expect_added(
      "[simulation]\nconstraints = \"projektion\"\n",
      "18:15: simulation.constraints: \"projektion\" is not known: expected one of projection, baumgarte, none "
      "(did you mean \"projection\"?)");
  expect_added("[simulation]\nformulation = \"\"\n", "18:15: simulation.formulation: is empty");
  expect_added(
      "[simulation]\nformulation = \"nodall\"\n",
      "18:15: simulation.formulation: \"nodall\" is not known: expected one of nodal, minimal, quaternion, point_mass, "
      "multibody, minimal_bounded, all (did you mean \"nodal\"?)");
  expect_added("[simulation]\nintegrator = \"leapfrogg\"\n",
               "18:14: simulation.integrator: \"leapfrogg\" is not known: expected one of auto, euler, rk4, dopri5, "
               "symplectic, cvode");
}

// A body without nodes belongs to a machine; where its joints are faulty, only they are.
TEST(ReadErrors, BodiesWithoutNodes) {
  const std::string body = "[[bodies]]\nname = \"b\"\nmass = 1\nshape = \"sphere\"\nradius = 1\ncentre = [0, 0, 1]\n";
  EXPECT_EQ(
      problems_of(body + "[[joints]]\nname = \"j\"\n"),
      Strings{"m.toml:7:1: joints[0].kind: is missing: expected fixed, revolute, prismatic, universal, spherical, "
              "planar or floating"});
  EXPECT_EQ(problems_of("[[bodies]]\n[[joints]]\n").back(),
            "m.toml:2:1: joints[0].kind: is missing: expected fixed, revolute, prismatic, universal, spherical, planar "
            "or floating");
  EXPECT_EQ(problems_of(body + "[[pulleys]]\nname = \"p\"\n").size(), 6u);
  EXPECT_EQ(problems_of(body + "[[joints]]\nname = \"j\"\nkind = \"fixed\"\nbodies = [\"ground\", \"c\"]\n"),
            Strings{"m.toml:10:21: joints[0].bodies[1]: there is no body or bar \"c\""});
  // No joints at all are none: neither the model nor the body has nodes.
  for (const std::string none : {"", "joints = []\n", "pulleys = []\n"})
    EXPECT_EQ(problems_of(none + body).size(), 2u) << none;
}

TEST(ReadErrors, NothingIsCalledGround) {
  const std::string why =
      "\"ground\" is what joints and pulleys call the world that does not move: expected another name";
  const std::string joint = "[[joints]]\nname = \"j\"\nkind = \"floating\"\nbodies = [\"ground\", \"b\"]\n";
  const std::string ball = "mass = 1\nshape = \"sphere\"\nradius = 1\n";
  EXPECT_EQ(problems_of("[nodes]\na = [0, 0, 1]\n[[bodies]]\nname = \"ground\"\nnodes = [\"a\"]\n" + ball),
            Strings{"m.toml:4:8: bodies[0].name: " + why});
  const std::string bar =
      "[nodes]\na = [0, 0, 1]\nb = [0, 0, 2]\n[[bars]]\nname = \"ground\"\nnodes = [\"a\", \"b\"]\nmass = 1\n";
  EXPECT_EQ(problems_of(bar), Strings{});  // no joint could mean it
  EXPECT_EQ(problems_of(bar + "[[bodies]]\nname = \"b\"\ncentre = [0, 0, 0]\n" + ball + joint),
            Strings{"m.toml:5:8: bars[0].name: " + why});
}

// One fault that repeats itself is told a hundred times, a name of a megabyte by its beginning.
TEST(ReadErrors, MessagesEnd) {
  std::string text = "[nodes]\n";
  for (int i = 0; i < 20000; ++i) text += "n" + std::to_string(i) + " = [0, 0]\n";
  const Strings problems = problems_of(text);
  ASSERT_EQ(problems.size(), 101u);
  EXPECT_EQ(problems[99].find("m.toml:101:"), 0u) << problems[99];
  EXPECT_EQ(problems[100], "and 19900 more problems; mend these first");
  const std::string name(1'000'000, 'x');
  for (const std::string& problem : problems_of("[nodes]\n" + name + " = [0, 0]\n" + name + "é = { mass = -1 }\n"))
    EXPECT_LT(problem.size(), 3000u);
}

TEST(ReadErrors, AllAtOnceInTheOrderOfLines) {
  const Strings found = problems_of(R"(nmae = "x"
[nodes]
a = [0, 0, nan]
b = [0, 0, 1]
[[cables]]
paths = [["a", "x"], ["b", "y"], ["a", "b"]]
stiffness = -1
rest_length = 1
[simulation]
step = 0
[[bars]]
nodes = ["b", "b"]
mass = -1
)",
                                    {"simulation.duration=-1", "zebra=1"});
  const Strings beginnings = {"m.toml:1:1: nmae",
                              "m.toml:3:12: nodes.a[2]",
                              "m.toml:6:16: cables[0].paths[0][1]",
                              "m.toml:6:28: cables[0].paths[1][1]",
                              "m.toml:7:13: cables[0].stiffness",
                              "m.toml:10:8: simulation.step",
                              "m.toml:12:9: bars[0].nodes",
                              "m.toml:13:8: bars[0].mass",
                              "--set zebra=1: zebra",
                              "--set simulation.duration=-1: simulation.duration"};
  ASSERT_EQ(found.size(), beginnings.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].substr(0, beginnings[i].size()), beginnings[i]);
}

}  // namespace
}  // namespace taut
