// What a sweep asks for: the order of its runs, and what is refused before any of them.
#include "tests/sweep/fixture.h"

namespace taut::testing {
namespace {

TEST_F(Sweep, OrderAndRepeatsOfADesign) {
  const std::string csv = table(R"toml(
model = "weight.toml"
set = ["simulation.duration=0.01"]
runs = 3
repeats = 2
parameters = [
  { name = "a", key = "nodes.m.velocity.z", values = [0.1, 0.2] },
  { name = "b", random = { distribution = "uniform", low = 5, high = 6 } },
  { name = "p", values = [1, 2], together = "q" },
  { name = "q", values = [10, 20], together = "q" },
]
imperfections = [{ key = "cables.*.rest_length", relative = { distribution = "normal", std = 0.001 } }]
)toml");
  const auto a = column(csv, "a"), b = column(csv, "b"), p = column(csv, "p"), q = column(csv, "q"),
             repeat = column(csv, "repeat");
  ASSERT_EQ(a.size(), 2U * 2U * 3U * 2U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i], i < 12 ? 0.1 : 0.2);
    EXPECT_EQ(p[i], i / 6 % 2 == 0 ? 1.0 : 2.0);
    EXPECT_EQ(q[i], 10.0 * p[i]);
    EXPECT_EQ(repeat[i], static_cast<double>(i % 2));
    EXPECT_TRUE(b[i] > 5.0 && b[i] < 6.0);
    if (i % 2 == 1) {
      EXPECT_EQ(b[i], b[i - 1]);
    } else if (i > 0) {
      EXPECT_NE(b[i], b[i - 1]);
    }
  }
}

