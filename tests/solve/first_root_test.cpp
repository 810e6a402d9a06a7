// The first root of several functions, against functions whose roots are known.
#include "taut/solve/first_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace taut {
namespace {

using Functions = std::vector<std::function<double(double)>>;

struct Found {
  double x;
  std::vector<int> group;
  int evaluations;
};

Found find(const Functions& functions, double low, double high, double resolution, double stop = 0.0) {
  FirstRoot s;
  s.resize(functions.size());
  s.low = low, s.high = high, s.resolution = resolution;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    s.which.push_back(static_cast<int>(i));
    s.at_low[i] = functions[i](low);
    s.at_high[i] = functions[i](high);
    s.stop[i] = stop;
  }
  Found found{0.0, {}, 0};
  double last = NAN;
  found.x = first_root(s, 0.5 * (low + high), [&](double x, double* at) {
    for (std::size_t i = 0; i < functions.size(); ++i) at[i] = functions[i](x);
    last = x;
    ++found.evaluations;
  });
  EXPECT_EQ(last, found.x);  // the caller's state is that at the root
  for (int i : s.which) {
    EXPECT_EQ(s.at[i], functions[i](found.x));
    if (s.at[i] <= s.stop[i]) found.group.push_back(i);
  }
  return found;
}

// Whatever the shape: a line, flat as x⁹ at the root, steep, with a jump. Never the far end of the bracket.
TEST(FirstRoot, IsBracketedToTheResolution) {
  const double root = 0.3;
  const Functions shapes = {[&](double x) { return root - x; },
                            [&](double x) { return -std::pow(x - root, 9); },
                            [&](double x) { return -std::cbrt(x - root); },
                            [&](double x) { return x < root ? 1.0 : -1.0; },
                            [&](double x) { return std::exp(40.0 * (root - x)) - 1.0; },
                            [&](double x) { return 1.0 - std::exp(40.0 * (x - root)); }};
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (double resolution : {1e-3, 1e-9, 1e-15}) {
      const Found found = find({shapes[i]}, 0.0, 1.0, resolution);
      EXPECT_NEAR(found.x, root, i == 1 ? 1e-3 : resolution + 1e-15) << i;  // x⁹ rounds to nothing near the root
      EXPECT_EQ(found.group, std::vector<int>{0});
      EXPECT_LE(found.evaluations, 150) << i;  // three passes for each bit of the bracket
    }
}

// The near end is within rounding of the root, as a cable's is whose twin has just switched: the answer is that end,
// not the far one, in any unit.
TEST(FirstRoot, AtTheNearEndIsNotTheFarEnd) {
  for (double unit : {1e-12, 1.0, 1e12})
    for (double rest : {1e-17, 1e-16, 1e-14}) {
      const Found found = find({[&](double x) { return unit * (rest - x); }}, 0.0, 1.0, 1e-15);
      EXPECT_NEAR(found.x, rest, 1e-15);
      EXPECT_LE(found.evaluations, 5);
    }
}

TEST(FirstRoot, IsTheFirstOfManyAndNamesTheGroup) {
  const auto line = [](double root, double slope) { return [=](double x) { return slope * (root - x); }; };
  const Found one = find({line(0.7, 1.0), line(0.2, 1e-3), line(0.4, 1e5)}, 0.0, 1.0, 1e-15);
  EXPECT_NEAR(one.x, 0.2, 2e-15);
  EXPECT_EQ(one.group, std::vector<int>{1});
  // Three within 1e-15 of each other, in functions whose values are told from zero to 1e-13.
  const Found three =
      find({line(0.5, 1.0), line(0.5 + 1e-15, 3.0), line(0.9, 1.0), line(0.5 - 1e-15, 0.1)}, 0.0, 1.0, 1e-15, 1e-13);
  EXPECT_NEAR(three.x, 0.5, 1e-12);
  EXPECT_EQ(three.group, (std::vector<int>{0, 1, 3}));
}

// Chords that meet a smooth function well need few evaluations.
TEST(FirstRoot, IsQuickOnSmoothFunctions) {
  EXPECT_LE(find({[](double x) { return std::cos(3.0 * x); }}, 0.0, 1.0, 1e-15, 1e-13).evaluations, 8);
}

TEST(FirstHolding, IsTheSideWhereItHolds) {
  double asked = NAN;
  const double found = first_holding(0.0, 4.0, 1e-12, [&](double x) { return (asked = x) * x >= 2.0; });
  EXPECT_NEAR(found, std::sqrt(2.0), 1e-12);
  EXPECT_GE(found, std::sqrt(2.0));
  EXPECT_EQ(asked, found);
}

}  // namespace
}  // namespace taut
