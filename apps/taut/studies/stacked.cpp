// Fadeyev et al. (2019): a stacked manipulator of two stages with composite strings, six of them actuated.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "apps/taut/studies/motion.h"
#include "apps/taut/studies/stacked_robot.h"
#include "taut/base/error.h"
#include "taut/form/prestress/prestress.h"
#include "taut/formulation/formulation.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/modes/lowest_modes.h"
#include "taut/statics/buckling.h"

namespace taut::reproduce {
namespace {

// Order of the frames in the model: C0, C1 and C2 in C0, C2 in C1.
constexpr std::array<const char*, 3> pose_names = {"C1_in_C0", "C2_in_C0", "C2_in_C1"};
constexpr std::array<const char*, 3> pose_words = {"plate 1", "plate 2", "plate 2 seen from plate 1"};
constexpr std::array<const char*, 6> coordinate_names = {"x", "y", "z", "yaw", "pitch", "roll"};

// Columns of the three poses in m and degrees, angles without jumps.
Series poses_of(const Run& motion, const std::string& file) {
  Series series{file, {}, {}};
  for (const char* pose : pose_names)
    for (const char* coordinate : coordinate_names)
      series.columns.push_back({fmt::format("{}.{}", pose, coordinate), {}});
  for (const RunRow& row : motion) {
    series.x.push_back(row.t);
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t k = 0; k < 6; ++k) {
        std::vector<double>& y = series.columns[6 * p + k].y;
        double v = row.frames[6 * (p + 1) + k] * (k < 3 ? 1.0 : degrees_per_radian);
        if (k >= 3 && !y.empty()) v += 360.0 * std::round((y.back() - v) / 360.0);
        y.push_back(v);
      }
  }
  return series;
}

// Root mean square difference of two courses, in each coordinate.
std::vector<double> difference(const Series& a, const Series& b) {
  std::vector<double> result;
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.x.size(); ++i)
      sum += (a.columns[c].y[i] - b.columns[c].y[i]) * (a.columns[c].y[i] - b.columns[c].y[i]);
    result.push_back(std::sqrt(sum / static_cast<double>(a.x.size())));
  }
  return result;
}

// How much a course trembles: root mean square of its second differences, over those of the actuators' period.
double roughness(const Curve& curve) {
  double sum = 0.0;
  for (std::size_t i = 1; i + 1 < curve.y.size(); ++i) {
    const double bend = curve.y[i + 1] - 2.0 * curve.y[i] + curve.y[i - 1];
    sum += bend * bend;
  }
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(curve.y.size() - 2, 1)));
}

Vec3 ground_force(const RunRow& row) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < row.support_forces.cols(); ++i) sum += row.support_forces.col(i);
  return sum;
}

