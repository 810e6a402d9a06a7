// The methods of `taut form` that find shapes from densities, lengths and along paths, as a user meets them.
#include <nlohmann/json.hpp>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "tests/apps/program.h"
#include "tests/form/form_structures.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

class CliFormMethods : public ::testing::Test {
 protected:
  void put(const std::string& name, const Model& model) {
    Scenario scenario = empty_scenario();
    scenario.model = model;
    scenario.model.name = name;
    write_text(folder / (name + ".toml"), to_toml(scenario));
  }
  Outcome form(std::vector<std::string> words) {
    words.insert(words.begin(), "form");
    return run_program(words, folder.path());
  }
  // The file stands: taut check finds it in balance to rounding.
  void expect_standing(const std::string& file) {
    const Outcome check = run_program({"check", file, "--json"}, folder.path());
    ASSERT_EQ(check.exit_code, 0) << check.error;
    const auto object = nlohmann::json::parse(check.out);
    EXPECT_TRUE(object["in_balance"].get<bool>());
    EXPECT_LT(object["imbalance"].get<double>(), 1e-12);
    EXPECT_TRUE(object["slack"].empty());
  }

  ScratchFolder folder;
};

TEST_F(CliFormMethods, ForceDensityWritesAModelThatStaysAtRest) {
  put("prism", twisted_prism(3, 0.1));
  const Outcome outcome = form({"prism.toml", "--method", "force_density", "--pretension", "40", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.out);
  EXPECT_LT(object["imbalance"].get<double>(), 1e-12);
  EXPECT_TRUE(object["super_stable"].get<bool>());
  EXPECT_EQ(object["groups"].size(), 3u);
  double mean = 0.0;
  for (const auto& [cable, tension] : object["tensions"].items()) mean += tension.get<double>() / 9.0;
  EXPECT_NEAR(mean, 40.0, 1e-9);
  expect_standing("prism-form.toml");
  const Outcome run = run_program(
      {"run", "prism-form.toml", "--duration", "0.2", "--no-report", "--csv", "-o", "still"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.error;
  const std::string rows = contents(folder / "still/nodes.csv");
  // The first coordinate of the first row and of the last.
  const auto coordinate = [&](std::size_t line) { return std::stod(rows.substr(rows.find(',', line) + 1)); };
  EXPECT_NEAR(coordinate(rows.find('\n') + 1), coordinate(rows.rfind('\n', rows.size() - 2) + 1), 1e-9);
}

TEST_F(CliFormMethods, DensitiesAndGroupsComeByName) {
  put("prism", twisted_prism(3, 0.1));
  const Outcome outcome =
      form({"prism.toml", "--method", "force_density", "--density", "c7,c8,c9=30", "--group", "bars", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(object["force_densities"]["c8"].get<double>(), 30.0, 1e-9);
  EXPECT_NEAR(object["force_densities"]["c1"].get<double>(), 30.0 / std::sqrt(3.0), 1e-9);
  const auto refused = [&](std::vector<std::string> words, const std::string& text) {
    words.insert(words.begin(), {"prism.toml", "--method", "force_density"});
    const Outcome answer = form(words);
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_NE(answer.error.find(text), std::string::npos) << answer.error;
  };
  refused({"--density", "c77=3"}, "--density: there is no cable or bar \"c77\"");
  refused({"--density", "c7"}, "expected MEMBERS=NUMBER");
  refused({"--density", "cables=-1"}, "a cable cannot push");
  refused({"--group", "c1,n1-n5"}, "holds cables and bars");
  refused({"--group", "c1,c2", "--group", "c2,c3"}, "\"c2\" is in two groups");
}

TEST_F(CliFormMethods, ImpossibleDensitiesAreAnAnswer) {
  put("prism", twisted_prism(3, 0.1));
  const Outcome outcome =
      form({"prism.toml", "--method", "force_density", "--density", "cables=1", "--density", "bars=-0.1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.error.find("no force densities were found"), std::string::npos) << outcome.error;
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"prism.toml"});
}

TEST_F(CliFormMethods, OptimiseMakesBarsLong) {
  put("prism", twisted_prism(3, 0.1));
  const Outcome outcome =
      form({"prism.toml", "--method", "optimise", "--length", "cables=1", "--pretension", "10", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(object["lengths"]["n1-n5"].get<double>(), std::sqrt(1.0 + 2.0 / std::sqrt(3.0)), 1e-10);  // N1
  expect_standing("prism-form.toml");
  const Outcome both = form({"prism.toml", "--method", "optimise", "--maximise", "bars", "--minimise", "n1-n5"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.error.find("both long and short"), std::string::npos) << both.error;
}

TEST_F(CliFormMethods, LoadPathEndsAtALimitPointOrGoesThrough) {
  // The limit load of the arch, by its closed form, over 0.83.
  const double a = 1.0, h = 0.3, EA = 1e4, L0 = std::hypot(a, h), l = std::cbrt(a * a * L0),
               y = std::sqrt(l * l - a * a);
  put("arch", two_bar_arch(a, h, EA, 2.0 * EA * y * (1.0 / l - 1.0 / L0) / 0.83));
  const Outcome ends = form({"arch.toml", "--method", "newton", "--path", "loads"});
  EXPECT_EQ(ends.exit_code, 1);
  EXPECT_NE(ends.error.find("the load path ends at a limit point at 0.83 of the load"), std::string::npos)
      << ends.error;
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"arch-path.csv", "arch.toml"}));
  const Outcome through = form({"arch.toml", "--method", "newton", "--path", "loads", "--arc-length", "--nodes", "n3",
                                "--record", "curve.csv", "--json"});
  ASSERT_EQ(through.exit_code, 0) << through.error;
  const auto object = nlohmann::json::parse(through.out);
  EXPECT_EQ(object["path"]["events"].size(), 2u);
  EXPECT_EQ(object["path"]["events"][0]["kind"], "limit point");
  EXPECT_NEAR(object["path"]["events"][0]["factor"].get<double>(), 0.83, 1e-9);
  EXPECT_EQ(object["path"]["events"][0]["node"], "n3");
  EXPECT_EQ(contents(folder / "curve.csv").substr(0, 57), "point,factor,arc_length,unstable,stiffness,n3.x,n3.y,n3.z");
  expect_standing("arch-form.toml");
}

TEST_F(CliFormMethods, NewtonFindsTheEquilibriumOfTheRestLengths) {
  put("prism", twisted_prism(4, 0.5 * std::numbers::pi - std::numbers::pi / 4 + 0.02));
  const Outcome outcome = form({"prism.toml", "--method", "newton", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_LT(nlohmann::json::parse(outcome.out)["imbalance"].get<double>(), 1e-12);
  expect_standing("prism-form.toml");
  const Outcome path = form({"prism.toml", "--method", "newton", "--path", "rest_lengths", "--rest-length", "c9=0.7"});
  ASSERT_EQ(path.exit_code, 0) << path.error;
  EXPECT_EQ(read_scenario((folder / "prism-form.toml").string()).model.cables[8].rest_length, 0.7);
  expect_standing("prism-form.toml");
  const Outcome none = form({"prism.toml", "--method", "newton", "--path", "loads"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.error.find("no load acts at t = 0"), std::string::npos) << none.error;
}

TEST_F(CliFormMethods, OptionsOfOtherMethodsAreRefused) {
  put("prism", twisted_prism(3, 0.1));
  const auto refused = [&](std::vector<std::string> words, const std::string& text) {
    words.insert(words.begin(), "prism.toml");
    const Outcome answer = form(words);
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.error, text);
  };
  refused({"--density", "cables=1"}, "--density: belongs to --method force_density, not to relax\n");
  refused({"--method", "newton", "--pretension", "3"},
          "--pretension: belongs to --method force_density or optimise, not to newton\n");
  refused({"--method", "prestress", "--path", "loads", "--steps", "9"},
          "--path: belongs to --method newton, not to prestress\n"
          "--steps: belongs to --method relax or newton, not to prestress\n");
  refused({"--method", "newton", "--arc-length"},
          "--arc-length: belongs to --method newton with --path: expected --path as well\n");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"prism.toml"});
}

TEST_F(CliFormMethods, BranchesAreFollowedByName) {
  put("column", hinged_column(1.0, 50.0, 0.0, 80.0));
  const Outcome outcome = form({"column.toml", "--method", "newton", "--path", "loads", "--branch", "along", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const auto object = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(object["path"]["events"][0]["followed"].get<bool>());
  EXPECT_TRUE(object["stable"].is_null());
  const Outcome text = form({"column.toml", "--method", "newton", "--path", "loads"});
  EXPECT_NE(text.out.find("node \"n2\" along (1, 0, 0)"), std::string::npos) << text.out;
}

// Kinds and names stand side by side in one list; of two that say the same member, the later counts. Relaxation tells
// the forces that it found.
TEST_F(CliFormMethods, ListsOfMembersTakeKindsAndNames) {
  put("prism", generated("prism").model);
  const Outcome both = form({"prism.toml", "--method", "force_density", "--density", "cables, a1-b1=1", "--json"});
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_EQ(both.error.find("there is no cable or bar"), std::string::npos) << both.error;
  const Outcome none = form({"prism.toml", "--method", "optimise", "--maximise", "bars,a9-a2"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.error.find("there is no cable or bar \"a9-a2\""), std::string::npos) << none.error;
  const Outcome relaxed = form({"prism.toml", "--json"});
  ASSERT_EQ(relaxed.exit_code, 0) << relaxed.error;
  const auto object = nlohmann::json::parse(relaxed.out);
  const Model prism = generated("prism").model;
  EXPECT_EQ(object["tensions"].size(), prism.cables.size());
  EXPECT_EQ(object["bar_forces"].size(), prism.bars.size());
  for (const Cable& cable : prism.cables) {
    const double length = start_length(prism, cable);
    EXPECT_NEAR(object["tensions"][cable.name].get<double>(),
                elastic_tension(cable.law, length - cable.rest_length, cable.rest_length), 1e-9);
    EXPECT_EQ(object["rest_lengths"][cable.name].get<double>(), cable.rest_length);
  }
}

}  // namespace
}  // namespace taut::testing