TEST_F(Sweep, WhatIsRefusedBeforeAnyRun) {
  const auto expect = [&](const std::string& sweep, const std::string& part) {
    const std::string said = problem_of("model = \"prism.toml\"\n" + sweep);
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  const std::string k = "[[parameters]]\nkey = \"cables.*.stiffness\"\nvalues = [1, 2]\n";
  expect("[[parameters]]\nkey = \"cables.*.stifness\"\nrange = [1, 2, 3]\n",
         "sweep.toml:3:7: cables.*.stifness: is not a known key (did you mean \"stiffness\"?)");
  expect("[[parameters]]\nkey = \"cables.*.stiffness\"\nrange = [-3, -2, 3]\n", "none of the 3 runs makes a model");
  expect(k + "[[record]]\nname = \"a\"\nvalue = \"1\"\n[[record]]\nname = \"a\"\nvalue = \"2\"\n",
         "\"a\" is the name of two columns");
  expect(k + "[[record]]\nname = \"run\"\nvalue = \"1\"\n", "\"run\" is the name of two columns");
  expect(k + "[[record]]\nname = \"z\"\nvalue = \"max(nodes.c1.z)\"\n", "did you mean \"nodes.a1.z\"?");
  expect(k + "[[record]]\nname = \"z\"\nvalue = \"nodes.a1.z\"\n", "changes with time");
  expect(k + "[[record]]\nname = \"z\"\nvalue = \"max(nodes.a1.z\"\n", "record.value: column");
  expect(k + "stop = 3\n", "stop");
  expect("runs = 4\n" + k, "runs: is for draws, and nothing is drawn");
  expect("design = \"sobol\"\n" + k, "runs: is missing");
  expect("repeats = 2\n" + k, "repeats: would repeat the same run");
  expect("desgin = \"sobol\"\n" + k, "desgin: is not a known key (did you mean \"design\"?)");
  expect("[[parameters]]\nkey = \"cables.*.stiffness\"\nrange = [1, 2, 0.5]\n", "whole number from 1");
  expect("[[parameters]]\nkey = \"cables.*.stiffness\"\nlog_range = [0, 2, 5]\n", "expected ends above 0");
  expect("[[parameters]]\nkey = \"cables.*.stiffness\"\nvalues = []\n", "is empty");
  expect("[[parameters]]\nkey = \"cables.*.stiffness\"\n", "expected values, range, log_range, random or expression");
  expect("[[parameters]]\nname = \"x\"\nexpression = \"2*y\"\n[[parameters]]\nname = \"y\"\nvalues = [1]\n",
         "y comes later");
  expect(
      "[[parameters]]\nname = \"x\"\nvalues = [1, 2]\ntogether = \"g\"\n[[parameters]]\nname = \"y\"\nvalues = "
      "[1]\ntogether = \"g\"\n",
      "y has 1 values, and others of \"g\" have 2");
  expect("[[imperfections]]\nkey = \"cables.*.law\"\nrelative = { distribution = \"normal\", std = 0.1 }\n",
         "is not a number of the model");
  expect(k + "[[parameters]]\nname = \"k2\"\nkey = \"cables.*.stiffness\"\nvalues = [3]\n",
         "k2: sets \"cables.*.stiffness\" once more, which cables.*.stiffness has set");
  expect(
      "[[parameters]]\nkey = \"nodes.a1.at.x\"\nvalues = [1]\n[[parameters]]\nkey = \"nodes.a1.at\"\nvalues = [[1, 0, "
      "0]]\n",
      "sets \"nodes.a1.at.x\" once more");
  expect(
      "[[parameters]]\nkey = \"cables.0.stiffness\"\nvalues = [1]\n[[parameters]]\nkey = "
      "\"cables.a1-a2.stiffness\"\nvalues = [2]\n",
      "\"cables.0.stiffness\" has no effect: \"cables.a1-a2.stiffness\" sets the same");
  expect(k + "[[record]]\nname = \".\"\nvalue = \"1\"\n", "cannot be the name of a column");
  expect(k + "[[record]]\nname = \"a\\u0000b\"\nvalue = \"1\"\n", "cannot be the name of a column");
  expect("[[imperfections]]\nkey = \"bars.*.rest_length\"\nrelative = { distribution = \"normal\", std = 0.1 }\n",
         "with them none of the first 1 runs makes a model");
  expect("[[imperfections]]\nkey = \"cables.*.yield\"\nabsolute = { distribution = \"normal\", std = 0.1 }\n",
         "is not a number of the model");
  expect("[[parameters]]\nkey = \"model\"\nvalues = [\"weight.toml\"]\n", "cannot vary");
  expect("[[parameters]]\nkey = \"\"\nvalues = [1]\n", "expected the path of a key of the model");
  expect("[[parameters]]\nkey = \"cables..stiffness\"\nvalues = [1]\n", "expected the path of a key of the model");
  expect("[[parameters]]\nname = \"steps\"\nvalues = [1]\n", "\"steps\" means something in expressions");
  expect("[[parameters]]\nname = \"pi\"\nvalues = [1]\n", "\"pi\" means something in expressions");
  expect("[[parameters]]\nkey = \"cables.*.stiffness\"\nvalues = [2026-01-01]\n",
         "entry 0 is a date, which no key takes");
  expect("[[parameters]]\nkey = \"cables.*.stiffness\"\nrange = [1, 2, 1e12]\n", "from 1 to 1e7 as the count");
  expect("[bisect]\nkey = \"cables.*.stiffness\"\nrange = [1, 2]\nholds = \"count(slack_events)\"\n",
         "bisect.holds: column");
  expect("set = [\"simulation.durtion=1\"]\n" + k, "sweep.toml:2:7: simulation.durtion: is not a known key");
  expect("[[imperfections]]\nkey = \"simulation.duration\"\nrelative = { distribution = \"normal\", std = 0.1 }\n",
         "is not a number of the model");
  EXPECT_NE(problem_of("model = \"nothing.toml\"\n").find("sweep.toml:1:9: model: \""), std::string::npos);
  EXPECT_NE(problem_of("[[parameters]]\n").find("model: is missing"), std::string::npos);
}

}  // namespace
}  // namespace taut::testing
