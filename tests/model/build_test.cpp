// Models made in C++ are those that the file with the same numbers gives.
#include "taut/model/build.h"

#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/check/check.h"

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
