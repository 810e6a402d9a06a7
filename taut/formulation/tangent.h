// The linearised motion of a formulation, for implicit steps: with J = ∂(q̇, v̇)/∂(q, v), solves (I - c J) δ = r.
#pragma once

namespace taut {

struct Terms;

class Tangent {
 public:
  virtual ~Tangent() = default;
  // At (q, v), whose accelerations and terms have just been computed.
  virtual void evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) = 0;
  virtual bool factorise(double c) = 0;            // false: singular
  virtual void solve(double* r_q, double* r_v) = 0;  // in place
};

}  // namespace taut
