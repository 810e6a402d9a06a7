// Rules for the ground and for collisions: their numbers, and where the structure starts.
#include <fmt/format.h>

#include <algorithm>

#include "taut/base/segments.h"
#include "taut/base/text/text.h"
#include "taut/model/check/check_values.h"
#include "taut/model/shape/bar_pairs.h"
#include "taut/model/shape/ground_points.h"

namespace taut {

namespace {

void check_heights(const Entity& environment, const HeightGrid& grid) {
  environment.finite("ground.heights.origin", grid.x0);
  environment.finite("ground.heights.origin", grid.y0);
  environment.positive("ground.heights.spacing", grid.dx);
  if (grid.dy != grid.dx) environment.positive("ground.heights.spacing", grid.dy);
  if (grid.rows < 2 || grid.columns < 2)
    return environment.say("ground.heights",
                           fmt::format("has {} rows of {}: expected 2 by 2 heights or more", grid.rows, grid.columns));
  if (grid.heights.size() != static_cast<size_t>(grid.rows) * grid.columns)
    return environment.say("ground.heights", fmt::format("has {} heights for {} rows of {}", grid.heights.size(),
                                                         grid.rows, grid.columns));
  for (const double h : grid.heights)
    if (!environment.finite("ground.heights", h)) return;
}

// How deep a node may start: as far as the whole weight would press it in, so that a structure at rest can be written
// down.
double deepest_start(const Model& model) {
  const Ground& ground = *model.ground;
  const double sinking =
      ground.law == PressKind::rigid ? 0.0 : total_mass(model) * model.gravity.norm() / ground.stiffness;
  double size = 0.0;
  for (const Node& node : model.nodes) size = std::max(size, node.position.cwiseAbs().maxCoeff());
  return (ground.law == PressKind::hunt_crossley ? std::pow(sinking, 1.0 / ground.exponent) : sinking) +
         1e-9 * (1.0 + size);
}

// Where all nodes are above it: the deepest bar or body.
void check_points_above_ground(const Model& model, const GroundSurface& surface, double allowed,
                               std::vector<Finding>& findings) {
  double deepest = allowed;
  std::string what;
  each_ground_point(model, surface, [&](EntityKind kind, int index, const Vec3& at, double reach) {
    const double depth = surface.depth(at.data()) + reach;
    if (!(depth > deepest)) return;
    deepest = depth;
    what = kind == EntityKind::bar ? fmt::format("bar \"{}\"", model.bars[index].name)
                                   : fmt::format("the shape of body \"{}\"", model.bodies[index].name);
  });
  if (what.empty()) return;
  findings.push_back(
      {EntityKind::environment, -1, "ground",
       fmt::format("the structure starts below the ground: {} is {:.4g} m deep, between its nodes; "
                   "expected all of it above: lower the ground, raise the structure, or give the {}",
                   what, deepest,
                   what.starts_with("bar") ? "nodes of the bar contact = false" : "body contact = false")});
}

void check_start_above_ground(const Model& model, std::vector<Finding>& findings) {
  constexpr size_t most_named = 8;
  const GroundSurface surface(*model.ground);
  const double allowed = deepest_start(model);
  std::vector<std::pair<double, const Node*>> below;
  for (const Node& node : model.nodes) {
    if (!can_touch(node)) continue;
    const double depth = surface.depth(node.position.data());
    if (depth > allowed) below.emplace_back(depth, &node);
  }
  if (below.empty()) return check_points_above_ground(model, surface, allowed, findings);
  std::stable_sort(below.begin(), below.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> names;
  for (const auto& [depth, node] : below) names.push_back(fmt::format("\"{}\" by {:.4g} m", node->name, depth));
  findings.push_back({EntityKind::environment, -1, "ground",
                      fmt::format("the structure starts below the ground: {} {}; expected every free node above it: "
                                  "lower the ground or raise the structure",
                                  below.size() == 1 ? "node" : "nodes", listed(names, most_named))});
}

// An overlap of rods that rounding or a settled press can explain, as a part of the sum of their radii.
constexpr double slight_overlap = 0.01;

void check_start_uncrossed(const Model& model, std::vector<Finding>& findings) {
  constexpr int most_told = 10;
  std::vector<double> x(4 * model.nodes.size(), 0.0);
  for (size_t i = 0; i < model.nodes.size(); ++i) std::copy_n(model.nodes[i].position.data(), 3, &x[4 * i]);
  const BarPairs bars(model);
  NearRoom room;
  near_pairs(bars.capsules(), x.data(), 0.0, room);
  std::sort(room.pairs.begin(), room.pairs.end());
  int crossing = 0;
  for (const auto& [i, j] : room.pairs) {
    if (!bars.may_collide(i, j)) continue;
    const Bar &a = model.bars[i], &b = model.bars[j];
    const double apart = std::sqrt(closest_points(&x[4 * a.a], &x[4 * a.b], &x[4 * b.a], &x[4 * b.b], 0.0).squared);
    const double reach = a.radius + b.radius;
    if (reach - apart <= slight_overlap * reach || ++crossing > most_told) continue;
    findings.push_back(
        {EntityKind::environment, -1, "collision",
         fmt::format("bars \"{}\" and \"{}\" start {:.4g} m inside each other (axes {:.4g} m apart, radii {:.4g} m and "
                     "{:.4g} m): expected bars that do not cross",
                     a.name, b.name, reach - apart, apart, a.radius, b.radius)});
  }
  if (crossing > most_told)
    findings.push_back({EntityKind::environment, -1, "collision",
                        fmt::format("{} more pairs of bars start crossed", crossing - most_told)});
}

}  // namespace

void check_ground(const Entity& environment, const Ground& ground) {
  environment.finite("ground.height", ground.height);
  if (!(ground.restitution >= 0.0 && ground.restitution <= 1.0))
    environment.say("ground.restitution", fmt::format("is {}: expected 0 to 1", ground.restitution));
  else if (ground.restitution > 0.0 && ground.law != PressKind::rigid)
    environment.say("ground.restitution", "belongs to law = \"rigid\" only");
  environment.positive("ground.stiffness", ground.stiffness);
  environment.not_negative("ground.damping", ground.damping);
  environment.not_negative("ground.friction", ground.friction);
  environment.not_negative("ground.viscous", ground.viscous);
  environment.not_negative("ground.radius", ground.radius);
  environment.positive("ground.slip_speed", ground.slip_speed);
  if (ground.law == PressKind::smooth)
    environment.positive("ground.beta", ground.beta);
  else
    environment.not_negative("ground.beta", ground.beta);
  if (ground.law == PressKind::exponential)
    environment.say("ground.law", "exponential is a law for bars, not for the ground");
  if (environment.finite("ground.exponent", ground.exponent) && ground.exponent < 1.0)
    environment.say("ground.exponent", fmt::format("is {}: expected 1 or more", ground.exponent));
  const Vec3& n = ground.normal;
  if (!n.allFinite())
    environment.finite("ground.normal", n);
  else if (!(n.z() > 1e-6 * n.norm()))
    environment.say("ground.normal", fmt::format("is [{}, {}, {}]: expected a direction that points up (z above 0)",
                                                 n.x(), n.y(), n.z()));
  if (!ground.heights.heights.empty() || ground.heights.rows > 0) check_heights(environment, ground.heights);
}

void check_collision(const Entity& environment, const Collision& collision) {
  environment.positive("collision.stiffness", collision.stiffness);
  environment.not_negative("collision.damping", collision.damping);
  environment.not_negative("collision.beta", collision.beta);
  environment.positive("collision.length", collision.length);
  environment.not_negative("collision.friction", collision.friction);
  environment.positive("collision.slip_speed", collision.slip_speed);
  if (collision.law != PressKind::linear && collision.law != PressKind::exponential)
    environment.say("collision.law", fmt::format("{} is a law for the ground, not for bars", name(collision.law)));
}

void check_start_contact(const Model& model, std::vector<Finding>& findings) {
  if (model.ground) check_start_above_ground(model, findings);
  if (!model.collision) return;
  // The exponential law at the deepest possible overlap must be a number.
  double thickest = 0.0;
  for (const Bar& bar : model.bars) thickest = std::max(thickest, bar.radius);
  if (model.collision->law == PressKind::exponential && 2.0 * thickest > 100.0 * model.collision->length)
    findings.push_back({EntityKind::environment, -1, "collision.length",
                        fmt::format("is {} m: expected at least a fiftieth of the thickest bar's radius ({} m)",
                                    model.collision->length, thickest)});
  check_start_uncrossed(model, findings);
}

}  // namespace taut
