// A run that goes on from a recorded row has the motion of the run that was not interrupted: to the last digit with fixed
// steps, to the tolerance with adaptive ones, whatever has a memory (contact, slack cables, signals, yield, winches,
// controllers). And the model of a state is the structure as it is there.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/file/read/read_toml.h"
#include "taut/formulation/matrices.h"
#include "taut/modes/linearise.h"
#include "taut/modes/modes.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/run/recorded_state.h"
#include "taut/run/simulate.h"
#include "taut/statics/machine/machine_statics.h"
#include "tests/run/falling.h"
#include "tests/support/columns.h"
#include "tests/support/complaint.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

const std::string models = TAUT_SOURCE_DIR "/models/";
const std::vector<std::string> formulations = {"nodal", "minimal", "quaternion", "point_mass", "multibody"};

Scenario falling(const std::string& formulation, const std::string& integrator) {
  Scenario s = falling_robot(formulation, integrator, 2e-4, 1e-9);
  s.simulation.duration = 0.05;
  s.simulation.output_step = 0.005;
  return s;
}

// A run that is also in a file.
taut::Run recorded(const Scenario& scenario, const ScratchFolder& folder) {
  OutputDir dir(folder.path());
  Hdf5Recorder file(dir);
  RunRecorder rows;
  simulate(scenario, {&file, &rows});
  EXPECT_EQ(rows.run.summary.status, RunStatus::done) << rows.run.summary.reason;
  return rows.run;
}

taut::Run gone_on(const Scenario& scenario, const RecordedState& from) {
  RunHooks hooks;
  hooks.from = &from;
  return simulate(scenario, hooks);
}

taut::Run gone_on(const Scenario& scenario, const ScratchFolder& folder, const std::string& at) {
  return gone_on(scenario, read_recorded_state((folder / "run.h5").string() + at));
}

// The largest difference of anything in the rows from `first` on; 0: the same bits.
double difference(const taut::Run& whole, const taut::Run& rest) {
  const std::size_t first = whole.rows() - rest.rows();
  double largest = rest.rows() > 1 ? 0.0 : INFINITY;
  for (std::size_t row = 0; row < rest.rows(); ++row) {
    const Sample a = row_of(whole, first + row), b = row_of(rest, row);
    if (a.t != b.t) return INFINITY;
    for (const auto list : {&Sample::nodes, &Sample::velocities, &Sample::tensions, &Sample::rest_lengths,
                            &Sample::bar_forces, &Sample::contact_forces, &Sample::joints, &Sample::controls})
      for (std::size_t i = 0; i < (a.*list).size(); ++i)
        largest = std::max(largest, std::abs((a.*list)[i] - (b.*list)[i]));
    for (int i = 0; i < energy_columns; ++i) largest = std::max(largest, std::abs(a.energy[i] - b.energy[i]));
  }
  return largest;
}

// In the middle of a segment, and at the jump of the signal.
TEST(Restart, FixedStepsGoOnToTheLastDigitInEveryFormulation) {
  int count = 0;
  for (const std::string& formulation : formulations)
    for (const char* integrator : {"euler", "rk4", "symplectic"}) {
      SCOPED_TRACE(formulation + " " + integrator);
      const Scenario s = falling(formulation, integrator);
      const ScratchFolder folder;
      taut::Run whole;
      try {
        whole = recorded(s, folder);
      } catch (const InputError&) {
        EXPECT_STREQ(integrator, "symplectic");  // which moves nodes, and these formulations cannot
        continue;
      }
      for (const char* at : {"@0", "@0.02", "@0.03", "@0.045"})
        EXPECT_EQ(difference(whole, gone_on(s, folder, at)), 0.0) << at;
      ++count;
    }
  EXPECT_GE(count, 12);
}

// Without anything that depends on velocities, leapfrog goes on with the forces that it has.
TEST(Restart, LeapfrogWithoutDampingGoesOnToTheLastDigit) {
  for (const char* kind : {"six_bar", "prism"}) {
    Scenario s = generated(kind);
    s.model.gravity.setZero();
    s.model.nodes.front().velocity = {0.0, 0.3, 0.2};
    s.simulation.integrator = "symplectic";
    s.simulation.duration = 0.2;
    const ScratchFolder folder;
    const taut::Run whole = recorded(s, folder);
    EXPECT_EQ(difference(whole, gone_on(s, folder, "@0.07")), 0.0);
  }
}

