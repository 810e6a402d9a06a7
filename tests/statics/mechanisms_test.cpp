// Which mechanisms go on: flexible octahedra and planar bipartite frameworks move though they have as many bars as a
// rigid one needs, or more; octahedra that are shaky by chance do not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "taut/statics/statics.h"
#include "tests/support/dense.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Points = std::vector<Vec3>;

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double operator()(double low = -1.0, double high = 1.0) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }

 private:
  std::mt19937_64 engine_;
};

Model framework(const Points& points, const std::vector<std::pair<int, int>>& bars, const Axes& fixed = {}) {
  Model model;
  model.gravity.setZero();
  for (const Vec3& p : points) add_node(model, p, 1.0, fixed);
  for (const auto& [a, b] : bars) add_bar(model, a, b, 1.0);
  return model;
}

// Nodes 0 and 1, 2 and 3, 4 and 5 are opposite.
std::vector<std::pair<int, int>> octahedron() {
  std::vector<std::pair<int, int>> bars;
  for (int a = 0; a < 6; ++a)
    for (int b = a + 1; b < 6; ++b)
      if (a / 2 != b / 2) bars.emplace_back(a, b);
  return bars;
}

std::vector<std::pair<int, int>> bipartite(int m, int n) {
  std::vector<std::pair<int, int>> bars;
  for (int a = 0; a < m; ++a)
    for (int b = 0; b < n; ++b) bars.emplace_back(a, m + b);
  return bars;
}

// Bricard's first kind: opposite nodes change places in a half turn about a line.
Points about_a_line(Draw& draw) {
  Points points;
  for (int k = 0; k < 3; ++k) {
    const double x = draw(), y = draw(), z = draw();
    points.push_back({x, y, z});
    points.push_back({-x, -y, z});
  }
  return points;
}

void expect_one(const Model& model, MechanismKind kind, const std::string& which) {
  const Statics s = analyse_statics(model);
  ASSERT_EQ(s.spaces.mechanisms, 1) << which;
  EXPECT_EQ(s.mechanisms[0].kind, kind) << which;
}

TEST(Mechanisms, BricardOctahedraAreFinite) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Draw draw(seed);
    const Points line = about_a_line(draw);
    expect_one(framework(line, octahedron()), MechanismKind::finite, fmt::format("line, {}", seed));
    // His second kind: two pairs are mirrored in a plane, the third lies in it.
    Points plane;
    for (int k = 0; k < 2; ++k) {
      const double x = draw(), y = draw(), z = draw();
      plane.push_back({x, y, z});
      plane.push_back({x, y, -z});
    }
    for (int k = 0; k < 2; ++k) plane.push_back({draw(), draw(), 0.0});
    expect_one(framework(plane, octahedron()), MechanismKind::finite, fmt::format("plane, {}", seed));
  }
}

TEST(Mechanisms, DixonFrameworksAreFinite) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Draw draw(seed);
    // On two lines that cross at right angles.
    Points lines;
    for (int i = 0; i < 3; ++i) lines.push_back({draw(), 0.0, 0.0});
    for (int i = 0; i < 4; ++i) lines.push_back({0.0, draw(), 0.0});
    expect_one(framework(lines, bipartite(3, 4), planar), MechanismKind::finite, fmt::format("lines, {}", seed));
    // On two rectangles with the same axes.
    Points rectangles;
    for (int k = 0; k < 2; ++k) {
      const double a = draw(0.2, 1.0), b = draw(0.2, 1.0);
      for (const auto& [x, y] : {std::pair{a, b}, {-a, b}, {-a, -b}, {a, -b}}) rectangles.push_back({x, y, 0.0});
    }
    expect_one(framework(rectangles, bipartite(4, 4), planar), MechanismKind::finite,
               fmt::format("rectangles, {}", seed));
  }
}

// An octahedron is shaky where the determinant of its lengths' rates is 0, and then, in general, only to first order.
TEST(Mechanisms, ShakyOctahedraAreInfinitesimal) {
  int found = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    Points points;
    for (int k = 0; k < 6; ++k) points.push_back({draw(), draw(), draw()});
    const double z = points[5][2];
    const auto determinant = [&](double off) {
      points[5][2] = z + off;
      // Six coordinates are held so that it cannot move as a whole.
      std::vector<int> column(18, -1);
      int columns = 0;
      for (int i = 0; i < 18; ++i)
        if (i > 2 && i != 7 && i != 8 && i != 14) column[i] = columns++;
      Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(12, 12);
      int row = 0;
      for (const auto& [a, b] : octahedron()) {
        for (int axis = 0; axis < 3; ++axis) {
          const double d = points[a][axis] - points[b][axis];
          if (const int c = column[3 * a + axis]; c >= 0) rates(row, c) += d;
          if (const int c = column[3 * b + axis]; c >= 0) rates(row, c) -= d;
        }
        ++row;
      }
      return testing::determinant(rates);
    };
    for (double off = -1.0; off < 1.0; off += 0.05) {
      double low = off, high = off + 0.05;
      const bool sign = determinant(low) > 0.0;
      if ((determinant(high) > 0.0) == sign) continue;
      for (int pass = 0; pass < 60; ++pass) {
        const double middle = 0.5 * (low + high);
        ((determinant(middle) > 0.0) == sign ? low : high) = middle;
      }
      determinant(low);
      expect_one(framework(points, octahedron()), MechanismKind::infinitesimal, fmt::format("{}", seed));
      ++found;
      break;
    }
  }
  EXPECT_GT(found, 15);
}

