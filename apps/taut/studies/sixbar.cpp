// The Berkeley chapter: the standard six-bar robot, its neutral pose, small and large motions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/taut/studies/motion.h"
#include "apps/taut/studies/sixbar_roll.h"
#include "taut/equilibrium/balance.h"
#include "taut/form/relax.h"
#include "taut/generators/generators.h"
#include "taut/integrate/integrator.h"
#include "taut/modes/linearise.h"

namespace taut::reproduce {
namespace {

Scenario dumbbells(Scenario scenario) {
  for (Bar& bar : scenario.model.bars) bar.inertia = 0.25 * bar.mass * bar.rest_length * bar.rest_length;
  return scenario;
}

// Rods come in parallel pairs: 0 and 1, 2 and 3, 4 and 5.
std::vector<double> pair_distances(const Model& model) {
  std::vector<double> distances;
  for (int pair = 0; pair < 3; ++pair) {
    const Bar &first = model.bars[2 * pair], &second = model.bars[2 * pair + 1];
    distances.push_back(0.5 * (model.nodes[first.a].position + model.nodes[first.b].position -
                               model.nodes[second.a].position - model.nodes[second.b].position)
                                  .norm());
  }
  return distances;
}

double largest_error(const std::vector<double>& values, double expected) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value - expected));
  return largest;
}

std::vector<double> cable_lengths(const Model& model) {
  std::vector<double> lengths;
  for (const Cable& cable : model.cables) lengths.push_back(start_length(model, cable));
  return lengths;
}

void neutral_pose(const Settings& s, Findings& out, const Step& step) {
  step("neutral pose");
  const Scenario scenario = robot(s);
  const Model& model = scenario.model;
  const double L = s.number("length"), T = s.number("pretension"), cable = std::sqrt(0.375) * L;
  const Balance balance = start_balance(model);
  out.models.push_back({"six_bar.toml", scenario});
  out.add("nodes", static_cast<double>(model.nodes.size()), 12.0, "1");
  out.add("cables", static_cast<double>(model.cables.size()), 24.0, "1");
  out.add("pair_distance", pair_distances(model).front(), std::nullopt, "m", "of parallel rods: L/2");
  out.add("cable_length", cable_lengths(model).front(), std::nullopt, "m", "sqrt(3/8) L");
  out.add("imbalance", balance.imbalance, std::nullopt, "1", "largest net node force over mean member force");
  out.add("bar_compression", -balance.bar_force.front(), std::nullopt, "N", "sqrt(6) T; from the balance of forces");
  out.add("bar_compression_closed_form", T * std::sqrt(6.0), std::nullopt, "N", "");

  step("settling from the regular icosahedron");
  Scenario icosahedron = scenario;
  icosahedron.model.name = "six-bar robot, regular icosahedron";
  for (Node& node : icosahedron.model.nodes)
    for (double& x : node.position)
      if (std::abs(x) > 0.0 && std::abs(x) < 0.3 * L) x = std::copysign(0.5 * L / std::numbers::phi, x);
  for (Cable& c : icosahedron.model.cables)
    c.rest_length = rest_length_for_tension(c.law, start_length(icosahedron.model, c), T);
  RelaxOptions options;
  options.tolerance = 1e-12;
  const RelaxResult settled = relax(icosahedron.model, options);
  out.models.push_back({"icosahedron.toml", icosahedron});
  out.add("settled_imbalance", settled.residual, std::nullopt, "1", "kinetic damping, started as the chapter does");
  out.add("settled_pair_error", largest_error(pair_distances(settled.model), 0.5 * L), std::nullopt, "m",
          "largest difference from L/2");
  out.add("settled_cable_error", largest_error(cable_lengths(settled.model), cable), std::nullopt, "m",
          "largest difference from sqrt(3/8) L");
  out.add("settled_peaks", static_cast<double>(settled.peaks), std::nullopt, "1",
          "of kinetic energy, velocities set to zero");
  out.add("settled_largest_move", settled.largest_move, std::nullopt, "m", "L (1/(2 phi) - 1/4)");
}

std::vector<double> frequencies_of(const Model& model, const char* formulation) {
  const Dynamics dynamics(model, formulation, ConstraintMethod::projection);
  return frequencies(linearise(dynamics, dynamics.start()).eigenvalues);
}

// Infinity where the numbers of frequencies differ.
double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] / b[i] - 1.0));
  return largest;
}

