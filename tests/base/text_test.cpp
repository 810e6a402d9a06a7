#include "taut/base/text/text.h"

#include <gtest/gtest.h>

namespace taut {
namespace {

TEST(Text, Plural) {
  EXPECT_EQ(plural(0, "body", "bodies"), "0 bodies");
  EXPECT_EQ(plural(1, "body", "bodies"), "1 body");
  EXPECT_EQ(plural(2, "body", "bodies"), "2 bodies");
}

TEST(Text, Listed) {
  EXPECT_EQ(listed({}, 3), "");
  EXPECT_EQ(listed({"a"}, 3, " and "), "a");
  EXPECT_EQ(listed({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(listed({"a", "b", "c"}, 3, " and "), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 2, " and "), "a, b and 2 more");
}

}  // namespace
}  // namespace taut