TEST(Restart, DrivenBarsGoOnToTheLastDigit) {
  for (const char* formulation : {"nodal", "minimal", "quaternion"})
    for (const char* integrator : {"rk4", "symplectic"}) {
      SCOPED_TRACE(std::string(formulation) + " " + integrator);
      Scenario s = falling(formulation, integrator);
      const double L = start_length(s.model, s.model.bars[2]);
      drive_length(s.model, 2, sine_signal(L, 0.05 * L, 0.05));
      drive_length(s.model, 4, ramp_signal(start_length(s.model, s.model.bars[4]), 0.9 * L, 0.01, 0.04));
      const ScratchFolder folder;
      const taut::Run whole = recorded(s, folder);
      EXPECT_EQ(whole.bar_lengths(3).size(), 2);
      for (const char* at : {"@0", "@0.02", "@0.03", "@0.045"})
        EXPECT_EQ(difference(whole, gone_on(s, folder, at)), 0.0) << at;
      // The structure as it is there: the bar is as long as it has become.
      const Model there = model_at(read_recorded_state((folder / "run.h5").string() + "@0.03"));
      EXPECT_TRUE(there.bar_drives.empty());
      EXPECT_NEAR(there.bars[2].rest_length, value(s.model.bar_drives[0].length, 0.03), 1e-12);
      EXPECT_NEAR(there.bars[2].inertia / s.model.bars[2].inertia, std::pow(there.bars[2].rest_length / L, 2), 1e-12);
    }
}

TEST(Restart, AdaptiveStepsGoOnToTheTolerance) {
  for (const std::string& formulation : formulations)
    for (const char* integrator : {"dopri5", "cvode"}) {
      SCOPED_TRACE(formulation + " " + integrator);
      Scenario s = falling(formulation, integrator);
      const ScratchFolder folder;
      const taut::Run whole = recorded(s, folder), rest = gone_on(s, folder, "@0.02");
      // Positions; the ground of 1e5 N/m makes forces of 1e-7 m.
      double apart = 0.0;
      for (std::size_t row = 0; row < rest.rows(); ++row)
        apart = std::max(apart, (rest.nodes(row) - whole.nodes(row + 4)).cwiseAbs().maxCoeff());
      EXPECT_LT(apart, 2e-7);
      EXPECT_EQ(rest.summary.start_s, whole.t[4]);
      EXPECT_EQ(rest.summary.simulated_s, whole.summary.simulated_s);
      // No cable switches because of the restart.
      for (const SlackEvent& event : rest.summary.slack_events) EXPECT_GT(event.time, 0.02);
    }
}

// A run that ends at 0.35 s has the rows of a longer one, though 35 * 0.01 is another number.
TEST(Restart, TheLastRowIsOneOfTheLongerRun) {
  Scenario s = test_model("hoist");
  s.simulation.integrator = "rk4";
  s.simulation.step = 0.001;
  s.simulation.output_step = 0.01;
  const ScratchFolder folder;
  s.simulation.duration = 0.6;
  const taut::Run whole = simulate(s);
  s.simulation.duration = 0.35;
  recorded(s, folder);
  s.simulation.duration = 0.6;
  const taut::Run rest = gone_on(s, folder, "");
  ASSERT_NE(35 * 0.01, 0.35);
  EXPECT_EQ(rest.t.front(), 0.35);
  EXPECT_EQ(difference(whole, rest), 0.0);
}

TEST(Restart, YieldGoesOn) {
  for (const char* integrator : {"euler", "rk4", "symplectic", "dopri5", "cvode"}) {
    SCOPED_TRACE(integrator);
    Scenario s = falling("nodal", integrator);
    s.model.ground.reset();
    s.model.actuators.front().rest_length =
        ramp_signal(s.model.cables[3].rest_length, 0.7 * s.model.cables[3].rest_length, 0.0, 0.05);
    for (Cable& cable : s.model.cables) cable.law.yield = 60.0, cable.law.hardening = 0.1;
    const ScratchFolder folder;
    const taut::Run whole = recorded(s, folder), rest = gone_on(s, folder, "@0.035");
    ASSERT_FALSE(whole.summary.yielded.empty());
    ASSERT_EQ(whole.summary.yielded.size(), rest.summary.yielded.size());
    const bool fixed = std::string(integrator) != "dopri5" && std::string(integrator) != "cvode";
    for (std::size_t i = 0; i < whole.summary.yielded.size(); ++i) {
      EXPECT_EQ(whole.summary.yielded[i].member, rest.summary.yielded[i].member);
      EXPECT_NEAR(whole.summary.yielded[i].permanent, rest.summary.yielded[i].permanent, fixed ? 0.0 : 1e-7);
    }
    if (fixed)
      EXPECT_EQ(difference(whole, rest), 0.0);
    else
      EXPECT_LT((whole.nodes(whole.rows() - 1) - rest.nodes(rest.rows() - 1)).cwiseAbs().maxCoeff(), 1e-6);
  }
}

