// Stacked manipulator of S stages (Fadeyev et al. 2019), n-fold: every stage has n bars that rise from the ring below,
// n bars that hang under the plate above, n strings over the upper ends of the former, n over the lower ends of the
// latter, and one closed saddle string between them. The next stage stands on the plate.
//
// With s = 2π/n, cylindrical coordinates (radius, angle, height) from the foot of the stage:
//   foot B_i (R, i s, 0),   upper ring U_i (ρ_u, (i + 1) s + δ_u, z_u),   bars B_i U_i,
//   plate P_i (R, (i + ½) s + ψ, H),   lower ring D_i (ρ_d, (i + 3/2) s + ψ + δ_d, z_d),   bars D_i P_i,
//   strings B_i - U_{i-1} - P_{i-1} (tension T_a) and B_i - D_{i-1} - P_i (T_n), saddle U_0 - D_0 - U_1 - ... - U_0
//   (T_s).
// By symmetry ten equations hold a stage: balance of one U and one D (6), torque about the axis and vertical force on
// the plate, which carries the weight of everything above (2), the lengths of the bars (2). Unknown are the seven
// measures ρ, δ, z of both rings and ψ, the forces T_s, N_u, N_d; H is given and T_a = T_n = T. Newton's method, from
// the solution without weight, which is its own image under a half step and a reflection (ψ = 0, one ring like the
// other).
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "taut/base/text/text.h"
#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"
#include "taut/model/shape/body_shapes.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

using Vec10 = Eigen::Matrix<double, 10, 1>;
using Mat10 = Eigen::Matrix<double, 10, 10>;

struct Measures {
  int n = 3;
  double radius = 0.0, height = 0.0, bar = 0.0;  // R, H, bar length, m
};

// What a stage bears: tension of the vertical strings, weight of one bar, weight of all above (with its plate), N.
struct Burden {
  double tension = 0.0, bar_weight = 0.0, above = 0.0;
};

enum Unknown { rho_u, delta_u, z_u, rho_d, delta_d, z_d, twist, saddle, bar_u, bar_d };

Vec3 at(double radius, double angle, double z) { return {radius * std::cos(angle), radius * std::sin(angle), z}; }

// Corners of a stage by their number; forces are bar compressions and string tensions.
struct Corners {
  Corners(const Measures& m, const Vec10& q) : m_(m), q_(q), step_(2.0 * std::numbers::pi / m.n) {}
  Vec3 foot(int i) const { return at(m_.radius, i * step_, 0.0); }
  Vec3 upper(int i) const { return at(q_[rho_u], (i + 1) * step_ + q_[delta_u], q_[z_u]); }
  Vec3 plate(int i) const { return at(m_.radius, (i + 0.5) * step_ + q_[twist], m_.height); }
  Vec3 lower(int i) const { return at(q_[rho_d], (i + 1.5) * step_ + q_[twist] + q_[delta_d], q_[z_d]); }

 private:
  const Measures& m_;
  const Vec10& q_;
  double step_;
};

Vec3 towards(const Vec3& from, const Vec3& to) { return (to - from).normalized(); }

// The ten equations; forces over the tension, lengths over the bar's.
Vec10 residual(const Measures& m, const Burden& burden, const Vec10& q) {
  const Corners c(m, q);
  const double T = burden.tension, half = 0.5 * burden.bar_weight;
  const Vec3 u = c.upper(0), d = c.lower(0), p = c.plate(0);
  const Vec3 on_u = T * (towards(u, c.foot(1)) + towards(u, c.plate(0))) +
                    q[saddle] * T * (towards(u, c.lower(0)) + towards(u, c.lower(-1))) -
                    q[bar_u] * T * towards(u, c.foot(0)) - half * Vec3::UnitZ();
  const Vec3 on_d = T * (towards(d, c.foot(1)) + towards(d, c.plate(1))) +
                    q[saddle] * T * (towards(d, c.upper(0)) + towards(d, c.upper(1))) -
                    q[bar_d] * T * towards(d, c.plate(0)) - half * Vec3::UnitZ();
  const Vec3 on_p = T * (towards(p, c.upper(0)) + towards(p, c.lower(-1))) - q[bar_d] * T * towards(p, d) -
                    (half + burden.above / m.n) * Vec3::UnitZ();
  Vec10 r;
  r.segment<3>(0) = on_u / T;
  r.segment<3>(3) = on_d / T;
  r[6] = p.cross(on_p).z() / (m.radius * T);
  r[7] = on_p.z() / T;
  r[8] = (u - c.foot(0)).norm() / m.bar - 1.0;
  r[9] = (p - d).norm() / m.bar - 1.0;
  return r;
}

