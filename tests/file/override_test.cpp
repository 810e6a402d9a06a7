// "key.path=value" texts win over the file, whatever they name.
#include <gtest/gtest.h>

#include <fstream>

#include "taut/file/read/read_toml.h"
#include "tests/file/model_support.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using testing::problems_of;
using testing::small_model;
using Strings = std::vector<std::string>;

Scenario with(const Strings& overrides, const std::string& more = "") {
  return read_scenario_text(std::string(small_model) + more, "m.toml", overrides);
}

const std::string actuator =
    "[[actuators]]\ncable = \"b-c\"\nrest_length = { kind = \"sine\", mean = 1, amplitude = 0.1, "
    "period = 2 }\n";

TEST(Override, PlainTables) {
  const Scenario s =
      with({"simulation.duration=2", "simulation.integrator=rk4", "environment.gravity=[0, 0, 0]",
            "environment.ground.friction=0.5", "simulation.step = .5", "simulation.constraints=\"none\""});
  EXPECT_EQ(s.simulation.duration, 2.0);
  EXPECT_EQ(s.simulation.integrator, "rk4");
  EXPECT_EQ(s.simulation.step, 0.5);
  EXPECT_EQ(s.simulation.constraints, ConstraintMethod::none);
  EXPECT_EQ(s.model.gravity, Vec3::Zero());
  EXPECT_EQ(s.model.ground->friction, 0.5);
  EXPECT_EQ(with({"name=foo"}).model.name, "foo");
  EXPECT_EQ(with({"name=two words"}).model.name, "two words");
  EXPECT_EQ(with({"name=\"a=b\""}).model.name, "a=b");
}

TEST(Override, TheLastOneWins) {
  EXPECT_EQ(with({"simulation.duration=2", "simulation.duration=3"}).simulation.duration, 3.0);
  const Scenario s = with({"cables.b-c.mass=1", "cables.*.mass=2", "cables.a-c.mass=3"});
  EXPECT_EQ(s.model.cables[0].mass, 2.0);
  EXPECT_EQ(s.model.cables[1].mass, 3.0);
  EXPECT_EQ(s.model.cables[2].mass, 2.0);
}

TEST(Override, ATableReplacesWhatIsThere) {
  const std::string ground = "[environment]\nground = { height = -1, friction = 0.1 }\n";
  EXPECT_EQ(*with({"environment.ground.height=-2"}, ground).model.ground, (Ground{-2.0, 1e5, 3e2, 0.1}));
  EXPECT_EQ(*with({"environment.ground={ height = -2 }"}, ground).model.ground, (Ground{-2.0, 1e5, 3e2, 0.8}));
}

TEST(Override, Nodes) {
  const Scenario s = with({"nodes.a=[0, 0, -1]", "nodes.b.at=[0, 0, 2]", "nodes.c.fixed=[\"y\"]", "nodes.*.mass=7"});
  EXPECT_EQ(s.model.nodes[0].position, Vec3(0, 0, -1));
  EXPECT_EQ(s.model.nodes[0].fixed, (Axes{true, true, true}));  // moved, and still fixed
  EXPECT_EQ(s.model.nodes[1].position, Vec3(0, 0, 2));
  EXPECT_EQ(s.model.nodes[2].fixed, (Axes{false, true, false}));
  for (const Node& node : s.model.nodes) EXPECT_EQ(node.mass, 7.0);
  EXPECT_EQ(s.model.bars[0].rest_length, 3.0);
  EXPECT_EQ(with({"nodes.a={ at = [0, 0, 0], mass = 1 }"}).model.nodes[0].fixed, (Axes{false, false, false}));
}

TEST(Override, MembersByNameByNumberAndAll) {
  const Scenario plain = with({});
  // One member of a group alone; the others stay as they are.
  Scenario expected = plain;
  expected.model.cables[2].rest_length = 0.25;
  EXPECT_EQ(with({"cables.a-b-c.rest_length=0.25"}), expected);
  EXPECT_EQ(with({"cables.2.rest_length=0.25"}), expected);
  expected = plain;
  for (Cable& cable : expected.model.cables) cable.law.damping = 4.0;
  EXPECT_EQ(with({"cables.*.damping=4"}), expected);
  expected = plain;
  expected.model.bars[0].mass = 5.0;
  expected.model.bars[0].inertia = 5.0 / 12.0;
  EXPECT_EQ(with({"bars.0.mass=5"}), expected);
  EXPECT_EQ(with({"bars.a-b.mass=5"}), expected);
}

