// Sweeps by batches against the same sweeps run by run, against closed forms, and what decides between the two.
#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "taut/batch/batch.h"
#include "taut/sweep/batch_runs.h"
#include "tests/sweep/fixture.h"

namespace taut::testing {
namespace {

const char* const prism = R"toml(
[generate]
kind = "prism"
fixed = 1
damping = 2.0
[[loads]]
node = "b1"
force = [20, 0, 0]
to = 0.1
[simulation]
integrator = "symplectic"
duration = 0.5
)toml";

const char* const stiffness = R"toml(
model = "prism.toml"
[parameters]
k = { key = "cables.*.stiffness", range = [500.0, 5000.0, 40] }
[record]
sway = "max(nodes.b1.x) - first(nodes.b1.x)"
pull = "max(cables.*.tension)"
)toml";

const char* const states = R"toml(
[record]
x = "last(average(nodes.*.x))"
z = "min(nodes.*.z)"
fastest = "max(nodes.*.speed)"
when = "first_time(smallest(nodes.*.vz) < -0.01)"
tension = "mean(largest(cables.*.tension))"
stretch = "max(cables.*.strain)"
length = "rms(smallest(cables.*.length))"
wound = "min(cables.*.rest_length)"
kinetic = "max(energy.kinetic)"
stored = "integral(energy.elastic)"
height = "last(energy.gravity)"
steps = "steps"
end = "simulated_s"
)toml";

class SweepByBatch : public Sweep {
 protected:
  void model(const std::string& text) { write_text(folder_ / "prism.toml", text); }
  std::string with(const char* engine, const std::string& sweep) {
    return table(fmt::format("engine = \"{}\"\n", engine) + sweep, 1);
  }
  // Both ways; the largest difference of a number over 1 + its size. All words must be the same.
  double difference(const std::string& sweep) {
    const auto run = cells(with("run", sweep));
    EXPECT_EQ(result_.engine, SweepEngine::run);
    const auto batch = cells(with("batch", sweep));
    EXPECT_EQ(result_.engine, SweepEngine::batch);
    EXPECT_EQ(left(), 0) << "runs that a batch has left to the ordinary engine";
    EXPECT_EQ(run.size(), batch.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < run.size(); ++i)
      for (std::size_t c = 0; c < run[i].size(); ++c) {
        if (run[i][c] == batch[i][c]) continue;
        char *end = nullptr, *other = nullptr;
        const double a = std::strtod(run[i][c].c_str(), &end), b = std::strtod(batch[i][c].c_str(), &other);
        EXPECT_TRUE(*end == '\0' && *other == '\0') << run[i][c] << " and " << batch[i][c];
        worst = std::max(worst, std::abs(a - b) / (1.0 + std::abs(a)));
      }
    return worst;
  }
  // Of the last sweep, how many runs a batch does not make.
  std::size_t left() const {
    const SweepJob job(read_sweep_file((folder_ / "sweep.toml").string()));
    std::vector<long> runs;
    for (long run = 0; run < job.plan().runs(); ++run) runs.push_back(run);
    return BatchRuns(job).make(runs, nullptr, [](long, const SweepRow&) {}).size();
  }
  // What "auto" says of the model and the sweep; empty: a batch.
  std::string objection(const std::string& sweep, bool keep_runs = false) {
    write_text(folder_ / "sweep.toml", sweep);
    const SweepJob job(read_sweep_file((folder_ / "sweep.toml").string()), keep_runs);
    EXPECT_EQ(job.batch() != nullptr, job.engine_reason().empty() && job.sweep().engine != SweepEngine::run);
    return job.engine_reason();
  }
};

// Motions of half a second without impacts: rounding of positions of 1 m through 500 steps.
TEST_F(SweepByBatch, ThePrismThatIsPushed) {
  model(prism);
  EXPECT_LT(difference(stiffness), 1e-12);
  EXPECT_LT(difference(std::string(
                           "model = \"prism.toml\"\nparameters = [{ key = \"bars.*.mass\", range = [0.5, 2, 20] }]\n") +
                       states + "force = \"max(bars.*.force)\"\nheld = \"max(constraint_error)\"\n"),
            1e-12);
}

