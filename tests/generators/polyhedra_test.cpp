// Structures made of polyhedra: the maps themselves, balance, self-stress states and mechanisms, super-stability.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "taut/base/segments.h"
#include "taut/generators/assemble/polyhedron.h"
#include "taut/generators/generators.h"
#include "taut/modes/lowest_modes.h"
#include "tests/generators/statics.h"

namespace taut {
namespace {

using testing::forces_of;

Model make(const std::string& kind, const Parameters& parameters = {}) {
  return generate(*find_generator(kind), parameters).model;
}

int cycles(const std::vector<int>& permutation) {
  std::vector<char> seen(permutation.size(), 0);
  int count = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    if (seen[i]) continue;
    ++count;
    for (int at = static_cast<int>(i); !seen[at]; at = permutation[at]) seen[at] = 1;
  }
  return count;
}

// Vertices, edges and faces of the five solids; Euler's V - E + F = 2 is in the numbers.
TEST(Polyhedra, RegularSolids) {
  struct Row {
    Solid solid;
    int vertices, edges, faces;
  };
  for (const Row& row : {Row{Solid::tetrahedron, 4, 6, 4}, Row{Solid::cube, 8, 12, 6}, Row{Solid::octahedron, 6, 12, 8},
                         Row{Solid::dodecahedron, 20, 30, 12}, Row{Solid::icosahedron, 12, 30, 20}}) {
    const Polyhedron p = regular_solid(row.solid);
    EXPECT_EQ(cycles(p.next), row.vertices);
    EXPECT_EQ(cycles(p.opposite), row.edges);
    EXPECT_EQ(cycles(around_faces(p)), row.faces);
  }
}

// A subdivision by T has T times the edges and faces, and only the solid's corners keep their degree; all others
// have 6.
TEST(Polyhedra, Subdivisions) {
  for (const auto& [solid, degree] :
       {std::pair{Solid::tetrahedron, 3}, std::pair{Solid::octahedron, 4}, std::pair{Solid::icosahedron, 5}}) {
    const Polyhedron base = regular_solid(solid);
    for (int b = 1; b <= 4; ++b)
      for (int c = 0; c <= 4; ++c) {
        const Polyhedron p = subdivided(base, b, c);
        const int T = b * b + b * c + c * c, edges = T * base.darts() / 2, faces = 2 * edges / 3;
        ASSERT_EQ(p.darts(), 2 * edges) << b << " " << c;
        EXPECT_EQ(cycles(p.opposite), edges) << b << " " << c;
        EXPECT_EQ(cycles(around_faces(p)), faces) << b << " " << c;
        EXPECT_EQ(cycles(p.next), edges - faces + 2) << b << " " << c;
        std::vector<int> degrees(edges - faces + 2, 0);
        for (int vertex : p.vertex) ++degrees[vertex];
        for (std::size_t v = 0; v < degrees.size(); ++v) EXPECT_EQ(degrees[v], v < base.corners.size() ? degree : 6);
      }
  }
}

// A strut and the three cables of its zigzag: going there twice leads back, and never to the node itself.
TEST(Polyhedra, ZigzagJoinsPairs) {
  const Polyhedron p = subdivided(regular_solid(Solid::icosahedron), 2, 1);
  const std::vector<int> to = zigzag(p);
  for (int d = 0; d < p.darts(); ++d) {
    EXPECT_EQ(to[to[d]], d);
    EXPECT_NE(to[d], d);
    EXPECT_NE(to[d], p.opposite[d]);
  }
}

struct Case {
  std::string kind;
  Parameters parameters;
  int bars, cables, self_stress, mechanisms;
};

// By code that knows nothing of symmetry.
void expect_super_stable(const Model& model, const std::string& what) { testing::expect_stable(model, 4, 1e-8, what); }

// With E struts and one state of self-stress, 3·2E - 6 coordinates less 4E members leave 2E - 5 mechanisms.
TEST(Polyhedra, CountsAndSuperStability) {
  for (const Case& c :
       {Case{"truncated_tetrahedron", {}, 6, 18, 1, 7}, Case{"truncated_cube", {}, 12, 36, 1, 19},
        Case{"truncated_octahedron", {}, 12, 36, 1, 19}, Case{"truncated_dodecahedron", {}, 30, 90, 1, 55},
        Case{"truncated_icosahedron", {}, 30, 90, 1, 55}, Case{"twelve_bar", {}, 12, 48, 1, 7},
        Case{"expanded_octahedron", {}, 6, 24, 1, 1}, Case{"geodesic_sphere", {{"frequency", 1}}, 30, 90, 1, 55},
        Case{"geodesic_sphere", {{"frequency", 1}, {"skew", 1}, {"faces", 8}}, 36, 108, 1, 67}}) {
    const Model model = make(c.kind, c.parameters);
    EXPECT_EQ(static_cast<int>(model.bars.size()), c.bars) << testing::described(c.kind, c.parameters);
    EXPECT_EQ(static_cast<int>(model.cables.size()), c.cables) << testing::described(c.kind, c.parameters);
    const testing::Count count = testing::count_states(model);
    EXPECT_EQ(count.self_stress, c.self_stress) << testing::described(c.kind, c.parameters);
    EXPECT_EQ(count.motions - 6, c.mechanisms) << testing::described(c.kind, c.parameters);
    expect_super_stable(model, testing::described(c.kind, c.parameters));
  }
}

// No two of the struts touch: each node has one, and they pass each other at a distance.
TEST(Polyhedra, StrutsPassEachOther) {
  for (const auto& [kind, apart] : {std::pair{"truncated_tetrahedron", 0.1}, std::pair{"truncated_cube", 0.1},
                                    std::pair{"truncated_octahedron", 0.1}, std::pair{"truncated_dodecahedron", 0.05},
                                    std::pair{"truncated_icosahedron", 0.1}, std::pair{"twelve_bar", 0.2},
                                    std::pair{"geodesic_sphere", 0.2 / 4 * 0.9}}) {
    const Model model = make(kind);
    std::set<int> ends;
    double nearest = 1.0;
    for (std::size_t i = 0; i < model.bars.size(); ++i) {
      EXPECT_TRUE(ends.insert(model.bars[i].a).second && ends.insert(model.bars[i].b).second) << kind;
      for (std::size_t j = 0; j < i; ++j) {
        const auto at = [&](int node) { return model.nodes[node].position.data(); };
        const Closest c =
            closest_points(at(model.bars[i].a), at(model.bars[i].b), at(model.bars[j].a), at(model.bars[j].b), 0.0);
        nearest = std::min(nearest, std::sqrt(c.squared));
      }
    }
    EXPECT_GT(nearest, apart) << kind;
  }
}

// Any numbers: lengths and tensions as asked, stable. (A tension EA e rounds by EA ε: EA stays below 300 tensions.)
TEST(Polyhedra, RandomParameters) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> exponent(-1.0, 1.0);
  const auto any = [&](double decades) { return std::pow(10.0, decades * exponent(random)); };
  for (const char* kind : {"truncated_tetrahedron", "truncated_cube", "truncated_octahedron", "twelve_bar"})
    for (int i = 0; i < 4; ++i) {
      const double length = any(1.0), tension = any(1.0);
      const double ratio = any(1.5);
      const Parameters parameters = {
          {"length", length}, {"ratio", ratio}, {"pretension", tension}, {"EA", 30.0 * any(1.0) * tension}};
      const Model model = make(kind, parameters);
      const std::string what = testing::described(kind, parameters);
      expect_super_stable(model, what);
      for (const Bar& bar : model.bars) EXPECT_NEAR(bar.rest_length, length, 1e-13 * length) << what;
      EXPECT_NEAR(testing::cable_force(model, model.cables[0]), tension, 1e-10 * tension) << what;
      const testing::Forces forces = forces_of(model);
      const std::vector<double> q = testing::densities(model, forces);
      EXPECT_NEAR(q[model.cables.size() - 1] / q[0], ratio, 1e-9 * ratio) << what;
    }
}

