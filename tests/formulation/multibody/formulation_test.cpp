// The multibody formulation behind the seam: its matrices, its accelerations, its projection and its linearised motion,
// on random machines whose points carry cables; rods against the nodal formulation.
#include <gtest/gtest.h>

#include "taut/formulation/matrices.h"
#include "taut/formulation/multibody/multibody.h"
#include "taut/formulation/node_arrays.h"
#include "taut/solve/dense.h"
#include "tests/formulation/multibody/linkages.h"
#include "tests/support/dense.h"

namespace taut::testing {
namespace {

using namespace multibody;

// A random machine and a model with its points as nodes and taut cables between them.
struct Subject {
  Model model;
  std::unique_ptr<Multibody> formulation;
  std::unique_ptr<Cables> cables;
  Terms terms;
  VectorXd q, v;
  Random random;

  Subject(unsigned seed, bool with_motion) : random(seed) {
    Machine machine = random_loops(3 + static_cast<int>(seed % 3), static_cast<int>(seed % 3), random);
    // Loops are closed by other joints than cables.
    std::erase_if(machine.joints, [](const Connection& c) {
      CableStatus status;
      const JointVelocity rest{};
      return c.role == Role::loop && cable_status(c.joint, c.start->data(), rest.data(), status);
    });
    if (with_motion && machine.joints.size() > 3) {
      Connection& c = machine.joints[1];
      c.motion = [c](double, double* q_out, double* v_out, double* rate) {
        std::copy_n(c.start->begin(), coordinates(c.joint), q_out);
        std::fill_n(v_out, velocities(c.joint), 0.0);
        std::fill_n(rate, velocities(c.joint), 1.5);
      };
    }
    machine.joints[0].torque = [n = velocities(machine.joints[0].joint)](double, double* torque) {
      std::fill_n(torque, n, 0.7);
    };
    model.gravity = machine.gravity;
    const int points = static_cast<int>(machine.points.size());
    for (int i = 0; i < points; ++i) add_node(model, Vec3(i, 0.0, 0.0));
    add_node(model, Vec3(0.5, 0.5, 0.5), 0.0, all_fixed);
    add_point(machine, ground, Vec3(0.5, 0.5, 0.5));
    for (int i = 0; i < points; i += 2)
      add_cable(model, {i, (i + 3) % (points + 1)}, spring_law(random.between(5.0, 30.0), random.between(0.0, 2.0)),
                0.0);
    // Where the loops hold the joint it cannot be driven.
    try {
      formulation = std::make_unique<Multibody>(machine, model);
    } catch (const InputError&) {
      if (!with_motion) throw;
      machine.joints[1].motion = {};
      formulation = std::make_unique<Multibody>(machine, model);
    }
    cables = std::make_unique<Cables>(model);
    terms = formulation->make_terms();
    terms.cables = cables->make_terms();
    const State state = formulation->start();
    q = VectorXd::Map(state.q(), state.nq);
    v = VectorXd::Map(state.v(), state.nv);
  }