TEST_F(SweepByBatch, DrawsAndImperfections) {
  model(std::string(prism) + "[[outputs]]\nframe = \"top\"\nnodes = [\"b1\", \"b2\", \"b3\"]\n");
  const std::string drawn = R"toml(
model = "prism.toml"
design = "latin_hypercube"
runs = 20
repeats = 2
seed = 5
set = ["simulation.duration=0.2"]
[parameters]
"cables.*.stiffness" = { log_range = [300, 3000] }
"cables.*.damping" = { distribution = "uniform", low = 1, high = 4 }
"environment.gravity.x" = { distribution = "normal", std = 1.0 }
[imperfections]
"cables.*.rest_length" = { relative = { distribution = "normal", std = 0.003 } }
"nodes.*.at" = { absolute = { distribution = "uniform", low = -0.001, high = 0.001 } }
)toml";
  EXPECT_LT(difference(drawn + states + "lean = \"max(frames.top.pitch)\"\nturn = \"last(frames.top.yaw)\"\n"), 1e-12);
}

TEST_F(SweepByBatch, RunsThatSettleFirst) {
  model(
      "[generate]\nkind = \"prism\"\nfixed = 1\n[simulation]\nsettle = true\nintegrator = \"symplectic\"\nduration = "
      "0.05\n");
  EXPECT_LT(difference(R"toml(
model = "prism.toml"
repeats = 24
[imperfections]
"cables.*.rest_length" = { relative = { distribution = "normal", std = 0.005 } }
[record]
lean = "last(nodes.b1.x)"
least = "first(smallest(cables.*.tension))"
)toml"),
            1e-12);
}

TEST_F(SweepByBatch, SignalsAndLoadsOverTime) {
  model(R"toml(
[generate]
kind = "prism"
fixed = 1
damping = 2.0
[[actuators]]
cable = "b1-b2"
rest_length = { kind = "ramp", from = 0.8, to = 0.7, start = 0.05, end = 0.25 }
[[actuators]]
cable = "b2-b3"
rest_length = { kind = "step", before = 0.8, after = 0.78, at = 0.123 }
[[loads]]
node = "b1"
force = [10, 0, -5]
from = 0.101
to = 0.2
[simulation]
integrator = "symplectic"
duration = 0.3
output_step = 0.02
)toml");
  EXPECT_LT(difference(std::string(R"toml(
model = "prism.toml"
[parameters]
k = { key = "cables.*.stiffness", range = [500.0, 2000.0, 8] }
push = { key = "loads.0.force.x", values = [0, 5, 10] }
)toml") + states),
            1e-11);
}

// Six-bars that hit the ground with some spin: what gives multiplies differences with each contact, by friction above all:
// gravity that is off by 1e-16 moves single runs by 1e-9.
TEST_F(SweepByBatch, SixBarsThatFall) {
  const auto fall = [&](const char* ground, double step) {
    model(
        fmt::format("[generate]\nkind = \"six_bar\"\ndamping = 10.0\nspin_x = 0.4\n"
                    "[environment]\ngravity = [0.5, 0, -9.81]\nground = {}\n"
                    "[simulation]\nintegrator = \"symplectic\"\nduration = 0.4\nstep = {}\n",
                    ground, step));
    const double worst = difference(std::string(R"toml(
model = "prism.toml"
[parameters]
k = { key = "cables.*.stiffness", range = [400.0, 800.0, 6] }
mu = { key = "environment.ground.friction", values = [0.3, 0.6, 0.9] }
)toml") + states);
    for (const double z : column(contents(folder_ / ("out" + std::to_string(count_)) / "table.csv"), "z"))
      EXPECT_LT(z, -0.599) << "it has met the ground";
    return worst;
  };
  EXPECT_LT(fall("{ height = -0.6, stiffness = 2e4, damping = 50, friction = 0.5, slip_speed = 0.05 }", 1e-4), 1e-8);
  EXPECT_LT(fall("{ height = -0.6, law = \"rigid\", friction = 0.5 }", 1e-3), 1e-11);
}

// z = -1 + v/ω sin ωt: the leapfrog is off by (ω h)²/24 of the phase and by (ω h)²/8 of the amplitude.
TEST_F(SweepByBatch, OscillatesAsTheClosedFormSays) {
  const std::string csv = with("batch", R"toml(
model = "weight.toml"
set = ["simulation.integrator=\"symplectic\"", "simulation.step=1e-4"]
[parameters]
v = { key = "nodes.m.velocity.z", values = [0.2, 0.4] }
k = { key = "cables.*.stiffness", range = [50, 200, 16] }
[record]
top = "max(nodes.m.z)"
middle = "at(nodes.m.z, 0.25)"
)toml");
  const auto v = column(csv, "v"), k = column(csv, "k"), top = column(csv, "top"), middle = column(csv, "middle");
  ASSERT_EQ(v.size(), 32U);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double omega = std::sqrt(k[i]), a = v[i] / omega, row = 0.001, phase = omega * 0.25;
    EXPECT_NEAR(top[i], -1.0 + a, a * omega * omega * row * row / 8.0 + 1e-6);
    EXPECT_NEAR(middle[i], -1.0 + a * std::sin(phase), a * (phase / 24.0 + 0.125) * std::pow(omega * 1e-4, 2) + 1e-10);
  }
}

TEST_F(SweepByBatch, AConditionEndsARun) {
  model(prism);
  const std::string sweep = std::string(stiffness) + "end = \"simulated_s\"\nsteps = \"steps\"\n";
  EXPECT_LT(difference("stop = \"nodes.b1.x > 0.47 or k > 4000\"\n" + sweep), 1e-11);
  EXPECT_GT(result_.counts.stopped, 0);
  EXPECT_LT(result_.counts.stopped, 40);
}

// Cables too stiff for the step, and others of no sense: the same rows, to the last letter of the reasons.
TEST_F(SweepByBatch, FailuresAreThoseOfRuns) {
  model(prism);
  const std::string sweep = R"toml(
model = "prism.toml"
[parameters]
k = { key = "cables.*.stiffness", values = [500, 1e3, 1e4, 1e5, 1e6, 3e6, 1e7, 1e8, 1e9, 1e12, 1e100, -1] }
m = { key = "bars.*.mass", values = [0.5, 1] }
[record]
x = "last(nodes.b1.x)"
)toml";
  const auto rows = cells(with("batch", sweep)), others = cells(with("run", sweep));
  long failed = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][4], others[i][4]) << i;
    EXPECT_EQ(rows[i][5], others[i][5]) << i;
    failed += rows[i][4] == "failed";
  }
  EXPECT_GT(failed, 6);
  EXPECT_EQ(result_.counts.refused, 2);
  // Without rows only what is no number fails, in both.
  const std::string bare = "[record]\nsteps = \"steps\"\n";
  EXPECT_EQ(with("batch", sweep.substr(0, sweep.find("[record]")) + bare),
            with("run", sweep.substr(0, sweep.find("[record]")) + bare));
}