void small_motions(const Settings& s, Findings& out, const Step& step) {
  step("linear models");
  const Model model = robot(s).model, dumbbell = dumbbells(robot(s)).model;
  const std::vector<double> nodal = frequencies_of(model, "nodal");
  const double T = s.number("pretension"), cable = std::sqrt(0.375) * s.number("length");
  out.add("lowest_frequency", nodal.empty() ? std::nullopt : std::optional(nodal.front()), std::nullopt, "Hz",
          "nodal, linearised about the neutral pose");
  out.add("lowest_frequency_closed_form", std::sqrt(8.0 * T / (s.number("mass") * cable)) / (2.0 * std::numbers::pi),
          std::nullopt, "Hz", "sqrt(8 T/(m s))/2 pi, s the length of a cable");
  out.add_list("frequencies", nodal, "Hz", "all of the neutral pose, nodal");
  for (const char* formulation : {"minimal", "quaternion"})
    out.add(fmt::format("frequencies_{}_difference", formulation),
            relative_difference(frequencies_of(model, formulation), nodal), std::nullopt, "1",
            "largest, relative to nodal");
  const std::vector<double> lumped = frequencies_of(dumbbell, "point_mass");
  out.add_list("frequencies_dumbbell", lumped, "Hz", "inertia m L^2/4, point_mass");
  out.add("frequencies_point_mass_difference", relative_difference(lumped, frequencies_of(dumbbell, "nodal")),
          std::nullopt, "1", "dumbbells: largest, relative to nodal");

  const Dynamics points(dumbbell, "point_mass", ConstraintMethod::baumgarte);
  const LinearModel whole = linearise(points, points.start(), {true, true});
  out.add("linear_states", static_cast<double>(whole.A.rows()), 102.0, "1",
          "point_mass, lengths of cables and rods as states");
  out.add("point_mass_positions", points.formulation().facts().nq, 36.0, "1", "of the rods' ends");
  out.add("linear_inputs", static_cast<double>(whole.B.cols()), std::nullopt, "1", "24 cables and 6 rods");
  out.add("minimal_velocities", Dynamics(model, "minimal", ConstraintMethod::projection).formulation().facts().nv, 30.0,
          "1", "Fig. 3.5");
}

// §3.3.4 bounds φ near the poles and asks what that does to the Jacobian: the norm of one rod's own block while it is
// turned about its centre from pole to pole, at 45° of azimuth, in one chart, without and with the bound.
void bounded_jacobian(const Settings& s, Findings& out, const Step& step) {
  step("Jacobian near the poles");
  const Model model = robot(s).model;
  const auto norm = [&](const char* formulation, double degrees) {
    const Dynamics dynamics(model, formulation, ConstraintMethod::projection);
    State state = dynamics.start();
    state.q()[3] = 0.25 * std::numbers::pi;
    state.q()[4] = degrees * std::numbers::pi / 180.0;
    state.q()[5] = 0.0;  // the chart with its poles on the z axis
    state.v()[3] = state.v()[4] = s.number("turning");
    const LinearModel linear = linearise(dynamics, state);
    std::vector<int> own;
    for (std::size_t i = 0; i < linear.states.size(); ++i)
      if (linear.states[i].starts_with(model.bars.front().name + ".")) own.push_back(static_cast<int>(i));
    return linear.A(own, own).norm();
  };
  Series norms{"jacobian_norm.csv", {}, {{"without_bound", {}}, {"with_bound", {}}}, "phi"};
  Series drawn{"", {}, {{"without the bound", {}}, {"with the bound", {}}}, "phi"};
  // Near the poles by factors, between them by steps of 2 degrees.
  for (double phi = 0.1; phi < 2.0; phi *= 1.2) norms.x.push_back(phi);
  for (double phi = 2.0; phi <= 90.0; phi += phi < 8.0 ? 0.5 : 2.0) norms.x.push_back(phi);
  for (std::size_t i = norms.x.size() - 1; i-- > 0;) norms.x.push_back(180.0 - norms.x[i]);
  for (const double phi : norms.x)
    for (const std::size_t bounded : {0u, 1u}) {
      norms.columns[bounded].y.push_back(norm(bounded ? "minimal_bounded" : "minimal", phi));
      drawn.columns[bounded].y.push_back(std::log10(norms.columns[bounded].y.back()));
    }
  drawn.x = norms.x;
  for (const double phi : {3.0, 1.0, 0.2})
    for (const bool bounded : {false, true})
      out.add(fmt::format("jacobian_norm_{}_{:g}_deg", bounded ? "bounded" : "free", phi),
              norm(bounded ? "minimal_bounded" : "minimal", phi), std::nullopt, "SI",
              bounded ? "phi kept 0.08 rad from the poles" : "grows with 1/phi^2");
  Figure& figure = out.draw(drawn, "jacobian_norm.svg", "Jacobian of the minimal coordinates near the poles (3.3.4)",
                            "log10 of the Frobenius norm, SI units");
  figure.plot.x_label = "polar angle of one rod, deg";
  out.series.push_back(std::move(norms));
}

