// Paths of machines: against the same structure in node coordinates, closed forms, and equilibria found directly.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/machine/machine_equilibrium.h"
#include "taut/file/read/read_toml.h"
#include "taut/form/path/path.h"
#include "taut/form/relax_machine.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// Half of a flat arch: an elastic bar to a node that moves along y only, by a support or on a slide.
const char* const half_arch = R"(
[environment]
gravity = [0, 0, 0]
[[bars]]
nodes = ["left", "top"]
name = "leg"
EA = 10000.0
[[loads]]
node = "top"
force = [0, -60, 0]
)";
const char* const by_support = R"(
[nodes]
left = { at = [-1, 0, 0], fixed = true }
top = { at = [0, 0.3, 0], mass = 1, fixed = ["x", "z"] }
)";
const char* const on_slide = R"(
[nodes]
left = { at = [-1, 0, 0], fixed = true }
top = [0, 0.3, 0]
[[bodies]]
name = "slider"
nodes = ["top"]
mass = 1
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "slide"
kind = "prismatic"
bodies = ["ground", "slider"]
axis = [0, 1, 0]
position = 0.3
)";

Scenario arch(const char* top) { return read_scenario_text(std::string(half_arch) + top, "arch.toml"); }

// Both limit points, and the end beyond them, are those of the structure in node coordinates; every row is P(y).
TEST(PathOfMachines, AnArchOnASlideSnapsAsOneOnSupports) {
  PathOptions options;
  const PathResult ends = follow_path(arch(on_slide).model, options);
  EXPECT_FALSE(ends.complete);
  options.through = true;
  const Scenario machine = arch(on_slide);
  const PathResult nodal = follow_path(arch(by_support).model, options), found = follow_path(machine.model, options);
  ASSERT_TRUE(found.complete) << found.reason;
  ASSERT_EQ(found.events.size(), 2u);
  ASSERT_EQ(nodal.events.size(), 2u);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(found.events[k].kind, PathEventKind::limit);
    EXPECT_NEAR(found.events[k].at.p, nodal.events[k].at.p, 1e-9);
    EXPECT_EQ(found.events[k].node, 1);
  }
  EXPECT_NEAR(ends.points.back().p, found.events[0].at.p, 1e-12);
  EXPECT_NEAR(found.points.back().x[4], nodal.points.back().x[4], 1e-9);
  const double l0 = std::hypot(1.0, 0.3);
  for (const PathPoint& point : found.points) {
    const double y = point.x[4], l = std::hypot(1.0, y);
    EXPECT_NEAR(1e4 * (l0 - l) / l0 * y / l, 60.0 * point.p, 1e-6);
    EXPECT_EQ(point.unstable, point.stiffness < 0.0 ? 1 : 0);
  }
  MachineForces forces(found.model);
  EXPECT_LT(forces.net_force(forces.start()).residual, 1e-9);
}

// A rod on a hinge with a spring under its growing weight: k θ = p m g l/2 cos θ at every row.
TEST(PathOfMachines, ASprungRodSinksUnderItsWeight) {
  const Scenario rod = test_model("sprung_rod");
  PathOptions options;
  options.kind = PathKind::weight;
  options.to = 3.0;
  const PathResult found = follow_path(rod.model, options);
  ASSERT_TRUE(found.complete) << found.reason;
  EXPECT_TRUE(found.events.empty());
  EXPECT_EQ(found.points.back().p, 3.0);
  for (const PathPoint& point : found.points) {
    const double angle = std::atan2(-point.x[5], point.x[3]);
    EXPECT_NEAR(30.0 * angle, point.p * 9.81 * std::cos(angle), 1e-7);
  }
  options.branch = 1;
  EXPECT_THROW(follow_path(rod.model, options), InputError);
}

// With loops: springs that become longer, one and then all, lead to the equilibrium that relaxation finds.
TEST(PathOfMachines, RestLengthsLeadToTheEquilibriumOfTheEnd) {
  Scenario legs = generated("three_dof_mechanism");
  PathOptions options;
  options.kind = PathKind::rest_lengths;
  options.rest_lengths = {{0, 0.1}};
  const PathResult found = follow_path(legs.model, options);
  ASSERT_TRUE(found.complete) << found.reason;
  legs.model.cables[0].rest_length = 0.1;
  const RelaxResult relaxed = relax_machine(legs.model, {});
  ASSERT_TRUE(relaxed.converged);
  EXPECT_EQ(found.model.cables[0].rest_length, 0.1);
  for (std::size_t i = 0; i < legs.model.nodes.size(); ++i)
    EXPECT_LT((found.model.nodes[i].position - relaxed.model.nodes[i].position).norm(), 1e-8);
}

// Where a drive holds all that could move, the shape stays, and forces grow with the weight: there is no motion to divide
// by.
TEST(PathOfMachines, WhatIsAllDrivenCarriesItsWeightWhereItIs) {
  const Scenario leg = generated("jansen");
  PathOptions options;
  options.kind = PathKind::weight;
  options.to = 2.0;
  const PathResult found = follow_path(leg.model, options);
  ASSERT_TRUE(found.complete) << found.reason;
  EXPECT_EQ(found.points.back().p, 2.0);
  EXPECT_TRUE(found.events.empty());
  for (std::size_t i = 0; i < leg.model.nodes.size(); ++i)
    EXPECT_LT((found.model.nodes[i].position - leg.model.nodes[i].position).norm(), 1e-12);
}

}  // namespace
}  // namespace taut::testing
