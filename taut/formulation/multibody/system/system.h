// A machine ready to move: tree, loops, the solution of their equations and the start (Lieskovský 2022, 1.2.3).
//
//   | H  -Kᵀ | | v̇ |   | τ - C |        C = Newton-Euler at v̇ = 0 with weight and forces on points         (1.2.30; its
//   | K   0  | | λ | = | k     |                                                              print lacks C)
//
// Imposed joints are no unknowns: their v̇ goes into C and k, their torque is found afterwards. Three ways to solve,
// the same to rounding; which one is chosen by the number of operations:
//
//   articulated  no rows: O(n)                                                                            articulated.h
//   range        (K H⁻¹ Kᵀ) λ = k - K H⁻¹ (τ - C) with H⁻¹ from articulated bodies: long chains with few loops
//   sparse       LDLᵀ of the whole, for all else and wherever bodies without mass make H singular                kkt.h
#pragma once

#include "taut/formulation/drift_gains.h"
#include "taut/formulation/multibody/system/articulated.h"
#include "taut/formulation/multibody/system/loops.h"
#include "taut/solve/kkt.h"

namespace taut::multibody {

enum class Method { articulated, range, sparse };

struct System {
  Machine machine;
  Topology topology;
  Tree tree;
  Loops loops;
  Method method = Method::articulated;
  std::vector<double> q, v;  // at the start
  int redundant = 0;         // rows that depend on the others at the start
  int degrees_of_freedom = 0;
  double length = 1.0;  // m, typical distance between joints: an angle times this is a way

  // Throws InputError: what check(), choose_tree() and assemble() say, joints that move nothing that has inertia,
  // motions and loops that contradict each other. `wish` overrules the choice of the method where it can.
  explicit System(Machine machine, std::optional<Method> wish = {});

  // Of the solution.
  Kkt kkt;
  Kkt::Pattern mass_pattern;
  std::vector<int> unknown_of;          // per velocity; -1: imposed
  std::vector<double> inverse_inertia;  // per velocity, typical
  LeastInertia least;                   // below these a joint moves nothing
  bool has_motion = false;              // any imposed joint
};

// Scratch of one evaluation, one per thread.
struct SystemTerms {
  TreeTerms tree;
  LoopTerms loops;
  ArticulatedTerms articulated;
  std::vector<Inertia> composite;
  AlignedDoubles mass;  // H as mass_pattern
  KktFactor factor;
  AlignedDoubles x;                                   // right side and solution
  AlignedDoubles response, range, unit;               // H⁻¹Kᵀ, a row each; K H⁻¹ Kᵀ and its factor; scratch
  std::vector<char> range_off;                        // rows left out
  AlignedDoubles bias, lambda;                        // right sides; then multipliers of the rows
  AlignedDoubles applied, internal, torque;           // on v: by the user, of the joints, that drive imposed ones
  AlignedDoubles imposed_q, imposed_v, imposed_rate;  // of imposed joints at `time`
  AlignedDoubles v_rate;                              // of the last accelerate()
  std::vector<JointTorque> loop_torque;               // of loop joints
  double time = 0.0;                                  // s, for imposed motions and torques
  double energy = 0.0, dissipated = 0.0, supplied = 0.0;  // of the joints' torques: J, W, W
  double drive_power = 0.0;                               // W, of torques applied and of imposed motions
  int left_out = 0;                                       // rows
  bool singular = false;
};

SystemTerms make_terms(const System& system);

// What a row of the loops is, for messages: joint "knee", distance "cable1", sum "a2".
std::string row_name(const System& system, int row);

// Imposed motions and torques at t; links and loops at (q, v).
void drive(const System& system, double t, SystemTerms& terms);
void place(const System& system, const double* q, const double* v, SystemTerms& terms);

// The right sides τ - C and k of the equations above, in terms.bias and terms.lambda; for accelerate() and others that
// solve them. Of the joints' torques and of their energy and power as well.
void equations(const System& system, const double* q, const double* v, const DriftGains& gains, SystemTerms& terms);
// v̇ and terms.lambda, at what place() and drive() have set, with the weight and the forces on points that are in the
// links' `external` (set_weight, add_force); this adds the torques of loop joints to them.
void accelerate(const System& system, const double* q, const double* v, const DriftGains& gains, SystemTerms& terms,
                double* v_rate);
// The end of accelerate(): v̇ of imposed joints, and in terms.torque what drives them, besides their own springs and so
// on. (Other entries: all that acts on those joints.)
void find_imposed_torques(const System& system, const double* v, SystemTerms& terms, double* v_rate);
// Inverse dynamics: the torque on every velocity that a motion with v̇ and these multipliers needs, internal torques
// included, at the same place and forces. Of the joints that are not imposed it is what accelerate() was given.
void inverse(const System& system, const double* v_rate, const double* lambda, SystemTerms& terms, double* torque);

// H and K at the placed links, factorised; then (x, rows) becomes (a, λ) of H a - Kᵀλ = x, K a = rows. x has nv
// entries, those of imposed joints come out as zero.
void factorise(const System& system, SystemTerms& terms);
void solve(const System& system, SystemTerms& terms, double* x, double* rows);

}  // namespace taut::multibody
