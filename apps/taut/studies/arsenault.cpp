// Arsenault and Gosselin (2005): the spatial mechanism with three driven knees; equilibria, imposed motion,
// constraints, damping.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "apps/taut/studies/motion.h"
#include "apps/taut/studies/study.h"
#include "taut/generators/generators.h"
#include "taut/model/build.h"
#include "taut/modes/linearise.h"

namespace taut::reproduce {
namespace {

using Angles = std::array<double, 3>;  // degrees

constexpr double degree = std::numbers::pi / 180.0;

// From knees at `from` to knees at `to`; in the equilibrium of `from`.
Scenario mechanism(const Settings& s, const Angles& from, const Angles& to, double joint_damping = 0.0) {
  Parameters more = {{"joint_damping", joint_damping}};
  for (const char* key : {"mass", "stiffness", "damping", "side", "strut_length"}) more[key] = s.number(key);
  for (std::size_t i = 0; i < 3; ++i) {
    more[fmt::format("from_{}", i + 1)] = from[i];
    more[fmt::format("to_{}", i + 1)] = to[i];
  }
  Scenario scenario = generate(*find_generator("three_dof_mechanism"), more);
  scenario.simulation.duration = 10.0;
  scenario.simulation.output_step = 0.05;
  scenario.simulation.integrator = "dopri5";
  scenario.simulation.tolerance = s.number("tolerance");
  return scenario;
}

// Nodes come leg by leg: a, b, c.
Vec3 end_effector(const RunRow& row) { return (position(row, 2) + position(row, 5) + position(row, 8)) / 3.0; }

// "torque" or "angle" of a knee.
double of_knee(const Scenario& scenario, const RunRow& row, std::size_t leg, const char* what) {
  const std::vector<std::string> names = joint_columns(scenario.model);
  const auto found = std::find(names.begin(), names.end(), fmt::format("knee{}.{}", leg + 1, what));
  return row.joints[static_cast<std::size_t>(found - names.begin())];
}

double torque(const Scenario& scenario, const RunRow& row, std::size_t leg) {
  return of_knee(scenario, row, leg, "torque");
}

// The same at rest in the equilibrium of `at`, its knees free under constant torques.
Scenario torque_driven(const Settings& s, const Angles& at, const std::vector<double>& torques) {
  Scenario scenario = mechanism(s, at, at);
  std::vector<JointDrive> imposed;
  std::swap(imposed, scenario.model.drives);
  for (std::size_t i = 0; i < imposed.size(); ++i)
    drive_torque(scenario.model, imposed[i].joint, constant_signal(torques[i]));
  scenario.simulation.output_step = 0.01;
  return scenario;
}

// What an equilibrium tells: torques of the knees, the force along each leg, the cables' tension.
struct Equilibrium {
  std::vector<double> x, tau, f, tension;
  std::vector<double> tau_formula, f_formula;  // (39) and 2Kρ
  double net = 0.0;                            // largest acceleration, m/s²
};

Equilibrium equilibrium(const Settings& s, const Angles& angles) {
  Scenario scenario = mechanism(s, angles, angles);
  scenario.simulation.duration = scenario.simulation.output_step;
  const Run motion = simulated(scenario, "equilibrium");
  const RunRow row = motion.front(), after = motion.back();
  Equilibrium e;
  const Vec3 x = end_effector(row);
  e.x = {x[0], x[1], x[2]};
  const double K = s.number("stiffness"), Ls = s.number("strut_length");
  for (std::size_t leg = 0; leg < 3; ++leg) {
    const int a = static_cast<int>(3 * leg);
    const double rho = (position(row, a + 2) - position(row, a)).norm(), half = std::sqrt(Ls * Ls - 0.25 * rho * rho);
    e.tau.push_back(torque(scenario, row, leg));
    e.f.push_back(e.tau.back() / half);  // the knee is `half` beside the line of the force
    e.tau_formula.push_back(K * rho * std::sqrt(4.0 * Ls * Ls - rho * rho));
    e.f_formula.push_back(2.0 * K * rho);
    e.tension.push_back(row.bar_forces[6 + leg]);
  }
  for (int i = 0; i < row.nodes.size(); ++i)
    e.net = std::max(e.net, std::abs(after.velocities(i) - row.velocities(i)) / (after.t - row.t));
  return e;
}

// The knee angles whose equilibrium is at x.
Angles angles_of(const Settings& s, const Vec3& x) {
  const double L = s.number("side"), Ls = s.number("strut_length");
  const std::array<Vec3, 3> a = {Vec3::Zero(), Vec3(L, 0.0, 0.0), Vec3(0.5 * L, 0.5 * std::numbers::sqrt3 * L, 0.0)};
  const Vec3 middle = (a[0] + a[1] + a[2]) / 3.0;
  Angles angles{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double rho = (x + middle - 2.0 * a[i]).norm();
    angles[i] = -2.0 * std::acos(rho / (2.0 * Ls)) / degree;
  }
  return angles;
}

// Of the oscillations and decays that are not zero: the slowest to die out.
std::complex<double> least_damped(const Scenario& scenario) {
  const Dynamics dynamics(scenario.model, "multibody", ConstraintMethod::projection);
  std::complex<double> least(-INFINITY, 0.0);
  const auto eigenvalues = linearise(dynamics, dynamics.start()).eigenvalues;
  const double scale = eigenvalues.cwiseAbs().maxCoeff();
  for (const std::complex<double>& value : eigenvalues)
    if (std::abs(value) > 1e-6 * scale && value.imag() >= 0.0 && value.real() > least.real()) least = value;
  return least;
}

void add_published(Findings& out, const std::string& name, std::vector<double> value, std::vector<double> published,
                   const std::string& unit, const std::string& note) {
  out.numbers.push_back({name, std::move(value), std::move(published), unit, note, true});
}

void equilibria(const Settings& s, const Angles& start, const Angles& end, Findings& out, const Step& step) {
  step("equilibria");
  const std::vector<double> printed_0 = {std::sqrt(2.0) / 4.0, std::sqrt(6.0) / 12.0, std::sqrt(30.0) / 3.0};
  const std::vector<double> printed_F = {1.0, std::sqrt(6.0) / 12.0, std::sqrt(30.0) / 3.0};
  const Equilibrium e0 = equilibrium(s, start), eF = equilibrium(s, end);
  add_published(out, "x_0", e0.x, printed_0, "m", "end-effector at ψ_0");
  add_published(out, "x_F", eF.x, printed_F, "m", "at the printed angles of ψ_F; -84.01 is a misprint for -84.00");
  const Angles exact = angles_of(s, Vec3(printed_F.data()));
  add_published(out, "psi_F_exact", {exact[0], exact[1], exact[2]}, {-70.55, -97.13, -84.01}, "deg",
                "the angles whose equilibrium is the printed x_F");
  add_published(out, "x_F_exact_angles", equilibrium(s, exact).x, printed_F, "m", "");
  add_published(out, "f_0", e0.f, e0.f_formula, "N", "force along each leg, from the computed torques");
  out.add_list("f_0_formula", e0.f_formula, "N", "the paper's 2 K ρ");
  add_published(out, "f_F", eF.f, eF.f_formula, "N", "");
  out.add_list("f_F_formula", eF.f_formula, "N", "");
  add_published(out, "tau_0", e0.tau, e0.tau_formula, "N m", "torques of the knees");
  out.add_list("tau_0_formula", e0.tau_formula, "N m", "the paper's eq. (39)");
  add_published(out, "tau_F", eF.tau, eF.tau_formula, "N m", "");
  out.add_list("tau_F_formula", eF.tau_formula, "N m", "");
  out.add_list("cable_tensions_0", e0.tension, "N", "K L each");
  out.add_list("cable_tensions_F", eF.tension, "N", "");
  out.add("equilibrium_acceleration", std::max(e0.net, eF.net), std::nullopt, "m/s²", "largest of a node in 0.05 s");
}

Series motion_of(const Run& motion, const std::string& file) {
  Series series{file, {}, {{"x", {}}, {"y", {}}, {"z", {}}}};
  for (const RunRow& row : motion) {
    series.x.push_back(row.t);
    const Vec3 x = end_effector(row);
    for (int i = 0; i < 3; ++i) series.columns[static_cast<std::size_t>(i)].y.push_back(x[i]);
  }
  return series;
}

// φ of (10), |C_iC_j|² - L², and its rate along a run.
void add_constraints(const Run& motion, double L, Findings& out) {
  Series phi{"constraints.csv", motion.t, {{"phi1", {}}, {"phi2", {}}, {"phi3", {}}}};
  Series rate{"constraint_rates.csv", motion.t, {{"phi1_rate", {}}, {"phi2_rate", {}}, {"phi3_rate", {}}}};
  double largest = 0.0, fastest = 0.0;
  for (const RunRow& row : motion)
    for (int i = 0; i < 3; ++i) {
      const int tip = 3 * i + 2, next = 3 * ((i + 1) % 3) + 2;
      const Vec3 b = position(row, next) - position(row, tip), b_rate = velocity(row, next) - velocity(row, tip);
      const double value = b.squaredNorm() - L * L, value_rate = 2.0 * b.dot(b_rate);
      phi.columns[static_cast<std::size_t>(i)].y.push_back(value);
      rate.columns[static_cast<std::size_t>(i)].y.push_back(value_rate);
      largest = std::max(largest, std::abs(value));
      fastest = std::max(fastest, std::abs(value_rate));
    }
  out.add("largest_constraint", largest, std::nullopt, "m²", "|φ|, ten corrections after each step");
  out.add("largest_constraint_rate", fastest, std::nullopt, "m²/s",
          "|dφ/dt|: here velocities are filtered after the corrections, not before");
  out.draw(phi, "constraints.svg", "Constraints over time (Figure 4)", "constraint, m²");
  out.draw(rate, "constraint_rates.svg", "Constraints at the velocity level", "rate of the constraint, m²/s");
  out.series.push_back(std::move(phi));
  out.series.push_back(std::move(rate));
}

void trajectory(const Settings& s, const Angles& start, const Angles& end, Findings& out, const Step& step) {
  step("imposed trajectory");
  const Scenario scenario = mechanism(s, start, end);
  const Run motion = simulated(scenario, "imposed trajectory");
  out.models.insert(out.models.begin(), {"mechanism.toml", scenario});
  out.runs.push_back(scene(motion, "imposed trajectory"));
  Series moved = motion_of(motion, "end_effector.csv");
  out.draw(moved, "end_effector.svg", "End-effector over time (Figure 3)", "position, m");
  Series drive{"torques.csv", moved.x, {{"tau1", {}}, {"tau2", {}}, {"tau3", {}}}};
  for (const RunRow& row : motion)
    for (std::size_t i = 0; i < 3; ++i) drive.columns[i].y.push_back(torque(scenario, row, i));
  out.draw(drive, "torques.svg", "Torques that drive the knees", "torque, N m");
  out.add("energy_drift", motion.summary.energy_drift, std::nullopt, "1", "relative");

  step("the same, a tenth of the tolerance");
  Scenario finer = scenario;
  finer.simulation.tolerance *= 0.1;
  const Series again = motion_of(simulated(finer, "imposed trajectory"), "");
  double change = 0.0;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < moved.x.size(); ++i)
      change = std::max(change, std::abs(again.columns[c].y[i] - moved.columns[c].y[i]));
  out.add("trajectory_change", change, std::nullopt, "m", "largest, with a tenth of the tolerance");

