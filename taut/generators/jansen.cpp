// `jansen`: one leg of Theo Jansen's walking linkage, in the plane y = 0, as bars and two triangular bodies on revolute
// joints. A crank of length m turns about the origin; everything else hangs on it and on the fixed pivot (-a, -l):
//
//   top     j from the crank's pin, b from the pivot         bottom  k from the pin, c from the pivot
//   left    d from the pivot, e from top (a triangle)        knee    f from left, g from bottom
//   foot    h from knee, i from bottom (a triangle)
//
// Two points with two distances fix the third: circles meet. Seven moving parts and ten joints leave one degree of
// freedom, which the crank's imposed turn takes.
#include <fmt/core.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/machine_bodies.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

using Point = Eigen::Vector2d;  // x, z

// The point p and q are r and s away from, on the left (side 1) or the right (side -1) of the way from p to q.
std::optional<Point> circles_meet(const Point& p, double r, const Point& q, double s, int side) {
  const Point way = q - p;
  const double d = way.norm(), x = (d * d + r * r - s * s) / (2.0 * d), square = r * r - x * x;
  if (!(square > 0.0)) return std::nullopt;
  return p + (x * way + side * std::sqrt(square) * Point(-way.y(), way.x())) / d;
}

struct Leg {
  double a, b, c, d, e, f, g, h, i, j, k, l, m;
};

struct Points {
  Point pivot, pin, top, bottom, left, knee, foot;
};

// Where the joints are at a crank angle; or the key of a length that does not reach.
std::optional<Points> place(const Leg& leg, double angle, std::string& short_link) {
  Points at;
  at.pivot = {-leg.a, -leg.l};
  at.pin = {leg.m * std::cos(angle), leg.m * std::sin(angle)};
  const auto meet = [&](const Point& p, double r, const Point& q, double s, int side, const char* key, Point& result) {
    const auto found = circles_meet(p, r, q, s, side);
    if (found) result = *found;
    if (!found && short_link.empty()) short_link = key;
    return found.has_value();
  };
  const bool closed = meet(at.pin, leg.j, at.pivot, leg.b, -1, "j", at.top) &&
                      meet(at.pin, leg.k, at.pivot, leg.c, 1, "k", at.bottom) &&
                      meet(at.pivot, leg.d, at.top, leg.e, 1, "d", at.left) &&
                      meet(at.left, leg.f, at.bottom, leg.g, -1, "f", at.knee) &&
                      meet(at.knee, leg.h, at.bottom, leg.i, -1, "h", at.foot);
  return closed ? std::optional(at) : std::nullopt;
}

