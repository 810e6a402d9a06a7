#include "apps/taut/studies/sixbar_roll.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/taut/studies/motion.h"
#include "taut/modes/linearise.h"

namespace taut::reproduce {
namespace {

// The robot lands, comes to rest, and rolls by winding all of its 24 cables.
Scenario rolling_robot(const Settings& s) {
  Scenario scenario = robot(s, {{"spin_x", 0.4}});
  scenario.model.name = "six-bar robot, rolling with 24 cables";
  for (Cable& cable : scenario.model.cables) cable.law.damping = s.number("roll_damping");
  scenario.model.gravity = {0.0, 0.0, -9.81};
  Ground& ground = scenario.model.ground.emplace();
  ground.height = -0.52 * s.number("length");
  ground.stiffness = 1e4;
  ground.damping = 1e2;
  ground.friction = 0.8;
  ground.slip_speed = 0.03;
  ControllerSpec roller;
  roller.name = "roller";
  roller.start = 1.0;
  roller.roll.policy = RollPolicy::all_cables;
  roller.roll.direction = {1.0, 0.0};
  roller.roll.speed = s.number("speed");
  scenario.model.controllers.push_back(roller);
  scenario.simulation.tolerance = 1e-7;
  scenario.simulation.duration = s.number("roll_duration");
  scenario.simulation.output_step = 0.01;
  return scenario;
}

// Fig. 3.5: velocity of the centre and angular velocity ω = b × ḃ / L² of every rod, component by component. Returns the
// largest difference of the kinetic energy that they make from that of the formulation, over the largest of the run.
double rod_velocities(const Run& motion, Findings& out) {
  constexpr std::array<const char*, 6> parts = {"vx", "vy", "vz", "wx", "wy", "wz"};
  const std::vector<Bar>& bars = motion.scenario.model.bars;
  Series all{"rod_velocities.csv", {}, {}};
  std::array<Series, 6> drawn;
  for (std::size_t i = 0; i < bars.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) {
      all.columns.push_back({fmt::format("rod{}.{}", i + 1, parts[k]), {}});
      drawn[k].columns.push_back({fmt::format("rod {}", i + 1), {}});
    }
  double fastest = 0.0, quickest = 0.0, error = 0.0, scale = 0.0;
  for (const RunRow& row : motion) {
    all.x.push_back(row.t);
    double energy = 0.0;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const Bar& bar = bars[i];
      const Vec3 b = position(row, bar.b) - position(row, bar.a), rate = velocity(row, bar.b) - velocity(row, bar.a);
      const Vec3 v = 0.5 * (velocity(row, bar.a) + velocity(row, bar.b)), w = b.cross(rate) / b.squaredNorm();
      for (std::size_t k = 0; k < 6; ++k) {
        const double value = k < 3 ? v[static_cast<int>(k)] : w[static_cast<int>(k - 3)];
        all.columns[6 * i + k].y.push_back(value);
        drawn[k].columns[i].y.push_back(value);
      }
      fastest = std::max(fastest, v.norm());
      quickest = std::max(quickest, w.norm());
      energy += 0.5 * bar.mass * v.squaredNorm() + 0.5 * bar.inertia * w.squaredNorm();
    }
    error = std::max(error, std::abs(energy - row.energy[kinetic]));
    scale = std::max(scale, row.energy[kinetic]);
  }
  out.add("roll_fastest_rod", fastest, std::nullopt, "m/s", "largest speed of a centre");
  out.add("roll_quickest_rod", quickest, std::nullopt, "rad/s", "largest angular speed");
  for (std::size_t k = 0; k < 6; ++k) {
    drawn[k].x = all.x;
    const char axis = "xyz"[k % 3];
    out.draw(drawn[k], fmt::format("figure_3_5_{}.svg", parts[k]),
             fmt::format("{} {} of all rods (Fig. 3.5)", k < 3 ? "Velocity" : "Angular velocity", axis),
             k < 3 ? fmt::format("velocity {}, m/s", axis) : fmt::format("angular velocity {}, rad/s", axis));
  }
  out.series.push_back(std::move(all));
  return error / scale;
}

// The robot as it is in a row of a run, without what drives it.
Model at_row(const Model& model, const RunRow& row) {
  Model now = model;
  now.controllers.clear();
  for (std::size_t i = 0; i < now.nodes.size(); ++i) {
    now.nodes[i].position = position(row, static_cast<int>(i));
    now.nodes[i].velocity = velocity(row, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < now.cables.size(); ++i) now.cables[i].rest_length = row.rest_lengths[i];
  return now;
}

// §3.5: linear models about the states along the trajectory, each of which foretells the next row: with the rates f at
// the state and the rest lengths wound evenly by δu, ẋ = f + A δx + B δu t/h.
void linearised_along(const Run& motion, Findings& out) {
  Series series{"linearised_along.csv", {}, {{"fastest growth", {}}, {"error of the forecast", {}}}};
  const auto rates = [](const Dynamics& dynamics, const State& state) {
    Terms terms = dynamics.make_terms();
    Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size());
    dynamics.recall(state, terms);
    dynamics.rhs(state.t, state.y.data(), rate.data(), terms);
    return Eigen::VectorXd(rate.head(state.nq + state.nv));
  };
  for (std::size_t row = 0; row + 1 < motion.rows(); row += 20) {
    const Model now = at_row(motion.scenario.model, motion[row]), then = at_row(motion.scenario.model, motion[row + 1]);
    const Dynamics here(now, "nodal", ConstraintMethod::projection), there(then, "nodal", ConstraintMethod::projection);
    const State from = here.start(), to = there.start();
    const LinearModel linear = linearise(here, from);
    const long n = from.nq + from.nv;
    const Eigen::VectorXd moved =
        Eigen::Map<const Eigen::VectorXd>(to.y.data(), n) - Eigen::Map<const Eigen::VectorXd>(from.y.data(), n);
    Eigen::VectorXd wound(static_cast<long>(now.cables.size()));
    for (long i = 0; i < wound.size(); ++i) wound[i] = then.cables[i].rest_length - now.cables[i].rest_length;
    LinearModel forecast;
    forecast.A = linear.A;
    forecast.B = rates(here, from) + 0.5 * linear.B * wound;
    const double h = motion.t[row + 1] - motion.t[row];
    const Eigen::VectorXd foretold = discretise(forecast, Discretisation::exact, h).Bd;
    series.x.push_back(motion.t[row]);
    series.columns[0].y.push_back(linear.eigenvalues.real().maxCoeff());
    series.columns[1].y.push_back((moved - foretold).tail(from.nv).norm() / moved.tail(from.nv).norm());
  }
  std::vector<double> errors = series.columns[1].y;
  std::sort(errors.begin(), errors.end());
  out.add("linearised_along_error", errors[errors.size() / 2], std::nullopt, "1",
          "of the change of all velocities over 10 ms, as a linear model every fifth of a second foretells it: median");
  out.draw(Series{"", series.x, {series.columns[0]}}, "linearised_along.svg",
           "Linear model along the roll: fastest growth", "real part of an eigenvalue, 1/s");
  out.series.push_back(std::move(series));
}

}  // namespace

