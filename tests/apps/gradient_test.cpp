// taut gradient as a program: its text, its JSON, its exit codes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/apps/program.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

using Words = std::vector<std::string>;

class CliGradient : public ::testing::Test {
 protected:
  CliGradient() {
    write_text(folder_ / "m.toml",
               "[nodes]\ntop = { at = [0, 0, 0], fixed = true }\n"
               "mass = { at = [0, 0, -1.1], mass = 1.0, velocity = [0, 0, 2] }\n"
               "[[cables]]\nnodes = [\"top\", \"mass\"]\nname = \"c\"\nstiffness = 200.0\nrest_length = 1.0\n"
               "[simulation]\nintegrator = \"dopri5\"\nduration = 0.5\n");
  }
  Outcome gradient(Words more) const {
    more.insert(more.begin(), {"gradient", "m.toml"});
    return run_program(more, folder_.path());
  }
  const ScratchFolder folder_;
};

TEST_F(CliGradient, SaysDerivativesAndSwitches) {
  const Outcome text = gradient({"--of", "last(nodes.mass.z)", "--by", "cables.c.stiffness"});
  EXPECT_EQ(text.exit_code, 0) << text.error;
  for (const char* part : {"last(nodes.mass.z) = ", "by cables.c.stiffness", "switches", "slack"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << text.out;
  const Outcome json = gradient({"--of", "last(nodes.mass.z)", "--of", "first_time(went_slack)", "--by",
                                 "cables.*.stiffness", "--by", "nodes.mass.velocity", "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.error;
  const auto found = nlohmann::json::parse(json.out);
  EXPECT_EQ(found["outcomes"].size(), 2u);
  EXPECT_EQ(found["parameters"]["nodes.mass.velocity.z"], 2.0);
  const auto& by = found["outcomes"][1]["by"];
  EXPECT_EQ(by.size(), 4u);
  ASSERT_GE(found["switches"].size(), 1u);
  EXPECT_EQ(found["switches"][0]["kind"], "slack");
  EXPECT_NEAR(found["switches"][0]["by"]["cables.c.stiffness"].get<double>(), by["cables.c.stiffness"].get<double>(),
              1e-9);
  EXPECT_TRUE(found["not_differentiable"].empty());
}

TEST_F(CliGradient, NotesThatStepsAreNotFixed) {
  const Outcome text = gradient(
      {"--of", "last(nodes.mass.z)", "--by", "cables.c.stiffness", "--set", "simulation.integrator=symplectic"});
  EXPECT_EQ(text.exit_code, 0) << text.error;
  EXPECT_NE(text.out.find("symplectic"), std::string::npos) << text.out;
}

TEST_F(CliGradient, RefusesWhatMakesNoSense) {
  const auto refused = [&](const Words& words, const std::string& part) {
    const Outcome outcome = gradient(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_NE(outcome.error.find(part), std::string::npos) << outcome.error;
  };
  refused({"--of", "last(nodes.mass.z)"}, "--by");
  refused({"--of", "last(nodes.mas.z)", "--by", "cables.c.stiffness"}, "mas");
  refused({"--of", "nodes.mass.z", "--by", "cables.c.stiffness"}, "changes with time");
  refused({"--of", "last(nodes.mass.z)", "--by", "cables.d.stiffness"}, "there is no \"d\"");
  refused({"--of", "last(nodes.mass.z)", "--by", "simulation.integrator"}, "expected a number");
  // An outcome that is no number is a run without a gradient.
  const Outcome none =
      gradient({"--of", "first_time(went_taut)", "--by", "cables.c.stiffness", "--set", "simulation.duration=0.01"});
  EXPECT_EQ(none.exit_code, 1) << none.error;
  EXPECT_NE(none.error.find("has no gradient"), std::string::npos) << none.error;
}

}  // namespace
}  // namespace taut::testing
