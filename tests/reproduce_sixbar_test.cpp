// `taut reproduce sixbar` against the closed forms of the standard six-bar, and the command's manners.
#include <cmath>
#include <numbers>

#include "tests/reproduce_results.h"

namespace taut::testing {
namespace {

const StudyFolder& study() {
  static const StudyFolder once({"sixbar"});
  return once;
}

TEST(ReproduceSixbar, NeutralPose) {
  EXPECT_NEAR(study().value("pair_distance"), 0.5, 1e-15);
  EXPECT_NEAR(study().value("cable_length"), std::sqrt(0.375), 1e-15);
  EXPECT_LT(study().value("imbalance"), 1e-13);
  EXPECT_NEAR(study().value("bar_compression"), 20.0 * std::sqrt(6.0), 1e-11);
  // From the regular icosahedron.
  EXPECT_LT(study().value("settled_pair_error"), 1e-12);
  EXPECT_LT(study().value("settled_cable_error"), 1e-12);
  EXPECT_GT(study().value("settled_peaks"), 0.0);
  EXPECT_NEAR(study().value("settled_largest_move"), 0.5 / std::numbers::phi - 0.25, 1e-10);
}

TEST(ReproduceSixbar, Frequencies) {
  const double lowest = std::sqrt(8.0 * 20.0 / std::sqrt(0.375)) / (2.0 * std::numbers::pi);
  EXPECT_NEAR(lowest, 2.5726, 5e-5);
  EXPECT_NEAR(study().value("lowest_frequency") / lowest, 1.0, 1e-10);
  EXPECT_EQ(study().list("frequencies").size(), 24u);
  EXPECT_EQ(study().list("frequencies_dumbbell").size(), 24u);
  for (const char* formulation : {"minimal", "quaternion", "point_mass"})
    EXPECT_LT(study().value(std::string("frequencies_") + formulation + "_difference"), 1e-8) << formulation;
  EXPECT_EQ(study().value("linear_states"), 102.0);
  EXPECT_EQ(study().results["linear_states"]["published"], 102.0);
  EXPECT_TRUE(study().results["lowest_frequency"]["published"].is_null());
}

TEST(ReproduceSixbar, FreeFlightIsOneMotion) {
  for (const char* run : {"minimal", "quaternion", "dumbbell_minimal", "dumbbell_quaternion", "dumbbell_point_mass"})
    EXPECT_LT(study().value(std::string("flight_") + run + "_difference"), 1e-10) << run;
  EXPECT_LT(study().value("flight_energy_drift"), 1e-10);
}

TEST(ReproduceSixbar, DropAndRoll) {
  EXPECT_GT(study().value("drop_dissipated"), 1.0);
  EXPECT_NEAR(study().value("drop_energy_lost") / study().value("drop_dissipated"), 1.0, 1e-6);
  EXPECT_LT(study().value("drop_energy_drift"), 1e-6);
  EXPECT_LT(study().value("drop_formulations_difference"), 1e-6);
  EXPECT_GT(study().value("roll_distance"), 0.3);
  EXPECT_LT(study().value("roll_kinetic_energy_difference"), 1e-12);
  const auto velocities = study().series("rod_velocities.csv");
  EXPECT_EQ(contents(study().path() / "rod_velocities.csv")
                .rfind("t,rod1.vx,rod1.vy,rod1.vz,rod1.wx,rod1.wy,rod1.wz,rod2", 0),
            0u);
  ASSERT_EQ(velocities.size(), 37u);
  // At the start all rods turn as one, by 2 · 1.5 rad/s about y; a thin rod knows no spin about its own axis, here y
  // for the last two.
  for (std::size_t rod = 0; rod < 6; ++rod) {
    EXPECT_NEAR(velocities[6 * rod + 5].front(), rod < 4 ? 3.0 : 0.0, 1e-12);
    EXPECT_NEAR(velocities[6 * rod + 4].front(), 0.0, 1e-12);
    EXPECT_NEAR(velocities[6 * rod + 6].front(), 0.0, 1e-12);
  }
}

TEST(ReproduceCommand, ListsStudies) {
  ScratchFolder folder;
  const Outcome outcome = run_program({"reproduce"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* word : {"savin", "sixbar", "cable_damping", "ground_stiffness"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(ReproduceCommand, ExplainsBadInputAndWritesNothing) {
  ScratchFolder folder;
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "reproduce");
    const Outcome outcome = run_program(words, folder.path());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.error;
  };
  EXPECT_EQ(complaint({"savn"}),
            "there is no study \"savn\" (did you mean savin?); there are savin, sixbar, stacked, involute, arsenault, "
            "control\n");
  EXPECT_EQ(complaint({"savin", "--set", "drga=0"})
                .rfind("--set drga=0: savin has no setting \"drga\" (did you mean drag?); expected one of length, ", 0),
            0u);
  // All at once.
  EXPECT_EQ(
      complaint({"savin", "--set", "length=long", "--set", "mass=0", "--set", "drag=-1", "--set", "formulation=nodl",
                 "--set", "duration"}),
      "--set length=long: expected a number, got \"long\"\n"
      "--set mass=0: expected a number above 0, got 0\n"
      "--set drag=-1: expected 0 or more, got -1\n"
      "--set formulation=nodl: there is no formulation \"nodl\" (did you mean nodal?); expected one of nodal, minimal, "
      "quaternion\n"
      "--set duration: expected duration=VALUE\n");
  EXPECT_NE(complaint({"sixbar", "--set", "pretension=1e9"}).find("pretension: too high"), std::string::npos);
  EXPECT_NE(complaint({"--set", "length=1"}).find("a study's name is missing"), std::string::npos);
  EXPECT_TRUE(names_in(folder.path()).empty());
  write_text(folder / "file", "in the way");
  EXPECT_NE(complaint({"savin", "-o", "file"}).find("file"), std::string::npos);
  EXPECT_EQ(names_in(folder.path()).size(), 1u);
}

TEST(ReproduceCommand, InterruptLeavesNothingBehind) {
  ScratchFolder folder;
  Program program({program_path(), "reproduce", "savin", "--set", "duration=1e9"}, folder.path());
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder / "savin-reproduce"); }));
  ::usleep(50'000);
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.error, "interrupted; nothing was written\n");
  EXPECT_TRUE(names_in(folder.path()).empty());
}

}  // namespace
}  // namespace taut::testing
