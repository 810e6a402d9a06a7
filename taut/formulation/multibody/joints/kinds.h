// The kinds of joints with their parameters: plain values, nothing on the heap. How each moves stands in the file of its
// name (revolute.h, ...), which joint.cpp alone reads.
#pragma once

#include <array>
#include <limits>
#include <variant>

namespace taut::multibody {

struct Fixed {};

// About or along one axis: 0, 1, 2: x, y, z of both frames.
struct Revolute {
  int axis = 2;
};
struct Prismatic {
  int axis = 2;
};

struct Universal {};
struct Spherical {};
struct Planar {};
struct Floating {};

// What the last coordinate of a compliant cable joint is.
enum class CableCoordinate { u, epsilon, l };

// The last coordinate from l₀ and l.
inline double last_coordinate(CableCoordinate last, double l0, double l) {
  return last == CableCoordinate::l ? l : last == CableCoordinate::u ? l - l0 : (l - l0) / l0;
}

struct CableMaterial {
  double EA = 0.0;            // N
  double damping = 0.0;       // μA, N s
  bool clip = true;           // false: taut while ε > 0, even where the damping makes it push (3.1.14)
  bool conservative = false;  // true: torques that are the gradient of the energy

  bool operator==(const CableMaterial&) const = default;
};

// The angles unwrapped between which the joint means what it says: below `least` the cable lies upon itself (a full
// turn on the pulley is 2π), above `most` its end has come off the pulley. Only reported.
struct WindingRange {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();

  bool operator==(const WindingRange&) const = default;
};

// A cable that unwinds from a pulley, rigid or compliant.
struct InvoluteRigid {
  double radius = 1.0;  // r, m
  WindingRange range{};
};
struct Involute {
  double radius = 1.0;  // r, m
  CableCoordinate last = CableCoordinate::epsilon;
  CableMaterial material{};
  WindingRange range{};
};

// A cable between two pulleys, rigid or compliant.
struct PulleyPair {
  double first = 1.0, second = 1.0;  // r₁, r₂, m
  bool crossed = false;
  double at_zero = 0.0;  // L, free length where φ₁ = φ₂ = 0, m
  WindingRange first_range{}, second_range{};
};
struct TwoPulleyRigid {
  PulleyPair pulleys{};
};
struct TwoPulley {
  PulleyPair pulleys{};
  CableCoordinate last = CableCoordinate::epsilon;
  CableMaterial material{};
};

using JointKind = std::variant<Fixed, Revolute, Prismatic, Universal, Spherical, Planar, Floating, InvoluteRigid,
                               Involute, TwoPulleyRigid, TwoPulley>;

// Springs, dampers and friction of a joint, each per velocity coordinate; their laws stand in passive.h.
struct Passive {
  std::array<double, 6> stiffness{};                               // k, N m/rad or N/m
  std::array<double, 7> rest{};                                    // q₀
  std::array<double, 6> damping{};                                 // c, N m s/rad or N s/m
  std::array<double, 6> friction{};                                // f, N m or N
  std::array<double, 6> slip{1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};  // w, rad/s or m/s

  bool operator==(const Passive&) const = default;
};

}  // namespace taut::multibody
