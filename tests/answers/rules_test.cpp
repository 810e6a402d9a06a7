#include "taut/answers/rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.h"
#include "tests/support/complaint.h"

namespace taut::testing {
namespace {

TEST(NumberRules, HoldAtTheirEndsAndForNoNumberAtAll) {
  EXPECT_TRUE(rules::finite().holds(-1e300));
  EXPECT_TRUE(rules::positive().holds(5e-324));
  EXPECT_FALSE(rules::positive().holds(0.0));
  EXPECT_TRUE(rules::not_negative().holds(0.0));
  EXPECT_FALSE(rules::not_negative().holds(-5e-324));
  EXPECT_FALSE(rules::between(0.0, 0.1).holds(0.0));
  EXPECT_TRUE(rules::between(0.0, 0.1).holds(0.1));
  EXPECT_FALSE(rules::between(0.0, 0.1).holds(0.11));
  EXPECT_TRUE(rules::whole(1, 3).holds(3.0));
  EXPECT_FALSE(rules::whole(1, 3).holds(2.5));
  EXPECT_FALSE(rules::whole(1, 3).holds(0.0));
  for (const NumberRule& rule :
       {rules::finite(), rules::positive(), rules::not_negative(), rules::between(0.0, 0.1), rules::whole(1, 3)}) {
    EXPECT_FALSE(rule.holds(NAN)) << rule.expected;
    EXPECT_FALSE(rule.holds(INFINITY)) << rule.expected;
  }
}

TEST(NumberRules, AreRefusedWithTheOptionAndWhatWasExpected) {
  EXPECT_EQ(complaint([] { require(rules::between(0.0, 0.1), 0.5, "--tolerance"); }),
            "--tolerance: expected a number above 0, 0.1 at most, not 0.5");
  EXPECT_EQ(complaint([] { require(rules::whole(1, 3), 4.0, "--count"); }),
            "--count: expected a whole number from 1 to 3, not 4");
  EXPECT_EQ(complaint([] { require(rules::finite(), 4.0, "--to"); }), "");
}

TEST(Words, AreFoundOrSuggested) {
  const Words words = {"euler", "trapezoid", "exact"};
  EXPECT_EQ(index_of(words, "exact", "--discretise"), 2u);
  EXPECT_EQ(complaint([&] { index_of(words, "exakt", "--discretise"); }),
            "--discretise: \"exakt\" is not known: expected one of euler, trapezoid, exact (did you mean \"exact\"?)");
}

}  // namespace
}  // namespace taut::testing
