// [[actuators]] of bars: what is read, written again, overridden and refused.
#include <gtest/gtest.h>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "tests/support/complaint.h"

namespace taut::testing {
namespace {

const std::string structure = R"([nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [0, 0, 2], mass = 1 }
c = { at = [1, 0, 0], fixed = true }
d = { at = [3, 0, 0], mass = 1 }

[[bars]]
nodes = ["a", "b"]
name = "mast"
mass = 1

[[bars]]
nodes = ["c", "d"]
name = "spring"
EA = 1e4

[[cables]]
nodes = ["b", "d"]
name = "stay"
stiffness = 100
rest_length = 3

[[actuators]]
)";

const std::string ramp = "{ kind = \"ramp\", from = 2.0, to = 1.5, start = 0.5, end = 1.5 }\n";

std::string refused(const std::string& actuator, const std::vector<std::string>& set = {}) {
  return complaint([&] { read_scenario_text(structure + actuator, "mast.toml", set); });
}

TEST(BarActuators, AreReadWrittenAndOverridden) {
  const std::string text =
      structure + "bar = \"mast\"\nlength = " + ramp + "[[actuators]]\nbar = \"spring\"\nrest_length = 1.9\n";
  const Scenario s = read_scenario_text(text, "mast.toml");
  ASSERT_EQ(s.model.bar_drives.size(), 2U);
  EXPECT_EQ(s.model.bar_drives[0].bar, 0);
  EXPECT_EQ(s.model.bar_drives[0].length.kind, SignalKind::ramp);
  EXPECT_EQ(s.model.bar_drives[1].bar, 1);
  EXPECT_EQ(s.model.bar_drives[1].length.value, 1.9);
  EXPECT_TRUE(s.model.actuators.empty());
  EXPECT_EQ(read_scenario_text(to_toml(s), "again.toml").model, s.model);
  for (const char* key : {"actuators.mast.length.to=1.2", "actuators.0.length.to=1.2"})
    EXPECT_EQ(read_scenario_text(text, "mast.toml", {key}).model.bar_drives[0].length.to, 1.2);
  EXPECT_EQ(
      read_scenario_text(text, "mast.toml", {"actuators.spring.rest_length=1.8"}).model.bar_drives[1].length.value,
      1.8);
}

TEST(BarActuators, BadInputIsRefusedWithTheReason) {
  const std::string mast = "bar = \"mast\"\nlength = ";
  expect_says(refused("bar = \"mats\"\nlength = 2"), "there is no bar \"mats\" (did you mean \"mast\"?)");
  expect_says(refused(mast + "{ kind = \"step\", before = 2, after = 1, at = 1 }"), "a step jumps in length or speed");
  expect_says(refused(mast + "{ kind = \"table\", t = [0, 1], values = [2, 1] }"), "a table jumps in length or speed");
  expect_says(refused(mast + "1.9"), "is 1.9 m at t = 0, but the nodes of bar \"mast\" are 2 m apart");
  expect_says(refused(mast + "2\n[[actuators]]\n" + mast + "2"), "\"mast\" has an actuator already");
  expect_says(refused("bar = \"mast\"\nrest_length = 2"), "bar \"mast\" is rigid: expected length");
  expect_says(refused("bar = \"spring\"\nlength = 2"), "bar \"spring\" is elastic: expected rest_length");
  expect_says(refused("bar = \"spring\"\nrest_length = -1"), "is -1 m at t = 0: expected a length above 0");
  expect_says(refused("bar = \"mast\""), "length: is missing");
  expect_says(refused("bar = \"mast\"\ncable = \"stay\"\nlength = 2"), "is given beside bar");
  expect_says(refused("bar = \"mast\"\nlength = 2\ntorque = 2"), "belongs to actuators of joints only");
  expect_says(refused("cable = \"stay\"\nlength = 2"), "the key of a cable is rest_length");
  expect_says(refused(mast + "2", {"nodes.b.fixed=true"}), "both nodes of \"mast\" are fixed");
  // One reason is enough where the bar itself is wrong.
  const std::string faulty = refused(mast + "2", {"bars.mast.nodes=[\"a\",\"x\"]"});
  EXPECT_EQ(faulty.find("there is no bar"), std::string::npos) << faulty;
}

}  // namespace
}  // namespace taut::testing
