// Savin, Vorochaeva and Kurenkov (2020): a 3-prism of rigid rods, without gravity, let go from tilts ψ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/taut/studies/savin_damping.h"
#include "apps/taut/studies/savin_figures.h"
#include "apps/taut/studies/savin_fit.h"
#include "taut/form/relax.h"
#include "taut/formulation/formulation.h"
#include "taut/integrate/integrator.h"

namespace taut::reproduce {
namespace {

using std::numbers::pi;
constexpr std::array<double, 5> published_tilts = {36.0, 40.0, 50.0, 60.0, 68.0};

Vec3 centre_of_mass(const RunRow& row) {
  Vec3 sum = Vec3::Zero();
  for (int node = 0; node < 6; ++node) sum += position(row, node) / 6.0;
  return sum;
}

// Figures 3 and 6, and what the text says of them.
void histories(const Prism& prism, Findings& out, const Step& step) {
  std::array<std::vector<double>, 3> start, end, least, most;
  std::array<Series, 3> series;
  double triples = 0.0, bases = 0.0, parallel = 0.0, drift = 0.0;
  Series centre{"centre_of_mass.csv", {}, {{"x", {}}, {"y", {}}, {"z", {}}}};
  for (const double psi : published_tilts) {
    step(fmt::format("motion from {:g} degrees", psi));
    const Scenario scenario = tilted(prism, psi);
    const Run motion = simulated(scenario, "motion");
    out.models.push_back({fmt::format("prism_{:g}.toml", psi), scenario});
    out.runs.push_back(scene(motion, fmt::format("ψ = {:g}°", psi)));
    if (psi == published_tilts.front())
      for (const bool last : {false, true})
        out.drawings.push_back({fmt::format("figure_5{}.svg", last ? "b" : "a"),
                                pictogram(fmt::format("Tilt 36 deg, {} (Fig. 5{})",
                                                      last ? "at the end" : "at the start", last ? "b" : "a"),
                                          prism, scenario, last ? motion.back() : motion.front())});
    for (const Triple triple : {upper, lower, side}) {
      Curve curve{fmt::format("{:g} deg", psi), {}};
      for (const RunRow& row : motion) {
        curve.y.push_back(strain(prism, row, triple));
        for (int member = 1; member < 3; ++member)
          triples = std::max(triples, std::abs(strain(prism, row, triple, member) - curve.y.back()));
      }
      start[triple].push_back(curve.y.front());
      end[triple].push_back(curve.y.back());
      least[triple].push_back(*std::min_element(curve.y.begin(), curve.y.end()));
      most[triple].push_back(*std::max_element(curve.y.begin(), curve.y.end()));
      series[triple].columns.push_back(std::move(curve));
    }
    bases = std::max(bases, std::abs(end[upper].back() - end[lower].back()));
    for (const RunRow& row : motion) {
      const Vec3 offset = centre_of_mass(row) - centre_of_mass(motion.front());
      drift = std::max(drift, offset.norm());
      for (const int first : {0, 3})
        for (int j = 1; j < 3; ++j)
          parallel = std::max(parallel, std::abs(position(row, first + j)[2] - position(row, first)[2]));
      if (psi != published_tilts.front()) continue;
      centre.x.push_back(row.t);
      for (int axis = 0; axis < 3; ++axis) centre.columns[static_cast<std::size_t>(axis)].y.push_back(offset[axis]);
    }
  }

  for (const Triple triple : {upper, lower, side}) {
    series[triple].file = fmt::format("strain_{}.csv", triple_names[triple]);
    series[triple].x = centre.x;
    Figure& figure =
        out.draw(series[triple], fmt::format("figure_3{}.svg", "abc"[triple]),
                 fmt::format("Strain of the {} triple (Fig. 3{})", triple_names[triple], "abc"[triple]), "strain, %");
    mark_turns(figure.plot);
    out.series.push_back(series[triple]);
  }
  out.draw(centre, "figure_6.svg", "Centre of mass, tilt 36 deg (Fig. 6)", "displacement, m");
  out.series.push_back(centre);

  out.add_list("tilts", {published_tilts.begin(), published_tilts.end()}, "deg", "order of the lists below");
  for (const Triple triple : {upper, lower, side}) {
    const std::string name = triple_names[triple];
    out.add_list(name + "_strain_start", start[triple], "%", "");
    out.add_list(name + "_strain_end", end[triple], "%", "at the end of the run");
    out.add_list(name + "_strain_least", least[triple], "%", "");
    out.add_list(name + "_strain_most", most[triple], "%", "");
  }
  const auto tilt_of = [&](const std::vector<double>& strains, double sign) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < strains.size(); ++i)
      if (sign * strains[i] > sign * strains[best]) best = i;
    return published_tilts[best];
  };
  out.add("tilt_of_most_upper_strain", tilt_of(most[upper], 1.0), published_tilts.back(), "deg",
          "of the five tilts, that of the largest strain of the upper triple");
  out.add("tilt_of_most_lower_strain", tilt_of(most[lower], 1.0), published_tilts.back(), "deg", "of the lower triple");
  out.add("tilt_of_least_side_strain", tilt_of(least[side], -1.0), published_tilts.back(), "deg",
          "that of the least strain of the side triple");
  out.add("triple_difference", triples, std::nullopt, "%", "largest within a triple, all tilts and times");
  out.add("end_upper_minus_lower", bases, std::nullopt, "%", "largest at the end, all tilts");
  out.add("bases_out_of_parallel", parallel, std::nullopt, "m", "largest difference of heights within a base");
  out.add("centre_of_mass_drift", drift, std::nullopt, "m", "largest, all tilts and times (Fig. 6)");
}

