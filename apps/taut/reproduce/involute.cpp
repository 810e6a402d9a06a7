// Seed 000, 5.2: the single strut with the three compliant variants of the involute joint.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/taut/reproduce/motion.h"
#include "apps/taut/reproduce/study.h"
#include "taut/formulation/formulation.h"
#include "taut/model/generators.h"

namespace taut::reproduce {
namespace {

struct Variant {
  const char* name;
  double number;  // of the generator
};
constexpr std::array<Variant, 3> variants = {{{"epsilon", 2.0}, {"u", 1.0}, {"l", 3.0}}};

Scenario strut(const Settings& s, const Variant& variant) {
  Parameters more = {{"variant", variant.number}};
  for (const char* key : {"modulus", "viscosity", "torque_1", "torque_2", "torque_3", "azimuth"})
    more[key] = s.number(key);
  Scenario scenario = generate(*find_generator("single_strut"), more);
  scenario.model.name = fmt::format("single strut, {} variant", variant.name);
  scenario.model.gravity = Vec3(s.vector("environment.gravity").data());
  for (PulleySpec& pulley : scenario.model.pulleys) pulley.conservative = s.word("torques") == "conservative";
  scenario.simulation.duration = s.number("duration");
  return scenario;
}

// Where a column of joints.csv stands in a row.
std::size_t column(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// φ, ψ and the strains, whatever the second coordinate is: ε = l/(R φ) - 1.
Series series_of(const Scenario& scenario, const Motion& motion, const std::string& file) {
  const std::vector<std::string> names = joint_columns(scenario.model);
  const double radius = scenario.model.pulleys[0].wheel.radius;
  Series series{file, {}, {{"phi", {}}, {"psi", {}}, {"eps1", {}}, {"eps2", {}}, {"eps3", {}}}};
  for (const Sample& row : motion.rows) {
    series.x.push_back(row.t);
    series.columns[0].y.push_back(row.joints[column(names, "universalJt.phi")]);
    series.columns[1].y.push_back(row.joints[column(names, "universalJt.psi")]);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string pulley = scenario.model.pulleys[i].name;
      const double free = radius * row.joints[column(names, pulley + ".phi")];
      const auto known = column(names, pulley + ".eps");
      series.columns[2 + i].y.push_back(
          known < names.size() ? row.joints[known] : (row.joints[column(names, pulley + ".length")] - free) / free);
    }
  }
  return series;
}

double largest_difference(const Curve& a, const Curve& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.y.size(); ++i) most = std::max(most, std::abs(a.y[i] - b.y[i]));
  return most;
}

void compare(const std::vector<Series>& runs, const std::string& how, const std::string& note, Findings& out) {
  for (std::size_t v = 1; v < runs.size(); ++v)
    for (std::size_t c = 0; c < runs[v].columns.size(); ++c)
      out.add(fmt::format("deviation_{}.{}.{}", how, variants[v].name, runs[v].columns[c].name),
              largest_difference(runs[v].columns[c], runs[0].columns[c]), std::nullopt, c < 2 ? "rad" : "1", note);
}

void run(const Settings& s, Findings& out, const Step& step) {
  std::vector<Series> converged, stepped;
  for (const Variant& variant : variants) {
    Scenario scenario = strut(s, variant);
    scenario.simulation.integrator = "dopri5";
    scenario.simulation.tolerance = s.number("tolerance");
    step(fmt::format("{} variant, converged", variant.name));
    const Motion motion = simulated(scenario, variant.name);
    converged.push_back(series_of(scenario, motion, fmt::format("single_strut_{}.csv", variant.name)));
    out.models.push_back({fmt::format("single_strut_{}.toml", variant.name), scenario});
    if (&variant == &variants.front()) {
      out.runs.push_back(scene(motion, scenario.model.name));
      out.add("energy_drift", motion.summary.energy_drift, std::nullopt, "1",
              "relative; what winding under load supplies is counted as work");
    }
    // As the seed: many small steps of one size.
    scenario.simulation.integrator = "rk4";
    scenario.simulation.step = s.number("duration") / s.number("steps");
    step(fmt::format("{} variant, {} steps", variant.name, s.number("steps")));
    stepped.push_back(series_of(scenario, simulated(scenario, variant.name), ""));
  }
  const Scenario first = strut(s, variants.front());
  const PulleySpec& pulley = first.model.pulleys.front();
  out.add("degrees_of_freedom", make_formulation("multibody", first.model)->degrees_of_freedom(), 5.0, "1");
  out.add("tangent_length",
          tangent_to_circle(pulley.wheel.centre, pulley.axis, pulley.wheel.radius, Vec3(0.0, 0.0, 1.0))->length,
          std::nullopt, "m", "of every cable, strut upright");
  out.add("initial_strain", pulley.strain, std::nullopt, "1", "torque/(R E A)");
  const auto largest = [](const Curve& curve) {
    double most = 0.0;
    for (double y : curve.y) most = std::max(most, std::abs(y));
    return most;
  };
  out.add("psi_end", converged[0].columns[1].y.back(), std::nullopt, "rad", "epsilon variant");
  out.add("phi_largest", largest(converged[0].columns[0]), 0.0, "rad", "\"while φ remained constant\"");
  out.add("eps2_eps3_difference", largest_difference(converged[0].columns[3], converged[0].columns[4]), std::nullopt,
          "1", "by symmetry none");
  compare(converged, "converged", "largest from the epsilon variant", out);
  compare(stepped, "steps", fmt::format("the same over {} steps of rk4", s.number("steps")), out);
  out.draw(converged[0], "angles_and_strains.svg", "Single strut, epsilon variant", "rad, and strain");
  Series deviations{"deviations.csv", stepped[0].x, {}};
  for (std::size_t v = 1; v < variants.size(); ++v)
    for (std::size_t c = 0; c < stepped[v].columns.size(); ++c) {
      Curve curve{fmt::format("{}.{}", variants[v].name, stepped[v].columns[c].name), {}};
      for (std::size_t i = 0; i < stepped[v].x.size(); ++i)
        curve.y.push_back(stepped[v].columns[c].y[i] - stepped[0].columns[c].y[i]);
      deviations.columns.push_back(std::move(curve));
    }
  out.draw(deviations, "deviations.svg", "Variants: deviations from epsilon over many steps", "rad, and strain");
  out.series = std::move(converged);
  out.series.push_back(std::move(deviations));
  out.assumptions = {
      "The initial strain is not printed: the one that 0.1 N m hold, at rest, strut upright.",
      "Gravity is not printed: 9.81 m/s²; --set environment.gravity=[0,0,0] is the other reading.",
      "The first block lies on the x axis, the pulleys' axes are horizontal and go through the blocks' vertical ones.",
      "The cables' torques follow the seed's (3.1.16-17), which make energy when a cable is wound under load; "
      "--set torques=conservative takes the gradient of the energy.",
      "The curves of figures 5.5 to 5.7 are not printed as numbers; Simscape's own deviations (figure 5.7) cannot be "
      "repeated."};
}

}  // namespace

Study involute() {
  return {"involute",
          "A strut held by cables that unwind from pulleys: three variants of the involute joint",
          "seed 000: Lieskovský, Modelling of Tensegrity Structures, 2022, section 5.2",
          {{"modulus", 50e6, "Pa, of the cables"},
           {"viscosity", 0.0, "Pa s, of the cables", Check::not_negative},
           {"torque_1", 0.1001, "N m, on the first pulley", Check::any},
           {"torque_2", 0.1, "N m", Check::any},
           {"torque_3", 0.1, "N m", Check::any},
           {"azimuth", 0.0, "degrees, of the first block", Check::any},
           {"environment.gravity", 0.0, "m/s²", Check::any, {}, {}, {0.0, 0.0, -9.81}},
           {"torques", 0.0, "of the cables", Check::any, "seed", {"seed", "conservative"}},
           {"duration", 1.0, "s"},
           {"steps", 1e4, "of rk4, for the deviations"},
           {"tolerance", 1e-12, "of the converged runs"}},
          6,
          run};
}

}  // namespace taut::reproduce
