// [[bodies]] and attached nodes in a model file: shapes against closed forms, what is appended, what is refused.
#include <gtest/gtest.h>

#include <numbers>

#include "taut/file/write/write_toml.h"
#include "taut/model/shape/body_mass.h"
#include "taut/model/shape/body_shapes.h"
#include "tests/file/model_support.h"

namespace taut::testing {
namespace {

using Strings = std::vector<std::string>;
constexpr double pi = std::numbers::pi;

Model read(const std::string& text, const Strings& overrides = {}) {
  return read_scenario_text(text, "m.toml", overrides).model;
}

// A unit square in the plane z = 2 with an inner node, as a body.
std::string square(const std::string& keys) {
  return R"([nodes]
a = [0, 0, 2]
b = [1, 0, 2]
c = [1, 1, 2]
d = [0, 1, 2]
m = [0.5, 0.25, 2]
[[bodies]]
name = "plate"
nodes = ["m", "c", "a", "b", "d"]
)" + keys;
}

void expect_near(const Mat3& found, const Mat3& wanted) {
  EXPECT_LT((found - wanted).norm(), 1e-13 * (1.0 + wanted.norm())) << found << "\n not\n" << wanted;
}

TEST(BodyShapes, SquarePlate) {
  const Body body = read(square("shape = \"plate\"\nmass = 6\n")).bodies[0];
  EXPECT_LT((body.centre - Vec3(0.5, 0.5, 2)).norm(), 1e-14);
  expect_near(body.inertia, Vec3(0.5, 0.5, 1.0).asDiagonal());  // m s²/12, m s²/6
  EXPECT_EQ(body.outline.size(), 4u);                           // the inner node is no corner
  EXPECT_EQ(body.outline[0], 2);                                // round the hull, from the first of the list: c
  EXPECT_TRUE((body.outline[1] == 3 && body.outline[2] == 0) || (body.outline[1] == 1 && body.outline[2] == 0));
  // With a thickness t: m (s² + t²)/12, and its mass by a density.
  const Model thick = read(square("shape = \"plate\"\nthickness = 0.1\ndensity = 2700\n"));
  EXPECT_NEAR(thick.bodies[0].mass, 270.0, 1e-11);
  expect_near(thick.bodies[0].inertia, (270.0 / 12.0 * Vec3(1.01, 1.01, 2.0)).asDiagonal());
  EXPECT_EQ(thick.nodes.size(), 6u);
  EXPECT_EQ(thick.nodes[5].name, "plate.1");
  EXPECT_NEAR((thick.nodes[5].position - Vec3(0.5, 0.5, 2.0)).norm(), std::sqrt((2.0 + 0.01) / 12.0), 1e-12);
}

// About its centroid a uniform triangle has m (a² + b² + c²)/36.
TEST(BodyShapes, Triangle) {
  const std::vector<Vec3> corners = {{0, 0, 1}, {0.7, 0.2, 1.3}, {-0.1, 0.9, 0.4}};
  const Shape shape = plate_shape(corners, 0.0);
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  double sides = 0.0;
  for (int i = 0; i < 3; ++i) sides += (corners[i] - corners[(i + 1) % 3]).squaredNorm();
  const Mat3 inertia = inertia_of(shape, 2.0);
  EXPECT_NEAR(normal.normalized().dot(inertia * normal.normalized()), 2.0 * sides / 36.0, 1e-14);
  EXPECT_LT((shape.centre - (corners[0] + corners[1] + corners[2]) / 3.0).norm(), 1e-15);
  // A third of the mass at the middle of each side has all the same moments.
  Mat3 points = Mat3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 r = 0.5 * (corners[i] + corners[(i + 1) % 3]) - shape.centre;
    points += 2.0 / 3.0 * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  expect_near(inertia, points);
}

// An L is two rectangles; either way round, from any corner.
TEST(BodyShapes, PolygonThatIsNotConvex) {
  std::vector<Vec3> corners = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
  // [0, 2] × [0, 1] and [0, 1] × [1, 3], each of area 2: half the mass each.
  const Vec3 one(1, 0.5, 0), two(0.5, 2, 0), centre = 0.5 * (one + two);
  Mat3 second = Mat3::Zero();
  second +=
      0.5 * (Vec3(4.0 / 12, 1.0 / 12, 0).asDiagonal().toDenseMatrix() + (one - centre) * (one - centre).transpose());
  second +=
      0.5 * (Vec3(1.0 / 12, 4.0 / 12, 0).asDiagonal().toDenseMatrix() + (two - centre) * (two - centre).transpose());
  for (int turn = 0; turn < 6; ++turn) {
    for (int way = 0; way < 2; ++way) {
      const Shape shape = plate_shape(corners, 0.5);
      EXPECT_LT((shape.centre - centre).norm(), 1e-14);
      expect_near(shape.second, second + Vec3(0, 0, 0.25 / 12).asDiagonal().toDenseMatrix());
      EXPECT_NEAR(shape.volume, 2.0, 1e-14);
      std::reverse(corners.begin(), corners.end());
    }
    std::rotate(corners.begin(), corners.begin() + 1, corners.end());
  }
}

TEST(BodyShapes, Solids) {
  const std::string node =
      "[nodes]\na = [1, 2, 3]\nb = [1, 2, 4]\n[[bodies]]\nname = \"b\"\nnodes = [\"a\", \"b\"]\ndensity = 1000\n";
  const Vec3 middle(1, 2, 3.5);
  const auto body = [&](const std::string& keys) { return read(node + keys).bodies[0]; };
  const Body ball = body("shape = \"sphere\"\nradius = 0.3\n");
  EXPECT_NEAR(ball.mass, 1000 * 4.0 / 3.0 * pi * 0.027, 1e-10);
  expect_near(ball.inertia, 0.4 * ball.mass * 0.09 * Mat3::Identity());
  EXPECT_LT((ball.centre - middle).norm(), 1e-15);
  const Body rod = body("shape = \"cylinder\"\nends = [\"a\", \"b\"]\nradius = 0.2\n");
  EXPECT_NEAR(rod.mass, 1000 * pi * 0.04, 1e-10);
  const double across = rod.mass * (3 * 0.04 + 1.0) / 12.0;
  expect_near(rod.inertia, Vec3(across, across, rod.mass * 0.04 / 2.0).asDiagonal());
  const Body pipe =
      body("shape = \"tube\"\naxis = [2, 0, 0]\nlength = 1.5\nradius = 0.2\ninner_radius = 0.1\ncentre = [0, 0, 0]\n");
  EXPECT_NEAR(pipe.mass, 1000 * pi * 0.03 * 1.5, 1e-10);
  const double turned = pipe.mass * (3 * 0.05 + 2.25) / 12.0;
  expect_near(pipe.inertia, Vec3(pipe.mass * 0.05 / 2.0, turned, turned).asDiagonal());
  EXPECT_EQ(pipe.centre, Vec3(0, 0, 0));
  const Body box = body("shape = \"box\"\nsize = [1, 2, 3]\naxes = [[0, 5, 0], [0, 0, 2]]\n");
  EXPECT_NEAR(box.mass, 6000.0, 1e-10);
  // Edges of 1 along y, 2 along z, 3 along x.
  expect_near(box.inertia, (500.0 * Vec3(1 + 4, 4 + 9, 1 + 9)).asDiagonal());
}

TEST(Bodies, InertiaByNumbers) {
  const Body body = read(square("mass = 2\ninertia = [1, 2, 2.5, 0.1, -0.2, 0.3]\ncentre = [0.5, 0.5, 2]\n")).bodies[0];
  Mat3 wanted;
  wanted << 1, 0.1, -0.2, 0.1, 2, 0.3, -0.2, 0.3, 2.5;
  EXPECT_EQ(body.inertia, wanted);
  EXPECT_TRUE(body.outline.empty());
  // Without a centre, the mean of the nodes.
  EXPECT_LT((read(square("mass = 2\ninertia = [1, 1, 1]\n")).bodies[0].centre - Vec3(0.5, 0.45, 2)).norm(), 1e-14);
}

// Beside the inertia a shape changes no number: it is drawn.
TEST(Bodies, AShapeBesideTheInertiaIsDrawnOnly) {
  const std::string numbers = "mass = 2\ninertia = [1, 2, 2.5]\ncentre = [0.5, 0.5, 2]\n";
  Body plain = read(square(numbers)).bodies[0];
  Body drawn =
      read(square(numbers + "shape = \"tube\"\nradius = 0.3\ninner_radius = 0.2\nlength = 4\naxis = [0, 3, 4]\n"))
          .bodies[0];
  EXPECT_EQ(drawn.shape.kind, BodyShape::Kind::tube);
  EXPECT_EQ(drawn.shape.size, Vec3(0.3, 0.2, 4));
  EXPECT_LT((drawn.shape.first - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
  drawn.shape = plain.shape;
  EXPECT_EQ(drawn, plain);
  // A shape that gives the mass is drawn too; its numbers are those of the file.
  const Body box =
      read(square("mass = 2\nshape = \"box\"\nsize = [1, 2, 3]\naxes = [[0, 2, 0], [0, 0, 7]]\n")).bodies[0];
  EXPECT_EQ(box.shape, (BodyShape{BodyShape::Kind::box, {1, 2, 3}, Vec3::UnitY(), Vec3::UnitZ()}));
  // An override of the inertia leaves the shape to the pictures, one of the shape gives the mass.
  const std::string ball = square("mass = 2\nshape = \"sphere\"\nradius = 0.5\n");
  const Body heavier = read(ball, {"bodies.plate.inertia=[1, 1, 1]"}).bodies[0];
  EXPECT_EQ(heavier.inertia, Mat3::Identity());
  EXPECT_EQ(heavier.shape.kind, BodyShape::Kind::sphere);
  EXPECT_NEAR(read(square(numbers), {"bodies.plate.shape=sphere", "bodies.plate.radius=0.5"}).bodies[0].inertia(0, 0),
              0.4 * 2 * 0.25, 1e-14);
}

TEST(Bodies, OverridesAndMotion) {
  const std::string plate = square("shape = \"plate\"\nmass = 6\nvelocity = [1, 0, 0]\nangular_velocity = [0, 0, 2]\n");
  const Model model = read(plate);
  for (const Node& node : model.nodes) {
    const Vec3 v = Vec3(1, 0, 0) + Vec3(0, 0, 2).cross(node.position - model.bodies[0].centre);
    EXPECT_LT((node.velocity - v).norm(), 1e-14) << node.name;
  }
  EXPECT_EQ(read(plate, {"bodies.plate.mass=12"}).bodies[0].mass, 12.0);
  const Model moved = read(plate, {"bodies.0.thickness=0.2", "bodies.plate.angular_velocity=[3, 0, 0]"});
  // An appended node moves as the others do.
  ASSERT_EQ(moved.nodes.size(), 6u);
  EXPECT_LT(
      (moved.nodes[5].velocity - Vec3(1, 0, 0) - Vec3(3, 0, 0).cross(moved.nodes[5].position - moved.bodies[0].centre))
          .norm(),
      1e-12);
  EXPECT_EQ(read(square("shape = \"plate\"\nthickness = 0.1\nmass = 6\n"), {"bodies.plate.inertia=[1, 1, 1]"})
                .bodies[0]
                .inertia,
            Mat3::Identity());
  // A shape that an override changes leaves the keys of the other behind.
  EXPECT_NEAR(read(plate, {"bodies.plate.shape=sphere", "bodies.plate.radius=0.5"}).bodies[0].inertia(0, 0),
              0.4 * 6 * 0.25, 1e-14);
}

// What is written is read back to the same numbers, appended nodes included, and nothing is appended twice.
TEST(Bodies, WrittenAndReadBack) {
  for (const std::string keys : {"shape = \"plate\"\nmass = 6\n",
                                 "shape = \"plate\"\nthickness = 0.01\nmass = 6\nangular_velocity = [1, 2, 3]\n",
                                 "shape = \"sphere\"\nradius = 2\nmass = 3\ncentre = [4, 5, 6]\n"}) {
    const Scenario s = read_scenario_text(square(keys), "m.toml");
    const Scenario again = read_scenario_text(to_toml(s), "m.toml");
    EXPECT_EQ(again.model.nodes.size(), s.model.nodes.size());
    EXPECT_EQ(again.model.bodies, s.model.bodies);
    EXPECT_EQ(again.model.nodes, s.model.nodes);
  }
}

TEST(Bodies, NamesOfAppendedNodesAvoidOthers) {
  const Model model = read(
      "[nodes]\n\"b.1\" = [0, 0, 0]\n[[bodies]]\nname = \"b\"\nnodes = [\"b.1\"]\nmass = 1\nshape = \"sphere\"\nradius "
      "= 1\n");
  ASSERT_EQ(model.nodes.size(), 4u);
  EXPECT_EQ(model.nodes[1].name, "b.2");
  for (int i = 1; i < 4; ++i) EXPECT_NEAR(model.nodes[i].position.norm(), std::sqrt(0.6), 1e-14);
}

std::string bar_with(const std::string& keys) {
  return R"([nodes]
a = [0, 0, 0]
b = [0, 0, 1]
e = [0.02, 0, 0.5]
[[bars]]
nodes = ["a", "b"]
mass = 2
radius = 0.02
)" + keys;
}

TEST(AttachedNodes, AreRead) {
  const Model model = read(bar_with("attached = [\"e\"]\n"));
  EXPECT_EQ(model.bars[0].attached, (std::vector<int>{2, 3}));
  EXPECT_EQ(model.nodes[3].name, "a-b.1");
  EXPECT_EQ(model.bars[0].axial_inertia, 0.5 * 2 * 0.02 * 0.02);  // a solid cylinder
  EXPECT_EQ(read(bar_with("attached = [\"e\"]\naxial_inertia = 0.001\n")).bars[0].axial_inertia, 0.001);
  Scenario s;
  s.model = model;
  EXPECT_EQ(read_scenario_text(to_toml(s), "m.toml").model.bars, model.bars);
}

void expect_problem(const std::string& text, const std::string& wanted) {
  EXPECT_EQ(problems_of(text), Strings{"m.toml:" + wanted}) << text;
}

TEST(AttachedNodes, BadInput) {
  expect_problem(bar_with("attached = [\"a\"]\n"), "9:12: bars[0].attached: \"a\" is an end of the bar");
  expect_problem(bar_with("attached = [\"e\", \"e\"]\n"), "9:12: bars[0].attached: names \"e\" twice");
  expect_problem(bar_with("attached = [\"x\"]\n"), "9:13: bars[0].attached[0]: there is no node \"x\"");
  expect_problem(bar_with("attached = \"e\"\n"),
                 "9:12: bars[0].attached: expected a list of node names, got the text \"e\"");
  expect_problem(bar_with("attached = [\"e\"]\naxial_inertia = 0\n"),
                 "10:17: bars[0].axial_inertia: is 0, so that nothing says how the bar turns about its axis: expected "
                 "a number above 0");
  expect_problem(bar_with("attached = [\"e\"]\naxial_inertia = 1\n"),
                 "10:17: bars[0].axial_inertia: is 1 kg m², more than twice the transverse inertia, "
                 "0.16666666666666666 kg m²: no bar has that");
  expect_problem(
      "[nodes]\na = [0, 0, 0]\nb = [0, 0, 1]\ne = { at = [0, 1, 0], mass = 1 }\n[[bars]]\npairs = [[\"a\", "
      "\"b\"]]\nmass = 2\nattached = [\"e\"]\n",
      "8:12: bars[0].attached: belongs to a single bar, not to pairs");
  expect_problem(
      "[nodes]\na = [0, 0, 0]\nb = [0, 0, 1]\ne = { at = [0, 1, 0], mass = 1 }\n[[bars]]\nnodes = [\"a\", \"b\"]\nmass "
      "= 2\nEA = 5\nattached = [\"e\"]\n",
      "9:12: bars[0].attached: belongs to rigid bars only (this one has EA)");
  expect_problem(
      "[nodes]\na = [0, 0, 0]\nb = [0, 0, 1]\ne = { at = [0, 1, 0], velocity = [1, 0, 0] }\n[[bars]]\nnodes = [\"a\", "
      "\"b\"]\nmass = 2\nspin = 5\nattached = [\"e\"]\n",
      "8:8: bars[0].spin: the attached nodes have velocities of their own: leave one of the two out");
}

TEST(Bodies, BadInput) {
  const std::string plate = "shape = \"plate\"\nmass = 6\n";
  expect_problem(square("mass = 6\n"),
                 "7:1: bodies[0].shape: is missing: expected shape = \"plate\", \"box\", \"cylinder\", \"tube\" or "
                 "\"sphere\", or inertia");
  expect_problem(square("shape = \"plate\"\n"),
                 "7:1: bodies[0].mass: is missing: expected mass, or density with a shape");
  expect_problem(square("shape = \"plat\"\nmass = 6\n"),
                 "10:9: bodies[0].shape: \"plat\" is not known: expected one of plate, box, cylinder, tube, sphere "
                 "(did you mean \"plate\"?)");
  expect_problem(square("shape = \"plate\"\nmass = -1\n"), "11:8: bodies[0].mass: is -1: expected a number above 0");
  expect_problem(square("shape = \"plate\"\nmass = 1\ndensity = 2\n"),
                 "12:11: bodies[0].density: is given beside mass: expected one of mass, density");
  expect_problem(square("shape = \"plate\"\ndensity = 2\n"),
                 "11:11: bodies[0].density: needs a volume: give the plate a thickness above 0, or the mass");
  expect_problem(square("mass = 1\ninertia = [1, 1, 1]\nshape = \"plate\"\n"),
                 "12:9: bodies[0].shape: its outline shows a plate: leave it out where inertia is given");
  expect_problem(square("mass = 1\ninertia = [1, 1, 1]\nshape = \"cylinder\"\nradius = 1\nends = [\"a\", \"b\"]\n"),
                 "14:8: bodies[0].ends: beside inertia, expected axis and length");
  expect_problem(square("mass = 1\ninertia = [1, 1, 1]\nshape = \"sphere\"\nradius = -1\n"),
                 "13:10: bodies[0].radius: is -1: expected a number above 0");
  expect_problem(square("inertia = [1, 1, 1]\ndensity = 2\n"),
                 "11:11: bodies[0].density: needs a shape: give the mass instead");
  expect_problem(square(plate + "radius = 1\n"),
                 "12:10: bodies[0].radius: belongs to shape cylinder, tube and sphere only");
  expect_problem(square(plate + "centre = [0, 0, 0]\n"),
                 "12:10: bodies[0].centre: follows from the corners of the plate: leave it out");
  expect_problem(square(plate + "thickness = -1\n"),
                 "12:13: bodies[0].thickness: is negative (-1): expected 0 or more");
  expect_problem(
      square(plate + "outline = [\"a\", \"c\", \"b\", \"d\"]\n"),
      "12:11: bodies[0].outline: side \"a\"-\"c\" of the plate meets side \"b\"-\"d\": expected the corners in order");
  expect_problem(square(plate + "outline = [\"a\", \"c\"]\n"),
                 "12:11: bodies[0].outline: a plate needs three corners or more, got 2");
  expect_problem(square(plate + "outline = [\"a\", \"c\", \"x\"]\n"),
                 "12:22: bodies[0].outline[2]: there is no node \"x\"");
  expect_problem(
      square("mass = 1\ninertia = [1, 1]\n"),
      "11:11: bodies[0].inertia: expected [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], got a list of 2");
  expect_problem(square("mass = 1\ninertia = [1, 1, 3]\n"),
                 "11:11: bodies[0].inertia: has the principal moments 1, 1 and 3 kg m²: no body has one that is larger "
                 "than the other two together");
  expect_problem(square("mass = 1\ninertia = [1, 1, 1, 2, 0, 0]\n"),
                 "11:11: bodies[0].inertia: has the principal moments -1, 1 and 3 kg m²: expected none below 0");
  expect_problem(square("shape = \"box\"\nmass = 1\nsize = [1, 0, 1]\n"),
                 "12:8: bodies[0].size: expected three numbers above 0");
  expect_problem(square("shape = \"box\"\nmass = 1\nsize = [1, 1, 1]\naxes = [[1, 0, 0], [1, 1, 0]]\n"),
                 "13:8: bodies[0].axes: are not at right angles: expected two directions that are");
  expect_problem(square("shape = \"tube\"\nmass = 1\nlength = 1\nradius = 1\ninner_radius = 2\n"),
                 "14:16: bodies[0].inner_radius: is 2 m: expected less than the radius, 1 m");
  expect_problem(square("shape = \"cylinder\"\nmass = 1\nradius = 1\n"),
                 "7:1: bodies[0].length: is missing: expected the length in m, or ends");
  expect_problem(square("shape = \"cylinder\"\nmass = 1\nradius = 1\nends = [\"a\"]\n"),
                 "13:8: bodies[0].ends: expected two nodes at different positions");
  expect_problem(
      square(plate) + "[[bodies]]\nname = \"plate\"\nnodes = [\"a\"]\nmass = 1\nshape = \"sphere\"\nradius = 1\n",
      "13:8: bodies[1].name: a second body is called \"plate\"");
  expect_problem(square(plate + "colour = 3\n"), "12:1: bodies[0].colour: is not a known key");
  expect_problem(
      "[nodes]\na = [0, 0, 0]\n[[bodies]]\nname = \"b\"\nnodes = []\nmass = 1\nshape = \"sphere\"\nradius = 1\n",
      "5:9: bodies[0].nodes: is empty: expected one node or more");
  // A node that says how it moves, and a body that does, too.
  expect_problem(
      "[nodes]\na = { at = [0, 0, 0], velocity = [1, 0, 0] }\n[[bodies]]\nname = \"b\"\nnodes = [\"a\"]\nmass = "
      "1\nshape = \"sphere\"\nradius = 1\nvelocity = [1, 0, 0]\n",
      "2:34: nodes.a.velocity: body \"b\" says how its nodes move: leave one of the two out");
}

// Nothing says how fast a massless arm turns, or a plate whose corners are not in its plane.
TEST(Bodies, NodesOffTheMass) {
  const std::string mast = R"([nodes]
a = [0, 0, 0]
b = [1, 0, 0]
c = [0, 1, 0]
tip = [0.2, 0.2, 0.5]
[[bodies]]
name = "p"
nodes = ["a", "b", "c", "tip"]
outline = ["a", "b", "c"]
shape = "plate"
mass = 1
)";
  expect_problem(mast,
                 "8:9: bodies[0].nodes: has its mass in a plane, and node \"tip\" is 0.5 m off it: nothing says how it "
                 "turns there");
  EXPECT_EQ(problems_of(mast + "thickness = 0.01\n"), Strings{});
  expect_problem(
      "[nodes]\na = [0, 0, 0]\nb = [1, 0, 0]\nc = [0, 1, 0]\n[[bodies]]\nname = \"p\"\nnodes = [\"a\", \"b\", "
      "\"c\"]\ninertia = [0, 1, 1]\ncentre = [0, 0, 0]\nmass = 1\n",
      "7:9: bodies[0].nodes: has its mass on a line, and node \"c\" is 1 m off it: nothing says how it turns there");
  expect_problem(
      "[nodes]\na = [0, 0, 0]\nb = [1, 0, 0]\n[[bodies]]\nname = \"p\"\nnodes = [\"a\", \"b\"]\ninertia = [0, 0, "
      "0]\nmass = 1\n",
      "6:9: bodies[0].nodes: has its mass in one point, and node \"a\" is 0.5 m off it: nothing says how it turns "
      "there");
  expect_problem(
      "[nodes]\na = [0, 0, 0]\nb = [1, 0, 0]\nc = [1, 1, 0.01]\nd = [0, 1, 0]\n[[bodies]]\nname = \"p\"\nnodes = "
      "[\"a\", \"b\", \"c\", \"d\"]\nshape = \"plate\"\nmass = 1\n",
      "8:9: bodies[0].nodes: the corners do not lie in one plane: \"b\" is 0.01 m off it");
}

// The mass matrix of the nodes has the body's mass, first and second moments, whatever the nodes.
TEST(Bodies, MassMatrixHasTheMoments) {
  const Model model = read(square("shape = \"plate\"\nthickness = 0.3\nmass = 6\n"));
  const Body& body = model.bodies[0];
  const BodyMass mass = body_mass(model, body);
  ASSERT_EQ(mass.base.size(), 4u);
  EXPECT_EQ(mass.others.size(), 2u);
  double total = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const Vec3 x = model.nodes[mass.base[i]].position - body.centre,
                 y = model.nodes[mass.base[j]].position - body.centre;
      total += mass.mass(i, j);
      first += mass.mass(i, j) * x;
      second += mass.mass(i, j) * x * y.transpose();
    }
  EXPECT_NEAR(total, 6.0, 1e-13);
  EXPECT_LT(first.norm(), 1e-13);
  expect_near(second, second_moments(body.inertia));
  // The others are the same combination of the base as their places.
  for (std::size_t k = 0; k < mass.others.size(); ++k) {
    Vec3 x = Vec3::Zero();
    for (int i = 0; i < 4; ++i) x += mass.beta[k][i] * model.nodes[mass.base[i]].position;
    EXPECT_LT((x - model.nodes[mass.others[k]].position).norm(), 1e-13);
  }
}

}  // namespace
}  // namespace taut::testing
