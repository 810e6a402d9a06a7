// What a user can get wrong: every bad number is refused by its name, all of them at once, before anything is built.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "taut/base/error.h"
#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"
#include "tests/generators/statics.h"

namespace taut {
namespace {

std::vector<Problem> problems_of(const std::string& kind, const Parameters& parameters) {
  try {
    generate(*find_generator(kind), parameters);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

void expect_refused(const std::string& kind, const Parameters& parameters, const std::string& key,
                    const std::string& part_of_message) {
  const auto problems = problems_of(kind, parameters);
  ASSERT_EQ(problems.size(), 1u) << kind << " " << key;
  EXPECT_EQ(problems[0].key, key) << kind;
  EXPECT_NE(problems[0].message.find(part_of_message), std::string::npos) << kind << ": " << problems[0].message;
}

TEST(GeneratorInput, ListIsComplete) {
  const std::vector<std::string> kinds = {"prism",
                                          "six_bar",
                                          "tower",
                                          "class2_tower",
                                          "stacked",
                                          "twelve_bar",
                                          "expanded_octahedron",
                                          "truncated_tetrahedron",
                                          "truncated_cube",
                                          "truncated_octahedron",
                                          "truncated_dodecahedron",
                                          "truncated_icosahedron",
                                          "geodesic_sphere",
                                          "torus",
                                          "lander",
                                          "x_module",
                                          "d_bar",
                                          "t_bar",
                                          "pendulum",
                                          "double_pendulum",
                                          "net",
                                          "single_strut",
                                          "tensegrity_manipulator",
                                          "three_dof_mechanism",
                                          "michell",
                                          "cable_dome",
                                          "wheel",
                                          "cable_net",
                                          "bridge",
                                          "spine",
                                          "class2_arm",
                                          "jansen"};
  ASSERT_EQ(generators().size(), kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(generators()[i].kind, kinds[i]);
    EXPECT_EQ(find_generator(kinds[i]), &generators()[i]);
    EXPECT_FALSE(generators()[i].help.empty());
  }
  EXPECT_EQ(find_generator("prisma"), nullptr);
  EXPECT_EQ(find_generator(""), nullptr);
}

TEST(GeneratorInput, ParametersAreDescribedOnce) {
  for (const Generator& generator : generators()) {
    std::set<std::string> keys;
    for (const Parameter& parameter : generator.parameters) {
      EXPECT_TRUE(keys.insert(parameter.key).second) << generator.kind << " " << parameter.key;
      EXPECT_FALSE(parameter.help.empty()) << generator.kind << " " << parameter.key;
      EXPECT_NE(parameter.key, "kind");
    }
  }
}

TEST(GeneratorInput, UnknownParameter) {
  expect_refused("prism", {{"bar", 3}}, "bar", "is not a parameter of prism: expected one of bars, ");
  expect_refused("pendulum", {{"pretension", 3}}, "pretension",
                 "is not a parameter of pendulum: expected one of length, mass, angle, gravity");
}

// Every parameter of every kind: not a number, infinite, a fraction where whole numbers belong.
TEST(GeneratorInput, EveryNumberMustBeFiniteAndWholeWhereItCounts) {
  for (const Generator& generator : generators()) {
    for (const Parameter& parameter : generator.parameters) {
      expect_refused(generator.kind, {{parameter.key, std::nan("")}}, parameter.key, "finite");
      expect_refused(generator.kind, {{parameter.key, std::numeric_limits<double>::infinity()}}, parameter.key,
                     "finite");
      if (parameter.integer) {
        expect_refused(generator.kind, {{parameter.key, 3.5}}, parameter.key, "whole number, got 3.5");
      }
    }
  }
}

// Nothing but velocities, torques and angles may be negative, in any kind.
TEST(GeneratorInput, NegativeNumbers) {
  const std::set<std::string> signed_keys = {"velocity_x", "velocity_y", "velocity_z", "spin_x",  "spin_y", "spin_z",
                                             "torque_1",   "torque_2",   "torque_3",   "azimuth", "from_1", "from_2",
                                             "from_3",     "to_1",       "to_2",       "to_3"};
  for (const Generator& generator : generators()) {
    for (const Parameter& parameter : generator.parameters) {
      const auto& key = parameter.key;
      if (signed_keys.count(key) || (key == "angle" && generator.kind.ends_with("pendulum"))) {
        const double value = key.starts_with("from_") || key.starts_with("to_") ? -100.0 : -1.0;
        EXPECT_TRUE(problems_of(generator.kind, {{key, value}}).empty()) << generator.kind << " " << key;
      } else {
        expect_refused(generator.kind, {{key, -1}}, key, "got -1");
      }
    }
  }
}

TEST(GeneratorInput, ZeroWhereSomethingIsNeeded) {
  for (const Generator& generator : generators()) {
    for (const Parameter& parameter : generator.parameters) {
      const auto& key = parameter.key;
      if (key == "mass" || key == "pretension" || key == "stiffness" || key == "EA" || key == "length" ||
          key == "height" || key == "radius" || key == "bar_length" || key == "span" || key == "spacing") {
        const auto problems = problems_of(generator.kind, {{key, 0}});
        ASSERT_GE(problems.size(), 1u) << generator.kind << " " << key;
        EXPECT_EQ(problems[0].key, key) << generator.kind;
      }
    }
  }
}

TEST(GeneratorInput, CountsHaveLimits) {
  for (const char* kind : {"prism", "tower", "class2_tower"}) {
    expect_refused(kind, {{"bars", 2}}, "bars", "at least 3, got 2");
    expect_refused(kind, {{"bars", 1e12}}, "bars", "at most");
    expect_refused(kind, {{"fixed", 2}}, "fixed", "0 (no) or 1 (yes)");
  }
  for (const char* kind : {"tower", "class2_tower"}) {
    expect_refused(kind, {{"stages", 0}}, "stages", "at least 1");
    expect_refused(kind, {{"stages", 1e9}}, "stages", "at most");
  }
  for (const char* kind : {"d_bar", "t_bar"}) expect_refused(kind, {{"order", 20}}, "order", "at most");
  expect_refused("net", {{"nx", 1000}, {"ny", 1001}}, "ny", "at most 1000");
}

TEST(GeneratorInput, EitherOr) {
  expect_refused("prism", {{"radius", 1}, {"bar_length", 2}}, "bar_length", "not both");
  expect_refused("tower", {{"radius", 1}, {"bar_length", 2}}, "bar_length", "not both");
  for (const char* kind : {"prism", "six_bar", "tower", "class2_tower", "x_module", "d_bar", "t_bar", "net"}) {
    expect_refused(kind, {{"stiffness", 1e4}, {"EA", 1e4}}, "EA", "not both");
  }
}

TEST(GeneratorInput, BarShorterThanHeight) {
  expect_refused("prism", {{"bar_length", 1.0}, {"height", 1.0}}, "bar_length", "longer than the height 1 m");
  expect_refused("class2_tower", {{"bar_length", 0.5}}, "bar_length", "longer than the height 1 m, got 0.5 m");
}

// A rest length at or below zero: the stiffness cannot give the tension.
TEST(GeneratorInput, PretensionTooHigh) {
  for (const char* kind : {"prism", "six_bar", "tower", "class2_tower", "x_module", "d_bar", "t_bar", "net"}) {
    expect_refused(kind, {{"pretension", 1e6}}, "pretension", "rest length above 0");
    // EA stretches without limit.
    EXPECT_TRUE(problems_of(kind, {{"pretension", 1e6}, {"EA", 10}}).empty()) << kind;
  }
  // The limit is k l: √(3/8) m of 500 N/m.
  const double limit = 500.0 * std::sqrt(3.0 / 8.0);
  EXPECT_TRUE(problems_of("six_bar", {{"pretension", limit * (1 - 1e-9)}}).empty());
  expect_refused("six_bar", {{"pretension", limit * (1 + 1e-9)}}, "pretension", "too high");
  // So long that a stretch of 20/500 m drowns in the rounding of its places.
  expect_refused("six_bar", {{"length", 1e9}}, "pretension", "a strain above 1e-10");
  expect_refused("prism", {{"height", 1e9}}, "pretension", "a strain above 1e-10");
}

TEST(GeneratorInput, TowerThatCannotHold) {
  expect_refused("tower", {{"saddle", 8}}, "saddle", "would have to push");
  expect_refused("tower", {{"overlap", 0}}, "overlap", "between 0 and 1");
  expect_refused("tower", {{"overlap", 1}}, "overlap", "between 0 and 1");
  // Whatever is not refused pulls in every cable.
  int made = 0;
  for (int bars : {3, 4, 7}) {
    for (double overlap = 0.05; overlap < 1.0; overlap += 0.15) {
      for (double saddle = 0.1; saddle < 20.0; saddle *= 2.0) {
        const Parameters numbers = {
            {"bars", bars}, {"overlap", overlap}, {"saddle", saddle}, {"stages", 4}, {"stiffness", 1e4}};
        if (!problems_of("tower", numbers).empty()) continue;
        const auto forces = testing::forces_of(generate(*find_generator("tower"), numbers).model);
        EXPECT_LE(forces.imbalance, 1e-12 * forces.largest) << bars << " " << overlap << " " << saddle;
        for (double tension : forces.cables) ASSERT_GT(tension, 0.0) << bars << " " << overlap << " " << saddle;
        for (double force : forces.bars) ASSERT_LT(force, 0.0) << bars << " " << overlap << " " << saddle;
        ++made;
      }
    }
  }
  EXPECT_GT(made, 60);
}

TEST(GeneratorInput, AllProblemsAtOnce) {
  EXPECT_EQ(problems_of("tower", {{"bars", 2}, {"stages", 0}, {"mass", -1}, {"damping", -2}}).size(), 4u);
}

// Of every number, what is too large or too small to be multiplied is refused by its name.
TEST(GeneratorInput, SizesHaveLimits) {
  for (const Generator& generator : generators())
    for (const Parameter& parameter : generator.parameters)
      for (const double value : {1e-300, 1e-31, 1e31, 1e308})
        if (!parameter.integer)
          expect_refused(generator.kind, {{parameter.key, value}}, parameter.key, "must be 1e-30 to 1e+30 in size");
}

// What lies near those limits is refused in finite words, or made so that every cable has the tension it was made for:
// rounded rest lengths would leave it slack.
TEST(GeneratorInput, ExtremeNumbersAreMadeOrRefused) {
  int made = 0;
  for (const Generator& generator : generators()) {
    if (generator.kind == "geodesic_sphere") continue;  // is slow, and as the truncated solids
    for (const Parameter& parameter : generator.parameters)
      for (const double value : {1e-30, 1e-12, 1e12, 1e30}) {
        if (parameter.integer) continue;
        const std::string what = fmt::format("{} {} {}", generator.kind, parameter.key, value);
        try {
          const Scenario scenario = generate(generator, {{parameter.key, value}});
          const std::string text = to_toml(scenario);
          for (const char* word : {" nan", " inf", "-nan", "-inf"})
            EXPECT_EQ(text.find(word), std::string::npos) << what;
          for (const Cable& cable : scenario.model.cables) {
            const double stretch = start_length(scenario.model, cable) - cable.rest_length;
            ASSERT_GT(elastic_tension(cable.law, stretch, cable.rest_length), 0.0) << what << " " << cable.name;
          }
          for (const Bar& bar : scenario.model.bars) EXPECT_GT(start_length(scenario.model, bar), 0.0) << what;
          ++made;
        } catch (const InputError& error) {
          for (const Problem& problem : error.problems())
            for (const char* word : {"nan", "inf "})
              EXPECT_EQ(problem.message.find(word), std::string::npos) << what << ": " << problem.message;
        }
      }
  }
  EXPECT_GT(made, 300);
}

// Three sides and one ring: the cables outwards have no length along the radius, but for rounding.
TEST(GeneratorInput, DomesWithTooFewSides) {
  expect_refused("cable_dome", {{"sides", 3}, {"rings", 1}}, "sides", "too few for 1 rings");
  EXPECT_TRUE(problems_of("cable_dome", {{"sides", 4}, {"rings", 1}}).empty());
  EXPECT_TRUE(problems_of("cable_dome", {{"sides", 3}, {"rings", 1}, {"geiger", 1}}).empty());
}

// Numbers that overflow are caught rather than written.
TEST(GeneratorInput, OverflowIsRefused) {
  EXPECT_FALSE(problems_of("six_bar", {{"length", 1e200}}).empty());
  EXPECT_FALSE(problems_of("prism", {{"height", 1e-200}, {"radius", 1e-200}}).empty());
}

}  // namespace
}  // namespace taut
