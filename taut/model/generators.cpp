#include "taut/model/generators.h"

#include <fmt/format.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/model/generators/kinds.h"
#include "taut/model/suggest.h"

namespace taut {

const std::vector<Generator>& generators() {
  static const std::vector<Generator> list = {prism(),
                                              six_bar(),
                                              tower(),
                                              class2_tower(),
                                              stacked(),
                                              twelve_bar(),
                                              expanded_octahedron(),
                                              truncated_tetrahedron(),
                                              truncated_cube(),
                                              truncated_octahedron(),
                                              truncated_dodecahedron(),
                                              truncated_icosahedron(),
                                              geodesic_sphere(),
                                              torus(),
                                              lander(),
                                              x_module(),
                                              d_bar(),
                                              t_bar(),
                                              pendulum(),
                                              double_pendulum(),
                                              net(),
                                              single_strut(),
                                              tensegrity_manipulator(),
                                              three_dof_mechanism()};
  return list;
}

const Generator* find_generator(std::string_view kind) {
  for (const Generator& generator : generators()) {
    if (generator.kind == kind) return &generator;
  }
  return nullptr;
}

namespace {

std::string unknown_parameter(const Generator& generator, const std::string& key) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : generator.parameters) names.push_back(parameter.key);
  const std::string_view near = nearest_word(key, names);
  if (!near.empty()) return fmt::format("{} has no such parameter; did you mean {}?", generator.kind, near);
  return fmt::format("{} has no such parameter; it has {}", generator.kind, fmt::join(names, ", "));
}

// What is wrong with a number before the generator looks at it; empty: nothing.
std::string objection(const Generator& generator, const std::string& key, double value) {
  for (const Parameter& parameter : generator.parameters) {
    if (parameter.key != key) continue;
    if (!std::isfinite(value)) return "must be a finite number";
    if (parameter.integer && value != std::round(value)) return fmt::format("must be a whole number, got {}", value);
    return "";
  }
  return unknown_parameter(generator, key);
}

}  // namespace

Scenario generate(const Generator& generator, const Parameters& given) {
  std::vector<Problem> problems;
  for (const auto& [key, value] : given) {
    const std::string message = objection(generator, key, value);
    if (!message.empty()) problems.push_back({{}, key, message});
  }
  if (!problems.empty()) throw InputError(std::move(problems));

  Parameters numbers = given;
  for (const Parameter& parameter : generator.parameters) {
    if (parameter.standard) numbers.try_emplace(parameter.key, *parameter.standard);
  }
  Scenario scenario = generator.build(numbers);
  validate(scenario.model);
  return scenario;
}

}  // namespace taut
