#include "taut/answers/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace taut {
namespace {

TEST(AnswerText, KeepsTheOrderAndReplacesWhatIsNoUtf8) {
  Json object;
  object["z"] = 0.1;
  object["a"] = Json::array({1, Json()});
  object["name"] = "\xff";
  EXPECT_EQ(text_of(object), "{\n  \"z\": 0.1,\n  \"a\": [\n    1,\n    null\n  ],\n  \"name\": \"\xef\xbf\xbd\"\n}\n");
  EXPECT_EQ(text_of(Json::object(), 1), "{}\n");
}

TEST(FieldWithoutNumber, NamesTheFirstOneWithAllAboveIt) {
  Json object;
  object["reason"] = "nan";
  object["absent"] = Json();
  object["whole"] = 3;
  EXPECT_EQ(field_without_number(object), "");
  object["list"] = Json::array({1.0, {{"depth", {{"force", NAN}}}}});
  object["later"] = INFINITY;
  EXPECT_EQ(field_without_number(object), "list.depth.force");
  // Nothing is left of it for the next object.
  EXPECT_EQ(field_without_number({{"force", 1.0}}), "");
  EXPECT_EQ(field_without_number({{"rows", {{1.0, 2.0}, {1.0, -INFINITY}}}}), "rows");
}

}  // namespace
}  // namespace taut
