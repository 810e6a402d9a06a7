// Lieskovský (2022), 5.2: the single strut with the three compliant variants of the involute joint.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "apps/taut/studies/motion.h"
#include "apps/taut/studies/study.h"
#include "taut/formulation/formulation.h"
#include "taut/generators/generators.h"
#include "taut/modes/linearise.h"

namespace taut::reproduce {
namespace {

struct Variant {
  const char* name;
  double number;  // of the generator
};
constexpr std::array<Variant, 3> variants = {{{"epsilon", 2.0}, {"u", 1.0}, {"l", 3.0}}};

Scenario strut(const Settings& s, const Variant& variant, double end_mass = 0.0) {
  Parameters more = {{"variant", variant.number}, {"end_mass", end_mass}, {"end_radius", s.number("end_radius")}};
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
Series series_of(const Scenario& scenario, const Run& motion, const std::string& file) {
  const std::vector<std::string> names = joint_columns(scenario.model);
  const double radius = scenario.model.pulleys[0].wheel.radius;
  Series series{file, {}, {{"phi", {}}, {"psi", {}}, {"eps1", {}}, {"eps2", {}}, {"eps3", {}}}};
  for (const RunRow& row : motion) {
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

// Figure 5.7: cable ends with inertia, the l variant against epsilon.
void compare_inertial(const Settings& s, Findings& out, const Step& step) {
  const std::array<Variant, 2> pair = {variants[0], variants[2]};
  for (const bool fixed_steps : {false, true}) {
    std::vector<Series> runs;
    for (const Variant& variant : pair) {
      Scenario scenario = strut(s, variant, s.number("end_mass"));
      scenario.model.name += ", cable ends with inertia";
      scenario.simulation.integrator = fixed_steps ? "rk4" : "dopri5";
      scenario.simulation.tolerance = s.number("tolerance");
      scenario.simulation.step = s.number("duration") / s.number("steps");
      step(fmt::format("{} variant, cable ends with inertia{}", variant.name, fixed_steps ? ", steps" : ""));
      runs.push_back(series_of(scenario, simulated(scenario, variant.name),
                               fmt::format("single_strut_inertial_{}.csv", variant.name)));
      if (!fixed_steps) out.models.push_back({fmt::format("single_strut_inertial_{}.toml", variant.name), scenario});
    }
    Series deviations{"deviations_inertial.csv", runs[0].x, {}};
    for (std::size_t c = 0; c < runs[0].columns.size(); ++c) {
      const Curve &a = runs[0].columns[c], &b = runs[1].columns[c];
      out.add(fmt::format("deviation_inertial_{}.l.{}", fixed_steps ? "steps" : "converged", a.name),
              largest_difference(a, b), std::nullopt, c < 2 ? "rad" : "1",
              "cable ends with inertia, largest from the epsilon variant");
      Curve curve{"l." + a.name, {}};
      for (std::size_t i = 0; i < a.y.size(); ++i) curve.y.push_back(b.y[i] - a.y[i]);
      deviations.columns.push_back(std::move(curve));
    }
    if (!fixed_steps) {
      out.add("psi_end_inertial", runs[0].columns[1].y.back(), std::nullopt, "rad",
              fmt::format("epsilon variant, {:g} kg at the end of each cable", s.number("end_mass")));
      out.series.insert(out.series.end(), runs.begin(), runs.end());
      continue;
    }
    out.draw(deviations, "deviations_inertial.svg", "Cable ends with inertia: deviations of l from epsilon",
             "deviation of angles (rad) and strains");
    out.series.push_back(std::move(deviations));
  }
}

double swing(const Curve& curve) {
  const auto [low, high] = std::minmax_element(curve.y.begin(), curve.y.end());
  return *high - *low;
}

// Ascending, of the oscillations about the equilibrium: the start with the second torque on the first pulley, too.
std::vector<double> frequencies(Scenario scenario) {
  scenario.model.drives[0].signal = scenario.model.drives[1].signal;
  const Dynamics dynamics(scenario.model, "multibody", ConstraintMethod::projection);
  std::vector<double> result;
  for (const std::complex<double>& value : linearise(dynamics, dynamics.start()).eigenvalues)
    if (value.imag() > 1e-6 * std::abs(value)) result.push_back(value.imag() / (2.0 * std::numbers::pi));
  std::sort(result.begin(), result.end());
  return result;
}

// Of the other variants from epsilon.
Series deviations_of(const std::vector<Series>& runs) {
  Series result{"deviations.csv", runs[0].x, {}};
  for (std::size_t v = 1; v < runs.size(); ++v)
    for (std::size_t c = 0; c < runs[v].columns.size(); ++c) {
      Curve curve{fmt::format("{}.{}", variants[v].name, runs[v].columns[c].name), runs[v].columns[c].y};
      for (std::size_t i = 0; i < curve.y.size(); ++i) curve.y[i] -= runs[0].columns[c].y[i];
      result.columns.push_back(std::move(curve));
    }
  return result;
}

// Angles and strains on axes of their own: beside an angle of a milliradian nobody sees a strain swing.
void draw_figures(const Series& epsilon, const Series& deviations, Findings& out) {
  const auto draw = [&](const Series& from, bool strains, const char* file, const char* title, const char* label) {
    Series part{"", from.x, {}};
    for (const Curve& curve : from.columns)
      if ((curve.name.find("eps") != std::string::npos) == strains) part.columns.push_back(curve);
    out.draw(part, file, title, label);
  };
  draw(epsilon, false, "angles.svg", "Single strut, epsilon variant: angles (figure 5.5 a)", "angle, rad");
  draw(epsilon, true, "strains.svg", "Single strut, epsilon variant: strains (figure 5.5 b)", "strain");
  draw(deviations, false, "angle_deviations.svg", "Deviations of u and l from epsilon: angles (figure 5.6)",
       "deviation, rad");
  draw(deviations, true, "strain_deviations.svg", "Deviations of u and l from epsilon: strains (figure 5.6)",
       "deviation of the strain");
}

void run(const Settings& s, Findings& out, const Step& step) {
  std::vector<Series> converged, stepped;
  for (const Variant& variant : variants) {
    Scenario scenario = strut(s, variant);
    scenario.simulation.integrator = "dopri5";
    scenario.simulation.tolerance = s.number("tolerance");
    step(fmt::format("{} variant, converged", variant.name));
    const Run motion = simulated(scenario, variant.name);
    converged.push_back(series_of(scenario, motion, fmt::format("single_strut_{}.csv", variant.name)));
    out.models.push_back({fmt::format("single_strut_{}.toml", variant.name), scenario});
    if (&variant == &variants.front()) {
      out.runs.push_back(scene(motion, scenario.model.name));
      out.add("energy_drift", motion.summary.energy_drift, std::nullopt, "1",
              "relative; what winding under load supplies is counted as work");
    }
    // As in the thesis: many small steps of one size.
    scenario.simulation.integrator = "rk4";
    scenario.simulation.step = s.number("duration") / s.number("steps");
    step(fmt::format("{} variant, {} steps", variant.name, s.number("steps")));
    stepped.push_back(series_of(scenario, simulated(scenario, variant.name), ""));
  }
  const Scenario first = strut(s, variants.front());
  const PulleySpec& pulley = first.model.pulleys.front();
  out.add("degrees_of_freedom", make_formulation("multibody", first.model)->facts().degrees_of_freedom, 5.0, "1");
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
  out.add("phi_largest", largest(converged[0].columns[0]), std::nullopt, "rad", "\"while φ remained constant\"");
  out.add("eps2_eps3_difference", largest_difference(converged[0].columns[3], converged[0].columns[4]), std::nullopt,
          "1", "by symmetry none");
  compare(converged, "converged", "largest from the epsilon variant", out);
  compare(stepped, "steps", fmt::format("the same over {} steps of rk4", s.number("steps")), out);
  out.add("strain_swing", swing(converged[0].columns[2]), std::nullopt, "1", "of the first cable, highest less lowest");
  out.add_list("frequencies", frequencies(first), "Hz",
               "about the equilibrium, all torques equal: the strains swing with these");
  Series deviations = deviations_of(stepped);
  draw_figures(converged[0], deviations, out);
  out.series = std::move(converged);
  out.series.push_back(std::move(deviations));
  compare_inertial(s, out, step);
  out.assumptions = {
      "The initial strain is not printed: the one that 0.1 N m hold, at rest, strut upright.",
      "Gravity is not printed: 9.81 m/s²; --set environment.gravity=[0,0,0] is the other reading.",
      "The first block lies on the x axis, the pulleys' axes are horizontal and go through the blocks' vertical ones.",
      "The cables' torques follow Lieskovský's (3.1.16-17), which make energy when a cable is wound under load; "
      "--set torques=conservative takes the gradient of the energy.",
      "The inertia that the cable ends have in figure 5.7 is not printed: a ball of end_mass and end_radius at each, "
      "which turns with its cable.",
      "The curves of figures 5.5 to 5.7 are not printed as numbers; Simscape's own deviations (figure 5.7) cannot be "
      "repeated: shown are those of our l variant, the one that was built in Simscape."};
  out.compare("degrees_of_freedom", "degrees of freedom of the single strut", "");
  out.compare("phi_largest", "angle φ of the strut", "initial strain, gravity, where the first block stands",
              "remains constant");
}

}  // namespace

Study involute() {
  return {"involute",
          "A strut held by cables that unwind from pulleys: three variants of the involute joint",
          "Lieskovský (2022): Reconfiguration of Tensegrity Structures. Master's thesis, Czech Technical University in "
          "Prague; "
          "section 5.2",
          {{"modulus", 50e6, "Pa, of the cables"},
           {"viscosity", 0.0, "Pa s, of the cables", Check::not_negative},
           {"torque_1", 0.1001, "N m, on the first pulley", Check::any},
           {"torque_2", 0.1, "N m", Check::any},
           {"torque_3", 0.1, "N m", Check::any},
           {"azimuth", 0.0, "deg, of the first block", Check::any},
           {"environment.gravity", 0.0, "m/s²", Check::any, {}, {}, {0.0, 0.0, -9.81}},
           {"torques", 0.0, "of the cables", Check::any, "printed", {"printed", "conservative"}},
           {"duration", 1.0, "s"},
           {"steps", 1e4, "of rk4, for the deviations"},
           {"end_mass", 0.05, "kg, of each cable end, for figure 5.7"},
           {"end_radius", 0.02, "m, of each cable end"},
           {"tolerance", 1e-12, "of the converged runs"}},
          10,
          run,
          "Lieskovský (2022), 5.2"};
}

}  // namespace taut::reproduce
