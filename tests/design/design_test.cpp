// Sizes, masses and cut lengths: closed forms of bars, tubes, cables, D-bars and T-bars; weight; the table to build by.
#include "taut/design/design.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/machine/machine_loads.h"
#include "taut/file/read/read_toml.h"
#include "taut/form/relax.h"
#include "taut/modes/lowest_modes.h"
#include "taut/modes/modes.h"
#include "tests/apps/program.h"
#include "tests/formulation/bodies_support.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using std::numbers::pi;

DesignOptions steel() {
  DesignOptions options;
  options.bar = options.cable = *find_material("steel");
  return options;
}

// One bar along x on a fixed hinge, pushed (or pulled) at its sliding end.
Model one_bar(double length, double force) {
  Model model = empty_scenario().model;
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {length, 0, 0}, 0.0, {false, true, true});
  add_bar(model, 0, 1, 1.0);
  add_load(model, 1, {force, 0, 0});
  return model;
}

double mass_of(const Design& design) { return design.bar_mass + design.cable_mass; }

// The published m = 2 ρ L² √(f/(π E)), and Euler's load back from the diameter.
TEST(Design, SolidBarBuckles) {
  const DesignOptions options = steel();
  for (double length : {0.7, 2.0})
    for (double force : {50.0, 4000.0}) {
      const Design found = design(one_bar(length, -force), options);
      const double closed = 2.0 * 7860.0 * length * length * std::sqrt(force / (pi * 206e9));
      EXPECT_NEAR(mass_of(found) / closed, 1.0, 1e-12);
      ASSERT_EQ(found.members.size(), 1u);
      const double d = 2.0 * found.members[0].section.radius;
      EXPECT_NEAR(pi * pi * 206e9 * (pi * std::pow(d, 4) / 64.0) / (length * length), force, 1e-9 * force);
      EXPECT_EQ(found.members[0].section.limit, Limit::buckling);
      EXPECT_NEAR(found.members[0].force, -force, 1e-12 * force);
      EXPECT_EQ(found.largest_move, 0.0);
    }
}

// Tubes: I = π (D⁴ - d⁴)/64; the mass falls by √((1 - κ²)/(1 + κ²)).
TEST(Design, TubeBuckles) {
  DesignOptions options = steel();
  const double solid = mass_of(design(one_bar(2.0, -500.0), options));
  options.hollow = 0.8;
  options.safety = 1.7;
  const Design found = design(one_bar(2.0, -500.0), options);
  const double D = 2.0 * found.members[0].section.radius, d = 0.8 * D;
  EXPECT_NEAR(pi * pi * 206e9 * pi * (std::pow(D, 4) - std::pow(d, 4)) / 64.0 / 4.0, 1.7 * 500.0, 1e-9);
  EXPECT_NEAR(found.members[0].section.area, pi * (D * D - d * d) / 4.0, 1e-18);
  EXPECT_NEAR(mass_of(found) / solid, std::sqrt(1.7 * (1 - 0.64) / (1 + 0.64)), 1e-12);
}

// Stocky and pulled bars yield; the greater need decides on either side of where the two meet.
TEST(Design, YieldWhereItDecides) {
  const DesignOptions options = steel();
  const Design pulled = design(one_bar(2.0, 500.0), options);
  EXPECT_NEAR(mass_of(pulled) / (7860.0 * 2.0 * 500.0 / 690e6), 1.0, 1e-12);
  EXPECT_EQ(pulled.members[0].section.limit, Limit::yield);
  // Both at once: s f/σ = A and A² π E/(4 L²) = f, so f = 4 L² σ²/(π E).
  const double meet = 4.0 * 690e6 * 690e6 / (pi * 206e9);
  EXPECT_EQ(bar_section(-meet * (1 - 1e-9), 1.0, options).limit, Limit::buckling);
  EXPECT_EQ(bar_section(-meet * (1 + 1e-9), 1.0, options).limit, Limit::yield);
  EXPECT_NEAR(bar_section(-meet, 1.0, options).area, meet / 690e6, 1e-12);
}