// Winches, counters and integrals of controllers; `roll` chooses its base, `near_rigid` holds torques and strains.
TEST(Restart, ControllersGoOn) {
  const std::string pid = R"([[controllers]]
kind = "pid"
inputs = ["rope"]
targets = ["load.z"]
rate = 40
speed = 0.5
position_gain = -0.3
velocity_gain = -0.05
integral_gain = -0.4
)";
  const std::vector<std::string> fixed = {"simulation.integrator=rk4", "simulation.step=0.001"};
  std::vector<std::pair<Scenario, const char*>> cases = {{test_model("hoist", pid, fixed), "@0.48"}};
  cases.emplace_back(
      read_scenario(models + "six_bar_rolling.toml", {"simulation.integrator=rk4", "simulation.step=0.0005",
                                                      "simulation.duration=0.9", "simulation.output_step=0.05"}),
      "@0.65");
  for (const char* rate : {"0", "200"})
    cases.emplace_back(
        read_scenario(models + "manipulator_steered.toml",
                      {std::string("controllers.steer.rate=") + rate, "simulation.integrator=rk4",
                       "simulation.step=0.0005", "simulation.duration=0.04", "simulation.output_step=0.004"}),
        "@0.016");
  for (const auto& [scenario, at] : cases) {
    SCOPED_TRACE(scenario.model.name);
    const ScratchFolder folder;
    const taut::Run whole = recorded(scenario, folder);
    EXPECT_EQ(difference(whole, gone_on(scenario, folder, at)), 0.0);
  }
}

// Machines without controllers: joints, loops.
TEST(Restart, MachinesGoOn) {
  const std::vector<std::string> fixed = {"simulation.integrator=rk4", "simulation.step=0.0005",
                                          "simulation.duration=0.2", "simulation.output_step=0.02"};
  for (const Scenario& s : {test_model("four_bar", "", fixed), test_model("two_link_arm", "", fixed),
                            read_scenario(models + "three_dof_mechanism.toml", fixed)}) {
    SCOPED_TRACE(s.model.name);
    const ScratchFolder folder;
    const taut::Run whole = recorded(s, folder);
    EXPECT_EQ(difference(whole, gone_on(s, folder, "@0.08")), 0.0);
  }
}

// The equilibrium is found once, before the first run.
TEST(Restart, ASettledRunGoesOn) {
  Scenario s = generated("six_bar", {{"pretension", 20.0}});
  s.model.cables[0].rest_length *= 0.98;
  s.model.nodes[0].velocity = {0.1, 0.0, 0.0};
  s.simulation.settle = true;
  s.simulation.integrator = "rk4";
  s.simulation.duration = 0.1;
  const ScratchFolder folder;
  const taut::Run whole = recorded(s, folder);
  RecordedState from = read_recorded_state((folder / "run.h5").string() + "@0.05");
  EXPECT_NO_THROW(require_same_model(from, s.model));
  Scenario there = s;
  there.model = from.scenario.model;
  EXPECT_EQ(difference(whole, gone_on(there, from)), 0.0);
}

// Nodal coordinates are the nodes themselves and are not written twice; the memory is packed.
TEST(Restart, TheFileStaysCompact) {
  Scenario s = generated("six_bar");
  s.simulation.duration = 2.0;
  s.simulation.integrator = "rk4";
  const ScratchFolder folder;
  const taut::Run whole = recorded(s, folder);
  const taut::Run read = read_run(folder / "run.h5");
  EXPECT_TRUE(read.columns.coordinates.empty());
  EXPECT_EQ(read.columns.memory.size(), whole.columns.memory.size());
  const double before = 8.0 * static_cast<double>(whole.rows() * (6 * s.model.nodes.size() + 2 * s.model.cables.size() +
                                                                  s.model.bars.size() + energy_columns + 2));
  EXPECT_LT(static_cast<double>(std::filesystem::file_size(folder / "run.h5")), 1.25 * before);
}

