// A draft is the model that the file with the same words would give, however it came about; its keys are those of --set.
#include "taut/file/draft.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/generators/generators.h"
#include "tests/support/complaint.h"
#include "tests/support/models.h"

namespace taut::testing {
namespace {

const std::string models = TAUT_SOURCE_DIR "/models/";

TEST(Draft, SettingIsWhatSetIsOnTheCommandLine) {
  const std::string file = models + "six_bar_rolling.toml";
  Draft draft = Draft::from_file(file);
  EXPECT_TRUE(draft.scenario() == read_scenario(file));
  draft.set("cables.*.stiffness", {800.0});
  draft.set({{"environment.gravity", {List{{0.0}, {0.0}, {-1.62}}}}, {"simulation.duration", {std::int64_t{2}}}});
  EXPECT_TRUE(draft.scenario() ==
              read_scenario(
                  file, {"cables.*.stiffness=800.0", "environment.gravity=[0.0,0.0,-1.62]", "simulation.duration=2"}));
  // The last one counts.
  draft.set("cables.*.stiffness", {900.0});
  EXPECT_EQ(draft.scenario().model.cables.front().law.stiffness, 900.0);
  EXPECT_EQ(draft.values().size(), 3u);
}

TEST(Draft, ARefusedValueChangesNothing) {
  Draft draft = Draft::generated("six_bar", {});
  const Scenario before = draft.scenario();
  for (const auto& [key, value, part] :
       {std::tuple("cables.*.stifness", 1.0, "did you mean \"stiffness\""),
        std::tuple("cables.*.stiffness", -1.0, "stiffness"), std::tuple("cables.nowhere.stiffness", 1.0, "nowhere"),
        std::tuple("", 1.0, "is not a key")})
    expect_says(complaint([&, k = key, v = value] { draft.set(k, {v}); }), part);
  EXPECT_THROW(draft.set({{"cables.*.stiffness", {700.0}}, {"cables.*.damping", {-1.0}}}), InputError);
  EXPECT_TRUE(draft.scenario() == before);
  EXPECT_TRUE(draft.values().empty());
}

TEST(Draft, GetGivesWhatTheModelHas) {
  Draft draft = Draft::generated("six_bar", {{"length", {2.0}}, {"stiffness", {400.0}}});
  EXPECT_EQ(*draft.get("cables.n1-n5.stiffness")->number(), 400.0);
  EXPECT_EQ(draft.get("cables.*.stiffness")->list()->size(), 24u);
  EXPECT_EQ(*draft.get("nodes.n1.at.x")->number(), draft.scenario().model.nodes[0].position[0]);
  EXPECT_EQ(*draft.get("bars.0.mass")->number(), 1.0);
  EXPECT_EQ(*draft.get("simulation.integrator")->text(), "auto");
  draft.set("simulation.integrator", {std::string("rk4")});
  EXPECT_EQ(*draft.get("simulation.integrator")->text(), "rk4");
  // Of a member, not of those that a file would have beside it.
  draft.set("cables.n3-n7.damping_model", {std::string("vector")});
  for (const std::string name : {"n1-n5", "n3-n7", "n3-n8"})
    EXPECT_EQ(draft.get("cables." + name + ".damping_model").has_value(), name == "n3-n7") << name;
  EXPECT_EQ(*draft.get("cables.n3-n8.nodes")->list()->at(1).text(), "n8");
  EXPECT_EQ(*draft.get("bars.2.name")->text(), "n5-n6");
  EXPECT_EQ(*draft.get("name")->text(), "six-bar robot");
  EXPECT_FALSE(draft.get("cables.n1-n5.yield"));
  expect_says(complaint([&] { draft.get("cables.n1-n50.stiffness"); }), "there is no \"n1-n50\"");
  expect_says(complaint([&] { draft.get("cables.*.stifness"); }), "did you mean");
  expect_says(complaint([&] { draft.get("cables"); }), "cables.NAME.key");
}

// Entity by entity it is the file that holds the same tables.
TEST(Draft, AddingIsWriting) {
  const auto vector = [](double x, double y, double z) { return Value{List{{x}, {y}, {z}}}; };
  const auto table = [](std::vector<std::pair<std::string, Value>> items) {
    Table t;
    for (auto& [key, value] : items) t.add(key, std::move(value));
    return t;
  };
  const Value ends{List{{std::string("a")}, {std::string("b")}}};
  Draft draft;
  draft.add("bars", "", table({{"nodes", ends}, {"mass", {0.5}}}));  // its nodes may come later
  draft.add("nodes", "a", table({{"at", vector(0, 0, 0)}, {"fixed", {true}}}));
  draft.add("nodes", "b", table({{"at", vector(1, 0, 0)}}));
  draft.set("environment.gravity", vector(0, 0, -9.81));
  EXPECT_TRUE(draft.scenario() == read_scenario_text(R"(
[environment]
gravity = [0, 0, -9.81]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = [1, 0, 0]
[[bars]]
nodes = ["a", "b"]
mass = 0.5
)",
                                                     "model"));
  expect_says(complaint([&] { draft.add("bar", "", {}); }), "did you mean \"bars\"");
  expect_says(complaint([&] { draft.add("bars", "", table({{"masss", {1.0}}})); }), "did you mean \"mass\"");
  expect_says(complaint([&] { draft.add("nodes", "a", table({{"at", vector(0, 0, 0)}})); }), "exists already");
  draft.add("bars", "", table({{"nodes", Value{List{{std::string("b")}, {std::string("c")}}}}, {"mass", {0.5}}}));
  expect_says(complaint([&] { draft.scenario(); }), "there is no node \"c\"");
}

// What a draft is made of makes it again; what is made from a scenario too.
TEST(Draft, IsItsParts) {
  Draft draft = Draft::from_text(model_text("prism"), "prism.toml");
  draft.set("cables.*.damping", {2.0});
  const Draft again = Draft::from_parts(draft.text(), draft.name(), draft.added(), draft.values());
  EXPECT_TRUE(again.scenario() == draft.scenario());
  Draft found = Draft::from_scenario(draft.scenario());
  EXPECT_TRUE(found.scenario() == draft.scenario());
  found.set("cables.*.damping", {3.0});
  EXPECT_EQ(found.scenario().model.cables.front().law.damping, 3.0);
  const Draft copy = Draft::from_parts(found.text(), found.name(), found.added(), found.values());
  EXPECT_TRUE(copy.scenario() == found.scenario());
  EXPECT_EQ(draft.with({{"simulation.duration", {7.0}, "duration=7.0"}}).simulation.duration, 7.0);
  EXPECT_NE(draft.scenario().simulation.duration, 7.0);
}

// Another word for a parameter is the same parameter, in a file and in a call.
TEST(Draft, ALengthOfRodsHasTwoNames) {
  const Draft a = Draft::generated("six_bar", {{"rod_length", {2.0}}}),
              b = Draft::generated("six_bar", {{"length", {2.0}}});
  EXPECT_TRUE(a.scenario() == b.scenario());
  const Generator& six = *find_generator("six_bar");
  EXPECT_TRUE(generate(six, {{"rod_length", 2.0}}) == generate(six, {{"length", 2.0}}));
  EXPECT_THROW(generate(six, {{"rod_length", 2.0}, {"length", 2.0}}), InputError);
  expect_says(complaint([] {
                Draft::generated("six_bar", {{"rod_length", {2.0}}, {"length", {1.0}}});
              }),
              "another word for length");
}

// One level for each part would be more than any stack holds.
TEST(Draft, RefusesKeysThatAreTooDeep) {
  Draft draft = Draft::generated("prism", {});
  std::string key = "environment";
  for (int i = 0; i < 200000; ++i) key += ".a";
  for (const auto& use : std::vector<std::function<void()>>{[&] { draft.set(key, {1.0}); },
                                                            [&] {
                                                              draft.with({{key, {1.0}, "typed"}});
                                                            }})
    expect_says(complaint(use), "more than 100 levels deep");
  EXPECT_NE(complaint([&] { draft.get(key); }), "");
}

TEST(Draft, NamesTheParametersOfItsGenerator) {
  const Draft draft = Draft::generated("prism", {{"damping", {3.0}}});
  EXPECT_EQ(*draft.get("generate.damping")->number(), 3.0);
  EXPECT_FALSE(draft.get("generate.radius"));  // known, and not given
  expect_says(complaint([&] { draft.get("generate.dampign"); }), "did you mean \"damping\"");
}

}  // namespace
}  // namespace taut::testing