// A cable: m = ρ L T/σ; unstretched it is shorter by T/(E A).
TEST(Design, CableYieldsAndIsCutShort) {
  DesignOptions options = steel();
  options.cable = *find_material("polyethylene");
  const Model model = generated("net", {{"nx", 1}, {"ny", 1}, {"pretension", 60.0}}).model;
  const Design found = design(model, options);
  ASSERT_EQ(found.members.size(), 4u);
  for (const DesignedMember& member : found.members) {
    EXPECT_NEAR(member.mass / (970.0 * 0.5 * 60.0 / 2.7e9), 1.0, 1e-12);
    // At the limit the strain is σ/E whatever the force.
    EXPECT_NEAR(member.cut_length, 0.5 / (1.0 + 2.7e9 / 110e9), 1e-15);
    EXPECT_NEAR(member.rest_length, 0.5 - 60.0 / 1000.0, 1e-12);
  }
  // A bar that is cut for its load is longer by what that pushes it together.
  options.cut_at = CutState::loaded;
  const DesignedMember bar = design(one_bar(1.0, -500.0), options).members[0];
  EXPECT_NEAR(bar.cut_length * (1.0 - 500.0 / (206e9 * bar.section.area)), 1.0, 1e-15);
  EXPECT_GT(bar.cut_length, 1.0);
}

// The structure put together from the table: members of the designed stiffness and the cut lengths.
Model built_from(const Model& model, const Design& table, const DesignOptions& options) {
  Model built = model;
  for (std::size_t i = 0; i < built.bars.size(); ++i) {
    Bar& bar = built.bars[i];
    bar.elastic = true;
    bar.EA = options.bar.modulus * table.members[i].section.area;
    bar.rest_length = table.members[i].cut_length;
  }
  for (std::size_t i = 0; i < built.cables.size(); ++i) {
    const DesignedMember& member = table.members[built.bars.size() + i];
    built.cables[i].law = linear_law(options.cable.modulus * member.section.area);
    built.cables[i].law.by_EA = true;
    built.cables[i].rest_length = member.cut_length;
  }
  return built;
}

// A bridge of soft cables that its loads bend far down. Built from the table and without loads it has the drawn shape
// and the prestress of the file, whatever the stiffness of what it was built from; cut for the loads it would not.
TEST(Design, WhatIsBuiltFromTheTableHasThePrestressOfTheFile) {
  Model model = generated("bridge", {{"pretension", 5000.0}, {"stiffness", 40000.0}}).model;
  model.gravity.setZero();
  const Balance drawn = start_balance(model);
  ASSERT_LT(drawn.imbalance, 1e-9);
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (model.nodes[i].name == "a3") add_load(model, static_cast<int>(i), {0.0, 0.0, -2000.0});
  ASSERT_EQ(model.loads.size(), 1u);
  DesignOptions options = steel();
  options.safety = 2.0;
  const auto after = [&](CutState state) {
    options.cut_at = state;
    Model built = built_from(model, design(model, options), options);
    built.loads.clear();
    return relax(built);
  };
  const Design table = design(model, options);
  EXPECT_GT(table.largest_move, 0.05);  // they do bend it
  EXPECT_EQ(table.built_move, 0.0);
  const RelaxResult good = after(CutState::unloaded), sagged = after(CutState::loaded);
  ASSERT_TRUE(good.converged) << good.reason;
  double move = 0.0, sag = 0.0;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    move = std::max(move, (good.model.nodes[i].position - model.nodes[i].position).norm());
    sag = std::max(sag, (sagged.model.nodes[i].position - model.nodes[i].position).norm());
  }
  EXPECT_LT(move, 1e-8);
  EXPECT_GT(sag, 0.05);
  const Balance there = start_balance(good.model);
  for (std::size_t i = 0; i < model.cables.size(); ++i)
    EXPECT_NEAR(there.cable_tension[i], drawn.cable_tension[i], 1e-6 * drawn.mean_force) << model.cables[i].name;
  // Every member carries either state at no more than the strength over the safety.
  for (const DesignedMember& member : table.members)
    for (const double force : {member.force, member.built_force})
      EXPECT_LE(2.0 * std::abs(force), 690e6 * member.section.area * (1.0 + 1e-12)) << member.name;
}

