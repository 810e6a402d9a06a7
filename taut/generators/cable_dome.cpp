// Cable dome: upright struts that touch nothing but cables, inside a fixed ring of n supports. Rings j = 1 ... m of n
// struts each from outside to inside, and one strut in the centre; tops on a paraboloid. Ridge cables join the tops of
// neighbouring rings, diagonal cables the foot of a strut with the tops of the ring outside it, hoops the feet of a
// ring. Levy: every ring is turned by half a side, so that two ridges and two diagonals go out from each strut;
// Geiger: one of each, in radial planes.
//
// Recursion from the centre outwards, with k = 2, c = cos(π/n) (Levy) or k = 1, c = 1 (Geiger) cables outwards, k', c'
// inwards (1 and 1 to the centre), radius r, top t, foot b; H and V what the inner cables pull at a top inwards and up:
//
//   H = k' (q_ridge' + q_diagonal') (r - c' r'),   V = k' (q_ridge' (t' - t) + q_diagonal' (b' - t))
//   q_ridge = H / (k (c r_out - r)),               push of the strut S = k q_ridge (t - t_out) - V
//   q_diagonal = S / (k (t_out - b)),              q_hoop = k q_diagonal (c r_out - r) / (2 r (1 - cos(2π/n)))
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "taut/generators/assemble/density_cables.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1e5;

struct Ring {
  double radius, top, foot;  // m
  int first_top, first_foot;
  double ridge = 0.0, diagonal = 0.0, hoop = 0.0;  // force densities: of the cables outwards, and along it
};

// The recursion, beginning with ridges of density 1 at the centre, which is the last one.
void solve_densities(std::vector<Ring>& rings, int n, bool levy) {
  const double k = levy ? 2.0 : 1.0, c = levy ? std::cos(std::numbers::pi / n) : 1.0;
  Ring& centre = rings.back();
  const size_t last = rings.size() - 1;
  centre.ridge = 1.0;
  centre.diagonal = centre.ridge * (centre.top - rings[last - 1].top) / (rings[last - 1].top - centre.foot);
  for (size_t j = last - 1; j > 0; --j) {
    Ring& ring = rings[j];
    const Ring &in = rings[j + 1], &out = rings[j - 1];
    const double k_in = j + 1 == last ? 1.0 : k, c_in = j + 1 == last ? 1.0 : c;
    const double inwards = k_in * (in.ridge + in.diagonal) * (ring.radius - c_in * in.radius);
    const double up = k_in * (in.ridge * (in.top - ring.top) + in.diagonal * (in.foot - ring.top));
    const double reach = c * out.radius - ring.radius;
    ring.ridge = inwards / (k * reach);
    ring.diagonal = (k * ring.ridge * (ring.top - out.top) - up) / (k * (out.top - ring.foot));
    ring.hoop = k * ring.diagonal * reach / (2.0 * ring.radius * (1.0 - std::cos(2.0 * std::numbers::pi / n)));
  }
}

struct Dome {
  int n, m;  // sides, rings
  bool levy;
  double span, rise, strut;  // m
};

// Tops at rise (1 - (r/R)²); the supports are ring 0, the centre is the last.
std::vector<Ring> lay_out_rings(const Dome& dome, Numbers& numbers) {
  const double R = 0.5 * dome.span;
  std::vector<Ring> rings;
  for (int j = 0; j <= dome.m + 1; ++j) {
    const double part = 1.0 - static_cast<double>(j) / (dome.m + 1), top = dome.rise * (1.0 - part * part);
    rings.push_back({part * R, top, top - dome.strut, 0, 0});
    if (j == 0) continue;
    if (!(rings[j].foot < rings[j - 1].top)) {
      numbers.wrong("strut", fmt::format("must be above {:.6g} m, what the tops rise from a ring to the next, got {} m",
                                         top - rings[j - 1].top, dome.strut));
      break;
    }
  }
  // Equal, as they are for three sides and one ring, they would have no length along the radius: more than rounding.
  if (dome.levy && !(std::cos(std::numbers::pi / dome.n) > dome.m / (dome.m + 1.0) + 1e-9))
    numbers.wrong("sides",
                  fmt::format("too few for {} rings: cables from ring to ring would not run outwards, expected "
                              "cos(180°/sides) above rings/(rings + 1)",
                              dome.m));
  return rings;
}

