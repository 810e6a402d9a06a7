// --from as a user meets it: every command that takes a recorded state, what it says, and what it refuses.
#include <nlohmann/json.hpp>

#include "taut/results/hdf5/read_hdf5.h"
#include "tests/apps/program.h"
#include "tests/support/complaint.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

using Json = nlohmann::json;

// A robot that drops on soft ground, and is pressed into it.
class CliFrom : public ::testing::Test {
 protected:
  CliFrom() {
    write_text(folder / "robot.toml",
               "[generate]\nkind = \"six_bar\"\n[environment]\ngravity = [0, 0, -9.81]\n[environment.ground]\n"
               "height = -0.502\nstiffness = 5000\n"
               "[simulation]\nintegrator = \"rk4\"\nstep = 0.00005\nduration = 0.08\n");
    expect_done({"run", "robot.toml", "-o", "whole", "--no-report"});
    expect_done({"run", "robot.toml", "-o", "half", "--no-report", "--duration", "0.05"});
  }
  Outcome taut(const std::vector<std::string>& words) { return run_program(words, folder.path()); }
  std::string expect_done(const std::vector<std::string>& words) {
    const Outcome outcome = taut(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return outcome.out;
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& part) {
    const Outcome outcome = taut(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    expect_says(outcome.error, part);
  }

  ScratchFolder folder;
};

TEST_F(CliFrom, ARunGoesOnFromItsLastRowOrAnyOther) {
  const taut::Run whole = read_run(folder / "whole/run.h5");
  for (const std::vector<std::string>& from :
       {std::vector<std::string>{"half/run.h5", "5"}, {"whole/run.h5@0.03", "3"}}) {
    expect_done({"run", "robot.toml", "--from", from[0], "-o", "rest", "--no-report"});
    const taut::Run rest = read_run(folder / "rest/run.h5");
    const std::size_t first = std::stoul(from[1]);
    ASSERT_EQ(rest.rows(), whole.rows() - first);
    for (std::size_t row = 0; row < rest.rows(); ++row) {
      EXPECT_EQ(rest.t[row], whole.t[first + row]);
      EXPECT_TRUE(rest.nodes(row) == whole.nodes(first + row)) << row;
      EXPECT_TRUE(rest.energy(row) == whole.energy(first + row)) << row;
    }
    EXPECT_EQ(Json::parse(contents(folder / "rest/summary.json"))["start_s"], whole.t[first]);
  }
}

TEST_F(CliFrom, EveryAnalysisTakesAState) {
  const std::string state = "whole/run.h5@0.06";
  const Json check = Json::parse(expect_done({"check", "robot.toml", "--from", state, "--json"}));
  EXPECT_GT(check["imbalance"].get<double>(), 0.1);  // it is being pressed into the ground
  const Json start = Json::parse(expect_done({"check", "robot.toml", "--json"}));
  EXPECT_LT(start["imbalance"].get<double>(), 1e-6);
  expect_done({"statics", "robot.toml", "--from", state});
  const Json modes = Json::parse(expect_done({"modes", "robot.toml", "--from", state, "--json", "--count", "9"}));
  EXPECT_NE(modes["frequencies_hz"],
            Json::parse(expect_done({"modes", "robot.toml", "--json", "--count", "9"}))["frequencies_hz"]);
  const Json nodal = Json::parse(expect_done({"linearise", "robot.toml", "--from", state, "--json"}));
  const Json minimal =
      Json::parse(expect_done({"linearise", "robot.toml", "--from", state, "--formulation", "minimal", "--json"}));
  // The same motion in other coordinates has the same fastest oscillation.
  const auto highest = [](const Json& found) { return found["frequencies_hz"].back().get<double>(); };
  EXPECT_NEAR(highest(nodal), highest(minimal), 1e-6 * highest(nodal));
}

// The statics of a machine are those of its recorded state: at t = 0 what they are without one.
TEST_F(CliFrom, StaticsTakesAStateOfAMachine) {
  expect_done({"examples", "three_dof_mechanism", "-o", "legs.toml"});
  expect_done({"run", "legs.toml", "-o", "legs", "--no-report", "--duration", "2"});
  const std::string plain = expect_done({"statics", "legs.toml", "--json"});
  EXPECT_EQ(expect_done({"statics", "legs.toml", "--json", "--from", "legs/run.h5@0"}), plain);
  const Json there = Json::parse(expect_done({"statics", "legs.toml", "--json", "--from", "legs"}));
  EXPECT_EQ(there["self_stress_states"], 3);
  EXPECT_FALSE(there["in_balance"]);  // its knees are turning
}

TEST_F(CliFrom, RefusesWhatCannotGoOn) {
  expect_refused({"run", "robot.toml", "--from", "whole/run.h5", "-o", "rest"}, "--duration counts from t = 0");
  expect_refused({"run", "robot.toml", "--from", "whole/run.h5@0.0333", "-o", "rest"},
                 "the rows beside it are at 0.03 s and 0.04 s");
  expect_refused({"run", "robot.toml", "--from", "half", "--formulation", "minimal", "-o", "rest"},
                 "was computed in formulation nodal");
  expect_refused({"run", "robot.toml", "--from", "half", "--settle", "-o", "rest"}, "--settle");
  expect_refused({"modes", "robot.toml", "--from", "half", "--set", "environment.ground.stiffness=400"},
                 "environment.ground.stiffness: is 5000.0 in the run, 400.0 in the model");
  expect_refused({"check", "robot.toml", "--from", "robot.toml"}, "is not an HDF5 file");
  expect_refused({"run", "robot.toml", "--from", "half", "-o", "half"},
                 "half/run.h5");  // it would replace what it reads
  // The run that was gone on from is as it was.
  EXPECT_EQ(read_run(folder / "half/run.h5").rows(), 6u);
}

}  // namespace
}  // namespace taut::testing
