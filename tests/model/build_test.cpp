// Models made in C++ are those that the file with the same numbers gives.
#include "taut/model/build.h"

#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/check/check.h"
#include "taut/model/shape/joint_frame.h"

namespace taut {
namespace {

TEST(Build, IsTheFileWithTheSameNumbers) {
  Scenario built;
  Model& m = built.model;
  m.name = "m";
  const int a = add_node(m, "a", {0, 0, 0}), b = add_node(m, "b", {0, 0, 1}),
            c = add_node(m, "c", {1, 0, 1}, {.mass = 0.5});
  add_support(m, a);
  add_support(m, c, {false, true, false});
  add_bar(m, a, b, {.mass = 2.0});
  add_bar(m, b, c, {.mass = 1.0, .EA = 1e5});
  add_cable(m, {a, c}, {.stiffness = 500, .rest_length = 1.2, .damping = 3});
  const int pulled = add_cable(m, {a, b, c}, {.EA = 800.0, .tension = 20.0, .name = "pulled"});
  add_cable(m, {a, c}, {.stiffness = 100, .rest_length = 1.3});
  add_actuator(m, pulled, step_signal(1.9, 1.8, 0.5));
  add_load(m, b, {1, 0, 0}, 0.0, 0.1);
  m.ground = Ground{.height = -2.0};
  EXPECT_NO_THROW(validate(m));

  const Scenario read = read_scenario_text(R"(bars = [
  { nodes = ["a", "b"], mass = 2.0 },
  { nodes = ["b", "c"], mass = 1.0, EA = 1e5 },
]
cables = [
  { nodes = ["a", "c"], stiffness = 500, damping = 3, rest_length = 1.2 },
  { name = "pulled", nodes = ["a", "b", "c"], EA = 800, pretension = 20 },
  { nodes = ["a", "c"], stiffness = 100, rest_length = 1.3 },
]
actuators = [{ cable = "pulled", rest_length = { kind = "step", before = 1.9, after = 1.8, at = 0.5 } }]
loads = [{ node = "b", force = [1, 0, 0], to = 0.1 }]
[environment]
ground = { height = -2.0 }
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [0, 0, 1] }
c = { at = [1, 0, 1], mass = 0.5, fixed = ["y"] }
)",
                                           "m.toml");
  EXPECT_EQ(to_toml(built), to_toml(read));
}

// A wheel on the ground that is turned, a bar that swings on it, and a slide with a force.
TEST(Build, IsTheFileWithTheSameMachine) {
  Scenario built;
  Model& m = built.model;
  built.simulation.formulation = "multibody";
  m.name = "m";
  const int hub = add_node(m, "hub", {0, 0, 0}), rim = add_node(m, "rim", {0.2, 0, 0}),
            tip = add_node(m, "tip", {0.2, 0, -1}), block = add_node(m, "block", {1, 0, 0});
  add_bar(m, rim, tip, {.mass = 0.5, .name = "rod", .axial_inertia = 0.001});
  Body& wheel = m.bodies.emplace_back();
  wheel.name = "wheel";
  wheel.nodes = {hub};
  wheel.mass = 2.0;
  wheel.inertia = Vec3(0.02, 0.04, 0.02).asDiagonal();
  Body& slider = m.bodies.emplace_back();
  slider.name = "slider";
  slider.nodes = {block};
  slider.mass = 1.0;
  slider.centre = {1, 0, 0};
  slider.inertia = Vec3(0.1, 0.1, 0.1).asDiagonal();
  const Mat3 about_y = frame_about(Vec3::UnitY());
  add_joint(m, "shaft", JointType::revolute, ground_carrier(), body_carrier(m, "wheel"), {0, 0, 0}, about_y);
  add_joint(m, "pin", JointType::revolute, body_carrier(m, "wheel"), bar_carrier(m, "rod"), {0.2, 0, 0}, about_y);
  add_joint(m, "rail", JointType::prismatic, ground_carrier(), body_carrier(m, "slider"), {1, 0, 0},
            frame_about(Vec3::UnitX()));
  drive_position(m, 0, ramp_signal(0.0, 1.5, 0.0, 2.0));
  drive_torque(m, 1, constant_signal(0.25));
  drive_torque(m, 2, step_signal(0.0, 3.0, 0.5));
  EXPECT_NO_THROW(validate(m));
  EXPECT_THROW(body_carrier(m, "weel"), InputError);

  const Scenario read =
      read_scenario_text(R"(bars = [{ name = "rod", nodes = ["rim", "tip"], mass = 0.5, axial_inertia = 0.001 }]
bodies = [
  { name = "wheel", nodes = ["hub"], mass = 2.0, inertia = [0.02, 0.04, 0.02] },
  { name = "slider", nodes = ["block"], mass = 1.0, inertia = [0.1, 0.1, 0.1] },
]
joints = [
  { name = "shaft", kind = "revolute", bodies = ["ground", "wheel"], at = [0, 0, 0], axis = [0, 1, 0] },
  { name = "pin", kind = "revolute", bodies = ["wheel", "rod"], at = [0.2, 0, 0], axis = [0, 1, 0] },
  { name = "rail", kind = "prismatic", bodies = ["ground", "slider"], at = [1, 0, 0], axis = [1, 0, 0] },
]
actuators = [
  { joint = "shaft", position = { kind = "ramp", from = 0, to = 1.5, end = 2 } },
  { joint = "pin", torque = 0.25 },
  { joint = "rail", torque = { kind = "step", before = 0, after = 3, at = 0.5 } },
]
[nodes]
hub = [0, 0, 0]
rim = [0.2, 0, 0]
tip = [0.2, 0, -1]
block = [1, 0, 0]
)",
                         "m.toml");
  EXPECT_EQ(to_toml(built), to_toml(read));
}

TEST(Build, SaysWhatCannotBe) {
  Model m;
  const int a = add_node(m, {0, 0, 0}), b = add_node(m, {1, 0, 0});
  EXPECT_EQ(m.nodes[1].name, "n2");
  EXPECT_THROW(add_cable(m, {a, b}, {.stiffness = 10.0, .tension = -1.0}), InputError);
  EXPECT_THROW(bar_carrier(m, "rod"), InputError);
  add_bar(m, a, b, {.mass = -1.0});
  EXPECT_THROW(validate(m), InputError);
}

}  // namespace
}  // namespace taut
