// Structures with more bars than they need. They are rigid bodies, so they must move like one: compared with Euler's
// equations of the body, integrated here on their own, and with the same body braced otherwise.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>

#include "taut/formulation/formulation.h"
#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

using Eigen::Matrix3d;

// A free rigid body with constant forces on points of it: centre, rotation R, velocity, angular momentum about the
// centre. Ṙ = ω × R, L̇ = Σ r × f, ω = R J⁻¹ Rᵀ L.
class Body {
 public:
  explicit Body(const Model& model) : gravity_(model.gravity) {
    const auto add = [&](double m, const Vec3& x) { mass_ += m, centre_ += m * x; };
    for (const Node& node : model.nodes) add(node.mass, node.position);
    for (const Bar& bar : model.bars) add(bar.mass, middle(model, bar));
    centre_ /= mass_;
    // Inertia: points, and slender bars J (1 - u uᵀ) about their own centre.
    const auto point = [](double m, const Vec3& r) -> Matrix3d {
      return m * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
    };
    for (const Node& node : model.nodes) inertia_ += point(node.mass, node.position - centre_);
    for (const Bar& bar : model.bars) {
      const Vec3 u = (model.nodes[bar.b].position - model.nodes[bar.a].position).normalized();
      inertia_ +=
          point(bar.mass, middle(model, bar) - centre_) + bar.inertia * (Matrix3d::Identity() - u * u.transpose());
    }
    inverse_ = inertia_.inverse();
    for (const Load& load : model.loads) forces_.emplace_back(model.nodes[load.node].position - centre_, load.force);
    for (const Node& node : model.nodes) places_.push_back(node.position - centre_);
  }

  // Starts with velocity v of the centre and angular velocity ω.
  void start(const Vec3& v, const Vec3& w) { state_ = {centre_, v, inertia_ * w, Matrix3d::Identity()}; }
  Vec3 centre() const { return centre_; }

  void advance(double time, int steps) {
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
      const State k1 = rate(state_), k2 = rate(moved(k1, h / 2)), k3 = rate(moved(k2, h / 2)), k4 = rate(moved(k3, h));
      for (const auto& [k, share] : {std::pair{&k1, 1.0}, {&k2, 2.0}, {&k3, 2.0}, {&k4, 1.0}})
        sum_ = add(sum_, *k, share * h / 6);
      state_ = add(state_, sum_, 1.0);
      sum_ = State{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Matrix3d::Zero()};
    }
  }
  Vec3 node(int i) const { return state_.x + state_.R * places_[i]; }

 private:
  struct State {
    Vec3 x, v, L;
    Matrix3d R;
  };
  static Vec3 middle(const Model& model, const Bar& bar) {
    return (1 - bar.com) * model.nodes[bar.a].position + bar.com * model.nodes[bar.b].position;
  }
  static State add(const State& a, const State& b, double s) {
    return {a.x + s * b.x, a.v + s * b.v, a.L + s * b.L, a.R + s * b.R};
  }
  State moved(const State& k, double h) const { return add(state_, k, h); }
  State rate(const State& s) const {
    Vec3 force = mass_ * gravity_, moment = Vec3::Zero();
    for (const auto& [r, f] : forces_) force += f, moment += (s.R * r).cross(f);
    const Vec3 w = s.R * (inverse_ * (s.R.transpose() * s.L));
    Matrix3d turn;
    for (int j = 0; j < 3; ++j) turn.col(j) = w.cross(s.R.col(j));
    return {s.v, force / mass_, moment, turn};
  }

  Vec3 gravity_, centre_ = Vec3::Zero();
  double mass_ = 0.0;
  Matrix3d inertia_ = Matrix3d::Zero(), inverse_;
  std::vector<std::pair<Vec3, Vec3>> forces_;
  std::vector<Vec3> places_;
  State state_{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Matrix3d::Identity()},
      sum_{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Matrix3d::Zero()};
};

