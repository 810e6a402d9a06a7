// Bodies at random, sharing nodes, on supports, with bars, masses and constraints between them, against a dense
// solution in other coordinates: every body has a centre and an angular velocity of its own, and its nodes are tied to
// them,
//
//   a_i = a_c + α × r_i + ω × (ω × r_i),    m a_c = F,  I α + ω × I ω = moment.
#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/dynamics/dynamics.h"
#include "taut/model/check/check.h"
#include "tests/formulation/bodies_support.h"
#include "tests/formulation/random_structure.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Mat3 cross_matrix(const Vec3& r) {
  Mat3 m;
  m << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return m;
}

// A random mass distribution: that of a few points and a bit of volume; flat ones in the plane of the nodes.
Body random_body(const Model& model, const std::vector<int>& nodes, bool flat, Random& random) {
  Body body;
  body.nodes = nodes;
  std::vector<Vec3> points;
  for (int k = 0; k < 5; ++k) {
    Vec3 x = Vec3::Zero();
    double sum = 0.0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double w = i + 1 < nodes.size() ? random.between(-0.5, 0.8) : 1.0 - sum;
      sum += w;
      x += w * model.nodes[nodes[i]].position;
    }
    points.push_back(flat ? x : Vec3(x + random.vector(0.4)));
  }
  body.mass = random.between(0.5, 3.0);
  for (const Vec3& x : points) body.centre += x / 5.0;
  for (const Vec3& x : points) {
    const Vec3 r = x - body.centre;
    body.inertia += body.mass / 5.0 * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  return body;
}