TEST(Restart, SaysWhyAStateCannotBeTaken) {
  const Scenario s = falling("nodal", "rk4");
  const ScratchFolder folder;
  recorded(s, folder);
  const std::string file = (folder / "run.h5").string();
  const auto says = [&](const std::function<void()>& work, const std::string& text) {
    expect_says(complaint(work), text);
  };
  says([&] { read_recorded_state(file + "@0.012"); },
       "has no row at t = 0.012 s: the rows beside it are at 0.01 s and 0.015 s");
  says([&] { read_recorded_state(file + "@7"); }, "its rows are from 0 s to 0.05 s");
  says([&] { read_recorded_state(file + "@soon"); }, "\"soon\" is not a time in seconds");
  says([&] { read_recorded_state(file + "x"); }, "there is no such file");
  EXPECT_EQ(read_recorded_state(file + "@0.0150001").row.t, read_recorded_state(file + "@0.015").row.t);
  EXPECT_EQ(read_recorded_state(folder.path().string()).row.t, 0.05);

  const RecordedState from = read_recorded_state(file + "@0.02");
  Scenario other = s;
  other.model.cables[2].law.stiffness *= 2.0;
  other.model.loads.push_back({});
  says([&] { require_same_model(from, other.model); }, "run.h5: cables.n1-n9.stiffness: is ");
  says([&] { require_same_model(from, other.model); }, "loads: ");
  other = s;
  other.model.cables.pop_back();
  says([&] { require_same_model(from, other.model); }, "cables: there are 24 in the run, 23 in the model");
  EXPECT_NO_THROW(require_same_model(from, s.model));

  other = s;
  other.simulation.formulation = "minimal";
  says([&] { gone_on(other, from); },
       "was computed in formulation nodal, and its coordinates are not those of minimal");
  other.simulation.formulation = "all";
  says([&] { gone_on(other, from); }, "compares runs from t = 0");
  other = s;
  other.simulation.duration = 0.02;
  says([&] { gone_on(other, from); }, "expected a later end");
  // Numbers that a damaged file may hold.
  RecordedState damaged = from;
  damaged.row.memory.pop_back();
  says([&] { gone_on(s, damaged); }, "which are not those of this model");
  damaged = from;
  damaged.row.memory.front() = 7.0;
  says([&] { gone_on(s, damaged); }, "layout 7");
  damaged = from;
  damaged.row.nodes[4] = NAN;
  says([&] { gone_on(s, damaged); }, "not finite");
}

// Another integrator takes the state and nothing of what the first one remembers.
TEST(Restart, AnotherIntegratorMayGoOn) {
  const Scenario s = falling("nodal", "cvode");
  const ScratchFolder folder;
  const taut::Run whole = recorded(s, folder);
  for (const char* integrator : {"rk4", "dopri5", "symplectic", "cvode"}) {
    SCOPED_TRACE(integrator);
    Scenario other = s;
    other.simulation.integrator = integrator;
    other.simulation.step = 5e-5;
    const taut::Run rest = gone_on(other, folder, "@0.015");
    ASSERT_EQ(rest.summary.status, RunStatus::done) << rest.summary.reason;
    // Contact is felt to what each method makes of it.
    EXPECT_LT((whole.nodes(whole.rows() - 1) - rest.nodes(rest.rows() - 1)).cwiseAbs().maxCoeff(), 5e-5);
  }
}

