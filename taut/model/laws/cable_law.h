// Tension of a cable from its elongation e = l - L0 (m) and the rate ė = l̇ - L̇0 (m/s):
//
//   linear    T = max(0, k e + c ė) while e > 0, else 0      (clip = false: the raw sum while e > 0)
//   softplus  T = max(0, k s(e) + c s'(e) ė), s(e) = (e + √(e² + β²))/2, β in m    (Berkeley chapter, 3.17-3.18)
//   spring    T = k e + c ė, pulls and pushes; a free length of 0 is allowed
//   table     T = max(0, F(ε) + c ė) while F(ε) > 0, ε = e / L0, F piecewise linear through (strain, force)
//
// Damping is along the cable (axial), or of the whole motion of its ends towards each other (vector; cables of two nodes,
// with d = x_b - x_a, u = d/|d|): then the force on b is -T_e u - c s'(e) (ḋ - L̇0 u) as long as the elastic part T_e of
// the law pulls, without a max(0, .): Savin, Vorochaeva and Kurenkov (2020), eq. (3). T is its part along the cable.
// It brakes a rigid rotation too, so that angular momentum is not kept.
//
// A linear law, a spring or a table may yield (yielding.h): its tension then depends on the permanent elongation p too.
// k is the stiffness (N/m), or EA / L0 when the cable is given by EA and then follows the rest length.
// The energy U(e) = ∫ T_elastic de (J) has U(0) = 0.
#pragma once

#include <cmath>
#include <vector>

namespace taut {

enum class LawKind { linear, softplus, spring, table };
enum class DampingModel { axial, vector };

struct CableLaw {
  LawKind kind = LawKind::linear;
  bool clip = true;        // linear only; false with vector damping
  bool by_EA = false;      // `stiffness` holds EA (N) instead of k (N/m)
  double stiffness = 0.0;  // N/m or N; unused by `table`
  double damping = 0.0;    // N s/m
  DampingModel damping_model = DampingModel::axial;
  double beta = 1e-3;                     // m, softplus only
  double yield = 0.0;                     // N, linear and spring; 0: never
  double hardening = 0.0;                 // slope after yield over that before, below 1
  bool unloads = false;                   // table only: comes back along its first slope, not along the table
  std::vector<double> strain{}, force{};  // table only, ascending strain

  bool operator==(const CableLaw&) const = default;
};

// k in N/m at rest length L0.
inline double stiffness_at(const CableLaw& law, double rest_length) {
  return law.by_EA ? law.stiffness / rest_length : law.stiffness;
}

inline double softplus(double e, double beta) { return 0.5 * (e + std::sqrt(e * e + beta * beta)); }
inline double softstep(double e, double beta) { return 0.5 * (1.0 + e / std::sqrt(e * e + beta * beta)); }
inline double softstep_slope(double e, double beta) {
  const double root = std::sqrt(e * e + beta * beta);
  return 0.5 * beta * beta / (root * root * root);
}

// Elastic part of the tension, its slope dT/de, and the stored energy; at rest length L0, with the permanent elongation
// p of members that yield.
double elastic_tension(const CableLaw& law, double e, double rest_length, double p = 0.0);
double elastic_slope(const CableLaw& law, double e, double rest_length, double p = 0.0);
double elastic_energy(const CableLaw& law, double e, double rest_length, double p = 0.0);
// ∂U/∂L0 at fixed e: not zero where the stiffness follows the rest length.
double energy_by_rest_length(const CableLaw& law, double e, double rest_length, double p = 0.0);

// The whole law, damping and clipping included.
double tension(const CableLaw& law, double e, double e_rate, double rest_length, double p = 0.0);

// The rest length at which a cable of length l carries the tension T without motion; NaN if there is none.
double rest_length_for_tension(const CableLaw& law, double length, double tension);

const char* name(LawKind kind);
const char* name(DampingModel model);

}  // namespace taut
