// What is wrong with an expression is said, with the column; nothing that is written makes the parser fail otherwise.
#include <gtest/gtest.h>

#include <random>

#include "taut/sweep/expression/functions.h"
#include "taut/sweep/expression/lexer.h"
#include "tests/sweep/expression_support.h"

namespace {

using namespace expression_test;
using taut::ExpressionUse;

// "column: message", or "fine".
std::string error(const std::string& text, ExpressionUse use = ExpressionUse::record) {
  try {
    parse(text, use);
  } catch (const taut::ExpressionError& e) {
    return std::to_string(e.column()) + ": " + e.what();
  }
  return "fine";
}

}  // namespace

TEST(SweepExpressionError, SignalsNeedAReduction) {
  EXPECT_EQ(error("cables.a1.tension"),
            "1: cables.a1.tension changes with time: say max(...), mean(...), at(..., t) or last(...)");
  EXPECT_EQ(error("2 * cables.\"a1-a2\".tension + p"),
            "1: cables.\"a1-a2\".tension changes with time: say max(...), mean(...), at(..., t) or last(...)");
  EXPECT_EQ(error("nodes.a1.z < 0"),
            "1: nodes.a1.z changes with time: say first_time(...), last_time(...) or duration(...)");
  EXPECT_EQ(
      error("cables.*.tension"),
      "1: cables.*.tension is one value for each member: say smallest(...), largest(...), sum(...) or average(...)");
  EXPECT_EQ(
      error("mean(cables.*.tension)"),
      "6: cables.*.tension is one value for each member: say smallest(...), largest(...), sum(...) or average(...) "
      "inside mean(...)");
  EXPECT_EQ(
      error("first_time(cables.*.tension < 0)"),
      "12: cables.*.tension is one value for each member: say smallest(...), largest(...), sum(...) or average(...) "
      "inside first_time(...)");
  EXPECT_EQ(error("sum(x)"), "5: sum(...) is over members: it needs a name with a star, such as cables.*.tension");
  EXPECT_EQ(error("sum(bars.*.force * cables.*.tension)"),
            "20: bars.*.force and cables.*.tension belong to different members");
  EXPECT_EQ(error("sum(pulleys.*.angle)"), "5: pulleys.*.angle: there are no members");
}

TEST(SweepExpressionError, NothingIsUsedBeforeItIsKnown) {
  EXPECT_EQ(error("max(x - mean(x))"),
            "9: mean(...) is known only when the run is over: it cannot be combined with x, which changes with time");
  EXPECT_EQ(
      error("max(energy_drift * x)"),
      "5: energy_drift is known only when the run is over: it cannot be combined with x, which changes with time");
  EXPECT_EQ(error("mean(p)"), "6: mean(...) is over time, but p does not change with time");
  EXPECT_EQ(error("last(2)"), "6: last(...) is over time, but this does not change with time");
  EXPECT_EQ(error("rms(energy_drift)"), "5: rms(...) is over time, but energy_drift does not change with time");
  EXPECT_EQ(error("max(max(x))"), "1: max(...) needs something that changes with time, or two or more numbers");
  EXPECT_EQ(error("1 + min(3)"), "5: min(...) needs something that changes with time, or two or more numbers");
  EXPECT_EQ(error("duration(p < 3)"), "10: duration(...) is over time, but p does not change with time");
  EXPECT_EQ(error("at(x, y)"), "7: the time of at(...) must be known before the run; y is not");
  EXPECT_EQ(error("at(x, first_time(slack_events))"),
            "7: the time of at(...) must be known before the run; first_time(...) is not");
  EXPECT_EQ(error("energy_drift > 1", ExpressionUse::condition),
            "1: energy_drift is known only when the run is over: a condition during the run cannot use it");
  EXPECT_EQ(error("max(x) > 1", ExpressionUse::condition),
            "1: max(...) is known only when the run is over: a condition during the run cannot use it");
  EXPECT_EQ(error("2 * x", ExpressionUse::parameter), "1: x is not known before the run");
  EXPECT_EQ(error("p + steps", ExpressionUse::parameter), "1: steps is not known before the run");
}

