// Domes, nets, wheels, bridges, spines, arms, Michell's truss and self-similar X: balance and stability for random
// numbers, counts of self-stress states and mechanisms by a dense singular value decomposition, forces by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "taut/base/error.h"
#include "taut/generators/generators.h"
#include "taut/modes/lowest_modes.h"
#include "tests/equilibrium/dense_balance.h"
#include "tests/generators/statics.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using std::numbers::pi;

Model make(const std::string& kind, const Parameters& parameters = {}) {
  return generate(*find_generator(kind), parameters).model;
}

// Random numbers of a kind, within what its page calls stable.
class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double real(double low, double high) { return low + (high - low) * static_cast<double>(engine_()) / 4294967295.0; }
  double whole(int low, int high) { return low + static_cast<int>(engine_() % (high - low + 1)); }

  Parameters numbers(const std::string& kind) {
    Parameters p;
    if (kind == "x_module")
      p = {{"columns", whole(1, 3)},
           {"rows", whole(1, 2)},
           {"order", whole(1, 2)},
           {"width", real(0.5, 2)},
           {"height", real(0.5, 2)}};
    if (kind == "michell")
      p = {{"order", whole(1, 6)},
           {"angle", real(3, 22)},
           {"beta", real(35, 50)},
           {"span", real(0.5, 3)},
           {"load", real(1, 10)}};
    if (kind == "cable_dome")
      p = {{"sides", whole(8, 11)}, {"rings", whole(1, 2)},  {"span", real(10, 30)},
           {"rise", real(1, 3)},    {"strut", real(2.5, 4)}, {"geiger", whole(0, 1)}};
    if (kind == "wheel") p = {{"sides", whole(3, 18)}, {"radius", real(0.2, 0.5)}, {"axle", real(0.2, 0.4)}};
    if (kind == "net")
      p = {{"nx", whole(1, 6)}, {"ny", whole(1, 6)}, {"rise", real(0.1, 1)}, {"spacing", real(0.2, 1)}};
    if (kind == "cable_net")
      p = {{"nx", whole(3, 8)},
           {"ny", whole(2, 7)},
           {"length", real(2, 9)},
           {"width", real(2, 9)},
           {"rise", real(0, 3)},
           {"edge", real(1, 9)},
           {"EA", 1e5}};
    if (kind == "bridge")
      p = {{"panels", whole(1, 7)}, {"span", real(5, 15)}, {"width", real(1, 3)}, {"depth", real(0.7, 2)}};
    if (kind == "spine")
      p = {{"vertebrae", whole(2, 5)},
           {"width", real(0.2, 0.4)},
           {"height", real(0.15, 0.3)},
           {"spacing", real(0.06, 0.12)},
           {"fixed", whole(0, 1)}};
    if (kind == "class2_arm")
      p = {{"stages", whole(1, 5)},    {"bars", whole(3, 5)},      {"taper", real(0.7, 1)},
           {"elevation", real(0, 90)}, {"length", real(0.3, 0.8)}, {"radius", real(0.2, 0.4)}};
    return p;
  }

 private:
  std::mt19937 engine_;
};

const char* const kinds[] = {"x_module",  "michell", "cable_dome", "wheel",     "net",
                             "cable_net", "bridge",  "spine",      "class2_arm"};

int rigid_motions(const std::string& kind, const Parameters& p) {
  if (kind == "x_module") return 3;
  return kind == "wheel" || (kind == "spine" && p.at("fixed") == 0) ? 6 : 0;
}

// k (l - L0) rounds by k l ε, 1e-13 to 1e-14 of the member forces; a sum over a few members in each node.
TEST(GeneratorField, RandomNumbersGiveBalance) {
  Draw draw(1);
  for (const char* kind : kinds) {
    for (int i = 0; i < 12; ++i) {
      const Parameters p = draw.numbers(kind);
      const Model model = make(kind, p);
      EXPECT_LE(testing::dense_residual(model), 2e-12) << testing::described(kind, p);
      const auto tensions = testing::forces_of(model).cables;
      for (double tension : tensions) EXPECT_GT(tension, 0.0) << testing::described(kind, p);
      if (!model.loads.empty() || std::string(kind) == "spine") continue;
      for (double force : testing::forces_of(model).bars) EXPECT_LE(force, 0.0) << testing::described(kind, p);
    }
  }
}

