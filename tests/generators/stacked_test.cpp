// The generator of stacked manipulators: every stage in balance with what it bears, for any number of bars and stages.
#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/dynamics/dynamics.h"
#include "taut/equilibrium/balance.h"
#include "taut/modes/lowest_modes.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using namespace testing;

double largest_net_force(const Model& model) {
  double largest = 0.0;
  for (const Vec3& force : start_balance(model).net_force) largest = std::max(largest, force.norm());
  return largest;
}

double weight_of(const Model& model) {
  double mass = 0.0;
  for (const Bar& bar : model.bars) mass += bar.mass;
  for (const Body& body : model.bodies) mass += body.mass;
  return 9.81 * mass;
}

TEST(Stacked, StandsWithAnyNumberOfBarsAndStages) {
  for (const Parameters& parameters : std::vector<Parameters>{{},
                                                              {{"stages", 1}},
                                                              {{"stages", 7}, {"plates", 1}},
                                                              {{"bars", 8}},
                                                              {{"bars", 12}, {"stages", 3}},
                                                              {{"radius", 0.3}, {"height", 1.2}, {"bar_length", 0.8}},
                                                              {{"gravity", 0}, {"pretension", 50}}}) {
    const Model model = generated("stacked", parameters).model;
    const Balance balance = start_balance(model);
    EXPECT_LT(largest_net_force(model), 1e-9);
    EXPECT_TRUE(balance.slack.empty());
    for (std::size_t i = 0; i < model.bars.size(); ++i)
      if (start_length(model, model.bars[i]) > 0.7) {
        EXPECT_LT(balance.bar_force[i], 0.0) << model.bars[i].name << " is not in compression";
      }
  }
}

// As in Fadeyev et al. (2019), where two stages have 36.
TEST(Stacked, HasEighteenDegreesOfFreedomPerStageWithPlatesOfEitherKind) {
  for (double plates : {0.0, 1.0})
    for (int stages : {1, 2, 5}) {
      const Model model = generated("stacked", {{"stages", static_cast<double>(stages)}, {"plates", plates}}).model;
      EXPECT_EQ(make_formulation("nodal", model)->facts().degrees_of_freedom, 18 * stages);
    }
}

TEST(Stacked, StandsOnTheGroundWithItsWholeWeight) {
  for (double plates : {0.0, 1.0}) {
    const Model model = generated("stacked", {{"stages", 3}, {"plates", plates}}).model;
    const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
    Terms terms = dynamics.make_terms();
    const State state = dynamics.start();
    Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size());
    dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
    std::vector<double> support(9);
    dynamics.formulation().support_forces(terms, rate.data() + state.nq, support.data());
    EXPECT_NEAR(support[2] + support[5] + support[8], weight_of(model), 1e-9);
    EXPECT_NEAR(support[0] + support[3] + support[6], 0.0, 1e-9);
    EXPECT_NEAR(support[1] + support[4] + support[7], 0.0, 1e-9);
  }
}

TEST(Stacked, TwoStagesAreStable) {
  const Modes modes = lowest_modes(generated("stacked").model, 2);
  ASSERT_TRUE(modes.converged);
  EXPECT_GT(modes.square[0], 0.0);
}

TEST(Stacked, AThousandStagesAreMadeAndBalance) {
  const Model model = generated("stacked", {{"stages", 1000}}).model;
  EXPECT_EQ(model.bars.size(), 9000u);
  EXPECT_EQ(model.cables.size(), 7000u);
  // Heights up to 1430 m are rounded to 1e-13 m, which stiffnesses of 1e5 N/m feel.
  EXPECT_LT(start_balance(model).imbalance, 1e-10);
}

TEST(Stacked, SaysWhatDoesNotStand) {
  const auto said = [](const Parameters& parameters) -> std::string {
    try {
      generated("stacked", parameters);
    } catch (const InputError& error) {
      return error.problems().front().key + ": " + error.problems().front().message;
    }
    return "";
  };
  EXPECT_NE(said({{"bars", 7}}).find("bars: is 7: expected an even number"), std::string::npos);
  EXPECT_NE(said({{"height", 5}}).find("height: no stage stands with radius 0.26 m, height 5 m"), std::string::npos);
  EXPECT_NE(said({{"stages", 1001}}).find("stages"), std::string::npos);
  EXPECT_NE(said({{"bars", 102}}).find("bars: must be at most 100, got 102"), std::string::npos)
      << said({{"bars", 102}});
  EXPECT_EQ(said({{"pretension", 2e5}}), "");
  EXPECT_NE(said({{"pretension", 1e20}}).find("pretension: is 1e+20 N: expected at most 200000 N"), std::string::npos)
      << said({{"pretension", 1e20}});
}

}  // namespace
}  // namespace taut
