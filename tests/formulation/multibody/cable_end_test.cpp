// Ends of cables that are bodies: without mass they change nothing, with inertia they swing and turn with the cable, and
// joints of any kind fasten them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/file/write/write_toml.h"
#include "tests/file/model_support.h"
#include "tests/support/columns.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// A pulley of radius r that does not turn, and on its cable a body of mass m and inertia I that turns with the cable: no
// other force does work, so (m r² φ² + I) φ̇² is kept, with φ the angle unwrapped. As a ball on a hook the same body does
// not turn, and m r² φ² φ̇² is kept.
TEST(CableEnd, TurnsWithTheCable) {
  const double r = 0.2, m = 0.5, I = 0.4 * m * 0.3 * 0.3;
  for (const bool own_end : {true, false}) {
    const Scenario s = read_scenario_text(
        fmt::format(R"(environment.gravity = [0, 0, 0]
simulation.duration = 2.0
nodes.hook = [0.2, 0, -1]
[[bodies]]
name = "bob"
nodes = ["hook"]
shape = "sphere"
centre = [0.2, 0, -1]
radius = 0.3
mass = 0.5
velocity = [0.4, 0, 0]
{0}
[[pulleys]]
name = "rope"
body = "ground"
centre = [0, 0, 0]
axis = [0, -1, 0]
radius = 0.2
to = "hook"
variant = "rigid"
{1}
)",
                    own_end ? "angular_velocity = [0, -0.4, 0]" : "", own_end ? "end = \"bob\"" : ""),
        "bob.toml");
    EXPECT_EQ(read_scenario_text(to_toml(s), "again.toml"), s);
    const Motion motion = run(s, "dopri5", 1e-12);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    const auto kept = [&](const Sample& row) {
      const double phi = joint_value(s, row, "rope.phi"), rate = joint_value(s, row, "rope.phi_rate");
      return (m * r * r * phi * phi + (own_end ? I : 0.0)) * rate * rate;
    };
    EXPECT_NEAR(joint_value(s, motion.rows.front(), "rope.phi"), 5.0, 1e-12);
    EXPECT_NEAR(std::abs(joint_value(s, motion.rows.front(), "rope.phi_rate")), 0.4, 1e-12);
    EXPECT_GT(std::abs(joint_value(s, motion.last(), "rope.phi") - 5.0), 0.5);
    for (const Sample& row : motion.rows) ASSERT_NEAR(kept(row), kept(motion.rows.front()), 1e-11) << row.t;
    EXPECT_NEAR(motion.last().energy[kinetic], 0.5 * kept(motion.last()), 1e-11);
  }
}

constexpr const char* slider = R"(simulation.duration = 1.0
nodes.eye = {{ at = [1, 0, 0] }}
[[bodies]]
name = "cart"
nodes = ["eye"]
shape = "box"
size = [0.1, 0.1, 0.1]
centre = [1, 0, 0]
mass = 2
[[bodies]]
name = "drum"
shape = "cylinder"
centre = [0, 0, 0.5]
axis = [0, 1, 0]
length = 0.1
radius = 0.1
mass = 1
[[joints]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
axis = [1, 0, 0]
[[joints]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "drum"]
at = [0, 0, 0.5]
axis = [0, 1, 0]
velocity = -0.5
[[pulleys]]
name = "rope"
body = "drum"
centre = [0, 0, 0.5]
axis = [0, -1, 0]
radius = 0.1
to = "eye"
EA = 500
strain = 0.01
{}
)";

std::string end_body(double mass) {
  const std::string inertia = mass > 0.0 ? fmt::format("inertia = [{0}, {0}, {0}]", 0.01 * mass) : "";
  return fmt::format(R"(end = "shackle"
[[bodies]]
name = "shackle"
nodes = ["eye"]
centre = [1, 0, 0]
mass = {}
{}
)",
                     mass, inertia);
}

Motion motion_of(const Scenario& s) { return run(s, "dopri5", 1e-11); }

// Without mass, on a ball or on a pin across the plane of motion, it is the end that every cable has.
TEST(CableEnd, WithoutMassItChangesNothing) {
  const auto read = [](const std::string& more) { return read_scenario_text(fmt::format(slider, more), "cart.toml"); };
  const Scenario plain = read(""), ball = read(end_body(0.0)), pin = read(end_body(0.0) + R"([[joints]]
name = "pin"
kind = "revolute"
bodies = ["cart", "shackle"]
at = "eye"
axis = [0, 1, 0]
)");
  const Motion reference = motion_of(plain);
  ASSERT_EQ(reference.summary.status, RunStatus::done) << reference.summary.reason;
  EXPECT_GT(std::abs(position(reference.last(), 0).x() - 1.0), 0.01);
  for (const Scenario& s : {ball, pin}) {
    const Motion motion = motion_of(s);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    EXPECT_LT(distance(motion.last(), reference.last()), 1e-9);
  }
  // The pin's angle is the turn of the cable.
  const Motion motion = motion_of(pin);
  const auto direction = [&](const Sample& row) {
    const double phi = joint_value(pin, row, "rope.phi"), drum = joint_value(pin, row, "bearing.angle");
    return drum - phi;  // about +y; the pulley's own axis is -y
  };
  EXPECT_NEAR(joint_value(pin, motion.last(), "pin.angle"), direction(motion.last()) - direction(motion.rows.front()),
              1e-9);
}

// A joint with properties of its own: a spring and a damper in the pin are in the balance of energy, and a spring that is
// very stiff beside the cable's pull across the shackle holds it still, as a fixed joint does that bends the cable's end.
TEST(CableEnd, JointsHaveTheirOwnProperties) {
  const auto read = [](const std::string& keys) {
    return read_scenario_text(fmt::format(slider, end_body(0.05) + R"([[joints]]
name = "pin"
kind = "revolute"
bodies = ["cart", "shackle"]
at = "eye"
axis = [0, 1, 0]
)" + keys),
                              "cart.toml");
  };
  const Scenario free = read(""), sprung = read("stiffness = 2.0\ndamping = 0.1");
  const Motion loose = motion_of(free), held = motion_of(sprung);
  for (const Motion* motion : {&loose, &held}) {
    ASSERT_EQ(motion->summary.status, RunStatus::done) << motion->summary.reason;
    EXPECT_LT(motion->summary.energy_drift, 1e-8);
  }
  EXPECT_GT(distance(loose.last(), held.last()), 1e-4);
  EXPECT_EQ(loose.last().energy[dissipated], 0.0);
  EXPECT_GT(held.last().energy[dissipated], 1e-6);
}

TEST(CableEnd, FaultyEndsAreRefused) {
  const auto problem = [](const std::string& more) -> std::string {
    try {
      read_scenario_text(fmt::format(slider, more), "cart.toml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  std::string misspelt = end_body(0.1);
  misspelt.replace(misspelt.find("shackle"), 7, "shackel");
  EXPECT_NE(problem(misspelt).find("did you mean \"shackle\""), std::string::npos) << problem(misspelt);
  EXPECT_NE(problem("end = \"ground\"").find("expected a body"), std::string::npos);
  EXPECT_NE(problem("end = \"drum\"").find("does not ride on"), std::string::npos) << problem("end = \"drum\"");
}

}  // namespace
}  // namespace taut::testing
