// A sweep by other doors: keys that a program gives, entries by name, rows in memory. All give the rows of [[entries]].
#include <atomic>

#include "taut/base/stop.h"
#include "taut/file/draft.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/read/read_toml.h"
#include "tests/sweep/fixture.h"

namespace taut::testing {
namespace {

const char* const entries = R"toml(
runs = 3
repeats = 2
seed = 9
[[parameters]]
key = "cables.*.stiffness"
values = [100, 200]
[[parameters]]
name = "v"
key = "nodes.m.velocity.z"
range = [0.1, 0.4, 3]
[[parameters]]
name = "c"
key = "cables.*.damping"
random = { distribution = "uniform", low = 0.0, high = 1.0 }
[[parameters]]
name = "f"
log_range = [1.0, 100.0, 3]
[[parameters]]
name = "twice"
expression = "2*v"
[[parameters]]
name = "one"
values = [1]
[[imperfections]]
key = "nodes.*.mass"
relative = { distribution = "normal", std = 0.01 }
[[record]]
name = "top"
value = "max(nodes.m.z)"
[[record]]
name = "twice + f"
value = "twice + f"
)toml";

const char* const by_name = R"toml(
RUNS = 3
repeats = 2
seed = 9
[parameters]
"cables.*.stiffness" = [100, 200]
v = { key = "nodes.m.velocity.z", from = 0.1, to = 0.4, count = 3 }
c = { key = "cables.*.damping", distribution = "uniform", low = 0.0, high = 1.0 }
f = { from = 1, to = 100, count = 3, log = true }
twice = "2*v"
one = 1
[imperfections]
"nodes.*.mass" = { relative = { distribution = "normal", std = 0.01 } }
[record]
top = "max(nodes.m.z)"
"twice + f" = "twice + f"
)toml";

std::string with(std::string text, const std::string& runs, const std::string& top) {
  text.replace(text.find("RUNS"), 4, runs);
  return top + text;
}

Table keys_of(const std::string& text) {
  return parse_toml(text, Source{.name = std::make_shared<const std::string>("keys")});
}

class SweepOf : public Sweep {
 protected:
  std::string model() const { return (folder_ / "weight.toml").string(); }
  std::string file_with(const std::string& text) {
    write_text(folder_ / "sweep.toml", text);
    return (folder_ / "sweep.toml").string();
  }
};

void expect_same(const std::vector<TableRow>& a, const std::vector<TableRow>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].run, b[i].run);
    EXPECT_EQ(a[i].values, b[i].values);
    EXPECT_EQ(a[i].status, b[i].status);
    EXPECT_EQ(a[i].reason, b[i].reason);
  }
}

TEST_F(SweepOf, AllDoorsGiveTheSameRows) {
  const std::string csv = table("model = \"weight.toml\"\n" + std::string(entries));
  EXPECT_EQ(column(csv, "run").size(), 108U);
  EXPECT_EQ(csv, table(with(by_name, "runs", "model = \"weight.toml\"\n")));

  const SweepFile file = read_sweep_file(file_with("model = \"weight.toml\"\n" + std::string(entries)));
  const std::vector<TableRow> rows = run_rows(file, 2, nullptr);
  expect_same(rows, run_rows(sweep_of(Draft::from_file(model()), keys_of(with(by_name, "draws", ""))), 1, nullptr));
  // A scenario has a rest length where its file has a pretension: other rows, the same by both doors.
  SweepFile of_scenario = file;
  of_scenario.scenario = read_scenario(model());
  const Draft draft = Draft::from_scenario(*of_scenario.scenario);
  const std::vector<TableRow> others = run_rows(sweep_of(draft, keys_of(with(by_name, "draws", ""))), 3, nullptr);
  expect_same(run_rows(of_scenario, 3, nullptr), others);
  EXPECT_NE(others.back().values, rows.back().values);
  // Those of the table that the folder has.
  const auto top = column(csv, "top");
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].values[7], top[i]);
}