void ranges(const Prism& prism, Findings& out, const Step& step) {
  step("working range");
  const auto range = working_range(prism);
  const auto low = range ? std::optional(range->first) : std::nullopt;
  const auto high = range ? std::optional(range->second) : std::nullopt;
  out.add("range_low", low, 36.0, "deg", "below it a cable goes slack; bisected on whole runs");
  out.add("range_high", high, 68.0, "deg", "above it a strain exceeds 100 %, or a cable goes slack; bisected likewise");
  out.add("range_low_closed_form", slack_tilt(prism), 36.0, "deg", "upper cables just slack in the start shape");
  out.add("range_high_closed_form", strained_tilt(prism), 68.0, "deg", "lower cables at 100 % in the start shape");

  step("turning points");
  std::optional<double> upper_peak, lower_valley, side_valley, side_end, side_start;
  if (range) {
    const double from = range->first, to = range->second;
    upper_peak = turning_point(from, to, [&](double psi) {
      const Scenario scenario = tilted(prism, psi);
      return strain_rate(scenario, simulated(scenario, "turning points").back(), upper) < 0.0;
    });
    lower_valley = turning_point(from, to, [&](double psi) {
      const Scenario scenario = tilted(prism, psi);
      return strain_rate(scenario, simulated(scenario, "turning points").back(), lower) > 0.0;
    });
    side_valley = turning_point(from, to, [&](double psi) {
      const Scenario scenario = tilted(prism, psi);
      return strain_rate(scenario, simulated(scenario, "turning points").back(), side) > 0.0;
    });
    side_end = turning_point(from, to, [&](double psi) {
      const Run motion = simulated(tilted(prism, psi), "turning points");
      return strain(prism, motion.back(), side) > strain(prism, motion.front(), side);
    });
    side_start = turning_point(from, to, [&](double psi) { return start_curvature(prism, psi, side) > 0.0; });
  }
  out.add("turning_upper", upper_peak, 45.0, "deg",
          "upper strain: above it passes a maximum and falls at the end, below it only rises (the paper has the two "
          "ranges the other way round)");
  out.add("turning_lower", lower_valley, 45.0, "deg", "lower strain: above it rises at the end, below it only falls");
  out.add("turning_side_minimum", side_valley, 45.0, "deg",
          "side strain: above it rises at the end, after a minimum; below it only falls");
  out.add("turning_side_low", side_end, 45.0, "deg",
          "side strain: above it is largest at the end, below it at the start; the other reading of the same sentence");
  out.add("turning_side_high", side_start, 57.0, "deg", "side strain: above it only rises, below it falls at first");

  const Run published = simulated(tilted(prism, 57.0), "turning points");
  double least = INFINITY;
  for (const RunRow& row : published) least = std::min(least, strain(prism, row, side));
  out.add("side_dip_at_57", strain(prism, published.front(), side) - least, std::nullopt, "%",
          "how far the side strain falls at first from the published 57 deg");

  step("strain extremes over the tilt");
  Series sweep{"range.csv", {}, {{"least strain", {}}, {"largest strain", {}}}, "psi"};
  const auto extremes =
      over_tilts(prism, 30, 75, {"100*min(cables.*.strain)", "100*max(cables.*.strain)"}, "strain extremes");
  for (int psi = 30; psi <= 75; ++psi) sweep.x.push_back(psi);
  for (std::size_t i = 0; i < 2; ++i) sweep.columns[i].y = extremes[i];
  Figure& figure = out.draw(sweep, "figure_4.svg", "Extremes of strain over the tilt (Fig. 4)", "strain, %");
  figure.plot.x_label = "tilt, deg";
  figure.published = {{"published limits", {36.0, 68.0}, {0.0, 100.0}}};
  out.series.push_back(std::move(sweep));
}