Scenario robot(const Settings& s, Parameters more) {
  for (const char* key : {"length", "mass", "stiffness", "pretension"}) more[key] = s.number(key);
  Scenario scenario = generate(*find_generator("six_bar"), more);
  scenario.simulation.integrator = "dopri5";
  return scenario;
}

void roll(const Settings& s, Findings& out, const Step& step) {
  step("roll");
  const Scenario scenario = rolling_robot(s);
  const Run motion = simulated(scenario, "roll");
  out.models.insert(out.models.begin(), {"roll.toml", scenario});
  out.runs.push_back(scene(motion, "rolling"));
  const auto centre = [&](const RunRow& row) {
    Vec3 sum = Vec3::Zero();
    for (int node = 0; node < 12; ++node) sum += position(row, node) / 12.0;
    return sum;
  };
  out.add("roll_distance", (centre(motion.back()) - centre(motion.front())).head<2>().norm(), std::nullopt, "m",
          "of the centre of mass over the ground");
  out.add("roll_faces", static_cast<double>(motion.summary.control_events.size()), std::nullopt, "1",
          "on which the robot has come to rest, the first included");
  out.add("roll_kinetic_energy_difference", rod_velocities(motion, out), std::nullopt, "1",
          "from the rods' velocities in the table against that of the formulation");
  out.add("roll_energy_drift", motion.summary.energy_drift, std::nullopt, "1", "relative, largest of the run");
  step("linear models along the roll");
  linearised_along(motion, out);
}

}  // namespace taut::reproduce