  step("velocity filtering and configuration corrections");
  Scenario corrected = scenario;
  corrected.simulation.corrections = static_cast<int>(s.number("corrections"));
  add_constraints(simulated(corrected, "corrections"), s.number("side"), out);
  for (Series* series : {&moved, &drive}) out.series.push_back(std::move(*series));
}

void damping(const Settings& s, const Angles& start, const Angles& end, Findings& out, const Step& step) {
  step("eigenvalues");
  const double dampers = s.number("joint_damping");
  const auto add = [&](const std::string& name, const std::complex<double>& value, const std::string& note) {
    out.add_list(name, {value.real(), value.imag()}, "1/s", note);
  };
  const std::complex<double> bare = least_damped(mechanism(s, end, end));
  add("least_damped_eigenvalue", bare, fmt::format("at ψ_F: damping ratio {:.3f}", -bare.real() / std::abs(bare)));
  add("least_damped_eigenvalue_0", least_damped(mechanism(s, start, start)), "at ψ_0");
  const std::complex<double> damped = least_damped(mechanism(s, end, end, dampers));
  add("least_damped_eigenvalue_with_dampers", damped,
      fmt::format("at ψ_F, {:g} N m s in the universal joints: damping ratio {:.3f}", dampers,
                  -damped.real() / std::abs(damped)));
  step("the remedy: rotational dampers");
  Series series = motion_of(simulated(mechanism(s, start, end, dampers), "dampers"), "end_effector_dampers.csv");
  out.draw(series, "end_effector_dampers.svg", "End-effector with dampers in the universal joints", "position, m");
  out.series.push_back(std::move(series));
}

// The largest real part of the eigenvalues: how fast the motion about an equilibrium under constant torques grows.
double growth(const Settings& s, const Angles& at) {
  const Scenario scenario = torque_driven(s, at, equilibrium(s, at).tau_formula);
  const Dynamics dynamics(scenario.model, "multibody", ConstraintMethod::projection);
  return linearise(dynamics, dynamics.start()).eigenvalues.real().maxCoeff();
}

// When the first knee has straightened, between two rows; nothing: it never does.
std::optional<double> straight_at(const Scenario& scenario, const Run& motion) {
  for (std::size_t i = 1; i < motion.rows(); ++i) {
    const double before = of_knee(scenario, motion[i - 1], 0, "angle"),
                 after = of_knee(scenario, motion[i], 0, "angle");
    if (after >= 0.0) return motion.t[i - 1] + (motion.t[i] - motion.t[i - 1]) * before / (before - after);
  }
  return std::nullopt;
}

// Torques instead of motions: those of the equilibrium hold it; a little more on one knee, and it collapses.
void collapse(const Settings& s, const Angles& start, const Angles& end, Findings& out, const Step& step) {
  step("constant torques");
  std::vector<double> torques = equilibrium(s, start).tau_formula;
  const Scenario held = torque_driven(s, start, torques);
  const Run still = simulated(held, "constant torques");
  double moved = 0.0;
  for (const RunRow& row : still) moved = std::max(moved, (end_effector(row) - end_effector(still.front())).norm());
  out.add("torque_hold", moved, std::nullopt, "m",
          fmt::format("largest move of the end-effector in {:g} s under {:g}, {:g} and {:g} N m, eq. (39)",
                      held.simulation.duration, torques[0], torques[1], torques[2]));

  step("constant torques, more on one knee");
  torques[0] += s.number("extra_torque");
  Scenario more = torque_driven(s, start, torques);
  more.simulation.duration = s.number("collapse_time");
  const Run falling = simulated(more, "more torque");
  out.add("collapse_knee_straight", straight_at(more, falling), std::nullopt, "s",
          fmt::format("with {:g} N m more on knee 1, above the most that any equilibrium takes: it straightens and "
                      "folds over",
                      s.number("extra_torque")));
  out.add("collapse_height", end_effector(falling.back()).z() / end_effector(falling.front()).z(), std::nullopt, "1",
          fmt::format("of the end-effector at {:g} s, over that at the start", falling.t.back()));
  const double K = s.number("stiffness"), Ls = s.number("strut_length");
  out.add("torque_limit", 2.0 * K * Ls * Ls, std::nullopt, "N m", "the most of (39), at ρ = √2 L_s, a knee of 90°");
  out.add("torque_growth_0", growth(s, start), std::nullopt, "1/s",
          "fastest growth at ψ_0 under constant torques: none to first order, (40) is 0");
  out.add("torque_growth_F", growth(s, end), std::nullopt, "1/s", "at ψ_F, where (40) is negative for two knees");

  Series series = motion_of(falling, "collapse.csv");
  for (std::size_t leg = 0; leg < 3; ++leg) {
    Curve knee{fmt::format("knee{}", leg + 1), {}};
    for (const RunRow& row : falling) knee.y.push_back(of_knee(more, row, leg, "angle") / degree);
    series.columns.push_back(std::move(knee));
  }
  out.draw(Series{"", series.x, {series.columns.begin(), series.columns.begin() + 3}}, "collapse.svg",
           "End-effector under constant torques, more on one knee", "position, m");
  out.draw(Series{"", series.x, {series.columns.begin() + 3, series.columns.end()}}, "collapse_knees.svg",
           "Knees under constant torques, more on one knee", "angle, deg");
  out.series.push_back(std::move(series));
  out.models.push_back({"torque_hold.toml", held});
  out.models.push_back({"torque_collapse.toml", more});
  out.runs.push_back(scene(falling, "constant torques, more on one knee"));
}

// The rows of the table of all papers.
void comparisons(const Settings& s, Findings& out) {
  out.compare("x_0", "end-effector at ψ_0", "");
  out.compare("x_F", "end-effector at the printed ψ_F", "");
  out.compare("psi_F_exact", "angles whose equilibrium is the printed x_F", "");
  out.compare("x_F_exact_angles", "end-effector at these angles", "");
  for (const auto& [at, psi] : {std::pair("0", "ψ_0"), std::pair("F", "ψ_F")}) {
    out.compare(fmt::format("f_{}", at), fmt::format("force along each leg at {}", psi), "", "2 K ρ =");
    out.compare(fmt::format("tau_{}", at), fmt::format("torques of the knees at {} (39)", psi), "",
                "K ρ √(4 L_s² - ρ²) =");
    out.compare(fmt::format("cable_tensions_{}", at), fmt::format("tensions of the cables at {}", psi), "",
                fmt::format("not printed; K L = {:g} by balance", s.number("stiffness") * s.number("side")));
  }
  out.compare("largest_constraint", "largest constraint φ (Figure 4)", "integrator and step", "of the order of 1e-15",
              {.rounding = 1e-14});
  out.compare("largest_constraint_rate", "largest rate of φ", "integrator and step; filtered after the corrections",
              "of the order of 1e-5");
  const std::string drive = "the torques of (39), and how they change: the paper says it in words only";
  out.compare("torque_limit", "most torque that an equilibrium takes (39), (40)", "", "where θ = π/2");
  out.compare("torque_hold", "move of the end-effector under the torques of (39), ψ_0", drive, "equilibrium",
              {.rounding = 1e-9});
  out.compare("collapse_height",
              fmt::format("height of the end-effector over that at the start, {:g} s under {:g} N m more on one knee",
                          s.number("collapse_time"), s.number("extra_torque")),
              drive, "usually an eventual collapse");
}

void run(const Settings& s, Findings& out, const Step& step) {
  const Angles start = {s.number("from_1"), s.number("from_2"), s.number("from_3")};
  const Angles end = {s.number("to_1"), s.number("to_2"), s.number("to_3")};
  equilibria(s, start, end, out, step);
  trajectory(s, start, end, out, step);
  damping(s, start, end, out, step);
  collapse(s, start, end, out, step);
  out.assumptions = {
      "Springs A_iA_j and A_iC_j (i ≠ j) of no free length, damped along their axis; no gravity.",
      "Integrator and step are not printed: dopri5, restarted at t = 1 and 3 s where the acceleration of the knees "
      "jumps.",
      "Strength of the rotational dampers is not printed: --set joint_damping=...",
      "The collapse under torques is described in words only: here the torques of (39) at ψ_0, and more on one knee. "
      "dτ/dρ of (40) has the sign of 2 L_s² - ρ²; at ψ_0 it is 0, and no equilibrium takes more than 2 K L_s²."};
  comparisons(s, out);
}

}  // namespace