// Base and side strain, twist and ratio of force densities of the shape that the kinetic damping finds.
struct Relaxed {
  Strains strains;
  double twist, ratio;  // degrees; q_side / q_base
};

std::optional<Relaxed> relaxed(const Prism& prism, const Model& model) {
  RelaxOptions options;
  options.tolerance = 1e-12;
  const RelaxResult result = relax(model, options);
  if (!result.converged || !result.slack.empty()) return std::nullopt;
  std::array<double, 2> length{}, density{};
  const Model& m = result.model;
  for (int i = 0; i < 2; ++i) {
    const Cable& cable = m.cables[i == 0 ? upper : side];
    length[i] = start_length(m, cable);
    density[i] = elastic_tension(cable.law, length[i] - cable.rest_length, cable.rest_length) / length[i];
  }
  const auto percent = [&](double l) { return 100.0 * (l / prism.rest_length - 1.0); };
  // Both bases are regular triangles about one axis, which the relaxation may have turned.
  const auto corner = [&](int node) {
    const int first = node < 3 ? 0 : 3;
    Vec3 centre = Vec3::Zero();
    for (int j = 0; j < 3; ++j) centre += m.nodes[first + j].position / 3.0;
    return Vec3(m.nodes[node].position - centre);
  };
  const double twist = std::acos(corner(0).normalized().dot(corner(3).normalized())) * 180.0 / pi;
  return Relaxed{{percent(length[0]), percent(length[1])}, twist, density[1] / density[0]};
}

void add_pair(Findings& out, const std::string& name, const std::optional<Strains>& strains, const std::string& note) {
  out.add("base_strain_" + name, strains ? std::optional(strains->base) : std::nullopt, std::nullopt, "%", note);
  out.add("side_strain_" + name, strains ? std::optional(strains->side) : std::nullopt, std::nullopt, "%", note);
}