// A cable that hangs slack in both states and one that only the load slackens have a thickness.
TEST(Design, NoMemberHasTheDiameterZero) {
  Model model = empty_scenario().model;
  const int left = add_node(model, {-1, 0, 0}, 0.0, all_fixed), right = add_node(model, {1, 0, 0}, 0.0, all_fixed),
            middle = add_node(model, {0, 0, 0}, 1.0, {false, true, true});
  add_cable(model, {left, middle}, linear_law(1000.0), 0.9);
  add_cable(model, {middle, right}, linear_law(1000.0), 0.9);
  add_cable(model, {left, right}, linear_law(1000.0), 2.5);
  add_load(model, middle, {300.0, 0.0, 0.0});
  const Design found = design(model, steel());
  EXPECT_EQ(found.members[1].force, 0.0);
  EXPECT_NEAR(found.members[1].built_force, 100.0, 1e-9);
  EXPECT_NEAR(found.members[1].section.area, 100.0 / 690e6, 1e-12 / 690e6);
  EXPECT_EQ(found.members[2].section.limit, Limit::nothing);
  EXPECT_EQ(found.members[2].section.radius, found.members[1].section.radius);
  EXPECT_GT(found.members[2].mass, 0.0);
  EXPECT_EQ(found.members[2].cut_length, 2.5);  // slack, as in the file
  // Nothing to go by.
  for (Cable& cable : model.cables) cable.rest_length = 2.5;
  model.loads.clear();
  EXPECT_THROW(design(model, steel()), InputError);
  DesignOptions thick = steel();
  thick.least_diameter = 0.002;
  EXPECT_EQ(design(model, thick).members[0].section.radius, 0.001);
}

// Published: a D-bar instead of a bar weighs cos(α)^(-5/2)/√2 as much in bars; its short string ρ F L tan²α/σ. Each
// further order does it again, here with half the angle.
TEST(Design, DBarsGrowLighter) {
  DesignOptions options = steel();
  options.cut_at = CutState::loaded;  // unloaded, the short strings would pull the long cables taut
  const double load = 1000.0, alpha = 10.0 * pi / 180.0;
  const double single = mass_of(design(one_bar(1.0, -load), options));
  double expected = single, before = single;
  for (int order = 1; order <= 4; ++order) {
    // Hardly any prestress: the long cables, which the load does not need, weigh nothing.
    const Model model =
        generated("d_bar", {{"angle", 10}, {"order", order}, {"load", load}, {"pretension", 1e-6}, {"stiffness", 1e7}})
            .model;
    const Design found = design(model, options);
    expected *= std::pow(std::cos(alpha * std::pow(0.5, order - 1)), -2.5) / std::numbers::sqrt2;
    EXPECT_NEAR(found.bar_mass / expected, 1.0, 1e-8) << order;
    EXPECT_LT(mass_of(found), before) << order;
    EXPECT_TRUE(found.stable);
    before = mass_of(found);
    if (order == 1) {
      const double string = 7860.0 * load * std::pow(std::tan(alpha), 2) / 690e6;
      EXPECT_NEAR(found.cable_mass / string, 1.0, 1e-6);
    }
  }
}