// Tensions, net forces and rest lengths of the model of a state are those of the row.
TEST(Restart, TheModelOfAStateIsTheStructureThere) {
  for (const char* formulation : {"nodal", "minimal"}) {
    SCOPED_TRACE(formulation);
    Scenario s = falling(formulation, "dopri5");
    add_load(s.model, 2, {0.0, 5.0, 0.0}, 0.0, 0.033);
    add_load(s.model, 4, {3.0, 0.0, 0.0}, 0.033, 9.0);
    for (Cable& cable : s.model.cables) cable.law.damping = 0.0, cable.law.yield = 55.0, cable.law.hardening = 0.2;
    const ScratchFolder folder;
    const taut::Run whole = recorded(s, folder);
    ASSERT_FALSE(whole.summary.yielded.empty());
    const RecordedState from = read_recorded_state((folder / "run.h5").string() + "@0.04");
    const Model there = model_at(from);
    ASSERT_EQ(there.loads.size(), 1u);
    EXPECT_EQ(there.loads[0].node, 4);
    EXPECT_TRUE(there.actuators.empty());
    const Balance balance = start_balance(there);
    for (std::size_t i = 0; i < s.model.cables.size(); ++i)
      EXPECT_NEAR(balance.cable_tension[i], whole.tensions(8)[static_cast<long>(i)],
                  1e-9 * (1.0 + whole.tensions(8)[static_cast<long>(i)]))
          << i;
    for (std::size_t i = 0; i < s.model.nodes.size(); ++i)
      EXPECT_LT((there.nodes[i].position - whole.nodes(8).col(static_cast<long>(i))).norm(), 1e-15);
  }
}

// Of Arsenault and Gosselin (2005), once it has come to rest with its knees elsewhere: every rigid cable carries K L, and
// along a leg acts 2 K ρ, by the positions of the row itself.
TEST(Restart, AMachineStandsAsItIsThere) {
  const Scenario s = read_scenario(models + "three_dof_mechanism.toml",
                                   {"simulation.integrator=rk4", "simulation.step=0.0005", "simulation.duration=8"});
  const ScratchFolder folder;
  const taut::Run whole = recorded(s, folder);
  const auto at = [&](const std::string& time) {
    const RecordedMachine machine = machine_at(read_recorded_state((folder / "run.h5").string() + time));
    return analyse_machine(machine.model, {}, machine.place);
  };
  const MachineStatics start = analyse_machine(s.model), zero = at("@0"), end = at("");
  EXPECT_TRUE(zero.at_start);
  EXPECT_EQ((start.forces - zero.forces).lpNorm<Eigen::Infinity>(), 0.0);
  EXPECT_EQ((start.stiffness - zero.stiffness).norm(), 0.0);
  ASSERT_TRUE(end.at_start) << end.imbalance;
  const double K = 1000.0, L = std::sqrt(0.5), Ls = std::sqrt(2.0);
  const auto x = whole.nodes(whole.rows() - 1);
  for (int leg = 0; leg < 3; ++leg) {
    const double rho = (x.col(3 * leg + 2) - x.col(3 * leg)).norm();
    EXPECT_GT(std::abs(rho - 2.0), 0.05);
    for (int bar : {2 * leg, 2 * leg + 1}) EXPECT_NEAR(end.bar_forces[bar], -2.0 * K * rho * 0.5 * rho / Ls, 1e-3);
    EXPECT_NEAR(end.bar_forces[6 + leg], K * L, 1e-3);
  }
}

// Torques are those that actuators and controllers have there, sampled or continuous; rest lengths those of the pulleys;
// and what of the forces nothing holds is what would set the machine at rest in motion: Bᵀ Q = Bᵀ M v̇.
TEST(Restart, AMachineKeepsItsTorquesAndLoads) {
  for (const char* rate : {"0", "200"}) {
    SCOPED_TRACE(rate);
    Scenario s = read_scenario(models + "manipulator_steered.toml",
                               {std::string("controllers.steer.rate=") + rate, "simulation.integrator=rk4",
                                "simulation.step=0.0005", "simulation.duration=0.02", "simulation.output_step=0.004"});
    add_load(s.model, 3, {0.0, 2.0, 0.0}, 0.0, 0.01);
    add_load(s.model, 4, {1.0, 0.0, 0.0}, 0.01, 9.0);
    const ScratchFolder folder;
    const taut::Run whole = recorded(s, folder);
    const RecordedState from = read_recorded_state((folder / "run.h5").string() + "@0.016");
    const RecordedMachine there = machine_at(from);
    ASSERT_EQ(there.model.loads.size(), 1u);
    EXPECT_EQ(there.model.loads[0].node, 4);
    int torques = 0;
    for (const JointDrive& drive : there.model.drives) {
      if (drive.imposed) continue;
      const std::string name = there.model.joints[drive.joint].name;
      EXPECT_NEAR(drive.signal.value, joint_value(s, row_of(whole, 4), name + ".torque"), 1e-9) << name;
      torques += drive.signal.value != 0.0;
    }
    EXPECT_EQ(torques, 6);

    MachineForces forces(there.model, there.place);
    forces.net_force(forces.start());
    const State state = state_of(from);
    const Dynamics dynamics(from.scenario.model, from.formulation, ConstraintMethod::none);
    Terms terms = dynamics.make_terms();
    dynamics.recall(state, terms);
    const int nv = state.nv;
    terms.held.assign(nv, NAN);  // as continuous controllers have it
    for (const JointDrive& drive : there.model.drives)
      terms.held[dynamics.formulation().joints()->joint_indices(drive.joint).v + drive.coordinate] = drive.signal.value;
    Eigen::VectorXd y = state.y, rates(dynamics.size());
    y.segment(state.nq, nv).setZero();
    dynamics.rhs(state.t, y.data(), rates.data(), terms);
    const Eigen::MatrixXd M = dynamics.formulation().matrices(y.data(), nullptr, {.M = true}).M;
    const Eigen::VectorXd moved = forces.allowed().transpose() * (M * rates.segment(state.nq, nv)),
                          left = forces.allowed().transpose() * forces.force();
    EXPECT_GT(left.norm(), 1e-3);
    EXPECT_LT((moved - left).norm(), 1e-8 * (1.0 + forces.force().norm()));
  }
}

