// Cables and elastic bars as forces on nodes, written once for every formulation.
//
//   l = Σ |x_{i+1} - x_i| over the path,  e = l - L0,  ė = l̇ - L̇0,  T = law(e, ė),
//   force on the nodes of a piece: ± T (x_b - x_a)/|x_b - x_a|; one tension along the whole path, unless the cable
//   slides with friction: then T is the mean, and sliding.h has the pieces. Members that yield keep a permanent
//   elongation, which holds during a step and follows after it (settle_yield).
//
// Vector damping adds, with c = ∂T/∂ė, the force -c (1 - u uᵀ)(ẋ_b - ẋ_a) on b and its opposite on a.
//
// Power: the structure gives T l̇ to a cable, which splits into dU/dt, the dissipated power
// (T - T_elastic) ė ≥ 0, and minus the actuator's power -(T - ∂U/∂L0) L̇0. Vector damping dissipates
// c |(1 - u uᵀ)(ẋ_b - ẋ_a)|² more.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "taut/base/aligned.h"
#include "taut/forces/cable_memory.h"
#include "taut/forces/sliding.h"
#include "taut/model/model.h"

namespace taut {

// How the slack switch is decided during an evaluation.
enum class SlackMode {
  by_sign,  // from e and the raw tension, as the law says
  held,     // from CableTerms::taut, which an integrator holds over a step and switches at located times
  clipped   // CableTerms::taut says whether e > 0; a clipped law is then zero where its raw tension is negative
};

// Where the rate of elongation comes from.
enum class RateSource {
  velocities,  // l̇ = Σ u·(ẋ_b - ẋ_a), if the law or the caller needs it
  lengths      // from the lengths of the last evaluations (RateMemory): as cheap as no damping, for fixed steps
};

// l̇_n from the lengths at the last steps, h apart, always of second order. With Δ_j = l_{n-j} - l_{n-j-1}:
//   n = 1   2 Δ_0/h - l̇_0                                         (past[1] holds l̇_0)
//   n = 2   (1.5 Δ_0 - 0.5 Δ_1)/h
//   n = 3   (1.25 Δ_0 - 0.25 Δ_2)/h
//   n > 3   (1.1 Δ_0 + 0.2 Δ_1 - 0.2 Δ_2 - 0.1 Δ_3)/h
// The longer a formula, the less it answers an alternating motion: where damping limits the step of a leapfrog, the
// last one is stable up to twice the step of the second.
struct RateMemory {
  int steps = 0;  // since the beginning
  double h = 0.0;
  std::array<double, 5> weight{};      // of l_n and past
  std::array<AlignedDoubles, 4> past;  // l_{n-1}, l_{n-2}, ...
};

// Scratch of one evaluation, in slots (see Cables).
struct CableTerms {
  AlignedDoubles direction;                   // per piece, stride 4: x_b - x_a
  AlignedDoubles pull;                        // per piece: T / |x_b - x_a|; a second half holds the negatives
  AlignedDoubles length, rate;                // per slot: l and ė
  AlignedDoubles rest, rest_rate, stiffness;  // per slot: L0, L̇0, k at the time of the evaluation
  AlignedDoubles tension;                     // per slot; the mean where a cable slides with friction
  AlignedDoubles share, slip;                 // per piece: its part of the tension, 1 without friction; φ at its end
  AlignedDoubles taut;                        // per slot: 1 or 0, used unless by_sign
  AlignedDoubles permanent;                   // per slot: p, m, of those that yield
  AlignedDoubles settled;                     // per yielding slot: e and ė when it was last settled
  double settled_at = NAN;                    // s
  std::vector<FirstYield> first_yields;       // a place for each slot that yields, in their order in time
  std::vector<Winch> winches;                 // set_winches(); a cable has none or one
  std::vector<char> wound;                    // per cable: whether it has a winch
  SlackMode mode = SlackMode::by_sign;
  RateSource rates = RateSource::velocities;
  bool want_rates = false;  // rates also where nothing needs them for the forces (undamped cables)
  RateMemory memory;
  int slack = 0;  // cables of linear law without tension
  double dissipated_power = 0.0, actuator_power = 0.0;
};

// Frozen: every cable and elastic bar has a slot; slots are ordered so that the common case (two nodes, linear law,
// clipped) comes first and runs through the packed loops, filled up with empty slots to a multiple of 4.
class Cables {
 public:
  explicit Cables(const Model& model);