// Throws the model with a velocity and a spin about no axis of symmetry, and follows it beside the body.
void expect_rigid_motion(Scenario s, const Vec3& v, const Vec3& w, double tolerance = 1e-10) {
  Body body(s.model);
  body.start(v, w);
  for (Node& node : s.model.nodes) node.velocity = v + w.cross(node.position - body.centre());
  s.simulation.duration = 1.0;
  s.simulation.output_step = 0.25;
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    if (method.order == 1) continue;
    const Motion motion = run(s, method);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    EXPECT_LT(motion.summary.max_bar_length_error, 1e-13);
    Body beside = body;
    const double error = std::max(tolerance, 20.0 * method.error);
    for (std::size_t i = 0; i < motion.rows.size(); ++i) {
      for (int k = 0; k < static_cast<int>(s.model.nodes.size()); ++k)
        EXPECT_LT((position(motion.rows[i], k) - beside.node(k)).norm(), error)
            << "t = " << motion.rows[i].t << ", node " << k;
      beside.advance(0.25, 2000);  // own error 1e-13
    }
  }
}

int redundant(const Model& model) { return make_formulation("nodal", model)->facts().redundant_constraints; }
int freedom(const Model& model) { return make_formulation("nodal", model)->facts().degrees_of_freedom; }

void join_all(Model& model, int first, int last, double mass) {
  for (int i = first; i <= last; ++i)
    for (int j = i + 1; j <= last; ++j) add_bar(model, i, j, mass * (1.0 + 0.1 * i + 0.05 * j));
}

const Vec3 throw_velocity(0.5, -0.3, 0.8), generic_spin(1.1, -1.7, 2.3);

// Rigid without a bar to spare: the comparison itself.
TEST(ClassK, TetrahedronMovesAsARigidBody) {
  Scenario s = empty_scenario();
  s.model.gravity = {0, 0, -3};
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(0.2, 0.9, 0), Vec3(0.3, 0.4, 0.8)}) add_node(s.model, x);
  join_all(s.model, 0, 3, 0.5);
  add_load(s.model, 3, {1, -2, 0.5});
  EXPECT_EQ(redundant(s.model), 0);
  EXPECT_EQ(freedom(s.model), 6);
  expect_rigid_motion(s, throw_velocity, generic_spin);
}

TEST(ClassK, FiveNodesAllJoinedHaveABarToSpare) {
  Scenario s = empty_scenario();
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(0.2, 0.9, 0), Vec3(0.3, 0.4, 0.8), Vec3(0.6, 0.7, -0.5)})
    add_node(s.model, x);
  join_all(s.model, 0, 4, 0.5);
  add_load(s.model, 4, {1, -2, 0.5});
  EXPECT_EQ(redundant(s.model), 1);
  EXPECT_EQ(freedom(s.model), 6);
  expect_rigid_motion(s, throw_velocity, generic_spin);
}

TEST(ClassK, SevenNodesAllJoined) {
  Scenario s = empty_scenario();
  Random random(3);
  for (int i = 0; i < 7; ++i) add_node(s.model, random.vector(), i == 2 ? 0.4 : 0.0);
  join_all(s.model, 0, 6, 0.3);
  EXPECT_EQ(redundant(s.model), 6);
  EXPECT_EQ(freedom(s.model), 6);
  expect_rigid_motion(s, throw_velocity, generic_spin);
}

Scenario square(const Vec3& side_x, const Vec3& side_y) {
  Scenario s = empty_scenario();
  const Vec3 corner(0.2, -0.1, 0.3);
  for (const Vec3& x : {corner, Vec3(corner + side_x), Vec3(corner + side_x + side_y), Vec3(corner + side_y)})
    add_node(s.model, x);
  join_all(s.model, 0, 3, 0.5);
  return s;
}

// In its plane: one bar to spare, moves on as a body does.
TEST(ClassK, PlanarSquareWithBothDiagonals) {
  Scenario s = square({1, 0, 0}, {0, 1, 0});
  for (Node& node : s.model.nodes) node.fixed = planar;
  s.model.gravity = {0, -9.81, 0};
  add_load(s.model, 2, {1, 0.5, 0});
  EXPECT_EQ(redundant(s.model), 1);
  EXPECT_EQ(freedom(s.model), 3);
  expect_rigid_motion(s, {0.5, 0.2, 0}, {0, 0, 2.5});
}

