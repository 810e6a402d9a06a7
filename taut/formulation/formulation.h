// The seam: every formulation chooses coordinates q and velocities v and answers in one form,
//
//   q̇ = N(q) v,   M(q) v̇ = Xᵀ f + h(q, v) + Gᵀ λ,   G v̇ = γ,   g(q) = 0,   nodes x(q), ẋ = X(q) v,
//
// with f the forces on nodes and h what velocities alone do (zero where M is constant). Integrators call the cheap
// functions; analyses and tests may ask for the matrices.
#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taut/formulation/drift_gains.h"
#include "taut/formulation/state.h"
#include "taut/formulation/tangent.h"
#include "taut/formulation/terms.h"
#include "taut/model/model.h"

namespace taut {

using SparseMatrix = Eigen::SparseMatrix<double>;

class Formulation {
 public:
  virtual ~Formulation() = default;

  virtual std::string_view name() const = 0;
  // Where the model had to be changed to be represented: what was done, for the summary.
  virtual std::string remark() const { return {}; }
  int coordinates() const { return nq_; }
  int velocities() const { return nv_; }
  virtual int constraints() const = 0;
  virtual int redundant_constraints() const = 0;  // at the start; dependent on the others
  virtual int degrees_of_freedom() const = 0;

  // Of q and v, such as "a1.x" and "a1.vx"; empty for what never changes (fixed axes, the number of a chart).
  virtual std::vector<std::string> state_names() const = 0;

  virtual State start() const = 0;  // from the model's positions and velocities
  virtual Terms make_terms() const = 0;

  // terms.x and terms.xd from (q, v).
  virtual void place_nodes(const double* q, const double* v, Terms& terms) const = 0;
  // q̇ = N(q) v.
  virtual void coordinate_rates(const double* q, const double* v, double* q_rate) const = 0;
  // v̇ at the placed nodes from terms.force; fills terms.multiplier.
  virtual void accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                          double* v_rate) const = 0;

  // Moves q to g(q) = 0 and v to G v = 0, along M⁻¹Gᵀ (the nearest point in the mass metric); q as often as
  // terms.corrections says. Returns the largest relative move, or a negative number when it does not converge.
  virtual double project(double* q, double* v, Terms& terms) const = 0;

  // Coordinates with more than one chart: changes those that near the edge of theirs. True: an integrator that
  // remembers rates must begin anew.
  virtual bool rechart(double* /*q*/, double* /*v*/, Terms& /*terms*/) const { return false; }

  // Leapfrog, where node positions are the coordinates and M is constant; works on terms.x and terms.xd. leap: v += h
  // M⁻¹ f, x += h v, with the multipliers that end on g = 0. kick: v += h M⁻¹ (f + Gᵀλ) with λ such that G v = 0.
  virtual bool can_leap() const { return false; }
  virtual void leap(double /*h*/, Terms& /*terms*/) const {}
  virtual void kick(double /*h*/, Terms& /*terms*/) const {}
  virtual void take_nodes(const Terms& /*terms*/, double* /*q*/, double* /*v*/) const {}  // the inverse of place_nodes

  virtual double kinetic_energy(const double* q, const double* v) const = 0;
  // Potential energy that is not of nodes and cables: of springs and cables of joints, and of the weight of bodies.
  // From the last accelerate(), J.
  struct OwnEnergy {
    double elastic = 0.0, gravity = 0.0;
  };
  // Whether all weight is in it; otherwise it comes as forces on nodes.
  virtual bool weighs_itself() const { return false; }
  virtual OwnEnergy own_energy(const Terms& /*terms*/) const { return {}; }

  // What joints and pulleys did at the last accelerate(), in the order of joint_columns().
  virtual void joint_values(const double* /*q*/, const double* /*v*/, const Terms& /*terms*/,
                            double* /*values*/) const {}
  // Cables of joints, in the order of the model's pulleys.
  struct JointCable {
    double switch_value = 1.0;  // positive while taut
    bool wound_up = false;      // there is no free length: the joint has ended
    bool overlaps = false;      // it is wound past a full turn, upon itself
    bool off_pulley = false;    // all of it is unwound
  };
  virtual void joint_cables(const double* /*q*/, const double* /*v*/, JointCable* /*cables*/) const {}
  // Largest |g| as a length, m: bars by | |b| - L |, linear constraints as they are.
  virtual double constraint_error(const double* q) const = 0;
  // Largest relative error of a rigid bar's length.
  virtual double bar_length_error(const double* q) const = 0;
  // Axial force of every bar (tension positive) from the last accelerate(); elastic bars from the cable terms.
  virtual void bar_forces(const Terms& terms, double* forces) const = 0;

  // Force of the support on every node with a fixed axis, 3 each in the order of nodes, from the last accelerate().
  virtual void support_forces(const Terms& terms, const double* v_rate, double* forces) const = 0;

  // For implicit steps; refers to this formulation and to the cables.
  virtual std::unique_ptr<Tangent> make_tangent(const Cables& cables) const = 0;

  // The matrices of the form above, for analyses and tests.
  virtual SparseMatrix mass_matrix(const double* q) const = 0;
  virtual Eigen::VectorXd velocity_forces(const double* /*q*/, const double* /*v*/) const {  // h
    return Eigen::VectorXd::Zero(nv_);
  }
  virtual SparseMatrix constraint_jacobian(const double* q) const = 0;
  virtual Eigen::VectorXd constraint_values(const double* q) const = 0;
  virtual Eigen::VectorXd constraint_bias(const double* q, const double* v) const = 0;  // γ
  virtual SparseMatrix node_map(const double* q) const = 0;                             // X

 protected:
  int nq_ = 0, nv_ = 0;
};

// Every name that make_formulation knows, and those that describe the same motion of this model, as far as they can
// represent it: what `all` stands for. point_mass is among them where lumping changes nothing.
const std::vector<std::string_view>& formulation_names();
std::vector<std::string_view> equivalent_formulations(const Model& model);

// Makes the formulation by name. Throws InputError when the name is unknown or the model cannot be represented.
std::unique_ptr<Formulation> make_formulation(std::string_view name, const Model& model);

}  // namespace taut
