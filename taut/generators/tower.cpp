// Tower of S class-1 prisms with n bars each. Stage s stands on ring a, its bars end in ring b, h higher; stages are
// alternately left- and right-handed, and the next stage's ring a sits o below ring b, half a side further round.
// Cables: rings and verticals as in a prism; saddle cables zigzag between ring b and the next ring a; diagonal cables
// join ring a to the next ring a and ring b to the next ring b.
//
// A turn by π/n with z -> -z exchanges the two sides of a joint, and a half turn about a horizontal axis the two rings
// of a stage. So every node of an inner stage has the same three equations, and every node of the two end stages
// one of two sets. With force densities q, bar turn β = π/2 + π/n + δ, diagonal turn ψ = π/2 - 2π/n + δ, and f = 1 for
// inner stages, f = 1/2 for end stages (one joint instead of two; a node of stage s has 2f diagonals):
//   joint, axial          q_d (h - o) = q_s o
//   node, axial           q_bar = -q_v - 2 f (o/h) q_s
//   node, tangential      q_v sin(π/n) sin δ = f o q_s (cos(π/n + δ)/h - sin ψ/(h - o))
//   node, radial          4 sin²(π/n) q_ring = -q_bar (1 + sin(π/n + δ)) - q_v (1 - sin(π/n - δ))
//                                              - 2 f q_d (1 - cos ψ) - 2 q_s (1 - cos(π/n)) where the ring has saddles
// The tangential equation is linear in sin δ and cos δ: it gives δ from the ratio q_s/q_v. Inner stages carry twice the
// q_v of the end stages, so that δ is the same everywhere. One stage alone is the prism, δ = 0. A tapered tower is the
// projective image of the straight one (projective.h).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/assemble/projective.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;
constexpr double least_taper = 1e-3;

// Shape of one stage and its joint, and force densities relative to the vertical cables of the end stages.
struct Stage {
  int n = 3;
  double height = 0.0, rise = 0.0;  // m, of a stage, and from one stage to the next (h - o)
  double radius = 0.0;              // m
  double bar_turn = 0.0;            // β, rad
  double saddle = 0.0, diagonal = 0.0;
  double end_ring = 0.0;    // the tower's outermost rings
  double joint_ring = 0.0;  // the other ring of an end stage
  double inner_ring = 0.0;  // both rings of an inner stage
};

// δ of the tangential equation for q_v = 1 in the end stages.
double extra_turn(double side_angle, double height, double overlap, double saddle) {
  const double next = -2.0 * side_angle, half = 0.5 * overlap * saddle, rise = height - overlap;
  return std::atan2(half * (std::cos(side_angle) / height - std::cos(next) / rise),
                    std::sin(side_angle) + half * (std::sin(side_angle) / height - std::sin(next) / rise));
}

// The radial equation: f and whether saddle cables end in the ring.
double ring_density(const Stage& stage, double delta, double f, bool has_saddles) {
  const double side_angle = std::numbers::pi / stage.n;
  const double diagonal_turn = std::numbers::pi / 2 - 2.0 * side_angle + delta;
  const double overlap = stage.height - stage.rise;
  const double vertical = 2.0 * f, bar = -vertical - 2.0 * f * overlap / stage.height * stage.saddle;
  double inward = -bar * (1.0 + std::sin(side_angle + delta)) - vertical * (1.0 - std::sin(side_angle - delta));
  inward -= 2.0 * f * stage.diagonal * (1.0 - std::cos(diagonal_turn));
  if (has_saddles) inward -= 2.0 * stage.saddle * (1.0 - std::cos(side_angle));
  return inward / (4.0 * std::sin(side_angle) * std::sin(side_angle));
}

// Indices of the members, class by class; each class shares one length and one tension.
struct Members {
  Pairs bars, end_rings, joint_rings, inner_rings, end_verticals, inner_verticals, saddles, diagonals;
};

// Ring nodes of all stages. Stages of one hand repeat the same coordinates, so nothing drifts with height.
void add_stages(Model& model, const Stage& stage, int stages) {
  const double side_angle = std::numbers::pi / stage.n;
  for (int s = 0; s < stages; ++s) {
    const bool even = s % 2 == 0;
    const double z = s * stage.rise;
    const std::string a = fmt::format("a{}_", s + 1), b = fmt::format("b{}_", s + 1);
    add_ring(model, a, stage.n, stage.radius, even ? 0.0 : side_angle - stage.bar_turn, z);
    add_ring(model, b, stage.n, stage.radius, even ? -stage.bar_turn : side_angle, z + stage.height);
  }
}