// In space: to first order nothing keeps the square flat, yet it cannot fold. Loads out of its plane try.
TEST(ClassK, FlatSquareWithBothDiagonalsInSpace) {
  for (const auto& [x, y] : {std::pair{Vec3(1, 0, 0), Vec3(0, 1, 0)}, {Vec3(0.6, 0.5, 0.3), Vec3(-0.5, 0.6, 0.2)}}) {
    Scenario s = square(x, y);
    s.model.gravity = {0, 0, -9.81};
    const Vec3 out = x.cross(y).normalized();
    add_load(s.model, 0, 2.0 * out);
    add_load(s.model, 2, 1.5 * out);
    add_load(s.model, 1, -1.0 * out);
    EXPECT_EQ(freedom(s.model), 6);
    expect_rigid_motion(s, throw_velocity, generic_spin);
  }
}

// Held at two corners it swings about them like a plate, whether or not a bar joins the supports. About the line of
// supports, φ̈ = (moment of the weight)/(inertia) = g cos φ Σ m y/Σ m y²; the load is not in the plate's plane of
// symmetry.
TEST(ClassK, FlatSquareOnTwoSupports) {
  for (bool joined : {true, false}) {
    Scenario s = square({1, 0, 0}, {0, 1, 0});
    for (Node& node : s.model.nodes) node.position -= Vec3(0.2, -0.1, 0.3);
    s.model.gravity = {0, 0, -9.81};
    s.model.nodes[3].mass = 1.0;  // one side heavier: it would twist if it could
    for (int i : {0, 1}) s.model.nodes[i].fixed = all_fixed;
    double first = 1.0, second = 1.0;  // Σ m y and Σ m y², the node's so far
    for (const Bar& bar : s.model.bars) {
      const double a = s.model.nodes[bar.a].position.y(), b = s.model.nodes[bar.b].position.y();
      first += 0.5 * bar.mass * (a + b);
      second += bar.mass * (a * a + a * b + b * b) / 3.0;
    }
    if (!joined) s.model.bars.erase(s.model.bars.begin());  // it is on the axis: neither sum has it
    EXPECT_EQ(freedom(s.model), 1) << joined;
    double phi = 0.0, w = 0.0;
    const auto turn = [&](double x) { return 9.81 * std::cos(x) * first / second; };
    for (int i = 0; i < 20000; ++i) {
      const double h = 1.0 / 20000, k2 = w + h / 2 * turn(phi), j2 = turn(phi + h / 2 * w), k3 = w + h / 2 * j2,
                   j3 = turn(phi + h / 2 * k2);
      const double k4 = w + h * j3, j4 = turn(phi + h * k3), before = w;
      w += h / 6 * (turn(phi) + 2 * j2 + 2 * j3 + j4);
      phi += h / 6 * (before + 2 * k2 + 2 * k3 + k4);
    }
    for (const Method& method : methods()) {
      if (method.order == 1) continue;
      const Motion motion = run(s, method);
      ASSERT_EQ(motion.summary.status, RunStatus::done) << method.name << ": " << motion.summary.reason;
      for (int i : {2, 3}) {
        const Vec3 expected(i == 2 ? 1.0 : 0.0, std::cos(phi), -std::sin(phi));
        EXPECT_LT((position(motion.last(), i) - expected).norm(), 20.0 * method.error) << method.name << " " << joined;
      }
    }
  }
}

// Two square cells side by side, each with both diagonals: two plates on a hinge.
Scenario two_cells() {
  Scenario s = empty_scenario();
  for (int i = 0; i < 6; ++i) add_node(s.model, {0.5 * (i % 3), 0.4 * (i / 3), 0.0});
  for (int cell : {0, 1})
    for (const auto& [a, b] : {std::pair{0, 1}, {3, 4}, {0, 3}, {0, 4}, {1, 3}})
      add_bar(s.model, cell + a, cell + b, 0.2 + 0.02 * a);
  add_bar(s.model, 2, 5, 0.3);
  add_load(s.model, 1, {0, 0, 3});
  add_load(s.model, 3, {0, 0, -1});
  return s;
}

