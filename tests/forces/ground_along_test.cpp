// The ground along bars and on the shapes of bodies: where points are, force as minus the gradient of the energy, the
// power of a point, derivatives against differences, what is skipped, and planes and flat fields as they were.
#include <gtest/gtest.h>

#include <functional>

#include "taut/forces/contact_tangent.h"
#include "taut/model/shape/body_mass.h"
#include "taut/model/shape/body_shapes.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Height = std::function<double(double, double)>;

Ground field(double cell, const Height& h) {
  Ground ground;
  const int n = static_cast<int>(std::lround(4.0 / cell)) + 1;
  ground.heights = {-2.0, -2.0, cell, cell, n, n, {}};
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) ground.heights.heights.push_back(h(-2.0 + c * cell, -2.0 + r * cell));
  return ground;
}

double hills(double x, double y) { return 0.2 * std::sin(2.0 * x) + 0.1 * std::cos(3.0 * y + x); }

AlignedDoubles positions(const Model& model) {
  AlignedDoubles x(4 * model.nodes.size(), 0.0);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) std::copy_n(model.nodes[i].position.data(), 3, &x[4 * i]);
  return x;
}

// All contact at once, as the formulations see it.
struct Touching {
  explicit Touching(const Model& model) : contact(model), terms(contact.make_terms()) {}
  AlignedDoubles force(const AlignedDoubles& x, const AlignedDoubles& v) {
    AlignedDoubles f(x.size(), 0.0);
    contact.apply(x.data(), v.data(), f.data(), terms);
    return f;
  }
  double energy(const AlignedDoubles& x) {
    force(x, AlignedDoubles(x.size(), 0.0));
    return contact.energy(x.data(), terms);
  }
  Contact contact;
  ContactTerms terms;
};

// A bar of 2 m through the hills, its ends in the air.
Model bar_in_hills(PressKind law = PressKind::linear) {
  Model model;
  model.ground = field(0.25, hills);
  model.ground->law = law;
  if (law == PressKind::hunt_crossley) model.ground->stiffness = 1e6, model.ground->damping = 0.5;
  add_node(model, {-0.4, 0.1, 0.27}), add_node(model, {1.6, 0.5, 0.12});
  add_bar(model, 0, 1, 2.0);
  return model;
}

TEST(GroundAlong, PointsAreAsCloseAsTheGroundBends) {
  // h = sin: at most a thousandth of a cell between two points of the line.
  const GroundSurface surface(field(0.25, hills));
  EXPECT_LT(surface.spacing(), 0.25);
  EXPECT_GE(surface.spacing(), 0.25 / 32.0);
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Vec3 at(random.between(-1.7, 1.7), random.between(-1.7, 1.7), 0.0);
    const double angle = random.between(0.0, 7.0), half = 0.5 * surface.spacing();
    const Vec3 along(half * std::cos(angle), half * std::sin(angle), 0.0);
    const auto h = [&](double part) {
      const Vec3 x = at + part * along;
      return surface.height(x.x(), x.y());
    };
    EXPECT_LT(h(0.0) - 0.5 * (h(-1.0) + h(1.0)), 1e-3 * 0.25);
    EXPECT_LE(std::abs(h(1.0) - h(-1.0)), 2.0 * half * surface.steepest() + 1e-12);
  }
  const Model model = bar_in_hills();
  const auto bars = bars_on_ground(model, surface);
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_EQ(bars[0].points % 2, 1);
  EXPECT_LE(start_length(model, model.bars[0]) / (bars[0].points + 1), surface.spacing());
}