void equilibria(const Prism& prism, Findings& out, const Step& step) {
  step("equilibrium");
  const auto linear = [&](double l) { return prism.stiffness * (l - prism.rest_length); };
  const auto found = relaxed(prism, tilted(prism, 50.0).model);
  add_pair(out, "equilibrium", closed_form(prism, linear), "twist 150 deg, q_side = sqrt(3) q_base, one equation");
  add_pair(out, "relaxed", found ? std::optional(found->strains) : std::nullopt, "found by kinetic damping");
  out.add("twist_relaxed", found ? std::optional(found->twist) : std::nullopt, std::nullopt, "deg",
          "150 by symmetry arguments");
  out.add("force_density_ratio", found ? std::optional(found->ratio) : std::nullopt, std::nullopt, "1",
          "q_side / q_base, sqrt(3)");
  std::optional<Strains> reached;
  if (prism.drag > 0.0 && prism.turning_drag > 0.0) {
    Scenario scenario = tilted(prism, 50.0);
    scenario.simulation.duration = 400.0;
    scenario.simulation.output_step = 400.0;
    const Run motion = simulated(scenario, "equilibrium");
    reached = Strains{strain(prism, motion.back(), upper), strain(prism, motion.back(), side)};
  }
  add_pair(out, "long_run", reached, "from 50 deg after 400 s, with drag only");

  step("printed length");
  Prism printed = prism;
  printed.length = 0.3;
  const auto printed_range = working_range(printed);
  add_pair(out, "printed_length", closed_form(printed, linear), "L = 0.3 m");
  const auto printed_found = relaxed(printed, tilted(printed, 65.0).model);
  add_pair(out, "printed_length_relaxed", printed_found ? std::optional(printed_found->strains) : std::nullopt,
           "L = 0.3 m, found by kinetic damping");
  out.add("range_low_printed_length", printed_range ? std::optional(printed_range->first) : std::nullopt, 36.0, "deg",
          "L = 0.3 m");
  out.add("range_high_printed_length", printed_range ? std::optional(printed_range->second) : std::nullopt, 68.0, "deg",
          "L = 0.3 m");
}

// Which of mass, drag and duration bring ψ* and ψ** where the paper has them.
void identification(const Prism& prism, Findings& out, const Step& step) {
  step("fit of inertia, drag and duration");
  const auto inertia = inertia_for(prism, 57.0);
  out.add("fit_inertia", inertia, std::nullopt, "kg m²",
          "of a rod of the printed mass: the one with which the side strain only rises from 57 deg on");
  if (!inertia) return;
  Prism fitted = prism;
  fitted.inertia = *inertia;
  Series family{"fit_family.csv", {}, {{"side_above_start", {}}, {"upper_falls", {}}}, "duration"};
  for (const double duration : {1.0, 2.0, 3.0, 5.0, 7.5, 10.0}) {
    const auto by_side = drag_for(fitted, 45.0, duration, Reading::side_above_start),
               by_upper = drag_for(fitted, 45.0, duration, Reading::upper_falls);
    if (!by_side || !by_upper) continue;
    family.x.push_back(duration);
    family.columns[0].y.push_back(*by_side);
    family.columns[1].y.push_back(*by_upper);
  }
  out.add_list("fit_durations", family.x, "s", "order of the two lists below");
  out.add_list("fit_drags", family.columns[0].y, "N s/m",
               "with which ψ* is 45 deg, read as: from which the side strain ends above its start");
  out.add_list("fit_drags_upper", family.columns[1].y, "N s/m",
               "with which ψ* is 45 deg, read as: from which the upper strain falls at the end");
  Figure& figure = out.draw(family, "fit_family.svg", "Drag and duration that bring the first turning point to 45 deg",
                            "drag, N s/m");
  figure.plot.x_label = "duration, s";
  out.series.push_back(std::move(family));

  // The other way round: the fitted prism's turning points, by bisection over the tilt.
  const auto drag = drag_for(fitted, 45.0, prism.duration, Reading::side_above_start);
  out.add("fit_drag", drag, std::nullopt, "N s/m", "for the duration of the study, and N m s on the rotation");
  if (!drag) return;
  fitted.drag = fitted.turning_drag = *drag;
  out.add("fit_turning_side_low",
          turning_point(36.0, 68.0,
                        [&](double psi) {
                          const Run motion = simulated(tilted(fitted, psi), "fit");
                          return strain(fitted, motion.back(), side) > strain(fitted, motion.front(), side);
                        }),
          45.0, "deg", "of the fitted prism");
  out.add("fit_turning_side_high",
          turning_point(36.0, 68.0, [&](double psi) { return start_curvature(fitted, psi, side) > 0.0; }), 57.0, "deg",
          "of the fitted prism");
  out.compare("fit_turning_side_low", "tilt from which the side strain ends above its start, after a fit",
              "drag and inertia, fitted to this and to the next");
  out.compare("fit_turning_side_high", "tilt from which the side strain only rises, after a fit",
              "inertia, fitted to it");
}