// Motions that grow, and are numbers still: as many rows fail as by run, at the same rows, for the same reasons.
TEST_F(SweepByBatch, EnergyThatGrowsFailsARun) {
  model(prism);
  const std::string sweep = R"toml(
model = "prism.toml"
set = ["simulation.duration=0.04"]
[parameters]
k = { key = "cables.*.stiffness", log_range = [3e5, 3e7, 60] }
[record]
x = "last(nodes.b1.x)"
)toml";
  const std::string rows = with("batch", sweep);
  EXPECT_GT(result_.counts.failed, 5);
  EXPECT_LT(result_.counts.failed, 55);
  EXPECT_NE(rows.find("the balance of energy is off by"), std::string::npos);
  const auto others = cells(with("run", sweep)), these = cells(rows);
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_EQ(these[i][3], others[i][3]) << i;
    EXPECT_EQ(these[i][4], others[i][4]) << i;
  }
}

TEST_F(SweepByBatch, ChoosesByItself) {
  model(prism);
  const std::string plain = stiffness;
  EXPECT_EQ(objection(plain), "");
  const auto because = [&](const std::string& sweep, const std::string& why) {
    EXPECT_NE(objection(sweep).find(why), std::string::npos) << objection(sweep) << "\n" << sweep;
    EXPECT_NE(
        problem_of("engine = \"batch\"\n" + sweep).find("engine: a batch cannot make these runs: " + objection(sweep)),
        std::string::npos);
  };
  const auto set = [&](const std::string& what) { return "set = ['" + what + "']\n" + plain; };
  because(set("simulation.integrator=\"dopri5\""), "simulation.integrator is \"dopri5\"");
  because(set("simulation.integrator=\"auto\""), "simulation.integrator is \"auto\"");
  because(set("simulation.formulation=\"quaternion\""), "simulation.formulation is \"quaternion\"");
  because(set("simulation.constraints=\"baumgarte\""), "simulation.constraints is \"baumgarte\"");
  because(set("simulation.output_step=0.0105"), "differ in length");
  EXPECT_EQ(objection(set("simulation.output_step=0.0125")), "") << "13 equal steps to each row";
  because(set("loads.0.to=0.1004"), "differ in length");
  because(set("environment.collision={ stiffness = 1e4 }"), "bars that touch each other");
  because(plain + "slack = \"count(slack_events)\"\n", "slack_events");
  because(plain + "drift = \"energy_drift\"\n", "energy_drift");
  because(plain + "work = \"last(energy.work)\"\n", "energy.work");
  because(plain + "wall = \"wall_s\"\n", "wall_s");
  because("stop = \"energy.balance > 1\"\n" + plain, "energy.balance");
  because(R"toml(
model = "prism.toml"
parameters = [{ key = "simulation.duration", range = [0.1, 0.5, 20] }]
)toml",
          "simulation.duration varies");
  because(R"toml(
model = "prism.toml"
parameters = [{ key = "nodes.b1.fixed", values = [false, true] }, { key = "bars.*.mass", range = [1, 2, 20] }]
)toml",
          "what the model is made of");
  because(R"toml(
model = "prism.toml"
[bisect]
key = "bars.*.mass"
range = [0.5, 2]
holds = "max(nodes.b1.x) > 0.4"
)toml",
          "it searches for a limit");
  EXPECT_NE(objection(plain, true).find("whole runs are kept"), std::string::npos);
  EXPECT_EQ(objection("engine = \"run\"\n" + plain), "") << "nobody asked";
  // Too few to be worth it, which a wish overrules.
  const std::string few = "model = \"prism.toml\"\nparameters = [{ key = \"bars.*.mass\", values = [1, 2] }]\n";
  EXPECT_NE(objection(few).find("2 runs are fewer than the 16"), std::string::npos);
  EXPECT_EQ(objection("engine = \"batch\"\n" + few), "");
  // On hard ground "auto" is the leapfrog; what the ground does to bars within a step is not there.
  const std::string hard =
      "set = ['simulation.integrator=\"auto\"', 'environment.ground={ law = \"rigid\", height = -1 }']\n";
  EXPECT_EQ(objection(hard + plain), "");
  because(hard + plain + "force = \"max(bars.*.force)\"\n", "on hard ground");
  EXPECT_NE(problem_of("engine = \"fast\"\n" + plain).find("engine: "), std::string::npos);
}