// Nothing is there for planes, flat fields, sloping fields and bars whose nodes do not touch.
TEST(GroundAlong, NothingWhereTheEndsDecide) {
  for (const Height& h : {Height([](double, double) { return 0.3; }),
                          Height([](double x, double y) { return 0.3 * x - 0.7 * y + 0.1; })}) {
    Model model = bar_in_hills();
    model.ground = field(0.25, h);
    EXPECT_EQ(GroundContact(model).riders(), 0);
  }
  Model model = bar_in_hills();
  EXPECT_EQ(GroundContact(model).riders(), 1);
  model.nodes[0].contact = false;
  EXPECT_EQ(GroundContact(model).riders(), 1);
  model.nodes[1].contact = false;
  EXPECT_EQ(GroundContact(model).riders(), 0);
  model = bar_in_hills();
  model.nodes[0].fixed = model.nodes[1].fixed = all_fixed;
  EXPECT_EQ(GroundContact(model).riders(), 0);
  model = bar_in_hills();
  model.ground = Ground{};
  EXPECT_EQ(GroundContact(model).riders(), 0);
}

TEST(GroundAlong, ForceIsMinusTheGradientOfTheEnergy) {
  for (const PressKind law : {PressKind::linear, PressKind::smooth, PressKind::hunt_crossley}) {
    Model model = bar_in_hills(law);
    model.ground->damping = model.ground->friction = 0.0;
    Touching touching(model);
    AlignedDoubles x = positions(model), v(x.size(), 0.0);
    Random random(2);
    int inside = 0;
    for (int round = 0; round < 30; ++round) {
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = i % 4 == 3 ? 0.0 : model.nodes[i / 4].position[i % 4] + random.between(-0.05, 0.05);
      const AlignedDoubles f = touching.force(x, v);
      double size = 0.0;
      for (const double value : f) size = std::max(size, std::abs(value));
      inside += size > 1.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i % 4 == 3) continue;
        const double at = x[i], h = 1e-7;
        x[i] = at + h;
        const double above = touching.energy(x);
        x[i] = at - h;
        const double below = touching.energy(x);
        x[i] = at;
        EXPECT_NEAR(f[i], -(above - below) / (2.0 * h), 2e-5 * (1.0 + size)) << name(law);
      }
    }
    EXPECT_GT(inside, 15) << name(law);
  }
}

// The sum over the points themselves, without skipping any, as nodes of their own.
TEST(GroundAlong, EveryPointFeelsWhatANodeFeels) {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    Model model = bar_in_hills();
    model.ground->radius = round % 2 == 0 ? 0.0 : 0.03;
    model.ground->viscous = 4.0;
    for (Node& node : model.nodes) node.position += random.vector(0.3);
    // Also from beyond the grid.
    if (round % 5 == 0) model.nodes[1].position.x() += 1.5;
    const auto bars = bars_on_ground(model, GroundSurface(*model.ground));
    ASSERT_EQ(bars.size(), 1u);
    AlignedDoubles x = positions(model), v(x.size(), 0.0);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 4 == 3 ? 0.0 : random.between(-1.0, 1.0);
    Model nodes;
    nodes.ground = model.ground;
    AlignedDoubles px, pv;
    for (int k = 0; k <= bars[0].points + 1; ++k) {
      const double s = static_cast<double>(k) / (bars[0].points + 1);
      add_node(nodes, Vec3::Zero(), 1.0);
      for (int axis = 0; axis < 4; ++axis)
        px.push_back((1.0 - s) * x[axis] + s * x[4 + axis]), pv.push_back((1.0 - s) * v[axis] + s * v[4 + axis]);
    }
    Touching along(model), single(nodes);
    const AlignedDoubles f = along.force(x, v), pf = single.force(px, pv);
    double size = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      double first = 0.0, second = 0.0;
      for (int k = 0; k <= bars[0].points + 1; ++k) {
        const double s = static_cast<double>(k) / (bars[0].points + 1);
        first += (1.0 - s) * pf[4 * k + axis], second += s * pf[4 * k + axis], size += std::abs(pf[4 * k + axis]);
      }
      EXPECT_NEAR(f[axis], first, 1e-9 * (1.0 + size));
      EXPECT_NEAR(f[4 + axis], second, 1e-9 * (1.0 + size));
    }
    EXPECT_NEAR(along.terms.dissipated_power, single.terms.dissipated_power,
                1e-9 * (1.0 + single.terms.dissipated_power));
    EXPECT_NEAR(along.energy(x), single.energy(px), 1e-9 * (1.0 + size));
  }
}