Study arsenault() {
  return {"arsenault",
          "A spatial tensegrity mechanism with three driven knees: equilibria, imposed motion, damping",
          "Arsenault and Gosselin (2005): Dynamic Simulation of a Spatial 3-DOF Tensegrity Mechanism",
          {{"strut_length", std::numbers::sqrt2, "m"},
           {"side", std::numbers::sqrt2 / 2.0, "m, of the triangle of cables"},
           {"mass", 2.5, "kg, of each rod"},
           {"stiffness", 1000.0, "N/m, of the springs"},
           {"damping", 100.0, "N s/m, of the springs", Check::not_negative},
           {"from_1", -90.0, "deg, knees at ψ_0", Check::any},
           {"from_2", -90.0, "deg", Check::any},
           {"from_3", -90.0, "deg", Check::any},
           {"to_1", -70.55, "deg, knees at ψ_F", Check::any},
           {"to_2", -97.13, "deg", Check::any},
           {"to_3", -84.01, "deg", Check::any},
           {"joint_damping", 50.0, "N m s, of the dampers that the authors suggest", Check::not_negative},
           {"extra_torque", 10.0, "N m, on the first knee, that brings the mechanism down", Check::any},
           {"collapse_time", 2.0, "s, of that motion"},
           {"corrections", 10.0, "of the configuration after each step"},
           {"tolerance", 1e-12, "of the integrator"}},
          8,
          run,
          "Arsenault and Gosselin (2005)"};
}

}  // namespace taut::reproduce