// The reconstructed equilibrium.
Scenario stand(const Settings& settings, Findings& out, const Step& step) {
  step("equilibrium");
  Scenario scenario = measured_robot(settings);
  const PrestressResult found = find_prestress(scenario.model);
  if (!found.converged) throw RunError(0.0, "equilibrium: " + found.reason);
  std::vector<double> tubes;
  for (const Bar& bar : scenario.model.bars) tubes.push_back(start_length(scenario.model, bar));
  const auto mean = [&](std::size_t from, std::size_t to) {
    double sum = 0.0;
    for (std::size_t i = from; i < to; ++i) sum += tubes[i] / static_cast<double>(to - from);
    return sum;
  };
  scenario.model = found.model;
  scenario.model.name = "stacked manipulator";
  const Model& model = scenario.model;
  out.add("bar_length_1", mean(0, 6), 0.95, "m", "mean distance of the ends of a tube in Table 7, first stage");
  out.add("bar_length_2", mean(9, 15), 0.5, "m", "second stage");
  out.add("measured_imbalance", found.start_residual * settings.number("tension_1"), std::nullopt, "N",
          "largest node force that no tensions balance in the measured shape");
  out.add("equilibrium_residual", found.net_force, std::nullopt, "N", "largest net node force of the equilibrium");
  out.add("largest_move", 1e3 * found.largest_move, std::nullopt, "mm", "of a node from Table 7 to the equilibrium");
  out.add_list("tensions", found.tensions, "N", "of the strings c1 to c14");
  std::vector<double> rest;
  for (const Cable& cable : model.cables) rest.push_back(cable.rest_length);
  Number lengths{"rest_lengths",
                 rest,
                 {1.49, 1.5, 1.53, 1.46, 1.51, 1.5, 2.16, 0.8, 0.76, 0.75, 0.78, 0.77, 0.77, 1.18},
                 "m",
                 "of the strings c1 to c14; Table 5 is rounded to 1 cm, which is up to 470 N",
                 true};
  out.numbers.push_back(std::move(lengths));
  const Modes modes = lowest_modes(model, 6);
  std::vector<double> frequencies;
  for (long i = 0; i < modes.square.size(); ++i) frequencies.push_back(frequency(modes.square[i]));
  out.add_list("frequencies", frequencies, "Hz", "the lowest, undamped");
  out.add("degrees_of_freedom", make_formulation("nodal", model)->facts().degrees_of_freedom, std::nullopt, "1", "");
  const Buckling buckling = find_buckling(model);
  out.add("buckling_factor", buckling.found ? std::optional(buckling.factor) : std::nullopt, std::nullopt, "1",
          "times its own weight at which it would buckle");
  out.models.push_back({"stacked.toml", scenario});
  return scenario;
}

// Fig. 4: what the motors do.
void displacements(const Scenario& scenario, const Run& motion, Findings& out) {
  Series series{"displacements.csv", {}, {}};
  for (const Actuator& actuator : scenario.model.actuators)
    series.columns.push_back({scenario.model.cables[actuator.cable].name, {}});
  for (const RunRow& row : motion) {
    series.x.push_back(row.t);
    for (std::size_t a = 0; a < series.columns.size(); ++a) {
      const int cable = scenario.model.actuators[a].cable;
      series.columns[a].y.push_back(1e3 * (row.rest_lengths[cable] - motion.front().rest_lengths[cable]));
    }
  }
  out.draw(series, "figure_4.svg", "Displacements of the actuated strings (Fig. 4)", "displacement, mm");
  out.series.push_back(std::move(series));
}

// Fig. 7.
void tensions(const Scenario& scenario, const Run& motion, Findings& out) {
  Series series{"tensions.csv", {}, {}};
  double least = INFINITY;
  for (int cable : {3, 4, 5, 10, 11, 12}) {
    Curve curve{scenario.model.cables[cable].name, {}};
    for (const RunRow& row : motion) curve.y.push_back(row.tensions[cable]);
    least = std::min(least, *std::min_element(curve.y.begin(), curve.y.end()));
    series.columns.push_back(std::move(curve));
  }
  for (const RunRow& row : motion) series.x.push_back(row.t);
  out.add("least_tension", least, std::nullopt, "N", "of the non-actuated vertical strings, all times");
  out.draw(series, "figure_7.svg", "Forces on the non-actuated vertical strings (Fig. 7)", "tension, N");
  out.series.push_back(std::move(series));
}

// Fig. 6: with and without damping; x, y and z each on axes of their own, the angles of a pose together.
void figure_6(const std::vector<std::pair<std::string, const Series*>>& runs, Findings& out) {
  const auto draw = [&](std::size_t first, std::size_t count, const std::string& file, const std::string& title,
                        const std::string& label) {
    Series both{"", runs.front().second->x, {}};
    for (const auto& [name, series] : runs)
      for (std::size_t k = first; k < first + count; ++k)
        both.columns.push_back({fmt::format("{} {}", coordinate_names[k % 6], name), series->columns[k].y});
    out.draw(both, file, title, label);
  };
  for (std::size_t p = 0; p < pose_names.size(); ++p) {
    const std::string pose = pose_names[p];
    for (std::size_t k = 0; k < 3; ++k)
      draw(6 * p + k, 1, fmt::format("figure_6_{}_{}.svg", pose, coordinate_names[k]),
           fmt::format("{} of {} (Fig. 6)", coordinate_names[k], pose_words[p]),
           fmt::format("position {}, m", coordinate_names[k]));
    draw(6 * p + 3, 3, fmt::format("figure_6_{}_angles.svg", pose),
         fmt::format("ZYX Euler angles of {} (Fig. 6)", pose_words[p]), "angle, deg");
  }
}