// ∂F/∂x and ∂F/∂v of all nodes as the sum of the blocks, against differences.
void expect_derivatives(const Model& model, const AlignedDoubles& start, const AlignedDoubles& rates,
                        double position_error, double velocity_error) {
  Touching touching(model);
  ContactTangent tangent(model);
  AlignedDoubles x = start, v = rates;
  touching.force(x, v);
  std::vector<double> by_position, by_velocity;
  tangent.evaluate(x.data(), v.data(), touching.terms, by_position, by_velocity);
  const int n = static_cast<int>(model.nodes.size());
  Eigen::MatrixXd found_x = Eigen::MatrixXd::Zero(3 * n, 3 * n), found_v = found_x, real_x = found_x, real_v = found_x;
  for (std::size_t k = 0; k < tangent.blocks().size(); ++k)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const auto [i, j] = tangent.blocks()[k];
        found_x(3 * i + r, 3 * j + c) += by_position[9 * k + 3 * r + c];
        found_v(3 * i + r, 3 * j + c) += by_velocity[9 * k + 3 * r + c];
      }
  const auto differences = [&](AlignedDoubles& vary, double h, Eigen::MatrixXd& out) {
    for (int column = 0; column < 3 * n; ++column) {
      double& at = vary[column + column / 3];
      const double before = at;
      at = before + h;
      const AlignedDoubles above = touching.force(x, v);
      at = before - h;
      const AlignedDoubles below = touching.force(x, v);
      at = before;
      for (int row = 0; row < 3 * n; ++row)
        out(row, column) = (above[row + row / 3] - below[row + row / 3]) / (2.0 * h);
    }
  };
  differences(x, 1e-8, real_x);
  differences(v, 1e-7, real_v);
  EXPECT_GT(real_x.norm(), 1e3);
  EXPECT_LT((found_x - real_x).norm(), position_error * real_x.norm());
  EXPECT_LT((found_v - real_v).norm(), velocity_error * real_v.norm());
}

TEST(GroundAlong, DerivativesAgainstDifferences) {
  // A middle 0.3 mm deep: what the derivative leaves out is depth over radius of curvature.
  Model model = bar_in_hills();
  const GroundSurface surface(*model.ground);
  double highest = -1.0;
  for (Node& node : model.nodes) node.position.z() = 0.5;
  each_ground_point(model, surface, [&](EntityKind, int, const Vec3& at, double) {
    highest = std::max(highest, surface.depth(at.data()));
  });
  for (Node& node : model.nodes) node.position.z() -= -highest * std::sqrt(1.05) - 2e-4;
  AlignedDoubles x = positions(model), v(x.size(), 0.0);
  Random random(4);
  double deepest = -1.0;
  each_ground_point(model, surface, [&](EntityKind, int, const Vec3& at, double) {
    deepest = std::max(deepest, surface.depth(at.data()));
  });
  for (Node& node : model.nodes) node.position.z() += deepest - 3e-4;
  x = positions(model);
  for (const double speed : {1e-4, 0.3}) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 4 == 3 ? 0.0 : random.between(-speed, speed);
    expect_derivatives(model, x, v, 5e-3, 1e-6);
  }
}

// A box, a sphere, a cylinder or a tube with nodes well inside it, turned.
Model body_model(BodyShape::Kind kind, const Ground& ground, const Mat3& turn = Mat3::Identity(),
                 const Vec3& centre = {0.1, 0.2, 0.3}) {
  Model model;
  model.ground = ground;
  Body body;
  body.name = "b";
  body.mass = 2.0;
  body.centre = centre;
  const Shape shape = kind == BodyShape::Kind::box ? box_shape(centre, {0.6, 0.4, 0.2}, turn)
                      : kind == BodyShape::Kind::sphere
                          ? sphere_shape(centre, 0.2)
                          : tube_shape(centre, turn.col(2), 0.6, 0.15, kind == BodyShape::Kind::tube ? 0.1 : 0.0);
  body.shape = shape.drawn;
  body.inertia = inertia_of(shape, body.mass);
  for (const Vec3& local : {Vec3(0, 0, 0), Vec3(0.05, 0, 0), Vec3(0, 0.05, 0), Vec3(0, 0, 0.05)})
    body.nodes.push_back(add_node(model, centre + turn * local, 0.0));
  model.bodies.push_back(body);
  return model;
}

