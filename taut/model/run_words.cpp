#include "taut/model/run_words.h"

namespace taut {

const std::vector<std::string_view>& known_formulations() {
  static const std::vector<std::string_view> words = {"nodal",     "minimal",         "quaternion", "point_mass",
                                                      "multibody", "minimal_bounded", "all"};
  return words;
}

const std::vector<std::string_view>& known_integrators() {
  static const std::vector<std::string_view> words = {"auto", "euler", "rk4", "dopri5", "symplectic", "cvode"};
  return words;
}

std::string_view leading_formulation(const Scenario& scenario) {
  const std::string& asked = scenario.simulation.formulation;
  return asked == "all" ? natural_formulation(scenario.model) : asked;
}

}  // namespace taut