TEST(SweepExpressionError, NumbersConditionsEventsAndTextsAreDifferentThings) {
  const std::string number = ": a condition where a number is needed: if(condition, 1, 0) makes one of it";
  const std::string condition = ": a number where a condition is needed: compare it, as in x > 0";
  EXPECT_EQ(error("1 + (2 < 3)"), "5" + number);
  EXPECT_EQ(error("sqrt(1 < 2)"), "6" + number);
  EXPECT_EQ(error("(1 < 2) == (2 < 3)"), "1" + number);
  EXPECT_EQ(error("max(1 < 2, 3)"), "5" + number);
  EXPECT_EQ(error("mean(x > 1)"), "6" + number);
  EXPECT_EQ(error("if(1 < 2, 3, 4 < 5)"), "14" + number);
  EXPECT_EQ(error("p < 3", ExpressionUse::parameter), "1" + number);
  EXPECT_EQ(error("1 and 2 < 3"), "1" + condition);
  EXPECT_EQ(error("2 < 3 or 1"), "10" + condition);
  EXPECT_EQ(error("not 1"), "5" + condition);
  EXPECT_EQ(error("if(1, 2, 3)"), "4" + condition);
  EXPECT_EQ(error("if(1 < 2, 3 < 4, 5)"), "18" + condition);
  EXPECT_EQ(error("duration(x)"), "10" + condition);
  EXPECT_EQ(error("first_time(x)"), "12" + condition);
  EXPECT_EQ(error("x", ExpressionUse::condition), "1" + condition);
  EXPECT_EQ(error("1 + slack_events"),
            "5: slack_events is a list of events: say count(slack_events), "
            "first_time(slack_events) or last_time(slack_events)");
  EXPECT_EQ(error("max(slack_events)"),
            "5: slack_events is a list of events: say count(slack_events), "
            "first_time(slack_events) or last_time(slack_events)");
  EXPECT_EQ(error("slack_events"),
            "1: slack_events is a list of events: say count(slack_events), "
            "first_time(slack_events) or last_time(slack_events)");
  EXPECT_EQ(error("count(x)"), "7: count(...) needs a list of events, such as slack_events");
  EXPECT_EQ(error("first_time(x > 0, \"b\")"), "12: first_time(...) needs a list of events, such as slack_events");
  EXPECT_EQ(error("count(slack_events, 2)"),
            "21: after slack_events a name in quotes is expected, as in count(slack_events, \"a1-a2\")");
  EXPECT_EQ(error("count(slack_events, \"a1-a3\")"), "21: slack_events has no \"a1-a3\" (did you mean \"a1-a2\"?)");
  EXPECT_EQ(error("count(taut_events, \"anything\")"), "fine");
  EXPECT_EQ(error("1 + \"b\""),
            "5: a text in quotes stands only after a list of events, as in "
            "count(slack_events, \"b\"); a name begins with a letter, as in cables.\"b\"");
}

TEST(SweepExpressionError, UnknownNamesComeWithASuggestion) {
  EXPECT_EQ(error("energy_drft"), "1: unknown name energy_drft (did you mean \"energy_drift\"?)");
  EXPECT_EQ(error("max(nodes.a1.zz)"), "5: unknown name nodes.a1.zz (did you mean \"nodes.a1.z\"?)");
  EXPECT_EQ(error("something_else"), "1: unknown name something_else");
  EXPECT_EQ(error("max(cables.z9.tension)"), "5: there is no cable \"z9\"");
  EXPECT_EQ(error("max(cables.a1-a2.tension)"), "fine");
  EXPECT_EQ(error("max(cables.a1-a9.tension)"), "5: there is no cable \"a1-a9\"");
  EXPECT_EQ(error("max(cables.a1.tension-y)"), "fine");
  EXPECT_EQ(error("max(nodes.a1.zz-y)"), "5: unknown name nodes.a1.zz (did you mean \"nodes.a1.z\"?)");
  EXPECT_EQ(error("max(cables.a1.tension-nodes.a1.zz)"), "23: unknown name nodes.a1.zz (did you mean \"nodes.a1.z\"?)");
  EXPECT_EQ(error("maxx(x)"), "1: there is no function maxx (did you mean \"max\"?)");
  EXPECT_EQ(error("frobnicate(x)"), "1: there is no function frobnicate");
  EXPECT_EQ(error("a.b(x)"), "1: there is no function a.b");
  EXPECT_EQ(error("max"), "1: max is a function: write max(...)");
}

