// Structures out of balance, built node by node.
#include "tests/form/form_structures.h"

#include <cmath>
#include <map>
#include <numbers>

namespace taut::testing {

Model square_linkage() {
  Model model = empty_scenario().model;
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {1, 0, 0}, 0.0, all_fixed);
  add_node(model, {1, 1, 0}, 0.1, planar);
  add_node(model, {0, 1, 0}, 0.1, planar);
  for (int i = 1; i < 4; ++i) add_bar(model, i, (i + 1) % 4, 1.0);
  return model;
}

Model twisted_prism(int n, double twist, double radius, double height) {
  Model model = empty_scenario().model;
  const double side = 2.0 * std::numbers::pi / n;
  for (int ring = 0; ring < 2; ++ring)
    for (int i = 0; i < n; ++i) {
      const double angle = side * i + (ring == 1 ? twist : 0.0);
      add_node(model, {radius * std::cos(angle), radius * std::sin(angle), height * ring});
    }
  for (int i = 0; i < n; ++i) add_bar(model, i, n + (i + 1) % n, 1.0);
  for (int ring = 0; ring < 2; ++ring)
    for (int i = 0; i < n; ++i) add_cable(model, {n * ring + i, n * ring + (i + 1) % n}, linear_law(1e3), 0.0);
  for (int i = 0; i < n; ++i) add_cable(model, {i, n + i}, linear_law(1e3), 0.0);
  for (Cable& cable : model.cables) cable.rest_length = 0.9 * start_length(model, cable);
  return model;
}

Triangulation icosahedron_faces() {
  Triangulation t;
  const double g = std::numbers::phi;
  for (double s : {-1.0, 1.0})
    for (double u : {-g, g}) t.points.insert(t.points.end(), {Vec3(0, s, u), Vec3(s, u, 0), Vec3(u, 0, s)});
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b)
      for (int c = b + 1; c < 12; ++c) {
        const Vec3 &p = t.points[a], &q = t.points[b], &r = t.points[c];
        if ((p - q).norm() > 2.1 || (q - r).norm() > 2.1 || (p - r).norm() > 2.1) continue;
        const bool outward = (q - p).cross(r - p).dot(p) > 0.0;
        t.triangles.push_back(outward ? std::array{a, b, c} : std::array{a, c, b});
      }
  return t;
}

Triangulation subdivided(int frequency) {
  const Triangulation base = icosahedron_faces();
  Triangulation t;
  std::map<std::array<long, 3>, int> known;
  const auto point = [&](const Vec3& at) {
    const std::array<long, 3> key = {std::lround(at[0] * 1e6), std::lround(at[1] * 1e6), std::lround(at[2] * 1e6)};
    const auto [it, fresh] = known.try_emplace(key, static_cast<int>(t.points.size()));
    if (fresh) t.points.push_back(at.normalized());
    return it->second;
  };
  for (const auto& [a, b, c] : base.triangles) {
    const auto corner = [&](int i, int j) {
      return point(base.points[a] + (base.points[b] - base.points[a]) * i / frequency +
                   (base.points[c] - base.points[a]) * j / frequency);
    };
    for (int i = 0; i < frequency; ++i)
      for (int j = 0; i + j < frequency; ++j) {
        t.triangles.push_back({corner(i, j), corner(i + 1, j), corner(i, j + 1)});
        if (i + j + 2 <= frequency) t.triangles.push_back({corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)});
      }
  }
  return t;
}

Triangulation raised_faces() {
  const Triangulation base = icosahedron_faces();
  Triangulation t;
  for (const Vec3& p : base.points) t.points.push_back(p.normalized());
  std::map<std::pair<int, int>, int> face_of;
  for (std::size_t f = 0; f < base.triangles.size(); ++f) {
    const auto& [a, b, c] = base.triangles[f];
    t.points.push_back((base.points[a] + base.points[b] + base.points[c]).normalized());
    for (const auto& [u, v] : {std::pair{a, b}, {b, c}, {c, a}}) face_of[{u, v}] = 12 + static_cast<int>(f);
  }
  for (const auto& [edge, face] : face_of)
    t.triangles.push_back({edge.first, face_of.at({edge.second, edge.first}), face});
  return t;
}

Model strut_sphere(const Triangulation& t, double radius) {
  Model model = empty_scenario().model;
  std::map<std::pair<int, int>, int> node;
  for (const auto& f : t.triangles) {
    const Vec3 middle = (t.points[f[0]] + t.points[f[1]] + t.points[f[2]]) / 3.0;
    for (int k = 0; k < 3; ++k) {
      const int u = f[k], v = f[(k + 1) % 3];
      const Vec3 edge = 0.5 * (t.points[u] + t.points[v]);
      node[{u, v}] = add_node(model, radius * (0.4 * middle + 0.6 * edge).normalized());
    }
  }
  const auto cable = [&](int a, int b) {
    add_cable(model, {a, b}, linear_law(1e3), 0.95 * length_between(model, a, b));
  };
  std::map<std::pair<int, int>, std::pair<int, int>> next;
  for (const auto& f : t.triangles)
    for (int k = 0; k < 3; ++k) {
      const std::pair here{f[k], f[(k + 1) % 3]}, after{f[(k + 1) % 3], f[(k + 2) % 3]};
      next[here] = after;
      cable(node.at(here), node.at(after));
    }
  std::map<std::pair<int, int>, std::pair<int, int>> before;
  for (const auto& [here, after] : next) before[after] = here;
  for (const auto& [edge, at] : node) {
    const std::pair twin{edge.second, edge.first}, along = next.at(edge);
    if (edge < twin) cable(at, node.at(twin));
    const int other = node.at(before.at({along.second, along.first}));
    if (at < other) add_bar(model, at, other, 1.0);
  }
  return model;
}

Model two_bar_arch(double width, double height, double EA, double load) {
  Model model = empty_scenario().model;
  const int left = add_node(model, {-width, 0, 0}, 0.0, all_fixed),
            right = add_node(model, {width, 0, 0}, 0.0, all_fixed), top = add_node(model, {0, height, 0}, 0.1, planar);
  for (int foot : {left, right}) {
    Bar& bar = model.bars[add_bar(model, foot, top, 1.0)];
    bar.elastic = true;
    bar.EA = EA;
  }
  add_load(model, top, {0, -load, 0});
  return model;
}

Model hinged_column(double L, double k, double EA, double load) {
  Model model = empty_scenario().model;
  const int foot = add_node(model, {0, 0, 0}, 0.0, all_fixed), middle = add_node(model, {0, L, 0}, 0.1, planar),
            top = add_node(model, {0, 2 * L, 0}, 0.1, {true, false, true});
  for (int side : {-1, 1})
    add_cable(model, {add_node(model, {side * 1.0, L, 0}, 0.0, all_fixed), middle}, linear_law(k), 0.9);
  for (const auto& [a, b] : {std::pair{foot, middle}, {middle, top}}) {
    Bar& bar = model.bars[add_bar(model, a, b, 1.0)];
    bar.elastic = EA > 0.0 && b == top;
    bar.EA = EA;
  }
  add_load(model, top, {0, -load, 0});
  return model;
}

}  // namespace taut::testing
