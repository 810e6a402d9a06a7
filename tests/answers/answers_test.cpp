// Answers asked of the library, as a program or Python asks them: what stands, what is refused, and when they stop. Their
// numbers are compared with the commands' in tests/apps and tests/python.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "taut/answers/check.h"
#include "taut/answers/design.h"
#include "taut/answers/form/form.h"
#include "taut/answers/linearise.h"
#include "taut/answers/modes.h"
#include "taut/answers/statics.h"
#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "tests/support/complaint.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// A prism out of balance: half as long cables.
Scenario pulled() {
  Scenario scenario = generated("prism");
  for (Cable& cable : scenario.model.cables) cable.rest_length *= 0.7;
  return scenario;
}

FormSettings by(FormMethod method) {
  FormSettings settings;
  settings.method = method;
  return settings;
}

TEST(Answers, WhatAMethodFindsStands) {
  for (const FormMethod method : {FormMethod::relax, FormMethod::newton, FormMethod::force_density}) {
    const FormAnswer answer = answer_form(pulled(), by(method));
    ASSERT_TRUE(answer.result().converged) << answer.result().reason;
    const CheckAnswer check = answer_check(formed(pulled(), answer));
    EXPECT_LT(check.balance.imbalance, 1e-9);
    EXPECT_GT(check.balance.mean_force, 0.0);
    // Nothing was written, so no file is named.
    EXPECT_TRUE(json_of(answer)["file"].is_null());
    EXPECT_EQ(json_of(answer, {"stands.toml", ""})["file"], "stands.toml");
  }
  EXPECT_GT(answer_check(pulled()).balance.imbalance, 0.1);
}

TEST(Answers, TheEquilibriumMatrixHoldsTheMemberForces) {
  const StaticsAnswer answer = answer_statics(generated("prism"), {});
  const auto& found = std::get<Statics>(answer.found);
  const StaticsMatrices matrices = matrices_of(answer);
  const EntryMatrix& equilibrium = matrices.list.front();
  ASSERT_EQ(equilibrium.rows, 18);
  ASSERT_EQ(equilibrium.columns, 12);
  Eigen::VectorXd net = Eigen::VectorXd::Zero(equilibrium.rows);
  double largest = 0.0;
  for (const SparseEntry& e : equilibrium.entries) {
    net[e.row] += e.value * found.forces[e.column];
    largest = std::max(largest, std::abs(e.value * found.forces[e.column]));
  }
  EXPECT_GT(largest, 1.0);
  EXPECT_LT(net.cwiseAbs().maxCoeff(), 1e-9 * largest);
  // As JSON: the same triplets, behind all other fields.
  const Json json = json_of(answer, true);
  EXPECT_EQ(json["matrices"]["equilibrium"].size(), equilibrium.entries.size());
  EXPECT_FALSE(json_of(answer).contains("matrices"));
}

TEST(Answers, RefuseNumbersOutOfRangeInTheWordsOfTheCommand) {
  const Scenario prism = generated("prism");
  StaticsOptions statics;
  statics.tolerance = NAN;
  EXPECT_EQ(complaint([&] { answer_statics(prism, statics); }),
            "--tolerance: expected a number above 0, 0.1 at most, not nan");
  ModesSettings modes;
  modes.prestress = {1.0, -1.0};
  EXPECT_EQ(complaint([&] { answer_modes(prism, modes); }), "--prestress: expected a positive number, not -1");
  LinearSettings linear;
  linear.step = 0.0;
  EXPECT_EQ(complaint([&] { answer_linear(prism, linear); }), "--step: expected a positive number, not 0");
  FormSettings form = by(FormMethod::force_density);
  form.density = {{"cables", NAN, "cables=x"}};
  EXPECT_EQ(complaint([&] { answer_form(prism, form); }),
            "--density: expected MEMBERS=NUMBER, such as cables=10, not \"cables=x\"");
  form.density = {{"cable", 1.0, "cable=1"}};
  expect_says(complaint([&] { answer_form(prism, form); }), "there is no cable or bar \"cable\"");
  EXPECT_EQ(complaint([&] {
              refuse_options_of_others(FormMethod::relax, false, {"--to", "--steps"});
            }),
            "--to: belongs to --method newton, not to relax");
  DesignOptions design;
  design.safety = -1.0;
  EXPECT_EQ(complaint([&] { answer_design(prism, design); }), "--safety: expected a positive number, not -1");
}

TEST(Answers, EndWhenTheyAreAskedTo) {
  const std::atomic<bool> stop{true};
  const StopScope scope(&stop);
  FormSettings settings;
  settings.tolerance = 1e-300;
  EXPECT_THROW(answer_form(pulled(), settings), Stopped);
  EXPECT_THROW(answer_form(pulled(), by(FormMethod::newton)), Stopped);
}

TEST(Answers, ProgressIsToldStageByStage) {
  std::vector<std::pair<ModesStage, double>> told;
  ModesSettings settings;
  settings.count = 2;
  settings.settle = true;
  settings.prestress = {1.0, 2.0};
  settings.progress = [&](ModesStage stage, double factor) { told.emplace_back(stage, factor); };
  const ModesAnswer answer = answer_modes(pulled(), settings);
  const std::vector<std::pair<ModesStage, double>> expected = {
      {ModesStage::settling, 1.0}, {ModesStage::searching, 1.0}, {ModesStage::scaled, 1.0}, {ModesStage::scaled, 2.0}};
  EXPECT_EQ(told, expected);
  EXPECT_TRUE(answer.in_balance());
  EXPECT_EQ(answer.prestress.size(), 2u);
}

}  // namespace
}  // namespace taut::testing