// Published: n orders of T-bars cut a bar into 2ⁿ, m / 2ⁿ in bars along the span.
TEST(Design, TBarsGrowLighter) {
  const DesignOptions options = steel();
  const double single = mass_of(design(one_bar(1.0, -1000.0), options));
  for (int order = 1; order <= 4; ++order) {
    const Design found =
        design(generated("t_bar", {{"order", order}, {"load", 1000.0}, {"pretension", 1e-9}}).model, options);
    double along = 0.0;
    for (int i = 0; i < 1 << order; ++i) along += found.members[i].mass;
    EXPECT_NEAR(along / (single * std::pow(0.5, order)), 1.0, 1e-8) << order;
    EXPECT_NEAR(mass_of(found) / along, 1.0, 1e-4) << order;
  }
}

// Too much load on a slender line of bars: the verdict agrees with the sign of the lowest frequency.
TEST(Design, SaysWhatIsUnstable) {
  for (double load : {10.0, 1000.0, 20000.0}) {
    const Model model = generated("t_bar", {{"order", 3}, {"load", load}, {"stiffness", 10000}}).model;
    EXPECT_EQ(design(model, steel()).stable, lowest_modes(model, 4).square[0] > -1e-6) << load;
  }
  EXPECT_FALSE(design(generated("t_bar", {{"order", 3}, {"load", 20000.0}}).model, steel()).stable);
  EXPECT_TRUE(design(generated("t_bar", {{"order", 3}, {"load", 10.0}}).model, steel()).stable);
}

// A rigid body on cables that floats with the whole: six motions that cost nothing, none that falls. Pushed by its
// cables instead of pulled it turns away.
TEST(Design, BodiesThatFloatAreStableOrNotByTheirModes) {
  for (const double bars : {6.0, 12.0})
    for (const double suspension : {1.0, 3.0}) {
      const Model lander = generated("lander", {{"bars", bars}, {"suspension", suspension}}).model;
      const ModalAnalysis modes = find_modes(lander);
      ASSERT_EQ((modes.square.array() == 0.0).count(), 6);
      ASSERT_GT(modes.square[6], 0.0);
      const Design found = design(lander, steel());
      EXPECT_TRUE(found.stable) << bars << " " << suspension;
      EXPECT_TRUE(relax(lander).stable);
      for (const DesignedMember& member : found.members) EXPECT_GT(member.mass, 0.0) << member.name;
    }
  // A ball on six springs to fixed points: turning it costs 4 T r R/L, pushed it turns away.
  for (const double tension : {2.0, -2.0}) {
    Model model = empty_scenario().model;
    std::vector<int> corners;
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {1.0, -1.0}) {
        corners.push_back(add_node(model, 0.2 * side * Vec3::Unit(axis)));
        const int far = add_node(model, side * Vec3::Unit(axis), 0.0, all_fixed);
        add_cable(model, {corners.back(), far}, spring_law(100.0), 0.8 - tension / 100.0);
      }
    add_body(model, "ball", corners, 1.0, Vec3::Zero(), 0.01 * Mat3::Identity());
    const ModalAnalysis modes = find_modes(model);
    EXPECT_NEAR(modes.square[0], std::min(100.0 * 4.0 * tension * 0.2 / 0.8, 200.0 + 4.0 * tension / 0.8), 1e-9);
    EXPECT_EQ(design(model, steel()).stable, tension > 0.0);
  }
}

// A cable that carries M and itself: half of its weight acts at its end, T = (M + m/2) g, A = s M g/(σ - s ρ g L/2).
Model hanging(double payload) {
  Model model = empty_scenario().model;
  model.gravity = {0, 0, -9.81};
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {0, 0, -100}, payload);
  add_cable(model, {0, 1}, linear_law(1e9), 100.0);
  return model;
}

TEST(Design, OwnWeight) {
  DesignOptions options = steel();
  options.safety = 3.0;
  const Design file = design(hanging(50.0), options);
  EXPECT_NEAR(file.members[0].force, 50.0 * 9.81, 1e-6);
  options.weight = true;
  const Design found = design(hanging(50.0), options);
  const double L = found.members[0].length, A = 3.0 * 50.0 * 9.81 / (690e6 - 3.0 * 7860.0 * 9.81 * L / 2.0);
  EXPECT_NEAR(found.members[0].section.area / A, 1.0, 1e-8);
  EXPECT_GT(found.rounds, 2);
  // Longer than it can carry: s ρ g L/2 > σ.
  options.cable.density = 1e6;
  EXPECT_THROW(design(hanging(50.0), options), RunError);
}