// Coordinates of seven digits make a flexible octahedron one that is not quite: which is not called infinitesimal.
TEST(Mechanisms, RoundedCoordinatesDecideNothing) {
  int decided = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Draw draw(seed);
    Points points = about_a_line(draw);
    const Mat3 turn = Eigen::AngleAxisd(draw(), Vec3(draw(), draw(), draw()).normalized()).toRotationMatrix();
    for (Vec3& p : points) p = (1e7 * (turn * p)).array().round() / 1e7;
    const Statics s = analyse_statics(framework(points, octahedron()));
    decided += s.infinitesimal;
  }
  EXPECT_LE(decided, 1);
}

// A parallelogram that lies flat can go on as one or as an antiparallelogram: both of its mechanisms are finite. A
// chain that is pulled straight has the same count, and neither is.
TEST(Mechanisms, TwoWaysThatCrossAreBothFinite) {
  const auto chain = [](double c, double d) {
    Model model;
    model.gravity.setZero();
    add_node(model, {0, 0, 0}, 0.0, all_fixed);
    add_node(model, {1, 0, 0}, 1.0, planar);
    add_node(model, {c, 0, 0}, 1.0, planar);
    add_node(model, {d, 0, 0}, 0.0, all_fixed);
    for (int i = 0; i < 3; ++i) add_bar(model, i, i + 1, 1.0);
    return analyse_statics(model);
  };
  const Statics flat = chain(3.0, 2.0);
  EXPECT_EQ(flat.spaces.mechanisms, 2);
  EXPECT_EQ(flat.spaces.states, 1);
  EXPECT_EQ(flat.finite, 2);
  // Their tangents keep the lengths to second order.
  for (const Mechanism& m : flat.mechanisms) EXPECT_NEAR(m.stiffening, 0.0, 1e-6);
  const Statics straight = chain(2.0, 3.0);
  EXPECT_EQ(straight.spaces.mechanisms, 2);
  EXPECT_EQ(straight.infinitesimal, 2);
}

// What goes on in one part goes on beside any other.
TEST(Mechanisms, PartsAreJudgedByThemselves) {
  Model model;
  model.gravity.setZero();
  const auto chain = [&](double y, double c, double d) {
    const int first = static_cast<int>(model.nodes.size());
    add_node(model, {0, y, 0}, 0.0, all_fixed);
    add_node(model, {1, y, 0}, 1.0, planar);
    add_node(model, {c, y, 0}, 1.0, planar);
    add_node(model, {d, y, 0}, 0.0, all_fixed);
    for (int i = 0; i < 3; ++i) add_bar(model, first + i, first + i + 1, 1.0);
  };
  chain(0.0, 3.0, 2.0);
  chain(10.0, 3.0, 2.0);
  EXPECT_EQ(analyse_statics(model).finite, 4);
  chain(30.0, 2.0, 3.0);
  const Statics s = analyse_statics(model);
  EXPECT_EQ(s.finite, 4);
  EXPECT_EQ(s.infinitesimal, 2);
}

// A beam on three parallel legs of unequal lengths keeps its lengths to third order: infinitesimal, wherever it stands.
TEST(Mechanisms, HigherOrdersAreInfinitesimalAnywhere) {
  for (const double shift : {0.0, 0.37, 11.0, 25.3}) {
    Model model;
    model.gravity.setZero();
    const auto node = [&](double x, double y, const Axes& fixed) {
      return add_node(model, {x + shift, y - 0.3 * shift, 0.0}, 1.0, fixed);
    };
    const int a = node(0, 0, all_fixed), b = node(1, 0.5, all_fixed), c = node(2, 0, all_fixed), p = node(0, 1, planar),
              q = node(1, 1, planar), r = node(2, 1, planar);
    for (const auto& [i, j] : {std::pair{a, p}, {b, q}, {c, r}, {p, q}, {q, r}, {p, r}}) add_bar(model, i, j, 1.0);
    const Statics s = analyse_statics(model);
    ASSERT_EQ(s.spaces.mechanisms, 1) << shift;
    EXPECT_EQ(s.infinitesimal, 1) << shift;
  }
}

}  // namespace
}  // namespace taut::testing
