// model = "other.toml": tables merge key by key, lists are added to, namesakes are replaced.
#include <gtest/gtest.h>

#include <fstream>

#include "taut/file/read/read_toml.h"
#include "tests/file/model_support.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using Strings = std::vector<std::string>;

class BuildOn : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // Problems without the scratch folder's own path.
  Strings problems(const std::string& file) {
    Strings found = testing::problems_of(testing::contents(file), {}, file);
    const std::string path = folder_.path().string() + "/";
    for (std::string& text : found) {
      for (size_t at = text.find(path); at != std::string::npos; at = text.find(path)) text.erase(at, path.size());
    }
    return found;
  }
  testing::ScratchFolder folder_;
};

TEST_F(BuildOn, TablesMergeKeyByKey) {
  put("base.toml", std::string(testing::small_model) +
                       "[environment]\ngravity = [0, 0, -1]\nground = { height = 0.5, friction = 0.25 }\n"
                       "[simulation]\nduration = 7\nstep = 0.5\n");
  const Scenario s = read_scenario(put("m.toml",
                                       "model = \"base.toml\"\nname = \"child\"\n[environment]\n"
                                       "ground = { friction = 0.75 }\n[simulation]\nstep = 0.125\n[nodes]\n"
                                       "c = { fixed = [\"x\"] }\nb = [0, 0, 2]\nd = { at = [9, 9, 9], mass = 1 }\n"));
  EXPECT_EQ(s.model.name, "child");
  EXPECT_EQ(s.model.gravity, Vec3(0, 0, -1));
  EXPECT_EQ(s.model.ground->height, 0.5);
  EXPECT_EQ(s.model.ground->friction, 0.75);
  EXPECT_EQ(s.simulation.duration, 7.0);
  EXPECT_EQ(s.simulation.step, 0.125);
  ASSERT_EQ(s.model.nodes.size(), 4u);
  EXPECT_EQ(s.model.nodes[1].position, Vec3(0, 0, 2));
  EXPECT_EQ(s.model.nodes[2], (Node{"c", {1, 0, 1}, {0, 0, 0}, {true, false, false}, 0.5}));
  EXPECT_EQ(s.model.nodes[3].name, "d");
  EXPECT_EQ(s.model.bars[0].rest_length, 2.0);
}

