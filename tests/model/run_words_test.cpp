// The words of [simulation] are those that the makers of formulations and integrators know.
#include "taut/model/run_words.h"

#include <gtest/gtest.h>

#include "taut/formulation/formulation.h"
#include "taut/integrate/integrator.h"

namespace taut::testing {
namespace {

using Words = std::vector<std::string_view>;

TEST(RunWords, AreThoseOfTheMakers) {
  Words formulations = formulation_names(), integrators = {"auto"};
  formulations.push_back("all");
  for (const IntegratorKind& kind : integrator_kinds()) integrators.push_back(kind.name);
  EXPECT_EQ(known_formulations(), formulations);
  EXPECT_EQ(known_integrators(), integrators);
}

TEST(RunWords, AllIsLedByTheOneThatTakesEveryModel) {
  Scenario s;
  EXPECT_EQ(leading_formulation(s), "nodal");
  s.simulation.formulation = "quaternion";
  EXPECT_EQ(leading_formulation(s), "quaternion");
  s.simulation.formulation = "all";
  EXPECT_EQ(leading_formulation(s), "nodal");
  s.model.joints.emplace_back();
  EXPECT_EQ(leading_formulation(s), "multibody");
}

}  // namespace
}  // namespace taut::testing
