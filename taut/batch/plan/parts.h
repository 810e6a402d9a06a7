// The steps of make_plan() that have files of their own.
#pragma once

#include "taut/batch/plan/plan.h"
#include "taut/formulation/nodal/nodal_parts.h"

namespace taut::batch {

// Appends numbers to the plan's; returns where they begin.
int add_numbers(Plan& plan, const std::vector<double>& numbers);

// Throws InputError with everything that the kernel cannot take.
void refuse_unfit(const Model& model);
// Whether a signal or a load jumps after t = 0.
bool has_jumps(const Model& model);
// Coupled bars, bodies and linear constraints: masses, rows, and the pattern of S = G M⁻¹ Gᵀ with what fills in.
void add_group(const Model& model, const NodalParts& parts, Plan& plan);

}  // namespace taut::batch
