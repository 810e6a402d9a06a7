// `taut reproduce` of Lieskovský's single strut.
#include <cmath>

#include "tests/apps/studies/results.h"

namespace taut::testing {
namespace {

TEST(ReproduceInvolute, OneMotionInThreeVariants) {
  const StudyFolder study({"involute"});
  EXPECT_EQ(study.value("degrees_of_freedom"), 5.0);
  EXPECT_NEAR(study.value("tangent_length"), 1.344213562373, 1e-12);
  EXPECT_LT(study.value("phi_largest"), 1e-12);
  EXPECT_TRUE(study.results["phi_largest"]["published"].is_null());
  for (const auto& [name, number] : study.results.items())
    if (name.starts_with("deviation_")) {
      EXPECT_LT(number["value"].get<double>(), 1e-13) << name;
    }
}

// As in the thesis: feed-forward that follows better, the stiffer the cables.
TEST(ReproduceControl, TheSingleStrut) {
  if (std::getenv("TAUT_PROGRAM") != nullptr) GTEST_SKIP() << "takes minutes with sanitizers";
  const StudyFolder study({"control", "--set", "part=strut", "--set", "tolerance=1e-5"}, Page::part);
  for (const char* angle : {"phi", "psi"}) {
    const auto deviation = [&](const std::string& name) { return study.value("table_5_7." + name + "." + angle); };
    EXPECT_LT(deviation("E2e3"), 0.2 * deviation("E2e2"));
    EXPECT_LT(deviation("E2e4"), 0.2 * deviation("E2e3"));
    EXPECT_LT(study.value(std::string("feedback.E2e2.") + angle), 0.2 * deviation("E2e2"));
  }
}

}  // namespace
}  // namespace taut::testing
