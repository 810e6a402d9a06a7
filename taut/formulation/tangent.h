// The linearised motion of a formulation, J = ∂(q̇, v̇)/∂(q, v): for implicit steps, which solve (I - c J) δ = r, and for
// linear models, which multiply by J.
#pragma once

#include "taut/formulation/drift_gains.h"

namespace taut {

struct Terms;

// Small changes of what a motion depends on; null: none.
struct Change {
  const double* q = nullptr;
  const double* v = nullptr;
  const double* force = nullptr;  // on nodes, 3 per node
  // Of the lengths of the model's rigid bars: acts through the gains where they are constraints; and of their rates and
  // second rates, where they are driven.
  const double* length = nullptr;
  const double* length_rate = nullptr;
  const double* length_second = nullptr;
  DriftGains gains = {};           // with which constraint errors are pulled back
  const double* torque = nullptr;  // τ, per velocity, on joints
};

class Tangent {
 public:
  virtual ~Tangent() = default;
  // The share by which solve() may miss, so that an iteration makes up for it; 0: it is exact.
  double error_share = 0.0;
  // At (q, v), whose accelerations and terms have just been computed.
  virtual void evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) = 0;
  virtual bool factorise(double c) = 0;              // false: singular
  virtual void solve(double* r_q, double* r_v) = 0;  // in place
  // Rates of change for small changes; undoes factorise().
  virtual void multiply(const Change& change, double* d_q_rate, double* d_v_rate) = 0;
};

}  // namespace taut