// Loads that come later count as well, and the shape gives way under them.
TEST(Design, AllLoadsActWhateverTheirTimes) {
  Model model = generated("x_module", {{"supported", 1}}).model;
  const Design unloaded = design(model, steel());
  EXPECT_EQ(unloaded.largest_move, 0.0);
  model.loads.push_back({2, {3.0, 0.0, 0.0}, 5.0, 6.0});
  const Design found = design(model, steel());
  EXPECT_GT(found.largest_move, 1e-4);
  EXPECT_NE(found.members[0].force, unloaded.members[0].force);
  // Cut off the upper nodes: what crosses the cut carries 3 N along x, but for the 10 N of the cables times the few
  // thousandths by which they have tilted.
  double across = 3.0;
  for (const DesignedMember& member : found.members) {
    const auto [lower, upper] = std::minmax(member.nodes[0], member.nodes[1]);
    if (lower > 1 || upper < 2) continue;
    const Vec3 down = model.nodes[lower].position - model.nodes[upper].position;
    across += member.force * down.x() / down.norm();
  }
  EXPECT_NEAR(across, 0.0, 0.2);
}

TEST(Design, LeastDiameter) {
  DesignOptions options = steel();
  options.least_diameter = 0.05;
  const Design found = design(generated("x_module").model, options);
  for (const DesignedMember& member : found.members) {
    EXPECT_EQ(member.section.limit, Limit::least);
    EXPECT_NEAR(member.mass, 7860.0 * pi * 0.025 * 0.025 * member.length, 1e-12);
  }
}

TEST(Design, BadNumbersAreRefused) {
  const auto refused = [](const DesignOptions& options, const Model& model) {
    try {
      design(model, options);
    } catch (const InputError& error) {
      return error.problems()[0].key;
    }
    return std::string("nothing");
  };
  const Model model = one_bar(1.0, -1.0);
  DesignOptions options = steel();
  options.hollow = 1.0;
  EXPECT_EQ(refused(options, model), "hollow");
  options = steel();
  options.safety = -1.0;
  EXPECT_EQ(refused(options, model), "safety");
  options = steel();
  options.bar.modulus = std::nan("");
  EXPECT_EQ(refused(options, model), "bar modulus");
  EXPECT_EQ(refused(DesignOptions{}, model), "bar density");
}

