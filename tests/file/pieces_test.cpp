// Cables divided into pieces: the string's frequencies, discrete and in the limit; nothing of the whole is lost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taut/file/write/write_toml.h"
#include "taut/modes/lowest_modes.h"
#include "tests/file/model_support.h"
#include "tests/support/complaint.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

std::string span(const std::string& keys) {
  return fmt::format(R"([environment]
gravity = [0, 0, 0]
[nodes]
a = {{ at = [0, 0, 0], fixed = true }}
b = {{ at = [3, 4, 0], fixed = true }}
[[cables]]
nodes = ["a", "b"]
name = "span"
pretension = 100
mass = 2
{}
)",
                     keys);
}

// n pieces of lumped mass swing across with ω_k = 2 √(T n²/(l m)) sin(kπ/2n), in two planes; in the limit
// kπ √(T/(l m)).
TEST(Pieces, FrequenciesOfAString) {
  const double T = 100.0, l = 5.0, m = 2.0;
  double error_before = 0.0;
  for (const int n : {4, 8, 16}) {
    const Scenario s =
        read_scenario_text(span(fmt::format("EA = 1e6\nmass_model = \"lumped\"\npieces = {}", n)), "m.toml");
    const Modes modes = lowest_modes(s.model, 6);
    ASSERT_TRUE(modes.converged);
    for (int k = 1; k <= 3; ++k)
      for (int plane = 0; plane < 2; ++plane) {
        const double chain = 2.0 * n * std::sqrt(T / (l * m)) * std::sin(k * std::numbers::pi / (2 * n));
        EXPECT_NEAR(std::sqrt(modes.square[2 * k - 2 + plane]), chain, 1e-8 * chain) << n << " " << k;
      }
    const double limit = std::numbers::pi * std::sqrt(T / (l * m)),
                 error = std::abs(std::sqrt(modes.square[0]) / limit - 1.0);
    if (error_before > 0.0) {
      EXPECT_NEAR(error_before / error, 4.0, 0.2);
    }
    error_before = error;
  }
  EXPECT_LT(error_before, 2e-3);
}

// Stretched as one: stiffness and damping in series are those of the whole, whatever law.
TEST(Pieces, TogetherTheyAreTheWhole) {
  for (const char* law : {"stiffness = 400\ndamping = 7", "EA = 3000\ndamping = 7",
                          "stiffness = 400\nlaw = \"softplus\"\nbeta = 0.05", "stiffness = 400\nyield = 150"}) {
    const Model whole = read_scenario_text(span(law), "m.toml").model,
                parts = read_scenario_text(span(fmt::format("{}\npieces = 5", law)), "m.toml").model;
    ASSERT_EQ(parts.cables.size(), 5u);
    ASSERT_EQ(parts.nodes.size(), 6u);
    EXPECT_EQ(parts.cables[4].name, "span_5");
    EXPECT_EQ(parts.nodes[2].name, "span_1");
    EXPECT_EQ(parts.nodes[1].name, "b");
    double mass = 0.0, rest = 0.0;
    for (const Cable& cable : parts.cables) mass += cable.mass, rest += cable.rest_length;
    EXPECT_NEAR(mass, whole.cables[0].mass, 1e-14);
    EXPECT_NEAR(rest, whole.cables[0].rest_length, 1e-13);
    for (const double stretch : {-0.1, 0.0, 0.2, 0.5}) {
      const double l = 5.0 + stretch, rate = 0.3;
      const auto pull = [](const Cable& cable, double length, double length_rate) {
        return tension(cable.law, length - cable.rest_length, length_rate, cable.rest_length);
      };
      EXPECT_NEAR(pull(parts.cables[0], l / 5, rate / 5), pull(whole.cables[0], l, rate), 1e-10) << law;
    }
  }
}

TEST(Pieces, AreWrittenAsTheyAre) {
  const Scenario s = read_scenario_text(span("EA = 1e4\npieces = 3"), "m.toml");
  EXPECT_EQ(read_scenario_text(to_toml(s), "w.toml").model, s.model);
}

TEST(Pieces, WhatIsRefused) {
  const auto has = [&](const std::string& text, const char* part) {
    expect_says(complaint([&] { read_scenario_text(text, "m.toml"); }), part);
  };
  has(span("EA = 1e4\npieces = 0"), "pieces: is 0: expected a whole number from 1 to 10000");
  has(span("EA = 1e4\npieces = 2.5"), "pieces: is 2.5");
  has(span("EA = 1e4\npieces = 1e9"), "pieces: is 1000000000");
  std::string light = span("EA = 1e4\npieces = 3");
  light.replace(light.find("mass = 2"), 8, "mass = 0");
  has(light, "pieces: needs mass");
  std::string over = span("EA = 1e4\npieces = 3");
  over.replace(over.find("nodes = [\"a\", \"b\"]"), 18, "nodes = [\"a\", \"b\", \"a\"]");
  has(over, "pieces: belongs to a cable between two nodes, this one has 3");
  std::string taken = span("EA = 1e4\npieces = 3");
  taken.replace(taken.find("[[cables]]"), 0, "span_1 = { at = [0, 0, 1], mass = 1 }\n");
  has(taken, "pieces: would make a node \"span_1\", which exists already");
  // Whoever means the whole learns of its pieces.
  const char* const message = "cable \"span\" is in pieces: expected the name of one of them, \"span_1\" and so on";
  has(span("EA = 1e4\npieces = 3\n[[actuators]]\ncable = \"span\"\nrest_length = 4.9"), message);
  has(span("EA = 1e4\npieces = 3\n[[targets]]\ncables = [\"span\"]\ntension = 50"), message);
}

}  // namespace
}  // namespace taut::testing