void add_nodes(Model& model, const Dome& dome, std::vector<Ring>& rings) {
  for (int j = 0; j <= dome.m; ++j) {
    Ring& ring = rings[j];
    const double turn = dome.levy ? j * std::numbers::pi / dome.n : 0.0;
    const std::string name = j == 0 ? "s" : fmt::format("t{}_", j);
    ring.first_top = add_ring(model, name, dome.n, ring.radius, turn, ring.top);
    if (j > 0) ring.first_foot = add_ring(model, fmt::format("b{}_", j), dome.n, ring.radius, turn, ring.foot);
  }
  rings.back().first_top = add_node(model, "top", {0.0, 0.0, rings.back().top});
  rings.back().first_foot = add_node(model, "foot", {0.0, 0.0, rings.back().foot});
  fix_nodes(model, 0, dome.n);
}

// Struts of all rings; cables of each.
struct DomeMembers {
  Pairs struts;
  std::vector<Pairs> ridges, diagonals, hoops;
};

DomeMembers join_rings(const Dome& dome, const std::vector<Ring>& rings) {
  const int n = dome.n, m = dome.m;
  DomeMembers members{{}, std::vector<Pairs>(m + 2), std::vector<Pairs>(m + 2), std::vector<Pairs>(m + 2)};
  for (int j = 1; j <= m + 1; ++j) {
    const Ring &ring = rings[j], &out = rings[j - 1];
    const bool centre = j == m + 1;
    for (int i = 0; i < n; ++i) {
      const int own = centre ? 0 : i;
      for (int other = i; other <= i + (dome.levy && !centre ? 1 : 0); ++other) {
        members.ridges[j].emplace_back(ring_node(out.first_top, n, other), ring.first_top + own);
        members.diagonals[j].emplace_back(ring_node(out.first_top, n, other), ring.first_foot + own);
      }
      if (!centre || i == 0) members.struts.emplace_back(ring.first_top + own, ring.first_foot + own);
    }
    if (!centre) join_ring(members.hoops[j], ring.first_foot, n);
  }
  return members;
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  Dome dome{};
  dome.n = numbers.count("sides", 3, most_parts);
  dome.m = numbers.count("rings", 1, most_parts / dome.n);
  dome.span = numbers.positive("span");
  dome.rise = numbers.positive("rise");
  dome.strut = numbers.positive("strut");
  const double pretension = numbers.positive("pretension"), mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  dome.levy = !numbers.flag("geiger");
  numbers.throw_if_wrong();
  std::vector<Ring> rings = lay_out_rings(dome, numbers);
  numbers.throw_if_wrong();

  Scenario scenario =
      weightless(fmt::format("{} dome of {} x {} struts", dome.levy ? "Levy" : "Geiger", dome.n, dome.m));
  Model& model = scenario.model;
  add_nodes(model, dome, rings);
  solve_densities(rings, dome.n, dome.levy);
  const DomeMembers members = join_rings(dome, rings);
  add_bars(model, members.struts, mass);
  const auto& [outer_top, inner_top] = members.ridges[1][0];
  const double scale = pretension / (rings[1].ridge * distance(model, outer_top, inner_top));
  const auto add = [&](const Pairs& pairs, double q) {
    if (!pairs.empty()) add_cables(model, pairs, law, scale * q * distance(model, pairs[0].first, pairs[0].second));
  };
  for (int j = 1; j <= dome.m + 1; ++j) {
    add(members.ridges[j], rings[j].ridge);
    add(members.diagonals[j], rings[j].diagonal);
    add(members.hoops[j], rings[j].hoop);
  }
  return scenario;
}

}  // namespace

Generator cable_dome() {
  return {"cable_dome", "Levy's (or Geiger's) dome: upright struts between ridge, diagonal and hoop cables",
          together({{{"sides", 12.0,
                      "struts in a ring and supports, at least 3; Levy: cos(180°/sides) above rings/(rings + 1)", true},
                     {"rings", 2.0, "rings of struts around the one in the centre, at least 1", true},
                     {"span", 20.0, "m, across the supports"},
                     {"rise", 2.0, "m, of the top above the supports"},
                     {"strut", 2.0, "m, length of each strut"},
                     {"pretension", 5000.0, "N, in the outermost ridge cables"},
                     {"mass", 10.0, "kg, of each strut"}},
                    cable_parameters(standard_stiffness),
                    {{"geiger", 0.0, "1: cables in radial planes (Geiger); 0: in triangles (Levy)", true}}}),
          build};
}

}  // namespace taut