  int slots() const { return static_cast<int>(laws_.size()); }
  int slot_of_cable(int cable) const { return slot_of_cable_[cable]; }
  int slot_of_bar(int bar) const { return slot_of_bar_[bar]; }        // -1 for rigid bars
  int cable_of_slot(int slot) const { return cable_of_slot_[slot]; }  // -1 for elastic bars and empty slots
  const CableLaw& law(int slot) const { return laws_[slot]; }
  const std::string& name(int slot) const { return names_[slot]; }
  bool damped() const { return damped_; }
  bool vector_damped() const { return !vector_damped_.empty(); }  // some cable
  bool slides() const { return slides_; }                         // some cable with friction
  bool yields() const { return !yielding_.empty(); }
  const std::vector<int>& yielding() const { return yielding_; }  // slots
  bool slides(int slot) const { return friction_[slot].kind != SlidingKind::none; }
  // For slots that slide, with the terms of the last apply().
  SlidingCable sliding(int slot, const CableTerms& terms, const double* v) const;
  int piece_begin(int slot) const { return first_piece_[slot]; }
  int piece_end(int slot) const { return first_piece_[slot + 1]; }
  int piece_a(int piece) const { return a_[piece]; }
  int piece_b(int piece) const { return b_[piece]; }

  CableTerms make_terms() const;

  // These winches from now on; cables that had others go back to their rest length at the start.
  void set_winches(const std::vector<Winch>& winches, CableTerms& terms) const;
  // Rest lengths and their rates at time t: of actuators, but of winches where a cable has one. Throws RunError when a
  // rest length is not positive (0 is allowed for springs given by stiffness).
  void set_time(double t, CableTerms& terms) const;

  // f = base + cable forces on all nodes, from positions and velocities (all of stride 4); fills the terms.
  void apply(const double* x, const double* v, const double* base, double* f, CableTerms& terms) const;

  // From the present lengths and rates on, take rates from lengths that are h apart.
  void begin_memory(double h, CableTerms& terms) const;

  // Linear laws switch between slack and taut; the others are smooth or piecewise linear without a jump.
  bool has_switch(int slot) const { return has_switch_[slot] != 0; }
  // Positive while taut, in N: min(k e, k e + c ė) for a clipped law, k e otherwise. From the last apply().
  double switch_value(int slot, const CableTerms& terms) const;
  double length_rate(int slot, const CableTerms& terms, const double* v) const;  // l̇ at the last apply()'s directions
  void switch_values(const CableTerms& terms, double* values) const;  // of all slots; 1 where there is no switch
  // Sets terms.taut from the switch values of the last apply().
  void classify(CableTerms& terms) const;

  double elastic_energy(const CableTerms& terms) const;  // from the last apply()

  // After a step that ended at time t with the last apply(): elongations that were reached become permanent, those on
  // the way since the last time included. Returns the energy lost, J; `jump` says whether a tension has changed by it.
  double settle_yield(double t, CableTerms& terms, bool& jump) const;

  bool driven() const { return !drives_.empty(); }  // some rest length, by an actuator

 private:
  template <bool rates, bool memory, SlackMode mode>
  void packed_tensions(const double* x, const double* v, CableTerms& terms) const;
  void general_tensions(const double* x, const double* v, CableTerms& terms) const;
  void slide_pieces(int slot, const double* v, CableTerms& terms) const;
  void set_rest(int slot, double t, double rest, double rest_rate, CableTerms& terms) const;
  double winding_power(int slot, const CableTerms& terms) const;
  bool wound(int slot, const CableTerms& terms) const {
    return cable_of_slot_[slot] >= 0 && terms.wound[cable_of_slot_[slot]] != 0;
  }
  void gather(const double* base, double* f, const CableTerms& terms) const;
  void brake_across(const double* v, double* f, CableTerms& terms) const;

  // An actuator of a cable or an elastic bar.
  struct RestDrive {
    int slot;
    Signal rest_length;
  };
  // A piece that pulls on a node: where its direction and its signed pull are.
  struct Pull {
    int direction, pull;
  };

  int empty_ = 0;   // empty slots
  int packed_ = 0;  // slots [0, packed_) are two-node, linear, clipped, or empty; a multiple of 4
  bool damped_ = false, slides_ = false;
  std::vector<CableLaw> laws_;
  std::vector<SlidingFriction> friction_;  // none where there is nothing to slide through
  std::vector<double> start_rest_;
  std::vector<int> first_piece_, a_, b_;
  std::vector<int> node_start_;  // per node: its range in pulls_
  std::vector<Pull> pulls_;
  std::vector<int> slot_of_cable_, slot_of_bar_, cable_of_slot_;
  std::vector<char> has_switch_;
  std::vector<int> yielding_, vector_damped_;  // slots
  AlignedDoubles damping_;
  std::vector<RestDrive> drives_;
  std::vector<std::string> names_;
};

}  // namespace taut