TEST(Override, KeysThatExcludeEachOther) {
  // The file gives rest_length, or EA and pretension: the override's choice stands instead.
  const Scenario s = with({"cables.b-c.pretension=3", "cables.a-c.rest_length=1.25", "cables.a-c.stiffness=8"});
  EXPECT_NEAR(s.model.cables[0].rest_length, 1.0 - 3.0 / 100.0, 1e-15);
  EXPECT_EQ(s.model.cables[1].rest_length, 1.25);
  EXPECT_FALSE(s.model.cables[1].law.by_EA);
  EXPECT_EQ(s.model.cables[1].law.stiffness, 8.0);
  EXPECT_TRUE(s.model.cables[2].law.by_EA);
  EXPECT_EQ(with({"cables.b-c.law={ kind = \"table\", strain = [0, 1], force = [0, 9] }"}).model.cables[0].law.kind,
            LawKind::table);
  // A bar becomes elastic; its inertia in the file no longer means anything.
  const Scenario elastic = read_scenario_text(
      "[nodes]\na = [0, 0, 0]\nb = [0, 0, 1]\n[[bars]]\nnodes = [\"a\", \"b\"]\nmass = 1\ninertia = 2\ncom = 0.25\n",
      "m.toml", {"bars.*.EA=1e6"});
  EXPECT_TRUE(elastic.model.bars[0].elastic);
  EXPECT_EQ(elastic.model.bars[0].com, 0.5);
  EXPECT_EQ(elastic.model.bars[0].inertia, 0.0);
}

TEST(Override, Laws) {
  EXPECT_EQ(with({"cables.b-c.law=softplus", "cables.b-c.beta=0.5"}).model.cables[0].law.beta, 0.5);
  const std::string soft = "law = \"softplus\"\nbeta = 0.25\n";
  EXPECT_EQ(with({"cables.a-c.law.beta=0.5"}, "law = { kind = \"softplus\" }\n").model.cables[1].law.beta, 0.5);
  EXPECT_EQ(with({"cables.a-c.law.beta=0.5"}, "law = \"softplus\"\n").model.cables[1].law.beta, 0.5);
  EXPECT_EQ(with({"cables.a-c.law=spring"}, soft).model.cables[1].law.kind, LawKind::spring);
  EXPECT_EQ(with({"cables.a-c.law=spring"}, soft).model.cables[2].law.kind, LawKind::softplus);
}

TEST(Override, PathAndName) {
  const Scenario s = with({"cables.b-c.nodes=[\"a\", \"c\", \"b\"]", "cables.b-c.name=\"long\""},
                          "[[actuators]]\n"
                          "cable = \"long\"\nrest_length = 1\n");
  EXPECT_EQ(s.model.cables[0].path, (std::vector<int>{0, 2, 1}));
  EXPECT_EQ(s.model.cables[0].name, "long");
  EXPECT_EQ(s.model.actuators[0].cable, 0);
}

TEST(Override, ActuatorsLoadsConstraints) {
  EXPECT_EQ(with({"actuators.b-c.rest_length.amplitude=0.2"}, actuator).model.actuators[0].rest_length.amplitude, 0.2);
  EXPECT_EQ(with({"actuators.0.rest_length.period=5"}, actuator).model.actuators[0].rest_length.period, 5.0);
  EXPECT_EQ(with({"actuators.*.rest_length=0.7"}, actuator).model.actuators[0].rest_length.value, 0.7);
  EXPECT_EQ(with({"actuators.0.rest_length={ kind = \"step\", before = 1, after = 2, at = 3 }"}, actuator)
                .model.actuators[0]
                .rest_length.kind,
            SignalKind::step);
  EXPECT_EQ(with({"actuators.0.rest_length.value=3"}, "[[actuators]]\ncable = \"b-c\"\nrest_length = 1\n")
                .model.actuators[0]
                .rest_length.value,
            3.0);
  EXPECT_EQ(with({"loads.0.force=[1, 2, 3]"}, "[[loads]]\nnode = \"b\"\nforce = [0, 0, 0]\n").model.loads[0].force,
            Vec3(1, 2, 3));
  EXPECT_EQ(with({"constraints.rail.axes=[\"x\"]"}, "[[constraints]]\nname = \"rail\"\nsum = [[\"a\", 1]]\n")
                .model.constraints[0]
                .axes,
            (Axes{true, false, false}));
}

TEST(Override, QuotedNames) {
  const std::string text =
      "[nodes]\n\"a.b\" = { at = [0, 0, 0], mass = 1 }\n\"c=d\" = { at = [0, 0, 1], mass = 1 }\n"
      "[[cables]]\nnodes = [\"a.b\", \"c=d\"]\nstiffness = 1\nrest_length = 1\n";
  const Scenario s = read_scenario_text(
      text, "m.toml", {"cables.\"a.b-c=d\".mass=2", "nodes.'a.b'.mass=3", "nodes . \"c=d\" . mass = 4"});
  EXPECT_EQ(s.model.cables[0].mass, 2.0);
  EXPECT_EQ(s.model.nodes[0].mass, 3.0);
  EXPECT_EQ(s.model.nodes[1].mass, 4.0);
}

TEST(Override, NumbersAreNamesFirst) {
  const std::string text = "[nodes]\n1 = { at = [0, 0, 0], mass = 1 }\n0 = { at = [0, 0, 1], mass = 1 }\n";
  EXPECT_EQ(read_scenario_text(text, "m.toml", {"nodes.0.mass=9"}).model.nodes[1].mass, 9.0);
}

