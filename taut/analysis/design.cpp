#include "taut/analysis/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "taut/analysis/balance.h"
#include "taut/analysis/relax.h"
#include "taut/analysis/tangent_stiffness.h"
#include "taut/base/error.h"

namespace taut {

namespace {

using std::numbers::pi;

constexpr double balanced = 1e-9;    // largest net force of the mean member force: the start shape stays
constexpr double same_mass = 1e-10;  // relative: the iteration for the weight ends
constexpr int most_rounds = 200;
constexpr double runaway = 1e6;  // the mass of the first round over and over: it cannot carry itself

void check(const DesignOptions& options) {
  std::vector<Problem> problems;
  const auto positive = [&](double value, const std::string& key) {
    if (!(value > 0.0 && std::isfinite(value)))
      problems.push_back({{}, key, fmt::format("must be above 0, got {}", value)});
  };
  for (const auto& [material, kind] : {std::pair(&options.bar, "bar"), std::pair(&options.cable, "cable")}) {
    positive(material->density, std::string(kind) + " density");
    positive(material->modulus, std::string(kind) + " modulus");
    positive(material->strength, std::string(kind) + " strength");
  }
  positive(options.safety, "safety");
  if (!(options.hollow >= 0.0 && options.hollow < 1.0))
    problems.push_back({{}, "hollow", fmt::format("must be 0 or more and below 1, got {}", options.hollow)});
  if (!(options.least_diameter >= 0.0 && std::isfinite(options.least_diameter)))
    problems.push_back({{}, "least diameter", fmt::format("must be 0 or more, got {}", options.least_diameter)});
  if (!problems.empty()) throw InputError(std::move(problems));
}

// Every load acts.
Model fully_loaded(const Model& model) {
  Model loaded = model;
  for (Load& load : loaded.loads) load.from = 0.0, load.to = std::numeric_limits<double>::infinity();
  return loaded;
}

struct Carried {
  Model model;  // in equilibrium
  Balance balance;
};

// Whether the energy rises, or stays, along every motion from an equilibrium.
bool is_stable(const Model& model) {
  StaticForces statics(model);
  if (statics.unknowns().empty()) return true;
  const NetForce at = statics.net_force(statics.start());
  const TangentStiffness stiffness(statics, at);
  // Motions that cost nothing are none that fall.
  std::vector<SparseEntry> slight;
  for (int k = 0; k < stiffness.unknowns(); ++k) slight.push_back({k, k, 1e-9 * stiffness.bound()[k]});
  return stiffness.factorise(slight).has_value();
}

Carried find_forces(const Model& model) {
  Carried carried{model, start_balance(model)};
  if (carried.balance.imbalance <= balanced) return carried;
  RelaxResult result = relax(model);
  if (!result.converged)
    throw RunError(0.0, fmt::format("there is no equilibrium to design for: {} (largest net force {:.2e} of the mean "
                                    "member force)",
                                    result.reason, result.residual));
  carried.model = std::move(result.model);
  carried.balance = start_balance(carried.model);
  return carried;
}

double cut_length(double length, double force, double stiffness) {
  return stiffness > 0.0 ? length / (1.0 + force / stiffness) : length;
}

void size_members(const Carried& carried, const DesignOptions& options, Design& design) {
  const Model& model = carried.model;
  design.members.clear();
  design.bar_mass = design.cable_mass = 0.0;
  for (size_t i = 0; i < model.bars.size(); ++i) {
    const Bar& bar = model.bars[i];
    DesignedMember member{
        bar.name, true, {bar.a, bar.b}, start_length(model, bar), carried.balance.bar_force[i], bar.rest_length, 0.0,
        {},       0.0};
    member.section = bar_section(member.force, member.length, options);
    member.cut_length = cut_length(member.length, member.force, options.bar.modulus * member.section.area);
    member.mass = options.bar.density * member.section.area * member.length;
    design.bar_mass += member.mass;
    design.members.push_back(std::move(member));
  }
  for (size_t i = 0; i < model.cables.size(); ++i) {
    const Cable& cable = model.cables[i];
    DesignedMember member{
        cable.name, false, cable.path, start_length(model, cable), carried.balance.cable_tension[i], cable.rest_length,
        0.0,        {},    0.0};
    member.section = cable_section(member.force, options);
    member.cut_length = cut_length(member.length, member.force, options.cable.modulus * member.section.area);
    member.mass = options.cable.density * member.section.area * member.length;
    design.cable_mass += member.mass;
    design.members.push_back(std::move(member));
  }
}

// Idle members keep a trace of mass, so that no node is without any.
void give_masses(const Design& design, Model& model) {
  const size_t bars = model.bars.size();
  const double trace = 1e-13 * (design.bar_mass + design.cable_mass);
  const auto mass = [&](size_t member) { return std::max(design.members[member].mass, trace); };
  for (size_t i = 0; i < bars; ++i) model.bars[i].mass = mass(i);
  for (size_t i = 0; i < model.cables.size(); ++i) model.cables[i].mass = mass(bars + i);
}

}  // namespace

const std::vector<Material>& materials() {
  static const std::vector<Material> list = {{"steel", 7860.0, 206e9, 690e6},
                                             {"aluminium", 2700.0, 69e9, 240e6},
                                             {"carbon", 1600.0, 130e9, 600e6},
                                             {"polyethylene", 970.0, 110e9, 2.7e9}};
  return list;
}

const Material* find_material(std::string_view name) {
  for (const Material& material : materials())
    if (material.name == name) return &material;
  return nullptr;
}

const char* name(Limit limit) {
  switch (limit) {
    case Limit::yield:
      return "yield";
    case Limit::buckling:
      return "buckling";
    case Limit::least:
      return "least";
    default:
      return "none";
  }
}

Section bar_section(double force, double length, const DesignOptions& options) {
  const double kappa = options.hollow, ring = 1.0 - kappa * kappa, push = options.safety * std::abs(force);
  Section section;
  if (push > 0.0) {
    section.radius = std::sqrt(push / (options.bar.strength * pi * ring));
    section.limit = Limit::yield;
  }
  // π² E (π r⁴ (1 - κ⁴)/4) / L² = s f.
  const double fourth =
      4.0 * push * length * length / (pi * pi * pi * options.bar.modulus * ring * (1.0 + kappa * kappa));
  const double slender = std::sqrt(std::sqrt(fourth));
  if (force < 0.0 && slender > section.radius) section.radius = slender, section.limit = Limit::buckling;
  if (options.least_diameter > 2.0 * section.radius)
    section.radius = 0.5 * options.least_diameter, section.limit = Limit::least;
  section.area = pi * section.radius * section.radius * ring;
  return section;
}

Section cable_section(double force, const DesignOptions& options) {
  Section section;
  section.area = options.safety * std::max(force, 0.0) / options.cable.strength;
  section.radius = std::sqrt(section.area / pi);
  if (section.area > 0.0) section.limit = Limit::yield;
  if (options.least_diameter > 2.0 * section.radius) {
    section.radius = 0.5 * options.least_diameter;
    section.area = pi * section.radius * section.radius;
    section.limit = Limit::least;
  }
  return section;
}

Design design(const Model& model, const DesignOptions& options) {
  check(options);
  require_structure(model);
  Model loaded = fully_loaded(model);
  Design result;
  double before = 0.0, first = 0.0;
  for (result.rounds = 1;; ++result.rounds) {
    const Carried carried = find_forces(loaded);
    size_members(carried, options, result);
    result.weight_left_out = carried.balance.weight_left_out;
    result.largest_move = 0.0;
    for (size_t i = 0; i < model.nodes.size(); ++i)
      result.largest_move =
          std::max(result.largest_move, (carried.model.nodes[i].position - model.nodes[i].position).norm());
    const double mass = result.bar_mass + result.cable_mass;
    if (!options.weight || std::abs(mass - before) <= same_mass * mass) {
      result.stable = is_stable(carried.model);
      return result;
    }
    if (result.rounds == 1) first = mass;
    if (result.rounds == most_rounds || !(mass <= runaway * first))
      throw RunError(0.0, fmt::format("it cannot carry its own weight: after {} rounds its members weigh {:.4g} kg and "
                                      "keep growing",
                                      result.rounds, mass));
    before = mass;
    give_masses(result, loaded);
  }
}

}  // namespace taut
