// Geodesic sphere: the faces of an icosahedron or octahedron are cut into T = f² + f s + s² triangles each, and every
// corner of the finer net is truncated as in truncated.cpp: a polygon of cables about each of its vertices, a cable
// along each edge, a strut over each edge; with 20 faces 30 T struts and 90 T cables. Force densities are
// the same all over: 1 in the polygons, `ratio` in the edges, -μ in the struts. The shape follows from them
// (symmetric_form.h, one place per orbit of nodes) and is round to 3 % with 20 faces.
#include <fmt/core.h>

#include "taut/generators/assemble/numbers.h"
#include "taut/generators/assemble/symmetric_form.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 10000.0;
constexpr double least_ratio = 0.01;
constexpr int most_frequency = 10;  // T = 300

// Mean distance of the nodes from the centre, and mean of density × length over all cables.
double mean_radius(const Rotations& rotations, const Eigen::VectorXd& v) {
  double sum = 0.0;
  for (std::size_t k = 0; k < rotations.first.size(); ++k) sum += v.segment<3>(3 * static_cast<long>(k)).norm();
  return sum / static_cast<double>(rotations.first.size());
}

double mean_tension(const Rotations& rotations, const Eigen::VectorXd& v, const std::vector<Ties>& cables) {
  double sum = 0.0, count = 0.0;
  for (const Ties& ties : cables)
    for (const Pairs& alike : orbits_of(rotations, ties.to)) {
      const auto& [a, b] = alike.front();
      const double each = ties.density * (position_of(rotations, v, a) - position_of(rotations, v, b)).norm();
      sum += each * static_cast<double>(alike.size());
      count += static_cast<double>(alike.size());
    }
  return sum / count;
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int frequency = numbers.count("frequency", 1, most_frequency), skew = numbers.count("skew", 0, most_frequency);
  const double faces = numbers.number("faces");
  if (faces != 20.0 && faces != 8.0) {
    numbers.wrong("faces", fmt::format("must be 20 (an icosahedron's) or 8 (an octahedron's), got {}", faces));
  }
  const double radius = numbers.positive("radius");
  const double ratio = numbers.between("ratio", least_ratio, 1.0 / least_ratio);
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();

  // Shape
  const Polyhedron polyhedron =
      subdivided(regular_solid(faces == 20.0 ? Solid::icosahedron : Solid::octahedron), frequency, skew);
  const Rotations rotations = rotations_of(polyhedron);
  const std::vector<int> struts = zigzag(polyhedron);
  std::vector<Ties> cables = {{polyhedron.next, 1.0}, {polyhedron.opposite, ratio}};
  Eigen::VectorXd v = balanced_form(polyhedron, rotations, cables, struts);
  v *= radius / mean_radius(rotations, v);
  const double scale = pretension / mean_tension(rotations, v, cables);
  for (Ties& ties : cables) ties.density *= scale;

  Scenario scenario = weightless(fmt::format("geodesic sphere of {} struts", polyhedron.darts() / 2));
  Model& model = scenario.model;
  add_nodes(model, rotations, v);
  add_bars(model, rotations, struts, mass);
  for (const Ties& ties : cables) add_cables(model, rotations, ties, law);
  return scenario;
}

}  // namespace

Generator geodesic_sphere() {
  return {"geodesic_sphere", "a ball of 30 T struts (30, 90, 120, ... 750 and more), no two of which touch",
          together({{{"frequency", 2.0, "f, 1 to 10; T = f² + f s + s²", true},
                     {"skew", 0.0, "s, 0 to 10: steps aside; 1 with frequency 1 gives T = 3", true},
                     {"faces", 20.0, "20: of an icosahedron, 30 T struts; 8: of an octahedron, 12 T struts", true},
                     {"radius", 1.0, "m, mean distance of the nodes from the centre"},
                     {"ratio", 1.0, "force density of the edges over that of the polygons, above 0.01, below 100"},
                     {"pretension", 20.0, "N, mean of all cables"},
                     {"mass", 1.0, "kg, of each strut"}},
                    cable_parameters(standard_stiffness)}),
          build};
}

}  // namespace taut
