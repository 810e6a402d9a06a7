#include "taut/generators/assemble/assemble.h"

#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "taut/base/error.h"

namespace taut {

namespace {

std::string joined_name(const Model& model, int a, int b) { return model.nodes[a].name + "-" + model.nodes[b].name; }

}  // namespace

Scenario weightless(std::string name) {
  Scenario scenario;
  scenario.model.name = std::move(name);
  scenario.model.gravity = Vec3::Zero();
  return scenario;
}

int add_ring(Model& model, const std::string& prefix, int n, double radius, double angle, double z) {
  const int first = static_cast<int>(model.nodes.size());
  for (int i = 0; i < n; ++i) {
    const double at = angle + 2.0 * std::numbers::pi * i / n;
    add_node(model, prefix + std::to_string(i + 1), {radius * std::cos(at), radius * std::sin(at), z});
  }
  return first;
}

int ring_node(int first, int n, int i) { return first + ((i % n) + n) % n; }

void join_ring(Pairs& pairs, int first, int n) {
  for (int i = 0; i < n; ++i) pairs.emplace_back(first + i, ring_node(first, n, i + 1));
}

void fix_nodes(Model& model, int first, int n) {
  for (int i = first; i < first + n; ++i) add_support(model, i);
}

void add_bars(Model& model, const Pairs& pairs, double mass) {
  for (const auto& [a, b] : pairs) add_bar(model, a, b, {.mass = mass, .name = joined_name(model, a, b)});
}

double rest_length_under(const Model& model, const Cable& cable, double tension, double beside) {
  const double length = start_length(model, cable), rest = rest_length_for_tension(cable.law, length, tension);
  const auto refuse = [&](const char* what, const std::string& why) {
    throw InputError({{{},
                       "pretension",
                       fmt::format("too {} for these lengths and stiffnesses: cable {} of {:.6g} m would carry {:.6g} "
                                   "N, which its {} {:.6g} cannot give with {}",
                                   what, joined_name(model, cable.path.front(), cable.path.back()), length, tension,
                                   cable.law.by_EA ? "EA" : "stiffness", cable.law.stiffness, why)}});
  };
  // Also NaN: there is none.
  if (!(rest > 0.0)) refuse("high", "a rest length above 0");
  const double carried = elastic_tension(cable.law, length - rest, rest);
  if (!(carried > 0.0 && std::abs(carried - tension) <= 1e-6 * (tension + beside)))
    refuse("low", "a rest length of sixteen digits");
  // A strain that rounded places make, too, is none.
  if (length - rest < 1e-10 * length && tension >= beside) refuse("low", "a strain above 1e-10");
  return rest;
}

void add_cables(Model& model, const Pairs& pairs, const CableLaw& law, double tension, double beside) {
  if (pairs.empty()) return;
  Cable cable;
  cable.law = law;
  cable.path = {pairs.front().first, pairs.front().second};
  cable.rest_length = rest_length_under(model, cable, tension, beside);
  for (const auto& [a, b] : pairs)
    add_cable(model, {a, b}, {.rest_length = cable.rest_length, .name = joined_name(model, a, b), .law = law});
}

void keep_planar(Model& model) {
  for (Node& node : model.nodes) node.fixed[2] = true;
}

}  // namespace taut
