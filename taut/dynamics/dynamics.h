// A model in a formulation as an ordinary differential equation with constraints: what an integrator sees.
//
//   y = (q, v, dissipated, work),   ẏ = (N v, v̇, dissipated power, power of actuators and loads)
#pragma once

#include <memory>

#include "taut/forces/contact.h"
#include "taut/forces/drag.h"
#include "taut/formulation/formulation.h"
#include "taut/model/scenario.h"

namespace taut {

// Of the Baumgarte method, k_s = β², k_d = 2β with β = 10/s: errors decay in 0.1 s, slow beside every integrator step.
inline DriftGains standard_gains() { return {RunSettings{}.k_s, RunSettings{}.k_d}; }

class Dynamics {
 public:
  // The model must outlive this. Throws InputError when the formulation refuses the model.
  Dynamics(const Model& model, std::string_view formulation, ConstraintMethod method,
           const DriftGains& gains = standard_gains(), int corrections = 0);
  Dynamics(Dynamics&&) noexcept;
  ~Dynamics();

  const Model& model() const { return *model_; }
  const Formulation& formulation() const { return *formulation_; }
  const Cables& cables() const { return cables_; }
  const Contact& contact() const { return contact_; }
  ConstraintMethod constraint_method() const { return method_; }
  const DriftGains& gains() const { return gains_; }
  int size() const { return formulation_->facts().nq + formulation_->facts().nv + 2; }

  State start() const;
  Terms make_terms() const;
  // Before evaluations at a state: the terms take over its memory, of winches, torques, controllers and yield.
  void recall(const State& state, Terms& terms) const;
  // After a step, with the forces at its end in the terms: members yield. Returns whether a force has jumped.
  bool settle_yield(double t, State& state, Terms& terms) const;

  // ẏ at (t, y). At t >= terms.segment_end the limits from the left are taken: a step or a load that begins or
  // ends there belongs to the next segment.
  void rhs(double t, const double* y, double* y_rate, Terms& terms) const;

  // The part of rhs before the accelerations: node forces and cable terms at (t, q, v).
  void forces(double t, const double* q, const double* v, Terms& terms) const;
  // The same for nodes that are placed already, at that time.
  void node_forces(double t, Terms& terms) const;

  // Back onto the constraints if the method is projection. Returns the relative move. Throws RunError when the
  // constraints cannot be met.
  double project(State& state, Terms& terms) const;
  // After a step: projection, new charts for coordinates that near the edge of theirs, yield. Returns the relative
  // move, infinity when a chart has changed or a force has jumped.
  double stabilise(State& state, Terms& terms) const;

  // Whether forces depend on velocities otherwise than by the rates of whole cables, or their power is wanted.
  bool needs_velocities() const {
    return !model_->loads.empty() || drag_.any() || contact_.damped() || cables_.slides() || cables_.vector_damped() ||
           drives_rigid_bars_;
  }
  bool drives_rigid_bars() const { return drives_rigid_bars_; }
  bool driven() const { return cables_.driven() || drives_rigid_bars_; }  // some member, by an actuator

  double gravity_energy(const Terms& terms) const;  // of the nodes last placed
  double contact_energy(const Terms& terms) const;  // of the last forces
  double total_mass() const { return total_mass_; }

  // Times in (0, duration) where forces or their rates jump, ascending.
  std::vector<double> breakpoints(double duration) const;

 private:
  std::string shrunk_bar(double t) const;

  const Model* model_;
  std::unique_ptr<Formulation> formulation_;
  Cables cables_;
  Drag drag_;
  Contact contact_;
  bool drives_rigid_bars_;
  ConstraintMethod method_;
  int corrections_;        // of the configuration in each projection; 0: until rounding ends them
  DriftGains gains_;       // zero unless the method is baumgarte
  AlignedDoubles weight_;  // gravity on nodes, stride 4
  double total_mass_ = 0.0;
};

}  // namespace taut
