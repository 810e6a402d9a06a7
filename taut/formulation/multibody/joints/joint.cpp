#include "taut/formulation/multibody/joints/joint.h"

#include <algorithm>
#include <type_traits>

#include "taut/formulation/multibody/joints/fixed.h"
#include "taut/formulation/multibody/joints/floating.h"
#include "taut/formulation/multibody/joints/involute.h"
#include "taut/formulation/multibody/joints/passive.h"
#include "taut/formulation/multibody/joints/planar.h"
#include "taut/formulation/multibody/joints/prismatic.h"
#include "taut/formulation/multibody/joints/revolute.h"
#include "taut/formulation/multibody/joints/spherical.h"
#include "taut/formulation/multibody/joints/two_pulley.h"
#include "taut/formulation/multibody/joints/universal.h"

namespace taut::multibody {

// A joint is a plain value: nothing of it lives on the heap.
static_assert(std::is_trivially_copyable_v<JointKind>);

namespace {

// Calls f with the motion of the kind, or with its coordinates.
template <class F>
decltype(auto) with_motion(const Joint& joint, F f) {
  return std::visit([&](const auto& kind) { return f(Motion<std::decay_t<decltype(kind)>>{kind}); }, joint.kind);
}
template <class F>
decltype(auto) with_coordinates(const Joint& joint, F f) {
  return with_motion(joint, [&](const auto& kind) { return f(typename std::decay_t<decltype(kind)>::Coordinates{}); });
}

// Groups of velocities that share their friction: told by the kind, or every one alone.
template <class Kind>
constexpr auto groups() {
  if constexpr (requires { Kind::friction_groups; }) {
    return Kind::friction_groups;
  } else {
    std::array<int, Kind::Coordinates::nv> ones{};
    ones.fill(1);
    return ones;
  }
}

struct KindName {
  const char* operator()(const Fixed&) const { return "fixed"; }
  const char* operator()(const Revolute&) const { return "revolute"; }
  const char* operator()(const Prismatic&) const { return "prismatic"; }
  const char* operator()(const Universal&) const { return "universal"; }
  const char* operator()(const Spherical&) const { return "spherical"; }
  const char* operator()(const Planar&) const { return "planar"; }
  const char* operator()(const Floating&) const { return "floating"; }
  const char* operator()(const InvoluteRigid&) const { return "involute"; }
  const char* operator()(const Involute&) const { return "involute"; }
  const char* operator()(const TwoPulleyRigid&) const { return "two_pulley"; }
  const char* operator()(const TwoPulley&) const { return "two_pulley"; }
};

}  // namespace

Joint::Joint(JointKind of_kind) : kind(of_kind) { neutral(*this, passive.rest.data()); }

const char* kind_name(const Joint& joint) { return std::visit(KindName{}, joint.kind); }

int coordinates(const Joint& joint) {
  return with_coordinates(joint, [](auto c) { return decltype(c)::nq; });
}
int velocities(const Joint& joint) {
  return with_coordinates(joint, [](auto c) { return decltype(c)::nv; });
}

std::string coordinate_name(const Joint& joint, int i) {
  return with_motion(joint,
                     [i](const auto& kind) -> std::string { return kind.names().at(static_cast<std::size_t>(i)); });
}

std::string velocity_name(const Joint& joint, int i) {
  // With a quaternion: the body's angular velocity, then its velocity.
  static constexpr std::array<const char*, 6> body{"wx", "wy", "wz", "vx", "vy", "vz"};
  if (coordinates(joint) != velocities(joint)) return body.at(static_cast<std::size_t>(i));
  return coordinate_name(joint, i) + "_rate";
}

void neutral(const Joint& joint, double* q) {
  with_coordinates(joint, [&](auto c) { c.neutral(q); });
}

void rates(const Joint& joint, const double* q, const double* v, double* q_rate) {
  with_coordinates(joint, [&](auto c) { c.rates(q, v, q_rate); });
}

void rate_map(const Joint& joint, const double* q, Mat7& N) {
  with_coordinates(joint, [&](auto c) { N.topLeftCorner<c.nq, c.nv>() = c.rate_map(q); });
}

void rate_map_inverse(const Joint& joint, const double* q, Mat7& N) {
  with_coordinates(joint, [&](auto c) { N.topLeftCorner<c.nv, c.nq>() = c.rate_map_inverse(q); });
}

void rates_by_q(const Joint& joint, const double* q, const double* v, Mat7& by_q) {
  with_coordinates(joint, [&](auto c) { by_q.topLeftCorner<c.nq, c.nq>() = c.rates_by_q(q, v); });
}

void retract(const Joint& joint, const double* q, const double* step, double* out) {
  with_coordinates(joint, [&](auto c) { c.retract(q, step, out); });
}

void difference(const Joint& joint, const double* a, const double* b, double* step) {
  with_coordinates(joint, [&](auto c) { c.difference(a, b, step); });
}

double normalise(const Joint& joint, double* q) {
  return with_coordinates(joint, [&](auto c) { return c.normalise(q); });
}

Transform transform(const Joint& joint, const double* q) {
  return with_motion(joint, [&](const auto& kind) { return kind.transform(q); });
}

void move(const Joint& joint, const double* q, const double* v, JointMotion& motion) {
  with_motion(joint, [&](const auto& kind) { kind.move(q, v, motion); });
}

void constraint_forces(const Joint& joint, const double* q, Mat6& T) {
  with_motion(joint, [&](const auto& kind) { kind.constraint_forces(q, T); });
}

void active_forces(const Joint& joint, const double* q, Mat6& T) {
  with_motion(joint, [&](const auto& kind) {
    using Kind = std::decay_t<decltype(kind)>;
    if constexpr (requires { kind.active_forces(q, T); }) {
      kind.active_forces(q, T);
    } else {
      // The columns of S are orthonormal.
      constexpr double rest[6] = {};
      JointMotion m;
      kind.move(q, rest, m);
      T.leftCols<Kind::Coordinates::nv>() = m.S.template leftCols<Kind::Coordinates::nv>();
    }
  });
}

bool fit(const Joint& joint, const Transform& X, double* q) {
  return with_motion(joint, [&](const auto& kind) { return kind.fit(X, q); });
}

void loop_error(const Joint& joint, const Transform& X, const double* q, double* error) {
  with_motion(joint, [&](const auto& kind) {
    Mat6 T;
    kind.constraint_forces(q, T);
    const Vec6 gap = displacement(X, kind.transform(q));
    for (int i = 0; i < 6 - std::decay_t<decltype(kind)>::Coordinates::nv; ++i) error[i] = T.col(i).dot(gap);
  });
}

bool has_internal_torque(const Joint& joint) {
  const auto given = [](const auto& values) {
    return std::any_of(values.begin(), values.end(), [](double x) { return x != 0.0; });
  };
  const Passive& p = joint.passive;
  return std::holds_alternative<Involute>(joint.kind) || std::holds_alternative<TwoPulley>(joint.kind) ||
         given(p.stiffness) || given(p.damping) || given(p.friction);
}

void internal_torque(const Joint& joint, const double* q, const double* v, JointTorque& out, CableSwitch held) {
  out = {};
  with_motion(joint, [&](const auto& kind) {
    using Kind = std::decay_t<decltype(kind)>;
    add_springs(typename Kind::Coordinates{}, joint.passive, q, out, nullptr);
    add_resistance(groups<Kind>(), joint.passive, v, out, nullptr);
    if constexpr (requires { kind.add_torque(q, v, held, out); }) kind.add_torque(q, v, held, out);
  });
}

void internal_torque_slopes(const Joint& joint, const double* q, const double* v, JointTorqueSlopes& out,
                            CableSwitch held) {
  out = {};
  with_motion(joint, [&](const auto& kind) {
    using Kind = std::decay_t<decltype(kind)>;
    JointTorque unused;
    add_springs(typename Kind::Coordinates{}, joint.passive, q, unused, &out);
    add_resistance(groups<Kind>(), joint.passive, v, unused, &out);
    if constexpr (requires { kind.add_slopes(q, v, held, out); }) kind.add_slopes(q, v, held, out);
  });
}

bool cable_status(const Joint& joint, const double* q, const double* v, CableStatus& out, CableSwitch held) {
  out = {};
  return with_motion(joint, [&](const auto& kind) {
    constexpr bool has_cable = requires { kind.tell(q, v, held, out); };
    if constexpr (has_cable) kind.tell(q, v, held, out);
    return has_cable;
  });
}

CableLength cable_length(const Joint& joint, const double* q, const double* v) {
  CableLength out;
  with_motion(joint, [&](const auto& kind) {
    if constexpr (requires { kind.set_length(q, v, out); }) kind.set_length(q, v, out);
  });
  return out;
}

}  // namespace taut::multibody
