// What a good model file means: every key, every default, every form.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "taut/file/read/read_toml.h"
#include "tests/file/model_support.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

Scenario read(std::string_view text) { return read_scenario_text(text, "folder/m.toml"); }

// Nodes a, b and c, to which tests add what they are about.
std::string with(std::string_view more) {
  return std::string(
             "[nodes]\na = { at = [0, 0, 0], fixed = true }\nb = { at = [3, 0, 4], mass = 1 }\n"
             "c = { at = [3, 0, 0], mass = 1 }\n") +
         std::string(more);
}

TEST(Read, DefaultsOfAnAlmostEmptyFile) {
  const Scenario s = read("[nodes]\na = { at = [0, 0, 0], mass = 1 }\n");
  EXPECT_EQ(s.model.name, "m");  // the file's
  EXPECT_EQ(s.model.gravity, Vec3(0, 0, -9.81));
  EXPECT_FALSE(s.model.ground);
  EXPECT_EQ(s.simulation, RunSettings{});
  EXPECT_EQ(s.model.nodes.size(), 1u);
}

TEST(Read, Environment) {
  const Scenario s = read(with("[environment]\ngravity = [1, 2.5, -3]\nground = { height = -0.5, friction = 0.1 }\n"));
  EXPECT_EQ(s.model.gravity, Vec3(1, 2.5, -3));
  ASSERT_TRUE(s.model.ground);
  EXPECT_EQ(*s.model.ground, (Ground{-0.5, 1e5, 3e2, 0.1}));
}

TEST(Read, NodesKeepTheOrderOfTheFile) {
  const Scenario s = read(R"([nodes]
z = { at = [1, 2, 3], mass = 1, velocity = [0.1, 0, 0] }
a = { at = [4, 5, 6], fixed = ["z", "x"], mass = 2 }
m = { at = [7, 8, 9], fixed = true }
"b c.d" = { at = [0, 0, 0], fixed = false, mass = 1 }
B.at = [1, 1, 1]
B.mass = 3
)");
  const auto& nodes = s.model.nodes;
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[0], (Node{"z", {1, 2, 3}, {0.1, 0, 0}, {false, false, false}, 1.0}));
  EXPECT_EQ(nodes[1], (Node{"a", {4, 5, 6}, {0, 0, 0}, {true, false, true}, 2.0}));
  EXPECT_EQ(nodes[2].fixed, (Axes{true, true, true}));
  EXPECT_EQ(nodes[3].name, "b c.d");
  EXPECT_EQ(nodes[4].name, "B");
  EXPECT_EQ(nodes[4].mass, 3.0);
}

