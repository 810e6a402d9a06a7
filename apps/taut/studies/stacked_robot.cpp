#include "apps/taut/studies/stacked_robot.h"

#include <fmt/format.h>

#include "apps/taut/shipped_models.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/shape/body_shapes.h"

namespace taut::reproduce {
namespace {

// The course of an actuator on a piece that has the part `share` of the whole displacement.
Signal on_piece(const Signal& whole, double share, double rest_length) {
  Signal piece = whole;
  piece.amplitude *= share;
  return shifted(piece, rest_length);
}

}  // namespace

Scenario measured_robot(const Settings& s) {
  std::vector<Override> set;
  const auto number = [&](const std::string& key, std::string_view setting) {
    const double value = s.number(setting);
    set.push_back(override_value(key, {value}, fmt::format("{}{}={}", set_prefix, key, value)));
  };
  number("targets.0.mean_tension", "tension_1");
  number("targets.1.mean_tension", "tension_2");
  for (int cable : {1, 2, 3, 8, 9, 10}) {
    const std::string actuator = fmt::format("actuators.c{}.rest_length.", cable);
    number(actuator + "amplitude", cable < 7 ? "amplitude_1" : "amplitude_2");
    number(actuator + "period", "period");
    number(actuator + "ramp", "ramp");
  }
  number("cables.*.damping", "damping");
  number("simulation.duration", "duration");
  number("simulation.tolerance", "tolerance");
  return read_scenario_text(find_shipped_model("stacked_measured.toml")->text, "stacked_measured.toml", {}, set);
}

Scenario with_damping(Scenario scenario, double damping) {
  for (Cable& cable : scenario.model.cables) cable.law.damping = damping;
  return scenario;
}

Scenario with_simple_strings(const Scenario& scenario, Cut cut, Motor motor) {
  // Strings c7 and c14 are saddles, c1 to c3 and c8 to c10 have motors.
  const auto is_cut = [&](int cable) {
    const bool saddle = cable % 7 == 6;
    return cut == Cut::all || (cut == Cut::vertical && !saddle) || (cut == Cut::saddle && saddle) ||
           (cut == Cut::actuated && cable % 7 < 3);
  };
  Scenario simple = scenario;
  Model& model = simple.model;
  model.name += ", simple strings";
  model.cables.clear();
  model.actuators.clear();
  model.wanted_tensions.clear();
  for (int i = 0; i < static_cast<int>(scenario.model.cables.size()); ++i) {
    const Cable& whole = scenario.model.cables[i];
    if (!is_cut(i)) {
      for (const Actuator& actuator : scenario.model.actuators)
        if (actuator.cable == i)
          model.actuators.push_back({static_cast<int>(model.cables.size()), actuator.rest_length});
      model.cables.push_back(whole);
      continue;
    }
    const double length = start_length(scenario.model, whole);
    const double carried = tension(whole.law, length - whole.rest_length, 0.0, whole.rest_length);
    for (std::size_t k = 0; k + 1 < whole.path.size(); ++k) {
      Cable piece = whole;
      piece.path = {whole.path[k], whole.path[k + 1]};
      piece.name = fmt::format("{}.{}", whole.name, k + 1);
      const double share = start_length(scenario.model, piece) / length;
      piece.rest_length = rest_length_for_tension(piece.law, share * length, carried);
      for (const Actuator& actuator : scenario.model.actuators)
        if (actuator.cable == i && (motor == Motor::shared || k == 0))
          model.actuators.push_back(
              {static_cast<int>(model.cables.size()),
               on_piece(actuator.rest_length, motor == Motor::shared ? share : 1.0, piece.rest_length)});
      model.cables.push_back(std::move(piece));
    }
  }
  return simple;
}

Scenario with_rigid_plates(const Scenario& scenario) {
  Scenario rigid = scenario;
  Model& model = rigid.model;
  model.name += ", rigid plates";
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < model.bars.size(); ++i) {
    const bool edge = (i >= 6 && i < 9) || i >= 15;
    if (!edge) bars.push_back(model.bars[i]);
    if (i != 6 && i != 15) continue;
    // The corners are the first ends of the three edges that follow.
    Body plate;
    plate.name = fmt::format("plate{}", i == 6 ? 1 : 2);
    std::vector<Vec3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      plate.nodes.push_back(model.bars[i + k].a);
      corners.push_back(model.nodes[model.bars[i + k].a].position);
      plate.mass += model.bars[i + k].mass;
    }
    plate.outline = plate.nodes;
    const Shape triangle = plate_shape(corners, 0.0);
    plate.centre = triangle.centre;
    plate.inertia = inertia_of(triangle, plate.mass);
    if (i == 6)
      for (const Constraint& midpoint : model.constraints) plate.nodes.push_back(midpoint.terms.back().first);
    model.bodies.push_back(std::move(plate));
  }
  model.bars = std::move(bars);
  model.constraints.clear();
  return rigid;
}

}  // namespace taut::reproduce
