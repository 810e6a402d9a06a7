// The statics of a structure at its start shape: states of self-stress and mechanisms, forces under loads with cables
// in tension, reactions, stability, stiffness. docs/theory/statics.md derives it.
#pragma once

#include <optional>
#include <vector>

#include "taut/equilibrium/tolerances.h"
#include "taut/statics/buckling.h"
#include "taut/statics/mechanisms.h"
#include "taut/statics/stiffness.h"

namespace taut {

struct StaticsOptions {
  double tolerance = dependent_direction;  // directions below this count as dependent
  ForceChoice choice = ForceChoice::least_norm;
  std::optional<double> min_tension;                   // N, of every cable, instead of its pretension
  std::optional<double> max_tension, max_compression;  // N, of every member
  std::vector<int> compliance_nodes;
};

// What becomes of weight and loads.
enum class LoadState {
  none,         // there are none
  balanced,     // by member forces
  not_held,     // they push a part along a rigid motion that nothing holds
  on_mechanism  // they push along a mechanism: no forces balance them in this shape
};
const char* name(LoadState state);  // "not held"

enum class Stability { no_self_stress, unstable, prestress_stable, super_stable };  // stability.h defines them
const char* name(Stability stability);                                              // "super-stable"

// The forces that the verdict about stability is about.
enum class VerdictForces {
  none,         // no self-stress
  at_hand,      // Statics::forces
  self_stress,  // a self-stress, as small as need be: the forces at hand are other ones, or leave a motion neutral
  stabilising   // Statics::stabilising
};

struct Compliance {
  int node = -1;
  bool bounded = false;        // else it gives way
  Mat3 matrix = Mat3::Zero();  // m/N
};

struct Statics {
  StaticRows rows;
  Parts parts;
  StaticSpaces spaces;

  // Self-stress without loads, scaled so that the largest force density of a cable is 1 N/m (of a bar, without cables).
  Eigen::VectorXd self_stress;  // over all rows; zero where there is none
  bool sign_feasible = false;   // it keeps cables in tension
  std::vector<int> pushing;     // members that would have to push (or to leave their bounds) where it does not
  std::vector<int> idle;        // cables that no self-stress reaches

  // Forces under weight and loads, or the self-stress where there are none or no forces balance them.
  Eigen::VectorXd forces;             // over all rows, N
  bool forces_feasible = false;       // cables pull, bounds are kept
  std::vector<int> offending;         // members out of bounds
  std::vector<int> conflict;          // members whose bounds exclude each other
  std::vector<int> unheld;            // cables out of bounds since no self-stress reaches them, and no load is there
  std::vector<int> below_pretension;  // cables that carry less than at the start: the loads ask for it
  LoadState load_state = LoadState::none;
  std::vector<int> falling;       // parts whose weight is left out: nothing holds them
  Eigen::VectorXd loaded_motion;  // over the unknowns: along it the loads push and nothing resists
  std::vector<Vec3> external;     // weight and loads that count, N per node
  std::vector<Vec3> reactions;    // of supports, N per node

  // One verdict, of the self-stress unless the forces at hand say otherwise. Where K with them has a negative eigenvalue
  // it is unstable, whatever a smaller self-stress or other loads would do; where they, loads and all, stiffen what the
  // self-stress does not, it is prestress-stable.
  Stability stability = Stability::no_self_stress;
  VerdictForces stability_of = VerdictForces::none;
  Stability self_stress_stability = Stability::no_self_stress;  // without loads, of a self-stress as small as need be
  std::optional<double> stable_up_to;  // part of `forces`, unloaded, up to which K has no negative eigenvalue
  bool loose = false;                  // something hangs on cables that no self-stress reaches
  bool by_other_forces = false;        // stable with `stabilising`, not with `self_stress`
  Eigen::VectorXd stabilising;         // over all rows
  Eigen::VectorXd stress_eigenvalues;  // of `self_stress`
  std::vector<Mechanism> mechanisms;
  int finite = 0, infinitesimal = 0, undecided = 0;

  TangentParts tangent;                  // with `forces`
  double stiffness_scale = 0.0;          // N/m
  std::optional<SoftestMotion> softest;  // nothing: nothing can move
  std::vector<Compliance> compliances;
  std::optional<Buckling> buckling;  // only under loads that are balanced
};

// Throws InputError for a model with joints or pulleys.
Statics analyse_statics(const Model& model, const StaticsOptions& options = {});

// Whether every motion but rigid ones is resisted, with the forces at hand.
bool is_stiff(const Statics& statics);
// Whether some motion is helped on by the forces at hand: K has a negative eigenvalue.
bool gives_way(const Statics& statics);
// Whether the forces at hand can be: no cable pushes.
bool all_pull(const Statics& statics);

// T/l over the pieces' lengths together: the force density of a member.
double force_density(const Statics& statics, int member, const Eigen::VectorXd& forces);

}  // namespace taut