// Newton steps with derivatives by central differences of the equations (exact to 1e-10, which only slows the last
// steps), halved while they gain nothing. False: no solution from there.
bool solve(const Measures& m, const Burden& burden, Vec10& q) {
  Vec10 scale;
  scale << m.radius, 1.0, m.height, m.radius, 1.0, m.height, 1.0, 1.0, 1.0, 1.0;
  Vec10 r = residual(m, burden, q);
  for (int pass = 0; pass < 60; ++pass) {
    Mat10 J;
    for (int k = 0; k < 10; ++k) {
      Vec10 ahead = q, behind = q;
      ahead[k] += 1e-6 * scale[k];
      behind[k] -= 1e-6 * scale[k];
      J.col(k) = (residual(m, burden, ahead) - residual(m, burden, behind)) / (2e-6 * scale[k]);
    }
    const Vec10 step = solve_full_pivot(J, -r);
    if (!step.allFinite()) return false;
    double part = std::min(1.0, 0.2 / step.cwiseQuotient(scale).cwiseAbs().maxCoeff());
    Vec10 next = q + part * step, there = residual(m, burden, next);
    for (; !(there.norm() < r.norm()) && part > 1e-4; part *= 0.5) {
      next = q + part * step;
      there = residual(m, burden, next);
    }
    if (!(there.norm() < r.norm())) break;  // rounding, or stuck
    q = next;
    r = there;
  }
  const bool sound = q[rho_u] > 0.0 && q[rho_d] > 0.0 && q[saddle] > 0.0 && q[bar_u] > 0.0 && q[bar_d] > 0.0;
  return sound && r.cwiseAbs().maxCoeff() < 1e-12;
}

// Without weight: the shape that is its own image, from several first guesses.
bool weightless_stage(const Measures& m, Vec10& q) {
  const double step = 2.0 * std::numbers::pi / m.n;
  for (double turn : {0.1, 0.25, 0.02, 0.4})
    for (double overlap : {0.2, 0.1, 0.35, 0.03})
      for (double wide : {1.0, 1.3, 0.8}) {
        const double z = 0.5 * (1.0 + overlap) * m.height;
        q << wide * m.radius, turn * step, z, wide * m.radius, turn * step, m.height - z, 0.0, 1.0, 2.0, 2.0;
        if (solve(m, {1.0, 0.0, 0.0}, q)) return true;
      }
  return false;
}

struct Materials {
  double bar_mass = 0.0, plate_mass = 0.0;  // kg
  CableLaw string, spring;                  // of the strings over the upper ring and the saddle; of the others
  bool plates = false;                      // rigid bodies instead of bars along their edges
};

void add_string(Model& model, const std::vector<int>& path, const CableLaw& law, double tension) {
  Cable cable;
  cable.name = fmt::format("c{}", model.cables.size() + 1);
  cable.path = path;
  cable.law = law;
  cable.rest_length = rest_length_under(model, cable, tension);
  model.cables.push_back(std::move(cable));
}

void add_plate(Model& model, const Measures& m, const Materials& materials, int plate, int number) {
  if (!materials.plates) {
    Pairs edges;
    join_ring(edges, plate, m.n);
    return add_bars(model, edges, materials.plate_mass / m.n);
  }
  Body body;
  body.name = fmt::format("plate{}", number);
  body.mass = materials.plate_mass;
  std::vector<Vec3> corners;
  for (int i = 0; i < m.n; ++i) {
    body.nodes.push_back(plate + i);
    corners.push_back(model.nodes[plate + i].position);
  }
  body.outline = body.nodes;
  const Shape polygon = plate_shape(corners, 0.0);
  body.centre = polygon.centre;
  body.inertia = inertia_of(polygon, body.mass);
  model.bodies.push_back(std::move(body));
}

