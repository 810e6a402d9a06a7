// The rolling six-bar: where it stands, how its centre of mass answers to the cables, winches that move as they can,
// and both policies from face to face, with the energy accounted for, in every formulation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <numeric>
#include <set>

#include "taut/base/error.h"
#include "taut/control/control.h"
#include "taut/control/controllers/shape_response.h"
#include "taut/control/controllers/stance.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/results/record_csv.h"
#include "taut/solve/dense.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

const std::string models = std::string(TAUT_SOURCE_DIR) + "/models/";

std::vector<double> strided(const Model& model) {
  std::vector<double> x;
  for (const Node& node : model.nodes)
    x.insert(x.end(), {node.position.x(), node.position.y(), node.position.z(), 0.0});
  return x;
}

Vec3 centre_of_mass(const Model& model, const Sample& row) {
  Vec3 sum = Vec3::Zero();
  double total = 0.0;
  for (const Bar& bar : model.bars) {
    sum += bar.mass * ((1.0 - bar.com) * position(row, bar.a) + bar.com * position(row, bar.b));
    total += bar.mass;
  }
  return sum / total;
}

// The neutral six-bar on the face n1, n5, n9, whose normal is (1, 1, 1): edges √(3/8) m, so an inner radius of √2/8 m;
// the centre is 0.75/√3 m above.
TEST(Stance, OfTheSixBarOnAClosedFace) {
  Model model = generated("six_bar").model;
  const Eigen::Quaterniond turn = turn_between(Vec3(1, 1, 1), Vec3(0, 0, -1));
  for (Node& node : model.nodes) node.position = turn * node.position + Vec3(3.0, -2.0, 0.75 / std::sqrt(3.0));
  model.ground.emplace();
  const StanceFinder finder(model);
  const Stance stance = finder.find(strided(model).data());
  EXPECT_EQ(stance.base, (std::vector{0, 4, 8}));
  ASSERT_EQ(stance.edges.size(), 3u);
  EXPECT_TRUE(stance.stands);
  EXPECT_LT((stance.centre - Vec3(3.0, -2.0, 0.75 / std::sqrt(3.0))).norm(), 1e-14);
  Vec3 sum = Vec3::Zero();
  for (const BaseEdge& edge : stance.edges) {
    EXPECT_NEAR(edge.inside, std::sqrt(2.0) / 8.0, 1e-14);
    EXPECT_NEAR(edge.outward.dot(model.nodes[edge.b].position - model.nodes[edge.a].position), 0.0, 1e-14);
    sum += edge.outward;
  }
  EXPECT_LT(sum.norm(), 1e-14);  // an equilateral triangle
  // In the air, and with the centre of mass off the base, it does not stand.
  for (Node& node : model.nodes) node.position.z() += 0.1;
  EXPECT_FALSE(finder.find(strided(model).data()).stands);
  for (Node& node : model.nodes) node.position += Vec3(node.position.z() < 0.2 ? 0.3 : 0.0, 0.0, -0.1);
  EXPECT_FALSE(finder.find(strided(model).data()).stands);
}

// A mass in the middle of three equal cables, 120° apart, in the plane of the base. Stretch and tension make the
// stiffness (3/2)(k + T/l) along the plane, so that winding in cable i by δ moves it by k δ u_i·d / that along d.
TEST(ShapeResponse, ClosedFormOfAMassBetweenThreeCables) {
  Model model;
  const double k = 100.0, rest = 0.8;
  for (int i = 0; i < 3; ++i) {
    const double angle = 0.3 + i * 2.0 * std::numbers::pi / 3.0;
    add_node(model, Vec3(std::cos(angle), std::sin(angle), 0.0));
  }
  add_node(model, Vec3::Zero(), 2.0);
  for (int i = 0; i < 3; ++i) add_cable(model, {3, i}, linear_law(k), rest);
  ShapeResponse response(model);
  const std::vector<double> rests(3, rest), x = strided(model);
  const Vec3 d = Vec3(0.6, 0.8, 0.0);
  const std::vector<double>& along =
      response.along(d, {0.0, 0.0, 0.0, 2.0}, std::array{0, 1, 2}, x.data(), rests.data());
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(along[i], -k * model.nodes[i].position.dot(d) / (1.5 * (k + k * (1.0 - rest))), 1e-12);
}

