// `taut form` as a user meets it: the file it writes, its report, exit codes and messages.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "tests/apps/program.h"
#include "tests/equilibrium/dense_balance.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Names = std::vector<std::string>;

class CliForm : public ::testing::Test {
 protected:
  CliForm() {
    Scenario scenario = generated("six_bar");
    scenario.model = icosahedron(1.0);
    write_text(folder / "ico.toml", to_toml(scenario));
  }
  Outcome form(std::vector<std::string> more) {
    more.insert(more.begin(), {"form", "ico.toml"});
    return run_program(more, folder.path());
  }

  ScratchFolder folder;
};

TEST_F(CliForm, WritesTheModelInEquilibrium) {
  const Outcome outcome = form({});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  EXPECT_NE(outcome.out.find("  status            in equilibrium\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  slack cables      none\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  file              ico-form.toml\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(names_in(folder.path()), (Names{"ico-form.toml", "ico.toml"}));
  // N2, as read back from the file.
  const Scenario before = read_scenario((folder / "ico.toml").string());
  const Scenario after = read_scenario((folder / "ico-form.toml").string());
  for (const Cable& cable : after.model.cables) EXPECT_NEAR(start_length(after.model, cable), std::sqrt(0.375), 1e-12);
  EXPECT_EQ(after.model.cables, before.model.cables);  // rest lengths as given
  EXPECT_EQ(after.simulation, before.simulation);
  // And taut check agrees.
  const Outcome check = run_program({"check", "ico-form.toml", "--json"}, folder.path());
  const auto object = nlohmann::json::parse(check.out);
  EXPECT_TRUE(object["in_balance"].get<bool>());
  EXPECT_LT(object["imbalance"].get<double>(), 1e-12);
  // Once more: nothing to do.
  const Outcome again = run_program({"form", "ico-form.toml", "-o", "again/same.toml"}, folder.path());
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.out.find("kinetic damping   not needed"), std::string::npos) << again.out;
  EXPECT_EQ(names_in(folder / "again"), (Names{"same.toml"}));
}

TEST_F(CliForm, JsonIsOneObjectAndNothingElse) {
  const Outcome outcome = form({"--json", "--method", "relax", "--set", "cables.*.stiffness=800"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(object["converged"].get<bool>());
  EXPECT_TRUE(object["stable"].get<bool>());
  EXPECT_LT(object["imbalance"].get<double>(), 1e-12);
  EXPECT_GT(object["start_imbalance"].get<double>(), 0.1);
  EXPECT_GT(object["steps"].get<long>(), 0);
  EXPECT_GT(object["peaks"].get<long>(), 0);
  EXPECT_NEAR(object["largest_move"].get<double>(), 0.5 / std::numbers::phi - 0.25, 1e-9);
  EXPECT_EQ(object["slack"], nlohmann::json::array());
  EXPECT_EQ(object["file"], "ico-form.toml");
  EXPECT_EQ(read_scenario((folder / "ico-form.toml").string()).model.cables[3].law.stiffness, 800.0);
}

TEST_F(CliForm, NoEquilibriumWritesNothing) {
  const Outcome falls = form({"--set", "environment.gravity=[0,0,-9.81]", "-o", "new/out.toml"});
  EXPECT_EQ(falls.exit_code, 1);
  EXPECT_NE(falls.out.find("no equilibrium: nothing holds the structure against gravity"), std::string::npos)
      << falls.out;
  EXPECT_NE(falls.error.find("ico.toml: no equilibrium: nothing holds the structure against gravity"),
            std::string::npos);
  const Outcome slack = form({"--json", "--set", "cables.*.rest_length=2"});
  EXPECT_EQ(slack.exit_code, 1);
  const auto object = nlohmann::json::parse(slack.out);
  EXPECT_FALSE(object["converged"].get<bool>());
  EXPECT_TRUE(object["stable"].is_null());
  EXPECT_EQ(object["slack"].size(), 24u);
  EXPECT_TRUE(object["file"].is_null());
  EXPECT_EQ(names_in(folder.path()), (Names{"ico.toml"}));
}

TEST_F(CliForm, BadInputIsExplained) {
  const Outcome method = form({"--method", "relx"});
  EXPECT_EQ(method.exit_code, 2);
  EXPECT_EQ(
      method.error,
      "--method: \"relx\" is not known: expected one of relax, force_density, newton, prestress, optimise (did you "
      "mean \"relax\"?)\nRun with --help for more information.\n");
  const Outcome other = form({"--method", "magic"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.error,
            "--method: \"magic\" is not known: expected one of relax, force_density, newton, prestress, optimise\nRun "
            "with --help "
            "for more information.\n");
  const Outcome key = form({"--set", "simulation.setle=true"});
  EXPECT_EQ(key.exit_code, 2);
  EXPECT_NE(key.error.find("settle"), std::string::npos) << key.error;  // did you mean
  write_text(folder / "here", "a file");
  EXPECT_EQ(form({"-o", "here/x.toml"}).exit_code, 2);
  EXPECT_EQ(run_program({"form", "absent.toml"}, folder.path()).exit_code, 2);
  EXPECT_EQ(form({"--steps", "-3"}).exit_code, 2);
  for (const char* option : {"--reach", "--tolerance", "--steps"})
    for (const char* value : {"-1", "0", "inf", "nan", "much"}) {
      const Outcome number = form({option, value});
      EXPECT_EQ(number.exit_code, 2) << option << " " << value;
      EXPECT_NE(number.error.find(fmt::format("{}: expected a positive number, not \"{}\"\n", option, value)),
                std::string::npos)
          << number.error;
    }
  EXPECT_EQ(form({"--least-tension", "-1"}).exit_code, 2);
  EXPECT_EQ(names_in(folder.path()), (Names{"here", "ico.toml"}));
}

// A point that was measured beside the line of the two cables that carry it: the third would push.
TEST_F(CliForm, PrestressNamesCablesThatWouldPush) {
  write_text(folder / "hung.toml", R"(
cables = [{ paths = [["left", "point"], ["right", "point"], ["top", "point"]], stiffness = 1000.0, pretension = 10.0 }]
targets = [{ cables = ["left-point", "right-point"], mean_tension = 10.0 }]
[environment]
gravity = [0, 0, 0]
[nodes]
left = { at = [-1, 0, 0], fixed = true }
right = { at = [1, 0, 0], fixed = true }
top = { at = [0, 1, 0], fixed = true }
point = { at = [0.1, -0.02, 0], mass = 1, fixed = ["z"] }
)");
  const Outcome text = run_program({"form", "hung.toml", "--method", "prestress"}, folder.path());
  ASSERT_EQ(text.exit_code, 0) << text.error;
  EXPECT_NE(text.out.find("would push          1 of 3, held at 0 N: top-point\n"), std::string::npos) << text.out;
  const Outcome json =
      run_program({"form", "hung.toml", "--method", "prestress", "--least-tension", "1.5", "--json"}, folder.path());
  ASSERT_EQ(json.exit_code, 0) << json.error;
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object["at_least"], nlohmann::json::array({"top-point"}));
  EXPECT_NEAR(object["tensions"]["top-point"].get<double>(), 1.5, 1e-9);
}

TEST_F(CliForm, PrestressOfFixedNodesSaysWhatIsMissing) {
  write_text(folder / "fixed.toml", R"(
cables = [{ nodes = ["a", "b"], stiffness = 1000.0, pretension = 5.0 }]
[environment]
gravity = [0, 0, 0]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], fixed = true }
)");
  const Outcome outcome = run_program({"form", "fixed.toml", "--method", "prestress"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.error.find("no cable that only pulls has an end that can move"), std::string::npos)
      << outcome.error;
}

TEST_F(CliForm, RunSettlesOnRequest) {
  const Outcome outcome =
      run_program({"run", "ico.toml", "--settle", "--no-report", "--csv", "--duration", "0.1"}, folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("settled: started from equilibrium, largest net force"), std::string::npos) << outcome.out;
  const auto summary = nlohmann::json::parse(contents(folder / "ico-run/summary.json"));
  EXPECT_EQ(summary["status"], "done");
  EXPECT_LT(summary["energy_drift"].get<double>(), 1e-6);
}

}  // namespace
}  // namespace taut::testing