// Bars over both cells keep the hinge straight: a plate triangulated twice, six bars more than it needs.
TEST(ClassK, PlateTriangulatedTwice) {
  Scenario s = two_cells();
  add_bar(s.model, 0, 2, 0.2);
  add_bar(s.model, 3, 5, 0.2);
  EXPECT_EQ(freedom(s.model), 6);
  expect_rigid_motion(s, throw_velocity, generic_spin);
}

// Without them it folds: each cell stays flat, the energy stays the same.
TEST(ClassK, TwoPlatesOnAHinge) {
  Scenario s = two_cells();
  EXPECT_EQ(freedom(s.model), 7);
  for (Node& node : s.model.nodes) node.velocity = throw_velocity + generic_spin.cross(node.position);
  s.model.nodes[2].velocity.z() -= 1.0;
  s.model.nodes[5].velocity.z() -= 1.0;
  for (const auto& [method, accuracy] : {std::pair{"dopri5", 1e-11}, {"rk4", 1e-3}, {"symplectic", 1e-4}}) {
    const Motion motion = run(s, method, accuracy);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    EXPECT_LT(motion.summary.energy_drift, method == std::string("symplectic") ? 1e-6 : 1e-8) << method;
    EXPECT_LT(motion.summary.max_bar_length_error, 1e-14);
    double fold = 0.0;
    for (const Sample& row : motion.rows) {
      const auto normal = [&](int a, int b, int c) -> Vec3 {
        return (position(row, b) - position(row, a)).cross(position(row, c) - position(row, a)).normalized();
      };
      for (int cell : {0, 1})
        EXPECT_LT(std::abs(normal(cell, cell + 1, cell + 3).dot(position(row, cell + 4) - position(row, cell))), 1e-12);
      fold = std::max(fold, std::acos(std::min(1.0, normal(0, 1, 3).dot(normal(1, 2, 4)))));
    }
    EXPECT_GT(fold, 0.5);
  }
}

// A rod of three nodes in line, the outer two joined as well: it cannot bend.
TEST(ClassK, BarsInLine) {
  Scenario s = empty_scenario();
  const Vec3 u = Vec3(1, 2, 2) / 3.0;
  for (double at : {0.0, 0.7, 1.5}) add_node(s.model, at * u, 0.2);
  join_all(s.model, 0, 2, 0.5);
  EXPECT_EQ(freedom(s.model), 5);
  // A straight body has no inertia about itself: spin across, and compare with the closed form of the bar.
  const Vec3 across = Vec3(2, -2, 1) / 3.0, spin = u.cross(across) * 3.0;
  double mass = 0.0;
  Vec3 centre = Vec3::Zero();
  for (const Node& node : s.model.nodes) mass += node.mass, centre += node.mass * node.position;
  for (const Bar& bar : s.model.bars)
    mass += bar.mass, centre += 0.5 * bar.mass * (s.model.nodes[bar.a].position + s.model.nodes[bar.b].position);
  centre /= mass;
  for (Node& node : s.model.nodes) node.velocity = throw_velocity + spin.cross(node.position - centre);
  for (const Method& method : methods()) {
    const Motion motion = run(s, method);
    for (const Sample& row : motion.rows)
      for (int i = 0; i < 3; ++i) {
        const double at = u.dot(s.model.nodes[i].position - centre);
        const Vec3 expected =
            centre + throw_velocity * row.t + at * (std::cos(3.0 * row.t) * u + std::sin(3.0 * row.t) * across);
        EXPECT_LT((position(row, i) - expected).norm(), 2.0 * method.error) << method.name;
      }
  }
}

