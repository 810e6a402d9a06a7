#include "taut/generators/assemble/alike_ball.h"

namespace taut {

Scenario build_alike_ball(std::string name, const AlikeBall& ball, Numbers& numbers, double standard_stiffness) {
  constexpr double least_ratio = 0.01;
  const double length = numbers.positive("length");
  const double ratio = numbers.between("ratio", least_ratio, 1.0 / least_ratio);
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();

  const std::vector<int>& first = ball.polyhedron.next;
  const Rotations rotations = rotations_of(ball.polyhedron);
  Eigen::VectorXd v = balanced_form(ball.polyhedron, rotations, {{first, 1.0}, {ball.second, ratio}}, ball.struts);
  const auto distance = [&](const std::vector<int>& to) {
    return (position_of(rotations, v, 0) - position_of(rotations, v, to[0])).norm();
  };
  v *= length / distance(ball.struts);
  const double density = pretension / distance(first);

  Scenario scenario = weightless(std::move(name));
  Model& model = scenario.model;
  add_nodes(model, rotations, v);
  add_bars(model, rotations, ball.struts, mass);
  add_cables(model, rotations, {first, density}, law);
  add_cables(model, rotations, {ball.second, ratio * density}, law);
  return scenario;
}

}  // namespace taut