const std::vector<BodyShape::Kind> shapes = {BodyShape::Kind::box, BodyShape::Kind::sphere, BodyShape::Kind::cylinder,
                                             BodyShape::Kind::tube};

Mat3 any_turn(Random& random) {
  return Eigen::AngleAxisd(random.between(0.0, 3.0), random.vector().normalized()).toRotationMatrix();
}

// As deep as it should be: against many points on the surface of the body.
TEST(GroundBodies, DepthOnAPlaneIsThatOfTheDeepestPoint) {
  Random random(5);
  for (const BodyShape::Kind kind : shapes)
    for (int round = 0; round < 40; ++round) {
      Ground ground;
      ground.normal = Vec3(0, 0, 1) + random.vector(0.5);
      ground.normal.z() = std::abs(ground.normal.z());
      const Mat3 turn = any_turn(random);
      const Model model = body_model(kind, ground, turn);
      const GroundSurface surface(ground);
      double found = -1e9, deepest = -1e9;
      each_ground_point(model, surface, [&](EntityKind, int, const Vec3& at, double reach) {
        found = std::max(found, surface.depth(at.data()) + reach);
      });
      const Vec3& centre = model.bodies[0].centre;
      for (int i = 0; i < 360; ++i)
        for (const double side : {-1.0, 1.0}) {
          const double a = M_PI * i / 180.0;
          Vec3 local;
          if (kind == BodyShape::Kind::box)
            local = Vec3(i & 1 ? 0.3 : -0.3, i & 2 ? 0.2 : -0.2, 0.1 * side);
          else if (kind == BodyShape::Kind::sphere)
            local = turn.transpose() * (-0.2 * ground.normal.normalized());
          else
            local = Vec3(0.15 * std::cos(a), 0.15 * std::sin(a), 0.3 * side);
          const Vec3 at = centre + turn * local;
          deepest = std::max(deepest, surface.depth(at.data()));
        }
      // Rims are rounded off by up to 2 % of their radius.
      const bool round_rim = kind == BodyShape::Kind::cylinder || kind == BodyShape::Kind::tube;
      EXPECT_LT(found, deepest + 1e-5);
      EXPECT_GT(found, deepest - (round_rim ? 0.02 * 0.15 : 1e-12));
    }
  // Exact where it lies and where it stands.
  for (const double angle : {0.0, 0.5 * M_PI}) {
    const Model model = body_model(BodyShape::Kind::cylinder, Ground{},
                                   Eigen::AngleAxisd(angle, Vec3::UnitX()).toRotationMatrix(), {0, 0, 1});
    const GroundSurface surface(*model.ground);
    double found = -1e9;
    each_ground_point(model, surface, [&](EntityKind, int, const Vec3& at, double reach) {
      found = std::max(found, surface.depth(at.data()) + reach);
    });
    EXPECT_NEAR(found, -1.0 + (angle == 0.0 ? 0.3 : 0.15), 1e-12);
  }
}

