#include "taut/model/scenario.h"

#include "taut/base/text/enum_name.h"

namespace taut {

const char* name(ConstraintMethod method) {
  return enum_name<ConstraintMethod::none>(method, {"projection", "baumgarte", "none"});
}

std::string_view natural_formulation(const Model& model, std::string_view wish) {
  return has_joints(model) ? "multibody" : wish;
}

}  // namespace taut
