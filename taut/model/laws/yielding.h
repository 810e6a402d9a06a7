// Members that yield: permanent elongation p (m) is what an unloaded member has kept. For a fixed p a member is
// elastic,
//
//   T(e; p) = min(k (e - p), upper(e)), not below 0 (cables) or lower(e) (springs and elastic bars),
//
// and p follows the largest excursions: p ← e - T/k wherever T is on a bound. Between the bounds it unloads with the
// stiffness k of the beginning, so that the energy U(e; p) = ∫ T de is stored and U(e; p_before) - U(e; p_after) lost.
// Of a spring or bar U has ½ H p² more, H = h k/(1 - h), which its hardening gives back when it yields the other way.
//
//   bilinear  (key yield)                    upper = T_y + h (k e - T_y),  lower = -T_y + h (k e + T_y): kinematic
//                                            hardening, h = hardening, the slope after yield over that before
//   table     (key unloading = "elastic")    upper = F(ε), k the slope where F leaves zero
#pragma once

#include "taut/model/laws/cable_law.h"

namespace taut {

inline bool yields(const CableLaw& law) { return law.yield > 0.0 || law.unloads; }

double yielding_tension(const CableLaw& law, double e, double rest_length, double p);
double yielding_slope(const CableLaw& law, double e, double rest_length, double p);                  // dT/de
double yielding_energy(const CableLaw& law, double e, double rest_length, double p);                 // U
double yielding_energy_by_rest_length(const CableLaw& law, double e, double rest_length, double p);  // ∂U/∂L0

// p after an elongation e was reached.
double permanent_elongation(const CableLaw& law, double e, double rest_length, double p);
// k(e - p), N: above zero while a cable is taut.
double unloading_tension(const CableLaw& law, double e, double rest_length, double p);

}  // namespace taut
