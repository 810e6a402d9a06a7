// The seam: every formulation chooses coordinates q and velocities v and answers in one form,
//
//   q̇ = N(q) v     M(q) v̇ = Xᵀf + h + Gᵀλ + Sᵀτ     G v̇ = γ     g(q) = 0     nodes: x(q),  ẋ = X(q) v,  ẍ
//
// f are the forces on nodes and τ the torques on joints (Terms), which S puts on their velocities; h is what acts
// besides: velocities where M is not constant, and in machines the springs, cables and drives of joints and the
// weight of bodies. Where bars have a length that is driven, g(q, t) = 0 and G v = -∂g/∂t, and the node map depends on
// the time: ẋ = X v + w. Functions with terms take the time from terms.time, the others as t. Functions that an
// integrator calls at every step do not allocate.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taut/formulation/drift_gains.h"
#include "taut/formulation/joint_side.h"
#include "taut/formulation/leapfrog.h"
#include "taut/formulation/state.h"
#include "taut/formulation/tangent.h"
#include "taut/formulation/terms.h"
#include "taut/model/model.h"

namespace taut {

struct SeamMatrices;  // matrices.h

struct FormulationFacts {
  std::string_view name;
  std::string remark;  // where the model had to be changed to be represented: what was done, for the summary
  int nq = 0, nv = 0;  // coordinates, velocities
  int constraints = 0, redundant_constraints = 0;  // rows of g; of them dependent on the others at the start
  int degrees_of_freedom = 0;
  bool weighs_itself = false;         // all weight is in h; otherwise it comes as forces on nodes
  bool bars_are_constraints = false;  // rigid bars keep their length by rows of g: Change::length acts on all of them
  // Of q, then of v, such as "a1.x" and "a1.vx"; empty for what never changes (fixed axes, the number of a chart).
  std::vector<std::string> state_names;
};

struct ConstraintErrors {
  double length = 0.0;  // m, the largest |g| as a length: bars by | |b| - L |, linear constraints as they are
  double bars = 0.0;    // the largest relative error of a rigid bar's length
};

// Which matrices are wanted.
struct MatrixChoice {
  bool M = false, h = false, G = false, g = false, gamma = false, X = false;
};
inline constexpr MatrixChoice all_matrices = {true, true, true, true, true, true};

class Formulation {
 public:
  virtual ~Formulation() = default;
  const FormulationFacts& facts() const { return facts_; }

  virtual State start() const = 0;  // from the model's positions and velocities
  virtual Terms make_terms() const = 0;

  // terms.x and terms.xd from (q, v).
  virtual void place_nodes(const double* q, const double* v, Terms& terms) const = 0;
  // q̇ = N(q) v.
  virtual void coordinate_rates(const double* q, const double* v, double* q_rate) const = 0;
  // v̇ at the placed nodes from terms.force and terms.torque; fills terms.lambda.
  virtual void accelerate(const double* q, const double* v, const DriftGains& gains, Terms& terms,
                          double* v_rate) const = 0;
  // ẍ = X v̇ + Ẋ v at the placed nodes, with stride 4 and a last entry that is not looked at.
  virtual void node_accelerations(const double* q, const double* v, const double* v_rate, Terms& terms,
                                  double* a) const = 0;

  // Moves q to g(q) = 0 and v to G v = 0 (where lengths are driven, to theirs at terms.time) along M⁻¹Gᵀ, to the nearest
  // point in the mass metric; q as often as terms.corrections says. Returns the largest relative move, or a negative
  // number when it does not converge.
  virtual double project(double* q, double* v, Terms& terms) const = 0;
  // Coordinates with more than one chart: changes those that near the edge of theirs. True: an integrator that
  // remembers rates must begin anew.
  virtual bool rechart(double* /*q*/, double* /*v*/, Terms& /*terms*/) const { return false; }

  virtual double kinetic_energy(const double* q, const double* v, double t = 0.0) const = 0;  // J
  virtual ConstraintErrors constraint_errors(const double* q, double t = 0.0) const = 0;

  // From the last accelerate(), N. Axial force of every rigid bar, tension positive (elastic bars are among the cable
  // terms); force of the support on every node with a fixed axis, 3 each in the order of nodes.
  virtual void bar_forces(const Terms& terms, double* forces) const = 0;
  virtual void support_forces(const Terms& terms, const double* v_rate, double* forces) const = 0;

  // For implicit steps and linear models; refers to this formulation and to the cables.
  virtual std::unique_ptr<Tangent> make_tangent(const Cables& cables) const = 0;
  // The matrices that are wanted, the others empty; in machines h, g and γ at t = 0. v may be null: at rest.
  virtual SeamMatrices matrices(const double* q, const double* v, const MatrixChoice& wanted, double t = 0.0) const = 0;

  // What only some formulations can do; null: this one cannot, or not with this model.
  virtual const Leapfrog* leapfrog() const { return nullptr; }
  virtual const JointSide* joints() const { return nullptr; }

 protected:
  FormulationFacts facts_;  // the constructor fills it
};

// Every name that make_formulation knows, and those that describe the same motion of this model, as far as they can
// represent it: what `all` stands for. point_mass is among them where lumping changes nothing.
const std::vector<std::string_view>& formulation_names();
std::vector<std::string_view> equivalent_formulations(const Model& model);

// Makes the formulation by name. Throws InputError when the name is unknown or the model cannot be represented.
std::unique_ptr<Formulation> make_formulation(std::string_view name, const Model& model);

}  // namespace taut
