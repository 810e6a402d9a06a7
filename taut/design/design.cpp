#include "taut/design/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/machine/machine_equilibrium.h"
#include "taut/equilibrium/machine/machine_loads.h"
#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/form/relax.h"

namespace taut {

namespace {

using std::numbers::pi;

constexpr double same_mass = 1e-10;  // relative: the iteration for the weight ends
constexpr int most_rounds = 200;
constexpr double left_by_joints = 1e-11;  // of the largest force: what loops leave in place of 0
constexpr double runaway = 1e6;           // the mass of the first round over and over: it cannot carry itself

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

// What members are cut for, from the structure under load.
Model as_built(Model model, CutState state) {
  if (state != CutState::loaded) model.loads.clear();
  if (state == CutState::unloaded) model.gravity.setZero();
  return model;
}

const char* words(CutState state) {
  switch (state) {
    case CutState::unloaded:
      return "without loads and weight";
    case CutState::weight:
      return "under its weight without loads";
    default:
      return "under the loads";
  }
}

struct Carried {
  Model model;  // in equilibrium
  Balance balance;
  // Of machines.
  std::vector<BarLoad> bars{};
  std::vector<double> bodies{};
  std::vector<PulleyCable> pulleys{};
};

// Forces of the model as it stands.
void take_forces(Carried& carried) {
  if (!has_joints(carried.model)) {
    carried.balance = start_balance(carried.model);
    return;
  }
  MachineForces forces(carried.model);
  carried.balance = {};
  carried.balance.imbalance = forces.net_force(forces.start()).residual;
  MachineTensions tensions = forces.tensions();
  carried.balance.cable_tension = std::move(tensions.cables);
  carried.balance.bar_force = std::move(tensions.bars);
  carried.bars = bar_loads(forces);
  carried.bodies = body_moments(forces);
  carried.pulleys = pulley_cables(forces);
}

// Whether the energy rises, or stays, along every motion from an equilibrium.
bool is_stable(const Model& model) {
  if (has_joints(model)) {
    MachineForces forces(model);
    forces.net_force(forces.start());
    MachineEquilibrium here;
    judge_stability(forces, here);
    return here.stable || !here.free.empty();
  }
  StaticForces statics(model);
  if (statics.unknowns().empty()) return true;
  const NetForce at = statics.net_force(statics.start());
  const TangentStiffness stiffness(statics, at);
  // A motion that costs nothing is not unstable.
  std::vector<SparseEntry> slight;
  for (int k = 0; k < stiffness.unknowns(); ++k) slight.push_back({k, k, faint_stiffness * stiffness.bound()[k]});
  return stiffness.factorise(slight).has_value();
}

Carried find_forces(const Model& model, CutState state) {
  Carried carried{model, {}};
  take_forces(carried);
  if (carried.balance.imbalance <= equilibrium_found) return carried;
  RelaxResult result = relax(model);
  if (!result.converged)
    throw RunError(
        0.0, fmt::format("there is no equilibrium {} to {}: {} (largest net force {:.2e} of the mean member force){}",
                         words(state), state == CutState::loaded ? "design for" : "cut members for", result.reason,
                         result.residual,
                         state == CutState::loaded ? "" : "; name another state for it: --cut-at weight or loaded"));
  carried.model = std::move(result.model);
  take_forces(carried);
  return carried;
}

// The state that members are cut for. Where none is named, one that has no shape without its loads is cut for them.
Carried find_built(const Model& loaded, const Carried& carried, const DesignOptions& options, CutState& state) {
  state = options.cut_at.value_or(CutState::unloaded);
  if (state == CutState::loaded) return carried;
  try {
    return find_forces(as_built(loaded, state), state);
  } catch (const RunError&) {
    if (options.cut_at) throw;
    state = CutState::loaded;
    return carried;
  }
}

// What bends bars, and cables on pulleys.
void add_machine(const Carried& loaded, const Carried& built, std::vector<DesignedMember>& members) {
  const Model& model = loaded.model;
  for (size_t i = 0; i < model.bars.size(); ++i)
    for (const BarLoad* load : {&loaded.bars[i], &built.bars[i]}) {
      DesignedMember& bar = members[i];
      bar.least_force = std::min(bar.least_force, load->least);
      bar.most_force = std::max(bar.most_force, load->most);
      bar.moment = std::max(bar.moment, load->moment);
      bar.clamped = bar.clamped || load->end_moment > 0.0;
    }
  for (size_t i = 0; i < model.pulleys.size(); ++i) {
    const PulleySpec& pulley = model.pulleys[i];
    const PulleyCable &under = loaded.pulleys[i], &there = built.pulleys[i];
    DesignedMember& cable = members.emplace_back();
    cable.name = pulley.name;
    cable.pulley = true;
    if (pulley.node >= 0) cable.nodes = {pulley.node};
    cable.length = under.length, cable.force = under.tension;
    cable.built_length = there.length, cable.built_force = there.tension;
    cable.rest_length = there.free_length;
    cable.wound_given = pulley.length.has_value();
    cable.wound = std::max(0.0, pulley.length.value_or(under.free_length) - there.free_length);
  }
}

Section section_of(const DesignedMember& m, const DesignOptions& options) {
  Section section = m.bar ? bar_section(m.force, m.length, options) : cable_section(m.force, options);
  const auto worse = [&](const Section& other) {
    if (other.radius > section.radius) section = other;
  };
  worse(m.bar ? bar_section(m.built_force, m.built_length, options) : cable_section(m.built_force, options));
  for (const double force : {m.least_force, m.most_force})
    if (m.bar && (force != 0.0 || m.moment > 0.0))
      worse(bent_section(force, m.moment, std::max(m.length, m.built_length), m.clamped, options));
  return section;
}

// Bars, then cables, with their lengths and forces in both states.
std::vector<DesignedMember> list_members(const Carried& loaded, const Carried& built) {
  std::vector<DesignedMember> members;
  const auto add = [&](const auto& entity, bool bar, std::vector<int> nodes, const std::vector<double>& force,
                       const std::vector<double>& built_force, size_t i) {
    DesignedMember& member = members.emplace_back();
    member.name = entity.name;
    member.bar = bar;
    member.nodes = std::move(nodes);
    member.length = start_length(loaded.model, entity);
    member.force = force[i];
    member.built_length = start_length(built.model, entity);
    member.built_force = built_force[i];
    member.rest_length = entity.rest_length;
  };
  const Model& model = loaded.model;
  for (size_t i = 0; i < model.bars.size(); ++i)
    add(model.bars[i], true, {model.bars[i].a, model.bars[i].b}, loaded.balance.bar_force, built.balance.bar_force, i);
  for (size_t i = 0; i < model.cables.size(); ++i)
    add(model.cables[i], false, model.cables[i].path, loaded.balance.cable_tension, built.balance.cable_tension, i);
  if (has_joints(model)) add_machine(loaded, built, members);
  // What a linear solution leaves in place of 0.
  double largest = 0.0;
  for (const DesignedMember& m : members)
    largest = std::max({largest, std::abs(m.force), std::abs(m.built_force), -m.least_force, m.most_force});
  // Through joints and loops more is left.
  const double nothing = (has_joints(model) ? left_by_joints : cleared_force) * largest;
  for (DesignedMember& m : members) {
    for (double* force : {&m.force, &m.built_force, &m.least_force, &m.most_force})
      if (std::abs(*force) <= nothing) *force = 0.0;
    if (m.moment <= nothing * m.length) m.moment = 0.0, m.clamped = false;
  }
  return members;
}

// Members that carry nothing are as thick as the thinnest that does, of their kind if there is one.
void size_idle(std::vector<DesignedMember>& members, const DesignOptions& options) {
  for (DesignedMember& idle : members) {
    if (idle.section.radius > 0.0) continue;
    double radius[2] = {INFINITY, INFINITY};  // of any kind, of its own
    for (const DesignedMember& m : members)
      if (m.section.limit != Limit::nothing)
        for (const bool own : {false, true})
          if (!own || m.bar == idle.bar) radius[own] = std::min(radius[own], m.section.radius);
    idle.section.radius = std::isfinite(radius[1]) ? radius[1] : radius[0];
    if (!std::isfinite(idle.section.radius))
      throw InputError(
          "no member carries anything, so that none has a thickness: expected loads, prestress or a least diameter");
    const double bore = idle.bar ? options.hollow : 0.0;
    idle.section.area = pi * idle.section.radius * idle.section.radius * (1.0 - bore * bore);
  }
}

void size_members(const Carried& loaded, const Carried& built, const DesignOptions& options, Design& design) {
  design.members = list_members(loaded, built);
  for (DesignedMember& m : design.members) m.section = section_of(m, options);
  size_idle(design.members, options);
  design.bar_mass = design.cable_mass = 0.0;
  for (DesignedMember& m : design.members) {
    const Material& material = m.bar ? options.bar : options.cable;
    // What is slack there keeps the length that the file gives it.
    m.cut_length = m.built_force != 0.0 ? m.built_length / (1.0 + m.built_force / (material.modulus * m.section.area))
                   : m.bar              ? m.built_length
                                        : m.rest_length;
    m.cut_length += m.wound;
    m.mass = material.density * m.section.area * (m.pulley ? m.cut_length : m.length);
    (m.bar ? design.bar_mass : design.cable_mass) += m.mass;
  }
}

std::vector<LoadedBody> loaded_bodies(const Carried& loaded, const Carried& built) {
  std::vector<LoadedBody> bodies;
  double largest = 0.0;
  for (size_t i = 0; i < loaded.bodies.size(); ++i) {
    bodies.push_back({loaded.model.bodies[i].name, std::max(loaded.bodies[i], built.bodies[i])});
    largest = std::max(largest, bodies.back().moment);
  }
  for (const BarLoad& bar : loaded.bars) largest = std::max({largest, bar.moment, -bar.least, bar.most});
  for (LoadedBody& body : bodies)
    if (body.moment <= left_by_joints * largest) body.moment = 0.0;
  return bodies;
}

void give_masses(const Design& design, Model& model) {
  const size_t bars = model.bars.size();
  for (size_t i = 0; i < bars; ++i) model.bars[i].mass = design.members[i].mass;
  for (size_t i = 0; i < model.cables.size(); ++i) model.cables[i].mass = design.members[bars + i].mass;
}

double largest_move(const Model& from, const Model& to) {
  double largest = 0.0;
  for (size_t i = 0; i < from.nodes.size(); ++i)
    largest = std::max(largest, (to.nodes[i].position - from.nodes[i].position).norm());
  return largest;
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

const char* name(CutState state) {
  switch (state) {
    case CutState::unloaded:
      return "unloaded";
    case CutState::weight:
      return "weight";
    default:
      return "loaded";
  }
}

const char* name(Limit limit) {
  switch (limit) {
    case Limit::yield:
      return "yield";
    case Limit::buckling:
      return "buckling";
    case Limit::bending:
      return "bending";
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

Section bent_section(double force, double moment, double length, bool clamped, const DesignOptions& options) {
  const double effective = clamped ? 2.0 * length : length;
  Section section = bar_section(force, effective, options);
  if (!(moment > 0.0)) return section;
  const double kappa = options.hollow, ring = 1.0 - kappa * kappa, s = options.safety;
  // The largest stress over the strength.
  const auto used = [&](double r) {
    const double area = pi * r * r * ring, inertia = 0.25 * area * r * r * (1.0 + kappa * kappa);
    const double euler = pi * pi * options.bar.modulus * inertia / (effective * effective);
    const double left = force < 0.0 ? 1.0 + s * force / euler : 1.0;
    return left > 0.0 ? (s * std::abs(force) / area + s * moment * r / (inertia * left)) / options.bar.strength
                      : INFINITY;
  };
  double low = section.radius, high = std::max(section.radius, std::cbrt(s * moment / options.bar.strength));
  if (low > 0.0 && used(low) <= 1.0) return section;
  while (!(used(high) <= 1.0)) high *= 2.0;
  for (int k = 0; k < 200 && low < high; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (used(middle) <= 1.0 ? high : low) = middle;
  }
  section.radius = high;
  section.area = pi * high * high * ring;
  section.limit = Limit::bending;
  return section;
}

Section cable_section(double force, const DesignOptions& options) {
  Section section;
  section.area = options.safety * std::abs(force) / options.cable.strength;
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
  if (has_joints(model) && options.weight)
    throw InputError(
        "design: --weight is for structures: of a machine the bodies, drums and blocks weigh what the file says, and "
        "cables on pulleys have no mass in it. Size it with the masses of the file, write those that were found into "
        "the "
        "file, and repeat");
  Model loaded = fully_loaded(model);
  Design result;
  Carried built;
  double before = 0.0, first = 0.0;
  for (result.rounds = 1;; ++result.rounds) {
    const Carried carried = find_forces(loaded, CutState::loaded);
    // Without weight the state does not depend on the masses.
    if (result.rounds == 1 || result.cut_at != CutState::unloaded)
      built = find_built(loaded, carried, options, result.cut_at);
    size_members(carried, built, options, result);
    result.bodies = loaded_bodies(carried, built);
    result.weight_left_out = carried.balance.weight_left_out;
    result.largest_move = largest_move(model, carried.model);
    result.built_move = largest_move(model, built.model);
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
