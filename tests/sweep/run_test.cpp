// Sweeps against closed forms and against single runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "taut/file/read/read_toml.h"
#include "taut/sweep/job.h"
#include "tests/support/support.h"
#include "tests/sweep/fixture.h"

namespace taut::testing {
namespace {

// z = -1 + v/ω sin ωt while the cable is taut.
TEST_F(Sweep, NotesWhatTheMotionDoes) {
  const std::string csv = table(R"toml(
model = "weight.toml"
parameters = [
  { name = "v", key = "nodes.m.velocity.z", values = [0.2, 0.4] },
  { name = "k", key = "cables.*.stiffness", values = [100, 200] },
]
record = [
  { name = "top", value = "max(nodes.m.z)" },
  { name = "when", value = "time_of_max(nodes.m.z)" },
  { name = "middle", value = "at(nodes.m.z, 0.25)" },
  { name = "rope", value = "max(cables.rope.tension) - min(cables.rope.tension)" },
  { name = "low", value = "first_time(nodes.m.z < -1 - 1e-9)" },
  { name = "doubled", value = "2*v + k" },
]
)toml");
  const auto v = column(csv, "v"), k = column(csv, "k"), top = column(csv, "top"), when = column(csv, "when"),
             middle = column(csv, "middle"), rope = column(csv, "rope"), low = column(csv, "low"),
             doubled = column(csv, "doubled");
  ASSERT_EQ(v, (std::vector<double>{0.2, 0.2, 0.4, 0.4}));  // the last parameter goes fastest
  ASSERT_EQ(k, (std::vector<double>{100, 200, 100, 200}));
  for (std::size_t i = 0; i < 4; ++i) {
    const double omega = std::sqrt(k[i]), a = v[i] / omega, row = 0.001;
    EXPECT_NEAR(top[i], -1.0 + a, a * omega * omega * row * row / 8.0 + 1e-9);
    EXPECT_NEAR(std::remainder(when[i] - M_PI / 2.0 / omega, 2.0 * M_PI / omega), 0.0, row);
    EXPECT_NEAR(middle[i], -1.0 + a * std::sin(omega * 0.25), 1e-9);
    EXPECT_NEAR(rope[i], 2.0 * k[i] * a, 2.0 * k[i] * a * omega * omega * row * row / 8.0 + 1e-7);
    EXPECT_NEAR(low[i], M_PI / omega, 1e-6);
    EXPECT_EQ(doubled[i], 2.0 * v[i] + k[i]);
  }
}

// The cable just stays taut at v = g √(m/k).
TEST_F(Sweep, FindsALimitByBisection) {
  const std::string csv = table(R"toml(
model = "weight.toml"
parameters = [{ name = "k", key = "cables.*.stiffness", values = [50, 100, 200] }]
record = [{ name = "least", value = "min(cables.rope.tension)" }]
[bisect]
name = "fastest"
key = "nodes.m.velocity.z"
range = [0.1, 3.0]
tolerance = 1e-7
holds = "count(slack_events) == 0"
)toml");
  const auto k = column(csv, "k"), fastest = column(csv, "fastest"), least = column(csv, "least");
  ASSERT_EQ(fastest.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(fastest[i], 9.81 / std::sqrt(k[i]), 1e-6);
    EXPECT_GT(least[i], 0.0);
    EXPECT_LT(least[i], 1e-3);
  }
  const std::string none = table(R"toml(
model = "weight.toml"
[bisect]
key = "nodes.m.velocity.z"
range = [2.0, 3.0]
holds = "count(slack_events) == 0"
)toml");
  EXPECT_NE(none.find("failed,\"\"\"count(slack_events) == 0\"\" holds nowhere in the range\""), std::string::npos)
      << none;
  const std::string all = table(R"toml(
model = "weight.toml"
[bisect]
key = "nodes.m.velocity.z"
find = "smallest"
range = [0.1, 0.2]
holds = "count(slack_events) == 0"
)toml");
  EXPECT_EQ(column(all, "limit"), std::vector<double>{0.1});
  EXPECT_NE(all.find("holds up to the end of the range"), std::string::npos) << all;
}

TEST_F(Sweep, AConditionEndsARun) {
  const std::string csv = table(R"toml(
model = "weight.toml"
stop = "nodes.m.z > lid"
parameters = [{ name = "lid", values = [-0.97, 0.0] }]
record = [{ name = "end", value = "simulated_s" }]
)toml");
  const auto end = column(csv, "end");
  const double omega = 10.0, t = std::asin(0.03 * omega / 0.5) / omega;
  EXPECT_GE(end[0], t);
  EXPECT_LE(end[0], t + 0.001 + 1e-12);
  EXPECT_EQ(end[1], 1.0);
  EXPECT_EQ(cells(csv)[1][3], "stopped");
  EXPECT_EQ(cells(csv)[2][3], "done");
}

// Numbers are put into the model directly where that is the same as reading it again; a record of a sweep is what a
// single run of the same model gives, to the last bit.
TEST_F(Sweep, RowsAreThoseOfSingleRuns) {
  const char* const sweep = R"toml(
model = "prism.toml"
design = "latin_hypercube"
runs = 20
seed = 3
parameters = [
  { name = "k", key = "cables.*.stiffness", log_range = [100.0, 10000.0] },
  { name = "l", key = "cables.a1-a2.rest_length", range = [0.7, 0.85] },
  { name = "c", key = "cables.*.damping", expression = "sqrt(k)/20" },
]
record = [
  { name = "z", value = "last(nodes.b1.z)" },
  { name = "slack", value = "count(went_slack)" },
]
)toml";
  write_text(folder_ / "sweep.toml", sweep);
  const SweepJob job(read_sweep_file((folder_ / "sweep.toml").string()));
  EXPECT_TRUE(job.variation().direct());
  const std::string csv = table(sweep);
  const auto k = column(csv, "k"), l = column(csv, "l"), c = column(csv, "c"), z = column(csv, "z"),
             slack = column(csv, "slack");
  ASSERT_EQ(k.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(c[i], std::sqrt(k[i]) / 20.0);
    const Scenario scenario =
        read_scenario((folder_ / "prism.toml").string(),
                      {fmt::format("cables.*.stiffness={}", k[i]), fmt::format("cables.a1-a2.rest_length={}", l[i]),
                       fmt::format("cables.*.damping={}", c[i])});
    Motion motion;
    const Summary summary = simulate(scenario, {&motion});
    EXPECT_EQ(z[i], motion.rows.back().nodes[3 * 3 + 2]);
    long went_slack = 0;
    for (const SlackEvent& event : summary.slack_events) went_slack += event.taut ? 0 : 1;
    EXPECT_EQ(slack[i], static_cast<double>(went_slack));
  }
}

// Thrown up at 2 m/s the weight leaves its rope where asin(g m / (v √(k m))) = ω t, and comes back v₁ ahead: 2 v₁/g
// later. The strain of the rope is what it is longer than its rest length, over that.
TEST_F(Sweep, CablesGoSlackAndTautAndHaveAStrain) {
  const std::string csv = table(R"toml(
model = "weight.toml"
set = ["nodes.m.velocity=[0, 0, 2]"]
parameters = [{ key = "simulation.duration", values = [0.04, 0.3, 0.45] }]
record = [
  { name = "slack", value = "count(went_slack)" },
  { name = "taut", value = "count(went_taut)" },
  { name = "strain", value = "first(cables.rope.strain)" },
]
)toml");
  EXPECT_EQ(column(csv, "slack"), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(column(csv, "taut"), (std::vector<double>{0, 0, 1}));
  for (const double strain : column(csv, "strain")) EXPECT_NEAR(strain, 0.0981 / (1.0 - 0.0981), 1e-12);
}

// A mass changes the inertia of its bar, a pretension the rest length: the model is read again.
TEST_F(Sweep, KeysWithConsequencesAreReadAgain) {
  for (const char* key : {"bars.*.mass", "nodes.a1.at.x", "simulation.integrator"}) {
    const bool text = std::string(key) == "simulation.integrator";
    write_text(folder_ / "sweep.toml",
               fmt::format("model = \"prism.toml\"\n[[parameters]]\nkey = \"{}\"\nvalues = {}\n", key,
                           text ? "[\"rk4\", \"dopri5\"]" : "[0.5, 0.6]"));
    EXPECT_FALSE(SweepJob(read_sweep_file((folder_ / "sweep.toml").string())).variation().direct()) << key;
  }
  // In a model of weights alone a mass is a mass.
  write_text(folder_ / "sweep.toml",
             "model = \"weight.toml\"\n[[parameters]]\nkey = \"nodes.m.mass\"\nvalues = [1, 2]\n");
  EXPECT_TRUE(SweepJob(read_sweep_file((folder_ / "sweep.toml").string())).variation().direct());
}

// Every member has a draw of its own, another one in every repeat; its mean and spread are those asked for.
TEST_F(Sweep, ImperfectionsAreDrawnForEachMember) {
  write_text(folder_ / "sweep.toml", R"toml(
model = "prism.toml"
repeats = 400
seed = 11
imperfections = [
  { key = "cables.*.rest_length", relative = { distribution = "normal", std = 0.01 } },
  { key = "nodes.*.at", absolute = { distribution = "uniform", low = -0.001, high = 0.001 } },
]
)toml");
  const SweepFile sweep = read_sweep_file((folder_ / "sweep.toml").string());
  Variation variation(sweep, {}, {});
  const Scenario plain = variation.first();
  double sum = 0.0, squares = 0.0, between = 0.0, largest = 0.0;
  const int members = static_cast<int>(plain.model.cables.size());
  for (long run = 0; run < sweep.repeats; ++run) {
    const Scenario& s = variation.at({}, run);
    std::vector<double> off;
    for (int i = 0; i < members; ++i) {
      off.push_back(s.model.cables[i].rest_length / plain.model.cables[i].rest_length - 1.0);
      sum += off.back();
      squares += off.back() * off.back();
    }
    between += off[0] * off[1];
    for (std::size_t n = 0; n < s.model.nodes.size(); ++n)
      largest = std::max(largest, (s.model.nodes[n].position - plain.model.nodes[n].position).cwiseAbs().maxCoeff());
    // Bars are as long as their nodes are apart.
    for (const Bar& bar : s.model.bars) EXPECT_EQ(bar.rest_length, start_length(s.model, bar));
  }
  const double count = 400.0 * members;
  EXPECT_NEAR(sum / count, 0.0, 4.0 * 0.01 / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), 0.01, 4.0 * 0.01 / std::sqrt(2.0 * count));
  EXPECT_NEAR(between / 400.0, 0.0, 4.0 * 1e-4 / std::sqrt(400.0));
  EXPECT_LE(largest, 0.001);
  EXPECT_GT(largest, 0.00099);
  // The same run again is the same model.
  const Scenario once = variation.at({}, 7);
  variation.at({}, 8);
  EXPECT_EQ(variation.at({}, 7), once);
}

// A cable that is cut 0 to 2 % too long is longer, and every coordinate of a node has a draw of its own.
TEST_F(Sweep, ImperfectionsHaveASense) {
  write_text(folder_ / "sweep.toml", R"toml(
model = "prism.toml"
repeats = 20
imperfections = [
  { key = "cables.*.rest_length", relative = { distribution = "uniform", low = 0.0, high = 0.02 } },
  { key = "nodes.*.at", absolute = { distribution = "uniform", low = 0.0, high = 0.001 } },
]
)toml");
  const SweepFile sweep = read_sweep_file((folder_ / "sweep.toml").string());
  Variation variation(sweep, {}, {});
  const Scenario plain = variation.first();
  for (long run = 0; run < sweep.repeats; ++run) {
    const Scenario& s = variation.at({}, run);
    for (std::size_t i = 0; i < s.model.cables.size(); ++i) {
      const double part = s.model.cables[i].rest_length / plain.model.cables[i].rest_length;
      EXPECT_GE(part, 1.0);
      EXPECT_LE(part, 1.02);
    }
    for (std::size_t n = 0; n < s.model.nodes.size(); ++n) {
      const Vec3 off = s.model.nodes[n].position - plain.model.nodes[n].position;
      EXPECT_GE(off.minCoeff(), 0.0);
      EXPECT_GT(std::abs(off[0] - off[1]), 1e-9);
      EXPECT_GT(std::abs(off[1] - off[2]), 1e-9);
    }
  }
}

// A value that makes no model, or a motion that fails, is a row with its reason.
TEST_F(Sweep, ARefusedRunIsARow) {
  const std::string csv = table(R"toml(
model = "prism.toml"
parameters = [{ key = "cables.*.stiffness", values = [-5, 100] }]
record = [{ name = "steps", value = "steps" }]
)toml");
  const auto rows = cells(csv);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"run", "cables.*.stiffness", "steps", "status", "reason"}));
  EXPECT_EQ(rows[1], (std::vector<std::string>{"0", "-5", "nan", "refused",
                                               "cables.*.stiffness=-5: is negative (-5): expected 0 or more"}));
  EXPECT_EQ(rows[2][3], "done");
  EXPECT_EQ(result_.counts.refused, 1);
}