// Exactly the rigid motions that the supports leave cost nothing; all others cost energy. The tangent stiffness is
// worked out densely; that of a loaded structure by the program's modes.
TEST(GeneratorField, RandomNumbersGiveStableShapes) {
  Draw draw(2);
  for (const char* kind : kinds) {
    for (int i = 0; i < 6; ++i) {
      const Parameters p = draw.numbers(kind);
      const Model model = make(kind, p);
      if (!model.loads.empty()) {
        EXPECT_GT(lowest_modes(model, 3).square[0], 1.0) << testing::described(kind, p);
        continue;
      }
      const std::vector<double> k = testing::stiffness_eigenvalues(model);
      const double zero = 1e-10 * k.back();
      const auto stiff = std::find_if(k.begin(), k.end(), [zero](double value) { return std::abs(value) > zero; });
      EXPECT_EQ(stiff - k.begin(), rigid_motions(kind, p)) << testing::described(kind, p);
      if (stiff != k.end()) {
        EXPECT_GT(*stiff, 0.0) << testing::described(kind, p);
      }
    }
  }
}

void expect_counts(const std::string& kind, const Parameters& p, double self_stress, double mechanisms, int rigid = 0) {
  const auto count = testing::count_states(make(kind, p));
  EXPECT_EQ(count.self_stress, self_stress) << testing::described(kind, p);
  EXPECT_EQ(count.motions - rigid, mechanisms) << testing::described(kind, p);
}

TEST(GeneratorField, CountsOfPlanarFractals) {
  for (int order = 1; order <= 3; ++order) {
    expect_counts("d_bar", {{"order", order}}, (std::pow(4, order) - 1) / 3, 0, 3);
    expect_counts("t_bar", {{"order", order}}, std::pow(2, order) - 1, 0, 3);
    const double side = std::pow(2, order - 1);
    expect_counts("x_module", {{"order", order}}, 2 * side * side - 2 * side + 1, 0, 3);
  }
  expect_counts("x_module", {{"columns", 4}, {"rows", 2}, {"supported", 1}}, 2 * 8 - 4 - 2 + 1, 0);
  for (int order : {1, 2, 5}) expect_counts("michell", {{"order", order}}, 0, 0);
}

TEST(GeneratorField, CountsOfDomes) {
  for (int n : {8, 9}) {
    for (int m : {1, 2}) expect_counts("cable_dome", {{"sides", n}, {"rings", m}}, 2 * n - 5, 0);
    expect_counts("cable_dome", {{"sides", n}, {"rings", 1}, {"geiger", 1}}, n - 2, n + 3);
    expect_counts("cable_dome", {{"sides", n}, {"rings", 2}, {"geiger", 1}}, 1, 2 * n + 6);
  }
  expect_counts("cable_dome", {{"sides", 5}, {"rings", 3}, {"geiger", 1}}, 1, 2 * 5 * 2 + 6);
}

TEST(GeneratorField, CountsOfTheOthers) {
  for (int n : {3, 4, 9}) {
    expect_counts("wheel", {{"sides", n}}, 1, 0, 6);
    expect_counts("wheel", {{"sides", n}, {"fixed", 1}}, 2, 0, 1);
    expect_counts("bridge", {{"panels", n}}, 3 * n + 2, 0);
    expect_counts("spine", {{"vertebrae", n}, {"fixed", 0}}, 2 * (n - 1), 0, 6);
    expect_counts("spine", {{"vertebrae", n}}, 2 * (n - 1) + 6, 0);
  }
  for (int n : {3, 5})
    for (int stages : {1, 3}) expect_counts("class2_arm", {{"bars", n}, {"stages", stages}}, stages + n, stages);
  expect_counts("net", {{"nx", 4}, {"ny", 3}}, 7, 12);
  expect_counts("net", {{"nx", 4}, {"ny", 3}, {"rise", 0.3}}, 1, 6);
  expect_counts("cable_net", {}, 1, 88);
}

// By statics at the tip and at the two nodes after it, with directions from the angles of the drawing alone.
TEST(GeneratorField, MichellForcesByHand) {
  const double phi = 20.0 * pi / 180.0, beta = 40.0 * pi / 180.0, load = 7.0;
  const Model model = make("michell", {{"order", 2}, {"angle", 20}, {"beta", 40}, {"load", load}});
  ASSERT_EQ(model.cables.size(), 3u);
  ASSERT_EQ(model.bars.size(), 3u);
  const double first = load / (2.0 * std::sin(beta));
  EXPECT_NEAR(testing::cable_force(model, model.cables[0]), first, 1e-11);
  // At n1_0 a cable comes in at π - β - φ from the inward ray and one leaves at β on the far side, the bar at β on the
  // near side: along the ray and across it.
  EXPECT_EQ(model.cables[1].name, "n1_0-n2_0");
  const double in = first, c = std::cos(beta), s = std::sin(beta);
  const double along = in * std::cos(pi - beta - phi), across = in * std::sin(pi - beta - phi);
  const double cable = 0.5 * (-along / c + across / s), bar = 0.5 * (-along / c - across / s);
  EXPECT_NEAR(testing::cable_force(model, model.cables[1]), cable, 1e-11);
  EXPECT_LT(bar, 0.0);
  // At the mirror image n0_1 a bar comes in: its bar and cable carry the same with opposite signs.
  EXPECT_EQ(model.cables[2].name, "n0_1-n1_1");
  EXPECT_NEAR(testing::cable_force(model, model.cables[2]), -bar, 1e-11);
}

