// `taut modes` as a user meets it: text, JSON, the files it writes, messages and exit codes.
#include <cmath>
#include <nlohmann/json.hpp>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/report/report.h"
#include "tests/apps/program.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

class CliModes : public ::testing::Test {
 protected:
  CliModes() {
    write_text(folder / "robot.toml", "[generate]\nkind = \"six_bar\"\n[environment]\ngravity = [0, 0, 0]\n");
  }
  Outcome modes(std::vector<std::string> more) {
    more.insert(more.begin(), "modes");
    return run_program(more, folder.path());
  }
  Json object(std::vector<std::string> more) {
    more.push_back("--json");
    const Outcome outcome = modes(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return Json::parse(outcome.out);
  }

  ScratchFolder folder;
};

TEST_F(CliModes, SaysWhatItFound) {
  const Outcome outcome = modes({"robot.toml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  for (const char* text :
       {"  modes             all 30\n", "  stability         no motion grows\n",
        "  zero modes        6: 6 of the whole, which nothing holds\n", "  start shape       in balance"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << outcome.out;
}

// Shapes by node and of unit modal mass: for uniform rods Σ m/3 (a² + a·b + b²) = 1.
TEST_F(CliModes, JsonIsOneObjectAndNothingElse) {
  const Json found = object({"robot.toml", "--count", "9"});
  EXPECT_EQ(found["frequencies_hz"].size(), 9u);
  EXPECT_EQ(found["damping_ratios"].size(), 9u);
  EXPECT_EQ(found["zero_modes"], 6);
  EXPECT_EQ(found["degrees_of_freedom"], 30);
  EXPECT_TRUE(found["stable"].get<bool>());
  EXPECT_EQ(found["moved_mass"].size(), 3u);
  EXPECT_NEAR(found["moved_mass"][0].get<double>(), 6.0, 1e-9);
  const Model model = read_scenario((folder / "robot.toml").string()).model;
  ASSERT_EQ(found["shapes"].size(), 9u);
  for (const Json& shape : found["shapes"]) {
    ASSERT_EQ(shape.size(), model.nodes.size());
    const auto at = [&](int node) {
      const auto v = shape[model.nodes[node].name].get<std::vector<double>>();
      return Vec3(v[0], v[1], v[2]);
    };
    double mass = 0.0;
    for (const Bar& bar : model.bars) {
      const Vec3 a = at(bar.a), b = at(bar.b);
      mass += bar.mass / 3.0 * (a.dot(a) + a.dot(b) + b.dot(b));
      EXPECT_NEAR((b - a).dot(model.nodes[bar.b].position - model.nodes[bar.a].position), 0.0, 1e-12);
    }
    EXPECT_NEAR(mass, 1.0, 1e-10);
  }
}

TEST_F(CliModes, WritesItsFilesTogether) {
  const Outcome outcome = modes({"robot.toml", "-o", "out/modes", "--prestress", "0.5:2:4"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  Names files = {"modes.csv", "modes.json", "prestress.csv", "shapes.csv"};
  if (reports_possible()) files.insert(files.begin() + 3, "report.html");
  EXPECT_EQ(names_in(folder / "out/modes"), files);
  const Json found = Json::parse(contents(folder / "out/modes/modes.json"));
  ASSERT_EQ(found["prestress"].size(), 4u);
  const double low = found["prestress"][0]["frequencies_hz"][6], high = found["prestress"][3]["frequencies_hz"][6];
  EXPECT_NEAR(high / low, 2.0, 1e-9);  // from half to twice the tension
  EXPECT_EQ(found["prestress"][1]["factor"], 1.0);
  EXPECT_EQ(contents(folder / "out/modes/prestress.csv").substr(0, 31), "factor,imbalance,mode1,mode2,mo");
  const std::string table = contents(folder / "out/modes/modes.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 31);
  if (!reports_possible()) return;
  const std::string page = contents(folder / "out/modes/report.html");
  EXPECT_NE(page.find("\"kind\":\"modes\""), std::string::npos);
  // Without tables of prestress the file of an earlier time stays what it was; a folder in the way is refused.
  EXPECT_EQ(modes({"robot.toml", "-o", "robot.toml"}).exit_code, 2);
}

TEST_F(CliModes, OutOfBalanceIsSaidAndSettled) {
  write_text(folder / "hung.toml", R"(
[nodes]
wall = { at = [-1, 0, 0], fixed = true }
other = { at = [1, 0, 0], fixed = true }
mass = { at = [0, 0, 0], mass = 1 }
[[cables]]
paths = [["wall", "mass"], ["other", "mass"]]
stiffness = 1000.0
pretension = 50.0
)");
  const Json still = object({"hung.toml"}), settled = object({"hung.toml", "--settle"});
  EXPECT_FALSE(still["in_balance"].get<bool>());
  EXPECT_TRUE(settled["in_balance"].get<bool>());
  // N7: across two taut cables 2T/l; along them 2k.
  EXPECT_NEAR(still["frequencies_hz"][0].get<double>(), std::sqrt(100.0) / (2.0 * M_PI), 1e-9);
  EXPECT_NEAR(still["frequencies_hz"][2].get<double>(), std::sqrt(2000.0) / (2.0 * M_PI), 1e-9);
  EXPECT_GT(settled["frequencies_hz"][1].get<double>(), 1.1 * still["frequencies_hz"][1].get<double>());
  const Outcome text = modes({"hung.toml"});
  EXPECT_NE(text.out.find("--settle finds the equilibrium first"), std::string::npos) << text.out;
}

// A machine of joints: its report has the shape of every node.
TEST_F(CliModes, Machines) {
  const Outcome example = run_program({"examples", "three_dof_mechanism", "-o", "legs.toml"}, folder.path());
  ASSERT_EQ(example.exit_code, 0) << example.error;
  const Json found = object({"legs.toml", "-o", "legs"});
  EXPECT_EQ(found["formulation"], "multibody");
  EXPECT_EQ(found["frequencies_hz"].size(), found["degrees_of_freedom"].get<std::size_t>());
  EXPECT_EQ(found["coordinate_shapes"].size(), found["frequencies_hz"].size());
  // With another knee angle it is out of balance; settled first, it is stable.
  const std::string other = "actuators.0.position=-1.4";
  EXPECT_FALSE(object({"legs.toml", "--set", other})["in_balance"].get<bool>());
  const Json settled = object({"legs.toml", "--set", other, "--settle"});
  EXPECT_TRUE(settled["in_balance"].get<bool>());
  EXPECT_GT(settled["frequencies_hz"][0].get<double>(), 1.0);
  EXPECT_EQ(modes({"legs.toml", "--formulation", "nodal"}).exit_code, 2);
}

TEST_F(CliModes, BadInputIsExplained) {
  EXPECT_EQ(modes({"absent.toml"}).exit_code, 2);
  for (const char* count : {"0", "-3", "many"}) EXPECT_EQ(modes({"robot.toml", "--count", count}).exit_code, 2);
  for (const char* factors : {"0", "1,,2", "a", "1:2", "1:2:1", "1:2:3:4", "-1", "inf", "1:nan:3"}) {
    const Outcome outcome = modes({"robot.toml", "--prestress", factors, "-o", "new"});
    EXPECT_EQ(outcome.exit_code, 2) << factors;
    EXPECT_NE(outcome.error.find("--prestress: "), std::string::npos) << outcome.error;
  }
  const Outcome much = modes({"robot.toml", "--prestress", "1e9", "-o", "new"});
  EXPECT_EQ(much.exit_code, 2);
  EXPECT_NE(much.error.find("cable \"n1-n5\": no rest length gives it 1e+09 times its tension"), std::string::npos)
      << much.error;
  const Outcome little = modes({"robot.toml", "--prestress", "1e-16", "-o", "new"});
  EXPECT_EQ(little.exit_code, 2);
  EXPECT_NE(little.error.find("expected a larger factor"), std::string::npos) << little.error;
  EXPECT_EQ(modes({"robot.toml", "--formulation", "fancy"}).exit_code, 2);
  for (const char* option : {"--prestress", "-o"}) {
    const Outcome empty = modes({"robot.toml", option, ""});
    EXPECT_EQ(empty.exit_code, 2) << option;
    EXPECT_NE(empty.error.find("is empty: expected a value"), std::string::npos) << empty.error;
  }
  EXPECT_EQ(names_in(folder.path()), (Names{"robot.toml"}));
}

// Of a linkage that is driven altogether nothing is free: no frequency, in both commands.
TEST_F(CliModes, AllIsDriven) {
  ASSERT_EQ(run_program({"examples", "jansen", "-o", "legs.toml"}, folder.path()).exit_code, 0);
  EXPECT_EQ(object({"legs.toml"})["frequencies_hz"].size(), 0u);
  const Json linear = Json::parse(run_program({"linearise", "legs.toml", "--json"}, folder.path()).out);
  EXPECT_EQ(linear["degrees_of_freedom"], 0);
  EXPECT_EQ(linear["frequencies_hz"].size(), 0u);
  EXPECT_EQ(linear["A"].size(), 14u);
  const Outcome text = run_program({"linearise", "legs.toml"}, folder.path());
  EXPECT_NE(text.out.find("nothing is free to move"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("unstable"), std::string::npos) << text.out;
}

}  // namespace
}  // namespace taut::testing