// Three thin rods along the sides of a triangle as one body.
Carrier add_triangle(Model& model, const std::string& name, const std::vector<int>& corners, double line_density) {
  Body body;
  body.name = name;
  body.nodes = body.outline = corners;
  const auto side = [&](int n) {
    return std::pair(model.nodes[corners[n]].position, model.nodes[corners[(n + 1) % 3]].position);
  };
  for (int n = 0; n < 3; ++n) {
    const auto [from, to] = side(n);
    const double mass = line_density * (to - from).norm();
    body.mass += mass;
    body.centre += mass * 0.5 * (from + to);
  }
  body.centre /= body.mass;
  for (int n = 0; n < 3; ++n) {
    const auto [from, to] = side(n);
    const Vec3 along = to - from, arm = 0.5 * (from + to) - body.centre;
    const double mass = line_density * along.norm();
    body.inertia += mass * ((arm.squaredNorm() + along.squaredNorm() / 12.0) * Mat3::Identity() -
                            arm * arm.transpose() - along * along.transpose() / 12.0);
  }
  model.bodies.push_back(std::move(body));
  return {Carrier::Kind::body, static_cast<int>(model.bodies.size()) - 1};
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double scale = numbers.positive("scale"), period = numbers.positive("period");
  const auto length = [&](const char* key) { return scale * numbers.positive(key); };
  const Leg leg = {length("a"), length("b"), length("c"), length("d"), length("e"), length("f"),
                   length("g"), length("h"), length("i"), length("j"), length("k"), scale * numbers.not_negative("l"),
                   length("m")};
  const double start = numbers.not_negative("crank_angle") * std::numbers::pi / 180.0;
  const int turns = numbers.count("turns", 1, 1000);
  const double line_density = numbers.positive("line_density"), gravity = numbers.not_negative("gravity");
  numbers.throw_if_wrong();
  // The crank must come round.
  for (int degree = 0; degree < 360; ++degree) {
    std::string short_link;
    if (place(leg, degree * std::numbers::pi / 180.0, short_link)) continue;
    numbers.wrong(short_link, fmt::format("the linkage does not close at a crank angle of {} degrees: expected lengths "
                                          "with which the crank can turn round",
                                          degree));
    numbers.throw_if_wrong();
  }
  std::string short_link;
  const auto at = place(leg, start, short_link);
  if (!at) numbers.wrong(short_link.empty() ? "j" : short_link, "the linkage does not close at crank_angle");
  numbers.throw_if_wrong();

  Scenario scenario = weightless("Jansen's linkage");
  Model& model = scenario.model;
  model.gravity = {0.0, 0.0, -gravity};
  const auto add = [&](const char* name, const Point& p) { return add_node(model, name, {p.x(), 0.0, p.y()}); };
  const int shaft = add("shaft", Point::Zero()), pivot = add("pivot", at->pivot), pin = add("pin", at->pin);
  const int top = add("top", at->top), bottom = add("bottom", at->bottom), left = add("left", at->left);
  const int knee = add("knee", at->knee), foot = add("foot", at->foot);
  fix_nodes(model, shaft, 2);
  const auto bar = [&](const char* name, int from, int to) {
    add_bars(model, {{from, to}}, line_density * (model.nodes[to].position - model.nodes[from].position).norm());
    model.bars.back().name = name;
    return bar_carrier(model, name);
  };
  const Carrier crank = bar("crank", shaft, pin), upper_rod = bar("upper_rod", pin, top);
  const Carrier lower_rod = bar("lower_rod", pin, bottom), rocker = bar("rocker", pivot, bottom);
  const Carrier link = bar("link", left, knee);
  const Carrier thigh = add_triangle(model, "thigh", {pivot, top, left}, line_density);
  const Carrier shank = add_triangle(model, "shank", {knee, bottom, foot}, line_density);

  // About -y the angle grows from x to z.
  const Mat3 frame = frame_about(-Vec3::UnitY());
  const auto hinge = [&](const char* name, const Carrier& from, const Carrier& to, int node) -> JointSpec& {
    JointSpec& joint = add_joint(model, name, JointType::revolute, from, to, model.nodes[node].position, frame);
    joint.at_nodes = {node};
    return joint;
  };
  hinge("drive", Carrier{}, crank, shaft).position = {start};
  hinge("pin-upper", crank, upper_rod, pin);
  hinge("pin-lower", crank, lower_rod, pin);
  hinge("hip", Carrier{}, thigh, pivot);
  hinge("rocker-pivot", Carrier{}, rocker, pivot);
  hinge("thigh-top", upper_rod, thigh, top);
  hinge("rocker-bottom", lower_rod, rocker, bottom);
  hinge("thigh-left", thigh, link, left);
  hinge("shank-knee", link, shank, knee);
  hinge("shank-bottom", rocker, shank, bottom);
  const double speed = 2.0 * std::numbers::pi / period, end = turns * period;
  JointDrive drive;
  drive.imposed = true;
  drive.signal.kind = SignalKind::hermite;
  drive.signal.times = {0.0, end};
  drive.signal.values = {start, start + speed * end};
  drive.signal.slopes = {speed, speed};
  model.drives.push_back(drive);
  scenario.simulation.formulation = "multibody";
  scenario.simulation.duration = end;
  scenario.simulation.output_step = period / 100.0;
  return scenario;
}

}  // namespace

Generator jansen() {
  std::vector<Parameter> lengths;
  const std::pair<const char*, std::pair<double, const char*>> published[] = {
      {"a", {38.0, "of the pivot beside the shaft; this and the lengths below in units of scale"}},
      {"b", {41.5, "pivot to top"}},
      {"c", {39.3, "pivot to bottom"}},
      {"d", {40.1, "pivot to left"}},
      {"e", {55.8, "top to left"}},
      {"f", {39.4, "left to knee"}},
      {"g", {36.7, "bottom to knee"}},
      {"h", {65.7, "knee to foot"}},
      {"i", {49.0, "bottom to foot"}},
      {"j", {50.0, "pin to top"}},
      {"k", {61.9, "pin to bottom"}},
      {"l", {7.8, "of the pivot below the shaft"}},
      {"m", {15.0, "length of the crank"}}};
  for (const auto& [key, rest] : published) lengths.push_back({key, rest.first, rest.second});
  return {"jansen", "one leg of Jansen's walking linkage, its crank driven (multibody)",
          together({{{"scale", 0.01, "m, the unit of the thirteen lengths"}},
                    lengths,
                    {{"period", 2.0, "s, of one turn of the crank"},
                     {"turns", 3.0, "turns of the crank, 1 to 1000", true},
                     {"crank_angle", 0.0, "degrees, of the crank at the start, from x towards z"},
                     {"line_density", 0.5, "kg/m, of every link"},
                     {"gravity", 9.81, "m/s², along -z"}}}),
          build};
}

}  // namespace taut
