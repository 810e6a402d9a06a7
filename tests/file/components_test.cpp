// --set of single components of vectors; a model file read many times gives each time what reading it anew gives.
#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/file/read/model_file.h"
#include "taut/file/read/read_toml.h"
#include "tests/support/complaint.h"

namespace taut::testing {
namespace {

const char* const text = R"([environment]
gravity = [1, 2, 3]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 2, 3], mass = 1 }
[[cables]]
nodes = ["a", "b"]
stiffness = 10
rest_length = 1
[[loads]]
node = "b"
force = [4, 5, 6]
)";

Model with(const std::vector<std::string>& overrides) { return read_scenario_text(text, "m.toml", overrides).model; }

TEST(Components, LeaveTheOthersAsTheyAre) {
  EXPECT_EQ(with({"nodes.b.at.y=7"}).nodes[1].position, Vec3(1, 7, 3));
  EXPECT_EQ(with({"nodes.b.at.y=7", "nodes.b.at.x=-1"}).nodes[1].position, Vec3(-1, 7, 3));
  EXPECT_EQ(with({"nodes.*.at.z=0.5"}).nodes[1].position, Vec3(1, 2, 0.5));
  EXPECT_EQ(with({"nodes.b.at.y=7", "nodes.b=[9, 9, 8]"}).nodes[1].position, Vec3(9, 9, 8));  // the last one wins
  EXPECT_EQ(with({"nodes.b=[9, 9, 8]", "nodes.b.at.y=7"}).nodes[1].position, Vec3(9, 7, 8));
  EXPECT_EQ(with({"nodes.b.velocity.z=2"}).nodes[1].velocity, Vec3(0, 0, 2));
  EXPECT_EQ(with({"environment.gravity.z=-9"}).gravity, Vec3(1, 2, -9));
  EXPECT_EQ(read_scenario_text("[nodes]\na = { at = [0, 0, 0], mass = 1 }\n", "m.toml", {"environment.gravity.x=1"})
                .model.gravity,
            Vec3(1, 0, -9.81));
  EXPECT_EQ(with({"loads.0.force.x=0", "loads.0.force.y=1"}).loads[0].force, Vec3(0, 1, 6));
}

TEST(Components, WhatIsRefused) {
  const auto refused = [](const std::string& override, const std::string& part) {
    expect_says(complaint([&] { with({override}); }), part);
  };
  refused("nodes.b.at.w=1", "\"w\" is not a component: expected x, y or z");
  refused("nodes.b.at.x=high", "nodes.b.at.x: expected a number");
  refused("environment.gravity.3=1", "\"3\" is not a component");
  refused("environment.ground.normal.z=1", "expected all three numbers");
}

TEST(ModelFileReadAgain, IsTheSameAsReadAnew) {
  const std::vector<std::vector<std::string>> settings = {
      {}, {"cables.0.stiffness=20"}, {"nodes.b.at.y=7"}, {}, {"loads.0.force=[0, 0, 0]"}};
  ModelFile file(text, "m.toml");
  for (const auto& overrides : settings) {
    Problems problems;
    std::vector<Override> more;
    for (const std::string& override : overrides) more.push_back(*parse_override(override, problems));
    EXPECT_EQ(file.read(std::move(more)), read_scenario_text(text, "m.toml", overrides));
  }
}

// What a generator makes follows its parameters, also after a reading with others; a problem does no harm to what comes
// after it.
TEST(ModelFileReadAgain, GeneratesAnewWhereItMust) {
  const char* const prism = "[generate]\nkind = \"prism\"\n";
  ModelFile file(prism, "p.toml");
  const auto read = [&](const std::string& override) {
    Problems problems;
    std::vector<Override> more;
    if (!override.empty()) more.push_back(*parse_override(override, problems));
    return file.read(std::move(more));
  };
  for (const char* override : {"", "generate.bars=5", "", "generate.height=2", "cables.a1-a2.stiffness=7", ""})
    EXPECT_EQ(read(override),
              read_scenario_text(prism, "p.toml",
                                 *override ? std::vector<std::string>{override} : std::vector<std::string>{}))
        << override;
  for (const char* override : {"generate.bars=2", "cables.zz.stiffness=7", "nothing.here=1"}) {
    try {
      read(override);
      ADD_FAILURE() << override;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(std::string("--set ") + override)) << error.what();
    }
    EXPECT_EQ(read(""), read_scenario_text(prism, "p.toml")) << override;
  }
}

}  // namespace
}  // namespace taut::testing