// Stage by stage from the ground; nodes n1, n2, ... as in the paper: feet, then upper ring, lower ring and plate of
// each.
void add_stages(Model& model, const Measures& m, const Materials& materials, const std::vector<Vec10>& shapes,
                const std::vector<double>& tensions) {
  const int n = m.n;
  const double step = 2.0 * std::numbers::pi / n;
  double turn = 0.0;
  const auto ring = [&](double radius, double angle, double z) {
    const int first = static_cast<int>(model.nodes.size());
    for (int i = 0; i < n; ++i) add_node(model, at(radius, turn + i * step + angle, z));
    return first;
  };
  int foot = ring(m.radius, 0.0, 0.0);
  fix_nodes(model, foot, n);
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Vec10& q = shapes[k];
    const double z = static_cast<double>(k) * m.height;
    const int upper = ring(q[rho_u], step + q[delta_u], z + q[z_u]);
    const int lower = ring(q[rho_d], 1.5 * step + q[twist] + q[delta_d], z + q[z_d]);
    const int plate = ring(m.radius, 0.5 * step + q[twist], z + m.height);
    Pairs bars;
    for (int i = 0; i < n; ++i) bars.emplace_back(foot + i, upper + i);
    for (int i = 0; i < n; ++i) bars.emplace_back(lower + i, plate + i);
    add_bars(model, bars, materials.bar_mass);
    add_plate(model, m, materials, plate, static_cast<int>(k) + 1);
    for (int i = 0; i < n; ++i)
      add_string(model, {foot + i, ring_node(upper, n, i - 1), ring_node(plate, n, i - 1)}, materials.string,
                 tensions[k]);
    for (int i = 0; i < n; ++i)
      add_string(model, {foot + i, ring_node(lower, n, i - 1), plate + i}, materials.spring, tensions[k]);
    std::vector<int> loop;
    for (int i = 0; i < n; ++i) loop.insert(loop.end(), {upper + i, lower + i});
    loop.push_back(upper);
    add_string(model, loop, materials.string, q[saddle] * tensions[k]);
    foot = plate;
    turn += 0.5 * step + q[twist];
  }
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int bars = numbers.count("bars", 6, 100);
  const int stages = numbers.count("stages", 1, 1000);
  if (bars % 2 != 0)
    numbers.wrong("bars", fmt::format("is {}: expected an even number, half of them hang under the plate", bars));
  const Measures m{bars / 2, numbers.positive("radius"), numbers.positive("height"), numbers.positive("bar_length")};
  const double tension = numbers.positive("pretension"), g = numbers.not_negative("gravity");
  Materials materials;
  materials.bar_mass = numbers.positive("bar_mass");
  materials.plate_mass = numbers.positive("plate_mass");
  materials.plates = numbers.flag("plates") || m.n > 3;
  materials.string.by_EA = materials.spring.by_EA = true;
  materials.string.damping = materials.spring.damping = numbers.not_negative("damping");
  materials.string.stiffness = numbers.positive("EA");
  materials.spring.stiffness = numbers.positive("EA_spring");
  numbers.throw_if_wrong();
  const double most = 10.0 * std::min(materials.string.stiffness, materials.spring.stiffness);
  if (tension > most)
    numbers.wrong("pretension", fmt::format("is {:g} N: expected at most {:g} N, ten times the smaller of EA and "
                                            "EA_spring: the strings would be stretched to eleven times their length",
                                            tension, most));
  numbers.throw_if_wrong();

  Vec10 q;
  if (!weightless_stage(m, q)) {
    numbers.wrong("height", fmt::format("no stage stands with radius {:g} m, height {:g} m and bars of {:g} m; radius "
                                        "0.26, height 1.43 and bars of 0.96 do",
                                        m.radius, m.height, m.bar));
    numbers.throw_if_wrong();
  }
  // From the top down: each stage bears the plate on it and what stands there.
  std::vector<Vec10> shapes(stages);
  std::vector<double> tensions(stages);
  double above = materials.plate_mass * g;
  for (int k = stages - 1; k >= 0; --k) {
    tensions[k] = std::max(tension, above);
    if (!solve(m, {tensions[k], materials.bar_mass * g, above}, q)) {
      numbers.wrong(
          "pretension",
          fmt::format("stage {} does not bear the {:.4g} N above it and its own bars of {:.4g} N each, {:g} m high "
                      "and {:g} m wide: expected less weight or another shape",
                      k + 1, above, materials.bar_mass * g, m.height, 2.0 * m.radius));
      numbers.throw_if_wrong();
    }
    shapes[k] = q;
    above += (bars * materials.bar_mass + materials.plate_mass) * g;
  }
  Scenario scenario = weightless(fmt::format("stacked manipulator, {}", plural(stages, "stage", "stages")));
  scenario.model.gravity = {0.0, 0.0, -g};
  add_stages(scenario.model, m, materials, shapes, tensions);
  return scenario;
}

}  // namespace

Generator stacked() {
  return {"stacked",
          "manipulator of stages that stand on plates, with strings over several nodes (Fadeyev et al. 2019)",
          {{"stages", 2, "number of stages, 1 to 1000", true},
           {"bars", 6, "bars in a stage, even, 6 to 100; half of them hang under its plate", true},
           {"radius", 0.26, "m, of the corners of foot and plates"},
           {"height", 1.43, "m, of a stage"},
           {"bar_length", 0.96, "m, of each bar"},
           {"bar_mass", 0.29, "kg, of each bar"},
           {"plate_mass", 1.0, "kg, of each plate"},
           {"plates", 0,
            "1: plates are rigid bodies; 0: three bars along their edges (more than 6 bars: always bodies)", true},
           {"pretension", 480,
            "N, in the vertical strings, at most ten times the smaller EA; a stage that bears more is tightened to as "
            "much"},
           {"EA", 140e3, "N, of the strings over the upper ring and of the saddle"},
           {"EA_spring", 20e3, "N, of the strings over the lower ring, which have springs in them"},
           {"damping", 20e3, "N s/m, of every string"},
           {"gravity", 9.81, "m/s², downwards; every stage is in balance with what it bears"}},
          build};
}

}  // namespace taut