// Bars laid twice, in a machine: a double pendulum with both bars doubled is one with bars twice as heavy.
TEST(ClassK, BarsLaidTwice) {
  Scenario twice = generated("double_pendulum");
  twice.simulation.duration = 1.0;
  Scenario heavy = twice;
  const Bar first = twice.model.bars[0], second = twice.model.bars[1];
  twice.model.bars.insert(twice.model.bars.end(), {first, second});
  for (Bar& bar : heavy.model.bars) bar.mass *= 2.0, bar.inertia *= 2.0;
  EXPECT_EQ(redundant(twice.model), 2);
  for (const char* method : {"rk4", "symplectic"})
    EXPECT_LT(distance(run(twice, method, 1e-3).last(), run(heavy, method, 1e-3).last()), 1e-12) << method;
}

// Redundant and moving: a parallelogram with a third crank, its coupler three bars in line. It swings like a pendulum:
// with cranks (m, l) and the coupler's mass M on a circle, φ̈ = -(3m/2 + M) g sin φ / ((3 m/3 + M) l).
TEST(ClassK, ParallelogramWithThreeCranks) {
  const double l = 0.8, m = 0.5, g = 9.81, angle = 1.2;
  Scenario s = empty_scenario(2.0, 0.1);
  s.model.gravity = {0, -g, 0};
  for (double x : {0.0, 1.0, 2.2}) add_node(s.model, {x, 0, 0}, 0.0, all_fixed);
  for (double x : {0.0, 1.0, 2.2}) add_node(s.model, {x + l * std::sin(angle), -l * std::cos(angle), 0}, 0.0, planar);
  for (int i = 0; i < 3; ++i) add_bar(s.model, i, i + 3, m);
  add_bar(s.model, 3, 4, 0.3);
  add_bar(s.model, 4, 5, 0.2);
  add_bar(s.model, 3, 5, 0.4);
  EXPECT_EQ(freedom(s.model), 1);
  const double M = 0.9, rate = (1.5 * m + M) / (m + M) * g / l;
  // The pendulum's own motion by small steps.
  double phi = angle, w = 0.0;
  std::vector<double> angles = {phi};
  for (int row = 0; row < 20; ++row) {
    for (int i = 0; i < 2000; ++i) {
      const double h = 0.1 / 2000, k1 = w, j1 = -rate * std::sin(phi), k2 = w + h / 2 * j1,
                   j2 = -rate * std::sin(phi + h / 2 * k1);
      const double k3 = w + h / 2 * j2, j3 = -rate * std::sin(phi + h / 2 * k2), k4 = w + h * j3,
                   j4 = -rate * std::sin(phi + h * k3);
      phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      w += h / 6 * (j1 + 2 * j2 + 2 * j3 + j4);
    }
    angles.push_back(phi);
  }
  for (const Method& method : methods()) {
    if (method.order == 1) continue;
    const Motion motion = run(s, method);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << method.name << ": " << motion.summary.reason;
    for (int i = 0; i <= 20; ++i)
      EXPECT_NEAR(position(motion.rows[i], 5).x(), 2.2 + l * std::sin(angles[i]), 20.0 * method.error)
          << method.name << " " << i;
  }
}

// A class-k tower: neighbouring prisms share nodes. Energy and bar lengths over a while.
TEST(ClassK, TowerOfSharedNodesKeepsEnergyAndLengths) {
  Scenario s = generated("class2_tower");
  for (int i = 0; i < static_cast<int>(s.model.nodes.size()); ++i)
    s.model.nodes[i].velocity = 0.05 * Vec3(std::sin(i), std::cos(2.0 * i), std::sin(3.0 * i));
  s.simulation.duration = 1.0;
  s.simulation.output_step = 0.1;
  const Motion motion = run(s, "dopri5", 1e-11);
  EXPECT_LT(motion.summary.energy_drift, 1e-8);
  EXPECT_LT(motion.summary.max_bar_length_error, 2e-15);
  const Motion leap = run(s, "symplectic", 2e-4);
  EXPECT_LT(distance(motion.last(), leap.last()), 1e-4);
  EXPECT_LT(leap.summary.max_bar_length_error, 2e-15);
}

}  // namespace
}  // namespace taut::testing
