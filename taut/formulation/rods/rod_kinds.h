// Makers of the formulations of rods; all throw InputError when they cannot represent the model.
#pragma once

#include "taut/formulation/formulation.h"

namespace taut {

// `minimal`: five coordinates per rod, centre, azimuth and polar angle (polar_chart.h; Berkeley chapter, §3.3).
std::unique_ptr<Formulation> make_minimal(const Model& model);
std::unique_ptr<Formulation> make_minimal_bounded(const Model& model);
// `quaternion`: centre, unit quaternion and angular velocity per rod (quaternion_chart.h; Savin et al., 2020).
std::unique_ptr<Formulation> make_quaternion(const Model& model);

}  // namespace taut