// Cables between nodes that are held move nothing, and the response is linear in the direction.
TEST(ShapeResponse, OfTheSixBar) {
  const Model model = generated("six_bar").model;
  ShapeResponse response(model);
  std::vector<double> rests;
  for (const Cable& cable : model.cables) rests.push_back(cable.rest_length);
  const std::vector<double> masses = node_masses(model), x = strided(model);
  const std::array<int, 3> base = {0, 4, 8};
  const auto along = [&](const Vec3& d) { return response.along(d, masses, base, x.data(), rests.data()); };
  const std::vector<double> ax = along({1, 0, 0}), ay = along({0, 1, 0}), both = along({2, -3, 0});
  for (std::size_t j = 0; j < model.cables.size(); ++j) {
    EXPECT_NEAR(both[j], 2.0 * ax[j] - 3.0 * ay[j], 1e-12);
    const std::set<int> held(base.begin(), base.end());
    const bool between = held.contains(model.cables[j].path[0]) && held.contains(model.cables[j].path[1]);
    EXPECT_EQ(std::abs(ax[j]) < 1e-12, between) << model.cables[j].name;
  }
  EXPECT_GT(*std::max_element(ax.begin(), ax.end()), 0.05);
}

struct Rolling {
  Scenario scenario;
  Motion motion;
  Vec3 moved;
};

Rolling roll(const std::string& file, const std::vector<std::string>& set) {
  Rolling r{read_scenario(models + file, set), {}, {}};
  r.motion = run(r.scenario);
  r.moved = centre_of_mass(r.scenario.model, r.motion.last()) - centre_of_mass(r.scenario.model, r.motion.rows.front());
  return r;
}

// Several faces, more than a body's radius, where it is asked to go, with the energy accounted for.
TEST(Roll, BothPoliciesRollTheSixBarFromFaceToFace) {
  for (const char* file : {"six_bar_rolling.toml", "six_bar_rolling_all.toml"})
    for (const auto& [text, direction] :
         {std::pair{"[1, 0]", Vec3(1, 0, 0)}, {"[0, -2]", Vec3(0, -1, 0)}, {"[-1, 1]", Vec3(-1, 1, 0).normalized()}}) {
      SCOPED_TRACE(std::string(file) + " " + text);
      const Rolling r = roll(file, {std::string("controllers.roller.direction=") + text});
      const Summary& summary = r.motion.summary;
      ASSERT_EQ(summary.status, RunStatus::done) << summary.reason;
      std::set<std::string> faces;
      for (const ControlEvent& event : summary.control_events) faces.insert(event.what);
      EXPECT_GE(faces.size(), 5u);  // the first one and four more
      EXPECT_GT(r.moved.dot(direction), 1.0);
      EXPECT_GT(r.moved.dot(direction), 2.0 * r.moved.cross(direction).norm());
      EXPECT_LT(summary.energy_drift, 2e-5);  // tolerance 1e-5
      EXPECT_GT(r.motion.last().energy[work], 5.0);
    }
}

// From the balanced edge that the generator stands on, from a fall, a throw, with a spin; over slower and faster
// ground.
TEST(Roll, TheStartDoesNotMatter) {
  const std::vector<std::vector<std::string>> starts = {
      {"simulation.settle=true"},
      {"environment.ground.height=-1", "controllers.roller.start=2"},
      {"generate.spin_y=0.8", "generate.velocity_y=0.3"},
      {"environment.ground.friction=0.5", "controllers.roller.rate=40"}};
  for (const char* file : {"six_bar_rolling.toml", "six_bar_rolling_all.toml"})
    for (const std::vector<std::string>& start : starts) {
      const Rolling r = roll(file, start);
      EXPECT_EQ(r.motion.summary.status, RunStatus::done) << r.motion.summary.reason;
      EXPECT_GE(r.motion.summary.control_events.size(), 4u) << file << " " << start[0];
      EXPECT_GT(r.moved.x(), 0.5) << file << " " << start[0];
    }
}