// A motion that runs away has no numbers to compare with others.
TEST_F(Sweep, RecordsOfAFailedRunAreNone) {
  const std::string csv = table(R"toml(
model = "weight.toml"
set = ["simulation.integrator=\"rk4\"", "simulation.step=0.05"]
parameters = [{ key = "cables.*.stiffness", values = [100, 1e14] }]
record = [{ name = "top", value = "max(nodes.m.z)" }]
)toml");
  const auto rows = cells(csv);
  EXPECT_EQ(rows[1][3], "done");
  EXPECT_EQ(rows[2][2], "nan");
  EXPECT_EQ(rows[2][3], "failed");
  EXPECT_NE(rows[2][4], "");
}

// A node that only some of the structures have: its record is empty elsewhere, the others are there.
TEST_F(Sweep, RecordsOfStructuresThatDiffer) {
  write_text(folder_ / "made.toml", "[generate]\nkind = \"prism\"\n[simulation]\nduration = 0.01\n");
  for (const char* bars : {"[3, 4]", "[4, 3]"}) {
    const std::string csv = table(fmt::format(R"toml(
model = "made.toml"
[[parameters]]
name = "bars"
key = "generate.bars"
values = {}
[[record]]
name = "fourth"
value = "first(nodes.b4.z)"
[[record]]
name = "count"
value = "first(sum(if(cables.*.tension > 0, 1, 0)))"
)toml",
                                              bars));
    const auto count = column(csv, "bars"), fourth = column(csv, "fourth"), cables = column(csv, "count");
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(cables[i], 3.0 * count[i]) << csv;
      EXPECT_EQ(std::isnan(fourth[i]), count[i] == 3.0) << csv;
    }
  }
  EXPECT_NE(problem_of("model = \"made.toml\"\n[[parameters]]\nkey = \"generate.bars\"\nvalues = [3, 4]\n"
                       "[[record]]\nname = \"z\"\nvalue = \"first(nodes.b9.z)\"\n")
                .find("unknown name nodes.b9.z"),
            std::string::npos);
}