TEST(SweepExpressionError, ArgumentsAreCounted) {
  EXPECT_EQ(error("sqrt()"), "1: sqrt needs 1 argument, here 0 are");
  EXPECT_EQ(error("sqrt(1, 2)"), "1: sqrt needs 1 argument, here 2 are");
  EXPECT_EQ(error("2 + atan2(1)"), "5: atan2 needs 2 arguments, here 1 is");
  EXPECT_EQ(error("if(1 < 2, 3)"), "1: if needs 3 arguments, here 2 are");
  EXPECT_EQ(error("max()"), "1: max needs 1 or more arguments, here 0 are");
  EXPECT_EQ(error("count(slack_events, \"b\", \"c\")"), "1: count needs 1 or 2 arguments, here 3 are");
  EXPECT_EQ(error("at(x)"), "1: at needs 2 arguments, here 1 is");
}

TEST(SweepExpressionError, ParenthesesAndOperatorsHaveTheirColumn) {
  EXPECT_EQ(error(""), "1: an expression was expected, this is empty");
  EXPECT_EQ(error("  \n"), "1: an expression was expected, this is empty");
  EXPECT_EQ(error("(1 + 2"), "1: this parenthesis is not closed");
  EXPECT_EQ(error("1 + sqrt(4"), "9: this parenthesis is not closed");
  EXPECT_EQ(error("1 + 2)"), "6: \")\": no parenthesis is open here");
  EXPECT_EQ(error("1, 2"), "2: \",\" outside of a function");
  EXPECT_EQ(error("(1, 2)"), "3: \",\": an operator or \")\" was expected before it");
  EXPECT_EQ(error("1 2"), "3: \"2\": an operator was expected before it");
  EXPECT_EQ(error("(1 2)"), "4: \"2\": an operator or \")\" was expected before it");
  EXPECT_EQ(error("sqrt(1 2)"), "8: \"2\": an operator, \",\" or \")\" was expected before it");
  EXPECT_EQ(error("1 +"), "4: a number, a name or \"(\" was expected instead of the end");
  EXPECT_EQ(error("* 2"), "1: a number, a name or \"(\" was expected instead of \"*\"");
  EXPECT_EQ(error("max(1, )"), "8: a number, a name or \"(\" was expected instead of \")\"");
  EXPECT_EQ(error("1 + and"), "5: a number, a name or \"(\" was expected instead of \"and\"");
  EXPECT_EQ(error("1 < 2 < 3"), "7: comparisons cannot be chained: write a < b and b < c instead of a < b < c");
  EXPECT_EQ(error("1 = 2"), "3: \"=\": write == to compare");
  EXPECT_EQ(error("p && q"), "3: \"&&\": write and");
  EXPECT_EQ(error("p || q"), "3: \"||\": write or");
  EXPECT_EQ(error("p ** q"), "3: \"**\": write ^");
  EXPECT_EQ(error("p <> q"), "3: \"<>\": write !=");
  EXPECT_EQ(error("!p"), "1: \"!\": write not, or != to compare");
  EXPECT_EQ(error("p % q"), "3: \"%\": write mod(a, b)");
  EXPECT_EQ(error("p $ q"), "3: unexpected \"$\"");
  EXPECT_EQ(error(std::string("p \0", 3)), "3: unexpected character (byte 0x00)");
  EXPECT_EQ(error("3x"), "2: unexpected \"x\" after the number 3");
  EXPECT_EQ(error("1.2.3"), "4: unexpected \".\" after the number 1.2");
  EXPECT_EQ(error("1e999"), "1: 1e999 is not a number that can be represented");
  EXPECT_EQ(error("cables.\"a1"), "8: a quotation mark that is not closed");
  EXPECT_EQ(error("cables.\"a\\n\".z"), "10: only \\\" and \\\\ are known after a backslash");
  EXPECT_EQ(error("cables."), "8: a name must go on after the dot: with letters and digits, \"a part in quotes\" or *");
  // Columns are those of characters, not of bytes.
  EXPECT_EQ(error("max(cables.\"größe\".tension) $"), "29: unexpected \"$\"");
  EXPECT_EQ(error("count(taut_events, \"äöü\") $"), "27: unexpected \"$\"");
}

