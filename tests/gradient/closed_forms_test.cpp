// Gradients of runs against closed forms, differentiated by a complex step: a mass on a cable that goes slack and taut,
// with and without damper; a ball that bounces on ground that gives.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "taut/file/draft.h"
#include "taut/gradient/sensitivity.h"

namespace taut {
namespace {

using Complex = std::complex<double>;
constexpr double tiny = 1e-40;

// df/dp of entry i of the arguments, without a difference.
double slope(const std::function<Complex(std::vector<Complex>)>& f, std::vector<double> at, std::size_t i) {
  std::vector<Complex> arguments(at.begin(), at.end());
  arguments[i] += Complex(0.0, tiny);
  return f(arguments).imag() / tiny;
}

// --- A mass below a fixed point, thrown up from where it hangs in balance. It flies once the cable is slack.

constexpr const char* thrown = R"(
[nodes]
top = { at = [0, 0, 0], fixed = true }
mass = { at = [0, 0, -1.0981], fixed = ["x", "y"], mass = 2.0, velocity = [0, 0, 3.0] }
[[cables]]
nodes = ["top", "mass"]
name = "c"
stiffness = 200.0
rest_length = 1.0
damping = DAMPING
[simulation]
integrator = "METHOD"
tolerance = TOLERANCE
duration = 0.75
output_step = 0.05
)";

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, value] : words) text.replace(text.find(word), word.size(), value);
  return text;
}

constexpr double g = 9.81, m = 2.0, rest = 1.0;

struct Throw {
  Complex slack, taut, z, v;  // at the end, taut again
};

// Arguments: k, v0, c; with damping only from when the cable is taut again, or from the start.
Throw closed_throw(const std::vector<Complex>& p, double t_end) {
  const Complex k = p[0], v0 = p[1], c = p[2];
  const Complex decay = c / (2.0 * m), omega = std::sqrt(k / m - decay * decay), sag = m * g / k;
  // u below balance, u(0) from where the mass is drawn.
  const Complex u0 = 1.0981 - rest - sag;
  const auto follow = [&](Complex u, Complex w, Complex t, Complex& at, Complex& rate) {
    const Complex b = (w + decay * u) / omega, e = std::exp(-decay * t), cs = std::cos(omega * t),
                  sn = std::sin(omega * t);
    at = e * (u * cs + b * sn);
    rate = e * (w * cs - (decay * b + omega * u) * sn);
  };
  // Slack where k e + c ė = 0 (with ė < 0, before e = 0): by Newton's method, which complex steps pass through.
  Complex t = 0.06, u, w;
  for (int i = 0; i < 60; ++i) {
    follow(u0, -v0, t, u, w);
    const Complex force = k * (u + sag) + c * w, acceleration = -(k * u + c * w) / m;
    t -= force / (k * w + c * acceleration);
  }
  Throw result;
  result.slack = t;
  follow(u0, -v0, t, u, w);
  // In flight until the length is the rest length again, downwards: x = length.
  const Complex x = rest + sag + u;
  const Complex flight = (-w + std::sqrt(w * w + 2.0 * g * (rest - x))) / g;
  result.taut = t + flight;
  follow(-sag, w + g * flight, t_end - result.taut, u, w);
  result.z = -(rest + sag + u);
  result.v = -w;
  return result;
}

struct Cases {
  const char *damping, *method, *tolerance;
  double near;
};

class Thrown : public ::testing::TestWithParam<Cases> {};

