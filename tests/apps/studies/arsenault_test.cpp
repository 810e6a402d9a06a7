// taut reproduce arsenault: constraints at both levels, and the collapse under torques (Arsenault and Gosselin 2005).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/apps/studies/results.h"

namespace taut::testing {
namespace {

const StudyFolder& study() {
  static const StudyFolder folder({"arsenault"});
  return folder;
}

TEST(ReproduceArsenault, EquilibriaAsPrintedAndByTheFormulas) {
  const double printed_F[] = {1.0, std::sqrt(6.0) / 12.0, std::sqrt(30.0) / 3.0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(study().list("x_F_exact_angles")[i], printed_F[i], 1e-12);
    EXPECT_NEAR(study().list("tau_F")[i], study().list("tau_F_formula")[i], 1e-8);
    EXPECT_NEAR(study().list("f_0")[i], 4000.0, 1e-8);  // 2 K ρ, ρ = 2 m
    EXPECT_NEAR(study().list("cable_tensions_F")[i], 1000.0 * std::numbers::sqrt2 / 2.0, 1e-8);
  }
  // The paper prints formulas for forces and torques; an order of magnitude for the constraints, no numbers.
  EXPECT_EQ(study().results.at("f_0").at("said"), "2 K ρ =");
  for (const double f : study().results.at("f_0").at("published")) EXPECT_NEAR(f, 4000.0, 1e-8);
  for (const char* name : {"cable_tensions_0", "largest_constraint", "largest_constraint_rate"})
    EXPECT_TRUE(study().results.at(name).at("published").is_null()) << name;
  EXPECT_EQ(study().results.at("largest_constraint").at("said"), "of the order of 1e-15");
  EXPECT_LT(study().value("largest_constraint"), 1e-14);
}

// φ and dφ/dt, by the study and again from its series: the rate by differences of φ would be rounding, so here it is
// bounded by what velocities of some m/s and rounding allow.
TEST(ReproduceArsenault, ConstraintsHoldAtBothLevels) {
  EXPECT_LT(study().value("largest_constraint"), 5e-15);
  const double rate = study().value("largest_constraint_rate");
  EXPECT_LT(rate, 1e-13);
  const auto series = study().series("constraint_rates.csv");
  ASSERT_EQ(series.size(), 4u);
  double most = 0.0;
  for (std::size_t c = 1; c < series.size(); ++c)
    for (const double x : series[c]) most = std::max(most, std::abs(x));
  EXPECT_EQ(most, rate);
  EXPECT_GT(most, 0.0);  // it moves
}

// At ψ_0 the torques of (39) are the most that any equilibrium takes, 2 K L_s² = 4000 N m: they hold it, and with
// 10 N m more on one knee there is nothing to hold it.
TEST(ReproduceArsenault, CollapsesUnderALittleMoreTorque) {
  EXPECT_NEAR(study().value("torque_limit"), 4000.0, 1e-9);
  EXPECT_LT(study().value("torque_hold"), 1e-9);
  EXPECT_NE(study().outcome.out.find("4000, 4000 and 4000 N m"), std::string::npos);
  const double straight = study().value("collapse_knee_straight");
  EXPECT_GT(straight, 1.0);
  EXPECT_LT(straight, 1.6);
  EXPECT_LT(study().value("collapse_height"), 0.6);
  // The knee goes through 0 there, and on.
  const auto series = study().series("collapse.csv");
  ASSERT_EQ(series.size(), 7u);
  for (std::size_t i = 0; i < series[0].size(); ++i)
    EXPECT_EQ(series[4][i] >= 0.0, series[0][i] >= straight) << series[0][i];
  // To first order nothing grows at ψ_0, where (40) vanishes; at ψ_F it does.
  EXPECT_LT(std::abs(study().value("torque_growth_0")), 1e-2);
  EXPECT_GT(study().value("torque_growth_F"), 0.1);
}

// Less torque, too, is no equilibrium that lasts: the others straighten, later.
TEST(ReproduceArsenault, HoldsOnlyWithTheTorquesOfTheEquilibrium) {
  const StudyFolder none({"arsenault", "--set", "tolerance=1e-9", "--set", "extra_torque=0"});
  EXPECT_TRUE(none.results.at("collapse_knee_straight").at("value").is_null());
  EXPECT_NEAR(none.value("collapse_height"), 1.0, 1e-9);
}

}  // namespace
}  // namespace taut::testing
