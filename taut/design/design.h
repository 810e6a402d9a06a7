// The lightest members that carry what a structure carries: every bar and cable as thick as yield and buckling ask for.
//
//   cable, bar in tension   A = s |f| / σ    (a cable pushes only where its law is that of a spring)
//   bar under the push f    A ≥ s f / σ  and  π² E I / L² ≥ s f  (Euler, hinged ends)
//   round, outer radius r, inner radius κ r:   A = π r² (1 - κ²),   I = π r⁴ (1 - κ⁴)/4
//
// with the modulus E, strength σ, safety s. A solid bar that buckles first weighs m = 2 ρ L² √(s f/(π E)), a cable
// m = ρ L s T/σ. Two states count, both in equilibrium with the stiffness of the file, found from the start shape; a
// structure that starts in balance stays where it is:
//
//   under load      all loads act, whatever their times, and the weight
//   as built        prestressed, without loads and weight, or as CutState says. Members are cut for it: put together
//                   from members of the cut lengths L / (1 + f/(E A)) the structure has this shape and these forces,
//                   whatever the E A. A cable that is slack there keeps its rest length
//
// A member is as thick as the worse of the two asks for. One that carries nothing in either is as thick as the thinnest
// of its kind that does. Where rigid bars are statically indeterminate, their forces are the smallest that balance (least
// squares). A machine is in equilibrium in joint coordinates (equilibrium/machine_equilibrium.h). Its bars may bend
// (machine_loads.h), and then
//
//   s |f|/A + s M r / (I (1 - s f/P)) ≤ σ   with P = π² E I/(κ_e L)² where f pushes,  κ_e = 2 where a joint at an end
//                                           holds the bar by a moment, as if clamped there and free beyond, else 1
//
// The cable of a pulley is cut with what is on the drum. With `weight` the members weigh what the design gives them instead of what the file says: repeated until
// nothing changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct Material {
  std::string name;
  double density = 0.0;   // kg/m³
  double modulus = 0.0;   // Pa
  double strength = 0.0;  // Pa
};

// Usual values of steel, aluminium, carbon, polyethylene (fibre): to begin with, not to build by.
const std::vector<Material>& materials();
const Material* find_material(std::string_view name);

// What decides the thickness; nothing: it carries nothing; least: the least diameter.
enum class Limit { nothing, yield, buckling, bending, least };
// What acts on the structure that members are cut for.
enum class CutState { unloaded, weight, loaded };

const char* name(Limit limit);
const char* name(CutState state);

struct DesignOptions {
  Material bar, cable;
  double safety = 1.0;          // s: on force
  double hollow = 0.0;          // κ, inner over outer radius of the bars, 0: solid, below 1
  double least_diameter = 0.0;  // m, of bars and cables
  bool weight = false;
  std::optional<CutState> cut_at;  // none: unloaded, or loaded where nothing holds the unloaded structure in shape
};

struct Section {
  double radius = 0.0;  // m, outer
  double area = 0.0;    // m²
  Limit limit = Limit::nothing;
};

// For a force (N, tension positive) along a length (m).
Section bar_section(double force, double length, const DesignOptions& options);
Section cable_section(double force, const DesignOptions& options);
// For a moment (N m) that bends it besides; clamped: a joint at its end holds it.
Section bent_section(double force, double moment, double length, bool clamped, const DesignOptions& options);

struct DesignedMember {
  std::string name;
  bool bar = false;
  std::vector<int> nodes;
  double length = 0.0, force = 0.0;              // m; N, tension positive: under load
  double built_length = 0.0, built_force = 0.0;  // in the state that it is cut for
  double rest_length = 0.0;                      // m, of the model: with its stiffness
  double cut_length = 0.0;                       // m, without force, of the designed member
  Section section;
  double mass = 0.0;  // kg

  // Of machines.
  bool pulley = false;       // a cable that winds on a pulley: lengths are those of what hangs free
  double wound = 0.0;        // m, of it on the drum where it is cut for, without force: part of cut_length
  bool wound_given = false;  // the file gives its whole length; else `wound` is what the loads pull off
  double moment = 0.0;       // N m, the larger of both states: what bends a bar
  double least_force = 0.0, most_force = 0.0;  // N, along a bar, of both states
  bool clamped = false;                        // a joint at an end of the bar holds it by a moment
};

// A body of a machine, which has no section that could be sized.
struct LoadedBody {
  std::string name;
  double moment = 0.0;  // N m, the largest about its centre by one joint or node, in the worse of both states
};

struct Design {
  std::vector<DesignedMember> members;  // bars, then cables, then those of pulleys
  std::vector<LoadedBody> bodies;       // of a machine
  double bar_mass = 0.0, cable_mass = 0.0;
  double largest_move = 0.0;  // m, of a node from the start shape to the equilibrium under load
  double built_move = 0.0;    // m, to the state that members are cut for
  CutState cut_at = CutState::unloaded;
  bool stable = true;
  bool weight_left_out = false;  // something falls freely
  int rounds = 1;                // of the iteration for the weight
};

// Throws InputError for a machine with `weight`, for options out of range and where nothing carries anything, RunError when there is
// no equilibrium in one of the two states or the structure cannot carry itself.
Design design(const Model& model, const DesignOptions& options);

}  // namespace taut
