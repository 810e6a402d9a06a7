// [generate] in model files: what it makes, what may be added to it and changed in it, what is refused.
#include <gtest/gtest.h>

#include "taut/file/read/read_toml.h"
#include "taut/generators/generators.h"
#include "tests/file/model_support.h"

namespace taut {
namespace {

using testing::problems_of;
using Strings = std::vector<std::string>;

Scenario read(std::string_view text) { return read_scenario_text(text, "m.toml"); }

TEST(Generate, EqualsItsGenerator) {
  for (const Generator& generator : generators()) {
    const Scenario direct = generate(generator, {});
    const Scenario through_file = read("[generate]\nkind = \"" + generator.kind + "\"\n");
    EXPECT_EQ(through_file, direct) << generator.kind;
  }
}

TEST(Generate, WithAdditions) {
  const Scenario plain = read("[generate]\nkind = \"prism\"\nbars = 4\n");
  const Scenario s = read(R"(name = "hung prism"
[generate]
kind = "prism"
bars = 4
[environment]
gravity = [0, 0, -1]
[simulation]
duration = 9
[nodes]
hook = { at = [0, 0, 5], fixed = true }
[[cables]]
nodes = ["hook", ")" + plain.model.nodes[0].name +
                          R"("]
EA = 100
strain = 0.01
[[loads]]
node = ")" + plain.model.nodes[1].name +
                          R"("
force = [0, 0, -1]
)");
  EXPECT_EQ(s.model.name, "hung prism");
  EXPECT_EQ(s.model.gravity, Vec3(0, 0, -1));
  EXPECT_EQ(s.simulation.duration, 9.0);
  EXPECT_EQ(s.simulation.integrator, plain.simulation.integrator);
  ASSERT_EQ(s.model.nodes.size(), plain.model.nodes.size() + 1);
  EXPECT_EQ(s.model.nodes.back().name, "hook");
  EXPECT_EQ(s.model.nodes[0], plain.model.nodes[0]);
  EXPECT_EQ(s.model.bars, plain.model.bars);
  ASSERT_EQ(s.model.cables.size(), plain.model.cables.size() + 1);
  EXPECT_EQ(s.model.cables.back().path, (std::vector<int>{static_cast<int>(plain.model.nodes.size()), 0}));
}

TEST(Generate, WithOverrides) {
  const std::string text = "[generate]\nkind = \"prism\"\nbars = 3\n";
  const Scenario plain = read_scenario_text(text, "m.toml");
  EXPECT_EQ(read_scenario_text(text, "m.toml", {"generate.bars=5"}).model.bars.size(), 5u);
  const std::string& cable = plain.model.cables[1].name;
  const Scenario s =
      read_scenario_text(text, "m.toml",
                         {"cables.\"" + cable + "\".stiffness=77", "bars.0.mass=4",
                          "cables.\"" + cable + "\".pretension=2", "simulation.duration=8", "nodes.0.fixed=true"});
  EXPECT_EQ(s.model.cables[1].law.stiffness, 77.0);
  EXPECT_FALSE(s.model.cables[1].law.by_EA);
  const double length = start_length(s.model, s.model.cables[1]), rest = s.model.cables[1].rest_length;
  EXPECT_NEAR(tension(s.model.cables[1].law, length - rest, 0.0, rest), 2.0, 1e-12);
  EXPECT_EQ(s.model.cables[0], plain.model.cables[0]);
  EXPECT_EQ(s.model.cables[2], plain.model.cables[2]);
  EXPECT_EQ(s.model.bars[0].mass, 4.0);
  EXPECT_EQ(s.model.bars[1], plain.model.bars[1]);
  EXPECT_EQ(s.model.nodes[0].fixed, (Axes{true, true, true}));
  EXPECT_EQ(s.simulation.duration, 8.0);
}

TEST(Generate, Problems) {
  const auto one = [](const std::string& keys, const std::string& beginning) {
    const Strings found = problems_of("[generate]\n" + keys);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].substr(0, beginning.size()), beginning);
  };
  one("bars = 3\n", "m.toml:1:1: generate.kind: is missing: expected one of prism, six_bar, ");
  one("kind = \"prisn\"\n", "m.toml:2:8: generate.kind: \"prisn\" is not known: expected one of prism, ");
  one("kind = 3\n", "m.toml:2:8: generate.kind: expected a text in quotes, got 3");
  one("kind = \"prism\"\nbar = 3\n", "m.toml:3:1: generate.bar: is not a key of prism (did you mean \"bars\"?)");
  one("kind = \"prism\"\nbars = 3.5\n", "m.toml:3:8: generate.bars: expected a whole number, got 3.5");
  one("kind = \"prism\"\nbars = \"x\"\n", "m.toml:3:8: generate.bars: expected a number, got the text \"x\"");
  one("kind = \"prism\"\nbars = 2\n", "m.toml:3:8: generate.bars: ");
}

}  // namespace
}  // namespace taut