// What the paper asks of a simulator: forces on rods and elastic laws that are not linear.
void demands(const Prism& prism, Findings& out, const Step& step) {
  step("a force on a rod");
  constexpr double force = 0.5;  // N
  Scenario pulled = tilted(prism, 50.0);
  pulled.model.name = "3-prism, pulled";
  pulled.model.loads.push_back({3, {0.0, 0.0, force}});
  const Run motion = simulated(pulled, "a force on a rod");
  const double moved = (centre_of_mass(motion.back()) - centre_of_mass(motion.front()))[2];
  // Cables cancel: 3 m z̈ = F - drag Σ ż_j, z the mean of the three centres.
  const double tau = prism.drag > 0.0 ? prism.mass / prism.drag : INFINITY, T = prism.duration;
  const double expected = prism.drag > 0.0 ? force / (3.0 * prism.drag) * (T + tau * std::expm1(-T / tau))
                                           : force / (6.0 * prism.mass) * T * T;
  out.add("load_displacement", moved, std::nullopt, "m", "0.5 N upwards on b1: rise of the centre of mass at the end");
  out.add("load_displacement_closed_form", expected, std::nullopt, "m", "from Newton's law for the whole");
  out.models.push_back({"prism_pulled.toml", pulled});

  step("a law that stiffens");
  const std::vector<double> strains = {0.0, 0.2, 0.5, 1.0}, forces = {0.0, 0.3, 1.2, 4.0};
  const auto table = [&](double l) {
    const double e = l / prism.rest_length - 1.0;
    std::size_t i = 1;
    while (i + 1 < strains.size() && e > strains[i]) ++i;
    const double slope = (forces[i] - forces[i - 1]) / (strains[i] - strains[i - 1]);
    return std::max(0.0, forces[i - 1] + slope * (e - strains[i - 1]));
  };
  Scenario stiffening = tilted(prism, 50.0);
  stiffening.model.name = "3-prism, stiffening cables";
  for (Cable& cable : stiffening.model.cables) {
    cable.law.kind = LawKind::table;
    cable.law.strain = strains;
    cable.law.force = forces;
  }
  const auto found = relaxed(prism, stiffening.model);
  add_pair(out, "table_law", closed_form(prism, table),
           "cables of law \"table\": 0, 0.3, 1.2, 4 N at 0, 20, 50, 100 %");
  add_pair(out, "table_law_relaxed", found ? std::optional(found->strains) : std::nullopt, "found by kinetic damping");
  out.models.push_back({"prism_table.toml", stiffening});

  step("other formulations");
  Scenario all = tilted(prism, 50.0);
  all.simulation.formulation = "all";
  out.add("formulations_difference", simulated(all, "other formulations").summary.largest_difference, std::nullopt, "m",
          "largest distance of a node between formulations, from 50 deg");
}

// The rows of the table of all papers.
void comparisons(Findings& out) {
  const std::string placed = "rod length 0.45 m (printed: 0.3 m), centres of the rods at radius 0.0375 m",
                    moved = placed + "; inertia, drag, duration";
  out.compare("range_low", "least tilt without a slack cable", placed);
  out.compare("range_high", "largest tilt without a strain above 100 %", placed);
  out.compare("range_low_printed_length", "least tilt, rods of the printed 0.3 m",
              "centres of the rods at radius 0.0375 m");
  out.compare("range_high_printed_length", "largest tilt, rods of the printed 0.3 m",
              "centres of the rods at radius 0.0375 m");
  out.compare("range_low_closed_form", "tilt below which the upper triple is slack at the start (Fig. 4)", placed);
  out.compare("range_high_closed_form", "tilt above which the lower triple is over 100 % at the start (Fig. 4)",
              placed);
  out.compare("tilt_of_most_upper_strain", "tilt, of five, of the largest strain of the upper triple (Fig. 3a)", moved);
  out.compare("tilt_of_most_lower_strain", "tilt, of five, of the largest strain of the lower triple (Fig. 3b)", moved);
  out.compare("tilt_of_least_side_strain", "tilt, of five, of the least strain of the side triple (Fig. 3c)", moved);
  out.compare("turning_upper", "tilt at which the upper strain turns", moved);
  out.compare("turning_lower", "tilt at which the lower strain turns", moved);
  out.compare("turning_side_minimum", "tilt from which the side strain passes a minimum", moved);
  out.compare("turning_side_low", "the same, read as: from which it ends above its start", moved);
  out.compare("turning_side_high", "tilt from which the side strain only rises", placed + "; inertia");
  out.compare("triple_difference", "strains within a triple", moved, "equal", {.rounding = 1e-9});
  out.compare("end_upper_minus_lower", "upper and lower strains at the end", moved, "equal", {.rounding = 1e-6});
  out.compare("bases_out_of_parallel", "bases", moved, "stay parallel");
  out.compare("centre_of_mass_drift", "centre of mass (Fig. 6)", moved, "does not move");
}