// The program: the table in the file holds what the object says.
TEST(Design, CommandWritesTheTable) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_program({"examples", "michell", "-o", "m.toml"}, scratch.path()).exit_code, 0);
  const Outcome outcome = run_program({"design", "m.toml", "--json", "-o", "m.csv", "--hollow", "0.5", "--bar-material",
                                       "aluminium", "--cable-strength", "1e9"},
                                      scratch.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const auto object = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(object["members"].size(), 20u);
  EXPECT_EQ(object["cut_at"], "loaded");  // without its load it collapses
  EXPECT_EQ(run_program({"design", "m.toml", "--cut-at", "unloaded"}, scratch.path()).exit_code, 1);
  EXPECT_EQ(object["bar_material"]["name"], "aluminium");
  EXPECT_EQ(object["cable_material"]["strength"], 1e9);
  std::istringstream lines(contents(scratch / "m.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "name,kind,nodes,length,force,rest_length,cut_length,outer_diameter,inner_diameter,mass,limit,"
            "built_length,built_force");
  double mass = 0.0;
  for (const auto& member : object["members"]) {
    ASSERT_TRUE(std::getline(lines, line));
    std::vector<std::string> fields;
    std::istringstream row(line);
    for (std::string field; std::getline(row, field, ',');) fields.push_back(field);
    ASSERT_EQ(fields.size(), 13u);
    EXPECT_EQ(fields[0], member["name"]);
    EXPECT_EQ(std::stod(fields[4]), member["force"]);
    EXPECT_EQ(std::stod(fields[12]), member["built_force"]);
    EXPECT_EQ(std::stod(fields[8]), member["kind"] == "bar" ? 0.5 * std::stod(fields[7]) : 0.0);
    mass += std::stod(fields[9]);
  }
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_NEAR(mass / object["mass"].get<double>(), 1.0, 1e-12);
}

TEST(Design, CommandRefuses) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_program({"examples", "x_module", "-o", "x.toml"}, scratch.path()).exit_code, 0);
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part, int code = 2) {
    arguments.insert(arguments.begin(), "design");
    const Outcome outcome = run_program(arguments, scratch.path());
    EXPECT_EQ(outcome.exit_code, code) << part;
    EXPECT_EQ(outcome.out, "") << part;
    EXPECT_NE(outcome.error.find(part), std::string::npos) << outcome.error;
  };
  refused({"x.toml", "--bar-material", "stel"}, "did you mean \"steel\"?");
  refused({"x.toml", "--cable-material", "granite"}, "expected one of steel, aluminium, carbon, polyethylene");
  refused({"x.toml", "--hollow", "1"}, "hollow: must be 0 or more and below 1");
  refused({"x.toml", "--safety", "0"}, "positive number");
  refused({"missing.toml"}, "missing.toml");
  refused({"x.toml", "-o", ""}, "--output: is empty: expected a value");
  const std::string before = contents(scratch / "x.toml");
  refused({"x.toml", "-o", "./x.toml"}, "it is a file that this command reads");
  EXPECT_EQ(contents(scratch / "x.toml"), before);
  const Outcome help = run_program({"design", "--help"}, scratch.path());
  std::istringstream lines(help.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
}

// --- Machines.

const DesignedMember& member_of(const Design& design, const std::string& name) {
  const auto found = std::find_if(design.members.begin(), design.members.end(),
                                  [&](const DesignedMember& m) { return m.name == name; });
  EXPECT_NE(found, design.members.end()) << name;
  return *found;
}