Members join_stages(int n, int stages) {
  Members members;
  for (int s = 0; s < stages; ++s) {
    const bool first = s == 0, last = s == stages - 1, end = first || last;
    const int hand = s % 2 == 0 ? 1 : -1;
    const int a = 2 * n * s, b = a + n, next_a = b + n, next_b = next_a + n;
    for (int i = 0; i < n; ++i) {
      members.bars.emplace_back(a + i, b + i);
      (end ? members.end_verticals : members.inner_verticals).emplace_back(a + i, ring_node(b, n, i + hand));
    }
    join_ring(first ? members.end_rings : (last ? members.joint_rings : members.inner_rings), a, n);
    join_ring(last ? members.end_rings : (first ? members.joint_rings : members.inner_rings), b, n);
    if (last) break;
    for (int i = 0; i < n; ++i) {
      members.saddles.emplace_back(b + i, next_a + i);
      members.saddles.emplace_back(b + i, ring_node(next_a, n, i - hand));
      members.diagonals.emplace_back(ring_node(a, n, i - hand), next_a + i);
      members.diagonals.emplace_back(b + i, ring_node(next_b, n, i - 2 * hand));
    }
  }
  return members;
}

double length_of(const Model& model, const Pairs& pairs) {
  return (model.nodes[pairs.front().first].position - model.nodes[pairs.front().second].position).norm();
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  Stage stage;
  stage.n = numbers.count("bars", 3, most_parts);
  const int stages = numbers.count("stages", 1, most_parts / stage.n);
  stage.height = numbers.positive("height");
  const double overlap = numbers.between("overlap", 0.0, 1.0) * stage.height;
  stage.rise = stage.height - overlap;
  const double ratio = numbers.positive("saddle");
  const double side_angle = std::numbers::pi / stage.n;
  const double delta = stages > 1 ? extra_turn(side_angle, stage.height, overlap, ratio) : 0.0;
  stage.bar_turn = std::numbers::pi / 2 + side_angle + delta;
  stage.radius = read_radius(numbers, stage.height, stage.bar_turn);
  const double taper = numbers.between("taper", least_taper, 1.0 / least_taper);
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  const bool fixed = numbers.flag("fixed");
  numbers.throw_if_wrong();

  // Force densities; all of them must pull.
  if (stages > 1) {
    stage.saddle = ratio;
    stage.diagonal = ratio * overlap / stage.rise;
    stage.joint_ring = ring_density(stage, delta, 0.5, true);
    stage.inner_ring = ring_density(stage, delta, 1.0, true);
  }
  stage.end_ring = ring_density(stage, delta, 0.5, false);
  const double slackest = stages > 1 ? std::min({stage.end_ring, stage.joint_ring, stage.inner_ring}) : stage.end_ring;
  if (!(slackest > 0.0)) {
    numbers.wrong("saddle",
                  fmt::format("{} is too much at overlap {}: a ring of cables would have to push; make saddle "
                              "smaller, or overlap",
                              ratio, overlap / stage.height));
    numbers.throw_if_wrong();
  }

  Scenario scenario = weightless(fmt::format("tower of {} {}-bar prisms", stages, stage.n));
  Model& model = scenario.model;
  model.nodes.reserve(static_cast<size_t>(2) * stage.n * stages);
  add_stages(model, stage, stages);
  std::vector<double> weight;
  if (taper != 1.0) weight = taper_nodes(model, taper);
  if (fixed) fix_nodes(model, 0, stage.n);
  const Members members = join_stages(stage.n, stages);
  add_bars(model, members.bars, mass);

  // Tension = density × length, scaled to the asked tension of the end stages' vertical cables.
  const auto [low, high] = members.end_verticals.front();
  const double scale =
      pretension / length_of(model, members.end_verticals) / (weight.empty() ? 1.0 : weight[low] * weight[high]);
  const auto add_class = [&](const Pairs& pairs, double density) {
    if (pairs.empty()) return;
    if (weight.empty()) return add_cables(model, pairs, law, scale * density * length_of(model, pairs));
    add_weighted_cables(model, pairs, law, scale * density, weight, stage.n);
  };
  add_class(members.end_rings, stage.end_ring);
  add_class(members.joint_rings, stage.joint_ring);
  add_class(members.inner_rings, stage.inner_ring);
  add_class(members.end_verticals, 1.0);
  add_class(members.inner_verticals, 2.0);
  add_class(members.saddles, stage.saddle);
  add_class(members.diagonals, stage.diagonal);
  return scenario;
}

}  // namespace

Generator tower() {
  return {"tower", "class-1 prisms of alternating hand, stacked with saddle and diagonal cables",
          together({{{"stages", 3.0, "number of prisms, at least 1", true},
                     {"bars", 3.0, "bars in a stage, at least 3", true},
                     {"height", 1.0, "m, of one stage"},
                     {"overlap", 0.25,
                      "how far a stage reaches into the next, as a fraction of its height, above 0, below 1"},
                     {"saddle", 1.0, "force density of the saddle cables over that of the end stages' verticals"}},
                    ring_parameters(),
                    {{"taper", 1.0, "radius of the top ring over that of the bottom ring"},
                     {"pretension", 50.0, "N, in the vertical cables of the end stages; twice that in between"},
                     {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness),
                    {{"fixed", 0.0, "1: the bottom ring is held; 0: free", true}}}),
          build};
}

}  // namespace taut