TEST_P(Thrown, HasTheDerivativesOfTheClosedForm) {
  const Cases c = GetParam();
  const Draft draft =
      Draft::from_text(with(thrown, {{"DAMPING", c.damping}, {"METHOD", c.method}, {"TOLERANCE", c.tolerance}}), "m");
  const Sensitivity s =
      sensitivity(draft, {"cables.c.stiffness", "nodes.mass.velocity.z", "cables.c.damping"},
                  {"last(nodes.mass.z)", "last(nodes.mass.vz)", "first_time(went_slack)", "last_time(went_taut)"});
  const std::vector<double> at = {200.0, 3.0, std::stod(c.damping)};
  const auto outcome = [](int which) {
    return [which](const std::vector<Complex>& p) {
      const Throw t = closed_throw(p, 0.75);
      return which == 0 ? t.z : which == 1 ? t.v : which == 2 ? t.slack : t.taut;
    };
  };
  ASSERT_EQ(s.switches.size(), 2u);
  EXPECT_TRUE(s.corners.empty());
  for (int i = 0; i < 4; ++i) {
    const auto f = outcome(i);
    const double value = f({at.begin(), at.end()}).real();
    EXPECT_NEAR(s.outcomes[i].value, value, c.near) << s.outcomes[i].text;
    for (std::size_t p = 0; p < 3; ++p) {
      const double by = slope(f, at, p);
      EXPECT_NEAR(s.outcomes[i].by[p], by, c.near * (std::abs(by) + 1e-3)) << s.outcomes[i].text << " by " << p;
      if (i < 2) continue;
      EXPECT_NEAR(s.switches[i - 2].by[p], by, c.near * (std::abs(by) + 1e-3));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gradient, Thrown,
                         ::testing::Values(Cases{"0.0", "dopri5", "1e-12", 1e-8}, Cases{"3.0", "dopri5", "1e-12", 1e-8},
                                           Cases{"5.0", "dopri5", "1e-12", 1e-8},
                                           // Backward differentiation: its own error at this tolerance.
                                           Cases{"3.0", "cvode", "1e-11", 1e-5}));

// --- A ball that falls on ground that gives and bounces, again and again.

constexpr const char* ball = R"(
[nodes]
ball = { at = [0, 0, 0.5], fixed = ["x", "y"], mass = 0.3 }
[environment]
ground = { stiffness = 4000.0, damping = 0.0, friction = 0.0 }
[simulation]
integrator = "dopri5"
tolerance = 1e-12
duration = 3.3
output_step = 0.05
)";

// Time of touch n and height at the end. Arguments: height, stiffness, gravity.
Complex bounce(const std::vector<Complex>& p, int touch, double t_end) {
  const Complex h = p[0], omega = std::sqrt(p[1] / 0.3), fall = std::sqrt(2.0 * h / p[2]), v = p[2] * fall;
  // In contact d = sag (1 - cos ωt) + v/ω sin ωt: until it is 0 again, at 2 (π - atan(v/(ω sag)))/ω.
  const Complex sag = p[2] / (omega * omega), contact = 2.0 * (M_PI - std::atan(v / (omega * sag))) / omega;
  const Complex period = 2.0 * fall + contact;
  if (touch > 0) return fall + static_cast<double>(touch - 1) * period;
  const double bounces = std::floor((t_end - fall.real()) / period.real());
  const Complex after = t_end - fall - bounces * period - contact;  // since it lifted off
  return v * after - 0.5 * p[2] * after * after;
}

TEST(Gradient, OfABouncingBallIsThatOfTheClosedForm) {
  const Draft draft = Draft::from_text(ball, "ball");
  const Sensitivity s = sensitivity(
      draft, {"nodes.ball.at.z", "environment.ground.stiffness", "environment.gravity.z", "environment.ground.height"},
      {"last(nodes.ball.z)"});
  const std::vector<double> at = {0.5, 4000.0, 9.81};
  const auto check = [](double value, double by) { EXPECT_NEAR(value, by, 1e-7 * (1e-4 + std::abs(by))); };
  int touches = 0;
  for (const Sensitivity::Switch& event : s.switches) {
    EXPECT_EQ(event.name, "ball");
    if (event.kind != "touch") continue;
    const auto f = [n = ++touches](const std::vector<Complex>& p) { return bounce(p, n, 0.0); };
    EXPECT_NEAR(event.time, f({at.begin(), at.end()}).real(), 1e-9);
    check(event.by[0], slope(f, at, 0));
    check(event.by[1], slope(f, at, 1));
    check(event.by[2], -slope(f, at, 2));
    // Higher ground is as a lower start.
    check(event.by[3], -slope(f, at, 0));
  }
  EXPECT_EQ(touches, 5);
  const auto f = [](const std::vector<Complex>& p) { return bounce(p, 0, 3.3); };
  EXPECT_NEAR(s.outcomes[0].value, f({at.begin(), at.end()}).real(), 1e-9);
  check(s.outcomes[0].by[0], slope(f, at, 0));
  check(s.outcomes[0].by[1], slope(f, at, 1));
  check(s.outcomes[0].by[2], -slope(f, at, 2));
  check(s.outcomes[0].by[3], 1.0 - slope(f, at, 0));
}

// --- Where there is no derivative

// The throw that is just too weak to make the cable slack: v0 = g/ω.
TEST(Gradient, NamesACableThatOnlyJustFailsToGoSlack) {
  Draft draft = Draft::from_text(with(thrown, {{"DAMPING", "0.0"}, {"METHOD", "dopri5"}, {"TOLERANCE", "1e-12"}}), "m");
  draft.set({{"nodes.mass.velocity.z", {g / 10.0}}, {"nodes.mass.at.z", {-1.0 - m * g / 200.0}}});
  const Sensitivity s = sensitivity(draft, {"nodes.mass.velocity.z", "nodes.mass.mass"}, {"last(nodes.mass.z)"});
  ASSERT_GE(s.corners.size(), 1u);
  EXPECT_EQ(s.corners[0].name, "c");
  EXPECT_EQ(s.corners[0].key, "nodes.mass.velocity.z");
  EXPECT_NEAR(s.corners[0].time, M_PI / 20.0, 1e-4);
  // A hundredth more or less, and all is well.
  for (const double share : {0.99, 1.01}) {
    draft.set("nodes.mass.velocity.z", {share * g / 10.0});
    EXPECT_TRUE(sensitivity(draft, {"nodes.mass.velocity.z"}, {"last(nodes.mass.z)"}).corners.empty()) << share;
  }
}

// The bounce of one that is thrown up from the ground so that it touches a plane again... a ball on a spring above it.
TEST(Gradient, NamesATouchThatGrazes) {
  const Draft draft = Draft::from_text(R"(
[nodes]
top = { at = [0, 0, 2], fixed = true }
ball = { at = [0, 0, 0.2], fixed = ["x", "y"], mass = 1.0 }
[[cables]]
nodes = ["top", "ball"]
stiffness = 100.0
law = "spring"
rest_length = 1.8019
[environment]
ground = { height = 0.0038, stiffness = 1e4 }
[simulation]
integrator = "dopri5"
tolerance = 1e-12
duration = 0.5
)",
                                       "m");
  // It swings between 0.2 and twice as far below it as its balance, 2 - 1.8019 - 0.0981 = 0.1: that is 0.
  Draft grazing = draft;
  grazing.set("environment.ground.height", {0.0});
  const Sensitivity s = sensitivity(grazing, {"nodes.ball.at.z"}, {"last(nodes.ball.z)"});
  ASSERT_EQ(s.corners.size(), 1u);
  EXPECT_EQ(s.corners[0].name, "ball");
  EXPECT_NEAR(s.corners[0].time, M_PI / 10.0, 1e-4);
  EXPECT_TRUE(sensitivity(draft, {"nodes.ball.at.z"}, {"last(nodes.ball.z)"}).corners.empty());
}

// The largest of two that are equal by symmetry has a corner of its own.
TEST(Gradient, NamesAnOutcomeWithACorner) {
  const Draft draft = Draft::from_text(R"(
[nodes]
left = { at = [-1, 0, 0], fixed = true }
right = { at = [1, 0, 0], fixed = true }
mass = { at = [0, 0, -1], fixed = ["y"], mass = 1.0 }
[[cables]]
paths = [["left", "mass"], ["right", "mass"]]
stiffness = 300.0
rest_length = 1.3
[simulation]
integrator = "dopri5"
duration = 0.3
)",
                                       "m");
  const Sensitivity s = sensitivity(draft, {"cables.0.stiffness", "nodes.mass.mass"},
                                    {"max(largest(cables.*.tension))", "max(cables.0.tension)"});
  ASSERT_EQ(s.corners.size(), 1u);
  EXPECT_EQ(s.corners[0].key, "cables.0.stiffness");
  EXPECT_EQ(s.corners[0].outcome, "max(largest(cables.*.tension))");
}

}  // namespace
}  // namespace taut
