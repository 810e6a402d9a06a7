// What the columns of a result are called, in every file and table.
#pragma once

#include <array>

#include "taut/model/shape/frame_pose.h"
#include "taut/results/sample.h"

namespace taut {

// In the order of EnergyColumn.
inline constexpr std::array<const char*, energy_columns> energy_names = {"kinetic",    "elastic", "gravity", "contact",
                                                                         "dissipated", "work",    "balance"};

}  // namespace taut
