#define TAUT_LANES lanes_scalar
#include "taut/batch/lanes/body.h"

namespace taut::batch {

extern const Lanes scalar_lanes;
const Lanes scalar_lanes = {"scalar", 1, 1, lanes_scalar::cross<double, double>, lanes_scalar::cross<float, float>};

}  // namespace taut::batch
