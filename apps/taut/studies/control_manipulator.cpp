#include "apps/taut/studies/control_manipulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "apps/taut/studies/control_machines.h"
#include "apps/taut/studies/control_series.h"
#include "apps/taut/studies/manipulator_picture.h"
#include "taut/formulation/formulation.h"

namespace taut::reproduce {
namespace {

// A path of the end-effector and its figure in the thesis.
struct Course {
  const char* axis;
  const char* figure;
  Knots path;
};

// A way to steer: what its numbers and files are called.
struct Mode {
  const char* number;
  const char* file;
  const char* words;
  Steering steering;
  bool as_printed = false;
};

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
  const Run motion = steered(manipulator(s, {}, hold, feedback));
  Series series = manipulator_series(motion, "manipulator_settling.csv");
  const Series off = deviations(series, 3);
  for (std::size_t k = 0; k < 3; ++k)
    out.add(fmt::format("manipulator.settling.{}", series.columns[k].name), largest(off.columns[k].y), std::nullopt,
            "m", "largest deviation while it settles");
  note_end(motion, "manipulator.settling", out);
  const std::vector<double> twist = twists(motion);
  Posture settled{late_mean(twist), {}};
  for (std::size_t k = 6; k < 12; ++k) settled.strains.push_back(late_mean(series.columns[k].y));
  out.add("manipulator.settling.twist", settled.twist, std::nullopt, "deg", "mean over the second half; starts at 120");
  out.draw(off, "manipulator_settling.svg", "Manipulator: the end-effector while it settles (figure 5.12)",
           "deviation, m");
  series.columns.push_back({"twist", twist});
  out.draw(Series{"", series.x, {{"twist", twist}}}, "manipulator_twist.svg", "Manipulator: twist while it settles",
           "twist, deg");
  out.series.push_back(std::move(series));
  return settled;
}

// The equilibrium that it settles about, exactly: where the paths begin.
Posture find_start(const Settings& s, const Posture& settled, double height, Findings& out) {
  const Balance balance = in_balance(s, settled, height);
  const PulleySpec pulley = manipulator(s, {}, {{0.0, 0.0, 0.0, height}}, {}).model.pulleys.front();
  out.add("manipulator.start.twist", balance.posture.twist, std::nullopt, "deg",
          "the equilibrium near it: 150 without weight");
  out.add_list("manipulator.start.tensions",
               {balance.posture.strains[0] * pulley.EA, balance.posture.strains[1] * pulley.EA}, "N",
               "top and bottom cables: the least is that of the bound");
  out.add("manipulator.start.acceleration", balance.acceleration, std::nullopt, "1/s²",
          "largest of a joint with the pulleys held: how well it is in balance");
  return balance.posture;
}

// Until when the end-effector is within 1 % of the path's reach of where it should be; nothing: to the end.
std::optional<double> follows_until(const Knots& path, const Series& off) {
  double reach = 0.0;
  for (const std::vector<double>& row : path)
    for (std::size_t k = 1; k < row.size(); ++k) reach = std::max(reach, std::abs(row[k] - path.front()[k]));
  for (std::size_t i = 0; i < off.x.size(); ++i)
    if (std::hypot(off.columns[0].y[i], off.columns[1].y[i], off.columns[2].y[i]) > 0.01 * reach) return off.x[i];
  return std::nullopt;
}

void add_numbers(const std::string& name, const Course& course, const Mode& mode, const Run& motion,
                 const Series& series, const Series& off, Findings& out) {
  double most = 0.0;
  std::vector<double> by_axis;
  for (const Curve& curve : off.columns) by_axis.push_back(largest(curve.y));
  for (std::size_t i = 0; i < series.x.size(); ++i)
    most = std::max(most, std::hypot(off.columns[0].y[i], off.columns[1].y[i], off.columns[2].y[i]));
  out.add(name + ".max_deviation", most, std::nullopt, "m",
          fmt::format("of the end-effector from its path, {}", mode.words));
  out.add_list(name + ".by_axis", by_axis, "m", "largest deviation along x, y, z");
  if (const std::optional<double> until = follows_until(course.path, off))
    out.add(name + ".follows_until", *until, std::nullopt, "s", "from then on it is off by 1 % of the path's reach");
  const double bound = motion.scenario.model.controllers[0].steer.strain[0].least;
  out.add(name + ".least_strain", least(series, 6, 6) / bound, std::nullopt, "1", "measured, over the bound");
  note_end(motion, name, out);
}

// x, y, z, their deviations and the strains over time; the poses where the path turns.
void draw(const std::string& file, const Course& course, const Mode& mode, const Run& motion, const Series& series,
          const Series& off, Findings& out) {
  const std::string title = fmt::format("Manipulator along {}, {}", course.axis, mode.words);
  const auto figure = [&](const char* letter) {
    return mode.as_printed ? fmt::format(" (figure {} {})", course.figure, letter) : "";
  };
  out.draw(columns_of(series, 0, 3), file + "_path.svg", title + figure("a"), "position of the end-effector, m");
  out.draw(off, file + "_deviations.svg", title + ": deviations" + figure("b"), "deviation, m");
  out.draw(columns_of(series, 6, 6), file + "_strains.svg", title + ": strains" + figure("c"), "strain");
  if (!mode.as_printed) return;
  for (const auto& [t, letter] : {std::pair(5.0, "d"), std::pair(15.0, "e")})
    if (const auto picture = manipulator_picture(motion, t, fmt::format("t = {:g} s{}", t, figure(letter))))
      out.drawings.push_back({fmt::format("{}_pose_{:g}s.svg", file, t), svg(*picture)});
}

void follow(const Settings& s, const Course& course, const Mode& mode, const Posture& start, Findings& out,
            const Step& step) {
  step(fmt::format("manipulator along {}, {}", course.axis, mode.words));
  const Scenario scenario = manipulator(s, start, course.path, mode.steering);
  const Run motion = steered(scenario);
  const std::string file = fmt::format("manipulator_{}{}", course.axis, mode.file);
  Series series = manipulator_series(motion, file + ".csv");
  const Series off = deviations(series, 3);
  add_numbers(fmt::format("manipulator.{}{}", course.axis, mode.number), course, mode, motion, series, off, out);
  draw(file, course, mode, motion, series, off, out);
  // The report shows the first model.
  out.models.insert(out.models.begin() + static_cast<std::ptrdiff_t>(out.runs.size()), {file + ".toml", scenario});
  out.runs.push_back(scene(motion, fmt::format("along {}, {}", course.axis, mode.words)));
  out.series.push_back(std::move(series));
}

// What the thesis says of both paths, with the cables' damping left out of p and with it.
void compare_paths(Findings& out) {
  for (const auto& [mode, damping] : {std::pair("feed_forward", "left out of p"), {"compensated", "in p"}})
    for (const auto& [axis, path, said] :
         {std::tuple("z", "vertical", "followed with considerable accuracy"), {"y", "horizontal", "comparably worse"}})
      out.compare(fmt::format("manipulator.{}.{}.max_deviation", axis, mode),
                  fmt::format("largest deviation from the {} path, the cables' damping {}", path, damping),
                  "where and how it starts, gravity, whether p holds the cables' damping", said, {.grown = 0.1});
}

}  // namespace