Model random_bodies(unsigned seed) {
  Random random(seed);
  Model model;
  model.gravity = random.vector(10.0);
  const int bodies = 1 + random.below(3);
  for (int b = 0; b < bodies; ++b) {
    std::vector<int> nodes;
    const int count = 1 + random.below(6);
    for (int i = 0; i < count; ++i) {
      const bool shared = b > 0 && random.chance(0.3);
      const int node = shared ? random.below(static_cast<int>(model.nodes.size())) : add_node(model, random.vector());
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
    model.bodies.push_back(random_body(model, nodes, nodes.size() == 3 && random.chance(0.7), random));
    model.bodies.back().name = "body" + std::to_string(b);
  }
  // Supports that the bodies may hang on alone.
  if (random.chance(0.4))
    for (int k = random.below(4); k > 0; --k)
      model.nodes[random.below(static_cast<int>(model.nodes.size()))].fixed =
          random.chance(0.6) ? all_fixed : Axes{false, false, true};
  add_body_nodes(model);
  const int n = static_cast<int>(model.nodes.size());
  for (int k = random.below(3); k > 0; --k) {
    const int a = random.below(n), b = random.chance(0.5) ? random.below(n) : add_node(model, random.vector());
    if (a == b) continue;
    const int bar = add_bar(model, a, b, random.between(0.1, 1.0));
    model.bars[bar].name += "#" + std::to_string(bar);
  }
  for (int k = random.below(4); k > 0; --k) model.nodes[random.below(n)].mass = random.between(0.1, 0.5);
  for (int k = random.below(3); k > 0; --k)
    model.nodes[random.below(n)].fixed = random.chance(0.6) ? all_fixed : Axes{random.chance(0.5), true, false};
  if (random.chance(0.3)) {
    Constraint c{"c", {{random.below(n), 1.0}, {n - 1, -0.7}}, Vec3::Zero(), {true, random.chance(0.5), true}};
    if (c.terms[0].first == c.terms[1].first) c.terms.pop_back();
    for (const auto& [node, w] : c.terms) c.value += w * model.nodes[node].position;
    model.constraints.push_back(c);
  }
  add_body_nodes(model);  // a structure that is no longer planar needs more
  for (int i = 0; i < static_cast<int>(model.nodes.size()); ++i) add_load(model, i, random.vector(5.0));
  return model;
}

// Unknowns: 3 per node, then 6 per body.
struct Dense {
  MatrixXd M, G;
  VectorXd f, gamma;
};

Dense dense(const Model& model, const VectorXd& v) {
  const int n = static_cast<int>(model.nodes.size()), b = static_cast<int>(model.bodies.size()), size = 3 * n + 6 * b;
  Dense d{MatrixXd::Zero(size, size), MatrixXd(0, size), VectorXd::Zero(size), VectorXd(0)};
  const auto add_row = [&](const VectorXd& row, double gamma) {
    d.G.conservativeResize(d.G.rows() + 1, size);
    d.G.row(d.G.rows() - 1) = row.transpose();
    d.gamma.conservativeResize(d.gamma.size() + 1);
    d.gamma[d.gamma.size() - 1] = gamma;
  };
  for (int i = 0; i < n; ++i) {
    const Node& node = model.nodes[i];
    d.M.block<3, 3>(3 * i, 3 * i) += node.mass * Mat3::Identity();
    d.f.segment<3>(3 * i) += node.mass * model.gravity;
    for (int axis = 0; axis < 3; ++axis)
      if (node.fixed[axis]) add_row(VectorXd::Unit(size, 3 * i + axis), 0.0);
  }
  for (const Load& load : model.loads) d.f.segment<3>(3 * load.node) += load.force;
  for (const Bar& bar : model.bars) {  // uniform rods
    for (const auto& [i, j, m] : {std::tuple{bar.a, bar.a, bar.mass / 3},
                                  {bar.b, bar.b, bar.mass / 3},
                                  {bar.a, bar.b, bar.mass / 6},
                                  {bar.b, bar.a, bar.mass / 6}})
      d.M.block<3, 3>(3 * i, 3 * j) += m * Mat3::Identity();
    for (int i : {bar.a, bar.b}) d.f.segment<3>(3 * i) += 0.5 * bar.mass * model.gravity;
    const Vec3 l = model.nodes[bar.b].position - model.nodes[bar.a].position,
               rate = v.segment<3>(3 * bar.b) - v.segment<3>(3 * bar.a);
    VectorXd row = VectorXd::Zero(size);
    row.segment<3>(3 * bar.a) = -l;
    row.segment<3>(3 * bar.b) = l;
    add_row(row, -rate.squaredNorm());
  }
  for (int k = 0; k < b; ++k) {
    const Body& body = model.bodies[k];
    const int at = 3 * n + 6 * k;
    const Vec3 w = v.segment<3>(at + 3);
    d.M.block<3, 3>(at, at) = body.mass * Mat3::Identity();
    d.M.block<3, 3>(at + 3, at + 3) = body.inertia;
    d.f.segment<3>(at) = body.mass * model.gravity;
    d.f.segment<3>(at + 3) = -w.cross(body.inertia * w);
    for (int i : body.nodes) {
      const Vec3 r = model.nodes[i].position - body.centre, bias = w.cross(w.cross(r));
      for (int axis = 0; axis < 3; ++axis) {
        VectorXd row = VectorXd::Unit(size, 3 * i + axis);
        row[at + axis] = -1.0;
        row.segment<3>(at + 3) = cross_matrix(r).row(axis);
        add_row(row, bias[axis]);
      }
    }
  }
  for (const Constraint& constraint : model.constraints)
    for (int axis = 0; axis < 3; ++axis) {
      if (!constraint.axes[axis]) continue;
      VectorXd row = VectorXd::Zero(size);
      for (const auto& [node, c] : constraint.terms) row[3 * node + axis] += c;
      add_row(row, 0.0);
    }
  return d;
}

TEST(BodiesRandom, MoveAsTheDenseEquationsSay) {
  int redundant = 0, appended = 0, checked = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Model model = random_bodies(seed);
    const int n = static_cast<int>(model.nodes.size());
    // Where all nodes are held along an axis, bodies move in the plane across it, which the equations here do not know.
    if (std::all_of(model.nodes.begin(), model.nodes.end(), [](const Node& node) { return node.fixed[2]; })) continue;
    Random random(seed + 1000);
    // Velocities that fit: the nearest to random ones.
    const Dense still = dense(model, VectorXd::Zero(3 * n + 6 * static_cast<int>(model.bodies.size())));
    VectorXd wish(still.f.size());
    for (double& x : wish) x = random.between(-1.0, 1.0);
    const VectorXd v = solve_dense(still.M, still.G, still.M * wish, VectorXd::Zero(still.G.rows())).a;
    for (int i = 0; i < n; ++i) {
      model.nodes[i].velocity = v.segment<3>(3 * i);
      for (int axis = 0; axis < 3; ++axis)
        if (model.nodes[i].fixed[axis]) model.nodes[i].velocity[axis] = 0.0;
    }
    ASSERT_NO_THROW(validate(model));
    const Dense d = dense(model, v);
    const DenseSolution solution = solve_dense(d.M, d.G, d.f, d.gamma);
    if (solution.condition > 1e4) continue;  // bars or nodes nearly in line
    // A dead point: velocities that fit now, but no accelerations that go on from them.
    if ((d.G * solution.a - d.gamma).norm() > 1e-9 * (1.0 + d.gamma.norm())) continue;
    const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
    const State state = dynamics.start();
    Terms terms = dynamics.make_terms();
    VectorXd rate = VectorXd::Zero(dynamics.size());
    dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
    const VectorXd found = rate.segment(state.nq, state.nv), wanted = solution.a.head(3 * n);
    EXPECT_LT((found - wanted).norm(), 1e-8 * (1.0 + wanted.norm())) << n << " nodes";
    // The dense rows bind the bodies' own 6 coordinates too.
    EXPECT_EQ(dynamics.formulation().facts().degrees_of_freedom, static_cast<int>(d.f.size()) - solution.rank);
    EXPECT_NEAR(dynamics.formulation().kinetic_energy(state.q(), state.v()), 0.5 * v.dot(d.M * v),
                1e-10 * (1.0 + v.squaredNorm()));
    redundant += dynamics.formulation().facts().redundant_constraints > 0;
    for (const Node& node : model.nodes) appended += !node.contact;
    ++checked;
  }
  EXPECT_GT(checked, 300);
  EXPECT_GT(redundant, 20);
  EXPECT_GT(appended, 100);
}

}  // namespace
}  // namespace taut::testing