// The neutral twelve-bar on one of its squares: four nodes carry it, one edge for each side, all at the same distance.
TEST(Stance, OnAFaceOfFourNodes) {
  Model model = generated("twelve_bar").model;
  double lowest = 0.0;
  for (const Node& node : model.nodes) lowest = std::min(lowest, node.position.z());
  model.ground.emplace();
  model.ground->height = lowest;
  model.gravity = {0.0, 0.0, -9.81};
  const Stance stance = StanceFinder(model).find(strided(model).data());
  EXPECT_EQ(stance.base.size(), 4u);
  EXPECT_TRUE(stance.stands);
  ASSERT_EQ(stance.edges.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(stance.edges[k].b, stance.edges[(k + 1) % 4].a);
    EXPECT_NEAR(stance.edges[k].inside, stance.edges[0].inside, 1e-14);
    EXPECT_NEAR(stance.edges[k].outward.dot(stance.edges[(k + 1) % 4].outward), 0.0, 1e-14);
  }
}

// Longer rods, stiffer cables, four nodes to a face, uphill (by the ground and by gravity): it goes more than its size
// and nothing is to be warned of.
TEST(Roll, MovesOtherRobotsAndUphill) {
  const std::string slope =
      fmt::format("[{}, 0, {}]", -std::sin(std::numbers::pi / 36), std::cos(std::numbers::pi / 36));
  const std::string gravity =
      fmt::format("[{}, 0, {}]", -9.81 * std::sin(std::numbers::pi / 36), -9.81 * std::cos(std::numbers::pi / 36));
  const std::vector<std::vector<std::string>> robots = {
      {"generate.length=2", "environment.ground.height=-1.04"},
      {"generate.stiffness=2000"},
      {"generate.kind=twelve_bar", "generate.stiffness=2000", "generate.pretension=80", "environment.ground.height=-1",
       "controllers.roller.start=2"},
      {"environment.ground.normal=" + slope, "environment.ground.height=-0.6"},
      {"environment.gravity=" + gravity}};
  for (const std::vector<std::string>& robot : robots) {
    const Rolling r = roll("six_bar_rolling_all.toml", robot);
    EXPECT_EQ(r.motion.summary.status, RunStatus::done) << r.motion.summary.reason;
    EXPECT_GT(r.moved.x(), 1.0) << robot[0];
    EXPECT_EQ(r.motion.summary.warnings, std::vector<std::string>{}) << robot[0];
  }
}

// What does not move says so in the closing table: cables that do not carry the robot, two cables that do not tip it, a
// controller that starts after the end.
TEST(Roll, SaysThatItCannot) {
  const auto warning = [](const std::string& file, const std::vector<std::string>& set) {
    const Rolling r = roll(file, set);
    return r.motion.summary.warnings.empty() ? std::string() : r.motion.summary.warnings.back();
  };
  const std::string flat = warning("six_bar_rolling_all.toml",
                                   {"generate.kind=twelve_bar", "environment.ground.height=-1"}),
                    two = warning("six_bar_rolling.toml", {"generate.kind=twelve_bar", "generate.stiffness=2000",
                                                           "generate.pretension=80", "environment.ground.height=-1"}),
                    late = warning("six_bar_rolling.toml", {"controllers.roller.start=30"}),
                    uphill = warning("six_bar_rolling.toml",
                                     {fmt::format("environment.ground.normal=[{}, 0, {}]",
                                                  -std::sin(std::numbers::pi / 36), std::cos(std::numbers::pi / 36)),
                                      "environment.ground.height=-0.6"}),
                    prism = warning("six_bar_rolling.toml",
                                    {"generate={kind=\"prism\", damping=20}", "environment.ground.height=-0.1"});
  EXPECT_NE(flat.find("controller roller did not roll where it was asked to"), std::string::npos) << flat;
  EXPECT_NE(flat.find("lies flat on the ground"), std::string::npos) << flat;
  EXPECT_NE(two.find("try policy = \"all_cables\""), std::string::npos) << two;
  EXPECT_NE(two.find("two cables do not tip it"), std::string::npos) << two;
  // Uphill they do tip it, but not over the edges that it is pushed over: the reason must not say that they do not.
  EXPECT_NE(uphill.find("did not roll where it was asked to"), std::string::npos) << uphill;
  EXPECT_NE(uphill.find("two cables do not always reach the edge that leads there"), std::string::npos) << uphill;
  EXPECT_NE(prism.find("two cables do not tip it"), std::string::npos) << prism;
  EXPECT_EQ(late, "controller roller never acted: it starts at t = 30 s");
}

