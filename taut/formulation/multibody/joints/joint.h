// One joint: a kind with its parameters, and its springs, dampers and friction. The set of kinds is closed.
//
// Per instant: move() for the tree (ˢX_p, S, v_J, c_J), internal_torque() for its own torques, both without allocation.
//
// For a loop joint: fit() finds q from where the bodies are, loop_error() = T_cᵀ displacement(X, transform(q)) vanishes
// where the loop is closed, with the derivative T_cᵀ v_J; v = T_aᵀ v_J are its velocities, T_cᵀ a_J = T_cᵀ c_J with
// a_J = a_s - a_p - v_s × v_J its constraint on accelerations, T_a τ + T_c λ the force it transmits (1.2.19).
#pragma once

#include <array>
#include <string>

#include "taut/formulation/multibody/joints/kinds.h"
#include "taut/formulation/multibody/system/spatial.h"

namespace taut::multibody {

struct Joint {
  JointKind kind;
  Passive passive;

  Joint(JointKind of_kind = Fixed{});  // springs, if they get a stiffness, are at rest in the neutral position
};

// One instant; all spatial vectors in the successor's coordinates.
struct JointMotion {
  Transform X;    // ˢX_p
  Mat6 S;         // motion subspace, nv columns
  Vec6 velocity;  // v_J = S v
  Vec6 bias;      // c_J = Ṡ v, the rate that S v has in successor coordinates while v is constant
};

// Internal generalized torques (springs, dampers, friction, the cable) on the velocity coordinates v: N m on rad/s, N on
// m/s. With the stored energy U (J) their power is accounted for as
//
//   torque·v = -dU/dt - dissipated + supplied,      dissipated ≥ 0
//
// `supplied` is zero but for cables with Lieskovský's forces, which make energy while they are wound up under load.
struct JointTorque {
  Vec6 torque = Vec6::Zero();  // first nv entries
  double energy = 0.0;         // J
  double dissipated = 0.0;     // W
  double supplied = 0.0;       // W
};

// Derivatives of the torque, the upper left nv × nv: along q ⊕ δ, and along v.
struct JointTorqueSlopes {
  Mat6 by_q = Mat6::Zero(), by_v = Mat6::Zero();
};

// How the slack switch is decided during an evaluation: from the strain and the stress, or held by an integrator.
enum class CableSwitch { by_sign, held_taut, held_slack };

// For reports and events. Where a free length or a length is not positive the joint has ended.
struct CableStatus {
  double free_length = 0.0, length = 0.0;  // l₀, l, m
  double strain = 0.0;                     // ε
  double tension = 0.0;                    // F, N; zero for rigid cables, whose tension is a constraint force
  double switch_value = 1.0;               // positive while taut: min(EA ε, F) if clipped, else EA ε; 1 if rigid
  bool slack = false;
  bool no_free_length = false;  // wound up: l₀ ≤ 0
  bool at_pulley = false;       // the end or the other pulley is there: l ≤ 0
  bool overlaps = false;        // wound past a full turn: below the least angle of a pulley
  bool off_pulley = false;      // unwound: above the most angle of a pulley
};

// As in model files: "fixed", "revolute", ...; the rigid and the compliant involute joint are both "involute".
const char* kind_name(const Joint& joint);

// Numbers of coordinates q (at most 7) and velocities v (at most 6), and their names, such as "phi" and "phi_rate".
int coordinates(const Joint& joint);
int velocities(const Joint& joint);
std::string coordinate_name(const Joint& joint, int i);
std::string velocity_name(const Joint& joint, int i);

// q = 0, quaternions 1. For cables this is the end of their range: no free length.
void neutral(const Joint& joint, double* q);

// q̇ = N(q) v.
void rates(const Joint& joint, const double* q, const double* v, double* q_rate);
// N (nq × nv), N⁺ (nv × nq) and ∂q̇/∂q (nq × nq), in the upper left of a 7 × 7.
using Mat7 = Eigen::Matrix<double, 7, 7>;
void rate_map(const Joint& joint, const double* q, Mat7& N);
void rate_map_inverse(const Joint& joint, const double* q, Mat7& N);
void rates_by_q(const Joint& joint, const double* q, const double* v, Mat7& by_q);

// q ⊕ step (step has nv entries; out may be q), the step that leads from a to b, and unit quaternions; normalise()
// returns by how much the norm was off.
void retract(const Joint& joint, const double* q, const double* step, double* out);
void difference(const Joint& joint, const double* a, const double* b, double* step);
double normalise(const Joint& joint, double* q);

Transform transform(const Joint& joint, const double* q);
void move(const Joint& joint, const double* q, const double* v, JointMotion& motion);

// T_c in the first 6 - nv columns, T_a in the first nv.
void constraint_forces(const Joint& joint, const double* q, Mat6& T);
void active_forces(const Joint& joint, const double* q, Mat6& T);

// False: X is out of reach (a cable without length, pulleys without the common tangent) and q may hold anything.
bool fit(const Joint& joint, const Transform& X, double* q);
// 6 - nv values: rad and m.
void loop_error(const Joint& joint, const Transform& X, const double* q, double* error);

// Springs, dampers, friction and the cable; zero for joints that have none of these, which need not be asked.
bool has_internal_torque(const Joint& joint);
void internal_torque(const Joint& joint, const double* q, const double* v, JointTorque& out,
                     CableSwitch held = CableSwitch::by_sign);
void internal_torque_slopes(const Joint& joint, const double* q, const double* v, JointTorqueSlopes& out,
                            CableSwitch held = CableSwitch::by_sign);

// Joints with a cable: how it is. False: there is no cable.
bool cable_status(const Joint& joint, const double* q, const double* v, CableStatus& out,
                  CableSwitch held = CableSwitch::by_sign);

// The cable's length l along with l̇ = Σ by v and l̈ = Σ by v̇ + drift, over the joint's velocities. Only joints with a
// cable are asked.
struct CableLength {
  double value = 0.0, drift = 0.0;
  std::array<double, 3> by{};
};
CableLength cable_length(const Joint& joint, const double* q, const double* v);

}  // namespace taut::multibody