void run(const Settings& settings, Findings& out, const Step& step) {
  const Prism prism = prism_of(settings);
  out.assumptions = {
      "The printed L = 0.3 m cannot give the published range; L = 0.45 m with the centres at radius 0.0375 m, 60 "
      "degrees "
      "from the tilt, gives 36 to 68 degrees to the whole degree.",
      "Placement, inertia, drag and duration are not printed: inertia 1 kg m², drag 20 N s/m and 20 N m s on each rod, "
      "5 s; "
      "all are settings.",
      "Stiffness: 10 N/m, as in the study (the example before it has 1000).",
      "Cables pull only, towards each other (eqs 2 and 3 have the other sign). Damping of eq. (3), setting "
      "cable_damping, acts along the cables, or with damping_model=vector as printed: its component across them brakes "
      "a "
      "rigid rotation as well, and angular momentum is not kept. A value is not printed; cable_damping.svg compares "
      "both "
      "with eq3_damping.",
      "After 5 s the prism is still on its way: upper and lower strains are equal, but not yet those of the "
      "equilibrium."};
  ranges(prism, out, step);
  histories(prism, out, step);
  equilibria(prism, out, step);
  damping_of_cables(prism, settings.number("eq3_damping"), out, step);
  demands(prism, out, step);
  comparisons(out);
  identification(prism, out, step);
}

}  // namespace

Study savin() {
  std::vector<std::string_view> integrators;
  for (const IntegratorKind& kind : integrator_kinds()) integrators.push_back(kind.name);
  return {"savin",
          "A 3-prism let go from tilted rods: strains, working range, equilibrium",
          "Savin, Vorochaeva, Kurenkov (2020): Mathematical modelling of tensegrity robots with rigid rods. Computer "
          "Research and Modeling 12(4), 821-830",
          {{"length", 0.45, "m, of a rod"},
           {"radius", 0.0375, "m, of the rods' centres", Check::not_negative},
           {"rest_length", 0.2, "m, of a cable"},
           {"stiffness", 10.0, "N/m, of a cable"},
           {"mass", 1.0, "kg, of a rod"},
           {"inertia", 1.0, "kg m², of a rod, transverse"},
           {"drag", 20.0, "N s/m, on the centre of a rod", Check::not_negative},
           {"turning_drag", 20.0, "N m s, on the rotation of a rod", Check::not_negative},
           {"cable_damping", 0.0, "N s/m, of a cable", Check::not_negative},
           {"damping_model",
            0.0,
            "of the cables: along them, or the vector of eq. (3) as printed",
            Check::any,
            "axial",
            {"axial", "vector"}},
           {"eq3_damping", 2.0, "N s/m, of the comparison with eq. (3) as printed"},
           {"duration", 5.0, "s"},
           {"tolerance", 1e-11, "of the integrator"},
           {"formulation", 0.0, "of the motion", Check::any, "quaternion", {"nodal", "minimal", "quaternion"}},
           {"integrator", 0.0, "of the motion", Check::any, "dopri5", std::move(integrators)}},
          16,
          run,
          "Savin et al. (2020)"};
}

}  // namespace taut::reproduce