// Cables that are not named keep their rest lengths, and others may drive them.
TEST(Roll, DrivesTheCablesThatAreNamed) {
  std::string names;
  const Model six = generated("six_bar").model;
  for (std::size_t j = 0; j < 16; ++j) names += fmt::format("{}\"{}\"", j == 0 ? "" : ", ", six.cables[j].name);
  const std::vector<std::string> set = {"controllers.roller.inputs=[" + names + "]", "simulation.duration=5"};
  const Rolling r = roll("six_bar_rolling_all.toml", set);
  EXPECT_EQ(r.motion.summary.status, RunStatus::done) << r.motion.summary.reason;
  EXPECT_EQ(read_scenario_text(to_toml(r.scenario), "again.toml"), r.scenario);
  std::vector<double> most(24, 0.0);
  for (const Sample& row : r.motion.rows)
    for (std::size_t j = 0; j < 24; ++j)
      most[j] = std::max(most[j], std::abs(row.rest_lengths[j] - r.scenario.model.cables[j].rest_length));
  for (std::size_t j = 0; j < 24; ++j) EXPECT_EQ(most[j] > 1e-3, j < 16) << j;
  EXPECT_EQ(driven_cables(r.scenario.model).size(), 16u);
  for (const auto& [inputs, message] : {std::pair{"[\"n1-n55\"]", "there is no cable \"n1-n55\""},
                                        {"[\"n1-n5\", \"n1-n5\"]", "names \"n1-n5\" twice"},
                                        {"[\"n1-n5\"]", "name two or more"}})
    try {
      roll("six_bar_rolling.toml", {std::string("controllers.roller.inputs=") + inputs});
      FAIL() << inputs;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
}

// Rest lengths stay what they are until the start, then move no faster than the winches and within their limits;
// between control instants on straight lines.
TEST(Roll, WinchesMoveAsTheyCan) {
  const Rolling r = roll("six_bar_rolling_all.toml", {"simulation.duration=4", "simulation.output_step=0.01"});
  const Model& model = r.scenario.model;
  const RollSettings& settings = model.controllers[0].roll;
  double shortest = 1.0, longest = 1.0, fastest = 0.0;
  for (std::size_t row = 1; row < r.motion.rows.size(); ++row)
    for (std::size_t j = 0; j < model.cables.size(); ++j) {
      const double now = r.motion.rows[row].rest_lengths[j], before = r.motion.rows[row - 1].rest_lengths[j];
      if (r.motion.rows[row].t <= 1.0) {
        ASSERT_EQ(now, model.cables[j].rest_length);
      }
      shortest = std::min(shortest, now / model.cables[j].rest_length);
      longest = std::max(longest, now / model.cables[j].rest_length);
      fastest = std::max(fastest, std::abs(now - before) / 0.01);
      // Five rows to an instant.
      if (row % 5 != 0 && row + 1 < r.motion.rows.size()) {
        ASSERT_NEAR(r.motion.rows[row + 1].rest_lengths[j] - now, now - before, 1e-12) << row;
      }
    }
  EXPECT_GE(shortest, settings.shortest - 1e-12);
  EXPECT_LT(shortest, settings.shortest + 0.1);
  EXPECT_LE(longest, settings.longest + 1e-12);
  EXPECT_GT(longest, 1.02);
  EXPECT_NEAR(fastest, settings.speed, 1e-9);
}

TEST(Roll, TheSameInputGivesTheSameOutput) {
  const Rolling a = roll("six_bar_rolling.toml", {"simulation.duration=6"}),
                b = roll("six_bar_rolling.toml", {"simulation.duration=6"});
  ASSERT_EQ(a.motion.rows.size(), b.motion.rows.size());
  EXPECT_EQ(a.motion.last().nodes, b.motion.last().nodes);
  EXPECT_EQ(a.motion.last().energy, b.motion.last().energy);
}

// Feedback on each formulation's own state; over the first face the motions have not had the time to part.
TEST(Roll, EveryFormulationAndIntegratorRollsAlike) {
  const std::vector<std::string> tight = {"simulation.tolerance=1e-8", "simulation.duration=3"};
  const Rolling reference = roll("six_bar_rolling.toml", tight);
  std::vector<std::string> all = tight;
  all.push_back("simulation.formulation=all");
  const Summary compared = roll("six_bar_rolling.toml", all).motion.summary;
  EXPECT_EQ(compared.status, RunStatus::done) << compared.reason;
  EXPECT_GE(compared.formulations.size(), 3u);
  EXPECT_LT(compared.largest_difference, 1e-5);
  for (const auto& [integrator, accuracy, bound] :
       {std::tuple{"cvode", 1e-8, 1e-4}, {"rk4", 1e-4, 1e-3}, {"symplectic", 1e-4, 0.1}}) {
    const Motion other = run(reference.scenario, integrator, accuracy);
    ASSERT_EQ(other.summary.status, RunStatus::done) << integrator;
    EXPECT_LT(distance(other.last(), reference.motion.last()), bound) << integrator;
  }
}

// A control instant that falls on a breakpoint up to rounding is one segment end, and instants begin at `start`.
TEST(Control, InstantsFallOnTheirTimes) {
  const Model model =
      read_scenario(models + "six_bar_rolling.toml", {"controllers.roller.rate=10", "controllers.roller.start=0.1"})
          .model;
  const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
  Control control(dynamics);
  State state = dynamics.start();
  control.begin({}, state);
  ControlLog log = control.start_log();
  EXPECT_EQ(state.memory.winches.size(), 24u);
  EXPECT_FALSE(control.due(state));
  EXPECT_EQ(control.next_before(5.0, state), 0.1);
  EXPECT_EQ(control.next_before(0.05, state), 0.05);
  const double close = std::nextafter(0.1, 1.0);
  EXPECT_EQ(control.next_before(close, state), close);
  state.t = close;
  EXPECT_TRUE(control.due(state));
  const std::vector<double> x = strided(model), v(x.size(), 0.0);
  std::vector<double> rest;
  for (const Cable& cable : model.cables) rest.push_back(cable.rest_length);
  control.update({.t = close, .x = x.data(), .v = v.data(), .rest = rest.data()}, state, log);
  EXPECT_FALSE(control.due(state));
  EXPECT_NEAR(control.next_before(5.0, state), 0.2, 1e-15);
}

// Rods of a body that turns as a whole: v + ω × r of their centres, and ω less its part along the rod.
TEST(RodsCsv, VelocitiesOfARigidMotion) {
  const Vec3 velocity(0.3, -0.2, 0.5), spin(0.7, 1.1, -0.4);
  Scenario s = generated("six_bar", {{"velocity_x", velocity.x()},
                                     {"velocity_y", velocity.y()},
                                     {"velocity_z", velocity.z()},
                                     {"spin_x", spin.x()},
                                     {"spin_y", spin.y()},
                                     {"spin_z", spin.z()}});
  s.simulation.duration = 0.1;
  const ScratchFolder folder;
  {
    OutputDir dir(folder.path());
    CsvRecorder recorder(dir, s.model);
    simulate(s, {&recorder});
  }
  std::istringstream text(contents(folder / "rods.csv"));
  std::string header, row, field;
  std::getline(text, header);
  std::getline(text, row);
  EXPECT_TRUE(header.starts_with("t,n1-n2.vx,n1-n2.vy,n1-n2.vz,n1-n2.wx,n1-n2.wy,n1-n2.wz,n4-n3.vx,")) << header;
  std::istringstream fields(row);
  std::vector<double> numbers;
  while (std::getline(fields, field, ',')) numbers.push_back(std::stod(field));
  ASSERT_EQ(numbers.size(), 1u + 6u * 6u);
  for (std::size_t i = 0; i < s.model.bars.size(); ++i) {
    const Vec3 a = s.model.nodes[s.model.bars[i].a].position, b = s.model.nodes[s.model.bars[i].b].position;
    const Vec3 u = (b - a).normalized(), v(&numbers[1 + 6 * i]), w(&numbers[4 + 6 * i]);
    EXPECT_LT((v - velocity - spin.cross(0.5 * (a + b))).norm(), 1e-12);
    EXPECT_LT((w - (spin - spin.dot(u) * u)).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace taut::testing