void free_flight(const Settings& s, Findings& out, const Step& step) {
  Scenario flight = robot(s, {{"spin_x", 1.0}, {"spin_y", 0.7}, {"spin_z", 0.4}, {"velocity_x", 0.3}});
  flight.model.name = "six-bar robot, free flight";
  flight.model.cables.front().rest_length -= 0.05 * s.number("length");
  flight.simulation.formulation = "all";
  flight.simulation.duration = 2.0;
  flight.simulation.tolerance = s.number("tolerance");
  out.models.push_back({"free_flight.toml", flight});
  for (const bool lumped : {false, true}) {
    step(lumped ? "free flight, dumbbells" : "free flight");
    const Summary summary = simulated(lumped ? dumbbells(flight) : flight, "free flight").summary;
    for (const FormulationRun& run : summary.formulations)
      if (run.name != summary.formulation && run.refused.empty())
        out.add(fmt::format("flight_{}{}_difference", lumped ? "dumbbell_" : "", run.name), run.difference,
                std::nullopt, "m", fmt::format("largest distance of a node from {}, 2 s", summary.formulation));
    out.add(lumped ? "flight_dumbbell_energy_drift" : "flight_energy_drift", summary.energy_drift, std::nullopt, "1",
            "relative, nodal");
  }
}

Scenario on_ground(const Settings& s, const Parameters& more) {
  Scenario scenario = robot(s, more);
  for (Cable& cable : scenario.model.cables) cable.law.damping = s.number("damping");
  scenario.model.gravity = {0.0, 0.0, -9.81};
  Ground& ground = scenario.model.ground.emplace();
  ground.law = PressKind::smooth;
  ground.stiffness = s.number("ground_stiffness");
  ground.damping = s.number("ground_damping");
  ground.beta = s.number("beta");
  ground.friction = s.number("friction");
  ground.slip_speed = 0.01;
  return scenario;
}

void drop(const Settings& s, Findings& out, const Step& step) {
  step("drop");
  Scenario scenario = on_ground(s, {{"velocity_x", 0.5}, {"spin_x", 0.4}, {"spin_y", 0.9}});
  scenario.model.name = "six-bar robot, dropped";
  scenario.model.ground->height = -0.5 * s.number("length") - s.number("height");
  scenario.simulation.duration = 1.0;
  scenario.simulation.tolerance = 1e-10;
  const Run motion = simulated(scenario, "drop");
  out.models.push_back({"drop.toml", scenario});
  Series energy{"drop_energy.csv",
                {},
                {{"kinetic", {}},
                 {"elastic", {}},
                 {"gravity", {}},
                 {"contact", {}},
                 {"dissipated", {}},
                 {"work", {}},
                 {"balance", {}}}};
  for (const RunRow& row : motion) {
    energy.x.push_back(row.t);
    for (int i = 0; i < energy_columns; ++i)
      energy.columns[static_cast<std::size_t>(i)].y.push_back(row.energy[static_cast<std::size_t>(i)]);
  }
  const auto stored = [](const RunRow& row) {
    return row.energy[kinetic] + row.energy[elastic] + row.energy[gravity] + row.energy[contact];
  };
  const double lost = stored(motion.front()) - stored(motion.back());
  out.add("drop_energy_lost", lost, std::nullopt, "J", "kinetic, elastic, of height and of contact, in 1 s");
  out.add("drop_dissipated", motion.back().energy[dissipated], std::nullopt, "J",
          "power of contact and cables, integrated along the run");
  out.add("drop_energy_drift", motion.summary.energy_drift, std::nullopt, "1", "relative, largest of the run");
  out.draw(energy, "drop_energy.svg", "Dropped six-bar: where the energy goes", "energy, J");
  out.series.push_back(std::move(energy));

  step("drop, other formulations");
  scenario.simulation.formulation = "all";
  scenario.simulation.duration = 0.5;
  out.add("drop_formulations_difference", simulated(scenario, "drop").summary.largest_difference, std::nullopt, "m",
          "largest distance of a node between formulations, 0.5 s");
}