// Arsenault and Gosselin (2005): f = 2 K ρ = 4000 N along a leg of ρ = 2 m, whose knee is 1 m beside it: every rod is
// pressed by f cos 45° and bent by f · 1 m; cables carry K L.
TEST(DesignOfMachines, LegsWithKneesBend) {
  const Design found = design(generated("three_dof_mechanism").model, steel());
  for (const char* name : {"proximal1", "distal1", "proximal3", "distal3"}) {
    const DesignedMember& rod = member_of(found, name);
    EXPECT_NEAR(rod.force, -4000.0 * std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(rod.moment, 4000.0, 1e-6);
    EXPECT_TRUE(rod.clamped);
    EXPECT_EQ(rod.section.limit, Limit::bending);
    // At the limit: σ = f/A + M r/I/(1 - f/P), buckling with twice the length.
    const double r = rod.section.radius, A = pi * r * r, I = 0.25 * A * r * r;
    const double P = pi * pi * 206e9 * I / (4.0 * rod.length * rod.length);
    EXPECT_NEAR(-rod.force / A + rod.moment * r / (I * (1.0 + rod.force / P)), 690e6, 1.0);
  }
  for (const char* name : {"cable1", "a1-a2"}) {
    EXPECT_NEAR(member_of(found, name).force, 1000.0 * std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(member_of(found, name).section.area, 1000.0 * std::sqrt(0.5) / 690e6, 1e-15);
  }
}

// A level lever of 2 m on a hinge, held by a stay at its middle, loaded by F at its end: the stay carries 2 F, the lever
// bends by F · 1 m at its middle, and no joint holds it by a moment.
TEST(DesignOfMachines, ALeverBendsWhereItsStayHoldsIt) {
  const Scenario lever = test_model("lever");
  DesignOptions options = steel();
  options.cut_at = CutState::loaded;
  const Design found = design(lever.model, options);
  const DesignedMember &bar = member_of(found, "lever"), &stay = member_of(found, "stay");
  EXPECT_NEAR(stay.force, 200.0, 1e-9);
  EXPECT_NEAR(bar.moment, 100.0, 1e-9);
  EXPECT_FALSE(bar.clamped);
  EXPECT_NEAR(bar.force, 0.0, 1e-9);
  EXPECT_NEAR(bar.section.radius, std::cbrt(4.0 * 100.0 / (pi * 690e6)), 1e-12);
  EXPECT_NEAR(stay.cut_length, 1.5 / (1.0 + 690e6 / 206e9), 1e-12);
}

// A weight m g on a drum of radius r, held by a torque: the rope carries m g, the drum bears m g r; of 2 m of rope what
// does not hang is on the drum.
TEST(DesignOfMachines, TheRopeOfADrumIsCutWithWhatIsWoundUp) {
  const Scenario drum = test_model("hook_on_a_drum", "length = 2\n[[actuators]]\njoint = \"bearing\"\nposition = 0\n");
  DesignOptions options = steel();
  options.cut_at = CutState::weight;
  const Design found = design(drum.model, options);
  const DesignedMember& rope = member_of(found, "rope");
  const double T = 3.0 * 9.81, l0 = 1.0 / 1.001;
  EXPECT_NEAR(rope.force, T, 1e-8);
  EXPECT_NEAR(rope.section.area, T / 690e6, 1e-18);
  EXPECT_NEAR(rope.built_length, l0 * (1.0 + T / 5000.0), 1e-9);
  EXPECT_NEAR(rope.wound, 2.0 - l0, 1e-9);
  EXPECT_NEAR(rope.cut_length, rope.wound + rope.built_length / (1.0 + 690e6 / 206e9), 1e-12);
  ASSERT_EQ(found.bodies.size(), 1u);
  EXPECT_NEAR(found.bodies[0].moment, 0.1 * T, 1e-6);
  // Nothing holds the hook where it weighs nothing: cut for what loads it.
  options.cut_at.reset();
  EXPECT_EQ(design(drum.model, options).cut_at, CutState::loaded);
  options.weight = true;
  EXPECT_THROW(design(drum.model, options), InputError);
}

// Everything that acts on a body of a machine at rest adds up to nothing, and along a bar N is what its ends say by the
// law of the lever, another route.
TEST(DesignOfMachines, WhatActsOnBodiesBalances) {
  Model heavy = generated("three_dof_mechanism").model;
  heavy.gravity = {0, 0, -9.81};
  for (const Model& start : {generated("single_strut").model, generated("tensegrity_manipulator").model, heavy}) {
    const RelaxResult found = relax(start);
    ASSERT_TRUE(found.converged) << found.reason;
    MachineForces forces(found.model);
    const MachineNet net = forces.net_force(forces.start());
    for (const std::vector<PointLoad>& link : loads_on_links(forces)) {
      Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
      for (const PointLoad& load : link) force += load.force, moment += load.moment + load.at.cross(load.force);
      EXPECT_LT(force.norm() + moment.norm(), 1e-9 * (1.0 + net.mean)) << start.name;
    }
    const std::vector<BarLoad> bars = bar_loads(forces);
    const std::vector<double> axial = forces.tensions().bars;
    for (std::size_t k = 0; k < bars.size(); ++k) {
      if (!bars[k].whole) continue;
      EXPECT_GE(axial[k], bars[k].least - 1e-9 * (1.0 + net.mean)) << found.model.bars[k].name;
      EXPECT_LE(axial[k], bars[k].most + 1e-9 * (1.0 + net.mean)) << found.model.bars[k].name;
    }
  }
}

}  // namespace
}  // namespace taut::testing
