// Seed 001: the standard six-bar robot, its neutral pose, small and large motions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/taut/reproduce/motion.h"
#include "apps/taut/reproduce/study.h"
#include "taut/analysis/balance.h"
#include "taut/analysis/linearise.h"
#include "taut/analysis/relax.h"
#include "taut/integrate/integrator.h"
#include "taut/model/generators.h"

namespace taut::reproduce {
namespace {

Scenario robot(const Settings& s, Parameters more = {}) {
  for (const char* key : {"length", "mass", "stiffness", "pretension"}) more[key] = s.number(key);
  Scenario scenario = generate(*find_generator("six_bar"), more);
  scenario.simulation.integrator = "dopri5";
  return scenario;
}

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
  options.stop = &stop_asked();
  const RelaxResult settled = relax(icosahedron.model, options);
  out.models.push_back({"icosahedron.toml", icosahedron});
  out.add("settled_imbalance", settled.residual, std::nullopt, "1", "kinetic damping, started as the seed does");
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
  out.add("linear_inputs", static_cast<double>(whole.B.cols()), std::nullopt, "1", "24 cables and 6 rods");
  out.add("minimal_velocities", Dynamics(model, "minimal", ConstraintMethod::projection).formulation().velocities(),
          30.0, "1", "Fig. 3.5");
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
  const Motion motion = simulated(scenario, "drop");
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
  for (const Sample& row : motion.rows) {
    energy.x.push_back(row.t);
    for (int i = 0; i < energy_columns; ++i)
      energy.columns[static_cast<std::size_t>(i)].y.push_back(row.energy[static_cast<std::size_t>(i)]);
  }
  const auto stored = [](const Sample& row) {
    return row.energy[kinetic] + row.energy[elastic] + row.energy[gravity] + row.energy[contact];
  };
  const double lost = stored(motion.rows.front()) - stored(motion.rows.back());
  out.add("drop_energy_lost", lost, std::nullopt, "J", "kinetic, elastic, of height and of contact, in 1 s");
  out.add("drop_dissipated", motion.rows.back().energy[dissipated], std::nullopt, "J",
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

// Fig. 3.5: velocity of the centre and angular velocity ω = b × ḃ / L² of every rod.
void roll(const Settings& s, Findings& out, const Step& step) {
  step("roll");
  const double L = s.number("length"), speed = s.number("speed");
  Scenario scenario = on_ground(s, {{"velocity_x", speed}, {"spin_y", 2.0 * speed / L}});
  scenario.model.name = "six-bar robot, rolling";
  scenario.model.ground->height = -0.5 * L;
  scenario.simulation.integrator = "auto";
  scenario.simulation.tolerance = 1e-9;
  scenario.simulation.duration = 3.0;
  const Motion motion = simulated(scenario, "roll");
  out.models.insert(out.models.begin(), {"roll.toml", scenario});
  out.runs.push_back(scene(motion, "rolling"));

  Series all{"rod_velocities.csv", {}, {}}, linear{"", {}, {}}, angular{"", {}, {}};
  double fastest = 0.0, quickest = 0.0, energy_error = 0.0, energy_scale = 0.0;
  for (std::size_t i = 0; i < scenario.model.bars.size(); ++i) {
    for (const char* part : {"vx", "vy", "vz", "wx", "wy", "wz"})
      all.columns.push_back({fmt::format("rod{}.{}", i + 1, part), {}});
    linear.columns.push_back({fmt::format("rod {}", i + 1), {}});
    angular.columns.push_back({fmt::format("rod {}", i + 1), {}});
  }
  for (const Sample& row : motion.rows) {
    all.x.push_back(row.t);
    double energy = 0.0;
    for (std::size_t i = 0; i < scenario.model.bars.size(); ++i) {
      const Bar& bar = scenario.model.bars[i];
      const Vec3 b = position(row, bar.b) - position(row, bar.a), rate = velocity(row, bar.b) - velocity(row, bar.a);
      const Vec3 v = 0.5 * (velocity(row, bar.a) + velocity(row, bar.b)), w = b.cross(rate) / b.squaredNorm();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        all.columns[6 * i + axis].y.push_back(v[static_cast<int>(axis)]);
        all.columns[6 * i + 3 + axis].y.push_back(w[static_cast<int>(axis)]);
      }
      linear.columns[i].y.push_back(v.norm());
      angular.columns[i].y.push_back(w.norm());
      fastest = std::max(fastest, v.norm());
      quickest = std::max(quickest, w.norm());
      energy += 0.5 * bar.mass * v.squaredNorm() + 0.5 * bar.inertia * w.squaredNorm();
    }
    energy_error = std::max(energy_error, std::abs(energy - row.energy[kinetic]));
    energy_scale = std::max(energy_scale, row.energy[kinetic]);
  }
  linear.x = angular.x = all.x;
  const auto centre = [&](const Sample& row) {
    Vec3 sum = Vec3::Zero();
    for (int node = 0; node < 12; ++node) sum += position(row, node) / 12.0;
    return sum;
  };
  out.add("roll_distance", (centre(motion.rows.back()) - centre(motion.rows.front()))[0], std::nullopt, "m",
          "of the centre of mass along x, 3 s");
  out.add("roll_fastest_rod", fastest, std::nullopt, "m/s", "");
  out.add("roll_quickest_rod", quickest, std::nullopt, "rad/s", "");
  out.add("roll_kinetic_energy_difference", energy_error / energy_scale, std::nullopt, "1",
          "from the rods' velocities in the table against that of the formulation");
  out.add("roll_energy_drift", motion.summary.energy_drift, std::nullopt, "1", "relative, largest of the run");
  out.draw(linear, "figure_3_5_linear.svg", "Speeds of all rods (Fig. 3.5)", "speed, m/s");
  out.draw(angular, "figure_3_5_angular.svg", "Angular speeds of all rods (Fig. 3.5)", "angular speed, rad/s");
  out.series.push_back(std::move(all));
}

void run(const Settings& settings, Findings& out, const Step& step) {
  out.assumptions = {
      "The seed prints no masses, lengths, stiffness or pretension: 1 kg, 1 m, 500 N/m, 20 N.",
      "Its contact law (3.32) has no stiffness and can pull: a stiffness is added and pulling left out; friction, "
      "which it "
      "names and leaves out, is Coulomb's.",
      "The seed calls the neutral pose an icosahedron: it is not the regular one, which is out of balance.",
      "Figure 3.5 shows a roll driven by 24 cables whose policy is not printed: here the robot is rolled onto the "
      "ground by a "
      "throw without slip."};
  neutral_pose(settings, out, step);
  small_motions(settings, out, step);
  free_flight(settings, out, step);
  drop(settings, out, step);
  roll(settings, out, step);
}

}  // namespace

Study sixbar() {
  return {"sixbar",
          "The standard six-bar: neutral pose, frequencies, free flight, drop and roll",
          "seed 001: Tensegrity Dynamics and Simulation, chapter 3, Berkeley Emergent Space Tensegrities lab",
          {{"length", 1.0, "m, of a rod"},
           {"mass", 1.0, "kg, of a rod"},
           {"stiffness", 500.0, "N/m, of a cable"},
           {"pretension", 20.0, "N, of a cable"},
           {"tolerance", 1e-12, "of the integrator in free flight"},
           {"damping", 5.0, "N s/m, of a cable, on the ground", Check::not_negative},
           {"ground_stiffness", 2e4, "N/m"},
           {"ground_damping", 300.0, "N s/m", Check::not_negative},
           {"beta", 1e-3, "m, roundness of the ground's law"},
           {"friction", 0.5, "coefficient", Check::not_negative},
           {"height", 0.1, "m, of the drop"},
           {"speed", 1.5, "m/s, of the roll at first", Check::not_negative}},
          8,
          run};
}

}  // namespace taut::reproduce