// For every rigid motion the power of the forces is minus the change of the energy; with friction and damping what is
// missing is dissipated.
TEST(GroundBodies, PowerOfEveryRigidMotionIsAccountedFor) {
  Random random(6);
  for (const BodyShape::Kind kind : shapes)
    for (const bool rubs : {false, true})
      for (const bool hilly : {false, true})
        for (int round = 0; round < 20; ++round) {
          Ground ground = hilly ? field(0.25, hills) : Ground{};
          if (!hilly) ground.normal = {0.2, -0.1, 1.0};
          if (!rubs) ground.damping = ground.friction = 0.0;
          const Mat3 turn = any_turn(random);
          Model model = body_model(kind, ground, turn, {0.1, 0.2, 1.0});
          const GroundSurface surface(ground);
          double depth = -1e9;
          each_ground_point(model, surface, [&](EntityKind, int, const Vec3& at, double reach) {
            depth = std::max(depth, surface.depth(at.data()) + reach);
          });
          // Down until it is in.
          for (int k = 0; k < 30 && std::abs(depth - 2e-3) > 1e-6; ++k) {
            for (Node& node : model.nodes) node.position.z() += depth - 2e-3;
            depth = -1e9;
            each_ground_point(model, surface, [&](EntityKind, int, const Vec3& at, double reach) {
              depth = std::max(depth, surface.depth(at.data()) + reach);
            });
          }
          const AlignedDoubles x = positions(model);
          const Vec3 drift = random.vector(0.5), spin = random.vector(2.0), middle(&x[0]);
          const auto moved = [&](double t) {
            AlignedDoubles y = x;
            const Mat3 by = spin.norm() * t == 0.0
                                ? Mat3::Identity()
                                : Mat3(Eigen::AngleAxisd(spin.norm() * t, spin.normalized()).toRotationMatrix());
            for (std::size_t i = 0; i < 4; ++i) {
              const Vec3 at = middle + drift * t + by * (Vec3(&x[4 * i]) - middle);
              std::copy_n(at.data(), 3, &y[4 * i]);
            }
            return y;
          };
          AlignedDoubles v(x.size(), 0.0);
          for (std::size_t i = 0; i < 4; ++i) {
            const Vec3 rate = drift + spin.cross(Vec3(&x[4 * i]) - middle);
            std::copy_n(rate.data(), 3, &v[4 * i]);
          }
          Touching touching(model);
          const double h = 1e-7, stored = (touching.energy(moved(h)) - touching.energy(moved(-h))) / (2.0 * h);
          const AlignedDoubles f = touching.force(x, v);
          double power = 0.0, size = 0.0;
          for (std::size_t i = 0; i < f.size(); ++i) power += f[i] * v[i], size += std::abs(f[i] * v[i]);
          EXPECT_GT(size, 1e-3);
          EXPECT_NEAR(power + stored + touching.terms.dissipated_power, 0.0, 1e-5 * (1.0 + size))
              << static_cast<int>(kind) << (hilly ? " hilly" : " plane");
          EXPECT_GE(touching.terms.dissipated_power, 0.0);
        }
}

TEST(GroundBodies, NodesAndSwitchesDecideWhoTouches) {
  Model model = body_model(BodyShape::Kind::box, Ground{});
  EXPECT_EQ(GroundContact(model).riders(), 8);
  // Corners that are nodes touch as those.
  Model corner = model;
  corner.nodes[1].position = corner.bodies[0].centre + Vec3(0.3, 0.2, 0.1);
  EXPECT_EQ(GroundContact(corner).riders(), 7);
  corner.nodes[1].contact = false;
  EXPECT_EQ(GroundContact(corner).riders(), 8);
  model.bodies[0].contact = false;
  EXPECT_EQ(GroundContact(model).riders(), 0);
  EXPECT_EQ(GroundContact(body_model(BodyShape::Kind::sphere, Ground{})).riders(), 1);
  EXPECT_EQ(GroundContact(body_model(BodyShape::Kind::tube, Ground{})).riders(), 2);
  // On a field, points along the edges as well.
  EXPECT_GT(GroundContact(body_model(BodyShape::Kind::box, field(0.25, hills))).riders(), 20);
  model = body_model(BodyShape::Kind::box, Ground{});
  model.bodies[0].nodes.pop_back();
  EXPECT_EQ(GroundContact(model).riders(), 0);
}

TEST(GroundBodies, DerivativesOfCornersAgainstDifferences) {
  Model model = body_model(BodyShape::Kind::box, Ground{}, Mat3::Identity(), {0.0, 0.0, 0.1 - 2e-3});
  AlignedDoubles x = positions(model), v(x.size(), 0.0);
  Random random(8);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 4 == 3 ? 0.0 : random.between(-0.01, 0.01);
  expect_derivatives(model, x, v, 1e-5, 1e-5);
}

}  // namespace
}  // namespace taut::testing