// Levy's ring by the method of sections: the cables that cross a cylinder between two rings carry no vertical force,
// since nothing is loaded inside.
TEST(GeneratorField, DomeCarriesNoVerticalForceAcrossACut) {
  const Model model = make("cable_dome", {{"sides", 9}, {"rings", 2}});
  for (double cut : {2.0, 5.0, 8.0}) {
    double vertical = 0.0, all = 0.0;
    for (const Cable& cable : model.cables) {
      const auto radius = [&](int node) { return model.nodes[node].position.head<2>().norm(); };
      const int a = cable.path[0], b = cable.path[1];
      if ((radius(a) > cut) == (radius(b) > cut)) continue;
      const Vec3 span = testing::span_of(model, a, b);
      vertical += testing::cable_force(model, cable) * span.z() / span.norm();
      all += testing::cable_force(model, cable);
    }
    EXPECT_GT(all, 1000.0) << cut;
    EXPECT_NEAR(vertical / all, 0.0, 1e-12) << cut;
  }
  EXPECT_NEAR(testing::cable_force(model, model.cables[0]), 5000.0, 1e-8);
}

// The rim buckles, neighbours to opposite sides, at T = k s c² / (cot²(π/n) + c²), c = w/(2s).
TEST(GeneratorField, WheelBucklesAtTheClosedForm) {
  for (const int n : {12, 16}) {
    const double radius = 0.35, axle = 0.2, stiffness = 1e5, s = std::hypot(radius, 0.5 * axle), c = 0.5 * axle / s;
    const double limit = stiffness * s * c * c / (std::pow(std::tan(pi / n), -2) + c * c);
    EXPECT_NEAR(n == 16 ? limit : 108.0, 108.0, 0.5);  // of the standard wheel, as the page says
    const auto softest = [&](double pretension) {
      const auto k = testing::stiffness_eigenvalues(make("wheel", {{"sides", n}, {"pretension", pretension}}));
      return k[0] < -1e-6 ? k[0] : k[6];
    };
    EXPECT_GT(softest(limit * (1 - 1e-5)), 0.0);
    EXPECT_LT(softest(limit * (1 + 1e-5)), 0.0);
    const auto forces = testing::forces_of(make("wheel", {{"sides", n}}));
    EXPECT_NEAR(forces.bars[0], -50.0 * radius / s / std::sin(pi / n), 1e-9);
    EXPECT_NEAR(forces.bars[n], -n * 50.0 * c, 1e-9);
  }
}

// On the saddle z = rise (ξ² - η²), and all of its cables along x with the same horizontal pull.
TEST(GeneratorField, SaddleNet) {
  const int nx = 4, ny = 2;
  const Model model = make("net", {{"nx", nx}, {"ny", ny}, {"rise", 0.7}, {"spacing", 0.3}});
  for (const Node& node : model.nodes) {
    const double xi = node.position.x() / (0.15 * (nx + 1)) - 1.0, eta = node.position.y() / (0.15 * (ny + 1)) - 1.0;
    EXPECT_NEAR(node.position.z(), 0.7 * (xi * xi - eta * eta), 1e-15);
  }
  for (const Cable& cable : model.cables) {
    const Vec3 span = testing::span_of(model, cable.path[0], cable.path[1]);
    const double across = std::hypot(span.x(), span.y()), ratio = (ny + 1.0) / (nx + 1.0);
    EXPECT_NEAR(testing::cable_force(model, cable) * across / span.norm(), span.y() > 0 ? 20.0 * ratio * ratio : 20.0,
                1e-11);
  }
}

// The net's shape against the saddle that it is where every density is one and the corners' lines are straight: with
// edge cables without limit it becomes z = rise (ξ + η - 2 ξη), ξ, η = 0 ... 1.
TEST(GeneratorField, NetWithStiffEdgesIsTheRuledSaddle) {
  const Model model =
      make("cable_net", {{"nx", 5}, {"ny", 4}, {"edge", 1e9}, {"EA", 1e5}, {"length", 6}, {"width", 3}});
  for (const Node& node : model.nodes) {
    const double xi = node.position.x() / 6.0, eta = node.position.y() / 3.0;
    EXPECT_NEAR(node.position.z(), 2.0 * (xi + eta - 2.0 * xi * eta), 1e-7) << node.name;
  }
}