// Largest minus smallest value of each coordinate.
std::vector<double> swings(const Series& series) {
  std::vector<double> result;
  for (const Curve& curve : series.columns) {
    const auto [low, high] = std::minmax_element(curve.y.begin(), curve.y.end());
    result.push_back(*high - *low);
  }
  return result;
}

// The path of the second plate over the ground, x + i y from its start, of `b` as that of `a` turned and stretched: the
// factor that comes nearest.
std::complex<double> turned_and_stretched(const Series& a, const Series& b) {
  const std::size_t x = 6, y = 7;  // of C2 in C0
  std::complex<double> product = 0.0;
  double square = 0.0;
  const auto at = [&](const Series& s, std::size_t i) {
    return std::complex<double>(s.columns[x].y[i] - s.columns[x].y[0], s.columns[y].y[i] - s.columns[y].y[0]);
  };
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    product += at(b, i) * std::conj(at(a, i));
    square += std::norm(at(a, i));
  }
  return product / square;
}

// Fig. 8: all strings connect two nodes only, and other readings of that sentence.
Series simple_strings(const Scenario& scenario, const Series& with, Findings& out, const Step& step) {
  step("simple strings");
  const Scenario simple = with_simple_strings(scenario);
  Series apart = poses_of(simulated(simple, "simple strings"), "poses_simple.csv");
  out.models.push_back({"stacked_simple.toml", simple});
  const std::vector<double> change = difference(with, apart), swing = swings(with);
  for (std::size_t p = 0; p < 3; ++p) {
    out.add_list(fmt::format("simple_strings_{}_position", pose_names[p]),
                 {1e3 * change[6 * p], 1e3 * change[6 * p + 1], 1e3 * change[6 * p + 2]}, "mm",
                 "root mean square difference between simple and composite strings in x, y, z");
    out.add_list(fmt::format("simple_strings_{}_angles", pose_names[p]),
                 {change[6 * p + 3], change[6 * p + 4], change[6 * p + 5]}, "deg",
                 "in yaw (the Z angle, Fig. 8), pitch, roll");
  }
  // The paper: the trajectories "do not differ very much", and most in the Z angle.
  for (std::size_t k = 0; k < 6; ++k) {
    const std::string name = fmt::format("simple_strings_relative_{}", coordinate_names[k]);
    out.add(name, change[6 + k] / swing[6 + k], std::nullopt, "1", "C2 in C0: the same over the whole swing");
    out.compare(
        name,
        fmt::format("simple beside composite strings, {} of plate 2: rms difference over swing", coordinate_names[k]),
        "the motors' curves, how a motor acts on pieces, the equilibrium nearest to Table 7",
        k == 3 ? "differs most (Z angle)" : "does not differ very much");
  }
  const std::complex<double> factor = turned_and_stretched(with, apart);
  out.add("simple_strings_turn", std::arg(factor) * degrees_per_radian, std::nullopt, "deg",
          "by which the path of plate 2 over the ground is turned; composite strings let the saddle give way");
  out.add("simple_strings_stretch", std::abs(factor), std::nullopt, "1", "and stretched");
  struct Variant {
    const char* name;
    Cut cut;
    Motor motor;
    const char* note;
  };
  for (const Variant& v : {Variant{"lower_piece", Cut::all, Motor::lower_piece, "motors wind the lowest piece only"},
                           {"vertical", Cut::vertical, Motor::shared, "saddle strings stay composite"},
                           {"saddle", Cut::saddle, Motor::shared, "vertical strings stay composite"},
                           {"actuated", Cut::actuated, Motor::shared, "only strings with motors are cut"}}) {
    step(fmt::format("simple strings, {}", v.name));
    Scenario variant = with_simple_strings(scenario, v.cut, v.motor);
    variant.simulation.tolerance = std::max(variant.simulation.tolerance, 1e-6);  // millimetres are compared
    const std::vector<double> other = difference(with, poses_of(simulated(variant, "simple strings"), ""));
    out.add_list(fmt::format("simple_strings_only_{}", v.name), {1e3 * other[6], 1e3 * other[7], 1e3 * other[8]}, "mm",
                 fmt::format("C2 in C0, x, y, z: {}", v.note));
  }
  Series z{"figure_8.csv", with.x, {}};
  for (std::size_t p = 0; p < 2; ++p) {
    z.columns.push_back({fmt::format("{} composite", pose_names[p]), with.columns[6 * p + 3].y});
    z.columns.push_back({fmt::format("{} simple", pose_names[p]), apart.columns[6 * p + 3].y});
  }
  out.draw(z, "figure_8.svg", "Z Euler angle of the plates, composite and simple strings (Fig. 8)", "angle, deg");
  for (std::size_t k = 0; k < 3; ++k)
    out.draw(Series{"",
                    with.x,
                    {{fmt::format("{} composite", coordinate_names[k]), with.columns[6 + k].y},
                     {fmt::format("{} simple", coordinate_names[k]), apart.columns[6 + k].y}}},
             fmt::format("figure_8_{}.svg", coordinate_names[k]),
             fmt::format("{} of plate 2, composite and simple strings", coordinate_names[k]),
             fmt::format("position {}, m", coordinate_names[k]));
  out.series.push_back(std::move(z));
  return apart;
}