// With equal densities the truncated icosahedron's cables are all alike, as in Archimedes' solid, and μ = 1/φ²; the
// ball of twelve has μ = 5/4, the truncated tetrahedron (11 - √41)/8.
TEST(Polyhedra, ClosedForms) {
  const auto strut_density = [](const Model& model) {
    const std::vector<double> q = testing::densities(model, forces_of(model));
    return q.back() / q.front();
  };
  const Model football = make("truncated_icosahedron");
  EXPECT_NEAR(strut_density(football), -1.0 / (std::numbers::phi * std::numbers::phi), 1e-12);
  for (const Cable& cable : football.cables)
    EXPECT_NEAR(start_length(football, cable), start_length(football, football.cables[0]), 1e-14);
  EXPECT_NEAR(strut_density(make("twelve_bar")), -1.25, 1e-12);
  EXPECT_NEAR(strut_density(make("truncated_tetrahedron")), -(11.0 - std::sqrt(41.0)) / 8.0, 1e-12);
  // Equal densities on a tetrahedron give the six-bar, whose own file has it in closed form.
  EXPECT_NEAR(strut_density(make("six_bar")), -1.5, 1e-12);
}

// 30 T struts, on a sphere to 3 %, the same density everywhere, and the mean tension as asked.
TEST(Polyhedra, GeodesicSpheres) {
  struct Row {
    double frequency, skew;
    int T;
  };
  for (const Row& row : {Row{1, 1, 3}, Row{2, 0, 4}, Row{1, 2, 7}, Row{3, 0, 9}, Row{4, 0, 16}, Row{5, 0, 25}}) {
    const Model model = make("geodesic_sphere", {{"frequency", row.frequency}, {"skew", row.skew}, {"radius", 2}});
    EXPECT_EQ(static_cast<int>(model.bars.size()), 30 * row.T);
    EXPECT_EQ(static_cast<int>(model.cables.size()), 90 * row.T);
    const testing::Forces forces = forces_of(model);
    EXPECT_LE(forces.imbalance, 1e-12 * forces.largest) << row.T;
    double mean = 0.0, radius = 0.0;
    for (double f : forces.cables) mean += f / static_cast<double>(forces.cables.size());
    EXPECT_NEAR(mean, 20.0, 1e-9) << row.T;
    for (const Node& node : model.nodes) {
      radius += node.position.norm() / static_cast<double>(model.nodes.size());
      EXPECT_NEAR(node.position.norm(), 2.0, 0.06) << row.T;
    }
    EXPECT_NEAR(radius, 2.0, 1e-12) << row.T;
    const std::vector<double> q = testing::densities(model, forces);
    const auto [least, most] = std::minmax_element(q.begin(), q.begin() + static_cast<long>(model.cables.size()));
    EXPECT_NEAR(*most / *least, 1.0, 1e-9) << row.T;
    for (std::size_t i = model.cables.size(); i < q.size(); ++i) EXPECT_NEAR(q[i], q.back(), 1e-8 * -q.back()) << row.T;
  }
}

// Also the large one stands: beside the six rigid motions every motion swings.
TEST(Polyhedra, LargeGeodesicSphereIsStable) {
  const Model model = make("geodesic_sphere", {{"frequency", 5}});
  const Modes modes = lowest_modes(model, 7);
  ASSERT_TRUE(modes.converged);
  for (int i = 0; i < 6; ++i) EXPECT_LT(std::abs(modes.square[i]), 1e-6 * modes.square[6]);
  EXPECT_GT(modes.square[6], 0.0);
}

}  // namespace
}  // namespace taut