TEST(Read, RigidBars) {
  const Scenario s = read(with(R"([[bars]]
nodes = ["a", "b"]
mass = 3
[[bars]]
name = "strut"
nodes = ["b", "c"]
mass = 2
com = 0.25
inertia = 0.5
radius = 0.02
[[bars]]
pairs = [["a", "c"], ["c", "b"], ["a", "c"]]
mass = 1.5
)"));
  const auto& bars = s.model.bars;
  ASSERT_EQ(bars.size(), 5u);
  EXPECT_EQ(bars[0].name, "a-b");
  EXPECT_EQ(bars[0].rest_length, 5.0);
  EXPECT_EQ(bars[0].inertia, 3.0 * 25.0 / 12.0);
  EXPECT_EQ(bars[0].com, 0.5);
  EXPECT_EQ(bars[0].radius, 0.01);
  EXPECT_FALSE(bars[0].elastic);
  EXPECT_EQ(bars[1].name, "strut");
  EXPECT_EQ(bars[1].com, 0.25);
  EXPECT_EQ(bars[1].inertia, 0.5);
  EXPECT_EQ(bars[1].radius, 0.02);
  EXPECT_EQ(bars[2].name, "a-c");
  EXPECT_EQ(bars[3].name, "c-b");
  EXPECT_EQ(bars[4].name, "a-c-2");
  EXPECT_EQ(bars[4].inertia, 1.5 * 9.0 / 12.0);
}

TEST(Read, ElasticBars) {
  const Scenario s = read(with(R"([[bars]]
nodes = ["a", "b"]
EA = 1000
pretension = -50
mass = 1
mass_model = "lumped"
[[bars]]
nodes = ["a", "c"]
EA = 1000
strain = 0.2
[[bars]]
pairs = [["c", "b"]]
EA = 1000
rest_length = 4.1
[[bars]]
nodes = ["b", "c"]
EA = 10
)"));
  const auto& bars = s.model.bars;
  EXPECT_TRUE(bars[0].elastic);
  EXPECT_NEAR(bars[0].EA * (5.0 - bars[0].rest_length) / bars[0].rest_length, -50.0, 1e-10);
  EXPECT_EQ(bars[0].mass_model, MassModel::lumped);
  EXPECT_EQ(bars[0].inertia, 0.0);
  EXPECT_EQ(bars[1].rest_length, 3.0 / 1.2);
  EXPECT_EQ(bars[1].mass, 0.0);
  EXPECT_EQ(bars[2].rest_length, 4.1);
  EXPECT_EQ(bars[3].rest_length, 4.0);  // nothing said: without stress at the start
}

TEST(Read, Cables) {
  const Scenario s = read(with(R"([[cables]]
nodes = ["a", "b"]
stiffness = 10
damping = 2
rest_length = 4
mass = 0.3
mass_model = "lumped"
[[cables]]
nodes = ["a", "b", "c", "a"]
name = "loop"
EA = 120
pretension = 30
[[cables]]
paths = [["a", "b"], ["c", "b", "a"]]
stiffness = 10
strain = -0.5
)"));
  const auto& cables = s.model.cables;
  ASSERT_EQ(cables.size(), 4u);
  EXPECT_EQ(cables[0].name, "a-b");
  EXPECT_EQ(cables[0].law.kind, LawKind::linear);
  EXPECT_TRUE(cables[0].law.clip);
  EXPECT_EQ(cables[0].law.damping, 2.0);
  EXPECT_EQ(cables[0].mass, 0.3);
  EXPECT_EQ(cables[0].mass_model, MassModel::lumped);
  EXPECT_EQ(cables[1].path, (std::vector<int>{0, 1, 2, 0}));
  EXPECT_TRUE(cables[1].law.by_EA);
  EXPECT_NEAR(tension(cables[1].law, 12.0 - cables[1].rest_length, 0.0, cables[1].rest_length), 30.0, 1e-12);
  EXPECT_EQ(cables[2].name, "a-b-2");
  EXPECT_EQ(cables[2].rest_length, 10.0);
  EXPECT_EQ(cables[2].mass_model, MassModel::consistent);
  EXPECT_EQ(cables[3].name, "c-b-a");
  EXPECT_EQ(cables[3].rest_length, 18.0);
}

TEST(Read, CableLawsInBothForms) {
  const auto law_of = [](std::string_view keys) {
    return read(with("[[cables]]\nnodes = [\"a\", \"b\"]\nrest_length = 4\n" + std::string(keys))).model.cables[0].law;
  };
  CableLaw law;
  law.stiffness = 10.0;
  EXPECT_EQ(law_of("stiffness = 10"), law);
  EXPECT_EQ(law_of("stiffness = 10\nlaw = \"linear\"\nclip = true"), law);
  EXPECT_EQ(law_of("stiffness = 10\nlaw = { kind = \"linear\" }"), law);
  law.clip = false;
  EXPECT_EQ(law_of("stiffness = 10\nclip = false"), law);
  EXPECT_EQ(law_of("stiffness = 10\nlaw = { kind = \"linear\", clip = false }"), law);
  law.clip = true;
  law.kind = LawKind::softplus;
  EXPECT_EQ(law_of("stiffness = 10\nlaw = \"softplus\""), law);
  law.beta = 0.5;
  EXPECT_EQ(law_of("stiffness = 10\nlaw = \"softplus\"\nbeta = 0.5"), law);
  EXPECT_EQ(law_of("stiffness = 10\nlaw = { kind = \"softplus\", beta = 0.5 }"), law);
  law = {};
  law.kind = LawKind::spring;
  law.by_EA = true;
  law.stiffness = 7.0;
  EXPECT_EQ(law_of("EA = 7\nlaw = \"spring\""), law);
  law = {};
  law.kind = LawKind::table;
  law.strain = {0.0, 0.1, 0.2};
  law.force = {0.0, 5.0, 6.0};
  EXPECT_EQ(law_of("law = { kind = \"table\", strain = [0, 0.1, 0.2], force = [0, 5, 6] }"), law);
}

TEST(Read, ASpringMayHaveFreeLengthZero) {
  const Scenario s =
      read(with("[[cables]]\nnodes = [\"a\", \"b\"]\nlaw = \"spring\"\nstiffness = 3\nrest_length = 0\n"
                "[[cables]]\nnodes = [\"a\", \"c\"]\nlaw = \"spring\"\nstiffness = 3\npretension = -6\n"));
  EXPECT_EQ(s.model.cables[0].rest_length, 0.0);
  EXPECT_EQ(s.model.cables[1].rest_length, 5.0);
}

TEST(Read, DefaultNamesAvoidGivenOnes) {
  const Scenario s = read(with(R"([[cables]]
paths = [["a", "b"], ["a", "b"], ["a", "b"]]
stiffness = 1
rest_length = 1
[[cables]]
nodes = ["a", "c"]
name = "a-b-2"
stiffness = 1
rest_length = 1
)"));
  EXPECT_EQ(s.model.cables[0].name, "a-b");
  EXPECT_EQ(s.model.cables[1].name, "a-b-3");
  EXPECT_EQ(s.model.cables[2].name, "a-b-4");
  EXPECT_EQ(s.model.cables[3].name, "a-b-2");
}

TEST(Read, Constraints) {
  const Scenario s = read(with(R"([[constraints]]
sum = [["b", 1.0], ["c", -1]]
value = [0, 0, 4]
[[constraints]]
name = "rail"
sum = [["c", 2]]
value = [6, 0, 0]
axes = ["x"]
)"));
  const auto& constraints = s.model.constraints;
  ASSERT_EQ(constraints.size(), 2u);
  EXPECT_EQ(constraints[0], (Constraint{"", {{1, 1.0}, {2, -1.0}}, {0, 0, 4}, {true, true, true}}));
  EXPECT_EQ(constraints[1], (Constraint{"rail", {{2, 2.0}}, {6, 0, 0}, {true, false, false}}));
}

TEST(Read, ActuatorsOfEveryKind) {
  const auto signal_of = [](std::string_view text) {
    return read(with("[[cables]]\nnodes = [\"a\", \"b\"]\nstiffness = 1\nrest_length = 4\n[[actuators]]\n"
                     "cable = \"a-b\"\nrest_length = " +
                     std::string(text)))
        .model.actuators.at(0)
        .rest_length;
  };
  Signal s;
  s.value = 3.0;
  EXPECT_EQ(signal_of("3"), s);
  EXPECT_EQ(signal_of("{ kind = \"constant\", value = 3.0 }"), s);
  s = {};
  s.kind = SignalKind::step;
  s.before = 1.0, s.after = 2.0, s.at = 0.5;
  EXPECT_EQ(signal_of("{ kind = \"step\", before = 1, after = 2, at = 0.5 }"), s);
  s = {};
  s.kind = SignalKind::ramp;
  s.from = 1.0, s.to = 2.0, s.end = 4.0;
  EXPECT_EQ(signal_of("{ kind = \"ramp\", from = 1, to = 2, end = 4 }"), s);
  s.start = 3.0;
  EXPECT_EQ(signal_of("{ kind = \"ramp\", from = 1, to = 2, start = 3, end = 4 }"), s);
  s = {};
  s.kind = SignalKind::sine;
  s.mean = 0.2, s.amplitude = 0.01, s.period = 7.0;
  EXPECT_EQ(signal_of("{ kind = \"sine\", mean = 0.2, amplitude = 0.01, period = 7 }"), s);
  s.phase = 0.5, s.ramp = 2.0;
  EXPECT_EQ(signal_of("{ kind = \"sine\", mean = 0.2, amplitude = 0.01, period = 7, phase = 0.5, ramp = 2 }"), s);
  s = {};
  s.kind = SignalKind::table;
  s.times = {0.0, 1.0};
  s.values = {3.0, 4.0};
  EXPECT_EQ(signal_of("{ kind = \"table\", t = [0, 1], values = [3, 4] }"), s);
  s.kind = SignalKind::hermite;
  s.slopes = {0.0, -1.0};
  EXPECT_EQ(signal_of("{ kind = \"hermite\", t = [0, 1], values = [3, 4], slopes = [0, -1] }"), s);
}

TEST(Read, Loads) {
  const Scenario s =
      read(with("[[loads]]\nnode = \"b\"\nforce = [0, 0, -10]\n"
                "[[loads]]\nnode = \"c\"\nforce = [1, 0, 0]\nfrom = 0.5\nto = 0.7\n"));
  EXPECT_EQ(s.model.loads[0], (Load{1, {0, 0, -10}, 0.0, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(s.model.loads[1], (Load{2, {1, 0, 0}, 0.5, 0.7}));
}

TEST(Read, SimulationKeys) {
  const Scenario s = read(with(R"([simulation]
formulation = "minimal"
integrator = "rk4"
step = 0.002
tolerance = 1e-10
duration = 3
output_step = 0.1
constraints = "baumgarte"
)"));
  EXPECT_EQ(s.simulation, (RunSettings{"minimal", "rk4", 0.002, 1e-10, 3.0, 0.1, ConstraintMethod::baumgarte}));
}

// Tables from CSV lie beside the model file.
TEST(Read, TableFromFile) {
  const testing::ScratchFolder folder;
  const auto put = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  put("m.toml", with("[[cables]]\nnodes = [\"a\", \"b\"]\nstiffness = 1\nrest_length = 4\n[[actuators]]\n"
                     "cable = \"a-b\"\nrest_length = { kind = \"table\", file = \"rows.csv\" }\n"));
  const std::string file = (folder / "m.toml").string();
  const std::vector<double> times = {0.0, 0.5, 1e3}, values = {4.0, 3.5, 2.25};
  for (const char* text : {"t,value\n0,4\n0.5,3.5\n1e3,+2.25\n", "0 , 4.0\r\n\r\n.5,\t3.5\r\n1000,2.25",
                           "T,L0\n0,4\n\n0.5,3.5\n1E3,2.25\n"}) {
    put("rows.csv", text);
    const Signal signal = read_scenario(file).model.actuators.at(0).rest_length;
    EXPECT_EQ(signal.kind, SignalKind::table);
    EXPECT_EQ(signal.times, times) << text;
    EXPECT_EQ(signal.values, values) << text;
  }
  const auto wrong = [&](const char* text) {
    put("rows.csv", text);
    const std::vector<std::string> found = testing::problems_of(testing::contents(file), {}, file);
    return found.size() == 1 ? found[0].substr(found[0].find("rows.csv")) : "not one problem";
  };
  EXPECT_EQ(wrong("t,value\n0,4\n1\n"), "rows.csv\", line 3: expected two finite numbers t,value, got \"1\"");
  EXPECT_EQ(wrong("0,4\n1,nan\n"), "rows.csv\", line 2: expected two finite numbers t,value, got \"1,nan\"");
  EXPECT_EQ(wrong("0,4\n1,2,3\n"), "rows.csv\", line 2: expected two finite numbers t,value, got \"1,2,3\"");
  EXPECT_EQ(wrong("0,4\n0,5\n"), "rows.csv\", line 2: time 0 does not come after 0");
  EXPECT_EQ(wrong("t,value\n"), "rows.csv\": has no rows t,value");
}

}  // namespace
}  // namespace taut
