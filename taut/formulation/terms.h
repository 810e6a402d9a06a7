// Scratch of one evaluation; one per thread, never part of a state.
#pragma once

#include <limits>

#include "taut/base/aligned.h"
#include "taut/forces/cables.h"
#include "taut/forces/contact.h"
#include "taut/formulation/multibody/scratch.h"
#include "taut/solve/saddle.h"

namespace taut {

struct Terms {
  AlignedDoubles x, xd;  // node positions and velocities, stride 4 (as every array per node here)
  AlignedDoubles force;  // on nodes
  CableTerms cables;
  ContactTerms contact;
  AlignedDoubles multiplier;      // per bar, N/m: the bar pushes its ends apart by multiplier · b
  AlignedDoubles row_multiplier;  // per linear constraint row of the coupled bars
  AlignedDoubles group_rhs, group_scratch, group_jacobian;  // coupled bars: right side, scratch, values of G
  SaddleFactor group_factor;
  double dissipated_power = 0.0;                                 // by cables, drag, contact
  double work_power = 0.0;                                       // of actuators and loads
  long chart_switches = 0;                                       // of coordinates with more than one chart, so far
  double segment_end = std::numeric_limits<double>::infinity();  // forces at and after it are limits from the left
  double time = 0.0;             // s, of the last forces, or of the state that is projected
  int corrections = 0;           // of the configuration in a projection; 0: until rounding ends them
  multibody::Scratch multibody;  // of the multibody formulation
};

}  // namespace taut