// A parameter without a name is called as its key; where that is also a signal, expressions mean the signal.
TEST_F(Sweep, ASignalIsNotHiddenByItsParameter) {
  const std::string csv = table(R"toml(
model = "weight.toml"
parameters = [{ key = "cables.rope.rest_length", values = [0.5, 0.6] }]
record = [{ name = "last", value = "last(cables.rope.rest_length) + last(cables.0.rest_length)" }]
)toml");
  EXPECT_EQ(column(csv, "last"), (std::vector<double>{1.0, 1.2}));
}

// The search begins where the values make a model, wherever in the range that is.
TEST_F(Sweep, ALimitNextToWhatMakesNoModel) {
  for (const char* range : {"[-10, 1]", "[-1, 10]", "[-10, 10]"}) {
    const std::string csv = table(fmt::format(R"toml(
model = "weight.toml"
[bisect]
name = "smallest"
key = "nodes.m.mass"
find = "smallest"
range = {}
holds = "steps > 0"
tolerance = 1e-3
)toml",
                                              range));
    const auto smallest = column(csv, "smallest");
    ASSERT_EQ(smallest.size(), 1U);
    EXPECT_GT(smallest[0], 0.0) << csv;
    EXPECT_LT(smallest[0], 1e-2) << csv;
  }
}