void steer_manipulators(const Settings& s, Findings& out, const Step& step) {
  Steering compensated, feedback;
  compensated.compensate_damping = feedback.compensate_damping = true;
  feedback.rate = s.number("manipulator.rate");
  feedback.position_gain = s.number("manipulator.position_gain");
  feedback.velocity_gain = s.number("manipulator.velocity_gain");
  feedback.strain_gain = s.number("manipulator.strain_gain");
  feedback.free_gain = s.number("manipulator.free_gain");
  feedback.input_weight = s.number("manipulator.input_weight");
  const double side = 1.0 / std::sqrt(2.0), height = side * (1.0 + std::sqrt(2.0 / 3.0));
  out.add("manipulator.h0", height, std::nullopt, "m", "a (1 + √(2/3))");
  out.add("manipulator.degrees_of_freedom",
          make_formulation("multibody", manipulator(s, {}, vertical_path(height), feedback).model)
              ->facts()
              .degrees_of_freedom,
          12.0, "1");
  out.compare("manipulator.degrees_of_freedom", "degrees of freedom of the manipulator", "");
  const Posture settled = settle(s, height, feedback, out, step);
  const Posture start = find_start(s, settled, height, out);
  const std::array<Course, 2> courses = {
      {{"z", "5.13", vertical_path(height)}, {"y", "5.14", horizontal_path(height)}}};
  const std::array<Mode, 3> modes = {{{".feed_forward", "", "as printed", Steering{}, true},
                                      {".compensated", "_compensated", "damping compensated", compensated},
                                      {"", "_feedback", "with feedback", feedback}}};
  for (const Mode& mode : modes)
    for (const Course& course : courses) follow(s, course, mode, start, out, step);
  compare_paths(out);

  // What no pulley can move or hold, to first order.
  for (const auto& [name, posture] : {std::pair("drawn", Posture{}), std::pair("settled", start)}) {
    const Mechanism found = infinitesimal_mechanism(manipulator(s, posture, courses[0].path, feedback));
    out.add(fmt::format("manipulator.mechanism.{}.singular_value", name), found.ratio, std::nullopt, "1",
            "smallest over largest, of the pulleys' turns by the motions with rigid cables");
    out.add_list(fmt::format("manipulator.mechanism.{}.end_effector", name), found.direction, "1",
                 "where the motion that turns the pulleys least takes the end-effector: unit vector");
  }
}

}  // namespace taut::reproduce
