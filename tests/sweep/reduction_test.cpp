// Reductions of signals over time: against closed forms of sampled functions, row by row.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/sweep/expression_support.h"

namespace {

using namespace expression_test;

constexpr double pi_number = std::numbers::pi;

// x = sin t, y = t, tensions 1 + t, 3 - t, 2; lengths 1, 2, 4; bars -t, t.
std::vector<double> sample(double t) { return {std::sin(t), t, 1 + t, 3 - t, 2, 1, 2, 4, -t, t}; }

double over(const std::string& text, double from = 0, double to = 2 * pi_number, int rows = 2000) {
  return record(text, steps(from, to, rows), sample);
}

// A signal x by a table of rows.
double of_table(const std::string& text, const std::vector<double>& times, const std::vector<double>& x) {
  std::size_t next = 0;
  return record(text, times, [&](double) {
    std::vector<double> row(10);
    row[0] = x[next++];
    return row;
  });
}

}  // namespace

// The errors of sampled extremes, integrals and crossings fall with the square of the step, here 3e-3.
TEST(SweepReduction, SampledFunctionsAgreeWithClosedForms) {
  const double h2 = 1e-5;
  EXPECT_NEAR(over("max(x)"), 1, h2);
  EXPECT_NEAR(over("min(x)"), -1, h2);
  EXPECT_NEAR(over("mean(x)"), 0, h2);
  EXPECT_NEAR(over("mean(x)", 0, pi_number), 2 / pi_number, h2);
  EXPECT_NEAR(over("rms(x)"), std::sqrt(0.5), h2);
  EXPECT_NEAR(over("integral(x)", 0, pi_number), 2, h2);
  EXPECT_NEAR(over("integral(x^2)", 0, pi_number), pi_number / 2, h2);
  EXPECT_EQ(over("first(x)", 1, 2), std::sin(1.0));
  EXPECT_EQ(over("last(x)", 1, 2), std::sin(2.0));
  EXPECT_EQ(over("final(x)", 1, 2), std::sin(2.0));
  EXPECT_NEAR(over("at(x, 1.2345)"), std::sin(1.2345), h2);
  EXPECT_NEAR(over("at(x, p / 3)"), std::sin(2.0 / 3), h2);
  EXPECT_NEAR(over("time_of_max(x)"), pi_number / 2, pi_number / 1000);
  EXPECT_NEAR(over("time_of_min(x)"), 3 * pi_number / 2, pi_number / 1000);
  EXPECT_NEAR(over("first_time(x > 0.5)"), pi_number / 6, h2);
  EXPECT_NEAR(over("first_time(x < -0.5)"), 7 * pi_number / 6, h2);
  EXPECT_NEAR(over("last_time(x > 0.5)"), 5 * pi_number / 6, h2);
  EXPECT_NEAR(over("duration(x > 0.5)"), 2 * pi_number / 3, h2);
  EXPECT_NEAR(over("duration(abs(x) > 0.5)"), 4 * pi_number / 3, h2);
  EXPECT_TRUE(std::isnan(over("first_time(x > 2)")));
  EXPECT_TRUE(std::isnan(over("last_time(x > 2)")));
  EXPECT_EQ(over("duration(x > 2)"), 0);
  // Arithmetic before and after.
  EXPECT_NEAR(over("max(2 * x + 1) / p - min(x * q)"), 1.5 + 3, h2);
}