// A plate that turns: its centre and inertia go with its nodes, so that it weighs as it did.
TEST(Restart, BodiesTurnWithTheirNodes) {
  const std::string plate = R"([nodes]
a = [0, 0, 0]
b = [1, 0, 0]
c = [0, 1, 0]
d = [0, 0, 0.5]
[[bodies]]
name = "block"
nodes = ["a", "b", "c", "d"]
mass = 3.0
centre = [0.3, 0.2, 0.1]
inertia = [0.4, 0.5, 0.6]
velocity = [0.1, 0, 0.2]
angular_velocity = [1, 2, -0.5]
[simulation]
duration = 1.0
tolerance = 1e-11
integrator = "dopri5"
)";
  const Scenario s = read_scenario_text(plate, "plate.toml");
  const ScratchFolder folder;
  const taut::Run whole = recorded(s, folder);
  Scenario there = s;
  there.model = model_at(read_recorded_state((folder / "run.h5").string() + "@0.6"));
  EXPECT_GT((there.model.bodies[0].inertia - s.model.bodies[0].inertia).norm(), 0.05);
  // From there it moves as it did, by its mass alone.
  there.simulation.duration = 0.4;
  const taut::Run rest = simulate(there);
  EXPECT_NEAR(rest.energy(0)[kinetic], whole.energy(60)[kinetic], 1e-9);
  EXPECT_LT((rest.nodes(rest.rows() - 1) - whole.nodes(whole.rows() - 1)).cwiseAbs().maxCoeff(), 1e-7);
}

// A pendulum: about its recorded state the linear model is that of the state, in its own coordinates and in others.
TEST(Restart, LinearModelsAndModesAreAboutTheState) {
  Scenario s = test_model("swing", "", {"simulation.integrator=dopri5"});
  const ScratchFolder folder;
  recorded(s, folder);
  const RecordedState from = read_recorded_state((folder / "run.h5").string());
  const State state = state_of(from);
  const Dynamics dynamics(s.model, from.formulation, ConstraintMethod::none);
  const LinearModel linear = linearise(dynamics, state);
  // Differences of the right-hand side.
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd plus(dynamics.size()), minus(dynamics.size());
  const double h = 1e-6;
  long column = 0;
  for (int j = 0; j < state.nq + state.nv; ++j) {
    if (dynamics.formulation().facts().state_names[static_cast<std::size_t>(j)].empty()) continue;
    State moved = state;
    dynamics.recall(moved, terms);
    moved.y[j] += h;
    dynamics.rhs(moved.t, moved.y.data(), plus.data(), terms);
    moved.y[j] -= 2.0 * h;
    dynamics.rhs(moved.t, moved.y.data(), minus.data(), terms);
    long row = 0;
    for (int i = 0; i < state.nq + state.nv; ++i) {
      if (dynamics.formulation().facts().state_names[static_cast<std::size_t>(i)].empty()) continue;
      EXPECT_NEAR(linear.A(row++, column), (plus[i] - minus[i]) / (2.0 * h), 1e-5 * linear.A.cwiseAbs().maxCoeff());
    }
    ++column;
  }
}

}  // namespace
}  // namespace taut::testing