  VectorXd nodes(const AlignedDoubles& array) const {
    VectorXd all(3 * static_cast<long>(model.nodes.size()));
    for (long i = 0; i < all.size(); ++i) all[i] = array[static_cast<std::size_t>(i + i / 3)];
    return all;
  }
  void forces(const VectorXd& at_q, const VectorXd& at_v) {
    formulation->place_nodes(at_q.data(), at_v.data(), terms);
    const AlignedDoubles weightless(4 * model.nodes.size(), 0.0);
    cables->apply(terms.x.data(), terms.xd.data(), weightless.data(), terms.force.data(), terms.cables);
  }
  VectorXd accelerate(const VectorXd& at_q, const VectorXd& at_v, const DriftGains& gains = {}) {
    forces(at_q, at_v);
    VectorXd v_rate(v.size());
    formulation->accelerate(at_q.data(), at_v.data(), gains, terms, v_rate.data());
    return v_rate;
  }
  // (q̇, v̇).
  VectorXd rates(const VectorXd& y, const DriftGains& gains = {}) {
    VectorXd all(y.size());
    const VectorXd at_q = y.head(q.size()), at_v = y.tail(v.size());
    formulation->coordinate_rates(at_q.data(), at_v.data(), all.data());
    all.tail(v.size()) = accelerate(at_q, at_v, gains);
    return all;
  }
};

TEST(MultibodyFormulation, MatricesGiveTheAccelerations) {
  int closed = 0, imposed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Subject s(seed, seed % 2 == 1);
    const Multibody& f = *s.formulation;
    const DriftGains gains{30.0, 4.0};
    // With torques on some of the velocities that are free.
    for (int c = 0; c < s.v.size(); ++c)
      if (!f.system().tree.imposed[c] && c % 3 == 0) s.terms.torque[c] = s.random.between(-1.0, 1.0);
    const VectorXd a = s.accelerate(s.q, s.v, gains);
    const SeamMatrices m = f.matrices(s.q.data(), s.v.data(), all_matrices);
    const MatrixXd M = m.M, G = m.G, X = m.X;
    closed += f.system().loops.rows > 0;
    imposed += f.system().has_motion;
    EXPECT_LT((X * s.v - s.nodes(s.terms.xd)).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + s.v.norm()));
    EXPECT_NEAR(0.5 * s.v.dot(M * s.v), f.kinetic_energy(s.q.data(), s.v.data()), 1e-12 * s.v.dot(M * s.v));
    const VectorXd gamma = m.gamma;
    const VectorXd right =
        X.transpose() * s.nodes(s.terms.force) + m.h + VectorXd::Map(s.terms.torque.data(), s.v.size());
    if (G.rows() > 0) {
      EXPECT_LT(m.g.cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((G * a - gamma).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + a.cwiseAbs().maxCoeff()));
      EXPECT_EQ(f.facts().redundant_constraints, G.rows() - dense_rank(G));
    }
    // M v̇ - Xᵀf - h - τ lies in the range of Gᵀ, and is what the multipliers say.
    const VectorXd open = M * a - right;
    const double scale = 1e-10 * (1.0 + open.cwiseAbs().maxCoeff() + (M * a).cwiseAbs().maxCoeff());
    VectorXd rest = open;
    if (G.rows() > 0) rest -= G.transpose() * least_squares(G.transpose(), open);
    EXPECT_LT(rest.cwiseAbs().maxCoeff(), scale);
    EXPECT_LT((open - G.transpose() * VectorXd::Map(s.terms.lambda.data(), G.rows())).cwiseAbs().maxCoeff(), scale);
    EXPECT_EQ(f.facts().state_names.size(), static_cast<std::size_t>(s.q.size() + s.v.size()));
  }
  EXPECT_GT(closed, 20);
  EXPECT_GT(imposed, 15);
}

TEST(MultibodyFormulation, ProjectionLandsOnTheLoopsAlongTheMassMetric) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Subject s(seed, false);
    const Multibody& f = *s.formulation;
    if (f.system().loops.rows == 0) continue;
    constexpr double size = 1e-4;
    VectorXd q = s.q, v = s.v, step(s.v.size());
    for (double& x : step) x = size * s.random.between(-1.0, 1.0);
    retract(f.system().tree, q.data(), step.data());
    const VectorXd q0 = q, v0 = v += step;
    ASSERT_GE(f.project(q.data(), v.data(), s.terms), 0.0);
    EXPECT_LT(f.constraint_errors(q.data()).length, 3e-15 * std::max(1.0, f.system().length));
    const SeamMatrices m = f.matrices(q.data(), nullptr, {.M = true, .G = true});
    const MatrixXd G = m.G, M = m.M;
    EXPECT_LT((G * v).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + v.norm()) * G.norm());
    // What was moved is M-orthogonal to all that the loops allow.
    VectorXd moved(v.size());
    for (std::size_t i = 0; i < f.system().tree.links.size(); ++i) {
      const Link& link = f.system().tree.links[i];
      difference(f.system().tree.joints[i], q0.data() + link.q, q.data() + link.q, moved.data() + link.v);
    }
    const MatrixXd free = kernel(G, 1e-12);
    const double most = M.norm() * free.norm() * G.norm();
    EXPECT_LT((free.transpose() * M * moved).norm(), 1e-2 * size * most);
    EXPECT_LT((free.transpose() * M * (v - v0)).norm(), 1e-2 * size * most);
    VectorXd q2 = q, v2 = v;
    EXPECT_LT(f.project(q2.data(), v2.data(), s.terms), 1e-14);
    EXPECT_LT((q2 - q).norm() + (v2 - v).norm(), 1e-13 * (1.0 + v.norm()));
  }
}

