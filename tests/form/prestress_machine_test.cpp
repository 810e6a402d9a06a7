// Prestress of machines: what was found stands by its own laws, as it is read back, and in the motion; closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/form/prestress/prestress.h"
#include "taut/statics/machine/machine_statics.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// The file that is written, read and judged by statics.
MachineStatics statics_of(const PrestressResult& found) {
  Scenario scenario;
  scenario.model = found.model;
  return analyse_machine(read_scenario_text(to_toml(scenario), "found.toml").model);
}

double mean(const std::vector<double>& list) {
  double sum = 0.0;
  for (double x : list) sum += x;
  return sum / static_cast<double>(list.size());
}

// Upright on three equal cables: equal tensions, the mean of which stays, held by T R.
TEST(PrestressOfMachines, TheStrutStandsOnEqualCables) {
  Scenario start = generated("single_strut");
  start.model.pulleys[0].strain *= 1.5;
  const PrestressResult found = find_prestress(start.model);
  ASSERT_TRUE(found.converged) << found.reason;
  EXPECT_LT(found.largest_move, 1e-12);
  double wanted = 0.0;
  for (const PulleySpec& pulley : start.model.pulleys) wanted += pulley.EA * pulley.strain / 3.0;
  for (double T : found.tensions) EXPECT_NEAR(T, wanted, 1e-9);
  const MachineStatics s = statics_of(found);
  EXPECT_TRUE(s.at_start) << s.imbalance;
  for (const JointDrive& drive : found.model.drives) EXPECT_NEAR(drive.signal.value, 0.07 * wanted, 1e-9);
}

// Where it leans the tensions differ; the shape stays, and tensions of their own are kept.
TEST(PrestressOfMachines, WantedTensionsOfPulleysAreCarried) {
  Scenario start = generated("single_strut");
  start.model.wanted_tensions.push_back({{0, 2}, 3.0, true});
  const Scenario read = read_scenario_text(to_toml(start), "strut.toml");
  ASSERT_EQ(read.model.wanted_tensions, start.model.wanted_tensions);
  const PrestressResult found = find_prestress(read.model);
  ASSERT_TRUE(found.converged) << found.reason;
  EXPECT_NEAR(0.5 * (found.tensions[0] + found.tensions[2]), 3.0, 1e-9);
  EXPECT_LT(found.largest_move, 1e-12);
  EXPECT_TRUE(statics_of(found).at_start);
  start.model.wanted_tensions[0] = {{0, 1, 2}, 0.0, false};
  EXPECT_THROW(find_prestress(start.model), InputError);
}

// Lieskovský (2022): without weight its cables can pull against each other at one twist only, which is found.
TEST(PrestressOfMachines, TheManipulatorTurnsToTheOneTwistThatCanBeTense) {
  for (const double start : {149.0, 140.0}) {
    const Scenario scenario = generated("tensegrity_manipulator", {{"gravity", 0.0}, {"twist", start}});
    const PrestressResult found = find_prestress(scenario.model);
    ASSERT_TRUE(found.converged) << found.reason;
    EXPECT_NEAR(manipulator_twist(found.model), 150.0, 1e-6);
    EXPECT_NEAR(mean(found.tensions), 62.8318530717958648, 1e-6);
    for (double T : found.tensions) EXPECT_GT(T, 1.0);
    const MachineStatics s = statics_of(found);
    EXPECT_TRUE(s.at_start) << s.imbalance;
    EXPECT_EQ(s.states, 1);
  }
}

// Under its weight it stands beside that twist, and in the motion, too.
TEST(PrestressOfMachines, TheHeavyManipulatorStandsWhereItWasFound) {
  Scenario scenario = generated("tensegrity_manipulator", {{"twist", 149.0}});
  const PrestressResult found = find_prestress(scenario.model);
  ASSERT_TRUE(found.converged) << found.reason;
  EXPECT_GT(manipulator_twist(found.model), 150.0);
  EXPECT_NEAR(mean(found.tensions), 62.8318530717958648, 1e-6);
  EXPECT_TRUE(statics_of(found).at_start);
  scenario.model = found.model;
  scenario.simulation.duration = 0.1;
  const Motion motion = run(scenario);
  EXPECT_LT(distance(motion.rows.front(), motion.last()), 1e-9);
}

// A lever on a hinge with a spring k, a stay at its middle and a load at its end: T = (2 F L/2 - k θ)/(L/2), whatever the
// file had; the drawn shape stays.
TEST(PrestressOfMachines, ALeverIsHeldAsItIsDrawn) {
  const Scenario lever = test_model(
      "lever", "",
      {"joints.hinge.position=0.2", "joints.hinge.rest=0", "joints.hinge.stiffness=50", "cables.stay.pretension=150"});
  const PrestressResult found = find_prestress(lever.model);
  ASSERT_TRUE(found.converged) << found.reason;
  EXPECT_NEAR(found.tensions.at(0), 200.0 - 50.0 * 0.2, 1e-9);
  EXPECT_LT(found.largest_move, 1e-12);
  EXPECT_NEAR(found.model.cables[0].rest_length, 1.5 - 190.0 / 1e5, 1e-12);
  // Pressed the other way the stay would have to push: the nearest shape in which it does not is no longer the drawn one.
  Scenario up = lever;
  up.model.loads[0].force *= -1.0;
  const PrestressResult moved = find_prestress(up.model);
  EXPECT_FALSE(moved.converged && moved.largest_move < 1e-6);
}

}  // namespace
}  // namespace taut::testing
