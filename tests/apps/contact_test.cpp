// The ground and collisions as a user meets them: a run, and bad input with exit 2 and a message that helps.
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::ScratchFolder;
using testing::write_text;

class CliContact : public ::testing::Test {
 protected:
  CliContact() {
    write_text(
        folder / "ball.toml",
        "[environment]\nground = {}\n[nodes]\nball = { at = [0, 0, 0.1], mass = 1 }\n[simulation]\nduration = 0.5\n");
  }
  Outcome taut(std::vector<std::string> words) { return run_program(std::move(words), folder.path()); }
  void expect_refused(const std::vector<std::string>& set, const std::string& message) {
    for (const char* command : {"run", "check"}) {
      std::vector<std::string> words = {command, "ball.toml"};
      for (const std::string& s : set) words.insert(words.end(), {"--set", s});
      const Outcome outcome = taut(words);
      EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.error;
      EXPECT_NE(outcome.error.find(message), std::string::npos) << outcome.error;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "ball-run"));
  }
  ScratchFolder folder;
};

TEST_F(CliContact, ABallBounces) {
  const Outcome outcome = taut({"run", "ball.toml", "--csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const auto summary = nlohmann::json::parse(testing::contents(folder / "ball-run/summary.json"));
  EXPECT_EQ(summary["status"], "done");
  EXPECT_LT(summary["energy_drift"], 1e-5);
  const Outcome check = taut({"check", "ball.toml"});
  EXPECT_EQ(check.exit_code, 0) << check.error;
}

TEST_F(CliContact, BadInputIsRefused) {
  expect_refused({"environment.ground.height=0.2"}, "node \"ball\" by 0.1 m");
  expect_refused({"environment.ground.stiffness=0"}, "environment.ground.stiffness: is 0");
  expect_refused({"environment.ground.stiffness=-5"}, "environment.ground.stiffness: is -5");
  expect_refused({"environment.ground.friction=-1"}, "environment.ground.friction: is negative");
  write_text(folder / "holes.csv", "0,0\n0,\n");
  expect_refused({"environment.ground.heights.file=\"holes.csv\""}, "line 2, column 2");
  write_text(folder / "ball.toml",
             "[environment]\ncollision = {}\n[nodes]\na = [-1, 0, 0]\nb = [1, 0, 0]\nc = [0, -1, 0]\nd = [0, 1, "
             "0]\n[[bars]]\npairs = [[\"a\", \"b\"], "
             "[\"c\", \"d\"]]\nmass = 1\n");
  expect_refused({}, "bars \"a-b\" and \"c-d\" start 0.02 m inside each other");
}

TEST_F(CliContact, AStepThatIsTooLongForFrictionIsSaid) {
  const Outcome outcome = taut({"run", "ball.toml", "--integrator", "rk4", "--step", "1e-3"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE((outcome.out + outcome.error).find("too long for rk4"), std::string::npos) << outcome.out << outcome.error;
}

}  // namespace
}  // namespace taut
