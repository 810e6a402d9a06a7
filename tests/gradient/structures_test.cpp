// Gradients of whole structures: against central differences of the same runs, formulation against formulation, with
// many switches and contacts, and where symmetry makes switches fall together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "taut/file/draft.h"
#include "taut/gradient/sensitivity.h"
#include "taut/run/simulate.h"
#include "taut/sweep/measure.h"
#include "tests/support/complaint.h"

namespace taut {
namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

Value list_of(double x, double y, double z) { return {List{{x}, {y}, {z}}}; }

Draft by_dopri5(Draft draft, double duration, const Settings& values) {
  draft.set({{"simulation.integrator", {"dopri5"}},
             {"simulation.tolerance", {1e-12}},
             {"simulation.duration", {duration}},
             {"simulation.output_step", {0.02}}});
  draft.set(values);
  return draft;
}

Draft prism(double duration, const Settings& values) {
  return by_dopri5(Draft::generated("prism", {}), duration, values);
}

// An outcome of the ordinary run, with a value of its own under a key.
double measured(const Draft& draft, const std::string& outcome, const std::string& key, double value) {
  Scenario scenario = draft.with({{key, Value{value}, key}});
  SweepFile sweep;
  sweep.records.push_back({outcome, outcome, {}});
  Measure measure(sweep, scenario);
  measure.prepare({}, nullptr);
  simulate(scenario, {&measure});
  return measure.records().front();
}

// The same of a run that lands on touches, as a gradient has it: the ordinary one steps over them within its tolerance,
// which is too coarse for differences.
double measured_by_landing(const Draft& draft, const std::string& outcome, const std::string& key, double value) {
  Draft moved = draft;
  moved.set(key, {value});
  return sensitivity(moved, {"environment.gravity.x"}, {outcome}).outcomes[0].value;
}

// Central differences of runs over three pairs, of order 6: what taut itself never does.
double by_runs(const Draft& draft, const std::string& outcome, const std::string& key, double value, double step) {
  const bool lands = draft.scenario().model.ground.has_value();
  const auto at = [&](double v) {
    return lands ? measured_by_landing(draft, outcome, key, v) : measured(draft, outcome, key, v);
  };
  const auto pair = [&](double off) { return at(value + off * step) - at(value - off * step); };
  return (45.0 * pair(1) - 9.0 * pair(2) + pair(3)) / (60.0 * step);
}

// The runs are accurate to 1e-12 of the outcome or a little more, and their differences to that over the step.
void expect_as_by_runs(const Draft& draft, const std::vector<std::string>& keys, const std::string& outcome,
                       double relative_step, double near) {
  const Sensitivity s = sensitivity(draft, keys, {outcome});
  for (std::size_t i = 0; i < s.parameters.size(); ++i) {
    const auto& [key, value] = s.parameters[i];
    const double size = value != 0.0 ? std::abs(value) : 1.0,
                 by = by_runs(draft, outcome, key, value, relative_step * size),
                 noise = 1e-11 * std::abs(s.outcomes[0].value) / (relative_step * size);
    EXPECT_NEAR(s.outcomes[0].by[i], by, near * std::abs(by) + noise) << outcome << " by " << key;
  }
}

long count(const Sensitivity& s, const std::string& kind) {
  return std::count_if(s.switches.begin(), s.switches.end(), [&](const auto& event) { return event.kind == kind; });
}

// --- Against differences of runs

// Taut all the time: nothing but the flow itself.
TEST(Gradient, OfASmoothRunIsThatOfItsDifferences) {
  const Draft draft = prism(0.3, {{"nodes.b1.velocity", list_of(0.3, 0.0, 0.2)}, {"cables.*.damping", {5.0}}});
  const std::vector<std::string> keys = {"cables.a1-a2.stiffness", "cables.a1-b2.damping", "bars.0.mass",
                                         "cables.b1-b2.rest_length", "nodes.b1.velocity.z"};
  for (const char* outcome : {"last(nodes.b2.x)", "integral(sum(cables.*.tension))", "last(energy.kinetic)",
                              "mean(nodes.a1.speed^2)", "last(bars.a1-b1.force)"})
    expect_as_by_runs(draft, keys, outcome, 3e-3, 1e-8);
  EXPECT_TRUE(sensitivity(draft, keys, {"last(nodes.b2.x)"}).switches.empty());
}

TEST(Gradient, OfEnergiesThatAreIntegralsIsThatOfDifferencesOfRuns) {
  Draft draft = prism(0.3, {{"nodes.b1.velocity", list_of(0.3, 0.0, 0.2)}, {"cables.*.damping", {5.0}}});
  Table winding, actuator;
  winding.add("kind", {"sine"});
  winding.add("mean", {0.84});
  winding.add("amplitude", {0.02});
  winding.add("period", {0.2});
  actuator.add("cable", {"a1-a2"});
  actuator.add("rest_length", {winding});
  draft.add("actuators", "", actuator);
  const std::vector<std::string> keys = {"cables.a1-b2.damping", "bars.0.mass", "actuators.0.rest_length.amplitude"};
  for (const char* outcome : {"last(energy.dissipated)", "last(energy.work)"})
    expect_as_by_runs(draft, keys, outcome, 3e-3, 1e-8);
}

// A ball of six bars that is dropped loosely: cables go slack and taut, nodes strike the ground.
TEST(Gradient, ThroughTenSwitchesAndFiveContactsIsThatOfDifferences) {
  const Draft draft = by_dopri5(Draft::generated("six_bar", {{"pretension", {4.0}}, {"stiffness", {400.0}}}), 0.7,
                                {{"environment.gravity", list_of(0.0, 0.0, -9.81)},
                                 {"environment.ground.height", {-0.75}},
                                 {"environment.ground.stiffness", {4000.0}},
                                 {"environment.ground.damping", {20.0}},
                                 {"environment.ground.beta", {2e-3}},
                                 {"environment.ground.friction", {0.5}},
                                 {"environment.ground.slip_speed", {0.2}},
                                 {"cables.*.damping", {6.0}},
                                 {"nodes.n1.velocity", list_of(0.1, 0.2, 0.3)}});
  const std::vector<std::string> keys = {"bars.2.mass", "environment.ground.height"};
  const Sensitivity s = sensitivity(draft, keys, {"last(nodes.n3.x)"});
  EXPECT_GE(count(s, "slack") + count(s, "taut"), 10);
  EXPECT_GE(count(s, "touch") + count(s, "lift"), 5);
  EXPECT_TRUE(s.corners.empty());
  expect_as_by_runs(draft, keys, "last(nodes.n3.x)", 1e-4, 1e-6);
  expect_as_by_runs(draft, {"bars.2.mass"}, "last_time(went_taut)", 1e-4, 1e-6);
}

// --- Formulation against formulation

TEST(Gradient, IsTheSameInEveryFormulation) {
  const Settings values = {{"nodes.*.velocity", list_of(0.0, 0.0, 0.0)},
                           {"nodes.b1.velocity", list_of(8.0, 0.0, 4.0)},
                           {"cables.*.damping", {3.0}},
                           {"bars.*.axial_inertia", {0.0}}};
  const std::vector<std::string> keys = {"cables.a1-a2.stiffness", "cables.a1-b2.damping", "bars.0.mass", "nodes.b3.at",
                                         "nodes.b1.velocity.y"};
  std::vector<Sensitivity> found;
  for (const char* formulation : {"nodal", "minimal", "quaternion"}) {
    Settings all = values;
    all.emplace_back("simulation.formulation", Value{formulation});
    found.push_back(sensitivity(prism(0.25, all), keys, {"last(nodes.b2.x)", "max(cables.a1-a2.tension)"}));
    EXPECT_GE(count(found.back(), "slack"), 2);
    ASSERT_EQ(found.back().switches.size(), found.front().switches.size());
  }
  for (std::size_t k = 1; k < found.size(); ++k)
    for (std::size_t p = 0; p < found[0].parameters.size(); ++p) {
      for (std::size_t o = 0; o < 2; ++o) {
        const double by = found[0].outcomes[o].by[p];
        EXPECT_NEAR(found[k].outcomes[o].by[p], by, 1e-8 * (1.0 + std::abs(by))) << found[0].parameters[p].key;
      }
      for (std::size_t e = 0; e < found[0].switches.size(); ++e)
        EXPECT_NEAR(found[k].switches[e].by[p], found[0].switches[e].by[p],
                    1e-8 * (1.0 + std::abs(found[0].switches[e].by[p])));
    }
}

// --- Symmetry

// A prism with loose cables that spins: rings and verticals go taut in threes, and their dampers take hold at once.
TEST(Gradient, ThroughSwitchesThatFallTogetherIsThatOfDifferences) {
  Settings values = {{"cables.*.damping", {4.0}},          {"cables.a1-a2.rest_length", {0.88}},
                     {"cables.a2-a3.rest_length", {0.88}}, {"cables.a3-a1.rest_length", {0.88}},
                     {"cables.b1-b2.rest_length", {0.88}}, {"cables.b2-b3.rest_length", {0.88}},
                     {"cables.b3-b1.rest_length", {0.88}}, {"cables.a1-b2.rest_length", {1.06}},
                     {"cables.a2-b3.rest_length", {1.06}}, {"cables.a3-b1.rest_length", {1.06}}};
  Draft draft = prism(0.35, values);
  for (const char* node : {"a1", "a2", "a3", "b1", "b2", "b3"}) {
    const auto at = draft.get(std::string("nodes.") + node + ".at");
    const double x = *(*at->list())[0].number(), y = *(*at->list())[1].number();
    draft.set(std::string("nodes.") + node + ".velocity", list_of(-3.0 * y, 3.0 * x, 0.0));
  }
  // By a number of one cable, and by one of all alike: of the environment.
  const std::vector<std::string> keys = {"cables.a1-a2.rest_length", "cables.a1-a2.damping", "nodes.b1.velocity.z"};
  const Sensitivity s = sensitivity(draft, keys, {"last(nodes.b2.z)"});
  EXPECT_GE(count(s, "taut"), 6);
  EXPECT_EQ(count(s, "taut") % 3, 0);
  long together = 0;
  for (std::size_t i = 0; i + 1 < s.switches.size(); ++i)
    together += std::abs(s.switches[i].time - s.switches[i + 1].time) < 1e-9;
  EXPECT_GE(together, 4);
  EXPECT_TRUE(s.corners.empty());
  expect_as_by_runs(draft, keys, "last(nodes.b2.z)", 1e-5, 1e-6);
}

// --- What a key may be

TEST(Gradient, SpellsOutPatternsVectorsAndKnots) {
  Draft draft = Draft::from_text(R"(
[nodes]
top = { at = [0, 0, 0], fixed = true }
mass = { at = [0, 0, -1.1], mass = 1.0 }
[[cables]]
nodes = ["top", "mass"]
name = "c"
stiffness = 300.0
rest_length = 1.0
damping = 2.0
[[actuators]]
cable = "c"
rest_length = { kind = "table", t = [0.0, 0.2, 0.3], values = [1.0, 1.05, 0.9] }
[simulation]
integrator = "dopri5"
tolerance = 1e-12
duration = 0.5
)",
                                 "m");
  const Sensitivity s = sensitivity(
      draft, {"nodes.top.at", "actuators.0.rest_length.values", "actuators.0.rest_length.t.1", "cables.*.stiffness"},
      {"last(nodes.mass.z)", "last(nodes.mass.x)"});
  std::vector<std::string> names;
  for (const auto& number : s.parameters) names.push_back(number.key);
  EXPECT_EQ(names, (std::vector<std::string>{"nodes.top.at.x", "nodes.top.at.y", "nodes.top.at.z",
                                             "actuators.0.rest_length.values.0", "actuators.0.rest_length.values.1",
                                             "actuators.0.rest_length.values.2", "actuators.0.rest_length.t.1",
                                             "cables.c.stiffness"}));
  const auto differences = [](const std::function<double(double)>& f) {
    const double step = 1e-3;
    const auto pair = [&](double off) { return f(off * step) - f(-off * step); };
    return (45.0 * pair(1) - 9.0 * pair(2) + pair(3)) / (60.0 * step);
  };
  const auto end = [](const Draft& moved, int axis) { return simulate(moved.scenario()).nodes(50)(axis, 1); };
  for (const int axis : {0, 2}) {
    const double by = differences([&](double off) {
      Draft moved = draft;
      moved.set(std::string("nodes.top.at.") + "xyz" [axis], { off });
      return end(moved, axis);
    });
    EXPECT_NEAR(s.outcomes[axis == 0 ? 1 : 0].by[static_cast<std::size_t>(axis)], by, 1e-7 * std::abs(by));
  }
  // A knot of the values, and of the times, at which the rate jumps.
  for (const auto& [key, parameter] : {std::pair{"values", std::size_t{4}}, {"t", std::size_t{6}}}) {
    const std::string list_key = std::string("actuators.0.rest_length.") + key;
    const double by = differences([&](double off) {
      Draft moved = draft;
      List list = *draft.get(list_key)->list();
      list[1] = Value{*list[1].number() + off};
      moved.set(list_key, {list});
      return end(moved, 2);
    });
    EXPECT_NEAR(s.outcomes[0].by[parameter], by, 1e-7 * std::abs(by)) << key;
  }
}

