// The tree of a scenario, part by part.
#pragma once

#include <vector>

#include "taut/file/value.h"
#include "taut/model/model.h"

namespace taut {

Value number_list(const std::vector<double>& values);
Value vector_list(const Vec3& v);
Value name_list(const Model& model, const std::vector<int>& nodes);
// Several rows of `width` numbers.
Value rows_list(const std::vector<double>& values, std::size_t width);

Table environment_tree(const Model& model);
List bars_tree(const Model& model);
List bodies_tree(const Model& model);
List joints_tree(const Model& model);
List pulleys_tree(const Model& model);
List cables_tree(const Model& model);
List controllers_tree(const Model& model);
List outputs_tree(const Model& model);

}  // namespace taut