void motions(const Settings& settings, const Scenario& scenario, Findings& out, const Step& step) {
  step("motion with damping");
  const Run damped = simulated(scenario, "motion with damping");
  out.runs.push_back(scene(damped, "damped"));
  Series with = poses_of(damped, "poses_damped.csv");
  displacements(scenario, damped, out);
  tensions(scenario, damped, out);
  double weight = 0.0;
  for (const Bar& bar : scenario.model.bars) weight += bar.mass * scenario.model.gravity.norm();
  out.add("weight", weight, std::nullopt, "N", "of the robot");
  out.add("ground_reaction", ground_force(damped.front()).z(), std::nullopt, "N", "at rest, sum over n1 to n3");
  out.add("bar_length_error", 100.0 * damped.summary.max_bar_length_error, 0.0058, "%", "largest, all bars and times");

  step("motion with the other reading of the damping");
  const Scenario other = with_damping(scenario, settings.number("damping") / 1e3);
  Series light = poses_of(simulated(other, "motion with the other reading"), "poses_lightly_damped.csv");
  step("motion without damping");
  const Scenario bare = with_damping(scenario, 0.0);
  Series without = poses_of(simulated(bare, "motion without damping"), "poses_undamped.csv");
  figure_6({{"damped", &with}, {"undamped", &without}}, out);
  const std::size_t tip = 6;  // C2 in C0, x
  out.add("oscillation_damped", 1e3 * roughness(with.columns[tip]), std::nullopt, "mm",
          "x of C2 in C0: root mean square of second differences, 10 ms apart");
  out.add("oscillation_lightly_damped", 1e3 * roughness(light.columns[tip]), std::nullopt, "mm", "N s/m for kN s/m");
  out.add("oscillation_undamped", 1e3 * roughness(without.columns[tip]), std::nullopt, "mm",
          "more than with damping, as the paper sees it");

  Series apart = simple_strings(scenario, with, out, step);

  step("rigid plates");
  const Scenario plates = with_rigid_plates(scenario);
  Series solid = poses_of(simulated(plates, "rigid plates"), "poses_rigid_plates.csv");
  out.models.push_back({"stacked_plates.toml", plates});
  const std::vector<double> inertia = difference(with, solid);
  out.add_list("rigid_plates_C2_in_C0_position", {1e3 * inertia[6], 1e3 * inertia[7], 1e3 * inertia[8]}, "mm",
               "root mean square difference between plates with their own inertia and plates as bars, in x, y, z");
  for (Series* series : {&with, &light, &without, &apart, &solid}) out.series.push_back(std::move(*series));
}

