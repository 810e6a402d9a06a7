// `minimal`: five coordinates per rod, centre, azimuth and polar angle (seed 001, §3.3).
#include "taut/formulation/polar_chart.h"
#include "taut/formulation/rod_kinds.h"
#include "taut/formulation/rod_matrices.h"
#include "taut/formulation/rod_tangent.h"

namespace taut {

std::unique_ptr<Formulation> make_minimal(const Model& model) {
  return std::make_unique<RodFormulation<PolarChart<false>>>(model);
}

std::unique_ptr<Formulation> make_minimal_bounded(const Model& model) {
  return std::make_unique<RodFormulation<PolarChart<true>>>(model);
}

}  // namespace taut