TEST(MultibodyFormulation, TangentIsTheDerivativeOfTheMotion) {
  int checked = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Subject s(seed, seed % 4 == 1);
    // Where rows are redundant, off the loops the motion depends on which of them is left out.
    if (s.formulation->facts().redundant_constraints > 0) continue;
    const long n = s.q.size() + s.v.size(), nq = s.q.size();
    VectorXd y(n);
    y << s.q, s.v;
    // Along directions that leave quaternions at their length: the loops' rows mean nothing else. Loop joints' rows are
    // derivatives of g where the loops are closed; they stay closed along q ⊕ δ with K δ = 0.
    const Multibody& f = *s.formulation;
    const MatrixXd G = f.matrices(s.q.data(), nullptr, {.G = true}).G;
    const MatrixXd free = G.rows() > 0 ? kernel(G, 1e-12) : MatrixXd(MatrixXd::Identity(s.v.size(), s.v.size()));
    VectorXd step = free * VectorXd::NullaryExpr(free.cols(), [&] { return s.random.between(-1.0, 1.0); });
    if (step.norm() < 1e-9) continue;
    step.normalize();
    const VectorXd turn = VectorXd::NullaryExpr(s.v.size(), [&] { return s.random.between(-1.0, 1.0); });
    const auto at = [&](double e, const VectorXd& by_q, const VectorXd& by_v) {
      VectorXd there = y, along = e * by_q;
      retract(f.system().tree, there.data(), along.data());
      there.tail(s.v.size()) += e * by_v;
      return s.rates(there);
    };
    constexpr double e = 1e-5;
    VectorXd q_rate(nq);
    f.coordinate_rates(s.q.data(), step.data(), q_rate.data());
    // By v in any direction, by q along the loops.
    const VectorXd none = VectorXd::Zero(s.v.size());
    const VectorXd by_v = (at(e, none, turn) - at(-e, none, turn)) / (2.0 * e);
    const VectorXd by_q = (at(e, step, none) - at(-e, step, none)) / (2.0 * e);
    const VectorXd now = s.rates(y);
    const auto tangent = f.make_tangent(*s.cables);
    tangent->evaluate(s.q.data(), s.v.data(), now.data() + nq, s.terms);
    VectorXd product(n);
    tangent->multiply({.v = turn.data()}, product.data(), product.data() + nq);
    const double scale = 1.0 + now.cwiseAbs().maxCoeff();
    EXPECT_LT((product - by_v).cwiseAbs().maxCoeff(), 1e-7 * (scale + by_v.cwiseAbs().maxCoeff()));
    tangent->multiply({.q = q_rate.data()}, product.data(), product.data() + nq);
    EXPECT_LT((product - by_q).cwiseAbs().maxCoeff(), 1e-7 * (scale + by_q.cwiseAbs().maxCoeff()));
    // (1 - c J) δ = r with the same J.
    VectorXd r = VectorXd::NullaryExpr(n, [&] { return s.random.between(-1.0, 1.0); }), found = r;
    constexpr double c = 0.01;
    ASSERT_TRUE(tangent->factorise(c));
    tangent->solve(found.data(), found.data() + nq);
    tangent->multiply({.q = found.data(), .v = found.data() + nq}, product.data(), product.data() + nq);
    EXPECT_LT((found - c * product - r).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + found.cwiseAbs().maxCoeff()));
    // Forces.
    VectorXd push = VectorXd::NullaryExpr(3 * static_cast<long>(s.model.nodes.size()),
                                          [&] { return s.random.between(-1.0, 1.0); }),
             unused(nq), by_push(s.v.size()), pushed(s.v.size());
    tangent->multiply({.force = push.data()}, unused.data(), by_push.data());
    s.forces(s.q, s.v);
    for (long i = 0; i < push.size(); ++i) s.terms.force[static_cast<std::size_t>(i + i / 3)] += push[i];
    f.accelerate(s.q.data(), s.v.data(), {}, s.terms, pushed.data());
    EXPECT_LT((pushed - now.tail(s.v.size()) - by_push).cwiseAbs().maxCoeff(), 1e-10 * scale);
    ++checked;
  }
  EXPECT_GT(checked, 25);
}