TEST_F(SweepByBatch, AsksForACardByName) {
  model(prism);
  EXPECT_NE(problem_of("engine = \"run\"\ndevice = \"cuda\"" + std::string(stiffness)).find("device: is for batches"),
            std::string::npos);
  EXPECT_NE(problem_of("device = \"gpu\"" + std::string(stiffness)).find("device: "), std::string::npos);
  if (card_count() > 0) return;
  EXPECT_NE(problem_of("device = \"cuda\"" + std::string(stiffness)).find("device: batch: device \"cuda\": no "),
            std::string::npos);
}

// What is there stays, whoever stopped it, and the rest comes to the same bytes.
TEST_F(SweepByBatch, GoesOnWhereItStopped) {
  model(prism);
  std::string sweep = stiffness;
  sweep.replace(sweep.find("40]"), 3, "300]");
  const std::string whole = with("batch", sweep);
  SweepOptions options;
  options.folder = folder_ / "half";
  options.report = false;
  options.threads = 1;
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.progress = [&](const SweepCounts& counts) { stop = counts.computed >= 100; };
  const SweepResult half = run_sweep(read_sweep_file((folder_ / "sweep.toml").string()), options);
  EXPECT_FALSE(half.complete);
  EXPECT_GE(half.counts.there, 100);
  EXPECT_LT(half.counts.there, 300);
  options.stop = nullptr;
  options.progress = nullptr;
  options.threads = 3;
  const SweepResult rest = run_sweep(read_sweep_file((folder_ / "sweep.toml").string()), options);
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(rest.counts.computed, 300 - half.counts.there);
  EXPECT_EQ(contents(options.folder / "table.csv"), whole);
  // An option is as good as the file: rows of two engines do not mix.
  SweepFile other = read_sweep_file((folder_ / "sweep.toml").string());
  set_engine(other, SweepEngine::run);
  EXPECT_NE(complaint([&] { run_sweep(other, options); }).find("has the rows of another sweep"), std::string::npos);
}

}  // namespace
}  // namespace taut::testing