// Fig. 3.4: the rectifier of a cable that cannot push, and softplus, which rounds it off.
void smooth_rectifier(Findings& out, const Step& step) {
  step("softplus");
  const std::vector<double> betas = {0.03, 0.1, 0.3};
  Series series{"softplus.csv", {}, {{"rectifier", {}}}, "alpha"};
  for (const double beta : betas) series.columns.push_back({fmt::format("beta = {:g} m", beta), {}});
  for (int i = -100; i <= 100; ++i) {
    const double alpha = 0.01 * i;
    series.x.push_back(alpha);
    series.columns[0].y.push_back(std::max(0.0, alpha));
    for (std::size_t k = 0; k < betas.size(); ++k) series.columns[k + 1].y.push_back(softplus(alpha, betas[k]));
  }
  for (std::size_t k = 0; k < betas.size(); ++k) {
    double most = 0.0;
    for (std::size_t i = 0; i < series.x.size(); ++i)
      most = std::max(most, series.columns[k + 1].y[i] - series.columns[0].y[i]);
    out.add(fmt::format("softplus_excess_{:g}", betas[k]), most, std::nullopt, "m", "over the rectifier: beta/2, at 0");
  }
  Figure& figure = out.draw(series, "figure_3_4.svg", "Rectifier and softplus (Fig. 3.4)", "softplus, m");
  figure.plot.x_label = "elongation, m";
  out.series.push_back(std::move(series));
}

void run(const Settings& settings, Findings& out, const Step& step) {
  out.assumptions = {
      "The chapter prints no masses, lengths, stiffness or pretension: 1 kg, 1 m, 500 N/m, 20 N.",
      "Its contact law (3.32) has no stiffness and can pull: a stiffness is added and pulling left out; friction, "
      "which it "
      "names and leaves out, is Coulomb's.",
      "The chapter calls the neutral pose an icosahedron: it is not the regular one, which is out of balance.",
      "Figure 3.5 shows a roll driven by 24 cables whose policy is not printed: here the controller \"roll\" with "
      "all_cables winds them."};
  neutral_pose(settings, out, step);
  small_motions(settings, out, step);
  bounded_jacobian(settings, out, step);
  smooth_rectifier(out, step);
  free_flight(settings, out, step);
  drop(settings, out, step);
  roll(settings, out, step);
  out.compare("nodes", "nodes", "");
  out.compare("cables", "cables", "");
  out.compare("point_mass_positions", "positions of the point masses", "");
  out.compare("linear_states", "states of the linear model (3.38)", "");
  out.compare("minimal_velocities", "velocities of the minimal coordinates (Fig. 3.5)", "");
}

}  // namespace

Study sixbar() {
  return {"sixbar",
          "The standard six-bar: neutral pose, frequencies, free flight, drop and roll",
          "Berkeley chapter: Tensegrity Dynamics and Simulation. Chapter 3 of a thesis from the Berkeley Emergent "
          "Space Tensegrities lab",
          {{"length", 1.0, "m, of a rod"},
           {"mass", 1.0, "kg, of a rod"},
           {"stiffness", 500.0, "N/m, of a cable"},
           {"pretension", 20.0, "N, of a cable"},
           {"turning", 0.5, "rad/s, of a rod where the Jacobian is looked at", Check::not_negative},
           {"tolerance", 1e-12, "of the integrator in free flight"},
           {"damping", 5.0, "N s/m, of a cable, on the ground", Check::not_negative},
           {"ground_stiffness", 2e4, "N/m"},
           {"ground_damping", 300.0, "N s/m", Check::not_negative},
           {"beta", 1e-3, "m, roundness of the ground's law"},
           {"friction", 0.5, "coefficient", Check::not_negative},
           {"height", 0.1, "m, of the drop"},
           {"speed", 0.6, "m/s, of the winches in the roll"},
           {"roll_damping", 20.0, "N s/m, of a cable, in the roll", Check::not_negative},
           {"roll_duration", 6.0, "s"}},
          11,
          run,
          "Berkeley chapter"};
}

}  // namespace taut::reproduce