// Straight lines between rows of uneven steps: exact but for rounding.
TEST(SweepReduction, LinearSignalsAreExact) {
  const std::vector<double> times{0, 0.1, 0.4, 1, 1.5, 3};
  const auto y = [&](const std::string& text) { return record(text, times, sample); };
  EXPECT_NEAR(y("mean(y)"), 1.5, 1e-14);
  EXPECT_NEAR(y("integral(2 * y + 1)"), 12, 1e-13);
  EXPECT_NEAR(y("rms(y)"), std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(y("rms(y - 1.5)"), std::sqrt(0.75), 1e-14);
  for (const double t : {0.0, 0.05, 0.4, 0.9, 2.2, 3.0}) EXPECT_NEAR(y("at(y, " + std::to_string(t) + ")"), t, 1e-14);
  EXPECT_NEAR(y("first_time(y > 0.7)"), 0.7, 1e-14);
  EXPECT_NEAR(y("first_time(y >= 0.7)"), 0.7, 1e-14);
  EXPECT_NEAR(y("last_time(y < 0.7)"), 0.7, 1e-14);
  EXPECT_NEAR(y("first_time(y == 2.5)"), 2.5, 1e-14);
  EXPECT_NEAR(y("last_time(y == 2.5)"), 2.5, 1e-14);
  EXPECT_EQ(y("duration(y == 2.5)"), 0);
  EXPECT_NEAR(y("duration(y != 2.5)"), 3, 1e-14);
  EXPECT_NEAR(y("duration(y > 0.7)"), 2.3, 1e-14);
  EXPECT_NEAR(y("duration(y < 0.7)"), 0.7, 1e-14);
  // Several changes between two rows (1.5 and 3), in every combination.
  EXPECT_NEAR(y("duration(y > 1.7 and y < 2.9)"), 1.2, 1e-14);
  EXPECT_NEAR(y("first_time(y > 1.7 and y < 2.9)"), 1.7, 1e-14);
  EXPECT_NEAR(y("last_time(y > 1.7 and y < 2.9)"), 2.9, 1e-14);
  EXPECT_NEAR(y("duration(y < 1.7 or y > 2.9)"), 1.8, 1e-14);
  EXPECT_NEAR(y("duration(not (y < 1.7 or y > 2.9))"), 1.2, 1e-14);
  EXPECT_NEAR(y("first_time(y > 1.7 and not y < 2)"), 2, 1e-14);
  EXPECT_NEAR(y("duration(if(y < 2, y > 1.7, y > 2.5))"), 0.8, 1e-14);
  EXPECT_TRUE(std::isnan(y("first_time(y > 2 and y < 2)")));
}

TEST(SweepReduction, RowsThatTouchALimitCountAsTheyShould) {
  const std::vector<double> t{0, 1, 2, 3};
  EXPECT_EQ(of_table("first_time(x > 0)", t, {0, 0, 1, 1}), 1);  // just after
  EXPECT_EQ(of_table("duration(x > 0)", t, {0, 0, 1, 1}), 2);
  EXPECT_EQ(of_table("first_time(x >= 0)", t, {-1, 0, -1, -1}), 1);
  EXPECT_EQ(of_table("duration(x >= 0)", t, {-1, 0, -1, -1}), 0);
  EXPECT_EQ(of_table("last_time(x >= 0)", t, {1, 0, -1, -1}), 1);
  EXPECT_EQ(of_table("first_time(x == 0)", t, {1, 1, 0, 1}), 2);
  EXPECT_EQ(of_table("duration(x == 0)", t, {1, 0, 0, 1}), 1);
  EXPECT_EQ(of_table("first_time(x != 0)", t, {0, 0, 1, 0}), 1);
  EXPECT_EQ(of_table("first_time(x < 1)", t, {0, 5, 5, 5}), 0);  // already at the first row
}

TEST(SweepReduction, EndsGapsAndNoNumbers) {
  const std::vector<double> t{1, 2, 3};
  const double nan = std::nan("");
  // Outside of the rows there is nothing, but rounding at the ends does not matter.
  EXPECT_TRUE(std::isnan(of_table("at(x, 0.999)", t, {1, 2, 3})));
  EXPECT_TRUE(std::isnan(of_table("at(x, 3.001)", t, {1, 2, 3})));
  EXPECT_EQ(of_table("at(x, 1)", t, {5, 2, 3}), 5);
  EXPECT_EQ(of_table("at(x, 3)", t, {5, 2, 7}), 7);
  EXPECT_EQ(of_table("at(x, 3.0000000000000004)", t, {1, 2, 3}), 3);
  EXPECT_EQ(of_table("at(x, 0.9999999999999999)", t, {1, 2, 3}), 1);
  EXPECT_TRUE(std::isnan(of_table("at(x, nan)", t, {1, 2, 3})));

  // One row, and none.
  for (const char* text : {"max(x)", "min(x)", "mean(x)", "first(x)", "last(x)", "at(x, 1)", "-rms(x)"})
    EXPECT_EQ(of_table(text, {1}, {-4}), -4) << text;
  EXPECT_EQ(of_table("integral(x)", {1}, {-4}), 0);
  EXPECT_EQ(of_table("time_of_max(x)", {1}, {-4}), 1);
  for (const char* text : {"max(x)", "mean(x)", "rms(x)", "integral(x)", "first(x)", "last(x)", "at(x, 0)",
                           "time_of_min(x)", "first_time(x > 0)", "duration(x > 0)"})
    EXPECT_TRUE(std::isnan(of_table(text, {}, {}))) << text;

  // What is no number is not passed over in silence.
  const std::vector<std::vector<double>> gaps{{nan, 1, 2}, {1, nan, 2}, {1, 2, nan}, {2, nan, 1}};
  for (const char* text : {"max(x)", "min(x)", "mean(x)", "rms(x)", "integral(x)", "time_of_max(x)", "time_of_min(x)"})
    for (const std::vector<double>& x : gaps) EXPECT_TRUE(std::isnan(of_table(text, t, x))) << text;
  EXPECT_EQ(of_table("last(x)", t, {1, nan, 2}), 2);
  EXPECT_EQ(of_table("first_time(x > 1.5)", t, {1, nan, 2}), 3);
  EXPECT_EQ(of_table("max(x)", t, {-INFINITY, -INFINITY, -INFINITY}), -INFINITY);
  EXPECT_EQ(of_table("first_time(x > 0)", t, {-1, INFINITY, 1}), 1);
  // The first of equal extremes; two rows at the same time.
  EXPECT_EQ(of_table("time_of_max(x)", t, {1, 3, 3}), 2);
  EXPECT_EQ(of_table("integral(x)", {0, 1, 1, 2}, {0, 0, 4, 4}), 4);
  EXPECT_EQ(of_table("duration(x > 2)", {0, 1, 1, 2}, {0, 0, 4, 4}), 1);
}

TEST(SweepReduction, MembersArePutTogether) {
  EXPECT_DOUBLE_EQ(over("max(cables.*.tension)", 0, 3), 4);
  EXPECT_DOUBLE_EQ(over("min(cables.*.tension)", 0, 3), 0);
  EXPECT_DOUBLE_EQ(over("time_of_min(cables.*.tension)", 0, 3), 3);
  EXPECT_DOUBLE_EQ(over("time_of_max(cables.*.tension)", 0, 2), 0);  // of equal ones the first
  EXPECT_DOUBLE_EQ(over("last(smallest(cables.*.tension))", 0, 3), 0);
  EXPECT_DOUBLE_EQ(over("last(largest(cables.*.tension))", 0, 3), 4);
  EXPECT_DOUBLE_EQ(over("last(sum(cables.*.tension))", 0, 3), 6);
  EXPECT_DOUBLE_EQ(over("last(average(cables.*.tension))", 0, 3), 2);
  EXPECT_DOUBLE_EQ(over("last(largest(-cables.*.length))", 0, 3), -1);
  EXPECT_DOUBLE_EQ(over("last(smallest(cables.*.length))", 0, 3), 1);
  EXPECT_NEAR(over("first_time(smallest(cables.*.tension) <= 0.5)", 0, 3), 2.5, 1e-12);
  // One value for each member, computed before they are put together: tension / length = 1 + t, (3 - t)/2, 2/4.
  EXPECT_DOUBLE_EQ(over("last(largest(cables.*.tension / cables.*.length))", 0, 3), 4);
  EXPECT_DOUBLE_EQ(over("last(sum(cables.*.tension / cables.*.length))", 0, 3), 4.5);
  EXPECT_DOUBLE_EQ(over("last(sum(if(cables.*.tension > 1.5, 1, 0)))", 0, 3), 2);
  EXPECT_DOUBLE_EQ(over("max(abs(bars.*.force - x))", 0, 3), 3 + std::sin(3.0));
  // Shares of the whole: one inside the other.
  EXPECT_DOUBLE_EQ(over("last(largest(cables.*.tension / sum(cables.*.tension)))", 0, 3), 4.0 / 6);
  EXPECT_DOUBLE_EQ(over("last(smallest(min(cables.*.tension, y)))", 0, 3), 0);
}

TEST(SweepReduction, EventsAreCountedAndTimed) {
  const std::vector<taut::ListedEvent> slack{{0.5, "b"}, {0.7, "a1-a2"}, {0.9, "b"}}, taut_again{{0.6, "b"}};
  const auto of = [&](const std::string& text) {
    return record(text, {0, 1}, sample, {taut::EventList(slack), taut::EventList(taut_again)});
  };
  EXPECT_EQ(of("count(slack_events)"), 3);
  EXPECT_EQ(of("count(slack_events, \"b\")"), 2);
  EXPECT_EQ(of("count(slack_events, 'c')"), 0);
  EXPECT_EQ(of("count(taut_events)"), 1);
  EXPECT_EQ(of("first_time(slack_events)"), 0.5);
  EXPECT_EQ(of("last_time(slack_events)"), 0.9);
  EXPECT_EQ(of("first_time(slack_events, \"a1-a2\")"), 0.7);
  EXPECT_EQ(of("last_time(slack_events, \"a1-a2\")"), 0.7);
  EXPECT_TRUE(std::isnan(of("first_time(slack_events, \"c\")")));
  EXPECT_TRUE(std::isnan(of("last_time(slack_events, \"c\")")));
  EXPECT_EQ(of("if(count(slack_events) > 2 and steps == 500, first_time(taut_events), -1)"), 0.6);
}

// One expression, several accumulators, several runs each: nothing is left over from a run before.
TEST(SweepReduction, AccumulatorsStartAnew) {
  const taut::Expression expression =
      parse("max(x) + 10 * at(x, 1) + 100 * mean(y) + 1000 * duration(x > p) + integral(x) + last_time(y < 1)");
  taut::Accumulator used(expression), other(expression);
  std::vector<double> row(10);
  const auto run = [&](taut::Accumulator& accumulator, double scale) {
    accumulator.begin(test_parameters);
    for (int i = 0; i <= 4; ++i) {
      row[0] = scale * i;
      row[1] = i - 1;
      accumulator.row(i * 0.5, row);
    }
    return accumulator.finish(test_scalars, {});
  };
  const double one = run(used, 1), two = run(other, 2);
  EXPECT_NE(one, two);
  // Interleaved with a run that ends after one row.
  used.begin(test_parameters);
  used.row(7, row);
  EXPECT_EQ(run(used, 2), two);
  EXPECT_EQ(run(other, 1), one);
  // max 4, at 2, mean 1, x > 2 for 1 s, integral 4, y < 1 until 1 s.
  EXPECT_NEAR(one, 4 + 20 + 100 + 1000 + 4 + 1, 1e-10);
}
