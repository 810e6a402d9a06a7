// The methods of answer_form(), a file for each. All throw InputError as it does.
#pragma once

#include "taut/answers/form/form.h"
#include "taut/form/groups.h"

namespace taut {

ForceDensityResult form_by_densities(const Model& model, const FormSettings& settings);
OptimiseResult form_by_lengths(const Model& model, const FormSettings& settings);
FormResult form_by_newton(const Model& model, double tolerance);
PathAnswer form_by_path(const Model& model, const FormSettings& settings);
PrestressAnswer form_by_prestress(const Model& model, const FormSettings& settings);

// Groups given by --group. Throws InputError where one holds cables and bars, or two hold the same member.
MemberGroups given_groups(const Model& model, const FormSettings& settings);

}  // namespace taut
