// Snapshots as bytes: all of a state travels, to the last bit; damaged bytes and states of another model are refused, and
// never taken for what they are not.
#include "taut/run/snapshot_bytes.h"

#include <gtest/gtest.h>

#include <random>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "tests/run/falling.h"
#include "tests/support/complaint.h"

namespace taut::testing {
namespace {

const std::string models = TAUT_SOURCE_DIR "/models/";

// Goes on alike from the snapshot and from its bytes, and both are the same bytes again.
void expect_travels(const Scenario& scenario, double first, double then) {
  Simulation sim(scenario);
  sim.advance(first);
  const Snapshot here = sim.snapshot();
  const std::string bytes = bytes_of(here);
  sim.advance(then);
  Simulation other(scenario);
  other.restore(snapshot_of(bytes));
  EXPECT_EQ(bytes_of(other.snapshot()), bytes);
  other.advance(then);
  EXPECT_EQ(bytes_of(other.snapshot()), bytes_of(sim.snapshot()));
  EXPECT_TRUE(other.state().y == sim.state().y);
}

TEST(SnapshotBytes, HoldEverythingThatAMotionGoesOnFrom) {
  for (const char* formulation : {"nodal", "minimal", "quaternion", "multibody"})
    for (const char* integrator : {"rk4", "dopri5", "symplectic", "cvode"}) {
      SCOPED_TRACE(std::string(formulation) + " " + integrator);
      const Scenario s = falling_robot(formulation, integrator, 1e-4, 1e-7);
      try {
        Simulation{s};
      } catch (const InputError&) {
        continue;  // not every method takes every formulation
      }
      expect_travels(s, 0.35, 0.2);
    }
}

TEST(SnapshotBytes, HoldControllersWinchesAndEvents) {
  expect_travels(read_scenario(models + "six_bar_rolling.toml"), 0.8, 0.4);
  expect_travels(read_scenario(models + "manipulator_steered.toml"), 0.05, 0.05);
}

// One bit anywhere: the checksum finds it. Every shorter text: too short. Behind the end: left over.
TEST(SnapshotBytes, DamagedBytesAreRefused) {
  Simulation sim(falling_robot("nodal", "symplectic", 1e-4, 1e-7));
  sim.advance(0.1);
  const std::string bytes = bytes_of(sim.snapshot());
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::string broken = bytes;
    broken[random() % broken.size()] ^= static_cast<char>(1 << random() % 8);
    EXPECT_THROW(snapshot_of(broken), InputError);
  }
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_THROW(snapshot_of(std::string_view(bytes).substr(0, size)), InputError);
  EXPECT_THROW(snapshot_of(bytes + "x"), InputError);
  EXPECT_THROW(snapshot_of("no snapshot at all"), InputError);
}

// What a state says of cables, pulleys and bars must be there, whoever made it.
TEST(SnapshotBytes, AStateOfAnotherModelIsRefusedAndChangesNothing) {
  Simulation sim(falling_robot("nodal", "symplectic", 1e-4, 1e-7));
  sim.advance(0.1);
  const Snapshot good = sim.snapshot();
  const auto expect_refused = [&](const char* what, const std::function<void(Snapshot&)>& break_it) {
    Snapshot bad = good;
    break_it(bad);
    expect_says(complaint([&] { sim.restore(bad); }), "another model");
    EXPECT_EQ(bytes_of(sim.snapshot()), bytes_of(good)) << what;
  };
  expect_refused("nq", [](Snapshot& s) { ++s.state.nq; });
  expect_refused("y", [](Snapshot& s) { s.state.y.conservativeResize(s.state.y.size() - 1); });
  expect_refused("nan", [](Snapshot& s) { s.state.y[3] = NAN; });
  expect_refused("time", [](Snapshot& s) { s.state.t = INFINITY; });
  expect_refused("winch", [](Snapshot& s) { s.state.memory.winches.push_back({24, 1.0, 0.0, 0.0}); });
  expect_refused("winch below", [](Snapshot& s) { s.state.memory.winches.push_back({-1, 1.0, 0.0, 0.0}); });
  expect_refused("permanent", [](Snapshot& s) { s.state.memory.permanent.push_back(0.0); });
  expect_refused("taut", [](Snapshot& s) { s.state.memory.taut.assign(3, 1.0); });
  expect_refused("torques", [](Snapshot& s) { s.state.memory.torques.assign(5, 1.0); });
  expect_refused("control", [](Snapshot& s) { s.state.memory.control.push_back(1.0); });
  expect_refused("switch", [](Snapshot& s) { s.integrator.switches.push_back({0.05, 1000, true}); });
  expect_refused("pass", [](Snapshot& s) { s.integrator.passes.push_back({0.05, 0, 6}); });
  expect_refused("winding", [](Snapshot& s) { s.integrator.windings.push_back({0.05, 0, true}); });
  expect_refused("event", [](Snapshot& s) { s.control.events.push_back({0.05, 0, "x"}); });
  expect_refused("use", [](Snapshot& s) { s.control.uses.emplace_back(); });
  expect_refused("frame", [](Snapshot& s) { s.frames.emplace_back(); });
  EXPECT_THROW(Simulation(read_scenario(models + "single_strut.toml")).restore(good), InputError);
  sim.advance(0.1);
}

// Controllers know their winches, torques and instants by number; an instant long past would be caught up without end.
TEST(SnapshotBytes, AStateWithoutWhatControllersNeedIsRefused) {
  Simulation sim(read_scenario(models + "six_bar_rolling.toml"));
  sim.advance(1.5);
  const Snapshot good = sim.snapshot();
  ASSERT_FALSE(good.state.memory.winches.empty());
  const auto expect_refused = [&](const std::function<void(Memory&)>& break_it) {
    Snapshot bad = good;
    break_it(bad.state.memory);
    expect_says(complaint([&] { sim.restore(bad); }), "another model");
  };
  expect_refused([](Memory& m) { m.winches.pop_back(); });
  expect_refused([](Memory& m) { std::swap(m.winches.front(), m.winches.back()); });
  expect_refused([](Memory& m) { m.control.front() = -1e300; });
  expect_refused([](Memory& m) { m.control.front() = 0.0; });
  sim.restore(good);
  sim.advance(0.1);
}

}  // namespace
}  // namespace taut::testing