// What is set on a draft counts, before what varies, also where it makes another structure.
TEST_F(SweepOf, ADraftCountsWithItsValues) {
  Draft draft = Draft::generated("prism", {{"bars", {std::int64_t{4}}}});
  draft.set({{"simulation.duration", {0.01}}, {"generate.fixed", {std::int64_t{1}}}, {"cables.*.damping", {3.0}}});
  const auto rows = run_rows(sweep_of(draft, keys_of(R"toml(
[parameters]
"generate.height" = [1, 2]
"cables.0.damping" = 5
[record]
members = "first(sum(if(cables.*.length > 0, 1, 0)))"
height = "first(nodes.b1.z) - first(nodes.a1.z)"
)toml")),
                             2, nullptr);
  ASSERT_EQ(rows.size(), 2U);
  for (const double height : {1.0, 2.0}) {
    const std::vector<double>& values = rows[height == 1.0 ? 0 : 1].values;
    EXPECT_EQ((std::vector<double>{values.begin(), values.begin() + 3}), (std::vector<double>{height, 5, 12}));
    EXPECT_NEAR(values[3], height, 1e-12);
  }
  // The rows of a folder belong to the values as well.
  SweepOptions options;
  options.folder = folder_ / "drafts";
  const Table keys = keys_of("[parameters]\n\"cables.*.stiffness\" = [100, 200]\n");
  EXPECT_TRUE(run_sweep(sweep_of(draft, keys), options).complete);
  EXPECT_EQ(run_sweep(sweep_of(draft, keys), options).counts.computed, 0);
  draft.set("cables.*.damping", {4.0});
  EXPECT_NE(complaint([&] { run_sweep(sweep_of(draft, keys), options); }).find("rows of another sweep"),
            std::string::npos);
  // Also where what is set does nothing in the first run.
  Draft tower = Draft::generated("tower", {});
  tower.set({{"simulation.duration", {0.001}}, {"generate.overlap", {0.3}}});
  const Table stages = keys_of("[parameters]\n\"generate.stages\" = [1, 2]\n");
  options.folder = folder_ / "towers";
  EXPECT_TRUE(run_sweep(sweep_of(tower, stages), options).complete);
  tower.set("generate.overlap", {0.4});
  EXPECT_NE(complaint([&] { run_sweep(sweep_of(tower, stages), options); }).find("rows of another sweep"),
            std::string::npos);
}

TEST_F(SweepOf, ProblemsAreNamedAsTheKeysAre) {
  const Draft draft = Draft::from_file(model());
  const auto expect = [&](const std::string& keys, const std::string& said) {
    EXPECT_EQ(complaint([&] { run_rows(sweep_of(draft, keys_of(keys)), 1, nullptr); }), said);
  };
  expect("[parameters]\nk = { from = 1, to = 2, cuont = 3 }\n",
         "parameters.k.cuont: is not a known key (did you mean \"count\"?)");
  expect("[parameters]\nk = { from = 1 }\n",
         "parameters.k.to: is missing: expected the last value, beside from, and count in a grid");
  expect("[parameters]\nk = { distribution = \"normal\", std = 1, mode = 1 }\n",
         "parameters.k.mode: is not a known key");
  expect("[parameters]\nk = [1]\n[record]\nz = \"max(nodes.m.q)\"\n",
         "record.z.value: column 5: nodes has no q: expected one of x, y, z, vx, vy, vz, speed");
  expect("[parameters]\nk = \"rk4\"\n",
         "parameters.k.expression: column 1: unknown name rk4; a text that is a value stands in a list of values");
  expect("runs = 3\n", "runs: is not a known key");
  expect("design = \"sobol\"\n[parameters]\nk = [1]\n", "draws: is missing: expected the number of runs");
  expect("model = \"other.toml\"\n", "model: is not a known key");
  expect("[parameters]\n\"cables.*.stifness\" = [1]\n",
         "cables.*.stifness: is not a known key (did you mean \"stiffness\"?)");
  expect("record = [3]\n", "record[0]: expected a table, got 3");
  expect("record = 3\n", "record: expected entries that start with [[record]], got 3");
  // In a file a line says where.
  EXPECT_NE(problem_of("model = \"weight.toml\"\n[parameters]\nk = [1]\n[record]\nz = \"max(nodes.m.q)\"\n")
                .find("sweep.toml:5:5: record.z.value: column 5: "),
            std::string::npos);
}

// Half way rows are those that were made, in order; in a folder they come back on demand.
TEST_F(SweepOf, AStopKeepsTheRowsThatAreThere) {
  const Table keys = keys_of(
      "[parameters]\n\"cables.*.stiffness\" = { from = 100, to = 200, count = 500 }\n"
      "[record]\ntop = \"max(nodes.m.z)\"\n");
  const SweepFile sweep = sweep_of(Draft::from_file(model()), keys);
  const std::vector<TableRow> all = run_rows(sweep, 2, nullptr);
  for (const char* folder : {"", "half"}) {
    std::atomic<bool> stop{false};
    SweepOptions options;
    if (*folder != '\0') options.folder = folder_ / folder;
    options.threads = 2;
    options.rows = true;
    options.stop = &stop;
    options.progress = [&](const SweepCounts& counts) { stop = counts.computed >= 20; };
    const SweepResult half = run_sweep(sweep, options);
    EXPECT_FALSE(half.complete);
    EXPECT_EQ(half.counts.there, static_cast<long>(half.rows.size()));
    EXPECT_GE(half.rows.size(), 20U);
    EXPECT_LT(half.rows.size(), 500U);
    for (std::size_t i = 0; i < half.rows.size(); ++i) {
      EXPECT_TRUE(i == 0 || half.rows[i].run > half.rows[i - 1].run);
      EXPECT_EQ(half.rows[i].values, all[static_cast<std::size_t>(half.rows[i].run)].values);
    }
    options.stop = nullptr;
    options.progress = nullptr;
    const SweepResult whole = run_sweep(sweep, options);
    EXPECT_TRUE(whole.complete);
    EXPECT_EQ(whole.title, "weight");
    EXPECT_EQ(whole.counts.computed, *folder != '\0' ? 500 - half.counts.computed : 500);
    expect_same(whole.rows, all);
    ASSERT_EQ(whole.columns.size(), 2U);
    EXPECT_EQ(whole.columns[1].name, "top");
  }
  // Before the first run.
  const std::atomic<bool> stop{true};
  const StopScope scope(&stop);
  EXPECT_THROW(run_rows(sweep, 1, nullptr), Stopped);
}

}  // namespace
}  // namespace taut::testing
