#include "taut/generators/assemble/self_similar_bar.h"

#include <numbers>

namespace taut {

SelfSimilarBar read_self_similar_bar(const Parameters& parameters, int most_orders, double standard_stiffness) {
  Numbers numbers(parameters);
  SelfSimilarBar bar;
  bar.span = numbers.positive("span");
  bar.angle = numbers.between("angle", 0.0, 90.0) * std::numbers::pi / 180.0;
  bar.order = numbers.count("order", 1, most_orders);
  bar.pretension = numbers.positive("pretension");
  bar.mass = numbers.positive("mass");
  bar.load = numbers.not_negative("load");
  bar.law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();
  return bar;
}

std::string name_of_order(const std::string& kind, int order) {
  return order > 1 ? kind + " of order " + std::to_string(order) : kind;
}

void hold_as_column(Model& model, int left_end, int right_end, double load) {
  if (load == 0.0) return;
  model.nodes[left_end].fixed = {true, true, true};
  model.nodes[right_end].fixed = {false, true, true};
  model.loads = {{right_end, {-load, 0.0, 0.0}}};
}

}  // namespace taut
