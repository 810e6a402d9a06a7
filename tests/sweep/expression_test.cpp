// Expressions of sweeps: arithmetic, precedence, names, and random expressions against values computed on the way.
#include "taut/sweep/expression/expression.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numbers>
#include <random>

#include "taut/sweep/expression/lexer.h"
#include "tests/sweep/expression_support.h"

namespace {

using namespace expression_test;
using taut::ExpressionUse;

}  // namespace

TEST(SweepExpression, ArithmeticIsThatOfMathematics) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("7 - 2 - 1"), 4);
  EXPECT_EQ(value("8 / 4 / 2"), 1);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("(-2)^2"), 4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("-2^-2"), -0.25);
  EXPECT_EQ(value("2 * -3"), -6);
  EXPECT_EQ(value("2 - -3"), 5);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("+3 - +2"), 1);
  EXPECT_EQ(value("2 * 3 ^ 2 / 6"), 3);
  EXPECT_EQ(value(" 1.5e2\n+ .5\t"), 150.5);
  EXPECT_EQ(value("1E-3*1e+3"), 1);
  EXPECT_EQ(value("2.*3."), 6);
  EXPECT_EQ(value("1/0"), INFINITY);
  EXPECT_TRUE(std::isnan(value("0/0")));
}

TEST(SweepExpression, FunctionsAreThoseOfMathematics) {
  EXPECT_EQ(value("abs(-3)"), 3);
  EXPECT_EQ(value("sqrt(16)"), 4);
  EXPECT_DOUBLE_EQ(value("exp(1)"), std::numbers::e);
  EXPECT_DOUBLE_EQ(value("log(exp(2))"), 2);
  EXPECT_DOUBLE_EQ(value("log10(1000)"), 3);
  EXPECT_DOUBLE_EQ(value("sin(pi/6)"), 0.5);
  EXPECT_DOUBLE_EQ(value("cos(pi/3)"), 0.5);
  EXPECT_DOUBLE_EQ(value("tan(pi/4)"), 1);
  EXPECT_DOUBLE_EQ(value("asin(1)"), std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(value("acos(-1)"), std::numbers::pi);
  EXPECT_DOUBLE_EQ(value("atan(1)"), std::numbers::pi / 4);
  EXPECT_DOUBLE_EQ(value("atan2(-1, -1)"), -3 * std::numbers::pi / 4);
  EXPECT_EQ(value("floor(-1.5)"), -2);
  EXPECT_EQ(value("ceil(-1.5)"), -1);
  EXPECT_EQ(value("round(2.5)"), 3);
  EXPECT_EQ(value("round(-2.5)"), -3);
  EXPECT_EQ(value("sign(-7) + 10 * sign(0) + 100 * sign(3)"), 99);
  EXPECT_EQ(value("hypot(3, 4)"), 5);
  EXPECT_EQ(value("mod(7, 3)"), 1);
  EXPECT_EQ(value("mod(-7, 3)"), 2);
  EXPECT_EQ(value("mod(7, -3)"), -2);
  EXPECT_EQ(value("mod(-6, 3)"), 0);
  EXPECT_EQ(value("max(1, 5, 3)"), 5);
  EXPECT_EQ(value("min(4, 2, 8, 3)"), 2);
  EXPECT_TRUE(std::isnan(value("max(1, nan)")));
  EXPECT_TRUE(std::isnan(value("min(nan, 1)")));
  EXPECT_EQ(value("-inf"), -INFINITY);
  std::string many = "1";
  for (int i = 2; i <= 800; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(value("max(" + many + ")"), 800);
}

TEST(SweepExpression, ConditionsAreOneOrZero) {
  EXPECT_EQ(value("1 < 2"), 1);
  EXPECT_EQ(value("2 < 2"), 0);
  EXPECT_EQ(value("2 <= 2"), 1);
  EXPECT_EQ(value("2 > 2"), 0);
  EXPECT_EQ(value("2 >= 2"), 1);
  EXPECT_EQ(value("2 == 2"), 1);
  EXPECT_EQ(value("2 != 2"), 0);
  EXPECT_EQ(value("nan == nan or nan < 1 or nan > 1"), 0);
  EXPECT_EQ(value("nan != nan"), 1);
  EXPECT_EQ(value("not 1 < 2"), 0);
  EXPECT_EQ(value("not not 1 < 2"), 1);
  // and binds stronger than or, not stronger than and, arithmetic stronger than comparisons.
  EXPECT_EQ(value("1 < 2 or 1 > 2 and 1 > 2"), 1);
  EXPECT_EQ(value("(1 < 2 or 1 > 2) and 1 > 2"), 0);
  EXPECT_EQ(value("not 1 > 2 and 1 > 2"), 0);
  EXPECT_EQ(value("not (1 > 2 and 1 > 2)"), 1);
  EXPECT_EQ(value("1 + 1 == 4 - 2"), 1);
  EXPECT_EQ(value("if(1 < 2, 10, 20)"), 10);
  EXPECT_EQ(value("if(1 > 2, 10, if(2 > 1, 30, 40))"), 30);
  EXPECT_EQ(value("if(if(1 > 2, 1 < 2, 3 < 4), 1/1, 1/0)"), 1);
}

TEST(SweepExpression, NamesAreParametersAndNumbersOfTheEnd) {
  EXPECT_EQ(value("p * q"), -6);
  EXPECT_EQ(value("energy_drift * steps"), 1e-6 * 500);
  EXPECT_EQ(parse("p - q", ExpressionUse::parameter).value(test_parameters), 5);
  EXPECT_EQ(parse("sqrt(p) * 2", ExpressionUse::parameter).value(std::vector<double>{16.0}), 8);
}

// Quotation marks as in TOML, stars, digits: what the callback is given.
TEST(SweepExpression, NamesAreSplitIntoParts) {
  std::vector<std::vector<std::string>> asked;
  taut::Resolver resolver;
  resolver.resolve = [&](const taut::ExpressionName& name) {
    asked.push_back(name.parts);
    taut::ResolvedName found;
    found.kind = taut::NameKind::parameter;
    return found;
  };
  parse_expression(R"(cables."a1-a2".tension + nodes.1.z - a.'b"c'.d * e."f\"\\g" / h.*.i ^ _j9)", resolver);
  const std::vector<std::vector<std::string>> expected{{"cables", "a1-a2", "tension"},
                                                       {"nodes", "1", "z"},
                                                       {"a", "b\"c", "d"},
                                                       {"e", "f\"\\g"},
                                                       {"h", "*", "i"},
                                                       {"_j9"}};
  EXPECT_EQ(asked, expected);
}

// The names of members hold dashes: they belong to the name where there is such a member.
TEST(SweepExpression, DashesBelongToANameIfThereIsSuchAName) {
  taut::Resolver resolver;
  resolver.resolve = [&](const taut::ExpressionName& name) {
    const std::map<std::string, int> known{{"c.a-b.t", 0}, {"c.a-b-2.t", 1}, {"c.a.t", 2},     {"b.t", 3},
                                           {"p", 4},       {"q.r", 5},       {"c.a-b.t-x", 6}, {"e.f-1", 7}};
    std::string path;
    for (const std::string& part : name.parts) path += (path.empty() ? "" : ".") + part;
    taut::ResolvedName found;
    if (!known.contains(path)) return found;
    found.kind = taut::NameKind::parameter;
    found.index = known.at(path);
    return found;
  };
  const std::vector<double> numbers{10, 200, 3000, 40000, 500000, 6000000, 70000000, 800000000};
  const auto of = [&](const std::string& text) {
    return parse_expression(text, resolver, ExpressionUse::parameter).value(numbers);
  };
  EXPECT_EQ(of("c.a-b.t"), 10);
  EXPECT_EQ(of("c.a-b-2.t"), 200);
  EXPECT_EQ(of("c.\"a-b-2\".t"), 200);
  EXPECT_EQ(of("2*c.a-b-2.t*2"), 800);
  EXPECT_EQ(of("c.a.t-b.t"), 3000 - 40000);
  EXPECT_EQ(of("c.a-b.t-p"), 10 - 500000);
  EXPECT_EQ(of("c.a-b.t-c.a-b-2.t-q.r-1"), 10 - 200 - 6000000 - 1);
  EXPECT_EQ(of("q.r-q.r"), 0);
  EXPECT_EQ(of("p-q.r"), 500000 - 6000000);
  EXPECT_EQ(of("q.r--2"), 6000002);
  EXPECT_EQ(of("q.r-2. + 1"), 5999999);
  EXPECT_EQ(of("q.r-2.*3"), 5999994);
  EXPECT_EQ(of("q.r-1e-3*1e3"), 5999999);
  EXPECT_EQ(of("e.f-1"), 800000000);
  EXPECT_EQ(of("c.a-b.t-x"), 70000000);
  EXPECT_EQ(of("q.r-1-2-3-4-5-6-7-8-9-10-11-12"), 6000000 - 78);
}

TEST(SweepExpression, ConditionsHoldAtARow) {
  std::vector<double> signals(10);
  const taut::Expression stop =
      parse("nodes.a1.z < p - 2 or smallest(cables.*.tension) > 5 and not x == 1", ExpressionUse::condition);
  EXPECT_FALSE(stop.holds(signals, test_parameters));
  signals[0] = -0.1;
  EXPECT_TRUE(stop.holds(signals, test_parameters));
  signals[0] = 1;
  signals[2] = signals[3] = signals[4] = 6;
  EXPECT_FALSE(stop.holds(signals, test_parameters));
  signals[0] = 2;
  EXPECT_TRUE(stop.holds(signals, test_parameters));
  signals[3] = 5;
  EXPECT_FALSE(stop.holds(signals, test_parameters));
  EXPECT_TRUE(parse("p > 1", ExpressionUse::condition).holds(signals, test_parameters));
}

// Random trees of operations, written down with no more parentheses than needed or with some to spare, against the
// value that the tree itself has.
TEST(SweepExpression, RandomExpressionsHaveTheValueOfTheirTree) {
  std::mt19937 random(7);
  struct Tree {
    std::string text;
    double value;
    int strength;  // of the outermost operation: 1 sum, 2 product, 3 sign, 4 power, 5 a thing by itself
  };
  std::function<Tree(int)> tree = [&](int depth) -> Tree {
    const auto kind = depth == 0 ? 0 : random() % 9;
    const auto at_least = [&](const Tree& t, int strength) {
      return t.strength < strength || random() % 8 == 0 ? "(" + t.text + ")" : t.text;
    };
    if (kind == 0) {
      if (random() % 4 == 0) return {"p", 2.0, 5};
      const int number = static_cast<int>(random() % 9) + 1;
      return {std::to_string(number), static_cast<double>(number), 5};
    }
    const Tree a = tree(depth - 1), b = tree(depth - 1);
    switch (kind) {
      case 1:
        return {at_least(a, 1) + " + " + at_least(b, 2), a.value + b.value, 1};
      case 2:
        return {at_least(a, 1) + "-" + at_least(b, 2), a.value - b.value, 1};
      case 3:
        return {at_least(a, 2) + "*" + at_least(b, 3), a.value * b.value, 2};
      case 4:
        return {at_least(a, 2) + " / " + at_least(b, 3), a.value / b.value, 2};
      case 5:
        return {"-" + at_least(a, 3), -a.value, 3};
      case 6:
        return {at_least(a, 5) + "^" + at_least(b, 3), std::pow(a.value, b.value), 4};
      case 7:
        return {"atan2(" + a.text + "," + b.text + ")", std::atan2(a.value, b.value), 5};
      default:
        return {"if(" + a.text + " < " + b.text + ", " + b.text + ", " + a.text + ")",
                a.value < b.value ? b.value : a.value, 5};
    }
  };
  int finite = 0;
  for (int i = 0; i < 2000; ++i) {
    const Tree t = tree(static_cast<int>(random() % 5));
    if (t.text.size() > taut::longest_expression) continue;
    const double v = value(t.text);
    // The same operations in the same order; only the compiler may have contracted or folded some differently.
    if (!std::isfinite(t.value)) {
      EXPECT_FALSE(std::isfinite(v)) << t.text;
      continue;
    }
    ++finite;
    EXPECT_NEAR(v, t.value, 1e-9 * std::max(1.0, std::abs(t.value))) << t.text;
  }
  EXPECT_GT(finite, 1000);
}