TEST(Override, TheFileThatIsBuiltOn) {
  const testing::ScratchFolder folder;
  std::ofstream(folder / "base.toml") << small_model;
  const Scenario s = read_scenario_text("", (folder / "m.toml").string(), {"model=base.toml", "simulation.duration=2"});
  EXPECT_EQ(s.model.nodes.size(), 3u);
  EXPECT_EQ(s.simulation.duration, 2.0);
}

TEST(Override, FilesLieBesideTheModel) {
  const testing::ScratchFolder folder;
  std::ofstream(folder / "rows.csv") << "0,1\n1,2\n";
  const Scenario s = read_scenario_text(std::string(small_model) + actuator, (folder / "m.toml").string(),
                                        {"actuators.0.rest_length={ kind = \"table\", file = \"rows.csv\" }"});
  EXPECT_EQ(s.model.actuators[0].rest_length.values, (std::vector<double>{1.0, 2.0}));
}

TEST(Override, Problems) {
  const auto one = [](const std::string& text, const std::string& problem) {
    EXPECT_EQ(problems_of(std::string(small_model) + actuator, {text}), Strings{"--set " + text + ": " + problem});
  };
  one("foo", "expected key=value, such as simulation.duration=2");
  one("=3", "expected key=value, such as simulation.duration=2");
  one("a..b=3", "expected key=value, such as simulation.duration=2");
  one("cables.\"x.mass=3", "expected key=value, such as simulation.duration=2");
  one("name=", "name: has no value");
  one("name=[1", "name: the value cannot be read as TOML");
  one("name=[1]\nb=2", "name: the value cannot be read as TOML");
  one("simulatoin.step=1", "simulatoin.step: is not a known key (did you mean \"simulation\"?)");
  one("joints.x.axis=1", "joints.x.axis: there is no joint \"x\"");
  one("simulation.stpe=1", "simulation.stpe: is not a known key (did you mean \"step\"?)");
  one("simulation=1", "simulation: expected a table, got 1");
  one("simulation.step=fast", "simulation.step: expected a number, got the text \"fast\"");
  one("simulation.step=-1", "simulation.step: is -1: expected a number above 0");
  one("simulation.step.x=1", "simulation.step.x: expected a number, got a table");
  one("environment.ground.hight=1", "environment.ground.hight: is not a known key (did you mean \"height\"?)");
  one("nodes.d=[0, 0, 0]", "nodes.d: there is no node \"d\"");
  one("nodes.a.fixd=true", "nodes.a.fixd: is not a known key (did you mean \"fixed\"?)");
  one("nodes.a=4", "nodes.a: expected a position [x, y, z] or a table with `at`, got 4");
  one("nodes=4", "nodes: expected nodes.NAME=[x, y, z] or nodes.NAME.key=value");
  one("cables.b-d.mass=1", "cables.b-d.mass: there is no cable \"b-d\" (did you mean \"b-c\"?)");
  one("cables.9.mass=1", "cables.9.mass: there is no cable \"9\"");
  one("cables.-1.mass=1", "cables.-1.mass: there is no cable \"-1\"");
  one("cables.mass=1", "cables.mass: expected cables.NAME.key=value, cables.NUMBER.key=value or cables.*.key=value");
  one("cables.*.mas=1", "cables.*.mas: is not a known key (did you mean \"mass\"?)");
  one("cables.*.mass=-1", "cables.*.mass: is negative (-1): expected 0 or more");
  one("cables.a-c.paths=[[\"a\", \"b\"]]",
      "cables.a-c.paths: belongs to a group: a single member has nodes, not paths");
  one("cables.b-c.nodes=[\"b\", \"d\"]", "cables.b-c.nodes: there is no node \"d\"");
  one("cables.b-c.nodes=[\"b\"]", "cables.b-c.nodes: expected two nodes or more, got a list of 1");
  one("cables.a-b-c.name=b-c", "cables.a-b-c.name: a second cable is called \"b-c\"");
  one("bars.0.nodes=[\"a\"]", "bars.0.nodes: expected two nodes, the ends of the bar, got a list of 1");
  one("actuators.a-c.rest_length=1",
      "actuators.a-c.rest_length: there is no actuator on cable \"a-c\" (did you mean \"b-c\"?)");
  one("actuators.0.rest_length.perod=1",
      "actuators.0.rest_length.perod: is not a key of a sine signal (did you mean \"period\"?)");
  one("loads.0.force=[0, 0, 0]", "loads.0.force: there is no load \"0\"");
  const std::string missing = problems_of(small_model, {"generate.bars=3"}).at(0);
  EXPECT_EQ(missing.rfind("--set generate.bars=3: generate.bars: is missing: expected one of prism, ", 0), 0u)
      << missing;
}

}  // namespace
}  // namespace taut
