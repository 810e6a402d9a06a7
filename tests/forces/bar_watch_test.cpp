// Bars that go through each other are found, whatever the step; bars that touch, slide past or share nodes are not.
#include "taut/forces/bar_watch.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Four = std::array<Vec3, 4>;

double pass(const Four& from, const Four& to) {
  const double* const a[4] = {from[0].data(), from[1].data(), from[2].data(), from[3].data()};
  const double* const b[4] = {to[0].data(), to[1].data(), to[2].data(), to[3].data()};
  return pass_time(a, b, 1e-8);
}

Four moved(Four p, const Vec3& first, const Vec3& second) {
  p[2] += first, p[3] += second;
  return p;
}

const Vec3 down(0, 0, -0.4);

TEST(BarWatch, CrossingBarsPassWhereTheyMeet) {
  const Four crossing = {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0.2, -1, 0.1), Vec3(0.3, 1, 0.1)};
  EXPECT_NEAR(pass(crossing, moved(crossing, down, down)), 0.25, 1e-12);
  // One end is held.
  EXPECT_NEAR(pass(crossing, moved(crossing, Vec3::Zero(), 4.0 * down)), 0.125, 1e-12);
  // Back again, beside it, touching only, or the other way.
  EXPECT_TRUE(std::isnan(pass(crossing, moved(crossing, 0.2 * down, 0.2 * down))));
  EXPECT_TRUE(std::isnan(pass(crossing, moved(crossing, -down, -down))));
  const Four beside = {Vec3(-1, 0, 0), Vec3(0.1, 0, 0), Vec3(0.2, -1, 0.1), Vec3(0.3, 1, 0.1)};
  EXPECT_TRUE(std::isnan(pass(beside, moved(beside, down, down))));
  // At any speed: the step is a hundred lengths long.
  EXPECT_NEAR(pass(crossing, moved(crossing, 500.0 * down, 500.0 * down)), 0.25 / 500.0, 1e-9);
}

TEST(BarWatch, SymmetricBarsPassAsWell) {
  const Four parallel = {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(-1, 0, 0.1), Vec3(1, 0, 0.1)};
  EXPECT_NEAR(pass(parallel, moved(parallel, down, down)), 0.25, 1e-6);
  EXPECT_TRUE(std::isnan(pass(parallel, moved(parallel, 0.2 * down, 0.2 * down))));
  // Past each other along their own line, beside each other, and turned about.
  EXPECT_TRUE(std::isnan(pass(parallel, moved(parallel, {3, 0, 0}, {3, 0, 0}))));
  EXPECT_TRUE(std::isnan(pass(parallel, moved(parallel, {0.5, 0.3, 0}, {0.5, 0.3, 0}))));
  // Head on, in line: they meet after a tenth of the way.
  const Four in_line = {Vec3(-1, 0, 0), Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(1.1, 0, 0)};
  EXPECT_NEAR(pass(in_line, moved(in_line, {-1, 0, 0}, {-1, 0, 0})), 0.1, 0.07);
  EXPECT_TRUE(std::isnan(pass(in_line, moved(in_line, {-0.05, 0, 0}, {-0.05, 0, 0}))));
}

// Against a dense look at the signs of the volume where the lines meet inside both bars.
TEST(BarWatch, RandomMotionsAgainstManySmallSteps) {
  Random random(7);
  int passes = 0;
  for (int round = 0; round < 2000; ++round) {
    Four from, to;
    for (int k = 0; k < 4; ++k) from[k] = random.vector(1.0), to[k] = from[k] + random.vector(0.8);
    const double part = pass(from, to);
    // Each small step by itself; an even number of passes is none.
    int crossings = 0;
    double first = NAN;
    constexpr int steps = 200;
    for (int i = 0; i < steps; ++i) {
      Four a, b;
      for (int k = 0; k < 4; ++k) {
        a[k] = from[k] + (to[k] - from[k]) * (static_cast<double>(i) / steps);
        b[k] = from[k] + (to[k] - from[k]) * ((i + 1.0) / steps);
      }
      if (const double small = pass(a, b); small >= 0.0 && crossings++ == 0) first = (i + small) / steps;
    }
    EXPECT_EQ(part >= 0.0, crossings % 2 == 1) << crossings;
    if (crossings == 1) {
      EXPECT_NEAR(part, first, 1e-6);
    }
    passes += part >= 0.0;
  }
  EXPECT_GT(passes, 50);
}

// Two thin rods of 1 kg that fly at each other at 20 m/s; steps of 3.3 ms, and halves of them, miss the contact.
Scenario meeting(int kind, double stiffness = 1e7) {
  Scenario s = empty_scenario(0.05, 0.01);
  Model& m = s.model;
  m.collision.emplace();
  m.collision->stiffness = stiffness;
  const Vec3 v(0, 0, -20.0);
  add_node(m, {-0.5, 0, 0}), add_node(m, {0.5, 0, 0});
  if (kind == 0) add_node(m, {0.2, -0.5, 0.51}, 0.0, {}, v), add_node(m, {0.1, 0.5, 0.51}, 0.0, {}, v);
  if (kind == 1) add_node(m, {-0.5, 0, 0.51}, 0.0, {}, v), add_node(m, {0.5, 0, 0.51}, 0.0, {}, v);
  add_bar(m, 0, 1, 1.0), add_bar(m, 2, 3, 1.0);
  m.bars[0].radius = m.bars[1].radius = 4e-3;
  m.bars[0].name = "b1", m.bars[1].name = "b4";
  return s;
}

bool warned(const Summary& summary) {
  for (const std::string& warning : summary.warnings)
    if (warning.find("bars b1 and b4 passed through each other at 0.02") != std::string::npos) return true;
  return false;
}

TEST(BarWatch, ACoarseStepIsSaidAndAFineOneBounces) {
  for (const int kind : {0, 1})
    for (const char* method : {"rk4", "euler", "symplectic"}) {
      const Motion coarse = run(meeting(kind), method, 4e-3), fine = run(meeting(kind), method, 1e-5);
      EXPECT_TRUE(warned(coarse.summary)) << method << kind;
      EXPECT_LT(position(coarse.last(), 2).z(), position(coarse.last(), 0).z() - 0.1) << method << kind;
      EXPECT_FALSE(warned(fine.summary)) << method << kind;
      EXPECT_GT(position(fine.last(), 2).z(), position(fine.last(), 0).z()) << method << kind;
    }
  for (const char* method : {"dopri5", "cvode"}) {
    EXPECT_FALSE(warned(run(meeting(0), method, 1e-8).summary)) << method;
    // Too soft to stop them: pressed through.
    EXPECT_TRUE(warned(run(meeting(0, 1e3), method, 1e-8).summary)) << method;
  }
  // Without collisions nobody asked.
  Scenario free = meeting(0);
  free.model.collision.reset();
  EXPECT_TRUE(run(free, "rk4", 4e-3).summary.warnings.empty());
}

// In every formulation that takes it, and also where the step is so long that no list of near bars would hold them.
TEST(BarWatch, EveryFormulationAndAStepOfTheWholeRun) {
  for (const char* formulation : {"nodal", "minimal", "quaternion", "point_mass", "multibody"}) {
    Scenario s = meeting(0);
    s.simulation.formulation = formulation;
    s.simulation.output_step = 0.05;
    EXPECT_TRUE(warned(run(s, "rk4", 0.05).summary)) << formulation;
  }
}

}  // namespace
}  // namespace taut::testing