// Rods in a row, ball joints between them, the first end held, the last too or not: node accelerations, bar forces and
// degrees of freedom as the nodal formulation has them.
TEST(MultibodyFormulation, RodsMoveAsInTheNodalFormulation) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const bool closed = seed % 2 == 1, by_nodes = seed % 4 < 2;
    constexpr int rods = 4;
    Model model;
    model.gravity = random.vector(10.0);
    Vec3 place = random.vector();
    for (int i = 0; i <= rods; ++i) {
      add_node(model, place, 0.0, i == 0 || (closed && i == rods) ? all_fixed : Axes{});
      place += random.vector() + Vec3(0.7, 0.0, 0.0);
    }
    Machine machine;
    machine.gravity = model.gravity;
    std::vector<BarOnBody> bars;
    std::vector<Mat3> E;
    Vec3 turn = Vec3::Zero();
    for (int i = 0; i < rods; ++i) {
      const bool backwards = random.chance(0.5);  // its end a is where the next one begins
      add_bar(model, backwards ? i + 1 : i, backwards ? i : i + 1, random.between(0.5, 2.0));
      const Bar& bar = model.bars.back();
      // Along x of its own frame; some inertia about it, which has no influence.
      RigidBody body{bar.name,
                     bar.mass,
                     Vec3(0.5 * bar.rest_length, 0.0, 0.0),
                     Vec3(random.between(0.1, 1.0) * bar.inertia, bar.inertia, bar.inertia).asDiagonal(),
                     !by_nodes,
                     1};
      machine.bodies.push_back(body);
      const Vec3 x = (model.nodes[i + 1].position - model.nodes[i].position).normalized(), y = x.unitOrthogonal();
      Mat3 axes;
      axes << x.transpose(), y.transpose(), x.cross(y).transpose();
      E.push_back(axes);
      const Vec3 first = Vec3::Zero(), second(bar.rest_length, 0.0, 0.0);
      bars.push_back({i, backwards ? second : first, backwards ? first : second});
      const double before = i == 0 ? 0.0 : model.bars[i - 1].rest_length;
      Connection& c = add_joint(machine, "j" + std::to_string(i), Spherical{}, i - 1,
                                i == 0 ? at(model.nodes[0].position) : at(before, 0.0, 0.0), i);
      JointPosition q{1.0};
      fit(c.joint, {i == 0 ? axes : Mat3(axes * E[i - 1].transpose()), Vec3::Zero()}, q.data());
      c.start = q;
      // Without spin about its axis; the joint's velocity is against the rod before.
      const Vec3 w(0.0, random.between(-2.0, 2.0), random.between(-2.0, 2.0));
      Vec3::Map(c.velocity.data()) = w - (i == 0 ? Vec3(Vec3::Zero()) : Vec3(axes * E[i - 1].transpose() * turn));
      turn = w;
      if (i == 0) add_point(machine, ground, model.nodes[0].position);
      if (i + 1 < rods || !closed) add_point(machine, i, Vec3(bar.rest_length, 0.0, 0.0));
    }
    if (closed) {
      add_joint(machine, "end", Spherical{}, ground, at(model.nodes[rods].position), rods - 1,
                at(model.bars[rods - 1].rest_length, 0.0, 0.0))
          .role = Role::loop;
      add_point(machine, ground, model.nodes[rods].position);
    }
    const Multibody f(machine, model, bars);
    EXPECT_EQ(f.system().topology.loops.size(), closed ? 1u : 0u);
    const State state = f.start();
    Terms terms = f.make_terms();
    f.place_nodes(state.q(), state.v(), terms);
    // Forces on all nodes; weight comes with them, or with the bodies.
    VectorXd force = VectorXd::NullaryExpr(3 * (rods + 1), [&] { return random.between(-10.0, 10.0); });
    const std::vector<double> mass = node_masses(model);
    VectorXd weight(3 * (rods + 1));
    for (int i = 0; i <= rods; ++i) weight.segment<3>(3 * i) = mass[i] * model.gravity;
    const VectorXd on_bodies = by_nodes ? VectorXd(force + weight) : force, on_nodes = force + weight;
    for (int i = 0; i < 3 * (rods + 1); ++i) terms.force[static_cast<std::size_t>(i + i / 3)] = on_bodies[i];
    VectorXd a(state.nv), forces(rods), expected_forces(rods);
    f.accelerate(state.q(), state.v(), {}, terms, a.data());
    f.bar_forces(terms, forces.data());
    EXPECT_LT(f.constraint_errors(state.q()).bars, 1e-14);

    // Nodal, from the nodes as they were placed (thin rods: a spin about their axes does not show).
    for (int i = 0; i <= rods; ++i)
      for (int axis = 0; axis < 3; ++axis)
        model.nodes[i].velocity[axis] = terms.xd[4 * static_cast<std::size_t>(i) + axis];
    const auto nodal = make_formulation("nodal", model);
    const State nodal_state = nodal->start();
    Terms nodal_terms = nodal->make_terms();
    nodal->place_nodes(nodal_state.q(), nodal_state.v(), nodal_terms);
    for (int i = 0; i < 3 * (rods + 1); ++i) nodal_terms.force[static_cast<std::size_t>(i + i / 3)] = on_nodes[i];
    VectorXd expected(3 * (rods + 1));
    nodal->accelerate(nodal_state.q(), nodal_state.v(), {}, nodal_terms, expected.data());
    nodal->bar_forces(nodal_terms, expected_forces.data());
    EXPECT_EQ(f.facts().degrees_of_freedom, nodal->facts().degrees_of_freedom);

    AlignedDoubles nodes(4 * model.nodes.size(), 0.0);
    f.node_accelerations(state.q(), state.v(), a.data(), terms, nodes.data());
    const double size = 1.0 + expected.cwiseAbs().maxCoeff();
    for (int i = 0; i <= rods; ++i)
      EXPECT_LT((at3(nodes.data(), i) - expected.segment<3>(3 * i)).norm(), 1e-11 * size) << i;
    for (int k = 0; k < rods; ++k)
      EXPECT_NEAR(forces[k], expected_forces[k], 1e-10 * (1.0 + expected_forces.cwiseAbs().maxCoeff())) << k;
  }
}

}  // namespace
}  // namespace taut::testing
