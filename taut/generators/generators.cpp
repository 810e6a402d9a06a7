#include "taut/generators/generators.h"

#include <fmt/format.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/generators/kinds.h"
#include "taut/model/check/check.h"

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
                                              three_dof_mechanism(),
                                              michell(),
                                              cable_dome(),
                                              wheel(),
                                              cable_net(),
                                              bridge(),
                                              spine(),
                                              class2_arm(),
                                              jansen()};
  return list;
}

const Generator* find_generator(std::string_view kind) {
  for (const Generator& generator : generators()) {
    if (generator.kind == kind) return &generator;
  }
  return nullptr;
}

namespace {

struct Family {
  std::string title;
  std::vector<std::string_view> kinds;
};

// Whatever is named nowhere is a ball, a solid or alike.
constexpr size_t other_family = 1;

const std::vector<Family>& family_list() {
  static const std::vector<Family> list = {
      {"Prisms, towers and arms", {"prism", "tower", "class2_tower", "class2_arm", "stacked", "spine"}},
      {"Balls and solids", {"six_bar"}},
      {"In a plane", {"x_module", "d_bar", "t_bar", "michell"}},
      {"Roofs, nets, bridges and wheels", {"cable_dome", "net", "cable_net", "bridge", "wheel"}},
      {"Pendulums and machines",
       {"pendulum", "double_pendulum", "jansen", "single_strut", "tensegrity_manipulator", "three_dof_mechanism"}}};
  return list;
}

}  // namespace

const std::vector<std::string>& families() {
  static const std::vector<std::string> titles = [] {
    std::vector<std::string> result;
    for (const Family& family : family_list()) result.push_back(family.title);
    return result;
  }();
  return titles;
}

const std::string& family_of(const Generator& generator) {
  for (size_t i = 0; i < family_list().size(); ++i)
    for (std::string_view kind : family_list()[i].kinds)
      if (kind == generator.kind) return families()[i];
  return families()[other_family];
}

namespace {

constexpr double least_size = 1e-30, most_size = 1e30;

std::string unknown_parameter(const Generator& generator, const std::string& key) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : generator.parameters) names.push_back(parameter.key);
  return fmt::format("is not a parameter of {}: expected one of {}{}", generator.kind, fmt::join(names, ", "),
                     suggestion(key, names));
}

// What is wrong with a number before the generator looks at it; empty: nothing.
std::string objection(const Generator& generator, const std::string& key, double value) {
  for (const Parameter& parameter : generator.parameters) {
    if (parameter.key != key && (key.empty() || parameter.also != key)) continue;
    if (!std::isfinite(value)) return "must be a finite number";
    // Squares and products of what is larger or smaller leave the range of numbers.
    if (value != 0.0 && (std::abs(value) < least_size || std::abs(value) > most_size))
      return fmt::format("must be {} to {} in size, got {}", least_size, most_size, value);
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
    if (const auto also = given.find(parameter.also); !parameter.also.empty() && also != given.end()) {
      if (!numbers.try_emplace(parameter.key, also->second).second)
        throw InputError({Problem{{}, parameter.also, fmt::format("is another word for {}: give one", parameter.key)}});
      numbers.erase(parameter.also);
    }
    if (parameter.standard) numbers.try_emplace(parameter.key, *parameter.standard);
  }
  Scenario scenario = generator.build(numbers);
  validate(scenario.model);
  return scenario;
}

}  // namespace taut