TEST(Gradient, KeepsTheMotionOfNodes) {
  const Draft draft = prism(0.1, {{"nodes.b1.velocity", list_of(0.3, 0.0, 0.2)}});
  SensitivityOptions options;
  options.motion = true;
  const Sensitivity s = sensitivity(draft, {"bars.0.mass", "nodes.b1.velocity.x"}, {"last(nodes.b2.x)"}, options);
  ASSERT_EQ(s.motion.t.size(), 6u);
  ASSERT_EQ(s.motion.nodes.size(), 2u);
  ASSERT_EQ(s.motion.nodes[0].size(), 6u * 18u);
  const std::size_t at = 5 * 18 + 3 * 4;
  EXPECT_NEAR(s.motion.nodes[0][at], s.outcomes[0].by[0], 1e-12);
  EXPECT_NEAR(s.motion.nodes[1][at], s.outcomes[0].by[1], 1e-12);
}

TEST(Gradient, SaysWhatIsWrong) {
  const Draft draft = prism(0.1, {});
  const auto refused = [&](const Draft& model, const std::vector<std::string>& keys, const std::string& outcome) {
    return testing::complaint([&] { sensitivity(model, keys, {outcome}); });
  };
  EXPECT_NE(refused(draft, {"cables.*.stifness"}, "last(nodes.a1.x)").find("did you mean \"stiffness\"?"),
            std::string::npos);
  EXPECT_EQ(refused(draft, {"simulation.integrator"}, "last(nodes.a1.x)"),
            "simulation.integrator: is \"dopri5\": expected a number");
  EXPECT_EQ(refused(draft, {"bars.0.mass", "bars.0.mass"}, "last(nodes.a1.x)"), "bars.0.mass: is there twice");
  EXPECT_EQ(refused(draft, {"generate.bars"}, "last(nodes.a1.x)").substr(0, 14), "generate.bars:");
  EXPECT_NE(refused(draft, {"bars.0.mass"}, "nodes.a1.x").find("changes with time"), std::string::npos);
  EXPECT_NE(refused(draft, {"bars.0.mass"}, "last(nodes.a9.x)").find("a9"), std::string::npos);
  Draft hard = draft;
  hard.set({{"environment.ground.law", {"rigid"}}});
  EXPECT_NE(refused(hard, {"bars.0.mass"}, "last(nodes.a1.x)").find("impulses"), std::string::npos);
}

}  // namespace
}  // namespace taut
