// `quaternion`: centre, unit quaternion and angular velocity per rod (seed 004).
#include "taut/formulation/quaternion_chart.h"
#include "taut/formulation/rod_kinds.h"
#include "taut/formulation/rod_matrices.h"
#include "taut/formulation/rod_tangent.h"

namespace taut {

std::unique_ptr<Formulation> make_quaternion(const Model& model) {
  return std::make_unique<RodFormulation<QuaternionChart>>(model);
}

}  // namespace taut
