// Bars with nodes that ride beside their axis: the bar turns about it, with its axial inertia.
#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/dynamics/dynamics.h"
#include "taut/equilibrium/balance.h"
#include "taut/model/check/check.h"
#include "tests/formulation/bodies_support.h"

namespace taut::testing {
namespace {

// A bar a-b with an eyelet; nothing pulls at the eyelet.
Scenario thrown_bar(bool eyelet, double axial) {
  Scenario s = empty_scenario(1.0, 0.25);
  s.model.gravity = {0, 0, -9.81};
  const int a = add_node(s.model, {0, 0, 0}, 0.0, {}, {0.3, 0, 1}),
            b = add_node(s.model, {0.8, 0.6, 0}, 0.0, {}, {0.3, 0, -1}),
            top = add_node(s.model, {0.2, 0.1, 1.5}, 0.0, all_fixed);
  add_bar(s.model, a, b, 1.4);
  s.model.bars[0].com = 0.4;
  add_cable(s.model, {a, top}, linear_law(60.0, 0.2), 1.2);
  add_cable(s.model, {b, top}, linear_law(80.0), 1.2);
  if (!eyelet) return s;
  s.model.bars[0].attached = {add_node(s.model, {0.3, 0.35, 0.1})};
  s.model.bars[0].axial_inertia = axial;
  add_body_nodes(s.model);
  return s;
}

TEST(Attached, NothingAtTheEyeletIsAPlainBar) {
  const Motion plain = run(thrown_bar(false, 0.0), "dopri5", 1e-12);
  const double axial = 1e-6;
  const Scenario s = thrown_bar(true, axial);
  EXPECT_EQ(s.model.nodes.size(), 5u);
  EXPECT_FALSE(s.model.nodes[4].contact);
  const Motion eyelet = run(s, "dopri5", 1e-12);
  EXPECT_EQ(eyelet.summary.warnings, std::vector<std::string>{});  // the eyelet moves along from the start
  for (std::size_t i = 0; i < plain.rows.size(); ++i) {
    for (int node : {0, 1}) EXPECT_LT((position(plain.rows[i], node) - position(eyelet.rows[i], node)).norm(), 1e-9);
    EXPECT_NEAR(plain.rows[i].energy[0], eyelet.rows[i].energy[0], 1e-8);
    // The pull of rotation on the bar's mass is that of m s², J - J_axial/2, not of J.
    EXPECT_NEAR(plain.rows[i].bar_forces[0], eyelet.rows[i].bar_forces[0], 100.0 * axial);
  }
}

// Held at both ends, pulled at the eyelet by a cable from far away: J φ̈ = moment of the pull about the axis.
TEST(Attached, AnEyeletTurnsTheBarAboutItsAxis) {
  const double r = 0.05, J = 2e-3, k = 30.0, rest = 0.4;
  Scenario s = empty_scenario(0.5, 0.05);
  const int a = add_node(s.model, {0, 0, 0}, 0.0, all_fixed), b = add_node(s.model, {0, 0, 1}, 0.0, all_fixed),
            eye = add_node(s.model, {r, 0, 0.3}), far = add_node(s.model, {0.2, 0.9, 0.5}, 0.0, all_fixed);
  add_bar(s.model, a, b, 1.0);
  s.model.bars[0].attached = {eye};
  s.model.bars[0].axial_inertia = J;
  add_cable(s.model, {eye, far}, linear_law(k), rest);
  add_body_nodes(s.model);
  const Dynamics dynamics(s.model, "nodal", ConstraintMethod::projection);
  EXPECT_EQ(dynamics.formulation().facts().degrees_of_freedom, 1);
  EXPECT_EQ(dynamics.formulation().facts().redundant_constraints, 0);
  // Its own equation, by small steps of velocity Verlet.
  const auto at = [&](double phi) { return Vec3(r * std::cos(phi), r * std::sin(phi), 0.3); };
  const auto turn = [&](double phi) {
    const Vec3 d = Vec3(0.2, 0.9, 0.5) - at(phi);
    const Vec3 pull = k * (d.norm() - rest) * d.normalized();
    return at(phi).cross(pull).z() / J;
  };
  double phi = 0.0, rate = 0.0;
  const double h = 1e-5;
  const Motion motion = run(s, "dopri5", 1e-12);
  for (const Sample& row : motion.rows) {
    EXPECT_LT((position(row, eye) - at(phi)).norm(), 1e-8) << row.t;
    EXPECT_NEAR(row.energy[0], 0.5 * J * rate * rate, 1e-7);
    for (int i = 0; i < 5000; ++i) {
      rate += 0.5 * h * turn(phi);
      phi += h * rate;
      rate += 0.5 * h * turn(phi);
    }
  }
  EXPECT_GT(std::abs(phi), 1.0);
  // The first instant by hand: J φ̈ = r F.
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(dynamics.size());
  const State state = dynamics.start();
  dynamics.rhs(0.0, state.y.data(), rates.data(), terms);
  EXPECT_NEAR(rates[state.nq + 3 * eye + 1], r * turn(0.0), 1e-10);
}

// A rod that spins about its axis and is turned by cables: gyroscopic. The quaternion formulation has the spin as a
// motion of its own; here an eyelet carries it.
TEST(Attached, SpinningRodEqualsQuaternion) {
  Scenario quaternion = thrown_bar(false, 0.0), nodal = thrown_bar(true, 2e-3);
  for (Scenario* s : {&quaternion, &nodal}) {
    s->model.bars[0].axial_inertia = 2e-3;
    s->model.bars[0].spin = 80.0;
  }
  quaternion.simulation.formulation = "quaternion";
  const Motion one = run(quaternion, "dopri5", 1e-12), other = run(nodal, "dopri5", 1e-12);
  const Motion still = run(thrown_bar(false, 0.0), "dopri5", 1e-12);
  for (std::size_t i = 0; i < one.rows.size(); ++i)
    for (int node : {0, 1}) EXPECT_LT((position(one.rows[i], node) - position(other.rows[i], node)).norm(), 1e-8);
  EXPECT_GT((position(one.last(), 1) - position(still.last(), 1)).norm(), 0.01);  // the spin matters
  // The eyelet goes round with the spin: v = ω × r about the axis.
  const Sample& first = other.rows.front();
  const Vec3 axis = (position(first, 1) - position(first, 0)).normalized();
  EXPECT_NEAR(angular_velocity(first, {0, 1, 3}).dot(axis), 80.0, 1e-9);
}

TEST(Attached, RodsDoNotTakeIt) {
  const Model model = thrown_bar(true, 1e-3).model;
  for (const char* name : {"minimal", "quaternion", "point_mass", "minimal_bounded"}) {
    try {
      make_formulation(name, model);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("has nodes beside its axis; nodal can"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(equivalent_formulations(model), (std::vector<std::string_view>{"nodal", "multibody"}));
}

// A bar that hangs by an eyelet in its middle, its weight below: the force in the bar is what the ends carry.
TEST(Attached, HangsInBalance) {
  Model model;
  model.gravity = {0, 0, -10};
  const int a = add_node(model, {0, 0, 0}), b = add_node(model, {0, 0, 2}), eye = add_node(model, {0.0, 0, 1.5}),
            top = add_node(model, {0, 0, 3}, 0.0, all_fixed);
  add_bar(model, a, b, 4.0);
  model.bars[0].attached = {eye};
  model.bars[0].axial_inertia = 1e-3;
  add_cable(model, {eye, top}, linear_law(1000.0), 1.5 - 40.0 / 1000.0);
  add_body_nodes(model);
  const Balance balance = start_balance(model);
  EXPECT_LT(balance.imbalance, 1e-12);
  EXPECT_NEAR(balance.cable_tension[0], 40.0, 1e-11);
  // Weight 20 N at each end; the cable's 40 N count 10 N at a and 30 N at b: the bar carries 10 N in tension.
  EXPECT_NEAR(balance.bar_force[0], 10.0, 1e-10);
}

// Bars collide as bars, with or without nodes beside their axis.
TEST(Attached, BarsStillCollide) {
  Scenario plain = empty_scenario(0.5, 0.05);
  plain.model.collision = Collision{};
  plain.model.collision->stiffness = 2e4;
  const auto bar = [&](const Vec3& x, const Vec3& y, const Vec3& v) {
    const int a = add_node(plain.model, x, 0.0, {}, v), b = add_node(plain.model, y, 0.0, {}, v);
    add_bar(plain.model, a, b, 1.0);
  };
  bar({-0.5, 0, 0}, {0.5, 0, 0}, {0, 0, 0});
  bar({0, -0.5, 0.1}, {0, 0.5, 0.1}, {0, 0, -0.5});
  Scenario eyelet = plain;
  eyelet.model.bars[0].attached = {add_node(eyelet.model, {0.2, 0.05, 0.0})};
  eyelet.model.bars[0].axial_inertia = 1e-5;
  add_body_nodes(eyelet.model);
  const Motion one = run(plain, "dopri5", 1e-11), other = run(eyelet, "dopri5", 1e-11);
  for (int node = 0; node < 4; ++node)
    EXPECT_LT((position(one.last(), node) - position(other.last(), node)).norm(), 1e-8) << node;
  EXPECT_LT(velocity(other.last(), 0).z(), -0.1);  // it was hit
  // A bar that ends on an eyelet of another does not bump into it.
  const int eye = eyelet.model.bars[0].attached[0], end = add_node(eyelet.model, {0.2, 0.5, 0.3});
  add_bar(eyelet.model, eye, end, 0.5);
  eyelet.model.bars.back().radius = 0.1;
  EXPECT_NO_THROW(validate(eyelet.model));
}

}  // namespace
}  // namespace taut::testing
