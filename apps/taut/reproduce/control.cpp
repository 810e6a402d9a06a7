// Seed 000, 5.3 and 5.4: near-rigid control of the single strut and of the manipulator, as printed and with feedback.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/taut/reproduce/control_machines.h"

namespace taut::reproduce {
namespace {

double largest(const std::vector<double>& a) {
  double most = 0.0;
  for (const double x : a) most = std::max(most, std::abs(x));
  return most;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return d;
}

// Columns [first, first + count) minus those that come `count` later.
Series deviations(const Series& series, std::size_t count) {
  Series result{"", series.x, {}};
  for (std::size_t k = 0; k < count; ++k)
    result.columns.push_back({series.columns[k].name, difference(series.columns[k].y, series.columns[count + k].y)});
  return result;
}

Series strains(const Series& series, std::size_t first, std::size_t count) {
  Series result{"", series.x, {}};
  for (std::size_t k = first; k < first + count; ++k) result.columns.push_back(series.columns[k]);
  return result;
}

// The least of some columns.
double least(const Series& series, std::size_t first, std::size_t count) {
  double low = INFINITY;
  for (std::size_t k = first; k < first + count; ++k)
    for (const double x : series.columns[k].y) low = std::min(low, x);
  return low;
}

// A run that did not get to its end is said; what it did until then counts.
void note_end(const Motion& motion, const std::string& name, double duration, Findings& out) {
  if (motion.summary.status != "done")
    out.add(name + ".ends_early", motion.summary.simulated_s, duration, "s", motion.summary.reason);
}

struct Case {
  const char* name;
  double modulus;   // Pa
  double phi, psi;  // published, rad
};
constexpr std::array<Case, 3> cases = {
    {{"E2e2", 2e8, 8.403e-3, 8.293e-3}, {"E2e3", 2e9, 1.080e-3, 8.105e-4}, {"E2e4", 2e10, 2.162e-4, 1.330e-4}}};

void steer_strut(const Settings& s, bool feedback, Findings& out, const Step& step) {
  Steering steering;
  steering.rate = s.number("rate");
  if (feedback) {
    steering.position_gain = s.number("position_gain");
    steering.velocity_gain = s.number("velocity_gain");
    steering.strain_gain = s.number("strain_gain");
  }
  for (const Case& c : cases) {
    step(fmt::format("single strut, {}{}", c.name, feedback ? ", with feedback" : ""));
    const Scenario scenario = strut(s, c.modulus, steering);
    const Motion motion = steered(scenario);
    const std::string file = fmt::format("single_strut_{}{}", c.name, feedback ? "_feedback" : "");
    Series series = strut_series(motion, file + ".csv");
    const std::string name = fmt::format("{}.{}", feedback ? "feedback" : "table_5_7", c.name);
    const auto printed = [&](double value) { return feedback ? std::nullopt : std::optional(value); };
    const Series off = deviations(series, 2);
    const double bound = scenario.model.pulleys[0].strain;
    out.add(name + ".phi", largest(off.columns[0].y), printed(c.phi), "rad", "largest deviation from the path");
    out.add(name + ".psi", largest(off.columns[1].y), printed(c.psi), "rad", "");
    out.add(name + ".least_commanded_strain", least(series, 7, 3) / bound, std::nullopt, "1", "over its bound");
    out.add(name + ".least_strain", least(series, 4, 3) / bound, std::nullopt, "1", "measured, over the bound");
    note_end(motion, name, strut_path().back().front(), out);
    out.draw(off, file + "_deviations.svg", fmt::format("Single strut, {}: deviations from the path", name), "rad");
    out.draw(strains(series, 4, 3), file + "_strains.svg", fmt::format("Single strut, {}: strains", name), "1");
    out.models.push_back({file + ".toml", scenario});
    if (!feedback && &c == &cases.front()) {
      out.runs.push_back(scene(motion, "single strut, " + name));
      out.draw(Series{"", series.x, {series.columns[2], series.columns[3]}}, "single_strut_path.svg",
               "Single strut: the path (figure 5.8)", "rad");
    }
    out.series.push_back(std::move(series));
  }
}

// The mean over the second half.
double late_mean(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  double mean = 0.0;
  for (std::size_t i = half; i < values.size(); ++i) mean += values[i] / static_cast<double>(values.size() - half);
  return mean;
}

// From the drawn shape, which is no equilibrium, to the one that the cables hold, about which it swings at the end.
Posture settle(const Settings& s, double height, const Steering& feedback, Findings& out, const Step& step) {
  step("manipulator, settling");
  const Knots hold = {{0.0, 0.0, 0.0, height}, {s.number("settling_time"), 0.0, 0.0, height}};
  const Motion motion = steered(manipulator(s, {}, hold, feedback));
  Series series = manipulator_series(motion, "manipulator_settling.csv");
  const Series off = deviations(series, 3);
  for (std::size_t k = 0; k < 3; ++k)
    out.add(fmt::format("manipulator.settling.{}", off.columns[k].name), largest(off.columns[k].y), std::nullopt, "m",
            "largest deviation while it settles");
  note_end(motion, "manipulator.settling", s.number("settling_time"), out);
  const std::vector<double> twist = twists(motion);
  Posture settled{late_mean(twist), {}};
  for (std::size_t k = 6; k < 12; ++k) settled.strains.push_back(late_mean(series.columns[k].y));
  out.add("manipulator.settling.twist", settled.twist, std::nullopt, "degrees",
          "mean over the second half; starts at 120");
  out.draw(off, "manipulator_settling.svg", "Manipulator: the end-effector while it settles (figure 5.12)", "m");
  series.columns.push_back({"twist", twist});
  out.draw(Series{"", series.x, {{"twist", twist}}}, "manipulator_twist.svg", "Manipulator: twist while it settles",
           "degrees");
  out.series.push_back(std::move(series));
  return settled;
}

void steer_manipulator(const Settings& s, const std::string& axis, const Knots& path, const Posture& start,
                       const Steering& steering, bool feedback, Findings& out, const Step& step) {
  step(fmt::format("manipulator along {}{}", axis, feedback ? ", with feedback" : ""));
  const Scenario scenario = manipulator(s, start, path, steering);
  const Motion motion = steered(scenario);
  const std::string file = fmt::format("manipulator_{}{}", axis, feedback ? "_feedback" : "");
  Series series = manipulator_series(motion, file + ".csv");
  const Series off = deviations(series, 3);
  double most = 0.0;
  std::vector<double> by_axis;
  for (const Curve& curve : off.columns) by_axis.push_back(largest(curve.y));
  for (std::size_t i = 0; i < series.x.size(); ++i)
    most = std::max(most, std::hypot(off.columns[0].y[i], off.columns[1].y[i], off.columns[2].y[i]));
  const std::string name = fmt::format("manipulator.{}{}", axis, feedback ? "" : ".feed_forward");
  out.add(name + ".max_deviation", most, std::nullopt, "m",
          feedback ? "of the end-effector from its path, with feedback" : "as printed, until the run ends");
  out.add_list(name + ".by_axis", by_axis, "m", "largest deviation along x, y, z");
  out.add(name + ".least_strain", least(series, 6, 6) / scenario.model.controllers[0].steer.strain[0].least,
          std::nullopt, "1", "measured, over the bound");
  note_end(motion, name, path.back().front(), out);
  out.draw(off, file + "_deviations.svg",
           fmt::format("Manipulator along {}{}: deviations", axis, feedback ? ", with feedback" : ", as printed"), "m");
  out.draw(strains(series, 6, 6), file + "_strains.svg",
           fmt::format("Manipulator along {}{}: strains", axis, feedback ? ", with feedback" : ", as printed"), "1");
  out.models.push_back({file + ".toml", scenario});
  out.series.push_back(std::move(series));
}

void manipulators(const Settings& s, Findings& out, const Step& step) {
  Steering feedback;
  feedback.rate = s.number("manipulator.rate");
  feedback.position_gain = s.number("manipulator.position_gain");
  feedback.velocity_gain = s.number("manipulator.velocity_gain");
  feedback.strain_gain = s.number("manipulator.strain_gain");
  feedback.free_gain = s.number("manipulator.free_gain");
  feedback.input_weight = s.number("manipulator.input_weight");
  const double side = 1.0 / std::sqrt(2.0), height = side * (1.0 + std::sqrt(2.0 / 3.0));
  out.add("manipulator.h0", height, std::nullopt, "m", "a (1 + √(2/3))");
  const Posture settled = settle(s, height, feedback, out, step);
  const std::pair<std::string, Knots> paths[] = {{"z", vertical_path(height)}, {"y", horizontal_path(height)}};
  for (const auto& [axis, path] : paths) {
    steer_manipulator(s, axis, path, settled, Steering{}, false, out, step);
    steer_manipulator(s, axis, path, settled, feedback, true, out, step);
  }

  // What no pulley can move or hold, to first order.
  for (const auto& [name, posture] : {std::pair("drawn", Posture{}), std::pair("settled", settled)}) {
    const Mechanism found = infinitesimal_mechanism(manipulator(s, posture, paths[0].second, feedback));
    out.add(fmt::format("manipulator.mechanism.{}.singular_value", name), found.ratio, std::nullopt, "1",
            "smallest over largest, of the pulleys' turns by the motions with rigid cables");
    out.add_list(fmt::format("manipulator.mechanism.{}.end_effector", name), found.direction, "1",
                 "where the motion that turns the pulleys least takes the end-effector: unit vector");
  }
}

void run(const Settings& s, Findings& out, const Step& step) {
  const std::string& part = s.word("part");
  if (part != "manipulator")
    for (const bool feedback : {false, true}) steer_strut(s, feedback, out, step);
  if (part != "strut") manipulators(s, out, step);
  out.assumptions = {
      "Gravity and the strut's viscosity are not printed, nor where its first block stands: none, 1 MPa s, on -x come "
      "nearest to Table 5.7, which prints m for rad.",
      "As the seed, torques follow from the measured state at every stage of the integrator, with neither hold nor "
      "feedback. Beside it: gains on position and velocity in the accelerations asked for, and strains that follow "
      "their commands.",
      "The manipulator settles under the feedback, from the drawn shape, and its paths begin at rest with the mean "
      "twist and strains that it settles at: how the seed settled it needs a dissipation that is not printed.",
      "The feedback holds its torques from instant to instant, and leads the free accelerations towards -free_gain "
      "times the free velocities, by the mass matrix.",
      "Table 5.9 and figure 5.14 are called x but move y."};
}

}  // namespace

Study control() {
  return {
      "control",
      "Near-rigid control: machines steered along paths by cables that stretch",
      "seed 000: Lieskovský, Modelling of Tensegrity Structures, 2022, sections 5.3 and 5.4",
      {{"part", 0.0, "of the study", Check::any, "all", {"all", "strut", "manipulator"}},
       {"stress", 20e6, "Pa, of the cables at the start, and the least that is commanded"},
       {"viscosity", 1e6, "Pa s, of the strut's cables", Check::not_negative},
       {"azimuth", 180.0, "degrees, of the strut's first block", Check::any},
       {"environment.gravity", 0.0, "m/s²", Check::any, {}, {}, {0.0, 0.0, 0.0}},
       {"rate", 0.0, "1/s, of the strut's control instants; 0: at every stage of the integrator", Check::not_negative},
       {"position_gain", 1e4, "1/s², of the strut's feedback", Check::not_negative},
       {"velocity_gain", 200.0, "1/s, of the strut's feedback", Check::not_negative},
       {"strain_gain", 1000.0, "1/s, of the strut's feedback", Check::not_negative},
       {"manipulator.modulus", 2e9, "Pa, of the manipulator's cables"},
       {"manipulator.viscosity", 1e7, "Pa s, of the manipulator's cables", Check::not_negative},
       {"manipulator.bearing_damping", 0.0, "N m s, of the manipulator's pulleys", Check::not_negative},
       {"manipulator.rate", 1000.0, "1/s, of the manipulator's control instants"},
       {"manipulator.position_gain", 400.0, "1/s²", Check::not_negative},
       {"manipulator.velocity_gain", 40.0, "1/s", Check::not_negative},
       {"manipulator.strain_gain", 300.0, "1/s", Check::not_negative},
       {"manipulator.free_gain", 10.0, "1/s, of what targets and strains leave free", Check::not_negative},
       {"manipulator.input_weight", 0.01, "of the torques beside the free accelerations"},
       {"settling_time", 8.0, "s, in which the manipulator finds its twist"},
       {"tolerance", 1e-8, "of the integrator"}},
      11,
      run};
}

}  // namespace taut::reproduce