TEST_F(BuildOn, ListsAreAddedToAndNamesakesReplaced) {
  put("base.toml", std::string(testing::small_model) +
                       "[[actuators]]\ncable = \"b-c\"\nrest_length = 1\n[[loads]]\nnode = \"b\"\nforce = [1, 0, 0]\n"
                       "[[constraints]]\nname = \"held\"\nsum = [[\"a\", 1]]\n[[constraints]]\nsum = [[\"a\", 2]]\n");
  const Scenario base = read_scenario((folder_ / "base.toml").string());
  const Scenario s = read_scenario(put("m.toml", R"(model = "base.toml"
[[cables]]
nodes = ["a", "b"]
name = "a-c"          # the name of one in the base, which it replaces
stiffness = 7
rest_length = 0.5
[[cables]]
paths = [["b", "c"], ["b", "a"]]
stiffness = 9
rest_length = 0.75
[[bars]]
nodes = ["a", "c"]
mass = 3
[[actuators]]
cable = "b-c"
rest_length = 2
[[actuators]]
cable = "b-a"
rest_length = 3
[[loads]]
node = "b"
force = [2, 0, 0]
[[constraints]]
name = "held"
sum = [["a", 5]]
)"));
  ASSERT_EQ(s.model.cables.size(), 4u);
  EXPECT_EQ(s.model.cables[0].law.stiffness, 9.0);  // b-c, by its default name
  EXPECT_EQ(s.model.cables[1].name, "a-c");
  EXPECT_EQ(s.model.cables[1].path, (std::vector<int>{0, 1}));
  EXPECT_EQ(s.model.cables[2], base.model.cables[2]);  // of the same group in the base
  EXPECT_EQ(s.model.cables[3].name, "b-a");
  ASSERT_EQ(s.model.bars.size(), 2u);
  EXPECT_EQ(s.model.bars[0], base.model.bars[0]);
  ASSERT_EQ(s.model.actuators.size(), 2u);
  EXPECT_EQ(s.model.actuators[0].rest_length.value, 2.0);
  EXPECT_EQ(s.model.actuators[1].cable, 3);
  ASSERT_EQ(s.model.loads.size(), 2u);
  ASSERT_EQ(s.model.constraints.size(), 2u);
  EXPECT_EQ(s.model.constraints[0].terms[0].second, 5.0);
}

TEST_F(BuildOn, ChainsThroughFoldersWithGenerators) {
  put("parts/deep/base.toml", "[generate]\nkind = \"prism\"\nbars = 3\n[simulation]\nduration = 2\nstep = 0.5\n");
  put("parts/middle.toml", "model = \"deep/base.toml\"\n[generate]\nbars = 5\n[simulation]\nduration = 3\n");
  const std::string file = put("m.toml", "model = \"parts/middle.toml\"\nname = \"top\"\n");
  const Scenario s = read_scenario(file);
  EXPECT_EQ(s.model.bars.size(), 5u);
  EXPECT_EQ(s.simulation.duration, 3.0);
  EXPECT_EQ(s.simulation.step, 0.5);
  EXPECT_EQ(read_scenario(file, {"generate.bars=4", "simulation.duration=9"}).model.bars.size(), 4u);
}

TEST_F(BuildOn, TablesLieBesideTheFileThatNamesThem) {
  put("parts/rows.csv", "0,1\n1,2\n");
  put("parts/base.toml",
      std::string(testing::small_model) +
          "[[actuators]]\ncable = \"b-c\"\nrest_length = { kind = \"table\", file = \"rows.csv\" }\n");
  const Scenario s = read_scenario(put("m.toml", "model = \"parts/base.toml\"\n"));
  EXPECT_EQ(s.model.actuators[0].rest_length.times, (std::vector<double>{0.0, 1.0}));
}

TEST_F(BuildOn, Problems) {
  EXPECT_EQ(problems(put("m.toml", "model = \"none.toml\"\n")),
            Strings{"m.toml:1:9: model: \"none.toml\" cannot be opened: No such file or directory"});
  EXPECT_EQ(problems(put("m.toml", "model = \".\"\n")).size(), 1u);
  EXPECT_EQ(problems(put("m.toml", "model = \"\"\n"))[1],
            "m.toml:1:9: model: is empty: expected the path of a model file");
  EXPECT_EQ(problems(put("m.toml", "model = 3\n"))[1], "m.toml:1:9: model: expected a text in quotes, got 3");
  EXPECT_EQ(problems(put("m.toml", "\nmodel = \"m.toml\"\n")),
            Strings{"m.toml:2:9: model: the files build on each other in a circle: m.toml -> m.toml"});
  put("b.toml", "model = \"parts/../m.toml\"\n");
  EXPECT_EQ(problems(put("m.toml", "model = \"b.toml\"\n")),
            Strings{"b.toml:1:9: model: the files build on each other in a circle: m.toml -> b.toml -> m.toml"});
  put("b.toml", "x = = 1\n");
  EXPECT_EQ(problems(put("m.toml", "model = \"b.toml\"\n"))[0].substr(0, 11), "b.toml:1:5:");
  // Each problem in its own file, the one that was asked for first.
  put("b.toml", std::string(testing::small_model) + "[simulation]\nstep = 0\ntolerance = 0\n");
  EXPECT_EQ(problems(put("m.toml", "model = \"b.toml\"\n[simulation]\nduration = 0\ntolerance = 1\n")),
            (Strings{"m.toml:3:12: simulation.duration: is 0: expected a number above 0",
                     "b.toml:18:8: simulation.step: is 0: expected a number above 0"}));
}

}  // namespace
}  // namespace taut