// A value that no start meets is a row that says so; the others are computed.
TEST_F(Sweep, ARowThatCannotStartIsRefused) {
  write_text(folder_ / "machine.toml", R"([environment]
gravity = [0, 0, 0]
[simulation]
duration = 0.01
[nodes]
a = { at = [0, 0, 1], mass = 1 }
b = { at = [1, 0, 1], mass = 1 }
[[bodies]]
name = "drum"
centre = [0, 0, 3]
mass = 1
shape = "sphere"
radius = 0.1
[[joints]]
name = "axle"
kind = "revolute"
bodies = ["ground", "drum"]
at = [0, 0, 3]
axis = [0, 0, 1]
[[constraints]]
name = "level"
sum = [["a", 1], ["b", -1]]
axes = ["z"]
)");
  const std::string csv = table(R"toml(
model = "machine.toml"
parameters = [{ name = "z", key = "nodes.b.at.z", values = [1, 2, 1] }]
record = [{ name = "top", value = "max(nodes.b.z)" }]
)toml");
  EXPECT_EQ(result_.counts.refused, 1);
  EXPECT_NE(csv.find("is not met by the start positions: off by -1 m along z"), std::string::npos) << csv;
  const std::vector<double> top = column(csv, "top");
  ASSERT_EQ(top.size(), 3u);
  EXPECT_NEAR(top[0], 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(top[1]));
  EXPECT_NEAR(top[2], 1.0, 1e-12);
}

}  // namespace
}  // namespace taut::testing