// Upright and level arms are the same arm, turned; without taper it is the class-2 tower.
TEST(GeneratorField, ArmIsATurnedTower) {
  const Parameters same = {{"stages", 3}, {"length", 0.7}, {"radius", 0.25}, {"taper", 1}, {"stiffness", 1000}};
  Parameters up = same;
  up["elevation"] = 90;
  const Model level = make("class2_arm", same), upright = make("class2_arm", up);
  const Model tower =
      make("class2_tower", {{"stages", 3}, {"height", 0.7}, {"radius", 0.25}, {"stiffness", 1000}, {"fixed", 1}});
  ASSERT_EQ(tower.nodes.size(), upright.nodes.size());
  for (size_t i = 0; i < tower.nodes.size(); ++i) {
    const Vec3 p = upright.nodes[i].position;
    EXPECT_NEAR((p - tower.nodes[i].position).norm(), 0.0, 1e-15);
    EXPECT_NEAR((level.nodes[i].position - Vec3(p.z(), p.y(), p.x())).norm(), 0.0, 1e-15);
    EXPECT_EQ(upright.nodes[i].fixed, tower.nodes[i].fixed);
  }
  std::vector<double> arm_tensions = testing::forces_of(upright).cables, tensions = testing::forces_of(tower).cables;
  std::sort(arm_tensions.begin(), arm_tensions.end());
  std::sort(tensions.begin(), tensions.end());
  for (size_t i = 0; i < tensions.size(); ++i) EXPECT_NEAR(arm_tensions[i], tensions[i], 1e-10);
}

// One X is what it was before X could be many.
TEST(GeneratorField, OrdersOfXFillTheSameRectangle) {
  const Model one = make("x_module", {{"width", 2}}), many = make("x_module", {{"width", 2}, {"order", 4}});
  EXPECT_EQ(one.name, "planar X");
  EXPECT_EQ(one.bars.size(), 2u);
  EXPECT_EQ(many.bars.size(), 128u);
  EXPECT_EQ(many.nodes.front().position, one.nodes.front().position);
  EXPECT_EQ(many.nodes.back().position, one.nodes.back().position);
  EXPECT_EQ(make("x_module", {{"rows", 30}}).nodes.back().name, "r31_2");
}

void expect_refused(const std::string& kind, const Parameters& p, const std::string& key, const std::string& part) {
  try {
    make(kind, p);
    ADD_FAILURE() << testing::described(kind, p) << " was built";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems()[0].key, key) << testing::described(kind, p);
    EXPECT_NE(error.problems()[0].message.find(part), std::string::npos) << error.problems()[0].message;
  }
}

TEST(GeneratorField, ImpossibleNumbersAreRefusedByName) {
  expect_refused("michell", {{"angle", 60}, {"beta", 70}}, "beta", "do not go inwards");
  expect_refused("michell", {{"angle", 45}}, "angle", "below 180");
  expect_refused("michell", {{"order", 101}}, "order", "at most 100");
  expect_refused("cable_dome", {{"strut", 0.5}}, "strut", "must be above");
  expect_refused("cable_dome", {{"sides", 3}}, "sides", "too few for 2 rings");
  expect_refused("cable_dome", {{"pretension", 1e9}}, "pretension", "rest length above 0");
  expect_refused("wheel", {{"sides", 2}}, "sides", "at least 3");
  expect_refused("cable_net", {{"nx", 2}, {"ny", 2}}, "nx", "nothing to hang");
  expect_refused("cable_net", {{"nx", 1000}, {"ny", 1001}}, "ny", "at most 100");
  expect_refused("spine", {{"spacing", 0.2}}, "spacing", "below the height 0.2 m");
  expect_refused("class2_arm", {{"taper", 1.1}}, "taper", "at most 1, got 1.1");
  expect_refused("class2_arm", {{"elevation", 91}}, "elevation", "between 0 and 90");
  expect_refused("x_module", {{"order", 10}}, "order", "at most 9");
  expect_refused("x_module", {{"order", 9}, {"columns", 100}}, "columns", "at most");
  for (const char* kind : kinds) {
    if (std::string(kind) == "michell") continue;
    expect_refused(kind, {{"pretension", 1e12}}, "pretension", "rest length above 0");
  }
  expect_refused("michell", {{"load", 1e9}}, "load", "rest length above 0");
}

}  // namespace
}  // namespace taut