TEST(SweepExpressionError, DepthAndLengthAreLimited) {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  EXPECT_EQ(error(repeated("(", 1'000'000)),
            "1: an expression of 1000000 bytes is too long: at most 4000 are possible");
  const std::string deep = ": more than 100 parentheses, signs and powers inside each other";
  EXPECT_EQ(error(repeated("(", 3999)), "101" + deep);
  EXPECT_EQ(error(repeated("-", 3999)), "101" + deep);
  EXPECT_EQ(error(repeated("not ", 999)), "401" + deep);
  EXPECT_EQ(error(repeated("2^", 1999) + "2"), "202" + deep);
  EXPECT_EQ(error(repeated("abs(", 999)), "404" + deep);
  EXPECT_EQ(value(repeated("(", 100) + "7" + repeated(")", 100)), 7);
  // As deep as possible with as much as possible left open at each level.
  EXPECT_EQ(error(repeated("1 + 2 * 3 ^ (", 49) + "1" + repeated(")", 49)), "fine");
  EXPECT_EQ(error(repeated("max(1, 2 * hypot(1 + 2 * 3, ", 49) + "1" + repeated("))", 49)), "fine");
  EXPECT_EQ(error(repeated("if(1 < 2, 3, 1 + 2 * ", 99) + "1" + repeated(")", 99)),
            "1: too many open operations at once: simplify it");
  // Long and flat is fine.
  EXPECT_EQ(value("0" + repeated("+1", 1999)), 1999);
  EXPECT_EQ(error("max(" + repeated("sum(cables.*.tension) + ", 65) + "x)"),
            std::to_string(5 + 64 * 24) + ": more than 64 reductions over members: simplify it");
}

// Random bytes, and random sequences of real words, with everything that parses also evaluated.
TEST(SweepExpressionError, RandomTextsNeverCrash) {
  std::mt19937 random(11);
  std::vector<std::string> words{"(",
                                 ")",
                                 "(",
                                 ")",
                                 ",",
                                 "+",
                                 "-",
                                 "*",
                                 "/",
                                 "^",
                                 "<",
                                 "<=",
                                 "==",
                                 " and ",
                                 " or ",
                                 " not ",
                                 "1",
                                 "2.5",
                                 "p",
                                 "energy_drift",
                                 "x",
                                 "y",
                                 "cables.*.tension",
                                 "cables.*.length",
                                 "bars.*.force",
                                 "slack_events",
                                 "\"b\"",
                                 "pi",
                                 "nan",
                                 "inf"};
  for (const taut::ExpressionFunction& f : taut::expression_functions()) words.push_back(std::string(f.name) + "(");
  const std::vector<taut::EventList> no_events(2);
  int parsed = 0;
  const auto attempt = [&](const std::string& text) {
    for (const ExpressionUse use : {ExpressionUse::record, ExpressionUse::condition, ExpressionUse::parameter}) {
      try {
        const taut::Expression expression = parse(text, use);
        ++parsed;
        if (use == ExpressionUse::record) {
          taut::Accumulator accumulator(expression);
          accumulator.begin(test_parameters);
          for (int i = 0; i < 3; ++i) accumulator.row(i, std::vector<double>{1. - i, 2, i - 0.5, 0, 1, 2, 3, 4, 5, 6});
          accumulator.finish(test_scalars, no_events);
        } else if (use == ExpressionUse::condition) {
          expression.holds(std::vector<double>(10), test_parameters);
        } else {
          expression.value(test_parameters);
        }
      } catch (const taut::ExpressionError& e) {
        EXPECT_GE(e.column(), 1);
        EXPECT_LE(e.column(), static_cast<int>(text.size()) + 1);
        EXPECT_STRNE(e.what(), "");
      }
    }
  };
  for (int i = 0; i < 5000; ++i) {
    std::string text(random() % 40, ' ');
    for (char& c : text) c = static_cast<char>(random() % (i % 2 == 0 ? 256 : 128));
    attempt(text);
  }
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (auto n = random() % 14; n > 0; --n) text += words[random() % words.size()];
    attempt(text);
  }
  // Good expressions with one byte changed, left out or put in.
  const std::string good =
      "max(cables.\"a1-a2\".tension - 2^-x) / if(count(slack_events, \"b\") > 0 and p < 3, 1e3, at(y, p))";
  EXPECT_EQ(error(good), "fine");
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    const std::size_t place = random() % text.size();
    if (i % 3 == 0) text[place] = static_cast<char>(random() % 128);
    if (i % 3 == 1) text.erase(place, 1 + random() % 5);
    if (i % 3 == 2) text.insert(place, words[random() % words.size()]);
    attempt(text);
  }
  EXPECT_GT(parsed, 200);
}