void run(const Settings& settings, Findings& out, const Step& step) {
  out.assumptions = {
      "Table 7 is not in equilibrium and Table 5's rest lengths are rounded to 1 cm: the equilibrium nearest to Table "
      "7 is "
      "taken whose non-actuated vertical strings carry 240 N (stage 1) and 120 N (stage 2) on average, with the bar "
      "lengths "
      "of Table 7.",
      "Strings are routed as fits Tables 5 and 7: 1-6-11, 2-4-12, 3-5-10 (actuated), 1-8-12, 2-9-10, 3-7-11, the "
      "saddle "
      "4-9-5-7-6-8-4, and the same 12 further in stage 2.",
      "Bar masses are in kg (printed as g). Damping acts while a string is elongated, and never makes it push.",
      "The motors' curves are not printed: sines of the printed amplitudes, period and phases, from rest over 2 s.",
      "Simple strings share the displacement of a motor by their lengths. No other reading of the paper's sentence "
      "(motors "
      "on the lowest piece, only some strings cut), and no prestress, makes the difference small.",
      "Not reproduced: the motion-capture curves and the deviations from them (30.5 mm, 2.44 degrees), since the paper "
      "does "
      "not print the measurements."};
  const Scenario scenario = stand(settings, out, step);
  motions(settings, scenario, out, step);
  out.add("rmsd_position", std::optional<double>(), 30.5, "mm", "from the motion capture, which is not printed");
  out.add("rmsd_orientation", std::optional<double>(), 2.44, "deg", "likewise");
  const std::string table = "nodes of Table 7", stands =
                                                    "the equilibrium nearest to Table 7 with 240 N and 120 N in the "
                                                    "non-actuated vertical strings";
  out.compare("bar_length_1", "length of a tube, stage 1", table);
  out.compare("bar_length_2", "length of a tube, stage 2", table);
  out.compare("rest_lengths", "rest length (Table 5) of string", stands);
  out.compare("bar_length_error", "largest error of a bar's length", stands + "; the motors' curves", at_most);
  out.compare("rmsd_position", "deviation from the motion capture, positions",
              "cannot be: the measurement is not printed");
  out.compare("rmsd_orientation", "deviation from the motion capture, angles",
              "cannot be: the measurement is not printed");
}

}  // namespace

Study stacked() {
  return {"stacked",
          "A two-stage manipulator with composite strings: equilibrium, actuated motion, damping",
          "Fadeyev, Zhakatayev, Kuzdeuov, Varol (2019): Generalized Dynamics of Stacked Tensegrity Manipulators. IEEE "
          "Access 7",
          {{"damping", 20e3, "N s/m, of every string (printed kN s/m; 20 is the other reading)", Check::not_negative},
           {"tension_1", 240.0, "N, mean of the non-actuated vertical strings of stage 1"},
           {"tension_2", 120.0, "N, of stage 2"},
           {"amplitude_1", 0.0363, "m, of the actuated strings of stage 1", Check::not_negative},
           {"amplitude_2", 0.0168, "m, of stage 2", Check::not_negative},
           {"period", 7.0, "s"},
           {"ramp", 2.0, "s, over which the sines grow", Check::not_negative},
           {"duration", 9.0, "s"},
           {"tolerance", 1e-9, "of the integrator"}},
          10,
          run,
          "Fadeyev et al. (2019)"};
}

}  // namespace taut::reproduce
